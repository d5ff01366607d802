"""Sessions: Gradio's memory of every open window, some 80 kB. It is bounded here, and goes with the window.

Gradio itself forgets a session when ten thousand others have come, and keeps those of programs that call once and never come again.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import isgeneratorfunction

import gradio as gr

from studio.ui.gradio.current_visit import RELAY_SUFFIX, session_of

__all__ = ["MOST_MAILBOXES", "MOST_SESSIONS", "EventsUnderWay", "bound_sessions", "forget_session", "forgotten"]

MOST_SESSIONS = 512  # 40 MB. A window that is used less recently than so many others begins anew, and is sent all that it shows once more
MOST_MAILBOXES = 256  # of sessions with an event in the queue, each some 10 kB; far fewer wait at a time


class EventsUnderWay(dict[str, set[str]]):
    """Ids of events in the queue, by session. Gradio never forgets a session whose events are over; here the oldest go."""

    def __setitem__(self, session: str, events: set[str]) -> None:
        super().__setitem__(session, events)
        over = [other for other, others in self.items() if not others and other != session] if len(self) > MOST_MAILBOXES else []
        for other in over[: len(self) - MOST_MAILBOXES]:
            del self[other]


def bound_sessions(page: gr.Blocks) -> None:
    """Before the page is served."""
    page.state_session_capacity = MOST_SESSIONS
    page._queue.pending_messages_per_session.max_size = MOST_MAILBOXES
    page._queue.pending_event_ids_session = EventsUnderWay()


def forget_session(page: gr.Blocks, session: str) -> None:
    """The window was closed, or the call of a program is over. Also the session in which the window had its speech relayed."""
    for kept in (session, session + RELAY_SUFFIX):
        page.state_holder.session_data.pop(kept, None)
        page.state_holder.time_last_used.pop(kept, None)


def forgotten(page: gr.Blocks, endpoint: Callable) -> Callable:
    """An endpoint that forgets its caller's session when it is over: none of them needs one, and each call of a program has its own."""

    @wraps(endpoint)
    def call(*inputs: object, **named: object) -> object:
        try:
            return endpoint(*inputs, **named)
        finally:
            forget_session(page, session_of())

    @wraps(endpoint)
    def stream(*inputs: object, **named: object) -> Iterator[object]:
        session = session_of()
        try:
            yield from endpoint(*inputs, **named)
        finally:
            forget_session(page, session)

    return stream if isgeneratorfunction(endpoint) else call
