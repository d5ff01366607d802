"""Sounds are listened to once, behind their rendering, and what lost words says so; nothing of it keeps a test from being frozen."""

from types import SimpleNamespace

import numpy as np
import pytest

from studio.errors import TranscriberBusy
from studio.listening.plan.design import Item
from studio.listening.plan.mends import patched
from studio.listening.plan.plan import Plan
from studio.listening.render import hearing
from studio.listening.render.hearing import hear_all, word_checks
from tests.api.door import eventually
from tests.listening.materials.rendered import enrol, spoken_plan
from tests.stand_ins.fake_engine import FakeEngine
from tests.stand_ins.whisper_stand_in import WORDS, install

TEXTS = ("The train leaves at nine.", "Nobody had an umbrella.")
PLAN = Plan(
    name="Heard",
    method="ab",
    systems=({"id": "a", "voice": "Ana", "label": "First"}, {"id": "b", "source": "files", "label": "Second"}),
    texts=TEXTS,
    language="en",
)


class Listener:
    """A transcriber that hears what it is told to, by the loudness of a sound in thousandths."""

    def __init__(self, heard: dict[int, str], name: str = "whisper-base"):
        self.heard, self.name, self.is_here, self.asked, self.busy = heard, name, True, [], 0

    def write(self, clip, language):
        if self.busy:
            self.busy -= 1
            raise TranscriberBusy(8, 10)
        sound = round(1000 * float(np.abs(clip.samples).max()))
        self.asked.append((sound, language))
        return SimpleNamespace(text=self.heard[sound]) if self.heard[sound] else None


@pytest.fixture
def items(tmp_path):
    """Of systems a and b, and an anchor: sounds 10, 20 and 11, 21 of the two texts."""
    made = []
    for sound, (system, role, text) in {
        10: ("a", "system", 0), 20: ("a", "system", 1), 11: ("b", "system", 0), 21: ("b", "system", 1), 30: ("embedded", "embedded", 0),
    }.items():  # fmt: skip
        samples = np.full(24_000, round(sound * 32.768), "<i2")
        (tmp_path / f"{sound}.wav").write_bytes(bytes(44) + samples.tobytes())
        made.append(Item(str(sound), system, role, text, f"hash{sound}", 0.5, 0.5, 0.0, -23.0, 12_000.0))
    return tuple(made)


def listen(items, folder, listener, *, is_stopped=lambda: False) -> list:
    told = []
    hear_all(PLAN, items, folder, listener, on_progress=lambda *report: told.append(report), is_stopped=is_stopped)
    return told


def checks(items, folder, listener, plan=PLAN) -> list:
    return list(word_checks(plan, items, folder, listener, lambda engine: True))


RIGHT = {10: TEXTS[0], 20: TEXTS[1], 11: "the train leaves at 9", 21: TEXTS[1]}


def test_each_sound_of_a_system_is_heard_once(items, tmp_path):
    listener = Listener(RIGHT)
    assert [check.key for check in checks(items, tmp_path, listener)] == ["words_waiting"]
    listen(items, tmp_path, listener)
    assert listener.asked == [(10, "en"), (20, "en"), (11, "en"), (21, "en")]
    listen(items, tmp_path, listener)
    assert len(listener.asked) == 4
    [summary] = checks(items, tmp_path, listener)
    assert (summary.key, summary.passed, summary.values) == ("words_beside", True, {"errors": 0, "n": 18, "percent": 0.0, "floor": 5})
    other = Listener(RIGHT, "large")
    assert [check.key for check in checks(items, tmp_path, other)] == ["words_waiting"], "another transcriber hears for itself"
    listen(items, tmp_path, other)
    assert [check.key for check in checks(items, tmp_path, other)] == ["words"], "of which no floor is known"


def test_a_sound_that_lost_a_word_is_left_out_or_said_again(items, tmp_path):
    listener = Listener(RIGHT | {20: "nobody had umbrella", 21: "body hat a brella"})
    listen(items, tmp_path, listener)
    summary, garbled, lost = checks(items, tmp_path, listener)
    assert (summary.key, summary.passed, summary.values["errors"]) == ("words_beside", False, 5)
    assert (lost.key, lost.values) == ("words_lost", {"system": "First", "text": 2, "n": 1, "words": "an"})
    assert (garbled.key, garbled.values["heard"]) == ("words_other", "body hat a brella")
    assert not any(check.needed for check in (summary, garbled, lost))
    assert [mend.key for mend in garbled.mends] == ["leave_out_texts"], "a file is not said again"
    without, again = lost.mends
    assert patched(PLAN, without).texts == TEXTS[:1]
    first, second = patched(PLAN, again).systems
    assert first.again == {TEXTS[1]: 1} and not second.again


def test_texts_of_files_that_are_only_names_are_not_compared(items, tmp_path):
    systems = tuple(system.model_copy(update={"source": "files"}) for system in PLAN.systems)
    plan = PLAN.model_copy(update={"systems": systems, "texts": ("sample_07", "sample_08")})
    listener = Listener(RIGHT)
    listen(items, tmp_path, listener)
    assert [(check.key, check.passed) for check in checks(items, tmp_path, listener, plan)] == [("words_names", True)]


def test_a_busy_transcriber_is_waited_for_and_a_stop_ends_it(items, tmp_path, monkeypatch):
    monkeypatch.setattr(hearing, "PATIENCE_SECONDS", 0)
    listener = Listener(RIGHT)
    listener.busy = 2
    listen(items, tmp_path, listener, is_stopped=lambda: len(listener.asked) == 2)
    assert [sound for sound, _ in listener.asked] == [10, 20]
    assert checks(items, tmp_path, listener)[0].values == {"n": 4, "done": 2}


def test_where_nobody_can_listen_what_would_help_is_told(items, tmp_path):
    [check] = checks(items, tmp_path, SimpleNamespace(is_here=False))
    assert (check.key, check.passed, check.needed) == ("words_unheard", False, False) and "ears" in check.values["command"]
    assert checks((), tmp_path, SimpleNamespace(is_here=False)) == []


def test_what_was_rendered_is_listened_to_without_being_asked(open_studio, monkeypatch, tmp_path):
    whisper = install(monkeypatch, tmp_path / "weights")
    studio = open_studio(FakeEngine(seconds_per_character=0.01), warm_uploads=False, transcriber=whisper.checkpoint)
    enrol(studio, "Ana", "Bob")
    listening = studio.listening
    test = listening.create(spoken_plan(texts=(WORDS,)))
    listening.begin_rendering(test.id)
    assert eventually(lambda: listening.test(test.id).items and not listening.is_hearing(test.id))
    assert eventually(lambda: [check.passed for check in listening.checks(test.id) if check.key == "words"] == [True])
    assert len(whisper.heard) == 2
