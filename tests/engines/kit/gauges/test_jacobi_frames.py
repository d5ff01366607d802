"""The fixed point of a frame's codes is what they are one after another; and passes are counted until all are known to be right."""

from functools import cache

import pytest
import torch

from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from engines.kit.gauges.jacobi_frames import (
    CodeDraw,
    FrameStates,
    jacobi_frames,
    last_frame_guess,
    noise_guess,
    passes_work,
    sequential_codes,
    zero_guess,
)
from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.depth_decoder import DepthDecoder
from engines.kit.nn.transformer import DecoderConfig
from engines.kit.weights.random_weights import RandomWeights

WIDTH, N_CODEBOOKS, N_IDS, FRAMES = 32, 6, 64, 5
DRAWS = {
    "the likeliest": CodeDraw(0.0, 0, 1.0),
    "among a few": CodeDraw(0.9, 5, 1.0),
    "cut first": CodeDraw(0.8, 20, 0.8, cut_first=True),
    "with a peak": CodeDraw(0.9, 20, 1.0, logit_scale=4.0),
    "half of it follows from no code": CodeDraw(0.9, 20, 1.0, context_share=0.5),
}


class ToyDecoder(DepthDecoder):
    """One table and one head."""

    WIDE_LOGITS = False

    def __init__(self):
        super().__init__(DecoderConfig(AttentionConfig(WIDTH, 4, 2, 8, RotaryConfig()), 2 * WIDTH, 2), N_CODEBOOKS)
        self.table, self.output = torch.nn.Embedding(N_IDS, WIDTH), torch.nn.Linear(WIDTH, N_IDS, bias=False)

    def embed(self, codebook: int, codes: torch.Tensor) -> torch.Tensor:
        return self.table(codes)

    def project(self, rows: torch.Tensor) -> torch.Tensor:
        return rows

    def head(self, codebook: int) -> torch.nn.Linear:
        return self.output


@cache
def toy() -> tuple[ToyDecoder, FrameStates]:
    network = ToyDecoder().requires_grad_(False)
    RandomWeights(torch.float32).load_into(network)
    rows = torch.randn(2, FRAMES, WIDTH, generator=torch.Generator().manual_seed(0))
    return network, FrameStates(rows[0], rows[1])


@pytest.mark.parametrize("draw", DRAWS)
def test_codes_that_stand_are_those_of_the_sequential_order(draw):
    codes = sequential_codes(*toy(), DRAWS[draw])
    for guess in (zero_guess, noise_guess, last_frame_guess(codes)):
        made = jacobi_frames(*toy(), DRAWS[draw], guess)
        assert torch.equal(made.codes, codes)
        assert (made.accepted[0] >= 1).all(), "a pass makes one code right at least"
        assert (made.accepted.diff(dim=0).clamp(max=1) >= (made.accepted[:-1] < N_CODEBOOKS - 1)).all(), "and so does each that follows"
        assert made.accepted[-1].tolist() == [N_CODEBOOKS - 1] * FRAMES
        assert 1 <= made.passes.min() <= made.passes.max() == len(made.accepted) <= N_CODEBOOKS - 1


def test_a_guess_that_is_right_takes_one_pass():
    codes = sequential_codes(*toy(), DRAWS["among a few"])
    assert jacobi_frames(*toy(), DRAWS["among a few"], lambda noise: codes).passes.tolist() == [1] * FRAMES


def test_codes_that_follow_from_no_code_take_two_passes_at_most():
    """The first draws them, the second sees that they stand."""
    made = jacobi_frames(*toy(), CodeDraw(0.9, 20, 1.0, context_share=0.0), zero_guess)
    assert made.passes.max() <= 2


@pytest.mark.parametrize("cut_first", [False, True])
def test_work_is_counted_in_order_and_at_once(cut_first):
    """A draw of each code on a fake GPU in their order, and one of all of them at once."""
    with fake_gpu() as gpu, gpu.counting(), torch.device(DEVICE):
        in_order, at_once = passes_work(gpu, ToyDecoder(), CodeDraw(0.9, 20, 1.0, cut_first=cut_first), width=2)
    draw = "draw_codes_cut_first" if cut_first else "draw_codes"
    assert (in_order.kernels[draw], at_once.kernels[draw]) == (N_CODEBOOKS - 1, 1)
