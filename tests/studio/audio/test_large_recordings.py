"""Large recordings are worked on in small steps and one at a time, so that threads that feed listeners come between."""

import base64
import io

import numpy as np
import pytest
import soundfile

from studio.audio import decode
from studio.audio.decode import LARGE_BYTES, STEP_CHARACTERS, decode_base64, decode_clip, large_decode_lock


def test_base64_in_steps_gives_the_bytes_of_the_whole(monkeypatch):
    assert STEP_CHARACTERS % 4 == 0
    monkeypatch.setattr(decode, "STEP_CHARACTERS", 8)
    for n_bytes in range(40):
        data = bytes(range(n_bytes))
        text = base64.b64encode(data).decode()
        assert decode_base64(text) == decode_base64(f"data:=,{text}", 7) == data


@pytest.mark.parametrize("text", ["A", "AAA", "AAAAA", "AA=A", "AAAAAA==AAAAAAAA", "AAAA AAA", "AA\nAA", "ÄAAA", "=", "A===", "AAA=AAA="])
def test_what_the_whole_would_not_be_taken_for_is_not_taken_in_steps(monkeypatch, text):
    monkeypatch.setattr(decode, "STEP_CHARACTERS", 8)
    for refusing in (decode_base64, lambda text: base64.b64decode(text, validate=True)):
        with pytest.raises(ValueError):
            refusing(text)


def test_large_files_are_decoded_one_at_a_time_and_small_ones_at_once(monkeypatch):
    turns = []
    with_soundfile = decode._with_soundfile
    monkeypatch.setattr(decode, "_with_soundfile", lambda *given: (turns.append(decode._TURN.locked()), with_soundfile(*given))[1])
    for seconds in (1.0, 12.0):
        file = io.BytesIO()
        soundfile.write(file, np.zeros(int(seconds * 48_000)), 48_000, format="WAV", subtype="PCM_16")
        decode_clip(file.getvalue())
    assert turns == [False, True] and not decode._TURN.locked()
    with large_decode_lock(LARGE_BYTES):
        assert decode._TURN.locked()
        with large_decode_lock(LARGE_BYTES - 1):
            pass
