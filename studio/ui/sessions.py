"""Sessions: what Gradio keeps of every open window, some 80 kB; bounded here, and gone with the window.

Gradio itself forgets a session when ten thousand others have come, and keeps those of programs that call once and never come again.
"""

import gradio as gr

__all__ = ["MOST_SESSIONS", "bound_sessions", "forget_session"]

MOST_SESSIONS = 512  # 40 MB. A window that is used less recently than so many others begins anew, and is sent all that it shows once more
MOST_MAILBOXES = 512  # of sessions with an event in the queue, each a few kB


def bound_sessions(page: gr.Blocks) -> None:
    """Before the page is served."""
    page.state_session_capacity = MOST_SESSIONS
    page._queue.pending_messages_per_session.max_size = MOST_MAILBOXES


def forget_session(page: gr.Blocks, session: str) -> None:
    """The window was closed."""
    page.state_holder.session_data.pop(session, None)
    page.state_holder.time_last_used.pop(session, None)
