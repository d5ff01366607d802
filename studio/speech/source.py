"""Whose voice a request means: its recording, its embedding, a stored speaker, or one of the engine's own."""

import secrets
from collections.abc import Mapping

from engines.contract import EngineInfo
from engines.errors import PresetUnknown
from studio.errors import SpeakerRequired, SpeakerUnknown
from studio.prompts.source import PromptSource, from_clip, from_embedding, from_preset, from_speaker
from studio.speakers.shelf import Shelf
from studio.speakers.speaker import Speaker, speaker_key
from studio.speech.request import SpeechRequest
from studio.workspace import NOBODY

__all__ = ["DEFAULT_SPEAKER", "source_of"]

DEFAULT_SPEAKER = "default"  # what OpenAI clients send when they mean "no particular voice"


def source_of(request: SpeechRequest, info: EngineInfo, shelf: Shelf, engines: Mapping[str, EngineInfo]) -> PromptSource:
    """Inline audio beats a name; a name is a preset or a stored speaker; no name is the engine's default preset.

    shelf: of whoever asks. engines: all of them, by id. Raises SpeakerUnknown, PresetUnknown, SpeakerRequired.
    """
    if request.clip is not None:
        return from_clip(request.clip, request.transcript, _scope_of(shelf))
    if request.embedding is not None:
        return from_embedding(request.embedding, _scope_of(shelf))
    name = request.speaker
    if name is not None:
        presets = {speaker_key(preset): preset for preset in info.presets}
        if speaker_key(name) in presets:
            return from_preset(presets[speaker_key(name)])
        if speaker_key(name) != DEFAULT_SPEAKER:
            return from_speaker(_stored(name, info, shelf, engines), request.transcript)
    if info.default_preset is None:
        hint = "Name a speaker, or send a recording."
        raise SpeakerRequired(f"{info.title} has no voice of its own.", hint, engine=info.title)
    return from_preset(info.default_preset)


def _scope_of(shelf: Shelf) -> str:
    """Whose inline recordings these are. What nobody sent is learned anew each time: strangers may share nothing, not even a cache."""
    return f"{NOBODY}{secrets.token_hex(8)}" if shelf.workspace == NOBODY else shelf.workspace


def _stored(name: str, info: EngineInfo, shelf: Shelf, engines: Mapping[str, EngineInfo]) -> Speaker:
    try:
        return shelf.get(name)
    except SpeakerUnknown:
        owner = next((other.id for other in engines.values() if speaker_key(name) in map(speaker_key, other.presets)), None)
        if owner is None:
            raise
        fact, hint = f"{name!r} is a built-in speaker of {owner}, not of {info.id}.", f"Choose the engine {owner}."
        title = engines[owner].title
        raise PresetUnknown(fact, hint, sentence="preset_of_another", name=name, engine=info.title, other=title) from None
