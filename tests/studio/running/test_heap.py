"""The C heap: trimmed now and then while nobody is listening, and by nobody afterwards."""

import threading
from itertools import count

import pytest

from studio.running.heap import TRIM_SECONDS, few_arenas, trimmed_heap


@pytest.mark.parametrize(("quiet", "n_trims"), [([True, True, True], 3), ([True, False, True], 2), ([False] * 3, 0)])
def test_the_heap_is_trimmed_while_it_is_quiet(quiet, n_trims):
    over, trims, scheduler, waited = threading.Event(), count(), iter(quiet), []

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        if len(waited) <= len(quiet):
            return False
        over.set()
        return True

    with trimmed_heap(lambda: next(scheduler), trim=lambda: next(trims), wait=wait):
        assert over.wait(60)
    assert next(trims) == n_trims and set(waited) == {TRIM_SECONDS}


def test_the_thread_ends_with_what_it_was_for():
    with trimmed_heap(lambda: True, trim=lambda: None):
        (thread,) = (thread for thread in threading.enumerate() if thread.name == "heap-trimmer")
    thread.join(60)
    assert not thread.is_alive()


def test_arenas_are_bounded_where_the_c_library_has_any():
    few_arenas()
