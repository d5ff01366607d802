"""notes_of: what is to be known beside findings: what is lacking, what the recognizer mishears, whom it holds for."""

from collections.abc import Iterator

from studio.evaluations.plan.evaluation import WordFloor
from studio.evaluations.statistics.crossed_mean import FEWEST_VOICES
from studio.evaluations.statistics.lines import Evidence
from studio.words.line import Line

__all__ = ["floor_of", "notes_of"]

FEW_TEXTS = 10  # of one language: ranges of fewer say little
SOME_VOICES = 8  # of fewer, how much systems differ from voice to voice is hardly known, and ranges are wide
HUNDRED = 100.0


def notes_of(evidence: Evidence) -> tuple[Line, ...]:
    """What is missing first."""
    return (*_missing(evidence), *_of_words(evidence), *_scope(evidence))


def floor_of(floor: WordFloor) -> float | None:
    """Wrong words in a hundred: as measured here, else as published; None where nobody knows."""
    found = floor.published if floor.measured is None else floor.measured
    return None if found is None else HUNDRED * found


def _missing(evidence: Evidence) -> Iterator[Line]:
    data = evidence.table.data
    n_cells = data.evaluation.n_cells or len(data.cells)
    if len(data.cells) < n_cells:
        yield Line("note_unfinished", {"n": len(data.cells), "all": n_cells})
    n_unmeasured = sum(cell.measures is None and cell.said.sound is not None for cell in data.cells)
    if n_unmeasured:
        yield Line("note_unmeasured", {"n": n_unmeasured})
    is_of_toys = all(system.is_toy for system in evidence.systems)
    if is_of_toys:
        yield Line("note_only_toys")
    for system in evidence.systems:
        if system.is_toy and not is_of_toys:
            yield Line("note_toy", {"name": system.label})
        if system.n_refused:
            yield Line("note_refused", {"name": system.label, "n": system.n_refused, "all": system.n + system.n_refused})
        if system.n_warned:
            yield Line("note_warned", {"name": system.label, "n": system.n_warned})


def _of_words(evidence: Evidence) -> Iterator[Line]:
    if "wrong_words" not in evidence.table.figures:
        return
    known = [(floor.language, round(found, 1)) for floor in evidence.table.data.floors if (found := floor_of(floor)) is not None]
    if len(known) == 1:
        yield Line("note_floor", {"floor": known[0][1]})
    elif known:
        yield Line("note_floors", {"floors": known})
    counted = evidence.words_of(evidence.table.languages)
    if counted != "words":
        languages = [language for language in evidence.table.languages if language in evidence.table.character_languages]
        yield Line("note_characters" if counted == "characters" else "note_words_and_characters", {"codes": languages})


def _scope(evidence: Evidence) -> Iterator[Line]:
    texts = {cell.key.text for cell in evidence.table.data.cells}
    if not evidence.means:
        return
    if len(texts) == 1:
        yield Line("note_one_text")
    elif len(texts) < FEW_TEXTS * max(1, len(evidence.table.languages)):
        yield Line("note_few_texts", {"n": len(texts)})
    if evidence.n_voices == 1:
        yield Line("note_one_voice")
    elif evidence.n_voices < FEWEST_VOICES:
        yield Line("note_few_voices", {"n": evidence.n_voices, "least": FEWEST_VOICES})
    elif evidence.n_voices < SOME_VOICES:
        yield Line("note_some_voices", {"n": evidence.n_voices, "enough": SOME_VOICES})
    n_compared = len(evidence.pairs) + len(evidence.language_pairs)
    if n_compared:
        yield Line("note_counted", {"n": n_compared})
    if {"ttfp_ms", "rtf"} & set(evidence.table.figures):
        yield Line("note_speed")
