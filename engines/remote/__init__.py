"""A speech server elsewhere as an engine: vLLM-Omni, another studio, or any server with OpenAI's protocol. Importing this opens nothing."""

from collections.abc import Mapping
from dataclasses import replace

from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Option, Value, bool_option, int_option, text_option
from engines.contract.package import EnginePackage, Progress
from engines.errors import EngineUnavailable, OptionInvalid
from engines.remote.addresses import base_addresses, host_of
from engines.remote.languages import CODES
from engines.remote.options import LANGUAGE, LOAD_OPTIONS, OPENAI, OPENAI_OPTIONS, VLLM_OMNI_OPTIONS

__all__ = ["PACKAGE"]

_INFO = EngineInfo(
    id="remote",
    title="Remote",
    summary="Speech from a server elsewhere, in the voice of a recording, where its model clones voices.",
    licenses=(License("The licence of the server's model"),),
    sample_rate=24_000,
    streams="chunk",
    transcript="optional",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=CODES,
    options=VLLM_OMNI_OPTIONS,
    most_text_characters=1_000,  # a minute of speech: models behind vLLM-Omni, which cuts no text, end what is much longer
    load_options=LOAD_OPTIONS,
    reads=("numbers",),  # who serves the model knows it
    runs="elsewhere",
    is_deterministic=False,
)
_PRESETS_ALONE = "Speech from a server elsewhere, in its own voices."


def _info_of(info: EngineInfo, checkpoint: str | None, settings: Mapping[str, Value]) -> EngineInfo:
    """What is declared of these servers before anybody asked them. Raises OptionInvalid."""
    addresses = base_addresses(checkpoint) if checkpoint else ()
    _check(info, settings)
    is_plain = settings["dialect"] == OPENAI
    languages, presets = _listed(settings["languages"]) or CODES, _listed(settings["presets"])
    names = [text_option(settings, "model"), *map(host_of, addresses[:1])]
    return replace(
        info,
        title=text_option(settings, "title") or ": ".join(["Remote", *list(filter(None, names))[:1]]),
        summary=_PRESETS_ALONE if is_plain else info.summary,
        sample_rate=int_option(settings, "sample_rate"),
        transcript="unused" if is_plain else settings["transcript"],
        languages=languages,
        options=OPENAI_OPTIONS if is_plain else tuple(_in_languages(option, languages) for option in VLLM_OMNI_OPTIONS),
        clones_clips=not is_plain,
        presets=presets,
        default_preset=presets[0] if presets else None,
        leaves_traces=bool_option(settings, "inline") and not is_plain,
    )


def _check(info: EngineInfo, settings: Mapping[str, Value]) -> None:
    key = text_option(settings, "key")
    if not key.isascii() or any(character.isspace() for character in key):
        raise OptionInvalid("key", sentence="remote_key_unsendable", detail="a header takes ASCII without blanks")
    if settings["dialect"] == OPENAI and not settings["model"]:
        setting = f"{info.id.upper()}_MODEL"
        raise OptionInvalid("model", sentence="remote_model_unset", setting=setting)


def _listed(said: Value) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (part.strip() for part in str(said).split(",")))))


def _in_languages(option: Option, languages: tuple[str, ...]) -> Option:
    return replace(option, choices=languages) if option == LANGUAGE else option


def _open(
    name: str = "remote",
    checkpoint: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    progress: Progress | None = None,
    **settings: Value,
) -> Engine:
    """The engine `name` on servers at the addresses that `checkpoint` says; device and dtype are theirs to choose.

    Raises OptionInvalid, EngineUnreachable where no server answers, EngineUnavailable where none serves the model or takes the key, and
    EngineFailed where the ledger cannot be written.
    """
    from engines.remote.engine import RemoteEngine
    from engines.remote.refusals import Refusals

    if device is not None or dtype is not None:
        said = str(device if device is not None else dtype)
        detail = "a speech server computes where and as precisely as it was started to"
        raise EngineUnavailable(sentence="device_unusable" if device is not None else "dtype_unusable", detail=detail, name=said)
    addresses = base_addresses(checkpoint)
    info = _info_of(replace(_INFO, id=name), checkpoint, settings)
    with Refusals(info, "", "").of_the_disk():
        return RemoteEngine(info, addresses, settings)


PACKAGE = EnginePackage(_INFO, _open, info_of=_info_of)
