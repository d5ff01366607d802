"""Speaking time: about how long a text will be heard, by its script and by what was asked of its pace."""

from collections.abc import Container, Mapping, Sequence

from engines.contract.options import Value
from engines.text.spoken_length import spoken_seconds
from studio.reading.parts import Reading

__all__ = ["DURATION", "asked_seconds", "estimated_seconds", "reading_seconds", "repeated_seconds", "shared_out"]

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


def reading_seconds(reading: Reading, options: Mapping[str, Value], own: Container[str]) -> float:
    """Of a text as it is read, silences included."""
    asked = asked_seconds(options, own)
    return estimated_seconds(reading.text, options, own) + reading.silence_seconds if asked is None else asked


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
