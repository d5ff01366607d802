"""POST /v1/audio/voices: the bytes decide whether a file is a recording, and what its sender calls it in strict mode alone."""

import pytest

from tests.api.door import error_of, wav


@pytest.mark.parametrize(
    "file",
    [
        ("a.mov", "video/quicktime"),
        ("a.amr", "audio/amr"),
        ("a.wav", "audio/vnd.wave"),
        ("a", "binary/octet-stream"),
        ("a.m4b", "application/octet-stream"),
        ("notes.txt", "text/plain"),
        ("a.png", "image/png"),
        ("a", "not a type"),
    ],
)
def test_the_bytes_decide_and_no_label(door, file):
    answer = door.upload(file=file)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("said", ['filename=""\r\nContent-Type: audio/wav', 'filename="blob"', 'filename="a.mp3"\r\nContent-Type: '])
def test_a_recording_needs_neither_a_name_nor_a_type(door, said):
    fields = "".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\nalice\r\n' for name in ("name", "consent"))
    head = f'{fields}--x\r\nContent-Disposition: form-data; name="audio_sample"; {said}\r\n\r\n'.encode()
    headers = {"content-type": "multipart/form-data; boundary=x"}
    answer = door.post("/v1/audio/voices", content=head + wav(1.5) + b"\r\n--x--\r\n", headers=headers)
    assert answer.json()["voice"]["mime_type"] == "audio/wav"


def test_in_strict_mode_the_label_decides_as_well(open_door):
    strict_door = open_door(strict_compat=True)
    for mime_type in ("audio/webm;codecs=opus", "audio/x-m4a", "binary/octet-stream", "video/mp4"):
        error = error_of(strict_door.upload(file=("a.wav", mime_type)))
        assert error["message"].startswith(f"Unsupported MIME type: {mime_type}. Allowed: audio/aac, audio/flac, audio/mp4, ")
    assert strict_door.upload(file=("a.wav", "audio/x-wav")).json()["voice"]["mime_type"] == "audio/x-wav"


def test_what_is_called_a_recording_and_is_none_is_told_by_what_it_is(door):
    for mime_type in ("audio/x-tta", "application/octet-stream", "audio/wav"):
        error = error_of(door.upload(data=b"TTA1" + bytes(400), file=("a.tta", mime_type)))
        assert error["message"] == "Could not decode audio file: TTA files are not taken" and error["hint"]
