"""Engines of other packages: found in their order, refused in words on a row of their own, and never in the way of the studio."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engines.catalog import availability_look, engine_ids, engine_info, engine_releases, engine_sizes, open_engine, weights_source
from engines.errors import EngineUnavailable
from studio.errors import EngineUnknown
from studio.running.offer.offer import offered_settings
from studio.service import Studio
from studio.settings import EngineSettings
from studio.speech.body import SpeechBody
from studio.timeline import Timeline
from studio.ui.engines.engine_cards import cards_value
from tests.engines.installed_package import install, on_the_path

OURS = engine_ids()
BROKEN = {
    "absent": "import no_such_library_anywhere",
    "crashing": "1 / 0",
    "leaving": "import sys; sys.exit(3)",
    "shapeless": "PACKAGE = 'no engine'",
    "unnamed": "",
    "syntax": "def",
    "misnamed": "from tests.stand_ins.heavy_package import PACKAGE",
    "unsure": """
from dataclasses import replace
from engines.contract.package import EnginePackage
from tests.stand_ins.fake_engine import INFO, FakeEngine
def info_of(info, checkpoint, options): raise RuntimeError("no such thing")
PACKAGE = EnginePackage(replace(INFO, id="unsure"), lambda **_: FakeEngine(), info_of=info_of)
""",
}


@pytest.fixture
def site(tmp_path) -> Iterator[Callable[..., Path]]:
    """site(distribution, {id: text of its module}) installs one; the catalog looks when it is asked next."""
    folder = tmp_path / "site"
    folder.mkdir()

    def put(distribution: str, engines: dict[str, str]) -> None:
        modules = {name: re.sub(r"\W", "_", f"{distribution}_{index}") for index, name in enumerate(engines)}
        for name, text in engines.items():
            (folder / f"{modules[name]}.py").write_text(text, encoding="utf-8")
        install(folder, distribution, {name: f"{module}:PACKAGE" for name, module in modules.items()})

    with on_the_path(folder):
        yield put


def working(name: str) -> str:
    return f"""
from dataclasses import replace
from engines.contract.package import EnginePackage
from tests.stand_ins.fake_engine import INFO, FakeEngine
INFO = replace(INFO, id={name!r}, title={name.title()!r}, presets=("tone",))
PACKAGE = EnginePackage(INFO, lambda **_: FakeEngine(INFO))
"""


def why(name: str) -> EngineUnavailable:
    refused = availability_look(name)()
    assert refused is not None
    with pytest.raises(EngineUnavailable) as told:
        open_engine(name)
    assert told.value is refused
    return refused


def test_they_stand_behind_ours_by_their_ids_and_open(site):
    site("b-package", {"yodel": working("yodel"), "aria": working("aria")})
    site("a-package", {"murmur": working("murmur")})
    assert engine_ids() == (*OURS, "aria", "murmur", "yodel")
    engine = open_engine("murmur")
    assert engine.info.id == engine_info("murmur").id == "murmur" and availability_look("murmur")() is None
    assert (weights_source("murmur"), engine_sizes("murmur"), engine_releases("murmur")) == (None, (), ())


def test_an_id_of_ours_or_of_another_package_is_refused_on_a_row_of_its_own(site):
    site("My.Voices", {"kokoro": "1 / 0", "aria": working("aria")})
    site("other-voices", {"aria": "1 / 0"})
    rows = ("aria", "refused_my_voices_kokoro", "refused_other_voices_aria")
    assert engine_ids() == (*OURS, *rows)
    for row, package, name in zip(rows[1:], ("My.Voices", "other-voices"), ("kokoro", "aria"), strict=True):
        told = why(row)
        assert told.values == {"sentence": "engine_id_taken", "name": name, "package": package}
        assert package in told.fact and name in told.fact and told.command == f"pip uninstall {package}"
    assert engine_info("kokoro").title == "Kokoro" and open_engine("aria").info.title == "Aria"


@pytest.mark.parametrize("name", ["Loud", "9lives", "my-own", "a.b", "studio", "studio_x", "remote", "remote_gpu", "refused_x", "a" * 41])
def test_an_id_that_no_engine_may_have_is_refused(site, name):
    site("odd", {name: working(name)})
    (row,) = engine_ids()[len(OURS) :]
    assert row.startswith("refused_odd_") and row not in OURS
    assert why(row).values == {"sentence": "engine_id_unfit", "name": name, "package": "odd"}


@pytest.mark.parametrize("name", BROKEN)
def test_a_package_that_is_no_engine_is_told_on_its_row(site, name):
    site("sad-package", {name: BROKEN[name]})
    told, info = why(name), engine_info(name)
    assert told.values == {"sentence": "engine_package_broken", "package": "sad-package"} and "sad-package" in told.fact
    assert (info.id, info.title, info.clones_clips, info.presets) == (name, "sad-package", False, ())


def test_the_studio_speaks_with_what_works_and_shows_what_does_not(site, tmp_path):
    site("good", {"aria": working("aria")})
    site("bad", {"kokoro": "1 / 0", **{name: text for name, text in BROKEN.items() if name in ("absent", "crashing")}})
    environment = {"SPEAKER_SAMPLES_DIR": str(tmp_path / "speakers"), "ARIA_DEVICE": "cpu"}
    studio = Studio(offered_settings(environment))
    try:
        assert studio.settings.engine_settings == {"aria": EngineSettings(device="cpu")}
        rows = {status.info.id: status for status in studio.engines()}
        assert [*rows][-4:] == ["absent", "aria", "crashing", "refused_bad_kokoro"]
        for name in ("absent", "crashing", "refused_bad_kokoro"):
            assert (rows[name].state, rows[name].code) == ("unavailable", "engine_unavailable") and "bad" in rows[name].reason
        assert {"aria", "absent", "refused_bad_kokoro"} <= {card["id"] for card in cards_value(studio)["cards"]}
        assert np.any(studio.say(SpeechBody(input="Hello there.", model="aria"), Timeline()).read_all())
        with pytest.raises(EngineUnavailable):
            studio.say(SpeechBody(input="Hello there.", model="crashing"), Timeline())
        with pytest.raises(EngineUnknown):
            studio.engine_info("nobody")
    finally:
        studio.close()
