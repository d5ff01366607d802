"""Texts as people bring them, read, spoken by the embedded engine and heard: words, and silences where they were to be.

`python -m studio.measure.reading.texts` hears those of texts/, or the files that are named. A name begins with its language: en_menu.txt.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from engines.catalog import engine_ids, engine_info
from studio.analysis.heard_words import word_errors
from studio.measure.reading.hearer import HeardSilence, Hearer, heard_silences
from studio.reading.parts import Reading
from studio.reading.reader import Manner, read

__all__ = ["TEXTS", "found_silences"]

TEXTS = Path(__file__).with_name("texts")
CLOSE_SECONDS = 0.05  # by which a silence may be longer or shorter than was asked


def found_silences(asked: Sequence[float], heard: Sequence[HeardSilence]) -> int:
    """How many of those that were asked for are heard, in their order; the voice is silent between sentences too."""
    found, at = 0, 0
    for seconds in asked:
        near = (number for number in range(at, len(heard)) if abs(heard[number].seconds - seconds) <= CLOSE_SECONDS)
        if (number := next(near, None)) is not None:
            found, at = found + 1, number + 1
    return found


def _asked(reading: Reading) -> list[float]:
    return [piece.pause for piece in reading.pieces[:-1]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each text."""
    parser = argparse.ArgumentParser(description="Texts as people bring them, read, spoken and heard.")
    parser.add_argument("files", nargs="*", type=Path, help="default: those of this folder")
    hearer, info = Hearer(), engine_info(engine_ids()[0])
    print(f"{'text':20}{'characters':>12}{'pieces':>8}{'silences':>10}{'heard':>8}{'words':>8}{'wrong':>8}  left out")
    for file in parser.parse_args(arguments).files or sorted(TEXTS.iterdir()):
        text, language = file.read_text(encoding="utf-8"), file.name[:2]
        reading = read(text, info, Manner(language))
        clip = hearer.speak(reading, language)
        wrong, n_words = word_errors(reading.text, hearer.words(clip, language), language)
        asked = _asked(reading)
        counts = f"{len(text):12}{len(reading.pieces):8}{len(asked):10}{found_silences(asked, heard_silences(clip)):8}"
        print(f"{file.name:20}{counts}{n_words:8}{wrong:8}  {len(reading.told_marks)}", flush=True)


if __name__ == "__main__":
    main()
