"""Gradio's sessions: bounded, and gone with their windows."""

import asyncio
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.state_holder import StateHolder

from studio.audio.spoken_sounds import SpokenSounds
from studio.ui.frame.page import build_page
from studio.ui.gradio.news import News
from studio.ui.gradio.sessions import MOST_MAILBOXES, MOST_SESSIONS


@pytest.fixture
def page(open_studio) -> gr.Blocks:
    async def built() -> gr.Blocks:  # within a loop, or Gradio makes one of its own
        return build_page(open_studio(), SpokenSounds(), News())

    page = asyncio.run(built())
    StateHolder().set_blocks(page)  # as its app does
    return page


@pytest.mark.slow
def test_a_closed_window_leaves_no_session(page):
    page.state_holder["window"]
    (leave,) = (event.fn for event in page.fns.values() if any(kind == "unload" for _, kind in event.targets))
    leave(SimpleNamespace(session_hash="window"))
    assert "window" not in page.state_holder.session_data and "window" not in page.state_holder.time_last_used


@pytest.mark.slow
def test_no_press_is_dropped_while_another_of_the_same_kind_is_under_way(page):
    """Without a word of ours Gradio drops it."""
    own = [event for event in page.fns.values() if event.api_visibility == "private" and event.fn and event.name != "leave"]
    modes = {brings: {event.trigger_mode for event in own if event.collects_event_data == brings} for brings in (True, False)}
    assert modes[True] == {"multiple"} and modes[False] <= {"always_last", "multiple"}


@pytest.mark.slow
def test_programs_that_call_once_and_never_come_again_are_forgotten(page, monkeypatch):
    assert page.state_holder.capacity == MOST_SESSIONS
    monkeypatch.setattr("gradio.state_holder.SessionState", lambda blocks: None)  # each takes a millisecond to be made
    for n in range(MOST_SESSIONS + 100):
        page.state_holder[f"program-{n}"]
    assert len(page.state_holder.session_data) == len(page.state_holder.time_last_used) == MOST_SESSIONS
    mailboxes = page._queue.pending_messages_per_session
    for n in range(MOST_MAILBOXES + 100):
        mailboxes[f"program-{n}"] = None
    assert len(mailboxes) == MOST_MAILBOXES


@pytest.mark.slow
def test_sessions_whose_events_are_over_are_forgotten_and_no_other(page):
    under_way = page._queue.pending_event_ids_session
    under_way["first"] = {"event"}
    for n in range(MOST_MAILBOXES + 100):
        under_way[f"program-{n}"] = set()
    assert len(under_way) == MOST_MAILBOXES and under_way["first"] == {"event"}
    assert f"program-{MOST_MAILBOXES + 99}" in under_way and "program-0" not in under_way
