"""Where in eSpeak's speech each stretch of its text is heard: by its events of words, which come with the phones."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from engines.kit.phonemes.espeak_library import SILENCE, EspeakSpeech
from engines.kit.signal.spectrum import SAMPLE_RATE

__all__ = ["HeardStretch", "heard_stretches"]

LEAST_SILENCE_SAMPLES = round(0.05 * SAMPLE_RATE)  # between words; a shorter one is the closure of the stop that follows
# Scripts without blanks, of which eSpeak tells the characters apart.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True)
class HeardStretch:
    """text[start:end] is heard in samples [start_samples, end_samples), the silence around it left out.

    A word as a rule; several where eSpeak says them as one, and all of a number.
    """

    start: int
    end: int
    start_samples: int
    end_samples: int


def heard_stretches(speech: EspeakSpeech) -> list[HeardStretch]:
    """In order, of a speech that is complete. Their places in the text do not overlap, and hold all of its words but those before the
    first that has an event."""
    begun = _begun(speech)
    silent = [(start, end) for (start, name), end in zip(speech.phones, _ends(speech), strict=True) if name == SILENCE]
    starts = [_sounding(sample, silent) for _, sample in begun]
    found = []
    for number, (at, _) in enumerate(begun):
        is_last = number == len(begun) - 1
        until = len(speech.text) if is_last else begun[number + 1][0]
        next_sample = len(speech.samples) if is_last else starts[number + 1]
        end = at + len(speech.text[at:until].rstrip())
        if end > at and next_sample > starts[number]:
            found.append(HeardStretch(at, end, starts[number], _silent_from(starts[number], next_sample, silent, is_last=is_last)))
    return found


def _begun(speech: EspeakSpeech) -> list[tuple[int, int]]:
    """(place in the text, sample) where a stretch begins: at a word's first event, or at a character of a script without blanks.

    A number has many events, of which all but the first have places within it.
    """
    tokens = [match.start() for match in re.finditer(r"\S+", speech.text)]
    begun: list[tuple[int, int]] = []
    last_token = -1
    for sample, position, _ in speech.words:
        at = position - 1
        token = bisect_right(tokens, at) - 1
        is_new_token = token > last_token
        if token < 0 or (begun and at <= begun[-1][0]) or not (is_new_token or _is_unspaced(speech.text[at - 1 : at + 1])):
            continue
        begun.append((tokens[token] if is_new_token else at, sample))
        last_token = token
    return begun


def _is_unspaced(pair: str) -> bool:
    """Whether a character or the one before it is of a script without blanks."""
    return _UNSPACED.search(pair) is not None


def _ends(speech: EspeakSpeech) -> list[int]:
    return [*(start for start, _ in speech.phones[1:]), len(speech.samples)][: len(speech.phones)]


def _sounding(sample: int, silent: list[tuple[int, int]]) -> int:
    """The sample, or the end of the silence that it lies in."""
    at = bisect_right(silent, (sample, 1 << 62)) - 1
    return silent[at][1] if at >= 0 and silent[at][1] > sample else sample


def _silent_from(start: int, until: int, silent: list[tuple[int, int]], *, is_last: bool) -> int:
    """Where the silence begins that ends at `until`, be it long enough to be one between words; else `until`."""
    at = bisect_left(silent, (until, 0)) - 1
    if at < 0 or silent[at][1] < until or silent[at][0] <= start:
        return until
    return silent[at][0] if is_last or until - silent[at][0] >= LEAST_SILENCE_SAMPLES else until
