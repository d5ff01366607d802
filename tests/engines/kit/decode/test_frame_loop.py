"""The frame loop with a model that counts: pieces grow, steps are shared, and whoever ends or is closed leaves at once."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor

from engines.contract.speech_end import ENDED, SpeechEnd
from engines.kit.decode.batched_decoder import BatchedDecoder, DecoderRows, FrameStream
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.frame_limit import FrameLimit
from engines.kit.decode.frame_loop import MOST_TURNS_LEFT, speak
from engines.kit.decode.overflow_watch import OverflowWatch

FRAME = 3  # samples
CUT = SpeechEnd.capped_as_asked(1.0)


class CountingRows(DecoderRows[int, FrameStream]):
    """A frame is its own number. A stream begins with the number of the token that ends it; rows hold that and the token they are at."""

    def __init__(self, width: int, host_lag_frames: int = 0, *, end_is_predicted: bool = False):
        self.width, self.host_lag_frames, self.end_is_predicted = width, host_lag_frames, end_is_predicted
        self.watch = OverflowWatch(width, torch.float32, "cpu")
        self.rows = torch.zeros(width, 2, dtype=torch.int64)
        self.steps: list[int] = []  # how many streams each served

    def codes_of(self, stream: FrameStream, first: int, n_frames: int) -> Tensor:
        return torch.arange(first, first + n_frames)[None, None]

    def decode(self, stream: FrameStream, first: int, n_frames: int) -> Tensor:
        return self.codes_of(stream, first, n_frames)[0, 0].float().repeat_interleave(FRAME)

    def new_stream(self, stream_start: int, most_frames: int) -> FrameStream:
        return FrameStream(most_frames=most_frames)

    def read(self, streams: Sequence[FrameStream]) -> None:
        for stream in streams:
            self.rows[stream.row] = torch.tensor([0, stream.unread])

    def draw(self, streams: Sequence[FrameStream]) -> tuple[Tensor, bool]:
        self.steps.append(len(streams))
        for stream in streams:
            self.rows[stream.row, 0] += 1
        return self.rows[:, 0] + self.end_is_predicted == self.rows[:, 1], False

    def complete(self, streams: Sequence[FrameStream]) -> None: ...

    def saved(self, stream: FrameStream) -> Tensor:
        stream.look(stream.n_tokens)
        return self.rows[stream.row].clone()

    def restore(self, stream: FrameStream) -> None:
        self.rows[stream.row] = stream.aside


def counting(width: int, host_lag_frames: int = 0, **settings) -> BatchedDecoder:
    return BatchedDecoder(CountingRows(width, host_lag_frames, **settings))


def heard(batched_decoder: BatchedDecoder, end: int, schedule: ChunkSchedule) -> tuple[list[list[int]], SpeechEnd]:
    """The frames of each piece, and why it ended."""
    stream, pieces = speak(batched_decoder, end, schedule), []
    while True:
        try:
            samples = next(stream)
        except StopIteration as over:
            return pieces, over.value
        if len(samples):
            pieces.append(samples[::FRAME].astype(int).tolist())


def schedule(first: int = 1, largest: int = 4, most: int = 50) -> ChunkSchedule:
    return ChunkSchedule(first, largest, FrameLimit(most, CUT))


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_pieces_double_up_to_the_largest_and_speech_ends_before_the_token_that_ends_it(host_lag_frames):
    batched_decoder = counting(1, host_lag_frames)
    assert heard(batched_decoder, 13, schedule()) == ([[0], [1, 2], [3, 4, 5, 6], [7, 8, 9, 10], [11, 12]], ENDED)
    assert batched_decoder._slots.seated == ()


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_a_stream_that_reaches_its_limit_says_so_unless_it_was_at_its_end(host_lag_frames):
    assert heard(counting(1, host_lag_frames), 13, schedule(most=5)) == ([[0], [1, 2], [3, 4]], CUT)
    assert heard(counting(1, host_lag_frames), 5, schedule(most=5)) == ([[0], [1, 2], [3, 4]], ENDED)


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_where_the_end_is_foreseen_no_token_is_drawn_in_vain(host_lag_frames):
    batched_decoder = counting(1, host_lag_frames, end_is_predicted=True)
    assert heard(batched_decoder, 13, schedule()) == ([[0], [1, 2], [3, 4, 5, 6], [7, 8, 9, 10], [11, 12]], ENDED)
    assert len(batched_decoder.rows.steps) == 12  # the first token is the beginning's
    assert heard(counting(1, host_lag_frames, end_is_predicted=True), 13, schedule(most=5)) == ([[0], [1, 2], [3, 4]], CUT)
    assert heard(counting(1, host_lag_frames, end_is_predicted=True), 5, schedule(most=5)) == ([[0], [1, 2], [3, 4]], ENDED)


def test_streams_share_their_steps_and_those_beyond_the_width_take_turns():
    for width, alone_steps in ((2, 0), (1, 10)):
        batched_decoder = counting(width)
        streams = [speak(batched_decoder, end, schedule(largest=1)) for end in (6, 6)]
        pairs = [[len(samples) for samples in pair] for pair in zip(*streams, strict=True)]
        assert [sum(samples) for samples in zip(*pairs, strict=True)] == [6 * FRAME, 6 * FRAME]
        assert batched_decoder.rows.steps.count(2) >= (5 if width == 2 else 0)
        assert batched_decoder.rows.steps.count(1) >= alone_steps


def test_pieces_that_are_due_wait_until_a_newcomer_has_sounded_and_no_longer(monkeypatch):
    batched_decoder, made = counting(3), []
    decode = batched_decoder.decode
    monkeypatch.setattr(batched_decoder, "decode", lambda stream, *frames: made.append(stream.most_frames) or decode(stream, *frames))
    old = [speak(batched_decoder, 40, schedule(largest=1, most=most)) for most in (31, 32)]
    while made[-2:] != [31, 32]:
        for stream in old:
            next(stream)
    next(old[0])  # its next piece is due
    made.clear()
    newcomer = speak(batched_decoder, 40, schedule(first=2, most=33))
    while not len(next(newcomer)):
        for stream in old:
            next(stream)
    assert made == [33]
    sounds = [len(next(stream)) for _ in range(2) for stream in old]
    assert FRAME in sounds


def test_a_piece_that_is_due_does_not_wait_for_ever_for_one_who_is_not_served():
    batched_decoder = counting(2)
    old = speak(batched_decoder, 40, schedule(largest=1))
    while not len(next(old)):
        pass
    next(newcomer := speak(batched_decoder, 40, schedule()))
    turns = [len(next(old)) for _ in range(3 * (2 + MOST_TURNS_LEFT))]
    newcomer.close()
    assert turns == 3 * [0] + turns[3:]
    assert sum(turns) == 3 * FRAME, "a piece comes after one turn for its frame and as many as it leaves to others"


def test_a_closed_stream_makes_no_frame_more_and_leaves_its_row():
    batched_decoder = counting(1)
    stream = speak(batched_decoder, 20, schedule())
    while not len(next(stream)):
        pass
    steps = list(batched_decoder.rows.steps)
    stream.close()
    assert (batched_decoder.rows.steps, batched_decoder._slots.seated) == (steps, ())


def test_a_guard_hears_every_piece_with_its_codes_and_may_end_it():
    class Guard:
        def heed(self, samples: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, SpeechEnd | None]:
            is_over = bool((codes == 5).any())
            return samples[:FRAME] if is_over else samples, CUT if is_over else None

    stream, pieces = speak(counting(1), 20, schedule(), Guard()), []
    with pytest.raises(StopIteration) as over:
        while True:
            pieces += next(stream)[::FRAME].tolist()
    assert (pieces, over.value.value) == ([0, 1, 2, 3], CUT)
