"""Hostile files, as uploads and inside requests: each is refused in the envelope, changes nothing, and is forgotten."""

import pytest

from tests.api.door import data_url, error_of, wav
from tests.api.voices.hostile_files import HARMLESS, HOSTILE, playlist

each_hostile = pytest.mark.parametrize("name", HOSTILE)
each_harmless = pytest.mark.parametrize("name", HARMLESS)
PLAYLISTS = ("hls", "m3u", "concat", "sdp", "pls", "dash")
ADDRESSES = ("{path}", "file://{path}", "{name}", "http://127.0.0.1:9/a.wav")
# Of small files that hold more than anybody would send: how long each is, is all that is said of it.
ENDLESS = "The recording is longer than 10 min: at most 30 s are taken."
SAID = {name: ENDLESS for name in HOSTILE if "silence" in name}
LABELS = [("a.wav", "audio/wav"), ("a.webm", "audio/webm"), ("a", "application/octet-stream")]


def refused(response, param: str) -> dict:
    error = error_of(response)
    assert (response.status_code, error["code"], error["type"], error["param"]) == (400, 400, "BadRequestError", param), error
    assert error["message"]
    assert error["reason_code"]
    assert "Traceback" not in response.text
    return error


def state_of(door) -> tuple:
    """What an upload may change: the list of voices, the disk, and how alice sounds."""
    alice = door.speak(voice="alice")
    files = {file: file.read_bytes() for file in sorted(door.folder.rglob("*")) if file.is_file()}
    return door.get("/v1/audio/voices").json(), files, alice.content, alice.headers["x-speaker-cache"]


@pytest.fixture
def inhabited(door):
    """A door with the voice alice, extracted and on disk."""
    door.upload("alice", ref_text="hello")
    door.post("/v1/audio/voices/alice/cache")
    return door


@pytest.mark.slow
@each_hostile
def test_a_hostile_upload_is_refused_and_leaves_the_voice_of_that_name_whole(inhabited, name):
    before = state_of(inhabited)
    error = refused(inhabited.upload("Alice", HOSTILE[name]()), "audio_sample")
    assert error["message"] == SAID.get(name, error["message"])
    assert state_of(inhabited) == before


@pytest.mark.slow
@each_hostile
def test_hostile_reference_audio_is_refused_and_leaves_nothing_in_the_cache(door, name):
    entries = door.studio.stats().entries
    error = refused(door.speak(ref_audio=data_url(HOSTILE[name]())), "ref_audio")
    assert error["message"] == SAID.get(name, error["message"])
    assert door.studio.stats().entries == entries
    assert door.speak("still there").status_code == 200


@pytest.mark.slow
def test_files_of_endless_silence_are_small():
    assert len(SAID) == 3
    assert all(len(HOSTILE[name]()) < 1 << 20 for name in SAID)


@each_harmless
def test_odd_files_with_good_speech_are_taken(door, name):
    data = HARMLESS[name]()
    assert door.upload("alice", data).status_code == 200
    assert door.speak(voice="alice").status_code == 200
    assert door.speak(ref_audio=data_url(data)).status_code == 200


@pytest.mark.parametrize("label", LABELS)
def test_the_label_of_a_file_decides_nothing(door, label):
    refused(door.upload("alice", HOSTILE["html"](), file=label), "audio_sample")
    assert door.upload("alice", wav(1.5, format="FLAC"), file=label).status_code == 200


@pytest.mark.parametrize("kind", PLAYLISTS)
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_playlist_does_not_make_the_studio_open_other_files(door, tmp_path, monkeypatch, kind, address):
    secret = tmp_path / "secret.wav"
    secret.write_bytes(wav(2.0))
    monkeypatch.chdir(tmp_path)
    data = playlist(kind, address.format(path=secret, name=secret.name))
    for label in LABELS:
        refused(door.upload("alice", data, file=label), "audio_sample")
    assert "secret" not in refused(door.speak(ref_audio=data_url(data, "application/vnd.apple.mpegurl")), "ref_audio")["message"]


@pytest.mark.slow
def test_hostile_files_at_once_leave_the_studio_as_it_was(inhabited):
    """The whole corpus as one batch: each item fails by itself."""
    before = state_of(inhabited)
    files = [make() for name, make in HOSTILE.items() if "silence" not in name and "600" not in name and "601" not in name]
    for start in range(0, len(files), 32):
        items = [{"input": "hi", "ref_audio": data_url(data)} for data in files[start : start + 32] if len(data) < 200_000]
        results = inhabited.post("/v1/audio/speech/batch", json={"items": [*items, {"input": "hi", "voice": "alice"}]}).json()["results"]
        assert [result["status"] for result in results] == ["error"] * len(items) + ["success"]
        assert all(result["error"] and result["reason_code"] and result["param"] == "ref_audio" for result in results[:-1])
    assert state_of(inhabited) == before
