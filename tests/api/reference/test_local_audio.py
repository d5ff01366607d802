"""Reference audio from file URLs: below one folder, by whatever road; nothing else of this machine can be read or told apart."""

import os
from urllib.parse import quote

import pytest

from studio.audio.decode import MOST_UPLOAD_BYTES, decode_clip
from studio.reference.local_audio import open_below
from tests.api.door import error_of, samples_of, wav
from tests.stand_ins.fake_engine import heard_pitch, pitch_of

pytestmark = pytest.mark.usefixtures("gradio_agrees")

RECORDING = wav(1.5, hz=333)
TEXT = "a sentence that is long enough"
OUTSIDE = "The file path <path> must be a subpath of `--allowed-local-media-path <path>`."


@pytest.fixture
def folder(tmp_path):
    """The allowed folder, with a recording, beside a folder that is not."""
    allowed, secret = tmp_path / "clips", tmp_path / "clips-secret"
    for place in (allowed, allowed / "deep", secret):
        place.mkdir()
        (place / "a.wav").write_bytes(RECORDING)
    return allowed


@pytest.fixture
def local_door(open_door, folder):
    return open_door(allowed_local_media=folder)


def test_a_file_below_the_folder_gives_its_voice(local_door, folder):
    response = local_door.speak(TEXT, ref_audio=(folder / "a.wav").as_uri())
    assert (response.status_code, response.headers["x-speaker-cache"]) == (200, "miss")
    assert heard_pitch(*samples_of(response.content)) == pytest.approx(pitch_of(decode_clip(RECORDING).digest), abs=3)


def test_a_file_url_has_several_spellings(local_door, folder):
    odd = folder / "my voice é#1?.wav"
    odd.write_bytes(RECORDING)
    (folder / "link.wav").symlink_to(folder / "deep" / "a.wav")
    (folder / "link").symlink_to(folder / "deep")
    for url in (
        f"FILE://{folder}/a.wav",
        f"file://LOCALHOST{folder}/a.wav",
        f"file:{folder}/a.wav",
        f"file://{quote(str(odd))}",
        f"file://{folder}/deep/../a.wav",
        f"file://{folder}/deep/%2E%2E/a.wav",
        f"file://{folder}/link.wav",
        f"file://{folder}/link/a.wav",
    ):
        assert local_door.speak(ref_audio=url).status_code == 200, url
    assert local_door.engine.extractions == 1


def test_a_folder_that_is_itself_a_link_is_where_it_leads(open_door, folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    door = open_door(allowed_local_media=tmp_path / "link")
    assert [door.speak(ref_audio=f"file://{place}/a.wav").status_code for place in (folder, tmp_path / "link")] == [200, 200]


def test_whatever_leads_out_of_the_folder_is_refused(local_door, folder, tmp_path):
    secret = tmp_path / "clips-secret"
    (folder / "out.wav").symlink_to(secret / "a.wav")
    (folder / "out").symlink_to(secret)
    (folder / "up").symlink_to("..")
    for url in (
        f"file://{secret}/a.wav",
        "file:///etc/passwd",
        "file:///etc/no-such-file",
        "file:///",
        f"file://{folder}/../clips-secret/a.wav",
        f"file://{folder}/%2e%2e/clips-secret/a.wav",
        f"file://{folder}/..%2Fclips-secret/a.wav",
        f"file://{folder}/out.wav",
        f"file://{folder}/out/a.wav",
        f"file://{folder}/up/clips-secret/a.wav",
    ):
        response = local_door.speak(ref_audio=url)
        error = error_of(response)
        assert (response.status_code, error["message"], error["reason_code"]) == (400, OUTSIDE, "local_audio_outside"), url
        assert str(tmp_path) not in response.text


def test_what_became_a_link_after_it_was_checked_is_not_followed(folder, tmp_path):
    (folder / "swapped").symlink_to(tmp_path / "clips-secret")
    (folder / "swapped.wav").symlink_to(tmp_path / "clips-secret" / "a.wav")
    for parts in (("swapped", "a.wav"), ("swapped.wav",), ("deep", "..", "swapped", "a.wav")):
        with pytest.raises(OSError):
            open_below(str(folder), parts)
    os.close(open_below(str(folder), ("deep", "a.wav")))


def test_what_is_no_file_to_read_is_refused_in_one_sentence_and_holds_nothing_up(local_door, folder):
    os.mkfifo(folder / "pipe")
    (folder / "dangling").symlink_to(folder / "nothing")
    (folder / "circle").symlink_to(folder / "circle")
    n_open = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    for name in ("missing.wav", "missing/a.wav", "a.wav/a.wav", "deep", "", "pipe", "dangling", "circle", "x" * 300):
        response = local_door.speak(ref_audio=f"file://{folder}/{name}")
        error = error_of(response)
        assert (response.status_code, error["reason_code"]) == (400, "local_audio_unreadable"), name
        assert error["message"] == "The local reference audio file could not be read."
        assert str(folder) not in response.text
    assert n_open is None or len(os.listdir("/proc/self/fd")) <= n_open + 2  # of the client's own


@pytest.mark.parametrize(
    "url",
    ["file://elsewhere/a.wav", "file://127.0.0.1/a.wav", "file:a.wav", "file:", "file://", "file:////etc/passwd", "file:///a.wav?x=1",
     "file:///a.wav#x", "file:///%00", "file:///a\x00b"],
)  # fmt: skip
def test_a_file_url_of_another_form_is_refused(local_door, url):
    error = error_of(local_door.speak(ref_audio=url))
    assert error["message"] == "ref_audio must be a URL (http/https), base64 data URL (data:...), or file URI (file://...)"
    assert (error["code"], error["reason_code"]) == (400, "local_audio_url_invalid")


def test_half_a_character_is_no_path(local_door):
    body = '{"input": "hello", "ref_audio": "file:///\\ud800.wav"}'
    response = local_door.post("/v1/audio/speech", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, error_of(response)["reason_code"]) == (400, "local_audio_url_invalid")


@pytest.mark.parametrize("size_bytes", [MOST_UPLOAD_BYTES + 1, 10 * MOST_UPLOAD_BYTES])
def test_a_file_that_is_too_large_is_refused_unread(local_door, folder, size_bytes):
    """Unread, since the answer knows its whole size."""
    with (folder / "big.wav").open("wb") as file:
        file.truncate(size_bytes)
    error = error_of(local_door.speak(ref_audio=f"file://{folder}/big.wav"))
    assert error["message"] == f"File size exceeds maximum limit of 10MB. Got {size_bytes} bytes."
    assert error["param"] == "ref_audio"


def test_a_local_recording_has_the_bounds_of_an_upload(local_door, folder):
    (folder / "short.wav").write_bytes(wav(0.5))
    (folder / "text.wav").write_text("no audio at all")
    codes = [error_of(local_door.speak(ref_audio=f"file://{folder}/{name}.wav"))["reason_code"] for name in ("short", "text")]
    assert codes == ["clip_too_short", "audio_undecodable"]


def test_local_files_are_off_until_a_folder_is_named_and_the_refusal_names_the_setting(door, folder):
    error = error_of(door.speak(ref_audio=f"file://{folder}/a.wav"))
    assert error["message"] == "Cannot load local files without `--allowed-local-media-path`."
    assert "STUDIO_ALLOWED_LOCAL_MEDIA" in error["hint"]
