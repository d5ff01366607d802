"""Waiting for cancelled tasks: who cancels the waiting is answered with their own cancellation, not with that of the tasks."""

import asyncio
from contextlib import suppress

import pytest

from studio.running.ended_tasks import all_ended


async def slow_to_end() -> None:
    """Ends by the first cancellation, though another comes meanwhile."""
    try:
        await asyncio.sleep(60)
    finally:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


async def failing() -> None:
    raise ZeroDivisionError


def test_who_cancels_the_waiting_meets_the_own_cancellation():
    """Scopes of anyio know theirs by its message, and hand on any other as a failure."""

    async def scoped() -> tuple[str, ...]:
        task = asyncio.ensure_future(slow_to_end())
        await asyncio.sleep(0)
        task.cancel()
        waiting = asyncio.ensure_future(all_ended(task))
        await asyncio.sleep(0)
        waiting.cancel("of the scope")
        await asyncio.sleep(0)
        task.cancel()
        try:
            await waiting
        except asyncio.CancelledError as cancelled:
            return cancelled.args
        return ()

    assert asyncio.run(scoped()) == ("of the scope",)


@pytest.mark.filterwarnings("error")
def test_failures_are_taken_note_of_and_not_raised():
    async def waits() -> bool:
        tasks = [asyncio.ensure_future(failing()), asyncio.ensure_future(slow_to_end())]
        await asyncio.sleep(0)
        for _ in range(2):
            tasks[1].cancel()
            await asyncio.sleep(0)
        await all_ended(*tasks)
        return all(task.done() for task in tasks)

    assert asyncio.run(waits())
