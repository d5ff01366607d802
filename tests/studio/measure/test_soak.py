"""The soak's verdict: what it finds good, and what it does not."""

from studio.measure.server.observed_server import POOLED, holdings
from studio.measure.server.soak import verdict

REST = {"rss": 200e6, "threads": {"MainThread": 1, POOLED + "api": 4}, "descriptors": {"socket": 3}, "tasks": {"serve": 1}}
GOOD = {"whole: 200": 9, "bad: 404": 2, "hang up: cut": 3, "socket: 1000": 1}


def told(answers=GOOD, **other) -> list[bool]:
    return [good for good, _ in verdict(REST, REST | other, answers)]


def test_what_is_held_at_rest_must_stay_the_same():
    assert told(rss=205e6) == [True] * 5
    assert told(rss=207e6) == [False, True, True, True, True]
    assert told(threads=REST["threads"] | {"timer": 1}) == [True, False, True, True, True]
    assert told(descriptors={"socket": 4}) == [True, True, False, True, True]
    assert told(tasks={"serve": 1, "heartbeat": 1}) == [True, True, True, False, True]


def test_threads_of_pools_may_become_more():
    assert told(threads={"MainThread": 1, POOLED + "api": 9}) == [True] * 5


def test_no_client_may_get_a_defect_or_no_answer():
    for answer in ("whole: 500", "page: RemoteDisconnected", "raw: TimeoutError"):
        assert told(GOOD | {answer: 1}) == [True, True, True, True, False], answer


def test_a_process_counts_what_it_holds():
    _kept = [{"one": []} for _ in range(1000)]  # by itself: what was there before the tests is not looked through (tests/conftest.py)
    held = holdings(with_census=True)
    assert held["threads"]["MainThread"] == 1 and held["objects"] > 1000 and held["types"]["builtins.dict"]
