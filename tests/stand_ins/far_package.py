"""far_package: a catalog in which remote engines are a stand-in's, which speaks elsewhere without a network, as a fake engine does."""

from collections.abc import Mapping
from dataclasses import replace

from engines.contract.contract import EngineInfo
from engines.contract.health import WELL, EngineHealth
from engines.contract.options import Option, Value
from engines.contract.package import EnginePackage
from engines.errors import OptionInvalid
from tests.stand_ins.fake_engine import INFO, FakeEngine

LOAD_OPTIONS = (
    Option("model", "text", "", "What is sent as model.", maximum=200),
    Option("key", "secret", "", "Bearer.", maximum=40),
    Option("title", "text", "", "For people.", maximum=80),
    Option("inline", "bool", False, "Send the recording along."),
    Option("ledger", "text", "", "Folder.", maximum=1000),
)
FAR_INFO = replace(INFO, id="remote", title="Remote", load_options=LOAD_OPTIONS, runs="elsewhere", is_deterministic=False)


def _info_of(info: EngineInfo, checkpoint: str | None, options: Mapping[str, Value]) -> EngineInfo:
    if " " in options["key"]:
        raise OptionInvalid("key", "The key has a blank in it.", "Take it out.")
    title = f"Remote: {options['title'] or options['model'] or checkpoint}"
    return replace(info, title=title, hub_id=options["model"], leaves_traces=options["inline"])


class FarFakeEngine(FakeEngine):
    """opened: what it was opened with. said: its health."""

    def __init__(self, info: EngineInfo = FAR_INFO, **opened: object):
        super().__init__(info)
        self.opened, self.said = opened, WELL

    def health(self) -> EngineHealth:
        return self.said


def _open(*, name: str, checkpoint: str | None, **opened: object) -> FarFakeEngine:
    options = {option.name: opened[option.name] for option in LOAD_OPTIONS}
    return FarFakeEngine(_info_of(replace(FAR_INFO, id=name), checkpoint, options), checkpoint=checkpoint, **opened)


PACKAGE = EnginePackage(info=FAR_INFO, open=_open, info_of=_info_of)
