"""EngineWorker and EngineStream: one thread, interleaving, cancellation, bounds, failures."""

import threading
import time

import numpy as np
import pytest

from engines.contract.contract import YIELD_POINT
from engines.contract.options import resolve_options
from engines.contract.speech_end import SpeechEnd
from engines.errors import EngineFailed, EngineUnavailable, OptionInvalid
from studio.errors import EngineBusy, NoAudio, SpeechCancelled
from studio.running.limits import Limits
from studio.running.stream import EngineStream
from studio.running.worker import EngineWorker
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, INFO, SAMPLE_RATE, FakeEngine
from tests.studio.running.gate import Gate

TEXT = "x" * 16  # 0.8 s, ten chunks


def speak(worker: EngineWorker, text: str = TEXT, seed: int = 0):
    options = resolve_options(INFO.options, {"seed": seed})
    return worker.stream(lambda engine: engine.stream(text, engine.preset("tone"), options), Timeline())


def test_the_engine_is_opened_once_when_first_wanted_and_used_on_one_thread(work):
    opened = []
    engine = FakeEngine()
    worker = EngineWorker(INFO, lambda: opened.append(1) or engine, limits=Limits(8))
    assert worker.status().state == "idle"
    for _ in range(3):
        list(speak(worker))
    worker.close()
    assert len(opened) == 1
    assert len(engine.threads) == 1
    assert threading.get_ident() not in engine.threads
    assert engine.closed


def test_an_engine_is_warmed_up_before_it_counts_as_ready(work):
    engine = FakeEngine()
    assert work(engine).load().warmed_up


def test_an_engine_that_fails_to_warm_up_is_closed_and_says_why(work):
    class Cold(FakeEngine):
        def warmup(self):
            raise EngineFailed("no graph")

    engine = Cold()
    worker = work(engine)
    with pytest.raises(EngineFailed, match="no graph"):
        worker.load()
    assert engine.closed
    assert worker.status().state == "failed"


def test_a_stream_gives_the_engines_samples_and_marks_its_timeline(work):
    worker = work(FakeEngine())
    stream = speak(worker)
    samples = np.concatenate(list(stream))
    assert len(samples) == 0.8 * SAMPLE_RATE
    assert stream.timeline.audio_seconds == pytest.approx(0.8)
    assert stream.timeline.ttfp_seconds > 0
    assert stream.timeline.since_received("last_audio") >= stream.timeline.ttfp_seconds
    assert stream.timeline.first_audible_seconds >= stream.timeline.ttfp_seconds


def test_interleaved_streams_equal_each_alone(work):
    worker = work(FakeEngine())
    alone = [np.concatenate(list(speak(worker, seed=seed))) for seed in (10, 20)]
    both = [speak(worker, seed=seed) for seed in (10, 20)]
    for stream, expected in zip(both, alone, strict=True):
        assert np.array_equal(np.concatenate(list(stream)), expected)


def test_a_new_stream_hears_its_first_chunk_before_an_older_one_goes_on(work):
    gate = Gate()
    worker = work(FakeEngine(before_chunk=gate), admit="all")
    old = speak(worker)
    gate.pass_one()
    assert gate.arrived.acquire(timeout=60)  # the old stream is in its second chunk
    new = speak(worker)
    gate.go.release()
    gate.pass_one()
    heard = [next(new)]
    assert old.playback.audio_seconds == pytest.approx(2 * CHUNK_SAMPLES / SAMPLE_RATE)
    gate.release()
    assert len([*heard, *new]) == len(list(old)) == 10


def test_the_stream_that_would_run_dry_first_is_advanced_first(work):
    """Two listeners on clocks that stand still: one at 0 s and one at 100 s, so the first always runs dry sooner."""
    worker = work(FakeEngine(), admit="all")
    order, both_queued = [], threading.Event()

    def chunks(name: str):
        assert both_queued.wait(60)
        for _ in range(4):
            order.append(name)
            yield np.full(CHUNK_SAMPLES, 0.1, np.float32)

    late = worker.stream(lambda engine: chunks("late"), Timeline(clock=lambda: 100.0))
    early = worker.stream(lambda engine: chunks("early"), Timeline(clock=lambda: 0.0))
    both_queued.set()
    list(late), list(early)
    assert order == ["late", "early", "early", "early", "early", "late", "late", "late"]


def test_closing_stops_the_engine_within_one_chunk(work):
    gate = Gate()
    engine = FakeEngine(before_chunk=gate)
    worker = work(engine)
    stream = speak(worker, "x" * 1600)
    gate.pass_one()
    assert gate.arrived.acquire(timeout=60)
    stream.close()
    gate.release()
    worker.call(lambda engine: None).result(60)
    assert engine.chunks_made <= 2
    assert engine.streams_closed == 1
    with pytest.raises(SpeechCancelled):
        list(stream)


def test_a_slow_listener_bounds_the_queue_and_holds_up_nobody(work):
    engine = FakeEngine()
    worker = work(engine, most_ahead_seconds=0.4)
    slow = speak(worker, "x" * 200)  # 10 s
    assert len(list(speak(worker))) == 10
    worker.call(lambda engine: None).result(60)
    assert engine.chunks_made <= 5 + 10
    assert sum(map(len, slow)) == 10 * SAMPLE_RATE


def test_a_full_queue_is_busy_with_a_time_to_come_back(work):
    gate = Gate()
    worker = work(FakeEngine(before_chunk=gate), most_waiting=2)
    first = speak(worker)
    assert gate.arrived.acquire(timeout=60)  # the engine is held, nothing else can start
    waiting = [speak(worker)]
    with pytest.raises(EngineBusy) as busy:
        waiting += [speak(worker) for _ in range(3)]
    assert busy.value.retry_after_seconds >= 1
    gate.go.release()
    gate.release()
    assert all(len(list(stream)) == 10 for stream in [first, *waiting])


def test_a_failure_comes_after_the_audio_before_it_and_ends_only_its_own_stream(work):
    worker = work(FakeEngine(fail_at_chunk=3))
    stream = speak(worker)
    heard = []
    with pytest.raises(EngineFailed, match="told to fail"):
        heard.extend(stream)
    assert len(heard) == 3
    assert len(list(speak(worker, "x" * 3))) == 2


def test_an_early_failure_raises_before_any_audio_is_promised(work):
    worker = work(FakeEngine(fail_at_chunk=0))
    with pytest.raises(EngineFailed, match="told to fail"):
        next(speak(worker))


def test_an_engine_that_fails_while_a_stream_is_closed_still_serves_the_others(work):
    def chunks():
        try:
            while True:
                yield np.full(CHUNK_SAMPLES, 0.1, np.float32)
        finally:
            raise ZeroDivisionError("oops")

    worker = work(FakeEngine(), most_ahead_seconds=0.4)
    stream = worker.stream(lambda engine: chunks(), Timeline())
    next(stream)
    stream.close()
    assert len(list(speak(worker))) == 10


@pytest.mark.parametrize(
    ("chunks", "error"),
    [
        ([], NoAudio),
        ([np.full(10, np.nan, np.float32)], NoAudio),
        ([np.zeros(10, np.float64)], EngineFailed),
        ([YIELD_POINT, YIELD_POINT], NoAudio),
        ([np.zeros((0, 5), np.float32)], EngineFailed),
        ([np.zeros((2, 5), np.float32)], EngineFailed),
    ],
)
def test_silence_of_the_wrong_kind_is_a_failure_not_an_empty_file(work, chunks, error):
    worker = work(FakeEngine())
    with pytest.raises(error):
        next(worker.stream(lambda engine: iter(chunks), Timeline()))


def test_whoever_is_told_how_a_speech_ended_or_failed_hears_of_which_engine(work):
    def cut():
        yield np.zeros(10, np.float32)
        return SpeechEnd.without_room(2.0)

    def spoken(chunks) -> EngineStream:
        return work(FakeEngine()).stream(lambda engine: chunks, Timeline())

    list(stream := spoken(cut()))
    assert stream.end.values == {"sentence": "ended_without_room", "seconds": 2.0, "engine": "Fake"}
    with pytest.raises(NoAudio) as refused:
        list(spoken(iter([np.full(10, np.nan, np.float32)])))
    assert refused.value.values == {"sentence": "no_audio_but_noise", "engine": "Fake"}


def test_a_mistake_of_the_caller_stays_one_and_a_surprise_becomes_an_engine_failure(work):
    worker = work(FakeEngine())

    def mistake(engine):
        raise OptionInvalid("speed", "speed is 9")

    def surprise(engine):
        raise ZeroDivisionError("oops")

    with pytest.raises(OptionInvalid):
        next(worker.stream(mistake, Timeline()))
    with pytest.raises(EngineFailed, match="oops") as failed:
        next(worker.stream(surprise, Timeline()))
    assert isinstance(failed.value.__cause__, ZeroDivisionError)


def test_an_engine_that_cannot_be_had_says_why_and_may_be_tried_again(work):
    tries = []

    def open_engine():
        tries.append(1)
        if len(tries) == 1:
            raise EngineUnavailable("weights are missing", "get weights")
        return FakeEngine()

    worker = EngineWorker(INFO, open_engine, limits=Limits(8))
    with pytest.raises(EngineUnavailable):
        worker.load()
    status = worker.status()
    assert (status.state, status.reason, status.command) == ("unavailable", "weights are missing", "get weights")
    assert worker.load().info is INFO
    worker.close()


def test_what_an_idle_engine_lacks_is_told_before_anybody_tries_to_open_it():
    lacking = [EngineUnavailable("The weights are not downloaded.", "hf download it")]
    worker = EngineWorker(INFO, FakeEngine, limits=Limits(1), availability=lambda: next(iter(lacking), None))
    status = worker.status()
    assert (status.state, status.reason, status.command) == ("unavailable", "The weights are not downloaded.", "hf download it")
    lacking.clear()  # somebody has run the command
    assert worker.status().state == "idle"
    worker.load()
    lacking.append(EngineUnavailable("They are gone from the disk again."))
    assert worker.status().state == "ready"
    worker.close()


def test_closing_cancels_streams_and_ends_the_thread(work):
    gate = Gate()
    engine = FakeEngine(before_chunk=gate)
    worker = EngineWorker(INFO, lambda: engine, limits=Limits(8))
    stream = speak(worker)
    gate.pass_one()
    assert gate.arrived.acquire(timeout=60)
    closing = threading.Thread(target=worker.close)
    closing.start()
    gate.release()
    closing.join(60)
    assert not closing.is_alive()
    assert engine.closed
    assert engine.streams_closed == 1
    with pytest.raises(SpeechCancelled):
        list(stream)
    with pytest.raises(SpeechCancelled):
        worker.call(lambda engine: None)


def test_poll_and_notify_serve_a_listener_that_must_not_block(work):
    worker = work(FakeEngine())
    stream = speak(worker)
    woken = threading.Event()
    stream.notify(woken.set)
    heard, over = [], False
    deadline = time.monotonic() + 60
    while not over:
        assert time.monotonic() < deadline
        assert woken.wait(60)
        woken.clear()
        chunk, over = stream.poll()
        while chunk is not None:
            heard.append(chunk)
            chunk, over = stream.poll()
    assert sum(map(len, heard)) == 0.8 * SAMPLE_RATE


def test_a_call_that_nobody_waits_for_lets_listeners_go_first_who_run_dry_before_its_patience_ends(work):
    gate = Gate()
    worker = work(FakeEngine(before_chunk=gate))
    stream = speak(worker, "x" * 6)  # 0.3 s, four chunks
    gate.pass_one()
    order = []
    patient = worker.call(lambda engine: order.append("patient"), patience_seconds=60.0)
    waiting = worker.call(lambda engine: order.append("waiting"))
    gate.release()
    waiting.result(60)
    patient.result(60)
    assert order == ["waiting", "patient"]
    assert stream.playback.audio_seconds == pytest.approx(0.3)  # it was spoken before the patient call had its turn


def test_a_call_that_nobody_waits_for_goes_before_a_listener_with_enough_ahead(work):
    gate = Gate()
    worker = work(FakeEngine(before_chunk=gate), most_ahead_seconds=1000.0)
    stream = speak(worker, "x" * 400)  # 20 s
    for _ in range(60):  # 4.8 s ahead
        gate.pass_one()
    patient = worker.call(lambda engine: stream.playback.audio_seconds, patience_seconds=0.5)
    gate.release()
    assert patient.result(60) < 20.0
