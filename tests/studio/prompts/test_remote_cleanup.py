"""RemoteCleanup: an engine that runs elsewhere is told what may stay there, whenever something is gone, whoever deleted it and when."""

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from engines.contract.prompt import embedding_digest
from engines.errors import EngineUnreachable, PresetUnknown
from studio.errors import NameReserved, SpeakerShadowed
from studio.service import Studio
from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import SpeakerTensor
from studio.speech.request import SpeechRequest
from studio.workspace import EVERYBODY, of_a_key
from tests.api.door import Gate
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.studio.test_service import clip_of, recording

FAR = replace(INFO, runs="elsewhere")
TEXT = "A sentence to say."


class FarEngine(FakeEngine):
    """Notes what it was told to keep, and on which threads. before_sweep runs at the beginning of each."""

    def __init__(self, info=FAR, *, before_sweep=lambda: None, **more):
        super().__init__(info, **more)
        self.sweeps: list[frozenset[str]] = []
        self.sweep_threads: set[int] = set()
        self.swept = threading.Semaphore(0)
        self.before_sweep = before_sweep

    def keep_only(self, source_digests):
        self.sweep_threads.add(threading.get_ident())
        self.before_sweep()
        self.sweeps.append(frozenset(source_digests))
        self.swept.release()

    def comes_to_keep(self, *digests: str) -> bool:
        """Whether it is told to keep these and nothing else, sooner or later."""
        while not self.sweeps or self.sweeps[-1] != set(digests):
            assert self.swept.acquire(timeout=60), (self.sweeps, digests)
        return True


def opened(open_studio, engine: FarEngine | None = None, folder: str = "", **settings) -> tuple[Studio, FarEngine]:
    engine = engine or FarEngine()
    return open_studio(engine, folder, warm_uploads=False, **settings), engine


def comes_to_rest(studio: Studio) -> None:
    """Its engine is at work for nobody; who has heard a speech to its end may be a little early."""
    worker = studio.prompts._pool.worker("fake")
    with worker._changed:
        assert worker._changed.wait_for(lambda: not worker._jobs, 60)


def test_an_engine_that_was_opened_keeps_what_all_workspaces_have_and_is_told_on_a_thread_of_its_own(open_studio):
    studio, engine = opened(open_studio, workspaces="private")
    embedding = np.arange(8, dtype=np.float32)
    mine = studio.within(of_a_key("me")).enroll(recording("Mine", 2))
    everybodys = studio.enroll(recording())
    studio.enroll(Enrollment("Direct", "consent-1", tensor=SpeakerTensor.of(embedding)))
    assert engine.sweeps == []
    studio.load()
    assert engine.comes_to_keep(mine.clip_digest, everybodys.clip_digest, embedding_digest(embedding))
    studio.within(of_a_key("me")).forget("Mine")
    assert engine.comes_to_keep(everybodys.clip_digest, embedding_digest(embedding))
    studio.enroll(recording(seed=3))  # in the place of Alice
    assert engine.comes_to_keep(studio.speaker("Alice").clip_digest, embedding_digest(embedding))
    assert threading.get_ident() not in engine.sweep_threads and everybodys.workspace == EVERYBODY


def test_for_what_goes_while_it_is_closed_it_is_opened_and_after_a_restart_it_is_told_as_well(open_studio):
    studio, engine = opened(open_studio)
    alice, bob = studio.enroll(recording()), studio.enroll(recording("Bob", 2))
    studio.load()
    assert engine.comes_to_keep(alice.clip_digest, bob.clip_digest)
    comes_to_rest(studio)
    studio.unload("fake")
    studio.forget("Bob")
    assert engine.comes_to_keep(alice.clip_digest)
    studio.close()
    studio, engine = opened(open_studio)
    studio.forget("Alice")
    assert studio.engines()[0].state == "idle"  # it has left nothing in this process's time
    studio.begin_loading()  # as a server does when it starts
    assert engine.comes_to_keep()


def test_one_that_was_set_aside_may_come_back_and_is_kept_until_it_cannot(open_studio):
    studio, engine = opened(open_studio)
    alice, bob = studio.enroll(recording()), studio.enroll(recording("Bob", 2))
    studio.load()
    studio.library.delete("Alice")
    studio.forget("Bob")
    assert engine.comes_to_keep(alice.clip_digest)
    studio.library.restore(alice.generation_id)
    studio.library.delete("Alice")
    studio._parts.speakers.trash.destroy(alice.generation_id)  # as when its time is over
    assert engine.comes_to_keep()
    assert bob.clip_digest not in engine.sweeps[-1]


def test_one_that_goes_or_comes_back_while_it_is_looked_up_who_is_there_is_kept(open_studio, monkeypatch):
    studio, engine = opened(open_studio)
    alice = studio.enroll(recording())
    studio.load()
    assert engine.comes_to_keep(alice.clip_digest)
    look = studio.store.speakers

    def goes_before():
        studio.library.delete("Alice")
        return look()

    def comes_back_after():
        there = look()
        studio.library.restore(alice.generation_id)
        return there

    for meanwhile in (goes_before, comes_back_after):
        monkeypatch.setattr(studio.store, "speakers", lambda meanwhile=meanwhile: (monkeypatch.undo(), meanwhile())[1])
        studio._parts.speakers.remote_cleanup.clean_up_now("fake", engine)
        assert engine.sweeps[-1] == {alice.clip_digest}


def test_a_recording_of_a_request_is_kept_while_it_is_cached(open_studio):
    studio, engine = opened(open_studio, cache_max_entries=1)
    first, second = clip_of(5), clip_of(6)
    studio.speak(SpeechRequest(TEXT, clip=first)).read_all()
    alice = studio.enroll(recording())
    studio.enroll(recording("Bob", 2))
    studio.forget("Bob")
    assert engine.comes_to_keep(first.digest, alice.clip_digest)
    studio.speak(SpeechRequest(TEXT, clip=second)).read_all()  # which takes the place of the first
    assert engine.comes_to_keep(second.digest, alice.clip_digest)


@pytest.mark.slow
def test_a_hundred_deletions_are_two_sweeps(open_studio):
    gate = Gate()
    studio, engine = opened(open_studio, FarEngine(before_sweep=gate))
    names = [f"Speaker {number}" for number in range(20)]
    for number, name in enumerate(names):
        studio.enroll(recording(name, number))
    studio.load()
    gate.wait_for_arrival()  # of the sweep at its opening
    with ThreadPoolExecutor(4) as people:
        list(people.map(studio.forget, names))
    gate.open()
    comes_to_rest(studio)
    assert engine.comes_to_keep() and len(engine.sweeps) <= 2


def test_what_another_process_deletes_goes_when_this_one_sees_it(open_studio):
    studio, engine = opened(open_studio)
    alice = studio.enroll(recording())
    studio.load()
    assert engine.comes_to_keep(alice.clip_digest)
    other, _ = opened(open_studio)
    other.forget("Alice")
    studio.speakers()
    assert engine.comes_to_keep()


def test_a_speech_under_way_keeps_what_it_needs_and_then_it_goes(open_studio):
    gate = Gate()
    studio, engine = opened(open_studio, FarEngine(before_chunk=gate))
    alice = studio.enroll(recording())
    speech = studio.speak(SpeechRequest(TEXT, speaker="Alice"))
    gate.wait_for_arrival()
    n_sweeps = len(engine.sweeps)
    studio.forget("Alice")
    while len(engine.sweeps) == n_sweeps:
        assert engine.swept.acquire(timeout=60)
    assert engine.sweeps[-1] == {alice.clip_digest}
    gate.open()
    speech.read_all()
    assert engine.comes_to_keep()


def test_what_is_prepared_for_one_who_goes_meanwhile_is_taken_back(open_studio):
    studio, engine = opened(open_studio)
    studio.enroll(recording())
    studio.load()
    preparing, go_on, prepare = threading.Event(), threading.Event(), engine.prepare

    def slow(prompt):
        preparing.set()
        assert go_on.wait(60)
        prepare(prompt)

    engine.prepare = slow
    with ThreadPoolExecutor(1) as caller:
        warming = caller.submit(studio.warm, "Alice")
        assert preparing.wait(60)
        studio.forget("Alice")
        go_on.set()
        warming.result(60)
    assert engine.comes_to_keep() and engine.prepared == set()


def test_nothing_is_taken_back_while_it_is_not_known_who_is_stored_and_what_failed_is_tried_again(open_studio, tmp_path):
    studio, engine = opened(open_studio, folder="speakers")
    alice = studio.enroll(recording())
    studio.load()
    assert engine.comes_to_keep(alice.clip_digest)
    again: list = []
    asked = threading.Semaphore(0)
    studio._parts.speakers.remote_cleanup._later = lambda seconds, clean_up: (again.append(clean_up), asked.release())
    folder, away = tmp_path / "speakers", tmp_path / "away"
    shutil.move(folder, away)
    studio._parts.speakers.remote_cleanup.clean_up()
    assert asked.acquire(timeout=60) and len(engine.sweeps) == 1
    shutil.move(away, folder)

    def unreachable():
        engine.before_sweep = lambda: None
        raise EngineUnreachable("Nobody is there.")

    engine.before_sweep = unreachable
    again.pop()()
    assert asked.acquire(timeout=60) and len(engine.sweeps) == 1
    again.pop()()
    assert engine.swept.acquire(timeout=60) and engine.sweeps[-1] == {alice.clip_digest}


def test_the_end_of_a_speech_waits_for_nothing_to_be_taken_back(open_studio):
    studio, engine = opened(open_studio, cache_max_entries=0)
    studio.enroll(recording())
    go_on, forgotten = threading.Event(), threading.Event()
    engine.forget = lambda digest: (go_on.wait(5), forgotten.set())
    studio.speak(SpeechRequest(TEXT, speaker="Alice")).read_all()
    assert not forgotten.is_set()
    go_on.set()
    assert forgotten.wait(60)


def test_an_engine_that_works_here_is_not_asked(open_studio):
    studio, engine = opened(open_studio, FarEngine(INFO))
    studio.enroll(recording())
    studio.load()
    studio.speak(SpeechRequest(TEXT, speaker="Alice")).read_all()
    studio.forget("Alice")
    comes_to_rest(studio)
    studio.unload("fake")
    assert engine.sweeps == []


def test_engines_that_run_elsewhere_are_opened_when_a_studio_starts_and_no_others_but_the_default(open_studio):
    infos = {name: replace(INFO, id=name) for name in ("here", "other")} | {"fake": FAR}
    far = FarEngine()
    studio = open_studio(infos=infos, open_engine=lambda name: far if name == "fake" else FakeEngine(infos[name]))
    studio.begin_loading()
    assert far.comes_to_keep()
    studio.load()
    assert [status.state for status in studio.engines()] == ["ready", "idle", "ready"]


def test_a_built_in_speaker_that_is_known_once_the_engine_is_open_has_its_name_from_then_on(open_studio):
    told = replace(FAR, presets=("tone", "Far Away"))
    here = replace(INFO, id="here", title="Here", presets=(), default_preset=None)
    engines = {"here": FakeEngine(here), "fake": FarEngine(told)}
    studio = open_studio(infos={"here": here, "fake": FAR}, open_engine=engines.__getitem__, warm_uploads=False)
    studio.enroll(recording("far away"))
    assert studio.shadow_of(studio.speaker("far away")) is None
    studio.speak(SpeechRequest(TEXT, speaker="far away", engine="here")).read_all()
    for engine in ("fake", "here"):  # the first of which opens it
        with pytest.raises(SpeakerShadowed) as shadowed:
            studio.speak(SpeechRequest(TEXT, speaker="FAR AWAY", engine=engine))
        assert shadowed.value.values["engines"] == ("Fake",)
    assert studio.shadow_of(studio.speaker("far away")) is not None
    with pytest.raises(NameReserved):
        studio.enroll(recording("Far away", 2))
    studio.forget("far away")
    studio.speak(SpeechRequest(TEXT, speaker="far away", engine="fake")).read_all()
    comes_to_rest(studio)
    studio.unload("fake")
    with pytest.raises(PresetUnknown, match="built into Fake, and not into Here"):
        studio.speak(SpeechRequest(TEXT, speaker="far away", engine="here"))
