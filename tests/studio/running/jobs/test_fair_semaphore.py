"""Claims about turns: whoever has waited longest is next, and who is stopped waits no more."""

import threading

from studio.running.jobs.fair_semaphore import FairSemaphore
from tests.api.door import eventually


def test_turns_go_round():
    turns, order = FairSemaphore(), []

    def work(name: str) -> None:
        for _ in range(3):
            with turns.turn(lambda: False) as is_mine:
                order.append(name * is_mine)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    with turns.turn(lambda: False) as is_mine:
        assert is_mine
        for n, thread in enumerate(threads, start=2):
            thread.start()
            assert eventually(lambda n=n: len(turns._waiting) == n)
        with turns.turn(lambda: True) as is_stopped_ones:
            assert not is_stopped_ones
    for thread in threads:
        thread.join()
    assert "".join(order) == "ababab" and not turns._waiting
