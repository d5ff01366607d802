"""The head of a speaker: made of natural voices' heads whose vocal tract is as long, and never far from them."""

from dataclasses import replace

import numpy as np
import pytest

from engines.espeak.prior.prior import N_OUTPUTS, VOICING, Prior
from engines.kit.signal.spectrum import N_CEPSTRA

N_UNITS = 90
WARPS = (0.84, 1.0, 1.19)
NAMES = tuple(f"{voice}*{warp}" for voice in ("heart", "nsh", "slt") for warp in WARPS)


@pytest.fixture(scope="module")
def prior() -> Prior:
    """Heads that hold their own number."""
    heads = np.arange(1, len(NAMES) + 1, dtype=np.float32)[:, None, None] * np.ones((N_UNITS + 1, N_OUTPUTS), np.float32)
    scales = {"target_mean": np.linspace(-1, 1, N_OUTPUTS, dtype=np.float32), "target_scale": np.full(N_OUTPUTS, 2, np.float32)}
    return Prior(scales | {"heads": heads}, NAMES, {}, "")


@pytest.mark.parametrize(("tract", "russian", "english"), [(0.6, "0.84", "0.84"), (0.77, "1.0", "0.84"), (1.05, "1.19", "1.0")])
def test_of_each_natural_voice_the_nearest_tract_is_taken(prior, tract, russian, english):
    numbers = [1 + NAMES.index(name) for name in (f"nsh*{russian}", f"heart*{english}")]
    base = prior.base_head(tract)
    assert base.shape == (N_UNITS + 1, N_OUTPUTS)
    assert min(numbers) < base[0, 0] < max(numbers)
    assert abs(base[0, 0] - numbers[0]) < abs(base[0, 0] - numbers[1])  # the person counts for more


def test_a_voice_that_was_not_trained_with_cannot_be_made_of(prior):
    with pytest.raises(ValueError):
        replace(prior, head_names=("slt*1.0",), tensors=prior.tensors | {"heads": prior.heads[:1]}).base_head(1.0)


@pytest.fixture(scope="module")
def speech(prior) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hidden features, a base, and what the base makes of them."""
    random = np.random.default_rng(0)
    hidden = np.tanh(random.standard_normal((1500, N_UNITS + 1))).astype(np.float32)
    hidden[:, -1] = 1
    base = (0.2 * random.standard_normal((N_UNITS + 1, N_OUTPUTS))).astype(np.float32)
    return hidden, base, prior.outputs(hidden, base)


def test_a_speaker_like_the_base_keeps_its_head(prior, speech):
    hidden, base, outputs = speech
    np.testing.assert_allclose(prior.fit_head(base, hidden, outputs), base, atol=1e-5)


def test_another_mean_is_taken_over_whole_and_noise_is_not_learned(prior, speech):
    hidden, base, outputs = speech
    noisy = outputs + 3 + np.random.default_rng(1).standard_normal(outputs.shape).astype(np.float32)
    made = prior.outputs(hidden, prior.fit_head(base, hidden, noisy))
    np.testing.assert_allclose(made.mean(0), noisy.mean(0), atol=1e-3)
    assert (made - outputs - 3).std() < 0.2


def test_cepstra_are_mapped_part_of_the_way_and_the_rest_by_ridge_alone(prior, speech):
    """Ridge comes nearer to the clip; what is no cepstrum keeps the base's movement without it."""
    hidden, base, outputs = speech
    targets = outputs.copy()
    targets[:, :N_CEPSTRA] = outputs[:, :N_CEPSTRA][:, ::-1]
    targets[:, VOICING] *= -1
    left = []
    for ridge in (None, 0.01):
        made = prior.outputs(hidden, prior.fit_head(base, hidden, targets, ridge))
        left.append([((made - targets) ** 2)[:, part].mean() for part in (slice(N_CEPSTRA), slice(VOICING, None))])
    before = ((outputs - targets) ** 2)[:, :N_CEPSTRA].mean()
    assert left[1][0] < left[0][0] < before
    assert left[1][1] < 0.2 * left[0][1]
