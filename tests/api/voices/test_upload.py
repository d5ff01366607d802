"""POST /v1/audio/voices: what is taken, what is refused, and that a refusal changes nothing."""

import io
import json
import socket
import threading
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from studio.api.door.middleware import MOST_UPLOAD_BODY_BYTES
from studio.audio.decode import MOST_UPLOAD_BYTES
from studio.speakers.enrollment import EnrollmentRule
from tests.api.door import Gate, error_of, samples_of, served, wav
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import INFO, FakeEngine

EMBEDDING = json.dumps([0.5] * 8)


def embed(door, text=EMBEDDING, **fields):
    return door.post("/v1/audio/voices", files={"speaker_embedding": (None, text)}, data={"name": "emb", "consent": "c1"} | fields)


def padded(size_bytes: int) -> bytes:
    """A 2 s WAV of exactly this many bytes: a chunk of nothing fills it."""
    data = wav(2.0)
    filler = size_bytes - len(data) - 8
    data += b"LIST" + filler.to_bytes(4, "little") + bytes(filler)
    return data[:4] + (len(data) - 8).to_bytes(4, "little") + data[8:]


def test_an_upload_answers_with_the_voice(door):
    data = wav(1.5)
    response = door.upload("Alice", data, ref_text=" hello there ", speaker_description="warm")
    assert response.status_code == 200
    voice = response.json()["voice"]
    openai = {"id": voice["name"], "object": "audio.voice", "type": "audio_sample"}
    assert response.json() == {"success": True, "voice": voice, "name": voice["name"], "created_at": voice["created_at"]} | openai
    assert isinstance(voice.pop("created_at"), int)
    assert voice.pop("quality")["seconds"] == 1.5
    assert voice.pop("engines") == [{"engine": "fake", "can_learn": True}]
    assert voice == {
        "name": "Alice",
        "consent": "c1",
        "mime_type": "audio/wav",
        "file_size": len(data),
        "ref_text": "hello there",
        "speaker_description": "warm",
    }


def test_words_and_description_are_absent_where_there_are_none(door):
    assert set(door.upload().json()["voice"]) == {"name", "consent", "created_at", "mime_type", "file_size", "quality", "engines"}


@pytest.mark.parametrize("field", ["consent", "name"])
def test_consent_and_name_are_required(door, field):
    for value in ("", None):
        data = {name: text for name, text in {"name": "a", "consent": "c", field: value}.items() if text is not None}
        response = door.post("/v1/audio/voices", files={"audio_sample": ("a.wav", wav(1.5), "audio/wav")}, data=data)
        assert response.status_code == 400
        assert error_of(response)["param"] == f"body.{field}"
        assert error_of(response)["type"] == "Bad Request"


def test_exactly_one_source_is_wanted(door):
    neither = door.post("/v1/audio/voices", data={"name": "a", "consent": "c"})
    assert error_of(neither)["message"] == "Either 'audio_sample' or 'speaker_embedding' must be provided"
    both = door.upload(speaker_embedding=EMBEDDING)
    assert error_of(both)["message"] == "'audio_sample' and 'speaker_embedding' are mutually exclusive"


@pytest.mark.parametrize("name", [" ", ".", "..", "a/b", "a\\b", "a\0b"])
def test_bad_names_are_refused(door, name):
    error = error_of(door.upload(name))
    assert error["message"] == f"Invalid voice name {name!r}: must be non-empty, no path separators or NUL"
    assert (error["param"], error["type"]) == ("name", "BadRequestError")


@pytest.mark.parametrize("name", ["x" * 256, "é" * 128, "a\nb", "default", "None", "AUTO"])
def test_long_hidden_and_placeholder_names_are_refused(door, name):
    response = door.upload(name)
    assert response.status_code == 400
    assert error_of(response)["message"].startswith("Invalid voice name ")
    assert list(door.studio.speakers()) == []


@pytest.mark.parametrize("name", ["a|b", "a:b", "中文", "ß", "bob.wav", "x" * 255])
def test_odd_names_are_taken(door, name):
    assert door.upload(name).json()["voice"]["name"] == name
    assert door.speak(voice=name).status_code == 200


def test_ten_mebibytes_are_taken_and_one_byte_more_is_not(door):
    assert door.upload("big", padded(MOST_UPLOAD_BYTES)).status_code == 200
    error = error_of(door.upload("bigger", padded(MOST_UPLOAD_BYTES + 1)))
    assert error["message"] == "File size exceeds maximum limit of 10MB. Got 10485761 bytes."
    assert error["param"] == "audio_sample"


def test_a_declared_body_beyond_the_cap_is_refused_unread(door):
    with served(door) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(
                f"POST /v1/audio/voices HTTP/1.1\r\nHost: x\r\nContent-Length: {MOST_UPLOAD_BODY_BYTES + 1}\r\n\r\n".encode()
            )
            answer = b"".join(iter(lambda: connection.recv(65536), b""))  # until the server closes
    assert b" 413 " in answer.split(b"\r\n")[0]
    assert json.loads(answer.split(b"\r\n\r\n")[1])["error"]["reason_code"] == "body_too_large"


def test_a_body_of_unknown_length_is_cut_at_the_cap(door):
    sent = 0

    async def parts():
        nonlocal sent
        yield b'--b\r\nContent-Disposition: form-data; name="audio_sample"; filename="a.wav"\r\n\r\n'
        while sent < 2 * MOST_UPLOAD_BODY_BYTES:
            sent += 1 << 20
            yield bytes(1 << 20)

    response = door.post("/v1/audio/voices", content=parts(), headers={"content-type": "multipart/form-data; boundary=b"})
    assert (response.status_code, error_of(response)["reason_code"]) == (413, "body_too_large")
    assert sent <= MOST_UPLOAD_BODY_BYTES + (2 << 20)


@pytest.mark.parametrize(
    ("file", "container", "subtype"),
    [
        (("a.wav", "audio/wav"), "WAV", "PCM_16"),
        (("a.wav", "audio/wave"), "WAV", "FLOAT"),
        (("a.flac", "audio/flac"), "FLAC", "PCM_16"),
        (("a.ogg", "audio/ogg"), "OGG", "VORBIS"),
        (("a.mp3", "audio/mp3"), "MP3", "MPEG_LAYER_III"),
        (("a.aiff", "audio/aiff"), "AIFF", "PCM_16"),
        (("a.flac", "application/octet-stream"), "FLAC", "PCM_16"),
        (("noname", "application/octet-stream"), "WAV", "PCM_16"),
    ],
)
def test_many_formats_are_taken(door, file, container, subtype):
    response = door.upload(data=wav(1.5, format=container, subtype=subtype), file=file)
    assert response.status_code == 200, response.text
    assert door.speak(voice="alice").status_code == 200


@pytest.mark.parametrize(("container", "codec", "mime"), [("webm", "libopus", "audio/webm;codecs=opus"), ("mp4", "aac", "audio/x-m4a")])
def test_what_browsers_and_phones_record_is_taken(door, container, codec, mime):
    response = door.upload(data=_recorded(container, codec), file=(f"clip.{container}", mime))
    assert response.status_code == 200, response.text
    assert response.json()["voice"]["mime_type"] == mime.partition(";")[0]


def test_what_is_no_recording_and_is_not_called_one_is_refused_with_a_sorted_list(door):
    error = error_of(door.upload(data=b"a letter\n" * 40, file=("a.txt", "text/plain")))
    assert error["message"].startswith("Unsupported MIME type: text/plain. Allowed: ")
    listed = error["message"].partition("Allowed: ")[2].split(", ")
    assert listed == sorted(listed)
    assert "audio/wav" in listed


def test_garbage_is_refused(door):
    error = error_of(door.upload(data=b"this is no audio at all" * 10))
    assert error["message"].startswith("Could not decode audio file: ")
    assert (error["param"], error["reason_code"]) == ("audio_sample", "audio_undecodable")


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        (0.9, "Reference audio too short (0.9s). At least 1s of clear speech is required."),
        (30.5, "Reference audio too long (30.5s). Maximum 30s supported — use a shorter clip."),
        (1.0, None),
        (30.0, None),
    ],
)
def test_clips_have_from_one_to_thirty_seconds(door, seconds, message):
    response = door.upload(data=wav(seconds, rate=8_000))
    if message is None:
        assert response.status_code == 200
    else:
        assert (error_of(response)["message"], error_of(response)["param"]) == (message, "audio_sample")


def test_stereo_is_stored_as_mono(door):
    door.upload(data=wav(1.5, channels=2, rate=16_000))
    samples, rate = samples_of(door.get("/v1/audio/voices/alice/audio").content)
    assert (samples.shape, rate) == ((24_000,), 16_000)


def test_the_same_name_in_another_case_replaces(door):
    door.upload("alice", wav(1.5, hz=300))
    before = door.speak(voice="alice")
    first = door.studio.speaker("alice")
    door.upload("ALICE", wav(1.5, hz=500))
    listed = door.get("/v1/audio/voices").json()["uploaded_voices"]
    assert [voice["name"] for voice in listed] == ["ALICE"]
    assert listed[0]["created_at"] > first.created_at
    assert len(list(door.folder.glob("*.safetensors"))) == 1
    after = door.speak(voice="alice")
    assert (after.headers["x-speaker-cache"], after.content == before.content) == ("miss", False)


@pytest.mark.parametrize(
    "mistake",
    [
        {"data": b"garbage"},
        {"data": wav(0.5)},
        {"data": wav(31, rate=8_000)},
        {"data": b"a letter", "file": ("a.txt", "text/plain")},
        {"language": "Klingon"},
        {"data": b""},
    ],
)
def test_a_failed_upload_leaves_the_old_voice_whole(door, mistake):
    door.upload("alice")
    door.post("/v1/audio/voices/alice/cache")  # returns when the prompt is on disk
    before, listed = door.speak(voice="alice"), door.get("/v1/audio/voices").json()
    files = sorted(door.folder.rglob("*"))
    assert door.upload("Alice", **mistake).status_code == 400
    assert door.get("/v1/audio/voices").json() == listed
    assert sorted(door.folder.rglob("*")) == files
    again = door.speak(voice="alice")
    assert (again.content, again.headers["x-speaker-cache"]) == (before.content, "hit")


def test_the_number_of_voices_has_a_cap_and_replacing_is_allowed_at_it(open_door):
    door = open_door(most_speakers=2)
    assert [door.upload(name).status_code for name in ("a", "b")] == [200, 200]
    message = (
        "Uploaded voice limit reached (2). Delete an existing voice before registering a new one, "
        "or raise the cap via SPEAKER_MAX_UPLOADED."
    )
    assert error_of(door.upload("c"))["message"] == message
    assert door.upload("B").status_code == 200


def test_an_immutable_registry_names_the_way_out(open_door):
    door = open_door(registration_policy="immutable")
    door.upload("st")
    message = (
        "Voice 'st' already exists and VLLM_OMNI_SPEAKER_REGISTRATION_POLICY is 'immutable'; "
        "delete it first via DELETE /v1/audio/voices/st."
    )
    assert error_of(door.upload("st"))["message"] == message


def test_names_of_built_in_voices_are_reserved(door):
    message = "Voice name 'Tone' is reserved by a built-in speaker of this model; choose a different name."
    assert error_of(door.upload("Tone"))["message"] == message


def test_an_embedding_becomes_a_voice(door):
    response = embed(door, ref_text="words", speaker_description="deep")
    voice = response.json()["voice"]
    assert isinstance(voice.pop("created_at"), int)
    assert voice == {
        "name": "emb",
        "consent": "c1",
        "embedding_source": "direct",
        "embedding_dim": 8,
        "ref_text": "words",
        "speaker_description": "deep",
    }
    assert door.speak(voice="emb").status_code == 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nope", "'speaker_embedding' must be valid JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[]", "'speaker_embedding' must be a non-empty list of numbers"),
        ("{}", "'speaker_embedding' must be a non-empty list of numbers"),
        ("null", "'speaker_embedding' must be a non-empty list of numbers"),
        ('["x"]', "'speaker_embedding' must contain only numeric values"),
        ("[true]", "'speaker_embedding' must contain only numeric values"),
        ("[NaN]", "'speaker_embedding' values must be finite (no NaN or Inf)"),
        ("[1e39]", "'speaker_embedding' values must be finite (no NaN or Inf)"),
        ("[1" + "0" * 400 + "]", "'speaker_embedding' values must be finite (no NaN or Inf)"),
        (json.dumps([0] * 4097), "'speaker_embedding' exceeds maximum length (4096 elements)"),
        ("[1, 2, 3]", "'speaker_embedding' has 3 dimensions; expected 8"),
    ],
)
def test_bad_embeddings_are_refused(door, text, message):
    response = embed(door, text)
    assert (response.status_code, error_of(response)["message"]) == (400, message)
    assert error_of(response)["param"] == "speaker_embedding"


def test_an_embedding_is_refused_by_an_engine_that_takes_none(open_door):
    class NoEmbedding(FakeEngine):
        embed = FakeEngine.__mro__[1].embed

    door = open_door(FakeEngine(), NoEmbedding(replace(INFO, id="clips", embedding_size=None)))
    embed(door)
    message = "Uploaded voice 'emb' uses a speaker embedding (Qwen3-only). Re-upload with an audio file for this model."
    assert error_of(door.speak(voice="emb", model="clips"))["message"] == message
    assert door.speak(voice="emb").status_code == 200


def test_the_language_of_the_words_is_kept_as_a_code(door):
    door.upload("alice", ref_text="guten Tag", language="German")
    assert door.studio.speaker("alice").transcript.language == "de"
    assert door.get("/v1/audio/voices/alice").json()["language"] == "de"


def test_an_upload_does_not_hold_up_the_event_loop(door, monkeypatch):
    """While a recording is being decoded, others are read, heard and uploaded."""
    gate = Gate()
    decode = EnrollmentRule.decode_sound

    def held(rule, data, *, filename, mime_type):
        if filename == "slow.wav":
            gate()
        return decode(rule, data, filename=filename, mime_type=mime_type)

    monkeypatch.setattr(EnrollmentRule, "decode_sound", held)
    with served(door) as url, patient_http.Client(base_url=url, timeout=60) as client:

        def upload(name: str) -> int:
            files = {"audio_sample": (f"{name}.wav", wav(1.5), "audio/wav")}
            return patient_http.post(f"{url}/v1/audio/voices", files=files, data={"name": name, "consent": "c"}, timeout=60).status_code

        thread = threading.Thread(target=upload, args=("slow",))
        thread.start()
        gate.wait_for_arrival()
        assert client.post("/v1/audio/speech", json={"input": "hi"}).status_code == 200
        assert upload("quick") == 200
        assert client.get("/v1/audio/voices").json()["voices"] == ["default", "quick", "tone"]
        gate.open()
        thread.join()
        assert "slow" in client.get("/v1/audio/voices").json()["voices"]


def test_a_float_recording_beyond_full_scale_is_not_clipped(door):
    buffer = io.BytesIO()
    soundfile.write(buffer, 1.8 * np.sin(np.arange(36_000) / 20), 24_000, format="WAV", subtype="FLOAT")
    door.upload("loud", buffer.getvalue())
    assert door.studio.speaker("loud").read_clip().samples.max() == pytest.approx(1.8, abs=0.01)


def _recorded(container: str, codec: str) -> bytes:
    """Two seconds as a browser (webm/opus) or a phone (mp4/aac) records them."""
    import av

    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        stream = output.add_stream(codec, rate=48_000, layout="mono")
        tone = (0.4 * np.sin(2 * np.pi * 220 * np.arange(96_000) / 48_000)).astype(np.float32)
        frame = av.AudioFrame.from_ndarray(tone[None], format="fltp", layout="mono")
        frame.sample_rate = 48_000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            output.mux(packet)
    return buffer.getvalue()


def test_what_is_said_of_a_voice_is_text_or_refused_with_its_field_and_the_next_step(door):
    door.upload("alice", ref_text="the old words")
    before = door.get("/v1/audio/voices/alice").json()
    wrong = {
        "consent": {"consent": "c\x001"},
        "ref_text": {"ref_text": "words\x1b[2J"},
        "speaker_description": {"speaker_description": "warm\x7f"},
    }
    for param, fields in wrong.items():
        response = door.upload("alice", wav(1.5, hz=300), **fields)
        error = error_of(response)
        assert (response.status_code, error["param"], error["reason_code"]) == (400, param, "option_invalid"), response.text
        assert "hidden character (U+00" in error["message"] and error["hint"]
    assert door.get("/v1/audio/voices/alice").json() == before
