"""Whatever ends the process interrupts it: signals of hosts and terminals, and Windows' closed window."""

import _thread
import signal
import time

import pytest

from studio.web.ends import CLOSED, HELD_SECONDS, LOGGED_OFF, SHUT_DOWN, ending_signals, hold_window, interrupt_at_ends


@pytest.fixture(autouse=True)
def _handlers_as_before():
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_hang_up_interrupts_as_the_wish_to_end_does():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    interrupt_at_ends()
    for number in (signal.SIGTERM, signal.SIGHUP):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)


def test_what_was_started_to_outlive_its_terminal_does():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupt_at_ends()
    signal.raise_signal(signal.SIGHUP)
    assert ending_signals() == (signal.SIGTERM,) and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.parametrize("event", [CLOSED, LOGGED_OFF, SHUT_DOWN])
def test_a_closed_window_waits_while_the_main_thread_leaves(monkeypatch, event):
    """Windows ends the process as soon as the handler returns."""
    acts = []
    monkeypatch.setattr(_thread, "interrupt_main", acts.append)
    monkeypatch.setattr(time, "sleep", acts.append)
    assert hold_window(event) and acts == [signal.SIGTERM, HELD_SECONDS]


def test_the_keys_are_left_to_python(monkeypatch):
    monkeypatch.setattr(_thread, "interrupt_main", lambda number: pytest.fail("interrupted twice"))
    assert not hold_window(0) and not hold_window(1)  # CTRL_C_EVENT, CTRL_BREAK_EVENT
