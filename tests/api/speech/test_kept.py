"""X-Studio-Keep: what a page asks to be kept is in the history, with the samples that were sent; what a program asks for is not."""

import errno
import io

import numpy as np
import soundfile

from tests.stand_ins.full_disk import refusing_disk


def test_speech_is_kept_for_whoever_asks_and_for_nobody_else(door):
    door.speak("Not this.")
    response = door.post("/v1/audio/speech", json={"input": "Keep this.", "response_format": "pcm"}, headers={"X-Studio-Keep": "1"})
    history = door.studio.history
    history.settle()
    [entry] = history.entries()
    assert (entry.text, entry.ended) == ("Keep this.", "ended")
    samples, _ = soundfile.read(io.BytesIO(history.audio(entry.id)), dtype="int16")
    assert np.array_equal(samples, np.frombuffer(response.content, "<i2"))


def test_a_deleted_voice_takes_what_it_said_with_it(door):
    door.upload("alice")
    door.post("/v1/audio/speech", json={"input": "Keep this.", "voice": "alice"}, headers={"X-Studio-Keep": "1"})
    door.studio.history.settle()
    assert len(door.studio.history.entries()) == 1
    door.delete("/v1/audio/voices/alice")
    assert door.studio.history.entries() == ()


def test_what_a_read_only_disk_cannot_keep_has_no_id_and_says_so(door):
    door.upload("alice")
    body, keep = {"input": "Keep this.", "voice": "alice"}, {"X-Studio-Keep": "1"}
    for form in ({}, {"response_format": "pcm", "stream_format": "audio"}, {"response_format": "pcm", "stream_format": "sse"}):
        with refusing_disk(errno.EROFS):
            answer = door.post("/v1/audio/speech", json=body | form, headers=keep)
        assert (answer.status_code, answer.headers.get("x-studio-kept")) == (200, None)
        assert answer.headers["x-speech-warning"].startswith("This speech is not kept: The studio may not write to its disk.")
    assert door.post("/v1/audio/speech", json=body, headers=keep).headers["x-studio-kept"]


def test_where_no_speech_is_kept_none_gets_an_id(open_door):
    door = open_door(most_history_entries=0)
    answer = door.post("/v1/audio/speech", json={"input": "Keep this."}, headers={"X-Studio-Keep": "1"})
    assert (answer.status_code, answer.headers.get("x-studio-kept")) == (200, None)
