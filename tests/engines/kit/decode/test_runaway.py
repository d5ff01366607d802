"""The guard against runaways, on made streams: what ends one, and what a reader does that must not."""

import numpy as np
import pytest

from engines.kit.decode.runaway import LOOP_SECONDS, REST_SECONDS, SILENCE_SECONDS, RunawayGuard

RATE = 8_000
FRAMES_PER_SECOND = 12.5
FRAME = round(RATE / FRAMES_PER_SECOND)
CODEBOOKS = 16


def sound(seconds: float, dbfs: float = -20.0) -> np.ndarray:
    """Noise of that level, (T,) float32."""
    random = np.random.default_rng(1).standard_normal(round(seconds * RATE))
    return (10 ** (dbfs / 20) * random).astype(np.float32)


def silence(seconds: float) -> np.ndarray:
    return sound(seconds, -80.0)


def heard(*parts: np.ndarray, chunk_seconds: float = 0.08) -> tuple[float, str]:
    """(seconds handed out of the parts in a row, reason of the end or "") when they are given piece by piece."""
    guard, samples, size = RunawayGuard(RATE), np.concatenate(parts), round(chunk_seconds * RATE)
    handed_out = 0
    for start in range(0, len(samples), size):
        kept, end = guard.heed(samples[start : start + size])
        handed_out += len(kept)
        if end is not None:
            assert end.reason == "looped" and end.warning
            return handed_out / RATE, end.reason
    return handed_out / RATE, ""


@pytest.mark.parametrize("chunk_seconds", [0.013, 0.08, 0.64])
def test_silence_that_does_not_end_ends_the_stream_once_it_is_too_long(chunk_seconds):
    seconds, reason = heard(sound(1.0), silence(9.0), chunk_seconds=chunk_seconds)
    assert reason == "looped"
    assert 1.0 + SILENCE_SECONDS - chunk_seconds <= seconds <= 1.02 + SILENCE_SECONDS


def test_of_silence_in_one_large_piece_a_short_rest_is_handed_out():
    assert heard(sound(1.0), silence(9.0), chunk_seconds=10.0) == (pytest.approx(1.0 + REST_SECONDS, abs=0.02), "looped")


def test_pauses_of_a_reader_pass_also_several_in_a_row():
    pause = silence(SILENCE_SECONDS - 0.1)
    parts = [part for _ in range(3) for part in (sound(0.2), pause)]
    assert heard(*parts, sound(0.2)) == (pytest.approx(sum(map(len, parts)) / RATE + 0.2), "")


def test_silence_before_the_first_sound_is_no_runaway():
    assert heard(silence(4.0), sound(0.5))[1] == ""


def test_a_voice_as_quiet_as_silence_is_not_taken_for_it():
    assert heard(sound(0.02, -45.0), sound(4.0, -60.0))[1] == ""


def loops(codes: np.ndarray, chunk_frames: int = 8) -> int | None:
    """Frames handed out until the stream was ended for a loop; None where it was not."""
    guard, handed_out = RunawayGuard(RATE, FRAMES_PER_SECOND), 0
    for start in range(0, len(codes), chunk_frames):
        piece = codes[start : start + chunk_frames]
        kept, end = guard.heed(sound(len(piece) / FRAMES_PER_SECOND), piece)
        handed_out += len(kept) // FRAME
        if end is not None:
            assert end.reason == "looped" and "repeated itself" in end.warning
            return handed_out
    return None


def drawn(n_frames: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2048, (n_frames, CODEBOOKS))


@pytest.mark.parametrize("period", [1, 3, 12])
@pytest.mark.parametrize("chunk_frames", [1, 8])
def test_frames_that_come_again_and_again_end_the_stream(period, chunk_frames):
    codes = np.concatenate([drawn(20), np.tile(drawn(period, 1), (200, 1))])
    most = 20 + period + max(np.ceil(LOOP_SECONDS * FRAMES_PER_SECOND), 2 * period)
    assert loops(codes, chunk_frames) == most


def test_a_loop_is_one_too_where_the_finest_codes_are_drawn_anew():
    codes = np.concatenate([np.tile(drawn(4)[:, :9], (30, 1)), drawn(120, 2)[:, 9:]], axis=1)
    assert loops(codes) is not None


def test_a_sustained_sound_whose_first_code_stays_is_no_loop():
    codes = drawn(100)
    codes[:, :4] = 7
    assert loops(codes) is None


def test_a_pause_of_equal_frames_is_no_loop():
    assert (
        loops(np.concatenate([drawn(20), np.tile(drawn(1, 1), (25, 1)), drawn(20, 2), np.tile(drawn(1, 1), (25, 1)), drawn(9, 3)])) is None
    )


def test_a_clause_said_twice_is_no_loop():
    clause = drawn(28, 5)
    assert loops(np.concatenate([drawn(20), clause, clause, drawn(20, 6)])) is None
