"""Claims about the threads that make sounds: how far they are, how they end, and what they know of who asked."""

import contextvars
import threading

import pytest

from engines.errors import EngineFailed
from studio.errors import DiskFull, RenderFailed, TestFrozen, TestRendering
from studio.listening.keep.kept_sounds import TAKES
from studio.listening.render.rendering import Renderer
from studio.running.jobs.background_jobs import BackgroundJobs, JobProgress
from tests.api.door import eventually
from tests.listening.store.made_tests import PLAN, finish, made_items, opened, render

WHO = contextvars.ContextVar("who", default="nobody")


class Gate:
    """Rendering waits in it, and says what it was asked."""

    def __init__(self):
        self.came, self.opens = threading.Event(), threading.Event()
        self.who, self.was_stopped, self.uploads = "", None, None
        self.ends = None  # raised at the end
        self.says = ""  # before the names of its sounds

    def render(self, plan, studio, uploads, folder, *, on_progress, is_stopped):
        self.who, self.uploads = WHO.get(), uploads
        on_progress(1, 4, "fast")
        self.came.set()
        assert self.opens.wait(60)
        self.was_stopped = is_stopped()
        if self.ends is not None:
            raise self.ends
        return () if self.was_stopped else made_items(plan, folder, self.says)


@pytest.fixture
def gate(monkeypatch):
    gate = Gate()
    monkeypatch.setattr(Renderer, "render", lambda self, *arguments, **more: gate.render(*arguments, **more))
    return gate


def ended(listening, test) -> JobProgress:
    assert eventually(lambda: not listening.progress(test.id).is_running)
    return listening.progress(test.id)


def test_sounds_are_made_in_the_background_and_kept_at_the_end(listening, gate):
    test = listening.create(PLAN)
    assert listening.progress(test.id) == JobProgress(0, 4)
    token = WHO.set("a visitor")
    listening.begin_rendering(test.id)
    WHO.reset(token)
    assert gate.came.wait(60)
    listening.begin_rendering(test.id)  # goes on already
    assert listening.progress(test.id) == JobProgress(1, 4, None, "fast", is_running=True)
    for act in (
        lambda: listening.change(test.id, PLAN),
        lambda: listening.freeze(test.id),
        lambda: listening.add_sound(test.id, "x", 0, b""),
    ):
        with pytest.raises(TestRendering):
            act()
    gate.opens.set()
    assert ended(listening, test) == JobProgress(1, 4)
    assert len(listening.test(test.id).items) == 4 and gate.who == "a visitor" and gate.uploads == {}
    assert listening.freeze(test.id).state == "open"


def test_a_rendering_that_is_stopped_leaves_the_draft_as_it_was(listening, gate):
    test = listening.create(PLAN)
    listening.begin_rendering(test.id)
    assert gate.came.wait(60)
    listening.stop_rendering(test.id)
    gate.opens.set()
    assert ended(listening, test).failure is None and gate.was_stopped
    assert listening.test(test.id) == test


@pytest.mark.parametrize(
    ("ends", "told"),
    [(EngineFailed("Text 1 of fast: no."), EngineFailed), (OSError(28, "no space"), DiskFull), (ZeroDivisionError(), RenderFailed)],
)
def test_what_goes_wrong_is_told_and_the_next_rendering_forgets_it(listening, gate, ends, told):
    test = listening.create(PLAN)
    gate.ends = ends
    gate.opens.set()
    listening.begin_rendering(test.id)
    assert isinstance(ended(listening, test).failure, told)
    gate.ends = None
    listening.begin_rendering(test.id)
    assert ended(listening, test).failure is None and listening.test(test.id).items


def test_sounds_of_another_plan_are_not_taken_for_those_of_this_one(open_listening, gate):
    """Another process has changed it meanwhile."""
    one, other = open_listening(), open_listening()
    test = one.create(PLAN)
    one.begin_rendering(test.id)
    assert gate.came.wait(60)
    other.change(test.id, PLAN.model_copy(update={"texts": ("Three.",)}))
    gate.opens.set()
    ended(one, test)
    assert one.test(test.id).items == ()


def test_a_rendering_that_ends_after_the_test_has_begun_takes_no_sound_and_no_answer(open_listening, gate, tmp_path):
    """It began in another process, or while the test was frozen."""
    one, other = open_listening(), open_listening()
    test = render(one, one.create(PLAN))
    gate.says = "anew"
    one.begin_rendering(test.id)
    assert gate.came.wait(60)
    session = other.begin(other.freeze(test.id).id)
    assert finish(other, test.id, session) == 2
    gate.opens.set()
    ended(one, test)
    assert finish(one, test.id, one.begin(test.id)) == 2 and one.session(test.id, session.token).is_done
    assert {path.stem for path in one.folder(test.id).glob("*.wav")} == {item.id for item in test.items}


def test_sounds_that_are_made_anew_take_the_place_of_those_before(listening, gate):
    test = render(listening, listening.create(PLAN))
    gate.says = "anew"
    gate.opens.set()
    listening.begin_rendering(test.id)
    ended(listening, test)
    made = {item.id for item in listening.test(test.id).items}
    assert all(item.startswith("anew-") for item in made)
    (listening.folder(test.id) / "left.wav").write_bytes(b"by a process that was killed")
    (listening.folder(test.id) / TAKES).mkdir()
    listening.freeze(test.id)
    assert {path.name for path in listening.folder(test.id).iterdir()} == {f"{item}.wav" for item in made}


def test_sounds_that_a_draft_has_no_more_are_gone(listening):
    test = render(listening, listening.create(PLAN))
    listening.change(test.id, PLAN.model_copy(update={"name": "Other"}))
    assert len(list(listening.folder(test.id).iterdir())) == 4
    listening.change(test.id, PLAN.model_copy(update={"lufs": -20.0}))
    assert not list(listening.folder(test.id).iterdir())


def test_a_test_that_is_deleted_while_its_sounds_are_made_leaves_no_file(listening, gate, tmp_path):
    test = listening.create(PLAN)
    listening.begin_rendering(test.id)
    assert gate.came.wait(60)
    listening.delete(test.id)  # and does not wait
    (tmp_path / "listening" / test.id).mkdir()  # as whoever makes a sound just then
    gate.opens.set()
    listening._folder.close()
    assert gate.was_stopped and not (tmp_path / "listening" / test.id).exists()


def test_closing_waits_for_what_is_being_made_and_begins_no_more(gate):
    jobs = BackgroundJobs("sounds", RenderFailed)
    jobs.begin("a", lambda on_progress, is_stopped: gate.render(PLAN, None, {}, None, on_progress=on_progress, is_stopped=is_stopped))
    assert gate.came.wait(60)
    closing = threading.Thread(target=jobs.close)
    closing.start()
    assert eventually(jobs._jobs["a"].stopped.is_set)
    gate.opens.set()
    closing.join()
    assert gate.was_stopped and not jobs.is_running("a")
    jobs.begin("b", lambda on_progress, is_stopped: None)
    assert jobs.progress("b") is None


def test_the_time_that_is_left_is_reckoned_from_what_was_made_here(monkeypatch):
    at, seen = [100.0], []
    monkeypatch.setattr("studio.running.jobs.background_jobs.time.monotonic", lambda: at[0])
    jobs = BackgroundJobs("sounds", RenderFailed)

    def render(on_progress, is_stopped) -> None:
        for done, moment in ((6, 100.0), (7, 102.0), (8, 106.0), (10, 107.0)):
            at[0] = moment
            on_progress(done, 10, "x")
            seen.append(jobs.progress("a").seconds_left)

    jobs.begin("a", render)
    jobs.close()
    assert seen == [None, 6.0, 6.0, 0.0]


def test_what_is_frozen_is_not_rendered(listening, gate):
    test = opened(listening)
    with pytest.raises(TestFrozen):
        listening.begin_rendering(test.id)
