"""Guessers: of figures about sounds, half of which are known to be of one engine or not, they guess which of the others are. Pure."""

import math
from collections.abc import Callable

import numpy as np

__all__ = ["GUESSERS", "chance_of", "n_right"]

Guesser = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
STEPS, RATE, WEIGHT_DECAY = 300, 0.3, 0.02


def n_right(guesser: Guesser, features: np.ndarray, truth: np.ndarray, known: np.ndarray) -> int:
    """Of the rows that are not known. features: (N, D). truth, known: (N,) bool."""
    middle, spread = features[known].mean(axis=0), features[known].std(axis=0)
    scaled = (features - middle) / np.where(spread > 0, spread, 1.0)
    return int(np.sum(guesser(scaled[known], truth[known], scaled[~known]) == truth[~known]))


def chance_of(n: int, of: int) -> float:
    """Of n or more right by guessing: binomial, one-sided."""
    return sum(math.comb(of, k) for k in range(n, of + 1)) / 2**of


def nearest(known: np.ndarray, truth: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """As the nearest that is known."""
    distances = ((asked[:, None, :] - known[None, :, :]) ** 2).sum(axis=-1)
    return truth[distances.argmin(axis=1)]


def threshold(known: np.ndarray, truth: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """By that figure, and that bound of it, which told the known ones apart best."""
    best = (-1.0, 0, 0.0, False)
    for column in range(known.shape[1]):
        values = np.unique(known[:, column])
        for bound in (values[:-1] + values[1:]) / 2:
            share = float(np.mean((known[:, column] > bound) == truth))
            best = max(best, (share, column, bound, True), (1 - share, column, bound, False))
    _, column, bound, is_above = best
    return (asked[:, column] > bound) == is_above


def logistic(known: np.ndarray, truth: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """By logistic regression, fitted by gradient descent."""
    inputs = np.c_[known, np.ones(len(known))]
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        error = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30))) - truth
        weights -= RATE * (inputs.T @ error / len(known) + WEIGHT_DECAY * weights)
    return np.c_[asked, np.ones(len(asked))] @ weights > 0


GUESSERS: tuple[Guesser, ...] = (nearest, threshold, logistic)
