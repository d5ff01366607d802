"""ZeroGPU: a whole studio whose engine works in processes that are lent for a call, as the host forks, queues and refuses them."""

import contextlib
import math
import os
import signal
import sys
from contextvars import copy_context
from dataclasses import replace

import numpy as np
import pytest

import app
from engines.errors import ClipUnusable, ConversionUnsupported, EngineFailed, EngineUnavailable
from studio.errors import SpeechCancelled
from studio.running.offer.offer import is_lent, open_from_catalog
from studio.running.zero_gpu.zero_gpu import open_zero_gpu
from studio.running.zero_gpu.zero_gpu_engine import (
    LEARNING_SECONDS,
    MOST_CHARACTERS,
    LentEngine,
    ZeroGpuEngine,
    speaking_seconds,
    start_seconds,
)
from studio.running.zero_gpu.zero_gpu_errors import GpuAborted, GpuQuotaExceeded, GpuWithoutVisitor, NothingToUnload, ZeroGpuMissing
from studio.server import load_lent
from studio.service import Studio
from studio.settings import EngineSettings, Settings
from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import SpeakerTensor
from studio.speech.conversion import ConversionRequest
from studio.speech.refusal import refusal_of
from studio.speech.request import SpeechRequest
from studio.timeline import Timeline
from studio.ui.engines.engine_cards import cards_value
from tests.stand_ins.fake_engine import ADOPTER, INFO, FakeEngine, heard_pitch, pitch_of
from tests.stand_ins.zero_gpu_host import FORK, Call, ZeroGpuHost
from tests.studio.speech.test_conversion import source
from tests.studio.test_service import recording

WANTS_GPU = replace(INFO, wants_gpu=True)
TEXT = "A sentence to say."
ALICE = SpeechRequest(TEXT, speaker="Alice")
START_SECONDS = start_seconds(INFO.weights_bytes)
TO_LEARN_SECONDS = math.ceil(START_SECONDS + LEARNING_SECONDS)


def asked_for(text: str) -> int:
    return math.ceil(START_SECONDS + speaking_seconds(text, {}))


@pytest.fixture
def host():
    host = ZeroGpuHost()
    host.visitor.set("visitor")
    yield host
    host.close()


@pytest.fixture
def studio_on(open_studio, host):
    """studio_on(engine, **settings) -> a studio that knows Alice, and whose engine is lent its GPU."""

    def start(engine: FakeEngine, **settings) -> Studio:
        studio = open_studio(engine, zero_gpu=True, gpu_host=host.zero_gpu(), warm_uploads=False, **settings)
        studio.enroll(recording())
        return studio

    return start


def lent_engine(*, converts: bool = False, **more) -> FakeEngine:
    return FakeEngine(replace(WANTS_GPU, converts=converts), **more)


def lent_by(host: ZeroGpuHost, engine: FakeEngine) -> LentEngine:
    lent = LentEngine(host.zero_gpu())
    lent.engine = engine
    return lent


def holding(at: int):
    """(arrived, go on, hook): the hook holds the engine before that chunk, in whatever process it runs."""
    arrived, go_on = FORK.Event(), FORK.Event()

    def hook(index: int) -> None:
        if index == at:
            arrived.set()
            assert go_on.wait(60)

    return arrived, go_on, hook


@pytest.mark.slow
def test_a_prompt_is_learned_on_a_gpu_and_kept_here_and_speech_is_made_there(studio_on, host, open_studio):
    engine = lent_engine()
    studio = studio_on(engine)
    first, second = (studio.speak(ALICE, Timeline()) for _ in range(2))
    samples = first.read_all()
    assert np.array_equal(samples, second.read_all())
    assert (first.timeline.cache, second.timeline.cache) == ("miss", "hit")
    speaking = Call("_speak", asked_for(TEXT), "visitor")
    assert host.calls == [Call("_learn", TO_LEARN_SECONDS, "visitor"), speaking, speaking]
    assert host.n_forks == 2  # one for each function; the second speech found the first one's idle
    assert (engine.extractions, engine.chunks_made, engine.warmed_up) == (0, 0, False)  # not in this process
    elsewhere = open_studio(FakeEngine(), "elsewhere")
    elsewhere.enroll(recording())
    assert np.abs(samples - elsewhere.speak(ALICE).read_all()).max() <= 0.5 / 32768 + 1e-7
    assert host.emulating  # when it was opened
    stages = first.timeline.stages()
    assert {"load", "extract", "queue", "first_chunk"} <= stages.keys() and first.end.reason == "ended"


@pytest.mark.slow
def test_several_recordings_are_learned_there_as_several(studio_on, host):
    studio = studio_on(lent_engine())
    speaker = studio.enroll(replace(recording("Trio"), clip=replace(recording().clip, joints=(16_000, 32_000))))
    samples = studio.speak(SpeechRequest(TEXT, speaker="Trio")).read_all()
    assert heard_pitch(samples) == pytest.approx(pitch_of(speaker.clip_digest), abs=5)


@pytest.mark.slow
def test_what_other_tools_made_is_adopted_there(studio_on):
    studio = studio_on(FakeEngine(replace(ADOPTER, id="fake", wants_gpu=True)))
    studio.enroll(Enrollment("Eve", "own", tensor=SpeakerTensor.of(np.full((2, 6), 5.0), "embeddings", 2)))
    assert heard_pitch(studio.speak(SpeechRequest(TEXT, speaker="Eve")).read_all()) == pytest.approx(360, abs=5)


@pytest.mark.slow
def test_a_long_text_asks_for_its_time_part_by_part(studio_on, host):
    studio = studio_on(lent_engine())
    text = " ".join([TEXT] * 40)
    assert len(studio.speak(SpeechRequest(text, speaker="tone")).read_all()) > len(text) * 0.04 * 24_000
    speaking = [call.seconds for call in host.calls if call.function == "_speak"]
    assert len(speaking) > 2 and max(speaking) <= asked_for("a" * MOST_CHARACTERS)


@pytest.mark.slow
def test_recorded_speech_is_converted_there_and_asks_for_its_own_time(studio_on, host):
    engine = lent_engine(converts=True)
    studio = studio_on(engine)
    spoken = source(4.0)
    speech = studio.convert(ConversionRequest(spoken, speaker="Alice"))
    samples = speech.read_all()
    assert (len(samples), heard_pitch(samples)) == (4 * 24_000, pytest.approx(pitch_of(recording().clip.digest), abs=1))
    assert host.calls[-1] == Call("_speak", math.ceil(START_SECONDS + 4), "visitor")
    assert (engine.converted, speech.end.reason) == ([], "ended")  # not in this process
    with pytest.raises(ConversionUnsupported):
        ZeroGpuEngine(lent_by(host, lent_engine())).convert(spoken, None, {})


@pytest.mark.slow
def test_without_a_visitor_nothing_is_lent_and_the_refusal_says_who_lacks(studio_on, host):
    studio = studio_on(lent_engine())
    nobody = copy_context()
    nobody.run(host.visitor.set, None)
    with pytest.raises(GpuWithoutVisitor, match="which visitor asks") as refused:
        nobody.run(studio.speak, ALICE)
    assert (refusal_of(refused.value).status, refusal_of(refused.value).parameter) == (400, "model")
    studio.speak(ALICE).read_all()  # learned by now, so it is the speech that is refused
    speech = nobody.run(studio.speak, ALICE)
    with pytest.raises(GpuWithoutVisitor):
        speech.read_all()
    assert len(host.calls) == 2


@pytest.mark.slow
def test_what_is_learned_in_the_background_is_learned_for_whoever_asked(studio_on, host):
    studio = studio_on(lent_engine())
    studio.load()
    studio.prompts.extract("Alice", "fake")
    studio._parts.supply.stop_learning()
    studio._parts.supply.close()
    assert host.calls == [Call("_learn", TO_LEARN_SECONDS, "visitor")]


@pytest.mark.slow
def test_who_hangs_up_stops_the_engine_within_a_chunk_and_frees_the_gpu(studio_on, host):
    made = FORK.Value("i", 0)
    arrived, go_on, hold = holding(at=2)

    def hook(index: int) -> None:
        made.value += 1
        hold(index)

    studio = studio_on(lent_engine(before_chunk=hook))
    speech = studio.speak(ALICE)
    next(speech)
    assert arrived.wait(60)
    speech.close()
    go_on.set()
    for _ in range(2):
        assert host.released.acquire(timeout=60)
    assert made.value == 3
    assert speech.end.reason == "cancelled"
    assert len(studio.speak(ALICE).read_all()) > 0  # by the same process
    assert host.n_forks == 2


@pytest.mark.slow
def test_who_hangs_up_stops_nobody_else_who_got_the_process_meanwhile(studio_on, host):
    arrived, go_on = FORK.Event(), FORK.Event()
    n_texts = FORK.Value("i", 0)

    def hold_the_second_text(index: int) -> None:
        n_texts.value += index == 0
        if (n_texts.value, index) == (2, 1):
            arrived.set()
            assert go_on.wait(60)

    studio = studio_on(lent_engine(before_chunk=hold_the_second_text), most_ahead_seconds=0.1)
    first = studio.speak(ALICE)
    for _ in range(2):
        assert host.released.acquire(timeout=60)  # all is made, and nobody has taken it yet
    second = studio.speak(ALICE)
    assert arrived.wait(60)
    next(first)
    first.close()
    worker = studio.prompts._pool.worker("fake")
    with worker._changed:
        assert worker._changed.wait_for(lambda: len(worker._jobs) == 1, 60)
    go_on.set()
    assert len(second.read_all()) == int(len(TEXT) * 0.05 * 24_000)
    assert host.n_forks == 2


@pytest.mark.slow
def test_a_slow_listener_rests_this_side_alone(studio_on, host):
    studio = studio_on(lent_engine(), most_ahead_seconds=0.1)
    speech = studio.speak(ALICE)
    for _ in range(2):
        assert host.released.acquire(timeout=60)  # all is made, before anything is taken
    first = next(speech)
    assert studio.engines()[0].streaming == 1
    assert len(first) + len(speech.read_all()) == int(len(TEXT) * 0.05 * 24_000)


@pytest.mark.slow
def test_one_who_waits_for_a_gpu_holds_up_nobody_and_its_wait_is_no_work(studio_on, host):
    _, go_on, hook = holding(at=2)
    studio = studio_on(lent_engine(before_chunk=hook))
    first = studio.speak(ALICE)
    next(first)
    for _ in range(2):
        assert host.queued.acquire(timeout=60)
    second = studio.speak(ALICE)
    assert host.queued.acquire(timeout=60)
    status = studio.engines()[0]
    assert (status.streaming, status.waiting, status.device) == (1, 1, "ZeroGPU")
    next(first)  # goes on meanwhile
    go_on.set()
    first.read_all()
    second.read_all()
    stages = second.timeline.stages()
    assert second.timeline.compute_seconds <= stages["total"] - stages["queue"]


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, TO_LEARN_SECONDS])
def test_a_visitor_without_gpu_time_is_told_how_much_and_when(studio_on, host, left):
    """Before anything is learned, or when it is."""
    host.left = left
    studio = studio_on(lent_engine())
    words = TEXT * 10
    with pytest.raises(GpuQuotaExceeded, match=rf"and you have {left} m?s left") as refused:
        studio.speak(SpeechRequest(words, speaker="Alice")).read_all()
    assert "Try again in 3:12:07" in refused.value.hint
    assert refusal_of(refused.value).status == 429
    host.left = 120
    assert len(studio.speak(ALICE).read_all())


@pytest.mark.slow
def test_a_gpu_that_is_taken_back_ends_the_speech_and_the_next_gets_another(studio_on, host):
    doomed = FORK.Value("b", 1)

    def hook(index: int) -> None:
        if index == 2 and doomed.value:
            doomed.value = 0
            os.kill(os.getpid(), signal.SIGKILL)

    studio = studio_on(lent_engine(before_chunk=hook))
    speech = studio.speak(ALICE)
    with pytest.raises(GpuAborted, match="taken back"):
        speech.read_all()
    assert speech.end.reason == "failed" and speech.n_samples > 0
    assert len(studio.speak(ALICE).read_all())
    assert studio.engines()[0].state == "ready"


@pytest.mark.slow
def test_errors_of_the_engine_come_back_as_they_were_raised(studio_on):
    def refuse() -> None:
        raise ClipUnusable("clip_noisy", "The clip is noise.", "Record again.")

    engine = lent_engine(before_extract=refuse, fail_at_chunk=1)
    studio = studio_on(engine)
    with pytest.raises(ClipUnusable) as unusable:
        studio.speak(ALICE)
    assert (unusable.value.code, unusable.value.fact, unusable.value.hint) == ("clip_noisy", "The clip is noise.", "Record again.")
    speech = studio.speak(SpeechRequest(TEXT, speaker="tone"))
    with pytest.raises(EngineFailed, match="told to fail"):
        speech.read_all()
    assert speech.n_samples > 0


@pytest.mark.slow
def test_a_defect_of_the_engine_is_told_without_its_traceback(studio_on):
    def stumble(index: int) -> None:
        raise ZeroDivisionError("by nothing")

    with pytest.raises(EngineFailed, match=r"Fake could not finish this: by nothing\."):
        studio_on(lent_engine(before_chunk=stumble)).speak(SpeechRequest(TEXT, speaker="tone")).read_all()


def test_it_stays_loaded_however_long_it_is_idle_and_its_card_offers_no_unloading(studio_on):
    studio = studio_on(lent_engine(), unload_after_minutes=1e-9)
    load_lent(studio)
    with pytest.raises(NothingToUnload, match="so there is nothing to free"):
        studio.unload("fake")
    assert [(one.state, one.unloads_in_seconds) for one in studio.engines()] == [("ready", None)]
    assert cards_value(studio)["cards"][0]["verb"] is None


def test_one_that_could_not_be_opened_is_tried_again(open_studio, host):
    lacking = [EngineUnavailable("The weights are not here.")]

    def open_engine(name: str) -> FakeEngine:
        with contextlib.suppress(IndexError):
            raise lacking.pop()
        return lent_engine()

    studio = open_studio(lent_engine(), zero_gpu=True, gpu_host=host.zero_gpu(), open_engine=open_engine)
    load_lent(studio)
    assert studio.engines()[0].state == "unavailable"
    studio.unload("fake")
    assert studio.load("fake").state == "ready"


@pytest.mark.slow
def test_a_studio_that_closes_tells_those_who_wait_for_a_gpu(studio_on, host):
    arrived, go_on, hook = holding(at=1)
    studio = studio_on(lent_engine(before_chunk=hook))
    first = studio.speak(ALICE)
    assert arrived.wait(60)
    learning = studio.prompts._pool.worker("fake").call(lambda engine: engine.preset("tone"))
    second = studio.speak(ALICE)
    studio.prompts._pool.close()
    for waiting in (first, second):
        with pytest.raises(SpeechCancelled):
            waiting.read_all()
    with pytest.raises(SpeechCancelled):
        learning.result(60)
    go_on.set()


def test_a_host_that_lacks_what_belongs_to_it_is_told_before_anything_starts(monkeypatch, capsys):
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    with pytest.raises(ZeroGpuMissing, match="before spaces"):
        monkeypatch.delitem(sys.modules, "spaces", raising=False)
        monkeypatch.setitem(sys.modules, "torch", sys.modules[__name__])
        open_zero_gpu()
    monkeypatch.setitem(sys.modules, "spaces", None)  # as where it is not installed
    assert app.main([]) == 2
    assert "SPACES_ZERO_GPU is set, and the package spaces cannot be used" in capsys.readouterr().err


def test_what_is_asked_for_grows_with_the_text_and_slower_speech():
    assert speaking_seconds("Hi.", {}) <= 1
    long, slow = speaking_seconds(TEXT * 10, {"speed": 1.0}), speaking_seconds(TEXT * 10, {"speed": 0.5})
    assert slow == pytest.approx(2 * long) and long > 5


@pytest.mark.slow
def test_engines_that_want_no_gpu_or_are_given_a_cpu_stay_in_this_process(monkeypatch):
    settings = Settings(zero_gpu=True, engine_settings={"on_cpu": EngineSettings(device="cpu")})
    assert is_lent(settings, "fake", WANTS_GPU)
    assert not is_lent(settings, "on_cpu", WANTS_GPU) and not is_lent(settings, "fake", INFO) and not is_lent(Settings(), "fake", WANTS_GPU)
    told = {}
    monkeypatch.setattr("engines.catalog.open_engine", lambda name, **chosen: told.update({name: chosen}))
    for name in ("espeak", "qwen3_tts"):
        open_from_catalog(Settings(zero_gpu=True), name)
    assert told["espeak"]["device"] == "cpu"  # torch would say that there is a GPU
    assert (told["qwen3_tts"]["device"], told["qwen3_tts"]["options"]) == (None, {"width": 1})
