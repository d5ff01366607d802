"""Audio that is made beside the next frame, on a fake GPU that knows the order of its work: no races, no step that waits for the codec."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache

import pytest
import torch
from torch import Tensor

from engines.contract.speech_end import SpeechEnd
from engines.kit.codec.stream_state import StreamState
from engines.kit.decode import frame_loop
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.code_rows import CodeNetworks, CodeRows
from engines.kit.decode.cuda_graphs import BesideGraphs, Graphs, HostCopy
from engines.kit.decode.frame_limit import FrameLimit
from engines.kit.decode.frame_loop import speak
from engines.kit.decode.row_stream import RowStart, RowStream
from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from engines.kit.gauges.stream_order import USUAL, Launch, StreamOrder
from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.transformer import Decoder, DecoderConfig
from tests.engines.mutated import mutated

SIZE, BOOKS, FRAME = 8, 2, 3  # of hidden states, of codes, of samples
SCHEDULE = ChunkSchedule(1, 2, FrameLimit(9, SpeechEnd.capped_as_asked(1.0)))
WIDTH, N_ROUNDS = 2, 14
N_FIRST = 4  # replays until a stream's first audio: its prompt, a code, the others, the codec


@dataclass(frozen=True, eq=False)
class LastCodes(StreamState):
    codes: Tensor


class SummingCodec:
    """A sample is the sum of a frame's codes and of those before it."""

    frame_samples = FRAME

    def initial_state(self, batch: int) -> LastCodes:
        return LastCodes(torch.zeros(batch, BOOKS, 1, dtype=torch.int64, device=DEVICE))

    def decode(self, codes: Tensor, state: LastCodes) -> tuple[Tensor, LastCodes]:
        samples = (codes + state.codes).sum(dim=1).float()
        return samples.repeat_interleave(FRAME, dim=1), LastCodes(codes[:, :, -1:])


class SmallRows(CodeRows[RowStart, RowStream]):
    KEY_SIZES, ROW_SIZES, PROMPT_KEYS, PIECE_SIZES = (32,), (4,), 8, (2, 1)

    def _set(self, stream: RowStream, stream_start: RowStart) -> None:
        self._seed[stream.own_row].zero_()

    def _sample_first(self) -> None:
        self._code.copy_(self._hidden_state.argmax(dim=-1))
        torch.lt(self._code, 0, out=self._ended)

    def _complete(self) -> None:
        self._row.copy_(self._hidden_state[:, None])
        self._remember(self._code[:, None].expand(-1, BOOKS))


@dataclass
class Stage:
    """A batched decoder for streams, and what is known of their work's order."""

    order: StreamOrder
    beside: bool
    dtype: torch.dtype

    def __post_init__(self):
        heads = AttentionConfig(SIZE, 2, 2, 4, RotaryConfig())
        self.graphs = Graphs(torch.device(DEVICE))
        networks = CodeNetworks(Decoder(DecoderConfig(heads, SIZE, 1)).to(DEVICE, self.dtype), BOOKS, (), SummingCodec())
        codec_graphs = self.graphs.beside() if self.beside else self.graphs
        rows = SmallRows(networks, self.graphs, codec_graphs, width=WIDTH, fixed_shapes=True, host_lag_frames=1)
        rows.warm_up()
        self.prompt = torch.zeros(1, 2, SIZE, device=DEVICE, dtype=self.dtype)
        self.prefix, self.decoder = rows.read_prefix(self.prompt), BatchedDecoder(rows)

    def stream(self) -> Iterator:
        return speak(self.decoder, RowStart(prefix=self.prefix, rows=self.prompt, codec=SummingCodec().initial_state(1)), SCHEDULE)

    def close(self) -> None:
        """As an engine does: what it has is freed behind its graphs."""
        self.graphs.clear()
        del self.decoder
        gc.collect()
        self.order.recorded(USUAL)


@contextmanager
def stage(*, beside: bool = True, dtype: torch.dtype = torch.float32) -> Iterator[Stage]:
    with fake_gpu() as gpu, gpu.order, torch.inference_mode():
        yield Stage(gpu.order, beside, dtype)


def all_kinds_of_work(there: Stage) -> None:
    """Streams begin together and one by one, one more than there are rows, and one is closed in its midst; a host fails, all is freed."""
    streams = [there.stream(), there.stream()]
    for turn in range(N_ROUNDS):
        if turn in (4, 9):
            streams.append(there.stream())
        if turn == 8:
            streams.pop(0).close()
        for stream in streams:
            next(stream, None)
    for stream in streams:
        stream.close()


def fail_in_the_midst_and_close(there: Stage, monkeypatch) -> None:
    """The host fails between asking for the first audio of a stream and having it."""
    waiting = HostCopy.wait

    def fail(self: HostCopy):
        value = waiting(self) if len(there.order.replays) < N_FIRST else None
        if value is None:
            raise KeyboardInterrupt
        return value

    with monkeypatch.context() as failing, suppress(KeyboardInterrupt):
        failing.setattr(HostCopy, "wait", fail)
        list(there.stream())
    gc.collect()
    there.order.recorded(USUAL)
    there.close()


@cache
def spoken(*, beside: bool = True, dtype: torch.dtype = torch.float32) -> StreamOrder:
    """Of all kinds of work."""
    with stage(beside=beside, dtype=dtype) as there:
        all_kinds_of_work(there)
    return there.order


def pieces_and_steps(order: StreamOrder) -> tuple[list[Launch], list[Launch]]:
    """Replays of the codec for pieces behind a stream's first, which the host waits for before it asks for more; and steps."""
    return [one for one in order.replays if one.what == "graph ('decode', 2)"], [one for one in order.replays if "step" in one.what]


def at_the_same_time(one: Launch, other: Launch) -> bool:
    return not one.is_before(other.clock) and not other.is_before(one.clock)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_streams_speak_without_a_race_and_no_step_waits_for_a_codec(dtype):
    order = spoken(dtype=dtype)
    pieces, steps = pieces_and_steps(order)
    assert not order.races
    assert len(pieces) == 7
    alone = [order.replays.index(piece) for piece in pieces if not any(at_the_same_time(piece, step) for step in steps)]
    left_to = [order.replays[index - 1].what for index in alone]
    assert left_to == ["graph ('decode', 1)"], "only what let a newcomer sound first has had its step by then"
    assert order.waits
    assert USUAL not in {who for who, _ in order.waits}


def test_a_piece_waits_for_no_step_that_was_asked_for_after_its_codes():
    """As where pieces of two streams fall due with one step, and the first of them has the next step done."""
    order = spoken()
    pieces, steps = pieces_and_steps(order)
    asked = order.replays.index
    assert any(asked(step) < asked(piece) and at_the_same_time(piece, step) for piece in pieces for step in steps)


def test_where_nobody_wants_it_all_is_in_one_order():
    order = spoken(beside=False)
    pieces, steps = pieces_and_steps(order)
    assert not order.races
    assert not order.waits
    assert not any(at_the_same_time(piece, step) for piece in pieces for step in steps)


def test_the_host_waits_no_oftener_than_in_one_order():
    assert spoken().host_waits == spoken(beside=False).host_waits


def test_what_a_host_leaves_that_fails_is_freed_without_a_race(monkeypatch):
    with stage() as there:
        fail_in_the_midst_and_close(there, monkeypatch)
    assert not there.order.races


# What orders the work, and is left out: where, and what becomes of a line there.
MUTATIONS = {
    "the codec does not wait for its codes": (BesideGraphs, "after", "self._own_side.wait_event(done)", "pass"),
    "it waits for what came before them": (
        CodeRows, "piece_of", "        codes, state = ", "        done = self.audio_beside.done()\n        codes, state = ",
        "self.audio_beside.done(), self", "done, self",
    ),
    "codes are read where steps write them": (CodeRows, "piece_of", ".clone()", ""),
    "codes are dropped while they are read": (CodeRows, "piece_of", "self.audio_beside.keep([codes, *", "self.audio_beside.keep([*"),
    "frames and the codec share their memory": (CodeRows, "__init__", "codec_graphs or graphs", "graphs"),
    "audio is copied in the order of steps": (
        frame_loop, "_sound", "HostCopy(batched_decoder.decode_on_time(stream, first, last))",
        "batched_decoder.decode_on_time(stream, first, last)", "    overflow = ", "    audio = HostCopy(audio)\n    overflow = ",
    ),
    "a row comes back beside steps": (BatchedDecoder, "beside", "        self._slots.seat(stream)", "        _ = self._slots"),
}  # fmt: skip
WHERE_A_HOST_FAILS = {
    "a first state is dropped while it is read": (CodeRows, "piece_of", "*(state.tensors if state and not frames.start else ())", ""),
    "the codec's tensors are freed while it works": (BesideGraphs, "clear", "self._side.synchronize()", "pass"),
}


@pytest.mark.parametrize("broken", MUTATIONS)
def test_what_is_not_in_order_is_noticed(broken, monkeypatch):
    owner, name, *changes = MUTATIONS[broken]
    monkeypatch.setattr(owner, name, mutated(owner, name, *changes))
    with stage() as there:
        all_kinds_of_work(there)
    assert there.order.races


@pytest.mark.parametrize("broken", WHERE_A_HOST_FAILS)
def test_what_is_freed_too_early_is_noticed(broken, monkeypatch):
    owner, name, *changes = WHERE_A_HOST_FAILS[broken]
    monkeypatch.setattr(owner, name, mutated(owner, name, *changes))
    with stage() as there:
        fail_in_the_midst_and_close(there, monkeypatch)
    assert there.order.races
