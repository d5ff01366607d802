"""Parity of Fish Audio S2 Pro's transformers in bfloat16: numbers are rounded where the reference rounds them.

What is no matrix product is compared to the last bit. Products are summed in another order by every machine, so that what follows from them
is compared by its distance, with the reference's frames fed back, and codes are equal where the choice was clear.
"""

import numpy as np
import pytest
import torch

from engines.fish_speech.networks import FishNetworks, read_networks
from engines.kit.nn.attention import apply_rotary
from tests.parity import golden
from tests.parity.fish_speech import by_hand
from tests.parity.fish_speech.cases import BFLOAT16_CASES, GOLDEN, Case, made_numbers
from tests.parity.fish_speech.checkpoints import write_checkpoint

# Root mean square of what is between two arrays, of that of theirs: 2^-9 per rounding, a hundred in a row over the layers.
MOST_DISTANCE = 0.05
CLEAR = 0.5  # between the best two logits: several units of their last place, 2^-8 of 8 to 16


@pytest.fixture(scope="module", params=BFLOAT16_CASES, ids=lambda case: case.shape)
def case(request) -> Case:
    return request.param


@pytest.fixture(scope="module")
def network(case, tmp_path_factory) -> FishNetworks:
    return read_networks(write_checkpoint(tmp_path_factory.mktemp("bfloat16"), case.shape), torch.device("cpu"), torch.bfloat16)


@pytest.fixture(scope="module")
def theirs(case) -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / f"bfloat16_{case.shape}.safetensors")


@pytest.fixture(scope="module")
def rows(case, network) -> torch.Tensor:
    recorded = golden.read(GOLDEN / f"codec_{case.shape}.safetensors")
    codes = [recorded[f"recording_{number}.codes"] for number in range(len(case.words))]
    with torch.inference_mode():
        return by_hand.prompt_rows(network, case, codes)


def is_exactly(mine: torch.Tensor, theirs: np.ndarray) -> bool:
    return mine.dtype == torch.bfloat16 and np.array_equal(mine.float().numpy(), theirs)


def distance(mine: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.sqrt(np.square(mine - theirs).mean() / np.square(theirs).mean()))


def test_rows_of_words_and_frames_are_the_reference_ones(rows, theirs):
    assert is_exactly(rows[0, ::5], theirs["prompt"])


@torch.inference_mode()
def test_a_norm_rounds_before_its_weight(network, theirs):
    norm = network.slow.decoder.norm
    assert is_exactly(norm(torch.from_numpy(made_numbers(16, len(norm.weight))).bfloat16() * 3), theirs["normed"])


def test_heads_are_turned_in_float32_by_a_rounded_table(network, theirs):
    decoder = network.slow.decoder
    heads = torch.from_numpy(made_numbers(16, decoder.config.attention.head_dim)).bfloat16()[None, :, None]
    turned = apply_rotary(heads, decoder._rotary(torch.arange(100, 116), torch.bfloat16), "interleaved")
    assert is_exactly(turned[0, :, 0], theirs["turned"])


@torch.inference_mode()
def test_frames_after_the_reference_ones_are_nearly_the_same(network, rows, theirs):
    made = list(by_hand.spoken(network, rows, theirs["drawn"]))
    assert distance(np.stack([frame.state for frame in made]), theirs["states"]) < MOST_DISTANCE
    assert distance(np.stack([frame.logits for frame in made]), theirs["logits"]) < MOST_DISTANCE
    assert distance(np.stack([frame.residual_logits for frame in made])[:, :, ::5], theirs["residual_logits"]) < MOST_DISTANCE
    clear, codes = theirs["margins"] > CLEAR, np.array([frame.codes for frame in made])
    assert clear.mean() > 0.5
    assert np.array_equal(codes[clear], theirs["drawn"].T[clear])
