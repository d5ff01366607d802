"""QualityRow: the estimates for one speech or recording. Also the table and the means of many rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

__all__ = ["COLUMNS", "COPY", "MEAN", "RECORDING", "SOURCE", "QualityRow", "RowFigures", "mean_row", "quality_summary", "quality_table"]

COLUMNS = (
    "engine", "voice", "text", "DistillMOS", "DNSMOS", "likeness", "impostor", "of four", "impostor of four", "second of four",
    "second impostor", "AHS", "cepstral mean", "WER", "LUFS", "TTFP ms", "RTF", "learned s",
)  # fmt: skip
FIGURES = (
    "distillmos", "dnsmos", "likeness", "impostor", "likeness_of_four", "impostor_of_four", "second_of_four", "second_impostor_of_four",
    "ahs_of_four", "cepstral_mean_of_four", "word_error_rate", "lufs", "ttfp_seconds", "rtf", "extraction_seconds",
)  # fmt: skip
MEAN = "mean"
# Under "engine", of what no engine said: the person's own recordings, these through the embedded engine's vocoder, and its source speech.
RECORDING, COPY, SOURCE = "recording", "copy", "source"


class RowFigures(TypedDict, total=False):
    """What judges find out, by the names of a row's fields."""

    distillmos: float | None
    dnsmos: float | None
    likeness: float | None
    impostor: float | None
    impostor_name: str
    likeness_of_four: float | None
    impostor_of_four: float | None
    second_of_four: float | None
    second_impostor_of_four: float | None
    ahs_of_four: float | None
    cepstral_mean_of_four: float | None
    word_error_rate: float | None
    lufs: float | None
    heard: str | None


@dataclass(frozen=True)
class QualityRow:
    """One speech; of a whole voice where `text` is "mean". Fields are None where they cannot be had.

    engine: RECORDING, COPY or SOURCE for what stands beside the clones. text: language and number. likeness: cosine with other recordings
    of the person. impostor: the largest cosine with those of another person, who is impostor_name. likeness_of_four, impostor_of_four: the
    same of all that the voice says in the language, four speeches heard as one, since a few seconds tell a voice less surely.
    second_of_four, second_impostor_of_four: the same by an encoder that no loss knows. ahs_of_four, cepstral_mean_of_four: distances from
    the person's other recordings by cepstra, see `CepstralDistance`.
    ttfp_seconds: until the first samples. rtf: computing time over audio. extraction_seconds: to learn the voice. refused: why the engine
    would not.
    """

    engine: str
    voice: str
    text: str
    language: str = ""
    distillmos: float | None = None
    dnsmos: float | None = None
    likeness: float | None = None
    impostor: float | None = None
    impostor_name: str = ""
    likeness_of_four: float | None = None
    impostor_of_four: float | None = None
    second_of_four: float | None = None
    second_impostor_of_four: float | None = None
    ahs_of_four: float | None = None
    cepstral_mean_of_four: float | None = None
    word_error_rate: float | None = None
    lufs: float | None = None
    ttfp_seconds: float | None = None
    rtf: float | None = None
    extraction_seconds: float | None = None
    heard: str | None = None
    refused: str = ""

    def as_cells(self) -> tuple[str, ...]:
        """In the order of COLUMNS."""
        impostor = f"{_shown(self.impostor, 2)} ({self.impostor_name})" if self.impostor_name else "-"
        milliseconds = None if self.ttfp_seconds is None else 1000 * self.ttfp_seconds
        figures = (
            _shown(self.distillmos, 2), _shown(self.dnsmos, 2), _shown(self.likeness, 2), impostor, _shown(self.likeness_of_four, 2),
            _shown(self.impostor_of_four, 2), _shown(self.second_of_four, 2), _shown(self.second_impostor_of_four, 2),
            _shown(self.ahs_of_four, 2), _shown(self.cepstral_mean_of_four, 2), _shown(self.word_error_rate, 2), _shown(self.lufs, 1),
            _shown(milliseconds, 0), _shown(self.rtf, 3), _shown(self.extraction_seconds, 2),
        )  # fmt: skip
        return (self.engine, self.voice, f"refused: {self.refused}" if self.refused else self.text, *figures)


def quality_table(rows: Sequence[QualityRow]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (COLUMNS, ("---",) * len(COLUMNS), *(row.as_cells() for row in rows))]
    return "\n".join(lines)


def quality_summary(rows: Sequence[QualityRow]) -> str:
    """Markdown of the same columns: the means over voices and texts, by engine and language."""
    said = [row for row in rows if row.text != MEAN and not row.refused]
    groups = dict.fromkeys((row.engine, row.language) for row in said)
    means = []
    for engine, language in groups:
        group = [row for row in said if (row.engine, row.language) == (engine, language)]
        n_voices = len({row.voice for row in group})
        means.append(mean_row(group, voice=f"{n_voices} voice{'' if n_voices == 1 else 's'}", text=f"{language} x {len(group)}".lstrip()))
    return quality_table(means)


def mean_row(rows: Sequence[QualityRow], *, voice: str | None = None, text: str = MEAN) -> QualityRow:
    """Of what there is; the impostor is whoever it is most often."""
    means = {}
    for figure in FIGURES:
        known = [value for row in rows if (value := getattr(row, figure)) is not None]
        means[figure] = float(np.mean(known)) if known else None
    names = [row.impostor_name for row in rows]
    return QualityRow(
        rows[0].engine, voice or rows[0].voice, text, rows[0].language, impostor_name=max(sorted(set(names)), key=names.count), **means
    )


def _shown(value: float | None, decimals: int) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"
