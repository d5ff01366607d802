"""Claims about the library and the history as handlers: what is asked, what is answered, what stays in no folder."""

import base64
import io
import zipfile
from typing import get_args

import gradio as gr
import numpy as np
import pytest
import soundfile
from fastapi import FastAPI
from fastapi.testclient import TestClient

from engines.clips.clip import Clip
from studio.audio.spoken_sounds import SpokenSounds
from studio.errors import SpeakersUnreachable
from studio.prompts.status import PromptState
from studio.service import Studio
from studio.speakers.consent import REASONS
from studio.speakers.speaker import Enrollment
from studio.speech.request import SpeechRequest
from studio.ui.cache.cache_tab import SHOWN
from studio.ui.frame.files import file_routes
from studio.ui.frame.sign_in import SignIn
from studio.ui.gradio.news import VerifiedDigests
from studio.ui.speak.deletions import delete_takes
from studio.ui.speak.history import act_on_entry, history_value, run_again, show_changed_history, show_history
from studio.ui.voices.voice_acts import ACTS, act_on_voice, make_demo
from studio.ui.voices.voices import show_changed_voices, show_voices, voices_value
from studio.web.access import Access, KeyCheck
from studio.words.sentences import sentences_in
from tests.stand_ins.fake_engine import INFO
from tests.ui.clips.clips import speech_like, wav_bytes


@pytest.fixture
def studio(open_studio):
    return open_studio(folder="speakers", warm_uploads=False)


@pytest.fixture
def files(studio):
    with TestClient(FastAPI(routes=file_routes(studio, SpokenSounds()))) as client:
        yield client


def enroll(studio: Studio, name: str = "Ana", seed: int = 1, **more) -> None:
    samples = np.random.default_rng(seed).uniform(-0.3, 0.3, 48_000).astype(np.float32)
    studio.enroll(Enrollment(name, "her own", clip=Clip(samples, 24_000), **more))


def speak(studio: Studio, text: str = "Say this.", **request) -> str:
    """Keeps a speech; its entry."""
    with studio.speak(SpeechRequest(text, keep=True, **request)) as speech:
        speech.read_all()
    studio.history.settle()
    return studio.history.entries()[0].id


def sent(data: bytes, name: str) -> dict[str, str]:
    """As the page sends a file: in the event itself, so that it lies in no folder."""
    return {"data": base64.b64encode(data).decode(), "name": name, "type": ""}


def rows(studio: Studio) -> dict[str, dict]:
    return {row["name"]: row for row in voices_value(studio)["voices"]}


def problem_of(studio: Studio, asked: dict) -> dict:
    """What is told of an act that was refused: its problem and nothing else."""
    answer = act_on_voice(studio, asked)
    assert set(answer) == {"act", "at", "problem"}
    return answer["problem"]


# --- the library


def test_a_row_says_what_is_known_of_a_voice_and_where_its_prompts_are(studio):
    enroll(studio, tags=("warm",), description="a reader")
    row = rows(studio)["Ana"]
    assert (row["tags"], row["description"], row["seconds"], row["permission"]) == (["warm"], "a reader", 2.0, "stated")
    standing = {"engine": "fake", "title": "Fake", "state": "none", "code": "", "reason": "", "is_here": True, "can_learn": True}
    assert row["engines"] == [standing] and row["obstacle"] == ""
    studio.warm("Ana")
    assert rows(studio)["Ana"]["engines"][0]["state"] == "memory"


def test_whatever_is_sent_as_a_key_has_its_words():
    said = dict(sentences_in("en").sentences())
    keys = [f"state_{SHOWN.get(state, state)}" for state in get_args(PromptState)] + [
        f"permission_{reason}" for reason in (*REASONS, "stated")
    ]
    keys += [f"limit_{code}" for code in ("clip_too_short", "clip_too_long", "transcript_required")]
    keys += [f"done_{act}" for act in {*ACTS} - {"delete", "preview"} | {"skipped", "export"}]
    assert not [key for key in keys if f"voices.{key}" not in said]


def test_a_tick_sends_the_library_only_when_it_changed(studio):
    enroll(studio)
    checked = VerifiedDigests()
    _, seen = show_voices(studio, checked)
    assert show_changed_voices(studio, checked, seen) == (gr.skip(),) * 2
    act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Ana", "tags": "new"})
    assert show_changed_voices(studio, checked, seen)[0]["voices"][0]["tags"] == ["new"]


def test_an_edit_is_saved_and_a_taken_name_is_told_and_changes_nothing(studio):
    enroll(studio)
    enroll(studio, "Ben", 2)
    fields = {"description": "a reader", "tags": "a, b", "transcript": "her words", "language": "en"}
    answer = act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Bea"} | fields)
    assert (answer["act"], answer["name"], answer["doubt"]) == ("edit", "Bea", None)
    assert rows(studio)["Bea"] | fields == rows(studio)["Bea"] | {"tags": "a, b"}
    assert problem_of(studio, {"act": "edit", "voice": "Bea", "name": "ben"})["code"] == "name_taken"
    assert set(rows(studio)) == {"Bea", "Ben"}


@pytest.mark.slow
def test_words_that_hardly_fit_the_clip_are_saved_and_warned_of(studio):
    clip = Clip(speech_like(8.0, 24_000).astype(np.float32), 24_000)
    studio.enroll(Enrollment("Ana", "her own", clip=clip))
    fields = {"act": "edit", "voice": "Ana", "name": "Ana"}
    said = "About as many words as a reader says in eight seconds, with pauses between the parts of the sentence."
    for words, doubt in ((said, None), (said * 4, "words_extra"), ("Few.", "words_missing"), ("", None)):
        answer = act_on_voice(studio, fields | {"transcript": words})
        assert answer["name"] == "Ana"
        assert (answer["doubt"] and answer["doubt"]["case"]) == doubt, words
    sent = {"data": base64.b64encode(wav_bytes(8.0)).decode(), "name": "a.wav", "type": "audio/wav"}
    answer = act_on_voice(studio, fields | {"act": "replace", "sent": sent, "transcript": said * 4, "reason": "own", "who": "Ana"})
    assert answer["doubt"]["case"] == "words_extra" and answer["doubt"]["n"] > answer["doubt"]["spoken"] > 4


def test_a_deletion_can_be_undone_by_what_it_answered(studio):
    enroll(studio)
    answer = act_on_voice(studio, {"act": "delete", "voice": "Ana"})
    assert rows(studio) == {} and (answer["name"], answer["undo_seconds"]) == ("Ana", 30)
    assert act_on_voice(studio, {"act": "restore", "undo": answer["undo"]})["name"] == "Ana" and set(rows(studio)) == {"Ana"}
    for undo in (answer["undo"], "../../etc/passwd"):
        assert problem_of(studio, {"act": "restore", "undo": undo})["code"] == "undo_too_late"


def test_a_new_clip_needs_a_new_consent_and_is_that_of_the_new_recording(studio):
    enroll(studio)
    asked = {"act": "replace", "voice": "Ana", "who": "Ana, today", "transcript": "new words"}
    assert problem_of(studio, asked | {"sent": sent(wav_bytes(), "a.wav")})["code"] == "consent_missing"
    act_on_voice(studio, asked | {"reason": "own", "sent": sent(wav_bytes(), "a.wav")})
    speaker = studio.speaker("Ana")
    assert (speaker.filename, speaker.transcript.text, speaker.sample_rate) == ("a.wav", "new words", 48_000)
    assert speaker.consent_record.clip_digest == speaker.clip_digest and rows(studio)["Ana"]["permission"] == "own"


def test_a_clip_that_creating_would_refuse_replaces_none_either(studio):
    enroll(studio)
    before = studio.speaker("Ana")
    asked = {"act": "replace", "voice": "Ana", "who": "Ana, today", "reason": "own"}
    for seconds, peak, code in ((0.5, 0.5, "clip_too_short"), (31.0, 0.5, "clip_too_long"), (2.0, 0.0, "clip_no_speech")):
        problem = problem_of(studio, asked | {"sent": sent(wav_bytes(seconds, 8_000, peak), "new.wav")})
        assert problem["code"] == code and problem["hint"]
    assert studio.speaker("Ana").generation == before.generation


def test_the_demo_voice_comes_with_its_consent_and_only_once_and_all_that_lets_it_be_heard(studio):
    shown = voices_value(studio)["demo"]
    for _ in range(2):
        answer = make_demo(studio, {})
        assert (answer["voice"], answer["engine"], answer["language"], answer["title"]) == ("Demo", "fake", "en", "Fake")
        assert answer["text"] == sentences_in("en").words("voices.demo_text", {})
    [speaker] = studio.speakers()
    assert speaker.consent.startswith("A synthetic voice: Generated by") and speaker.transcript.language == "en"
    value = voices_value(studio)
    assert shown == {"print": value["voices"][0]["print"], "sample_rate": INFO.sample_rate} and value["demo"] is None


# --- bundles


def test_an_exported_bundle_is_previewed_and_comes_in_as_agreed(studio, files):
    enroll(studio, tags=("warm",))
    digest = studio.speaker("Ana").clip_digest
    response = files.get("/studio/bundles/ana")
    assert response.headers["content-disposition"] == 'attachment; filename="Ana.voice.zip"'
    assert response.headers["cache-control"] == "no-store"
    preview = act_on_voice(studio, {"act": "preview", "sent": sent(response.content, "Ana.voice.zip")})
    assert (preview["name"], preview["is_taken"], preview["free_name"]) == ("Ana", True, "Ana (2)")
    assert (preview["consent"], preview["tags"], preview["seconds"]) == ("her own", ["warm"], 2.0)
    for choice, names in (("skip", {"Ana"}), ("keep both", {"Ana", "Ana (2)"}), ("replace", {"Ana", "Ana (2)"})):
        asked = {"act": "import", "on_conflict": choice, "sent": sent(response.content, "Ana.voice.zip")}
        assert act_on_voice(studio, asked)["name"] == {"skip": "", "keep both": "Ana (2)", "replace": "Ana"}[choice]
        assert set(rows(studio)) == names
    assert {speaker.clip_digest for speaker in studio.speakers()} == {digest}


def test_a_bundle_with_a_pickle_is_refused_in_words_and_not_kept(studio):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("voice.pt", b"\x80\x04.")
    problem = problem_of(studio, {"act": "preview", "sent": sent(file.getvalue(), "x.zip")})
    assert problem["fact"] == "There is a Python pickle in this file (.pt), which could do harm. We do not open it."
    assert problem["hint"] == "Ask for a .voice.zip that was exported from a studio."


def test_a_file_that_is_not_there_is_told_in_the_shape_of_the_apis_errors(files):
    for path in ("/studio/bundles/nobody", "/studio/history/" + "0" * 32, "/studio/history/..%2f..%2fx"):
        response = files.get(path)
        assert response.status_code == 404, path
    assert "nobody" in files.get("/studio/bundles/nobody").json()["error"]["message"]


def test_a_folder_that_cannot_be_read_is_told_with_the_status_that_the_api_has(studio, files, monkeypatch):
    def refuse(*asked) -> None:
        raise SpeakersUnreachable("Permission denied")

    monkeypatch.setattr(type(studio), "speakers", refuse)
    response = files.get("/studio/history/" + "0" * 32)
    assert (response.status_code, response.json()["error"]["code"]) == (503, "speakers_unreachable")


def test_files_of_people_are_behind_the_pages_key(studio):
    enroll(studio)
    entry = speak(studio, speaker="Ana")
    with TestClient(SignIn(FastAPI(routes=file_routes(studio, SpokenSounds())), KeyCheck(Access(["secret"])))) as client:
        for path in (f"/studio/history/{entry}", "/studio/bundles/Ana"):
            assert client.get(path).status_code == 401
            assert client.get(path, headers={"Authorization": "Bearer secret"}).status_code == 200


# --- the history


def test_an_entry_is_played_as_it_was_heard(studio, files):
    with studio.speak(SpeechRequest("Say this.", keep=True)) as speech:
        heard = speech.read_all()
    studio.history.settle()
    [entry] = history_value(studio)["entries"]
    response = files.get(f"/studio/history/{entry['id']}")
    samples, rate = soundfile.read(io.BytesIO(response.content), dtype="int16")
    assert rate == INFO.sample_rate
    assert np.array_equal(samples, np.rint(heard * 32768).astype(np.int16))
    assert response.headers["cache-control"] == "no-store"


def test_running_again_fills_the_speak_tab_with_voice_engine_text_and_the_row_has_the_seed(studio):
    enroll(studio)
    entry = speak(studio, "Say this.", speaker="Ana", options={"seed": 7, "language": "en"})
    act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Bea"})
    [row] = history_value(studio)["entries"]
    assert (row["options"]["seed"], row["language"], row["voice"], row["start"]) == (7, "en", "Bea", "cold")
    composer, tabs, _ = run_again(studio, entry)
    kept = {"seed": 7, "speed": 1.0}
    same = {"voice": "Bea", "engine": "fake", "text": "Say this.", "options": kept, "language": "en", "speak": True}
    assert (composer["fill"], tabs["selected"]) == (same, "speak")
    other = run_again(studio, entry, is_other=True)[0]["fill"]
    assert other["options"]["seed"] not in (0, 7) and other | {"options": kept} == same


def test_stars_deletions_and_an_entry_that_is_gone_are_told(studio):
    entry = speak(studio)
    assert act_on_entry(studio, {"act": "star", "entry": entry, "starred": True})["kind"] == "done"
    assert history_value(studio)["entries"][0]["starred"] is True
    assert delete_takes(studio, {"entries": [entry]})["undo"]
    assert delete_takes(studio, {"entries": [entry]})["problem"]["code"] == "entry_unknown"
    assert run_again(studio, entry)[-1]["code"] == "entry_unknown"
    assert delete_takes(studio, {"entries": [speak(studio), speak(studio)]})["undo"]
    assert history_value(studio)["entries"] == []


def test_the_history_follows_a_voice_that_gets_another_name_elsewhere(studio):
    enroll(studio)
    speak(studio, speaker="Ana")
    _, _, seen = show_history(studio)
    assert show_changed_history(studio, seen) == (gr.skip(),) * 3
    act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Bea"})
    shown, takes, _ = show_changed_history(studio, seen)
    assert shown["entries"][0]["voice"] == takes["entries"][0]["voice"] == "Bea"


def test_an_edit_takes_a_name_over_where_that_was_asked_for(studio):
    enroll(studio)
    enroll(studio, "Ben", 2)
    asked = {"act": "edit", "voice": "Ben", "name": "ana", "replace": False}
    assert problem_of(studio, asked)["code"] == "name_taken"
    assert act_on_voice(studio, asked | {"replace": True})["name"] == "ana"
    assert set(rows(studio)) == {"ana"}
