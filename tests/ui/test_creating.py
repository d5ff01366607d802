"""Claims about creating a voice on the page, without a browser, over the fake engine."""

from dataclasses import replace

import numpy as np
import pytest

from engines.contract import EngineInfo
from engines.errors import ClipsUnsupported, ClipUnusable, EngineFailed
from studio.service import Studio
from studio.settings import Settings
from studio.ui import creating
from studio.ui.creating import Draft, create_voice
from tests.fake_engine import INFO, FakeEngine
from tests.ui.clips import wav_bytes


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    """The folder in which Gradio would have put what the recorder sends."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setattr(creating, "get_upload_folder", lambda: str(folder))
    return folder


@pytest.fixture
def open_studio(tmp_path):
    """open_studio(**what the fake engine does) -> Studio; closed after the test."""
    studios = []

    def make(info: EngineInfo = INFO, **engine) -> Studio:
        settings = Settings(speakers_dir=tmp_path / "speakers", default_engine="fake")
        studios.append(Studio(settings, infos={"fake": info}, open_engine=lambda name: FakeEngine(info, **engine)))
        return studios[-1]

    yield make
    for studio in studios:
        studio.close()


def sent(folder, data: bytes | None = None, name: str = "recording.wav") -> dict[str, str]:
    path = folder / name
    path.write_bytes(wav_bytes() if data is None else data)
    return {"path": str(path), "name": name, "type": "audio/wav"}


def draft(clip: object, **fields) -> Draft:
    filled = Draft(clip, "Ana", "These are the words.", "en", "own", "Ana, recorded today", "fake")
    return replace(filled, **fields)


def raises(error: Exception):
    def before_extract():
        raise error

    return before_extract


def test_a_created_voice_is_stored_with_its_consent_and_learned_at_once(open_studio, uploads):
    studio = open_studio()
    message = create_voice(studio, draft(sent(uploads)))
    speaker = studio.speaker("ana")
    assert message["kind"] == "done" and message["voice"] == "Ana"
    assert "Fake learned the voice in" in message["hint"] and "ms" in message["hint"]
    assert speaker.consent == "My own voice: Ana, recorded today"
    assert speaker.transcript.text == "These are the words." and speaker.transcript.language == "en"
    assert studio.prompt_places(speaker) == {"fake": "memory"}


def test_the_clip_keeps_its_rate_and_level(open_studio, uploads):
    studio = open_studio()
    create_voice(studio, draft(sent(uploads, wav_bytes(seconds=2, sample_rate=44_100, peak=0.25))))
    clip = studio.speaker("Ana").read_clip()
    assert clip.sample_rate == 44_100 and clip.seconds == pytest.approx(2)
    assert np.abs(clip.samples).max() == pytest.approx(0.25, abs=0.001)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"consent": None}, "consent_missing"),
        ({"consent": "because"}, "consent_missing"),
        ({"who": "  "}, "consent_missing"),
        ({"name": ""}, "name_invalid"),
        ({"name": "a/b"}, "name_invalid"),
        ({"name": "tone"}, "name_reserved"),
    ],
)
def test_a_refused_draft_says_why_and_stores_nothing(open_studio, uploads, fields, code):
    studio = open_studio()
    message = create_voice(studio, draft(sent(uploads), **fields))
    assert (message["kind"], message["code"]) == ("problem", code)
    assert message["fact"] and message["hint"]
    assert studio.speakers() == ()


@pytest.mark.parametrize("fields", [{}, {"consent": None}, {"name": ""}])
def test_the_upload_is_gone_whether_it_was_taken_or_refused(open_studio, uploads, fields):
    create_voice(open_studio(), draft(sent(uploads), **fields))
    assert list(uploads.iterdir()) == []


def test_a_file_that_is_no_audio_is_refused_with_what_can_be_read(open_studio, uploads):
    message = create_voice(open_studio(), draft(sent(uploads, b"no audio" * 100)))
    assert message["code"] == "audio_undecodable" and "WAV" in message["hint"]


def test_a_path_outside_of_the_uploads_is_neither_read_nor_deleted(open_studio, uploads, tmp_path):
    foreign = tmp_path / "private.wav"
    foreign.write_bytes(wav_bytes())
    for path in (str(foreign), str(uploads / ".." / "private.wav")):
        message = create_voice(open_studio(), draft({"path": path, "name": "x.wav", "type": ""}))
        assert message["code"] == "clip_absent"
    assert foreign.exists()


@pytest.mark.parametrize("clip", [None, {}, {"problem": "The clip did not reach the studio.", "hint": "Try again."}])
def test_without_a_clip_the_message_says_how_to_get_one(open_studio, uploads, clip):
    message = create_voice(open_studio(), draft(clip))
    assert message["kind"] == "problem" and message["code"] == "clip_absent"


def test_a_voice_is_never_replaced_by_the_page(open_studio, uploads):
    studio = open_studio()
    create_voice(studio, draft(sent(uploads)))
    first = studio.speaker("Ana").generation_id
    message = create_voice(studio, draft(sent(uploads, wav_bytes(seconds=3)), name=" ANA "))
    assert message["code"] == "speaker_exists"
    assert studio.speaker("Ana").generation_id == first


def test_a_clip_that_the_engine_refuses_leaves_no_speaker(open_studio, uploads):
    error = ClipUnusable("clip_too_short", "The clip has 0.4 s of speech; 1 s is needed.", "Record 3 to 15 s.")
    studio = open_studio(before_extract=raises(error))
    message = create_voice(studio, draft(sent(uploads)))
    assert (message["code"], message["fact"], message["hint"]) == (error.code, error.fact, error.hint)
    assert studio.speakers() == ()


@pytest.mark.parametrize("error", [EngineFailed("The engine ran out of memory.", "Try later."), ClipsUnsupported("Presets only.", "")])
def test_a_speaker_that_another_engine_or_a_later_try_may_use_stays(open_studio, uploads, error):
    studio = open_studio(before_extract=raises(error))
    message = create_voice(studio, draft(sent(uploads)))
    assert message["kind"] == "done" and error.fact in message["fact"]
    assert [speaker.name for speaker in studio.speakers()] == ["Ana"]


def test_a_bug_is_told_without_a_stack_trace(open_studio, uploads, monkeypatch, caplog):
    studio = open_studio()
    monkeypatch.setattr(studio, "enroll", lambda recording: 1 / 0)
    message = create_voice(studio, draft(sent(uploads)))
    assert message["kind"] == "problem" and "division" not in message["fact"] + message["hint"]
    assert "create_voice failed" in caplog.text
