"""Parts: which questions of a test one listener gets, where nobody is asked all of them. Coverage stays even as listeners come and go.

A cell is a subject (a system, or a pair of them; of pages all signals together) with a text. A part is chosen when somebody begins, from
how often each cell has been asked by then: the least asked first, with each subject, and each text, equally often or once more.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

__all__ = ["Asked", "Cell", "Part", "counted", "part_of"]


@dataclass(frozen=True, order=True)
class Cell:
    """subject: index among what is asked about. text: index. is_turned: of two sounds, whether the second in the plan's order is heard
    first. x: of ABX which of the two in the order heard is X, 0 or 1. turn: how often the cell was asked before; 0 where that is nothing.
    """

    subject: int
    text: int
    is_turned: bool = False
    x: int = 0
    turn: int = 0


Part = tuple[Cell, ...]
# How often each cell was asked of others; turn 0.
Asked = Mapping[Cell, int]


def part_of(n_subjects: int, n_texts: int, n_questions: int, asked: Asked, chance: Random) -> Part:
    """n_questions cells, in an order of chance; the same arguments give the same. Within the part subjects differ by one question at most,
    and so do texts, cells, the two orders of a subject, and the two answers of ABX."""
    counts: Counter[tuple[int, int]] = Counter()
    for cell, n in asked.items():
        counts[cell.subject, cell.text] += n
    chosen = [Cell(subject, text) for subject, text in _least_asked(n_subjects, n_texts, n_questions, counts, chance)]
    chance.shuffle(chosen)
    chosen = _halved(chosen, asked, chance, lambda cell: cell.is_turned, lambda cell: replace(cell, is_turned=True))
    chosen = _halved(chosen, asked, chance, lambda cell: bool(cell.x), lambda cell: replace(cell, x=1))
    found = []
    for cell in chosen:
        found.append(replace(cell, turn=counts[cell.subject, cell.text]))
        counts[cell.subject, cell.text] += 1
    return tuple(found)


def _least_asked(
    n_subjects: int, n_texts: int, n_questions: int, counts: Mapping[tuple[int, int], int], chance: Random
) -> list[tuple[int, int]]:
    """(subject, text), as often as it is chosen. A transport problem, whose corners are whole numbers: sums of subjects, of texts and of
    all, and each cell, lie between the whole numbers around their even share, which is a solution itself; so there always is one."""
    import numpy as np
    from scipy import sparse
    from scipy.optimize import linprog

    n = n_subjects * n_texts
    of_subjects = sparse.kron(sparse.eye(n_subjects), np.ones((1, n_texts)))
    of_texts = sparse.kron(np.ones((1, n_subjects)), sparse.eye(n_texts))
    shares = [(n_questions // count, -(-n_questions // count)) for count in (n_subjects, n_texts, n)]
    most = [np.full(count, high) for count, (_, high) in zip((n_subjects, n_texts), shares, strict=False)]
    least = [np.full(count, -low) for count, (low, _) in zip((n_subjects, n_texts), shares, strict=False)]
    # Chance decides between what was asked equally often, and over all of it weighs less than one question.
    cost = [counts.get((cell // n_texts, cell % n_texts), 0) + chance.random() / (2 * n_questions) for cell in range(n)]
    solved = linprog(
        cost,
        A_ub=sparse.vstack([of_subjects, of_texts, -of_subjects, -of_texts]).tocsr(),
        b_ub=np.concatenate([*most, *least]),
        A_eq=np.ones((1, n)),
        b_eq=[n_questions],
        bounds=shares[2],
        method="highs-ds",
    )
    assert solved.success, solved.message
    return [(cell // n_texts, cell % n_texts) for cell, times in enumerate(solved.x.round()) for _ in range(int(times))]


def _halved(
    cells: Sequence[Cell], asked: Asked, chance: Random, is_so: Callable[[Cell], bool], made_so: Callable[[Cell], Cell]
) -> list[Cell]:
    """Half of each subject's cells made so: those of which that was asked the least, compared with its opposite."""
    lean: Counter[tuple[int, int]] = Counter()
    for cell, n in asked.items():
        lean[cell.subject, cell.text] += n if is_so(cell) else -n
    of_subject: dict[int, list[int]] = {}
    for index, cell in enumerate(cells):
        of_subject.setdefault(cell.subject, []).append(index)
    chosen = set()
    for subject, indices in of_subject.items():
        over_all = sum(n for (one, _), n in lean.items() if one == subject)
        n_so = len(indices) // 2 + (len(indices) % 2 and _is_behind(over_all, chance))
        order = sorted(indices, key=lambda index: (lean[cells[index].subject, cells[index].text], chance.random()))
        chosen.update(order[:n_so])
    return [made_so(cell) if index in chosen else cell for index, cell in enumerate(cells)]


def _is_behind(lean: int, chance: Random) -> bool:
    return lean < 0 or (lean == 0 and chance.random() < 0.5)


def counted(cells: Iterable[Cell]) -> Counter[Cell]:
    """What was asked, as `part_of` takes it."""
    return Counter(replace(cell, turn=0) for cell in cells)
