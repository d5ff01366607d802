"""A full disk on the page: whatever writes says so in the visitor's words, nothing is half done, and deleting works."""

import base64
import errno
import json
from dataclasses import replace

import pytest

from studio.audio.spoken_sounds import SpokenSounds
from studio.speakers.clip_draft import ClipDrafts
from studio.speakers.consent import REASONS
from studio.ui.clips.clip_intake import take_clip
from studio.ui.clips.extracting import extract_voice
from studio.ui.create.creating import create_voice
from studio.ui.engines.engine_cards import act_on_engine
from studio.ui.programs.endpoints import Endpoints
from studio.ui.speak.deletions import delete_takes, restore_takes
from studio.ui.speak.history import act_on_entry, history_value, show_changed_history
from studio.ui.speak.relay import Relays
from studio.ui.voices.voice_acts import act_on_voice, make_demo
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.stand_ins.full_disk import refusing_disk
from tests.ui.clips.clips import wav_bytes
from tests.ui.voices.test_voices import enroll, sent, speak

CLIP = wav_bytes(4.0)
CONSENT = {"reason": next(iter(REASONS)), "who": "Ana", "transcript": ""}


@pytest.fixture
def studio(open_studio):
    """With two voices, one of which has spoken."""
    studio = open_studio(folder="speakers", warm_uploads=False)
    enroll(studio)
    enroll(studio, "Ben", seed=2)
    speak(studio, speaker="Ana")
    return studio


@pytest.mark.slow
def test_whatever_writes_says_that_the_disk_is_full_and_changes_nothing(studio):
    drafts = ClipDrafts()
    draft = take_clip(drafts, sent(CLIP, "a.wav"))["draft"]
    (entry,), (_, bundle) = studio.history.entries(), studio.library.export("Ana")
    region = {"draft": draft, "start": 0, "end": 4000}
    acts = {
        "create": lambda: create_voice(studio, drafts, region | CONSENT | {"name": "Eva"}),
        "demo": lambda: make_demo(studio, {}),
        "edit": lambda: act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Anna"}),
        "edit over another": lambda: act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Ben", "replace": True}),
        "replace": lambda: act_on_voice(studio, {"act": "replace", "voice": "Ana", "sent": sent(CLIP, "a.wav")} | CONSENT),
        "import": lambda: act_on_voice(
            studio, {"act": "import", "sent": sent(bundle, "a.voice.zip"), "on_conflict": "keep both"}
        ),
        "star": lambda: act_on_entry(studio, {"act": "star", "entry": entry.id, "starred": True}),
    }  # fmt: skip
    before = [speaker.generation for speaker in studio.speakers()]
    for what, act in acts.items():
        with refusing_disk():
            answer = act()
        problem = answer.get("problem", answer)
        assert problem["code"] == "disk_full", (what, answer)
        assert problem["values"] == {"setting": "SPEAKER_SAMPLES_DIR"} and "SPEAKER_SAMPLES_DIR" in problem["hint"]
        assert "secret" not in json.dumps(answer)
        assert [speaker.generation for speaker in studio.speakers()] == before, what
    assert not studio.history.entries()[0].starred


def test_a_disk_that_may_not_be_written_to_is_another_fact(studio):
    with refusing_disk(errno.EROFS):
        problem = act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Anna"})["problem"]
    assert problem["code"] == "disk_read_only" and "may not write" in problem["fact"]


def test_a_voice_is_deleted_with_a_way_back_where_there_is_room_for_one_and_else_for_good(studio):
    with refusing_disk():
        assert act_on_voice(studio, {"act": "delete", "voice": "Ana"})["undo"] is None
        assert [speaker.name for speaker in studio.speakers()] == ["Ben"]
        assert studio.history.entries() == ()
    kept = act_on_voice(studio, {"act": "delete", "voice": "Ben"})["undo"]
    with refusing_disk():
        assert act_on_voice(studio, {"act": "restore", "undo": kept})["name"] == "Ben"
        assert act_on_voice(studio, {"act": "delete", "voice": "Ben"})["undo"], "its folder is there"
    assert studio.speakers() == ()


def test_a_take_is_deleted_and_comes_back_once_there_is_room(studio):
    with refusing_disk():
        undo = delete_takes(studio, {"entries": [studio.history.entries()[0].id]})["undo"]
        assert studio.history.entries() == ()
        assert restore_takes(studio, {"undo": undo})["problem"]["code"] == "disk_full"
    assert restore_takes(studio, {"undo": undo}) == {"n": 1} and len(studio.history.entries()) == 1


def test_the_history_says_that_speech_is_not_kept(studio):
    *_, seen = show_changed_history(studio, "")
    assert history_value(studio)["not_kept"] is None
    with refusing_disk():
        speak(studio, "Not kept.", speaker="Ana")
    assert history_value(studio)["not_kept"]["code"] == "disk_full"
    assert show_changed_history(studio, seen)[2] != seen, "open windows are told"
    speak(studio, "Kept.", speaker="Ana")
    assert history_value(studio)["not_kept"] is None


def test_what_an_engine_learned_serves_from_memory(studio):
    with refusing_disk():
        assert extract_voice(studio, {"voice": "Ben", "engine": INFO.id})["bytes"] == 0
        assert studio.prompts.places(studio.speaker("Ben")) == {INFO.id: "memory"}


def test_a_voice_that_was_taken_is_there_without_what_engines_learned_of_it(studio, monkeypatch):
    _, bundle = studio.library.export("Ana")

    def full(*prompt) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(studio.store, "write_prompt", full)
    studio.forget("Ana")
    answer = act_on_voice(studio, {"act": "import", "sent": sent(bundle, "a.voice.zip")})
    assert answer["name"] == "Ana" and "problem" not in answer
    assert studio.speaker("Ana") and studio.prompts.places(studio.speaker("Ana")) == {}


def test_programs_are_told_by_the_pages_endpoints(studio):
    endpoints = Endpoints(studio, Relays(), SpokenSounds())
    with refusing_disk(), pytest.raises(Exception, match="disk is full"):
        endpoints.create_voice("Eva", base64.b64encode(CLIP).decode(), "c1")


def test_an_acceptance_that_cannot_be_written_down_accepts_nothing(open_studio):
    restricted = replace(INFO, restriction="commercial use")
    studio = open_studio(FakeEngine(restricted))
    with refusing_disk():
        told = act_on_engine(studio, {"engine": INFO.id, "verb": "fetch", "accepted": "commercial use"})
    assert told["code"] == "disk_full" and not studio.licenses.holds(restricted)
