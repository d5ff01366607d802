"""The flow network for several streams in fixed shapes: each is what it is alone, idle ones keep their state, and a prompt is kept."""

import resource
from pathlib import Path

import pytest
import torch
from torch import Tensor

from engines.cosyvoice3.flow.diffusion_transformer import N_POSITION_CONVS
from engines.cosyvoice3.flow.flow import N_EULER_STEPS, Flow
from engines.cosyvoice3.flow.flow_memory import FlowMemory
from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from tests.engines.cosyvoice3.flow.flow_formula import TOY
from tests.engines.cosyvoice3.flow.toy_flow import SPEECH, FlowSpeech, toy_flow

SPEECHES = (SPEECH, FlowSpeech.drawn(5, 13, seed=20), FlowSpeech.drawn(2, 21, seed=40))
CLOSE = {"rtol": 0, "atol": 1e-5}
N_FRAMES, N_KEYS, LENGTH = 34, 50, 60

# Of which rows of the memory, each time, which tokens of each: they begin, go on and end at their own times.
TURNS = (
    ((0, 2), (range(10), range(5))),
    ((2, 1), (range(5, 20), range(5))),
    ((1,), (range(5, 15),)),
    ((2, 0, 1), (range(20, 23), range(10, 23), range(15, 18))),
)

pytestmark = pytest.mark.usefixtures("inference")


@pytest.fixture
def inference():
    with torch.inference_mode():
        yield


def padded_call(
    memory: FlowMemory, rows: tuple[int, ...], spans: tuple[range, ...], *, gathered: bool = True, filler: float = 1.0
) -> list[Tensor]:
    """Mel frames of these tokens of the speeches of these rows. What pads them is noise of that size."""
    flow = toy_flow()
    inputs = [SPEECHES[row].inputs(span) for row, span in zip(rows, spans, strict=True)]
    padded = tuple(torch.cat([pad(one[kind], filler) for one in inputs]) for kind in range(3))
    frames = [SPEECHES[row].frames(span) for row, span in zip(rows, spans, strict=True)]
    starts, counts = torch.tensor([span.start for span in frames]), torch.tensor([len(span) for span in frames])
    step = flow.steps.padded((starts, counts), (N_FRAMES, N_KEYS), memory, torch.tensor(rows) if gathered else None)
    mel = flow(padded, torch.cat([SPEECHES[row].speaker() for row in rows]), memory, step)
    return [one[: len(span)] for one, span in zip(mel, frames, strict=True)]


def pad(values: Tensor, filler: float) -> Tensor:
    missing = N_FRAMES - values.shape[1]
    return torch.cat([values, filler * torch.randn(1, missing, values.shape[2], generator=torch.Generator().manual_seed(9))], dim=1)


def alone(row: int) -> Tensor:
    return SPEECHES[row].mel((0, len(SPEECHES[row].tokens)))


def test_streams_that_take_turns_in_fixed_shapes_are_what_they_are_alone():
    memory, made = toy_flow().new_memory(3, LENGTH), {0: [], 1: [], 2: []}
    for rows, spans in TURNS:
        for row, mel in zip(rows, padded_call(memory, rows, spans), strict=True):
            made[row].append(mel)
    for row, pieces in made.items():
        torch.testing.assert_close(torch.cat(pieces), alone(row), **CLOSE)


def test_no_bit_of_a_stream_depends_on_its_neighbors_or_its_padding():
    ours, theirs = toy_flow().new_memory(3, LENGTH), toy_flow().new_memory(3, LENGTH)
    for spans, others in (((range(5),) * 3, 1.0), ((range(5, 15), range(5, 10), range(5, 20)), -7.0)):
        mine = padded_call(ours, (0, 1, 2), spans)
        again = padded_call(theirs, (0, 2, 1), (spans[0], range(5), range(5)), filler=others)
        assert torch.equal(mine[0], again[0])


def test_rows_that_are_gathered_have_the_bits_of_rows_that_are_read_in_place():
    gathered, whole = toy_flow().new_memory(3, LENGTH), toy_flow().new_memory(3, LENGTH)
    for spans in ((range(5), range(10), range(5)), (range(5, 15), range(10, 15), range(5, 5))):
        assert all(map(torch.equal, padded_call(gathered, (0, 1, 2), spans), padded_call(whole, (0, 1, 2), spans, gathered=False)))
    assert_same(gathered, whole)


def test_a_row_of_no_frames_keeps_its_state_and_so_does_one_that_is_not_named():
    memory = toy_flow().new_memory(3, LENGTH)
    padded_call(memory, (0, 1, 2), (range(10),) * 3)
    before = memory.saved(LENGTH)
    padded_call(memory, (1, 0), (range(10, 15), range(10, 10)), filler=3.0)
    assert_same(memory.row(0), FlowMemory(*before).row(0), end=LENGTH)
    assert_same(memory.row(2), FlowMemory(*before).row(2), end=LENGTH)
    assert not torch.equal(memory.row(1).contexts, FlowMemory(*before).row(1).contexts)


def test_every_frame_sees_something_even_in_a_row_that_never_had_one():
    """Attention to nothing is not a number on some devices, and one that is not spreads to whoever reads the row next."""
    memory = toy_flow().new_memory(2, LENGTH)
    step = toy_flow().steps.padded((torch.tensor([0, 10]), torch.tensor([0, 4])), (N_FRAMES, N_KEYS), memory)
    assert step.mask.isfinite().any(dim=-1).all()
    padded_call(memory, (0, 1), (range(0), range(5)))
    assert memory.keys_values.isfinite().all()
    assert memory.contexts.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_prompt_kept_goes_on_in_any_row_of_a_longer_memory(dtype):
    flow, first = toy_flow(), SPEECHES[0]
    source = flow.new_memory(1, 20, dtype)
    begun = first.mel((0, 10), source)
    kept = source.saved(20)
    assert kept.bytes < source.bytes
    source.keys_values.zero_()
    source.forget()
    memory = flow.new_memory(3, LENGTH, dtype)
    memory.keys_values.fill_(3.0)  # of somebody else
    memory.contexts.fill_(3.0)
    memory.row(1).restore(kept)
    longer = flow.new_memory(1, LENGTH, dtype)
    expected = first.mel((0, 10, 23), longer)
    made = first.mel((10, 23), memory.row(1))
    assert torch.equal(torch.cat([begun, made]), expected)
    assert_same(memory.row(1), longer, end=46)


def test_a_row_that_forgets_begins_anew():
    memory = toy_flow().new_memory(2, LENGTH)
    SPEECHES[1].mel((0, 18), memory.row(1))
    memory.row(1).forget()
    assert torch.equal(SPEECHES[0].mel((0, 23), memory.row(1)), alone(0))


def test_room_that_is_not_used_takes_no_memory():
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * resource.getpagesize()

    before = resident()
    memory = toy_flow().new_memory(2, 200_000)
    SPEECH.mel((0, 23), memory.row(1))
    assert memory.bytes > 1e9 > 20 * (resident() - before)


def test_memory_in_bfloat16_is_half_as_large_and_nearly_the_same():
    memory, exact = toy_flow().new_memory(1, 46, torch.bfloat16), toy_flow().new_memory(1, 46)
    assert memory.keys_values.nbytes * 2 == exact.keys_values.nbytes
    difference = (SPEECH.mel((0, 10, 23), memory) - alone(0)).abs().max()
    assert 1e-5 < difference < 0.1


def test_a_graph_can_capture_a_call():
    """Nothing waits for a value of the device, and nothing is copied to it: the step and the rows of tokens are made within."""
    with fake_gpu() as gpu:
        with torch.device(DEVICE):
            flow = Flow(TOY).requires_grad_(False)
        flow.prepare_weights()
        memory = flow.new_memory(4, LENGTH, torch.bfloat16)
        inputs, speaker = (
            [torch.zeros(2, N_FRAMES, TOY.mel_dim, device=DEVICE) for _ in range(2)],
            torch.zeros(2, TOY.mel_dim, device=DEVICE),
        )
        spans, rows = [torch.zeros(2, dtype=torch.int64, device=DEVICE) for _ in range(2)], torch.zeros(2, dtype=torch.int64, device=DEVICE)
        windows = torch.zeros(2, N_FRAMES // 2 + 5, dtype=torch.int64, device=DEVICE)

        def work() -> Tensor:
            step = flow.steps.padded(tuple(spans), (N_FRAMES, N_KEYS), memory, rows)
            return flow((inputs[0], flow.token_rows(windows), inputs[1]), speaker, memory, step)

        with gpu.counting() as counter:
            made = work()
        assert made.shape == (2, N_FRAMES, TOY.mel_dim)
        assert counter.n_kernels > 100
        assert counter.kernels["baddbmm"] == N_EULER_STEPS * N_POSITION_CONVS  # convolutions in groups want no workspace there
        assert counter.n_copies == 0, counter.where


def assert_same(one: FlowMemory, other: FlowMemory, end: int = LENGTH) -> None:
    assert torch.equal(one.keys_values[..., :end, :], other.keys_values[..., :end, :])
    assert torch.equal(one.contexts, other.contexts)
