"""Designs of votes: ratings, or comparisons of two, as the crossed model takes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from studio.crossed.design import CrossedDesign
from studio.listening.vote.vote import Vote

if TYPE_CHECKING:
    import numpy as np

__all__ = ["cell_means", "compared_design", "groups_of", "rated_design", "single_design"]

Row = tuple[str, str, str, str, float]  # listener, text, system, other, score


def cell_means(votes: Iterable[Vote]) -> list[Row]:
    """What one listener said of one system (or pair) and text, however often asked, as one row."""
    cells: dict[tuple[str, str, str, str], list[float]] = {}
    for vote in votes:
        cells.setdefault((vote.listener, vote.text, vote.system, vote.other), []).append(vote.score)
    return [(*cell, sum(scores) / len(scores)) for cell, scores in cells.items()]


def rated_design(rows: Sequence[Row], systems: Sequence[str]) -> CrossedDesign:
    """rows: of these systems alone."""
    import numpy as np

    places = {name: number for number, name in enumerate(systems)}
    regressors = np.zeros((len(rows), len(systems)))
    regressors[np.arange(len(rows)), [places[row[2]] for row in rows]] = 1.0
    return _design(rows, regressors, np.eye(len(systems)))


def compared_design(rows: Sequence[Row], systems: Sequence[str]) -> CrossedDesign:
    """rows: of comparisons of these systems, which votes link."""
    import numpy as np

    places = {name: number for number, name in enumerate(systems)}
    regressors = np.zeros((len(rows), len(systems)))
    regressors[np.arange(len(rows)), [places[row[2]] for row in rows]] += 1.0
    regressors[np.arange(len(rows)), [places[row[3]] for row in rows]] -= 1.0
    n = len(systems)
    # One for each system but the last, their sum 0 over all.
    fixed = np.eye(n)[:, :-1] - 1 / n
    if n == 2:  # one difference; two regressors would say the same thing twice
        regressors, fixed = regressors[:, :1], np.ones((1, 1))
    return _design(rows, regressors, fixed, is_paired=True)


def single_design(votes: Sequence[Vote]) -> CrossedDesign:
    """The mean of all votes, as if they were of one thing."""
    import numpy as np

    rows = [(vote.listener, vote.text, vote.system, "", vote.score) for vote in votes]
    return _design(rows, np.ones((len(rows), 1)), np.ones((1, 1)), is_paired=True)


def groups_of(rows: Iterable[Row], systems: Sequence[str]) -> list[list[str]]:
    """Systems that comparisons link, in their order."""
    group = {name: number for number, name in enumerate(systems)}
    for _, _, one, other, _ in rows:
        kept, gone = sorted((group[one], group[other]))
        group = {name: kept if number == gone else number for name, number in group.items()}
    return [[name for name in systems if group[name] == number] for number in sorted(set(group.values()))]


def _design(rows: Sequence[Row], regressors: np.ndarray, fixed: np.ndarray, *, is_paired: bool = False) -> CrossedDesign:
    import numpy as np

    listeners, texts = (np.unique([row[place] for row in rows], return_inverse=True)[1] for place in (0, 1))
    return CrossedDesign(regressors, fixed, listeners, texts, np.array([row[4] for row in rows]), is_paired)
