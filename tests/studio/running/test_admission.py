"""Admission: nobody who listens runs dry because of others who come later; those wait in order, or are told when to come back."""

import numpy as np
import pytest

from studio.errors import EngineFull
from studio.running.admission import StreamDemand, can_feed
from studio.running.delivery import Delivery
from studio.running.scheduler import RESERVE_SECONDS, AdmittingScheduler, EnginePace
from studio.running.stream import EngineStream, StreamJob
from studio.timeline import Timeline
from tests.studio.running.audience import Audience

N_OFFERED = 64


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "opening_seconds"), [(0.25, 0.02), (0.03, 0.1), (0.9, 0.5)])
@pytest.mark.parametrize("expected_seconds", [3.0, 6.0, 12.0])
def test_nobody_runs_dry_however_many_come_and_however_wrong_their_lengths_are_taken(rate, opening_seconds, expected_seconds):
    audience = Audience(rate=rate, opening_seconds=opening_seconds, most_wait_seconds=10.0)
    for number in range(N_OFFERED):
        audience.listener(number * 0.05, expected_seconds=expected_seconds)
    audience.hear_out()
    assert not audience.stuttered
    could_serve = 10.0 / (opening_seconds + 6.0 * rate)  # within the time that anybody waits
    assert len(audience.served) >= min(N_OFFERED, 0.8 * could_serve)


@pytest.mark.slow
def test_no_more_are_begun_than_can_be_fed_for_as_long_as_they_speak():
    """Of thirty seconds each, four at 0.3 are more than the engine can make, whatever they have ahead at first."""
    audience = Audience(rate=0.3, seconds=30.0, most_wait_seconds=1000.0)
    for number in range(6):
        audience.listener(number * 0.5)
    audience.hear_out()
    assert len(audience.served) == 6
    assert not audience.stuttered


def test_one_more_is_carried_where_the_engine_can_feed_it_to_the_end_though_it_may_have_to_wait_for_a_moment():
    audience, carried = Audience(rate=0.3, seconds=30.0, most_wait_seconds=1000.0), {}

    def ask(time: float, expected_seconds: float = 30.0) -> None:
        audience.at(time, lambda: carried.update({(time, expected_seconds): audience.worker.carries_one_more(expected_seconds)}))

    audience.listener(0.0)
    ask(0.05)  # somebody has just begun, and has nothing ahead
    audience.listener(1.0, delivery=Delivery(whole=True))  # which nobody listens to
    ask(1.5)
    audience.listener(2.0)
    ask(3.0)
    ask(3.0, 2.0)
    audience.hear_out()
    assert carried == {(0.05, 30.0): True, (1.5, 30.0): True, (3.0, 30.0): False, (3.0, 2.0): True}


@pytest.mark.slow
def test_a_full_line_carries_nobody_and_what_admits_all_carries_them():
    for limits, carries in (({"most_waiting": 1}, False), ({"admit": "all"}, True)):
        audience, carried = Audience(rate=0.3, seconds=30.0, most_wait_seconds=1000.0, **limits), []
        for number in range(6):
            audience.listener(number * 0.5)
        audience.at(3.0, lambda carried=carried, audience=audience: carried.append(audience.worker.carries_one_more(1.0)))
        audience.hear_out()
        assert carried == [carries]


@pytest.mark.slow
def test_a_pause_of_the_whole_machine_is_heard_by_nobody_but_who_has_just_begun():
    audience = Audience(rate=0.02, opening_seconds=0.01)
    for number in range(N_OFFERED):
        audience.listener(number * 0.02)
    audience.at(1.0, lambda: setattr(audience, "now", audience.now + 0.8))  # more than half of the engine's time is taken
    audience.hear_out()
    assert len(audience.stuttered) <= 1


def test_who_comes_where_the_engine_has_time_waits_for_less_than_the_reserve():
    audience = Audience(rate=0.05, opening_seconds=0.01)
    for _ in range(2):
        audience.listener(0.0)
    audience.hear_out()
    first_heard = [stream.timeline.since_received("first_audio") for stream in audience.streams]
    assert max(first_heard) < 0.05 * RESERVE_SECONDS
    assert not audience.stuttered


def test_with_all_admitted_everybody_begins_at_once_and_stutters():
    audience = Audience(rate=0.25, opening_seconds=0.02, admit="all", most_wait_seconds=0.0)
    for number in range(16):
        audience.listener(number * 0.05)
    audience.hear_out()
    assert len(audience.served) == len(audience.stuttered) == 16
    assert max(stream.timeline.ttfp_seconds for stream in audience.streams) < 0.5


def test_an_engine_at_rest_begins_at_once_and_one_listener_more_waits_for_nothing_where_there_is_plenty():
    audience = Audience(rate=0.02, opening_seconds=0.01)
    for time in (0.0, 0.1):
        audience.listener(time)
    audience.hear_out()
    assert [stream.timeline.since_received("started") for stream in audience.streams] == pytest.approx([0.0, 0.0], abs=0.002)


@pytest.mark.slow
def test_those_who_wait_are_served_in_the_order_in_which_they_came():
    audience = Audience(rate=0.3, opening_seconds=0.05, most_wait_seconds=1000.0)
    for number in range(12):
        audience.listener(number * 0.01)
    audience.hear_out()
    firsts = [stream.timeline.since_received("first_audio") + 0.01 * number for number, stream in enumerate(audience.streams)]
    assert firsts == sorted(firsts)
    assert not audience.refused and not audience.stuttered


@pytest.mark.parametrize(("rate", "opening_seconds"), [(0.25, 0.02), (0.6, 0.1)])
@pytest.mark.slow
def test_whoever_waits_too_long_is_refused_with_the_time_until_the_engine_is_free(rate, opening_seconds):
    audience = Audience(rate=rate, opening_seconds=opening_seconds, most_wait_seconds=20.0)
    for number in range(N_OFFERED):
        audience.listener(number * 0.1)
    audience.hear_out()
    assert len(audience.refused) > 20
    for stream, refusal in audience.refused.items():
        assert isinstance(refusal, EngineFull)
        refused_at = 20.0 - stream.timeline.elapsed(0.0)
        free_at = refused_at + refusal.retry_after_seconds
        assert free_at == pytest.approx(audience.now, abs=2.0), "when the last whom it served was done"


def test_a_full_line_says_when_those_in_it_will_be_served():
    audience = Audience(rate=0.25, opening_seconds=0.0, most_waiting=4, most_wait_seconds=1000.0)
    for number in range(20):
        audience.listener(number * 0.01)
    audience.hear_out()
    assert len(audience.turned_away) >= 10
    assert {busy.retry_after_seconds for busy in audience.turned_away[5:]} <= {round(audience.now) + n for n in (-1, 0, 1)}


def test_whole_files_are_never_refused_get_their_share_and_make_nobody_stutter():
    audience = Audience(rate=0.3, opening_seconds=0.02, most_wait_seconds=5.0)
    for number in range(40):
        audience.listener(number * 0.5, delivery=Delivery(number in (1, 5, 6)))
    audience.hear_out()
    wholes = [audience.streams[number] for number in (1, 5, 6)]
    assert not set(wholes) & set(audience.refused)
    assert not set(audience.stuttered) - set(wholes)
    work_seconds = 3 * 6.0 * 0.3
    assert max(stream.timeline.since_received("last_audio") for stream in wholes) < 1.2 * work_seconds / 0.25


def test_a_listener_of_an_engine_slower_than_speech_does_not_keep_a_whole_file_and_a_call_waiting_to_the_end():
    audience = Audience(rate=1.2, seconds=30.0)
    called = []
    audience.listener(0.0)
    audience.listener(1.0, delivery=Delivery(whole=True))
    audience.at(2.0, lambda: audience.worker.call(lambda engine: called.append(audience.now)))
    audience.hear_out()
    listener, whole = audience.streams
    assert called[0] < 3.0
    assert whole.timeline.since_received("first_audio") < 3.0
    assert listener.timeline.since_received("last_audio") < 1.2 * 30.0 * 1.2 / 0.75


def test_whole_files_alone_are_made_side_by_side():
    audience = Audience(rate=0.25)
    for time in (0.0, 0.1, 0.2):
        audience.listener(time, delivery=Delivery(whole=True))
    audience.hear_out()
    assert len({round(stream.timeline.since_received("last_audio")) for stream in audience.streams}) == 1


def test_the_next_sentence_of_a_session_waits_behind_no_newcomer_and_is_there_before_the_last_one_is_over():
    audience = Audience(rate=0.3, opening_seconds=0.05, most_wait_seconds=1000.0)
    for number in range(10):
        audience.listener(number * 0.01)
    audience.listener(5.0, delivery=Delivery(until=9.0))
    audience.hear_out()
    assert 5.0 + audience.streams[-1].timeline.since_received("first_audio") < 9.0
    assert not audience.stuttered


def test_a_call_waits_until_every_listener_has_as_much_ahead_as_it_takes():
    audience = Audience(rate=0.25, opening_seconds=0.02)
    made = []

    def learn() -> None:
        audience.worker.call(lambda engine: (setattr(audience, "now", audience.now + 0.7), made.append(audience.now)))

    audience.at(0.0, learn)  # from which it is known what a call takes
    for number in range(3):
        audience.listener(0.01 * number)
    audience.at(1.0, learn)
    audience.hear_out()
    assert len(made) == 2
    assert not audience.stuttered


def test_what_takes_no_time_waits_for_nobody_and_holds_up_nobody_and_says_nothing_of_what_calls_take():
    audience = Audience(rate=0.25, opening_seconds=0.02)
    told, made = [], []
    audience.at(0.0, lambda: audience.worker.call(lambda engine: setattr(audience, "now", audience.now + 2.0)))
    audience.listener(0.0)
    for _ in range(40):
        audience.at(2.2, lambda: audience.worker.tell(lambda engine: told.append(audience.now)))
    audience.at(2.3, lambda: audience.worker.call(lambda engine: (setattr(audience, "now", audience.now + 2.0), made.append(0))))
    audience.hear_out()
    assert len(told) == 40 and max(told) < 2.3
    assert made and not audience.stuttered


def test_who_hangs_up_while_waiting_is_out_of_the_line():
    audience = Audience(rate=0.6, opening_seconds=0.1)

    def hang_up(number: int) -> None:
        audience.streams[number].close()

    for number in range(3):
        audience.listener(number * 0.01)
    audience.at(1.0, lambda: hang_up(1))
    audience.hear_out()
    assert [stream.playback.audio_seconds > 0 for stream in audience.streams] == [True, False, True]


def test_an_opening_that_takes_longer_than_thought_lets_those_go_first_who_would_run_dry():
    scheduler, jobs = AdmittingScheduler(30.0), [stream_job(begun=0.0, heard_seconds=0.9), stream_job(begun=0.5)]
    listener, opening = jobs
    listener.stream.poll()
    assert scheduler.order(jobs, 0.5, 1) == [opening, listener]
    assert scheduler.order(jobs, 0.89, 1) == [listener, opening]


def test_a_newcomer_waits_for_the_next_sentence_of_a_session_that_would_be_late_else():
    scheduler, listener = AdmittingScheduler(30.0), stream_job(begun=0.0, heard_seconds=9.0)
    listener.stream.poll()
    listener.stream.timeline.compute_seconds = 0.1
    scheduler.learn_step([listener], [0.0], 0.1)
    scheduler.learn_step([listener], [0.5], 0.1)
    newcomer, goes_on = stream_job(), stream_job()
    goes_on.delivery = Delivery(until=0.4)
    assert scheduler.order([listener, newcomer], 0.0, 1) == [newcomer, listener], "there is time for one"
    assert scheduler.order([listener, newcomer, goes_on], 0.0, 1) == [goes_on, listener]


def test_who_has_paused_keeps_nobody_waiting():
    """Its queue holds what may be kept ready, whatever a player would have played by now."""
    scheduler, paused = AdmittingScheduler(30.0), stream_job(begun=0.0, heard_seconds=1.0)
    scheduler.learn_step([paused], [0.5], 0.1)
    assert scheduler.order([paused, newcomer := stream_job()], 100.0, 1) == [newcomer]


def test_who_has_paused_in_a_long_speech_does_not_keep_an_idle_engine_from_others():
    scheduler, paused = AdmittingScheduler(30.0), stream_job(begun=0.0, heard_seconds=1.0)
    scheduler.learn_step([paused], [0.5], 0.45)
    assert scheduler.order([paused, newcomer := stream_job()], 0.1, 1) == [], "it goes on hearing; both together are too much"
    assert scheduler.order([paused, newcomer], 0.6, 1) == [newcomer]


def test_whoever_may_be_served_at_last_is_not_refused_in_the_same_moment():
    audience = Audience(rate=0.9, most_wait_seconds=4.0)

    def hang_up() -> None:
        audience.streams[0].close()

    for _ in range(2):
        audience.listener(0.0)
    audience.at(4.0, hang_up)
    audience.hear_out()
    assert not audience.refused
    assert audience.streams[1].playback.audio_seconds == pytest.approx(6.0)


def stream_job(begun: float | None = None, heard_seconds: float = 0.0) -> StreamJob:
    """Of a listener on a clock that stands at 0, who may have 1 s ready."""
    stream = EngineStream(1000, Timeline(0.0, clock=lambda: 0.0), most_ahead_seconds=1.0, on_wanted=lambda: None)
    if heard_seconds:
        stream.offer(np.zeros(int(heard_seconds * 1000), np.float32))
    return StreamJob(0.0, stream=stream, expected_seconds=6.0, begun=begun)


def test_there_is_time_for_one_more_only_where_nothing_is_due_before_it_can_be_made():
    """Two listeners with 1 s ahead and 10 s to come, at half of real time: together all of the engine's time."""
    two = [StreamDemand(1.0, 10.0)] * 2
    assert can_feed([], StreamDemand(5.0, 100.0), rate=2.0, utilization=0.9), "alone one is always served"
    assert not can_feed(two, StreamDemand(0.1, 10.0), rate=0.5, utilization=1.0)
    assert not can_feed(two, StreamDemand(1.1, 0.1), rate=0.1, utilization=1.0), "its opening alone would take too long"
    assert can_feed(two, StreamDemand(0.1, 10.0), rate=0.3, utilization=1.0)
    assert not can_feed(two, StreamDemand(0.1, 10.0), rate=0.3, utilization=0.7)
    assert can_feed(two, StreamDemand(0.1, 0.5), rate=0.5, utilization=1.0), "over before the others need all of it"
    assert can_feed([StreamDemand(30.0, 100.0)], StreamDemand(0.1, 20.0), rate=0.9, utilization=1.0), "over before the other needs anything"


def test_a_pace_is_that_of_as_many_streams_as_one_step_serves():
    pace = EnginePace()
    assert pace.rate(1) is None
    pace.learn_opening(0.5, 0.1)
    assert pace.rate(4) == pytest.approx(5.0), "dear, until more is known than an opening"
    for n, seconds in ((1, 0.02), (4, 0.032)):
        for _ in range(10):
            pace.learn_step(n, seconds, n * 0.08)
    assert pace.rate(1) == pytest.approx(0.25) and pace.rate(4) == pytest.approx(0.1)
    assert pace.rate(2) == pace.rate(1) and pace.rate(8) == pace.rate(4), "of a number that was not seen, the next smaller one's"


def test_steps_that_were_slow_once_are_not_believed_to_be_slow_for_ever():
    """Else two would never be served together again, by which alone it could be seen."""
    pace = EnginePace()
    pace.learn_step(2, 4.0, 2.0)
    pace.learn_step(1, 0.5, 1.0)
    assert pace.rate(2) == pace.rate(1) == pytest.approx(0.5)


def test_yield_points_cost_their_time():
    pace = EnginePace()
    for audio_seconds in (0.0, 0.0, 0.08):
        pace.learn_step(1, 0.01, audio_seconds)
    assert pace.rate(1) == pytest.approx(0.03 / 0.08, rel=0.02)


def test_a_pace_that_changes_is_known_after_a_few_seconds_of_audio():
    pace = EnginePace()
    for seconds in [0.02] * 500 + [0.04] * 250:
        pace.learn_step(1, seconds, 0.08)
    assert pace.rate(1) == pytest.approx(0.5, rel=0.1)


def test_lengths_are_corrected_by_those_that_were_spoken():
    pace = EnginePace()
    for _ in range(40):
        pace.learn_length(4.0, 8.0)
    assert pace.left(4.0, 2.0) == pytest.approx(6.0, rel=0.05)
    assert pace.left(4.0, 100.0) > 0.5, "one that goes on beyond all bounds is not over"


def test_many_short_words_do_not_make_a_long_text_longer():
    pace = EnginePace()
    for _ in range(20):
        pace.learn_length(0.1, 0.7)
    assert pace.left(20.0, 0.0) < 30.0
