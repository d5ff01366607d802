"""The best way of a sound through a chain of phones: Viterbi's algorithm, from left to right, with silences that may be left out."""

from dataclasses import dataclass

import numpy as np

__all__ = ["PhoneState", "best_path"]

_UNREACHABLE = np.float32(-1e9)
_BEAM_STATES = 1_000  # about 15 s of speech: others are not looked at
STAY, STEP, SKIP = 0, 1, 2


@dataclass(frozen=True)
class PhoneState:
    """phone: its name. word: the number of the stretch that it is of; -1 of a silence. may_lack: whether the way may go past it."""

    phone: str
    word: int
    may_lack: bool = False


def best_path(scores: np.ndarray, states: list[PhoneState], column: dict[str, int]) -> np.ndarray:
    """The state of each frame, (F,). scores: (F, phones), by column. All states are passed in order, but those that may lack."""
    columns = np.array([column[state.phone] for state in states])
    is_skipped = np.array([False, *(state.may_lack for state in states[:-1])])  # the state before may lack
    n_frames, width = len(scores), min(len(states), _BEAM_STATES)
    last_offset = len(states) - width
    offsets, backs = np.zeros(n_frames, np.int64), np.zeros((n_frames, width), np.int8)
    totals = np.full(width, _UNREACHABLE, np.float32)
    for first in range(2 if states[0].may_lack else 1):
        totals[first] = scores[0, columns[first]]
    offset = 0
    for frame in range(1, n_frames):
        moved = min(last_offset, max(offset, offset + int(totals.argmax()) - width // 2)) - offset
        offset += moved
        offsets[frame] = offset
        before = np.concatenate([[_UNREACHABLE] * 2, totals, np.full(moved, _UNREACHABLE)]).astype(np.float32)
        stay, step = before[2 + moved : 2 + moved + width], before[1 + moved : 1 + moved + width]
        skip = np.where(is_skipped[offset : offset + width], before[moved : moved + width], _UNREACHABLE)
        best = np.maximum(stay, np.maximum(step, skip))
        backs[frame] = np.where(best == stay, STAY, np.where(best == step, STEP, SKIP))
        totals = best + scores[frame, columns[offset : offset + width]]
    return _traced(totals, offsets, backs, states)


def _traced(totals: np.ndarray, offsets: np.ndarray, backs: np.ndarray, states: list[PhoneState]) -> np.ndarray:
    at = int(offsets[-1]) + len(totals) - 1
    if states[-1].may_lack and len(totals) > 1 and totals[-2] > totals[-1]:
        at -= 1
    path = np.zeros(len(offsets), np.int64)
    for frame in range(len(offsets) - 1, -1, -1):
        path[frame] = at
        if frame:
            at = max(0, at - int(backs[frame, min(max(0, at - int(offsets[frame])), len(totals) - 1)]))
    return path
