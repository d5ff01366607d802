"""Speech from random weights, which has no words. Here are the options that make an engine speak as long as needed."""

from collections.abc import Mapping

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine
from engines.contract.options import Value, resolve_options
from engines.contract.prompt import SpeakerPrompt

__all__ = ["drawn_speech_options", "prompt_from"]

# Noise may be silent, repeat itself and never end: none of it is a fault here, and no silence may be cut out.
UNGUARDED = {"runaway_guard": False, "postprocess_output": False}


def drawn_speech_options(engine: Engine, **given: Value) -> Mapping[str, Value]:
    """The engine's options for such speech, complete; of what is given, as far as the engine knows it."""
    known = {option.name for option in engine.info.options}
    asked = {name: value for name, value in (UNGUARDED | given).items() if name in known}
    return resolve_options(engine.info.options, asked)


def prompt_from(engine: Engine, clip: Clip, words: Transcript) -> SpeakerPrompt:
    """Of the clip, with its words where the engine wants any; of a built-in speaker where it learns none."""
    if engine.info.clones_clips:
        return engine.extract(clip, None if engine.info.transcript == "unused" else words)
    return engine.preset(engine.info.default_preset or engine.info.presets[0])
