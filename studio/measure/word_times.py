"""How right word times are: what an engine marks against silences in its sound, and what is found in the sound against the marks.

python -m studio.measure.word_times ENGINE TEXTS LANGUAGE...: TEXTS is a folder of files such as en.txt, a sentence a line.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from engines import catalog
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.word_marks import WordMark, listened
from engines.kit.alignment.word_alignment import align_words

__all__ = ["WordTimeErrors", "main"]

N_SENTENCES = 25  # of a language
FRAME_SECONDS, QUIET_DB, LEAST_SILENCE_SECONDS, NEAR_SECONDS = 0.005, -35.0, 0.06, 0.15


@dataclass
class WordTimeErrors:
    """Signed seconds. onsets, offsets: of marks beside a silence, against its end and beginning. starts, ends: of found words."""

    onsets: list[float] = field(default_factory=list)
    offsets: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    plain_seconds: float = 0.0
    marked_seconds: float = 0.0

    def __str__(self) -> str:
        told = [f"{name} {_told(getattr(self, name))}" for name in ("onsets", "offsets", "starts", "ends")]
        return " | ".join([*told, f"time with marks / without {self.marked_seconds / max(1e-9, self.plain_seconds):.3f}"])


def _told(errors: Sequence[float]) -> str:
    if not errors:
        return "-"
    size, bias = np.abs(errors) * 1000, np.median(errors) * 1000
    return f"n {len(size)} mean {size.mean():.0f} median {np.median(size):.0f} bias {bias:+.0f} p90 {np.percentile(size, 90):.0f} ms"


def measure(engine: Engine, sentences: Sequence[str], language: str, found: WordTimeErrors) -> None:
    """Adds what these sentences show."""
    assert engine.info.default_preset is not None
    prompt, rate = engine.preset(engine.info.default_preset), engine.info.sample_rate
    given = {"language": language}
    for sentence in sentences:
        options = resolve_options(engine.info.options, given)
        begun = time.process_time()
        plain = np.concatenate(list(engine.stream(sentence, prompt, options)))
        between, marks = time.process_time(), []
        samples = np.concatenate(list(listened(engine.stream(sentence, prompt, options), marks.append)))
        found.plain_seconds += between - begun
        found.marked_seconds += time.process_time() - between
        assert np.array_equal(plain, samples)
        for start, end in _silences(samples, rate):
            _compare_silence(marks, start, end, rate, found)
        aligned = align_words(samples, rate, sentence, language).stretches
        firsts, lasts = {one.start: one for one in aligned}, {one.end: one for one in aligned}
        found.starts += [firsts[mark.start].start_seconds - mark.start_samples / rate for mark in marks if mark.start in firsts]
        found.ends += [lasts[mark.end].end_seconds - mark.end_samples / rate for mark in marks if mark.end in lasts]


def _compare_silence(marks: Sequence[WordMark], start: float, end: float, rate: int, found: WordTimeErrors) -> None:
    """Of the two words around it, where both are near."""
    for before, after in pairwise(marks):
        off, on = before.end_samples / rate - start, after.start_samples / rate - end
        if max(abs(off), abs(on)) < NEAR_SECONDS:
            found.offsets.append(off)
            found.onsets.append(on)


def _silences(samples: np.ndarray, rate: int) -> Iterator[tuple[float, float]]:
    """(start, end) in seconds, within the sound."""
    size = round(FRAME_SECONDS * rate)
    frames = samples[: len(samples) // size * size].reshape(-1, size).astype(np.float64)
    levels = 10 * np.log10((frames**2).mean(1) + 1e-12)
    loud = np.flatnonzero(levels > np.percentile(levels, 95) + QUIET_DB)
    for at, following in pairwise(loud):
        if (following - at - 1) * FRAME_SECONDS >= LEAST_SILENCE_SECONDS:
            yield (at + 1) * FRAME_SECONDS, following * FRAME_SECONDS


def main(arguments: Sequence[str]) -> None:
    """arguments: an engine, a folder of texts, and languages, each the name of a file there."""
    name, folder, *languages = arguments
    engine, total = catalog.open_engine(name), WordTimeErrors()
    for language in languages:
        found = WordTimeErrors()
        lines = [line for line in (Path(folder) / f"{language}.txt").read_text("utf-8").splitlines() if line.strip()]
        measure(engine, lines[:N_SENTENCES], language, found)
        print(language, found, flush=True)
        for kind in ("onsets", "offsets", "starts", "ends"):
            getattr(total, kind).extend(getattr(found, kind))
        total.plain_seconds, total.marked_seconds = total.plain_seconds + found.plain_seconds, total.marked_seconds + found.marked_seconds
    print("all", total)


if __name__ == "__main__":
    main(sys.argv[1:])
