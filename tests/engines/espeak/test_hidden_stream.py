"""The prior's body as a stream: what the trained modules compute, each frame once, none before its time."""

import numpy as np
import pytest
import torch

from engines.espeak.prior.hidden_stream import LOOK_AHEAD_FRAMES, N_FRAME_INPUTS, HiddenStream
from engines.espeak.training.fitting import tensors_of
from engines.espeak.training.network import PriorNetwork
from engines.kit.phonemes.phone_features import N_PHONE_FEATURES


@pytest.fixture(scope="module")
def network() -> PriorNetwork:
    torch.manual_seed(0)
    return PriorNetwork(1).eval()


@pytest.fixture(scope="module")
def tensors(network: PriorNetwork) -> dict[str, np.ndarray]:
    plain = {"input_mean": np.zeros(N_FRAME_INPUTS, np.float32), "input_scale": np.ones(N_FRAME_INPUTS, np.float32)}
    return plain | tensors_of(network)


def _speech(n_frames: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    inputs = random.standard_normal((n_frames, N_FRAME_INPUTS)).astype(np.float32)
    return inputs, random.standard_normal((n_frames, 3 * N_PHONE_FEATURES)).astype(np.float32)


def _streamed(tensors: dict[str, np.ndarray], inputs: np.ndarray, phones: np.ndarray, n_frames: int, **options: int) -> np.ndarray:
    stream, made = HiddenStream(tensors, n_frames, **options), []
    while sum(map(len, made)) < n_frames:
        part = slice(stream.wanted[0], min(stream.wanted[1], len(inputs)))
        made.append(stream.push(inputs[part], phones[part]))
    return np.concatenate(made)[:n_frames]


@pytest.mark.parametrize("n_frames", [2, 32, 130, 333])
def test_the_stream_is_the_trained_network(network: PriorNetwork, tensors: dict[str, np.ndarray], n_frames: int) -> None:
    inputs, phones = _speech(n_frames)
    whole_steps = n_frames + n_frames % 2
    rows = np.concatenate([inputs, inputs[-1:]])[:whole_steps], np.concatenate([phones, phones[-1:]])[:whole_steps]
    with torch.no_grad():
        wanted = network.hidden(torch.from_numpy(rows[0])[None], torch.from_numpy(rows[1])[None])[0].numpy()[:n_frames]
    for block_steps in (16, 64):
        np.testing.assert_allclose(_streamed(tensors, inputs, phones, n_frames, block_steps=block_steps), wanted, atol=2e-5)


def test_what_a_speech_cut_short_is_certain_of_is_bit_for_bit_that_of_the_whole(tensors: dict[str, np.ndarray]) -> None:
    inputs, phones = _speech(300)
    whole = _streamed(tensors, inputs, phones, 300)
    cut = _streamed(tensors, inputs[:200], phones[:200], 200)
    certain = 200 - LOOK_AHEAD_FRAMES
    assert certain > 100
    np.testing.assert_array_equal(cut[:certain], whole[:certain])
