"""PromptNotes: what counts as a failure of a speaker, and the bound."""

import pytest

from engines.errors import ClipUnusable, EngineUnreachable
from studio.errors import EngineBusy, SpeechCancelled
from studio.prompts.notes import MOST_NOTES, Failure, PromptNotes
from studio.speakers.speaker import Generation
from studio.timeline import Timeline

ALICE = Generation("alice", "a" * 32)
NOISY = ClipUnusable("clip_noisy", "The clip is noise.", "Record again.")


def fail(notes: PromptNotes, error: Exception, owner: Generation | None = ALICE) -> None:
    with pytest.raises(type(error)), notes.attempt(owner, "fake"):
        raise error


def test_what_the_engine_refused_is_a_failure_until_the_next_attempt_begins():
    notes = PromptNotes()
    fail(notes, NOISY)
    assert notes.failure(ALICE.id, "fake") == Failure("The clip is noise.", "Record again.", "clip", "clip_noisy")
    with notes.attempt(ALICE, "fake"):
        assert notes.failure(ALICE.id, "fake") is None


@pytest.mark.parametrize("error", [EngineBusy("fake", 64, 3), EngineUnreachable("Gone."), SpeechCancelled("Over.")])
def test_a_busy_engine_one_out_of_reach_and_a_closing_studio_are_no_failures(error):
    notes = PromptNotes()
    fail(notes, error)
    assert notes.failure(ALICE.id, "fake") is None


def test_inline_audio_leaves_no_notes():
    notes = PromptNotes()
    fail(notes, NOISY, owner=None)
    timeline = Timeline()
    timeline.mark("first_audio")
    notes.spoke(None, "fake", timeline)
    assert notes.version == 0


def test_a_stream_without_sound_leaves_no_note():
    notes = PromptNotes()
    notes.spoke(ALICE, "fake", Timeline())
    assert notes.last_speech(ALICE.id, "fake") is None


def test_a_defect_is_told_without_its_words():
    notes = PromptNotes()
    fail(notes, ZeroDivisionError("/a/secret/path"))
    assert "secret" not in notes.failure(ALICE.id, "fake").fact


def test_the_number_of_notes_is_bounded_and_the_oldest_go_first():
    notes = PromptNotes()
    for number in range(MOST_NOTES + 10):
        notes.failed(f"{number}", "fake", NOISY)
    assert [notes.failure(name, "fake") is None for name in ("0", "9", "10", f"{MOST_NOTES + 9}")] == [True, True, False, False]
