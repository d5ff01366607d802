"""Turns: whoever comes with little work waits for a step of the others, not for their work."""

import threading

from studio.audio.decode import FairLock, Turn
from tests.api.door import eventually


def test_who_has_held_it_for_less_goes_before_those_who_waited_longer():
    now, order = [0.0], []
    lock = FairLock(clock=lambda: now[0])
    lock.acquire()
    waiting = []
    for held_seconds, name in ((3.0, "long"), (1.0, "shorter"), (0.0, "new"), (0.0, "newer")):

        def work(held_seconds=held_seconds, name=name):
            lock.acquire(held_seconds)
            order.append(name)
            lock.release()

        waiting.append(threading.Thread(target=work))
        waiting[-1].start()
        assert eventually(lambda n=len(waiting): len(lock._waiting) == n)
    lock.release()
    for thread in waiting:
        thread.join(60)
    assert order == ["new", "newer", "shorter", "long"] and not lock.locked()


def test_a_turn_remembers_what_it_had_and_holds_nothing_in_between_or_behind():
    now = [0.0]
    lock = FairLock(clock=lambda: now[0])
    with Turn(lock) as turn:
        assert lock.locked()
        now[0] = 2.0
        turn.leave()
        assert not lock.locked() and turn._held_seconds == 2.0
        turn.take()
        assert lock.locked()
    assert not lock.locked()
    with Turn(None) as turn:  # nobody waits
        turn.leave()
        turn.take()
