"""A stream that waits for its text: the engine rests, or works for others, until more has come."""

import pytest

from engines.contract.text_feed import TextFeed
from studio.running.delivery import Delivery
from studio.running.scheduler import AdmittingScheduler, EagerScheduler
from studio.running.stream import EngineStream, StreamJob
from studio.timeline import Timeline


def job_of(feed: TextFeed | None, submitted: float = 0.0) -> StreamJob:
    stream = EngineStream(24_000, Timeline(), most_ahead_seconds=1.0, on_wanted=lambda: None)
    return StreamJob(submitted, stream=stream, begun=submitted, delivery=Delivery(feed=feed))


@pytest.mark.parametrize("kind", [EagerScheduler, AdmittingScheduler])
def test_who_has_no_text_has_no_turn_and_comes_first_again_once_there_is_some(kind):
    feed = TextFeed()
    early, late = job_of(feed), job_of(None, 1.0)
    order = lambda: kind(30.0).order([early, late], 2.0, 1)  # noqa: E731
    assert order() == [early, late]
    feed.want()
    assert order() == [late]
    feed.add("more")
    assert order() == [early, late]
    assert feed.take() == ("more", False)
    feed.want()
    feed.end()
    assert order() == [early, late], "which has its end to say"


def test_who_hung_up_is_ended_whether_text_comes_or_not():
    feed = TextFeed()
    job = job_of(feed)
    feed.want()
    assert not job.runnable
    job.stream.close()
    assert job.runnable
