"""Parity of Voxtral TTS in bfloat16: numbers are rounded where official code rounds them.

What is no matrix product is compared to the last bit. Products are summed in another order by every machine, so that what follows from them
is compared by its distance, with the official frames fed back, and codes are equal where the choice was clear.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.voxtral.networks import VoxtralNetworks, read_networks
from tests.engines.voxtral.tiny_checkpoint import write_tiny_checkpoint
from tests.parity import golden
from tests.parity.voxtral import by_hand
from tests.parity.voxtral.cases import BFLOAT16, GOLDEN, SCALES, SEEDS, Speech, made_states, noise_of_rows

# Root mean square of what is between two arrays, of that of theirs: 2^-9 per rounding, many in a row over the layers.
MOST_DISTANCE = 0.03
N_ROWS = 3  # of the flow head


@pytest.fixture(scope="module", params=BFLOAT16, ids=lambda speech: speech.shape)
def speech(request) -> Speech:
    return request.param


@pytest.fixture(scope="module")
def network(speech, tmp_path_factory) -> VoxtralNetworks:
    folder = write_tiny_checkpoint(Path(tmp_path_factory.mktemp("bfloat16")), speech.shape, seed=SEEDS[speech.shape])
    return read_networks(folder, torch.device("cpu"), torch.bfloat16)


@pytest.fixture(scope="module")
def theirs(speech) -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / f"bfloat16_{speech.shape}.safetensors")


@pytest.fixture(scope="module")
def rows(speech, network) -> torch.Tensor:
    with torch.inference_mode():
        return by_hand.prompt_rows(network, speech)


def is_exactly(mine: torch.Tensor, theirs: np.ndarray) -> bool:
    return mine.dtype == torch.bfloat16 and np.array_equal(mine.float().numpy(), theirs)


def distance(mine: torch.Tensor, theirs: np.ndarray) -> float:
    return float(np.sqrt(np.square(mine.float().numpy() - theirs).mean() / np.square(theirs).mean()))


def test_rows_of_a_prompt_are_the_official_ones(rows, theirs):
    assert is_exactly(rows[0, ::4], theirs["rows"])


def test_frames_are_summed_as_in_official_code(network, theirs):
    """In float32, and rounded once: rows of frames, less what a prompt of one frame has beside them."""
    frames = torch.from_numpy(theirs["codes"].T.astype(np.int64))[None]
    assert is_exactly(network.backbone.embed_frames(frames)[0], theirs["frame_rows"])


def test_times_are_the_official_ones(network, theirs):
    """The points between steps too are rounded: the sixth of seven is 0.859, and not 6/7."""
    flow = network.flow
    assert np.array_equal(np.array(flow.grid.widths, np.float32), theirs["widths"])
    assert distance(flow._time_rows[:, 0, 0], theirs["time_rows"][:-1]) < MOST_DISTANCE / 10


@torch.inference_mode()
def test_steps_along_the_official_velocities_lead_to_the_official_codes(network, theirs):
    """Noise, guidance, steps, levels: every sum and product in bfloat16."""
    states = made_states(len(SCALES), network.config.dim)[:N_ROWS]
    forced = torch.from_numpy(theirs["velocities"]).bfloat16()
    mine = by_hand.flowed(network.flow, states, noise_of_rows(len(SCALES))[:N_ROWS], SCALES[:N_ROWS], forced)
    assert is_exactly(mine.levels[[0, 3]], theirs["levels"][:2])
    assert np.array_equal(mine.codes + 2, theirs["flow_codes"][:, 1:])


@torch.inference_mode()
def test_velocities_and_logits_are_nearly_the_official_ones(network, theirs):
    states = made_states(len(SCALES), network.config.dim)[:N_ROWS]
    mine = by_hand.flowed(network.flow, states, noise_of_rows(len(SCALES))[:N_ROWS], SCALES[:N_ROWS])
    assert distance(mine.velocities, theirs["velocities"]) < MOST_DISTANCE
    n_logits = 1 + network.config.audio_model.semantic_codebook_size
    assert distance(network.flow.semantic_logits(states.bfloat16()), theirs["logits"][:, 1 : 1 + n_logits]) < MOST_DISTANCE
    assert np.array_equal(by_hand.semantic(network.flow, states), theirs["flow_codes"][:, 0])


@torch.inference_mode()
def test_frames_after_the_official_ones_are_nearly_the_same(network, speech, rows, theirs):
    made = list(by_hand.spoken(network, rows, speech, theirs["codes"]))
    assert distance(torch.stack([state for state, _ in made]), theirs["states"]) < MOST_DISTANCE
    same = theirs["codes"] == np.array([codes for _, codes in made]).T
    assert same[0].mean() > 0.7
    assert same[1:].mean() > 0.8
