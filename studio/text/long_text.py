"""A text that an engine does not speak at one go: in parts, one after the other, as one stream in which no word is missing."""

from collections.abc import Iterator, Mapping
from contextlib import closing

import numpy as np

from engines.contract import Engine, EngineInfo
from engines.errors import TextUnspeakable
from engines.options import Value
from engines.prompt import SpeakerPrompt
from engines.text_splitter import split_text
from studio.errors import NoAudio, TextMissing

__all__ = ["parts_of", "spoken_in_turn"]

SHOWN_CHARACTERS = 60  # of a part, in a message


def parts_of(text: str, info: EngineInfo, most_characters: int) -> tuple[str, ...]:
    """What the engine is given: sentences where it hands out nothing before its text is done, else as much at a time as it takes.

    most_characters: of the whole text. Raises TextUnspeakable.
    """
    if not text.strip():
        raise TextMissing
    if len(text) > most_characters:
        raise TextUnspeakable(f"The text has {len(text)} characters; the limit is {most_characters}.", "Send it in several requests.")
    if info.streams == "sentence":
        return split_text(text, "sentence", most_characters=info.most_text_characters)
    if len(text) > info.most_text_characters:
        return split_text(text, "none", most_characters=info.most_text_characters)
    return (text,)


def spoken_in_turn(engine: Engine, parts: tuple[str, ...], prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
    """The chunks (T,) float32 of all parts. A part without audio ends it: half a text must not pass for a whole one. Raises NoAudio."""
    for part in parts:
        with closing(engine.stream(part, prompt, options)) as chunks:
            heard = False
            for chunk in chunks:
                heard = heard or len(chunk) > 0
                yield chunk
            if not heard:
                raise NoAudio(f"{engine.info.title} produced no audio for {part[:SHOWN_CHARACTERS]!r}.", "Try another text.")
