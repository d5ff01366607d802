"""Voices under Windows' file rules: created, replaced, edited, spoken with and deleted; and what is said of a file that is open."""

import pytest

from engines import durable
from studio.speakers.edit import SpeakerEdit
from tests.api.door import error_of, wav

VOICE = "/v1/audio/voices/alice"

pytestmark = pytest.mark.windows_files


@pytest.mark.slow
def test_a_voice_is_created_replaced_edited_spoken_with_and_deleted(door):
    assert door.upload("alice").status_code == 200, "which nobody could"
    door.studio.library.edit("alice", SpeakerEdit("Alice", description="low"))
    asked = (
        lambda: door.upload("alice", wav(2.0, hz=330.0)),
        lambda: door.post(f"{VOICE}/cache"),
        lambda: door.speak(voice="alice"),
        lambda: door.get(f"{VOICE}/audio"),
        lambda: door.delete(f"{VOICE}/cache"),
        lambda: door.delete(VOICE),
    )
    assert [ask().status_code for ask in asked] == [200] * len(asked)
    assert not list(door.folder.glob("*.safetensors"))


def test_a_voice_whose_file_another_program_has_open_stays_and_whoever_asks_is_told(door, monkeypatch):
    monkeypatch.setattr(durable, "PATIENCE_SECONDS", 0.02)
    door.upload("alice")
    [file] = door.folder.glob("*.safetensors")
    with file.open("rb"):
        answer = door.delete(VOICE)
    assert (answer.status_code, error_of(answer)["reason_code"]) == (503, "file_in_use"), answer.text
    assert "Another program" in error_of(answer)["message"] and str(door.folder) not in answer.text
    assert door.delete(VOICE).status_code == 200 and not file.exists()
