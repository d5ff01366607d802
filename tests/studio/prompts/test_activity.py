"""PromptActivity: what counts as a failure of a speaker, and the bound."""

import pytest

from engines.errors import ClipUnusable, EngineUnreachable
from studio.errors import EngineBusy, SpeechCancelled
from studio.prompts.activity import MOST_NOTES, Failure, PromptActivity
from studio.speakers.speaker import Generation
from studio.timeline import Timeline

ALICE = Generation("alice", "a" * 32)
NOISY = ClipUnusable("clip_noisy", "The clip is noise.", "Record again.")


def fail(activity: PromptActivity, error: Exception, owner: Generation | None = ALICE) -> None:
    with pytest.raises(type(error)), activity.attempt(owner, "fake"):
        raise error


def test_what_the_engine_refused_is_a_failure_until_the_next_attempt_begins():
    activity = PromptActivity()
    fail(activity, NOISY)
    assert activity.failure(ALICE.id, "fake") == Failure("The clip is noise.", "Record again.", "clip", "clip_noisy")
    with activity.attempt(ALICE, "fake"):
        assert activity.failure(ALICE.id, "fake") is None


@pytest.mark.parametrize("error", [EngineBusy("fake", 64, 3), EngineUnreachable("Gone."), SpeechCancelled()])
def test_a_busy_engine_one_out_of_reach_and_a_closing_studio_are_no_failures(error):
    activity = PromptActivity()
    fail(activity, error)
    assert activity.failure(ALICE.id, "fake") is None


def test_inline_audio_leaves_no_notes():
    activity = PromptActivity()
    fail(activity, NOISY, owner=None)
    timeline = Timeline()
    timeline.mark("first_audio")
    activity.record_speech(None, "fake", timeline)
    assert activity.version == 0


def test_a_stream_without_sound_leaves_no_note():
    activity = PromptActivity()
    activity.record_speech(ALICE, "fake", Timeline())
    assert activity.last_speech(ALICE.id, "fake") is None


def test_a_defect_is_told_without_its_words():
    activity = PromptActivity()
    fail(activity, ZeroDivisionError("/a/secret/path"))
    assert "secret" not in activity.failure(ALICE.id, "fake").fact


def test_the_number_of_notes_is_bounded_and_the_oldest_go_first():
    activity = PromptActivity()
    for number in range(MOST_NOTES + 10):
        activity.failed(f"{number}", "fake", NOISY)
    assert [activity.failure(name, "fake") is None for name in ("0", "9", "10", f"{MOST_NOTES + 9}")] == [True, True, False, False]
