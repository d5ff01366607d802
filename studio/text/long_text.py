"""Long text: cuts a text that is too long for an engine into parts. They are spoken one after the other as one stream; no word is missing.

What of it an engine is given, and what is left out, tells spoken_text: the way that every door and the preview go.
Speaking time is about how long a text will be heard, by its script and by what was asked of its pace.
"""

from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np

from engines.contract.contract import ENDED, Engine, EngineInfo, HeardOut, SpeechEnd
from engines.contract.options import Option, Value
from engines.contract.prompt import SpeakerPrompt
from engines.errors import TextUnspeakable
from engines.text.spoken_length import spoken_seconds
from engines.text.text_splitter import split_text
from studio.errors import NoAudio, NothingSpoken, TextMissing
from studio.text.markup import CleanText, clean_text, shown_marks

__all__ = [
    "DURATION",
    "asked_seconds",
    "check_text",
    "end_of_parts",
    "estimated_seconds",
    "left_out_words",
    "parts_of",
    "repeated_seconds",
    "seed_of_part",
    "shared_out",
    "spoken_in_turn",
    "spoken_text",
]

SHOWN_CHARACTERS = 60  # of a part, in a message
SEED = "seed"
# The golden gamma of Steele et al. 2014, "Fast splittable pseudorandom number generators": odd, so that no two parts share one of 2^n.
SEED_STEP = 0x9E3779B97F4A7C15


def check_text(text: str, most_characters: int) -> None:
    """Raises TextMissing, and TextUnspeakable for a text that is too long."""
    if not text.strip():
        raise TextMissing
    if len(text) > most_characters:
        fact, n = f"The text has {len(text)} characters; the limit is {most_characters}.", len(text)
        raise TextUnspeakable(fact, "Send it in several requests.", sentence="text_too_long", n=n, most=most_characters)


def parts_of(text: str, info: EngineInfo, most_characters: int) -> tuple[str, ...]:
    """What the engine is given: the text as it is, else as much at a time as it takes. Where pieces of it begin, the engine decides.

    most_characters: of the whole text. Raises TextUnspeakable.
    """
    check_text(text, most_characters)
    if len(text) > info.most_text_characters:
        return split_text(text, "none", most_characters=info.most_text_characters)
    return (text,)


def spoken_in_turn(
    engine: Engine, parts: tuple[str, ...], prompt: SpeakerPrompt, options: Mapping[str, Value]
) -> Generator[np.ndarray, None, SpeechEnd]:
    """The chunks (T,) float32 of all parts, each in the same prompt and with options of its own; returns how they ended (`end_of_parts`).

    A part without audio ends it: half a text must not pass for a whole one. Raises NoAudio.
    """
    ends = []
    for part, own in zip(parts, _options_of(engine.info.options, parts, options), strict=True):
        with closing(engine.stream(part, prompt, own)) as chunks:
            heard_out, heard = HeardOut(chunks), False
            for chunk in heard_out:
                heard = heard or len(chunk) > 0
                yield chunk
            if not heard:
                title, shown = engine.info.title, part[:SHOWN_CHARACTERS]
                raise NoAudio(f"{title} produced no audio for {shown!r}.", "Try another text.", engine=title)
        ends.append(heard_out.end)
    return end_of_parts(ends)


def seed_of_part(option: Option, seed: int, index: int) -> int:
    """(seed + index * SEED_STEP) within the option's bounds, modulo their number: part 0 has the seed that was asked for.

    With one seed for all, parts that begin with the same words would begin with the same sounds.
    """
    least, most = int(option.minimum), int(option.maximum)
    return least + (seed - least + index * SEED_STEP) % (most - least + 1)


def _options_of(schema: Sequence[Option], parts: Sequence[str], options: Mapping[str, Value]) -> Iterator[Mapping[str, Value]]:
    """Those of each part: a seed of its own, and its share of a duration that was asked for."""
    known = {option.name: option for option in schema}
    shares = shared_out(options[DURATION], parts) if DURATION in known else ()
    for index in range(len(parts)):
        own = {SEED: seed_of_part(known[SEED], options[SEED], index)} if SEED in known else {}
        yield {**options, **own} | ({DURATION: shares[index]} if shares else {})


def end_of_parts(ends: Sequence[SpeechEnd]) -> SpeechEnd:
    """The first that was not a plain end, with the number of its part where there are several; else ENDED."""
    for number, end in enumerate(ends, start=1):
        if end.reason != ENDED.reason:
            return end if len(ends) == 1 else replace(end, warning=f"Part {number} of {len(ends)}: {end.warning}")
    return ENDED


# --- what is spoken


def spoken_text(text: str, info: EngineInfo, most_characters: int) -> CleanText:
    """The text without markup that the engine does not obey. most_characters: of the text as it was written.

    Raises TextMissing, TextUnspeakable, and NothingSpoken where there is no word beside what is left out.
    """
    check_text(text, most_characters)
    cleaned = clean_text(text, info.markup)
    if cleaned.left_out and not any(character.isalnum() for character in cleaned.text):
        raise NothingSpoken(info.title, ", ".join(shown_marks(cleaned.left_out)))
    return cleaned


def left_out_words(left_out: Sequence[str], title: str) -> str:
    """The sentence about it, for people; "" where nothing was left out. title: of the engine."""
    if not left_out:
        return ""
    return f"Left out, since {title} does not understand it: {', '.join(shown_marks(left_out))}."


# --- speaking time


SPEED = "speed"
DURATION = "duration"  # an engine's own option: seconds of the speech, whatever its speed; 0 where the text decides


def asked_seconds(options: Mapping[str, Value], own: Container[str]) -> float | None:
    """How long the speech was asked to be, None where nobody said.

    options: the engine's and `speed`. own: names of the engine's; where speed is none of them, the speech is stretched afterwards.
    """
    seconds = float(options.get(DURATION) or 0.0) if DURATION in own else 0.0
    if seconds <= 0:
        return None
    return seconds if SPEED in own else seconds / _speed(options)


def estimated_seconds(text: str, options: Mapping[str, Value], own: Container[str]) -> float:
    """As long as was asked for, else an estimate, good to about a third."""
    asked = asked_seconds(options, own)
    return spoken_seconds(text) / _speed(options) if asked is None else asked


def repeated_seconds(seconds: float, options: Mapping[str, Value]) -> float:
    """Of recorded speech that lasts so long, said again: no option but its speed changes that."""
    return seconds / _speed(options)


def shared_out(seconds: float, parts: Sequence[str]) -> list[float]:
    """What of so many seconds for all parts is each one's, by its length; nothing of none."""
    lengths = [spoken_seconds(part) for part in parts]
    whole = sum(lengths)
    return [seconds * length / whole if whole else seconds / len(parts) for length in lengths]


def _speed(options: Mapping[str, Value]) -> float:
    return float(options.get(SPEED) or 1.0)
