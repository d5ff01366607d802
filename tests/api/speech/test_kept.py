"""X-Studio-Keep: what a page asks to be kept is in the history, with the samples that were sent; what a program asks for is not."""

import io

import numpy as np
import soundfile


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
