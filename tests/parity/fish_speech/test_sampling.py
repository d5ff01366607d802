"""Parity of Fish Audio S2 Pro's sampling: what may be drawn, with which probabilities, and what is drawn from the same noise."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from engines.fish_speech.batched_decoder import FishRows, FishSampling
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.sampling.sampling import SamplingTensors, sample_cut_first
from tests.engines.fish_speech.opened import tiny
from tests.parity import golden
from tests.parity.fish_speech.cases import (
    GOLDEN,
    N_FRAMES,
    N_RACES,
    N_REPEATED,
    N_STREAMS,
    REPETITIONS,
    SAMPLING,
    noise,
    repetition_logits,
    sampling_logits,
)
from tests.parity.fish_speech.oracle import Settings

WIDTHS = (4097, 1024)  # of the semantic codes and the end, and of every other book
SURE = 1e4  # noise by which whatever may be drawn is drawn
NEAR = 1e-3  # between two logarithms of probabilities


def drawn(logits: torch.Tensor, noises: torch.Tensor, settings: Settings) -> list[int]:
    """A code for each row of noise (N, V)."""
    params = SamplingTensors.blank(len(noises), "cpu")
    params.set(settings.temperature, settings.top_k, settings.top_p)
    return sample_cut_first(logits.expand(len(noises), -1), noises, params).tolist()


@pytest.fixture(scope="module")
def theirs() -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / "sampling.safetensors")


@pytest.fixture(scope="module")
def noises() -> dict[int, torch.Tensor]:
    return {width: torch.stack([noise(0, frame, 0, width) for frame in range(N_RACES)]) for width in WIDTHS}


@pytest.mark.parametrize("name", SAMPLING)
def test_what_may_be_drawn_is_what_the_reference_keeps(theirs, name):
    """Of the sixty likeliest, each pushed far ahead of all others; those that are cut do not come."""
    for width in WIDTHS:
        logits, kept = torch.from_numpy(sampling_logits(width)), set(theirs[f"{name}_{width}.kept"].tolist())
        best = logits.topk(60).indices
        pushed = torch.zeros(60, width)
        pushed[torch.arange(60), best] = SURE
        codes = drawn(logits, pushed, SAMPLING[name])
        assert kept <= set(best.tolist())
        assert {code for code, at in zip(codes, best.tolist(), strict=True) if code == at} == kept


@pytest.mark.parametrize("name", SAMPLING)
def test_probabilities_are_tempered_as_the_reference_tempers_them(theirs, name):
    """Noise that makes all of them equal but one, which then comes."""
    for width in WIDTHS:
        kept, probabilities = (torch.from_numpy(theirs[f"{name}_{width}.{part}"]) for part in ("kept", "probabilities"))
        kept = kept.long()
        levelled = torch.zeros(len(kept), width)
        levelled[:, kept] = NEAR * torch.eye(len(kept)) - probabilities.log()
        assert drawn(torch.from_numpy(sampling_logits(width)), levelled, SAMPLING[name]) == kept.tolist()


@pytest.mark.parametrize("name", SAMPLING)
def test_the_same_noise_draws_the_same_codes(theirs, noises, name):
    for width in WIDTHS:
        codes = drawn(torch.from_numpy(sampling_logits(width)), noises[width], SAMPLING[name])
        assert codes == theirs[f"{name}_{width}.drawn"].tolist()


class _ShortRows(FishRows):
    """With room for hardly any keys: nothing is read here."""

    KEY_SIZES = (8,)


@torch.inference_mode()
def codes_of_decoder(settings: Settings) -> np.ndarray:
    """(streams, frames): the semantic codes of streams whose slow transformer gives the same logits in every frame."""
    networks, logits = tiny(), torch.from_numpy(repetition_logits()).expand(N_STREAMS, -1)
    slow = SimpleNamespace(decoder=networks.slow.decoder, n_codebooks=10, n_semantic=N_REPEATED - 1, logits=lambda _state: logits)
    rows = _ShortRows(replace(networks, slow=slow), Graphs(networks.device), width=N_STREAMS, fixed_shapes=False)
    for row in range(N_STREAMS):
        rows._draw_as(row, FishSampling(row, settings.temperature, settings.top_k, settings.top_p))
    rows._active.fill_(True)
    codes = []
    for frame in range(N_FRAMES):
        rows._frame.fill_(frame)
        rows._sample_first()
        codes.append(rows._code.numpy().copy())
    return np.stack(codes, axis=1)


@pytest.mark.parametrize("name", REPETITIONS)
def test_what_was_said_lately_is_drawn_again_as_the_reference_does_it(name):
    theirs = golden.read(GOLDEN / "repetitions.safetensors")
    assert np.array_equal(codes_of_decoder(SAMPLING[name]), theirs[f"{name}.drawn"])


def test_the_repetitions_cover_second_draws_that_change_the_code_and_others():
    theirs = golden.read(GOLDEN / "repetitions.safetensors")
    for name in REPETITIONS:
        twice = theirs[f"{name}.twice"].astype(bool)
        assert 0.05 < twice.mean() < 0.95
        assert not twice[:, :2].any()
        assert twice[:, 2:4].any()
