"""crossed_mean: the mean of cells of voices and texts, and how sure it is for other ones: the crossed model of listening tests.

A cell is mean + voice + text + rest. Of a comparison it is the difference of two systems in one voice and text, so that what voices and
texts are like on the whole cancels. Every two systems have spreads of their own: one that fails now and then makes the comparison of two
others no less sure. Languages are chosen and not drawn: what sets them apart is taken out of the spread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from studio.crossed.crossed_model import Contrast, CrossedModel
from studio.crossed.design import CrossedDesign
from studio.evaluations.statistics.whole_cells import Sides, Variances, parts_of_whole_cells

if TYPE_CHECKING:
    import numpy as np

__all__ = ["FEWEST_VOICES", "Score", "crossed_mean", "floored_to", "parts_of"]


# Weight of the side with fewer levels in the degrees of freedom. With 1, alike systems are called apart by 5 voices in 7 to 8 of 100
# evaluations, with 2 in 2 to 5, for ranges that are 5 % wider (python -m studio.measure.evaluations).
WEIGHT = 2.0
# Voices that tell anything of others. Two would need differences of ninety times their error, with seven figures counted.
FEWEST_VOICES = 4
MOST_LEVELS = 300  # of voices or texts, whichever are fewer: beyond, a fit takes seconds, and sums tell as much


class Score(NamedTuple):
    """Of one voice and text, or of one difference there."""

    voice: str
    text: str
    language: str
    value: float


def crossed_mean(scores: Sequence[Score], *, of_these_voices: bool = False) -> Contrast | None:
    """None of less than two. Of one text the mean is that of this text, of fewer than FEWEST_VOICES that of these voices: nothing is known
    of others. of_these_voices: the same of however many."""
    import numpy as np

    if len(scores) < 2:
        return None
    values = np.array([score.value for score in scores])
    mean = float(values.mean())
    if values.max() - values.min() <= 1e-12 * max(1.0, abs(mean)):
        return Contrast(mean, 0.0, len(scores) - 1.0)
    voices = _numbered([score.voice for score in scores])
    texts = _numbered([score.text for score in scores])
    languages = _numbered([score.language for score in scores])
    centered, left = _without_groups(values, (voices, texts), languages)
    if of_these_voices or voices.max() + 1 < FEWEST_VOICES:
        centered, left_by_voices = _without_groups(centered, (texts,), voices)
        left, voices = left * left_by_voices, np.zeros_like(voices)
    scale = float(centered.std()) or 1.0
    sides = _telling(voices, texts)
    variance, df = _spread_of(sides)((centered - mean) / scale, sides)
    return Contrast(mean, scale * (variance / left) ** 0.5, max(df * left, 1.0))


def floored_to(found: Contrast, variance: float) -> Contrast:
    """Never surer than that."""
    return found if found.error**2 >= variance else replace(found, error=variance**0.5)


def _numbered(names: list[str]) -> np.ndarray:
    import numpy as np

    return np.unique(names, return_inverse=True)[1]


def _telling(voices: np.ndarray, texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Levels of both, all 0 where each has one cell: what it is like cannot be told from the rest, and is in it. So it is with texts
    that have a voice of their own."""
    import numpy as np

    def told(levels: np.ndarray) -> np.ndarray:
        return levels if len(levels) > levels.max() + 1 else np.zeros_like(levels)

    return told(voices), told(texts)


def _without_groups(values: np.ndarray, sides: tuple[np.ndarray, ...], groups: np.ndarray) -> tuple[np.ndarray, float]:
    """Values about the mean of all, whatever their group, a language or a voice that is held fixed; and what part of the degrees of freedom
    is left where each level of a side has one group. They stay as they are where groups have one cell, or one such level each: what sets
    groups apart cannot be told from what sets these apart."""
    import numpy as np

    n_groups, left = int(groups.max()) + 1, 1.0
    counts = np.bincount(groups)
    if n_groups == 1 or counts.min() < 2:
        return values, 1.0
    for levels in sides:
        n = int(levels.max()) + 1
        if len(set(zip(levels.tolist(), groups.tolist(), strict=True))) > n:
            continue
        if n == n_groups:
            return values, 1.0
        left = min(left, (n - n_groups) / (n - 1))
    means = np.bincount(groups, values) / counts
    return values - means[groups] + values.mean(), left


def _spread_of(sides: Sides) -> Callable[[np.ndarray, Sides], tuple[float, float]]:
    """What tells how sure the mean is."""
    return _of_clusters if min(int(levels.max()) for levels in sides) >= MOST_LEVELS else _of_parts


def _of_parts(values: np.ndarray, sides: Sides) -> tuple[float, float]:
    """Variance of the plain mean, and its degrees of freedom: those of Satterthwaite 1946, but careful of the side with fewer levels.

    What few voices tell of the variance of voices is unsure, and where it comes out small by chance both the variance and its weight in the
    degrees of freedom do. As `WEIGHT` times as much it keeps the weight that it may have.
    """
    import numpy as np

    parts = parts_of(values, sides)
    n, counts = len(values), [np.bincount(levels) for levels in sides]
    levels = [len(each) for each in counts]
    rest = parts.rest / n
    shown = [float((each**2).sum()) / n**2 * part if len(each) > 1 else 0.0 for each, part in zip(counts, parts[:2], strict=True)]
    if max(levels) == 1:
        return rest, n - 1.0
    few, many = (0, 1) if 1 < levels[0] <= levels[1] or levels[1] == 1 else (1, 0)
    of_few, of_many = WEIGHT * (shown[few] + rest), shown[many]
    uncertain = of_few**2 / (levels[few] - 1) + rest**2 / n
    if levels[many] > 1:
        uncertain += (of_many + rest) ** 2 / (levels[many] - 1)
    return shown[few] + of_many + rest, min((of_few + of_many) ** 2 / uncertain, n - 1.0)


def parts_of(values: np.ndarray, sides: Sides) -> Variances:
    """By restricted maximum likelihood, all three of them; of whole cells in closed form."""
    import numpy as np

    counts = [np.bincount(levels) for levels in sides]
    is_even = all(each.min() == each.max() for each in counts)
    n_places = len(set(zip(*(levels.tolist() for levels in sides), strict=True)))
    if is_even and (min(map(len, counts)) == 1 or len(counts[0]) * len(counts[1]) == len(values) == n_places):
        return parts_of_whole_cells(values, sides)
    found = CrossedModel(CrossedDesign(np.ones((len(values), 1)), np.ones((1, 1)), *sides, values, is_paired=True), None).components
    return Variances(found["listener_system"], found["text_system"], found["rest"])


def _of_clusters(values: np.ndarray, sides: Sides) -> tuple[float, float]:
    """The same of many voices and many texts, for which the model takes long: by sums over each (Cameron, Gelbach & Miller 2011, "Robust
    inference with multiway clustering")."""
    import numpy as np

    n = len(values)
    of_cells = float((values**2).sum())
    of_sides = [float((np.bincount(levels, values) ** 2).sum()) for levels in sides]
    levels = min(int(side.max()) + 1 for side in sides)
    return max(sum(of_sides) - of_cells, *of_sides) / n**2 * levels / (levels - 1), levels - 1.0
