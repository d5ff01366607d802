"""Ends of this process from outside: each interrupts the main thread as Ctrl+C does.

So what is being written is finished, and what is temporary goes.
"""

import _thread
import signal
import sys
import time

__all__ = ["INTERRUPTED", "ending_signals", "hold_window", "interrupt_at_ends"]

INTERRUPTED = 128 + signal.SIGINT  # exit status of a command that did not come to its end, as shells say it
# HandlerRoutine of Windows' console: the events, and that the process is ended 5 s after them, or as soon as their handler returns.
CLOSED, LOGGED_OFF, SHUT_DOWN = 2, 5, 6
HELD_SECONDS = 4.8


def ending_signals() -> tuple[signal.Signals, ...]:
    """How hosts, containers and terminals end a process, beside SIGINT. A hang-up is none where we shall outlive it (nohup)."""
    if sys.platform == "win32":
        return signal.SIGTERM, signal.SIGBREAK
    return (signal.SIGTERM,) if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGTERM, signal.SIGHUP)


def interrupt_at_ends() -> None:
    """From now on. For the main thread, as everything about signals."""
    for number in ending_signals():
        signal.signal(number, signal.default_int_handler)
    if sys.platform == "win32":
        _watch_window()


def hold_window(event: int) -> bool:
    """Handler of Windows' console, in a thread of its own: has a closed window wait while the main thread leaves. True where it is that."""
    if event not in (CLOSED, LOGGED_OFF, SHUT_DOWN):
        return False
    _thread.interrupt_main(signal.SIGTERM)
    time.sleep(HELD_SECONDS)  # which the end of the process cuts short
    return True


if sys.platform == "win32":
    import ctypes

    _handler = ctypes.WINFUNCTYPE(ctypes.c_int, ctypes.c_uint)(hold_window)  # kept: the console calls it at any time

    def _watch_window() -> None:
        ctypes.windll.kernel32.SetConsoleCtrlHandler(_handler, True)
