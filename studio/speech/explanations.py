"""explained: what goes wrong with a request, as its sender can mend it."""

from collections.abc import Callable, Collection, Iterable

from engines.contract.contract import EngineInfo
from engines.errors import CallerMistake, ClipsUnsupported, EmbeddingUnusable, PresetUnknown
from studio.errors import RequestInvalid, SpeakerRequired, SpeakerUnknown, WordsMissing
from studio.prompts.status import clips_untaken
from studio.speech.refusal import nearest_hint, refusal_of
from studio.speech.request import DEFAULT_SPEAKER, SpeakerRequest

__all__ = ["explained"]

MOST_SHOWN = 50
EMBEDDING_UNTAKEN = "embedding_untaken"  # by an engine that takes no speaker embeddings at all (Engine.embed)
ALIAS_SET = "Let {name!r} stand for a voice that there is: on the page, in Voices, or by STUDIO_VOICE_ALIASES={name}=VOICE."
NAMED_BY_UPLOAD = " Or upload a recording under this name, and it speaks."  # for who cannot ask for another one


def explained(
    error: CallerMistake,
    request: SpeakerRequest,
    info: EngineInfo,
    names: Callable[[], Iterable[str]],
    engines: Collection[EngineInfo],
) -> CallerMistake:
    """What the studio raised about a request, as its sender can mend it: which voices there are, which engines do, which field was wrong.

    names: of the stored speakers. engines: all on offer.
    """
    if isinstance(error, SpeakerUnknown | PresetUnknown):
        hint = error.hint  # of a voice that another engine has
        if isinstance(error, SpeakerUnknown):
            hint = nearest_hint(error) + ("" if error.nearest else f" {ALIAS_SET.format(name=error.name)}{NAMED_BY_UPLOAD}")
        return RequestInvalid.instead_of(error, _known_ones(request.speaker or "", info, names), "voice", hint)
    if isinstance(error, SpeakerRequired):
        hint = f"{error.hint} {ALIAS_SET.format(name=request.alias)}" if request.alias else error.hint
        return RequestInvalid.instead_of(error, _reference_wanted(info), "voice", hint)
    is_of_embedding = isinstance(error, EmbeddingUnusable) and error.values.get("sentence") == EMBEDDING_UNTAKEN
    if is_of_embedding and request.speaker is not None and info.embedding_size is None:
        fact = f"Uploaded voice '{request.speaker}' uses a speaker embedding (Qwen3-only). Re-upload with an audio file for this model."
        return RequestInvalid.instead_of(error, fact, "voice", error.hint)
    if isinstance(error, WordsMissing):
        kept = f", or upload it again as '{error.name}' with 'ref_text', which keeps it" if error.name else ""
        hint = f"Send what is said in the recording as 'ref_text', word for word{kept}."
        return RequestInvalid.instead_of(error, refusal_of(error).message, "ref_text", hint)
    return _explained_clip(error, request, info, engines) if error.parameter == "clip" else error


def _explained_clip(error: CallerMistake, request: SpeakerRequest, info: EngineInfo, engines: Collection[EngineInfo]) -> CallerMistake:
    """The same for a recording that is unusable, that of the request or the stored one."""
    field = "ref_audio" if request.clip is not None else "voice"
    if isinstance(error, ClipsUnsupported):  # the engine's own reason, with the engines that learn from recordings
        utterance = error if "sentence" in error.values else clips_untaken(info, engines)
        takers = ", ".join(engine.id for engine in engines if engine.clones_clips)
        hint = f"{error.hint} Engines that learn from recordings: {takers}." if takers else utterance.hint
        return RequestInvalid.instead_of(utterance, error.fact, field, hint)
    return error if field == "ref_audio" else RequestInvalid.instead_of(error, refusal_of(error).message, field, error.hint)


def _known_ones(name: str, info: EngineInfo, names: Callable[[], Iterable[str]]) -> str:
    if not info.presets:
        return (
            f"Unknown voice '{name}'. {info.title} has no built-in speakers. "
            "Upload a voice first via POST /v1/audio/voices, or use ref_audio + ref_text."
        )
    default = () if info.default_preset is None else (DEFAULT_SPEAKER,)
    known = sorted({*default, *(name.lower() for name in (*info.presets, *names()))})
    shown = ", ".join(known[:MOST_SHOWN]) + (", ..." if len(known) > MOST_SHOWN else "")
    return f"Invalid voice '{name}'. Supported: {shown}"


def _reference_wanted(info: EngineInfo) -> str:
    if info.presets:
        return "Either 'voice' (preset speaker) or 'ref_audio' (voice cloning) must be provided"
    return f"{info.title} requires 'ref_audio' (reference audio for voice cloning)"
