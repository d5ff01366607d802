"""Claims about the ears, over stand-ins for their networks: what is asked of them, what is told where one cannot hear, and who waits."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.errors import ClipUnusable
from studio.analysis import dnsmos
from studio.analysis.estimates import MEASURES, Estimates
from studio.analysis.estimators import MOST_SECONDS, Estimators
from studio.analysis.quiet_worker import MOST_WAITING, NICENESS, half_the_cores
from studio.analysis.transcriber import Transcriber
from tests.api.door import Gate, eventually
from tests.stand_ins.estimators_stand_in import SCORES, install_ears
from tests.stand_ins.whisper_stand_in import WORDS, install
from tests.ui.clips.clips import speech_like

RATE = 24_000
SAMPLES = speech_like(2.0, RATE)
CLIP = Clip(SAMPLES, RATE)


@pytest.fixture
def whisper(monkeypatch, tmp_path):
    return install(monkeypatch, tmp_path / "weights")


@pytest.fixture
def played(monkeypatch):
    return install_ears(monkeypatch)


@pytest.fixture
def open_ears(whisper):
    opened = []

    def start(checkpoint: str | None = "", idle_seconds: float = 0.0) -> Estimators:
        transcriber = Transcriber(whisper.checkpoint if checkpoint == "" else checkpoint)
        estimators = Estimators(transcriber, idle_seconds)
        opened.extend([estimators, transcriber])
        return estimators

    yield start
    for one in opened:
        one.close()


def test_all_that_is_asked_is_heard_and_models_open_once(open_ears, played):
    estimators = open_ears()
    assert all(status.is_here for status in estimators.statuses()) and not played.opened
    for _ in range(2):
        found = estimators.estimates(SAMPLES, RATE, text="Red, green grey!", language="en", reference=CLIP)
    assert (found.heard, found.word_errors, found.n_words, found.likeness) == (WORDS, 1, 3, 0.8)
    assert (found.dnsmos, found.distillmos, found.lacking) == (SCORES, 3.5, {})
    assert found.word_floor is None, "of these weights nothing is known"
    assert found.word_error_rate == pytest.approx(1 / 3) and -40 < found.lufs < 0
    assert [measure for measure, _ in played.opened] == ["likeness", "dnsmos", "distillmos"]
    assert len(played.heard["dnsmos"][0]) == 32_000 and played.heard["likeness"][1] is CLIP


def test_what_is_not_asked_is_neither_heard_nor_lacking(open_ears, played, whisper):
    found = open_ears(None).estimates(SAMPLES, RATE)
    assert (found.heard, found.likeness, found.word_error_rate, found.lacking) == (None, None, None, {})
    assert found.distillmos == 3.5 and "likeness" not in played.heard and not whisper.asked


def test_a_measure_that_is_not_wanted_is_neither_heard_nor_lacking(open_ears, played, whisper):
    found = open_ears().estimates(SAMPLES, RATE, text="One", reference=CLIP, measures=("distillmos",))
    assert found == Estimates(distillmos=3.5) and set(played.heard) == {"distillmos"} and not whisper.heard


def test_what_is_not_installed_is_told_with_what_installs_it(open_ears):
    estimators = open_ears(None)
    found = estimators.estimates(SAMPLES, RATE, text="hello", reference=CLIP)
    assert set(found.lacking) == {"words", "dnsmos", "distillmos"} and found.lufs is not None and found.likeness > 0.99
    assert [status.measure for status in estimators.statuses()] == list(MEASURES)
    for measure, lack in found.lacking.items():
        (status,) = (status for status in estimators.statuses() if status.measure == measure)
        assert lack.case == "missing" and "make ears" in str(lack) and status.lacking == lack, measure


def test_a_failure_is_told_of_its_measure_alone_and_names_nothing_inside(open_ears, played, whisper):
    def fail() -> None:
        raise RuntimeError("at 0x7f")

    played.answers["dnsmos"] = RuntimeError("out of memory at 0x7f")
    whisper.before_segment = fail
    found = open_ears().estimates(SAMPLES, RATE, text="hello", reference=CLIP)
    assert {measure: lack.case for measure, lack in found.lacking.items()} == {"dnsmos": "failed", "words": "failed"}
    assert (found.likeness, found.distillmos, found.dnsmos, found.heard) == (0.8, 3.5, None, None)
    assert not any("0x7f" in str(lack) for lack in found.lacking.values())


def test_an_ear_that_cannot_be_opened_is_tried_again(open_ears, played, monkeypatch):
    opening, failing = dnsmos.DnsmosEstimator, [OSError("no file")]

    def open_dnsmos() -> object:
        if failing:
            raise failing.pop()
        return opening()

    monkeypatch.setattr(dnsmos, "DnsmosEstimator", open_dnsmos)
    estimators = open_ears()
    assert estimators.estimates(SAMPLES, RATE).lacking["dnsmos"].case == "failed"
    assert estimators.estimates(SAMPLES, RATE).dnsmos == SCORES


def test_silence_and_what_is_no_sound(open_ears, played):
    estimators = open_ears()
    found = estimators.estimates(np.zeros(RATE, np.float32), RATE, text="hello")
    assert {lack.case for lack in found.lacking.values()} == {"silent"} and not played.heard
    played.answers["likeness"] = None  # nobody speaks in one of the two
    assert estimators.estimates(SAMPLES, RATE, reference=CLIP).lacking["likeness"].case == "silent"
    assert estimators.estimates(SAMPLES[: RATE // 5], RATE).lacking.keys() == {"loudness"}
    with pytest.raises(ClipUnusable):
        estimators.estimates(np.full(RATE, np.nan, np.float32), RATE)
    with pytest.raises(ValueError, match="mono"):
        estimators.estimates(np.zeros((2, RATE), np.float32), RATE)
    assert estimators.estimates(np.zeros(0, np.float32), RATE).dnsmos is None


def test_no_words_heard_are_as_many_errors_as_there_are_words(open_ears, whisper, played):
    whisper.sentences = ()
    found = open_ears().estimates(SAMPLES, RATE, text="red green")
    assert (found.heard, found.word_errors, found.n_words) == ("", 2, 2)
    assert Estimates(word_errors=0, n_words=0).word_error_rate is None


def test_only_the_beginning_of_a_long_sound_is_heard(open_ears, played):
    long = np.resize(SAMPLES, round((MOST_SECONDS + 1) * RATE))
    open_ears().estimates(long, RATE)
    assert len(played.heard["dnsmos"][0]) == MOST_SECONDS * 16_000


def test_who_comes_when_too_many_wait_is_told_and_closing_ends_all(open_ears, played):
    estimators, gate = open_ears(), Gate()
    played.before = gate
    with ThreadPoolExecutor(MOST_WAITING + 1) as pool:
        first = pool.submit(estimators.estimates, SAMPLES, RATE)
        gate.wait_for_arrival()
        waiting = [pool.submit(estimators.estimates, SAMPLES, RATE) for _ in range(MOST_WAITING)]
        assert eventually(lambda: estimators._worker.n_waiting == MOST_WAITING)
        assert {lack.case for lack in estimators.estimates(SAMPLES, RATE).lacking.values()} == {"busy"}
        closing = threading.Thread(target=estimators.close)
        closing.start()
        assert eventually(lambda: estimators._worker._is_closing)
        gate.open()
        closing.join(20)
        for one in (first, *waiting):
            assert "closing" in {lack.case for lack in one.result(20).lacking.values()}
    assert {lack.case for lack in estimators.estimates(SAMPLES, RATE).lacking.values()} == {"closing"}


def test_models_are_let_go_of_once_nobody_has_asked_for_a_while(open_ears, played):
    estimators = open_ears(idle_seconds=0.01)
    estimators.estimates(SAMPLES, RATE)
    assert eventually(lambda: all(model() is None for _, model in played.opened))
    assert estimators.estimates(SAMPLES, RATE).distillmos == 3.5 and len(played.opened) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has priorities of threads")
def test_who_speaks_comes_first(open_ears, played):
    seen = []
    played.before = lambda: seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
    open_ears().estimates(SAMPLES, RATE)
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert seen == [NICENESS, NICENESS] and own == os.getpriority(os.PRIO_PROCESS, 0) < NICENESS


def test_half_of_the_cores_hear(monkeypatch):
    for cores, threads in ((1, 1), (2, 1), (16, 8), (None, 1)):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert half_the_cores() == threads
