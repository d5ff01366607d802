"""Streams of one engine, advanced together in any order, as a studio of many listeners advances them."""

from collections.abc import Iterator, Sequence

import numpy as np

from engines.contract.contract import Engine
from engines.contract.speech_end import SpeechEnd

__all__ = ["advanced_together"]


def advanced_together(engine: Engine, streams: Sequence[Iterator[np.ndarray]], turns: np.random.Generator) -> list[np.ndarray]:
    """The samples of all, some of whom are advanced at a time, in any order; each comes when it is first chosen."""
    heard: list[list[np.ndarray]] = [[] for _ in streams]
    going_on = list(range(len(streams)))
    while going_on:
        chosen = list(turns.permutation(going_on)[: turns.integers(1, engine.width + 1)])
        for index, result in zip(chosen, engine.advance([streams[index] for index in chosen]), strict=True):
            assert not isinstance(result, Exception), result
            if isinstance(result, SpeechEnd):
                going_on.remove(index)
            else:
                heard[index].append(result)
    return [np.concatenate(parts) for parts in heard]
