"""Puts a take together of the renditions of its parts: with the silences that the engine made, without a click, at the levels they have."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from studio.speech.in_turn import ONSET_SECONDS
from studio.takes.sentence_places import quiet_level

__all__ = ["JoinedPart", "put_together"]


@dataclass(frozen=True)
class JoinedPart:
    """One part. place: (T,) int16, what the engine made of it within the take, silence around it included; None where it made nothing.

    said: (T,) int16 of what was said again and takes its place; None where that stays as it is. pause: samples of silence behind it,
    where there is no place that tells.
    """

    place: np.ndarray | None
    said: np.ndarray | None = None
    pause: int = 0


def put_together(pieces: Iterable[JoinedPart], sample_rate: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """(T,) int16, and where each of the pieces begins in it. Pieces that stay, stay sample by sample."""
    sounds, starts, at = [], [], 0
    for piece in pieces:
        sound = piece.place if piece.said is None else _joined(piece, piece.said, sample_rate)
        if sound is None:
            raise ValueError("a piece without a sound")
        sounds.append(sound)
        starts.append(at)
        at += len(sound)
    return (np.concatenate(sounds) if sounds else np.zeros(0, np.int16)), tuple(starts)


def _joined(piece: JoinedPart, said: np.ndarray, sample_rate: int) -> np.ndarray:
    """What was said again between the silences of the place that it takes; words are not faded, only the quiet around them."""
    before, behind = np.zeros(0), np.zeros(piece.pause)
    most = round(ONSET_SECONDS * sample_rate)
    start, end = _sounding(said)
    n_in, n_out = min(most, start), min(most, len(said) - end)
    if piece.place is not None:
        first, over = _sounding(piece.place)
        before, behind = piece.place[: max(0, first - n_in)], piece.place[over:]
    words = said[start - n_in : end + n_out].astype(np.float64)
    words[:n_in] *= _rising(n_in)
    words[len(words) - n_out :] *= _rising(n_out)[::-1]
    end_at = len(before) + n_in + end - start
    whole = np.zeros(end_at + max(len(behind), n_out))
    whole[: len(before)] = before
    whole[len(before) : len(before) + len(words)] += words
    n_shared = min(n_out, len(behind))
    whole[end_at : end_at + n_shared] += behind[:n_shared] * _rising(n_shared)
    whole[end_at + n_shared : end_at + len(behind)] += behind[n_shared:]
    return np.rint(whole).clip(-32768, 32767).astype(np.int16)


def _rising(n: int) -> np.ndarray:
    return np.linspace(0.0, 1.0, n, endpoint=False)


def _sounding(samples: np.ndarray) -> tuple[int, int]:
    """The first sample that is heard, and the one behind the last; all of it where none is."""
    size = np.abs(samples.astype(np.float32)) / 32768
    loud = np.flatnonzero(size >= quiet_level(size))
    return (int(loud[0]), int(loud[-1]) + 1) if len(loud) else (0, len(samples))
