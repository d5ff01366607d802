"""Why a stream of Qwen3-TTS ends: each reason, told at the end; and a long text in pieces over one prefix."""

import numpy as np
import pytest

from engines.contract.contract import HeardOut
from engines.contract.options import resolve_options
from engines.contract.speech_end import SpeechEnd
from engines.errors import TextUnspeakable
from engines.kit.decode import frame_limit as frame_limit_module
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.frame_limit import FrameLimit
from engines.kit.decode.frame_loop import speak
from engines.qwen3_tts import batched_decoder
from engines.qwen3_tts import engine as engine_module
from engines.qwen3_tts.batched_decoder import QwenRows
from engines.qwen3_tts.engine import Counts, Qwen3TtsEngine
from studio.reading.reader import read
from studio.speech.in_turn import parts_of, spoken_in_turn
from tests.engines.qwen3_tts.checkpoints.opened import FRAME, LONG, learned, opened, reference, spoken, tiny
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import FEW_CODEBOOKS

ENDS = {"x_vector_only_mode": True, "max_new_tokens": 60}  # in this mode the tiny model ends where the text does


@pytest.fixture
def engine() -> Qwen3TtsEngine:
    return opened()


def heard_out(stream) -> tuple[np.ndarray, SpeechEnd]:
    chunks = HeardOut(stream)
    return np.concatenate(list(chunks)), chunks.end


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_speech_that_ends_by_itself_says_so_also_where_one_token_less_would_have_cut_it(engine, host_lag_frames):
    engine._batched_decoder.host_lag_frames = host_lag_frames
    samples, end = heard_out(spoken(engine, "the voice", learned(), **ENDS))
    n_frames = len(samples) // FRAME
    exactly, just = heard_out(spoken(engine, "the voice", learned(), **ENDS | {"max_new_tokens": n_frames + 1}))
    cut, capped = heard_out(spoken(engine, "the voice", learned(), **ENDS | {"max_new_tokens": n_frames}))
    assert (end.reason, just.reason, capped.reason) == ("ended", "ended", "capped")
    assert len(exactly) == len(samples) == len(cut) + FRAME
    assert not end.warning and "the most that was asked for" in capped.warning


def test_a_text_bounds_its_speech_unless_the_guard_is_off(engine, monkeypatch):
    whole = reference()
    monkeypatch.setattr(frame_limit_module, "most_spoken_seconds", lambda text: 0.4)
    samples, end = heard_out(spoken(engine, LONG, learned()))
    assert (len(samples), end.reason) == (5 * FRAME, "capped")
    assert np.abs(samples - whole[: len(samples)]).max() <= 1e-5
    assert "a text of this length" in end.warning
    assert len(heard_out(spoken(engine, LONG, learned(), runaway_guard=False))[0]) == len(whole)


def test_speech_for_which_there_is_no_room_says_so(engine, monkeypatch):
    """In context, where the tiny model never ends: 28 rows of voice and text, and room for as many frames as are left."""
    monkeypatch.setattr(QwenRows, "MOST_POSITIONS", 58)
    samples, end = heard_out(spoken(engine, "the", learned(), max_new_tokens=60))
    assert end.reason == "no_room" and "no room" in end.warning
    assert len(samples) == 30 * FRAME


def test_a_text_for_which_there_is_no_room_is_refused_before_it_is_begun(engine, monkeypatch):
    """With streaming text: the rows that are read first would fit, those that follow would not."""
    monkeypatch.setattr(batched_decoder, "MOST_TEXT_ROWS", 60)
    with pytest.raises(TextUnspeakable, match=r"too long.*70 pieces, and 60 are the limit"):
        next(spoken(engine, LONG, learned(), **ENDS))


class Guard:
    """Ends a stream in its second piece, after the first of its frames; keeps the codes it was shown."""

    def __init__(self, *, ends: bool):
        self.seen: list[np.ndarray] = []
        self._ends = ends

    def heed(self, samples, codes):
        assert len(samples) == len(codes) * FRAME
        self.seen.append(codes)
        if self._ends and len(self.seen) == 2:
            return samples[:FRAME], SpeechEnd.repeating(3.0)
        return samples, None


def guarded(engine: Qwen3TtsEngine, guard: Guard, largest: int, host_lag_frames: int) -> tuple[np.ndarray, SpeechEnd]:
    engine._batched_decoder.host_lag_frames = host_lag_frames
    stream_start = engine._beginning(tiny().tokenizer.body(LONG), learned(), resolve_options(engine.info.options, {}))
    return heard_out(speak(engine._batched_decoder, stream_start, ChunkSchedule(1, largest, FrameLimit(8, SpeechEnd("capped"))), guard))


def test_the_guard_is_shown_the_frames_that_are_heard_however_they_are_cut(engine):
    shown = []
    for largest, host_lag_frames in ((1, 0), (4, 1)):
        guard = Guard(ends=False)
        guarded(engine, guard, largest, host_lag_frames)
        shown.append(np.concatenate(guard.seen))
    assert shown[0].shape == (8, FEW_CODEBOOKS) and shown[0].any()
    np.testing.assert_array_equal(*shown)


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_what_the_guard_ends_is_over_at_once(engine, host_lag_frames):
    samples, end = guarded(engine, Guard(ends=True), 4, host_lag_frames)
    assert (len(samples), end.reason) == (2 * FRAME, "looped")
    assert np.abs(samples - reference()[: len(samples)]).max() <= 1e-5
    assert engine._batched_decoder._slots.seated == ()


def test_every_stream_is_guarded_unless_that_is_switched_off(engine, monkeypatch):
    monkeypatch.setattr(engine_module, "RunawayGuard", lambda sample_rate, frames_per_second: Guard(ends=True))
    guarded, looped = heard_out(spoken(engine, LONG, learned()))
    free, capped = heard_out(spoken(engine, LONG, learned(), runaway_guard=False))
    assert (looped.reason, capped.reason) == ("looped", "capped")
    assert (len(guarded), len(free)) == (2 * FRAME, 8 * FRAME)


def test_a_long_text_is_spoken_in_pieces_of_natural_size_over_one_prefix(engine):
    """Neither is the recording decoded nor are the rows before the text read for any piece but the first."""
    text = "the sentence and then the voice. " * 130
    spoken = parts_of(read(text, engine.info), engine.info)
    parts = spoken.texts
    assert len(parts) == 3 and max(map(len, parts)) <= engine.info.most_text_characters
    assert all(part.endswith(".") for part in parts) and " ".join(parts).split() == text.split()
    options = resolve_options(engine.info.options, {"max_new_tokens": 3})
    _, end = heard_out(spoken_in_turn(engine, spoken, learned(), options))
    assert engine.counts == Counts(encoder_runs=0, reference_decodes=1, prefix_reads=1)
    assert end.reason == "capped" and end.warning.startswith("Part 1 of 3: ")
