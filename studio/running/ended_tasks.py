"""all_ended: waits until tasks that the caller cancelled have ended. The caller itself may be cancelled meanwhile."""

import asyncio

__all__ = ["all_ended"]


async def all_ended(*tasks: asyncio.Task) -> None:
    """Until each has ended, whichever way.

    In place of `asyncio.gather`, which, cancelled while it waits for cancelled tasks, raises their CancelledError: whoever cancelled the
    waiting (a scope of anyio, as Starlette's) does not know it as the own one, and hands it on as a failure.
    """
    ended, _ = await asyncio.wait(tasks)
    for task in ended:
        if not task.cancelled():
            task.exception()  # asked for, so that asyncio does not complain that nobody did
