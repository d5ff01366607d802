"""unless_silent: waits for what a client sends next, and meanwhile for what its silence means: that a sentence is over, that it is gone."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["ClientSilence", "unless_silent"]

Message = TypeVar("Message")


@dataclass(frozen=True)
class ClientSilence:
    """What is done while a client sends nothing.

    seconds_to_settle: until `settle` is called; infinite where nothing waits for it. seconds_left: until `late` is raised. Both may
    change while they are waited for: they are asked anew each time.
    """

    seconds_to_settle: Callable[[], float]
    settle: Callable[[], None]
    seconds_left: Callable[[], float]
    late: Callable[[], Exception]


async def unless_silent(receiving: Coroutine[Any, Any, Message], silence: ClientSilence) -> Message:
    """What it receives. Raises what it does, and `silence.late`."""
    task = asyncio.ensure_future(receiving)
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=max(0.0, min(silence.seconds_left(), silence.seconds_to_settle())))
            if done:
                return task.result()
            if silence.seconds_to_settle() <= 0:
                silence.settle()
            if silence.seconds_left() <= 0:
                raise silence.late()
    finally:
        task.cancel()
