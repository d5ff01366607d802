"""Parity of VoxCPM2 in bfloat16: numbers are rounded where the official package rounds them.

What is no matrix product is compared to the last bit. Products are summed in another order by every machine, and another rounding of a
hidden state moves it over an edge between two levels of quantization now and then: a 5th to a 9th of the range of one channel among 16 to
24. So those are compared by their distance over all numbers, with the official patches fed back, so that no difference grows.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.kit.sampling.flow_matching import time_waves, zero_star_guidance
from engines.voxcpm2.diffusion_head import patch_grid
from engines.voxcpm2.networks import VoxCpm2Networks, read_networks
from tests.engines.voxcpm2.tiny_checkpoint import SHAPES, write_tiny_checkpoint
from tests.parity import golden
from tests.parity.voxcpm2 import by_hand
from tests.parity.voxcpm2.cases import BFLOAT16_CASES, GOLDEN, GRIDS, GUIDANCE, POSITIONS, SEEDS, clips, made_numbers

# Root mean square of what is between two arrays, of that of theirs. 0.02 comes from 2^-9 per rounding, some 30 in a row, and 9 steps of
# diffusion; one level of one channel, in the coarsest shape, is 0.08. A mask or a last patch that is forgotten makes more than 0.3.
MOST_DISTANCE = 0.2


@pytest.fixture(scope="module")
def networks(tmp_path_factory) -> dict[str, VoxCpm2Networks]:
    folder = tmp_path_factory.mktemp("bfloat16")
    folders: dict[str, Path] = {shape: write_tiny_checkpoint(folder / shape, shape, seed=SEEDS[shape]) for shape in SHAPES}
    return {shape: read_networks(place, torch.device("cpu"), torch.bfloat16) for shape, place in folders.items()}


@pytest.fixture(params=SHAPES)
def shape(request) -> str:
    return request.param


@pytest.fixture
def theirs(shape) -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / f"rounding_{shape}.safetensors")


def rounded(numbers: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(numbers).bfloat16()


def is_exactly(mine: torch.Tensor, theirs: np.ndarray) -> bool:
    return mine.dtype == torch.bfloat16 and np.array_equal(mine.float().numpy(), theirs)


def test_times_and_widths_of_all_steps_are_the_official_ones(theirs):
    """Upstream adds widths up in bfloat16 as it goes; ours are known beforehand."""
    for n_steps in GRIDS:
        grid = patch_grid(n_steps, torch.bfloat16)
        assert np.array_equal(np.array([grid.times, [-width for width in grid.widths]], np.float32), theirs[f"grid_{n_steps}"])


def test_waves_of_the_times_are_the_official_ones(networks, shape, theirs):
    width = networks[shape].head.in_proj.out_features
    assert is_exactly(time_waves(rounded(theirs["grid_10"][0]), width), theirs["waves"])


def test_tables_of_rotation_are_the_official_ones(networks, shape, theirs):
    cos, signed_sin = networks[shape].models.base_lm.step(torch.arange(POSITIONS), POSITIONS).rotation
    sin = signed_sin[:, 0].clone()
    sin[:, : sin.shape[1] // 2] *= -1
    for mine, name in ((cos[:, 0], "cos"), (sin, "sin")):
        assert np.array_equal(mine[::13].numpy(), theirs[name])


@torch.inference_mode()
def test_a_norm_rounds_before_its_weight(networks, shape, theirs):
    norm = networks[shape].models.base_lm.layers[0].input_layernorm
    rows = rounded(made_numbers(16, networks[shape].config.lm_config.hidden_size) * 3)
    assert is_exactly(norm(rows), theirs["normed"])


def test_guidance_rounds_as_the_official_one(networks, shape, theirs):
    config = networks[shape].config
    first, second = rounded(made_numbers(2 * config.patch_size, config.feat_dim)).view(2, 1, config.patch_size, config.feat_dim)
    guide = zero_star_guidance(torch.full((1, 1, 1), GUIDANCE, dtype=torch.bfloat16))
    assert is_exactly(guide(first, second)[0], theirs["guided"])


@pytest.mark.parametrize("case", BFLOAT16_CASES, ids=lambda case: case.name)
@torch.inference_mode()
def test_patches_after_official_patches_are_nearly_the_official_ones(networks, case):
    all_theirs, network = golden.read(GOLDEN / f"bfloat16_{case.shape}.safetensors"), networks[case.shape]
    theirs = {name: all_theirs[f"{case.mode}.{name}"] for name in ("base", "residual", "patches", "stops")}
    prompt = by_hand.prompt_of(network, case, clips()["reference"])
    states, _ = by_hand.read(network, prompt)
    spoken = list(by_hand.spoken(network, case, prompt, theirs["patches"]))
    assert distance(states.base[0, -1].float().numpy(), theirs["base"]) < MOST_DISTANCE
    assert distance(states.residual[0, -1].float().numpy(), theirs["residual"]) < MOST_DISTANCE
    assert distance(np.stack([made.patch for made in spoken]), theirs["patches"]) < MOST_DISTANCE
    assert distance(np.stack([made.logits for made in spoken]), theirs["stops"]) < MOST_DISTANCE


def distance(mine: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.sqrt(np.square(mine - theirs).mean() / np.square(theirs).mean()))
