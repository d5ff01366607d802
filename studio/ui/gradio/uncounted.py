"""Uncounted events: keep Gradio from telling everybody how long an event takes on average.

The average is over all visitors, so a visitor could count the events of others.
"""

from collections import defaultdict

import gradio as gr
from gradio.block_function import BlockFunction
from gradio.queueing import ProcessTime

__all__ = ["leave_uncounted"]


class UncountedEvent(BlockFunction):
    """An event of which Gradio always tells a mean of nothing: no runs, no time."""

    total_runs = property(lambda self: 0, lambda self, runs: None)
    total_runtime = property(lambda self: 0.0, lambda self, seconds: None)


class NoTimes(defaultdict[BlockFunction, ProcessTime]):
    """How long the queue's events take: each as if it were the first."""

    def __missing__(self, event: BlockFunction) -> ProcessTime:
        return ProcessTime()


def leave_uncounted(page: gr.Blocks) -> None:
    """Of every event that the page has by now."""
    for event in page.fns.values():
        event.__class__ = UncountedEvent
    page._queue.process_time_per_fn = NoTimes()
