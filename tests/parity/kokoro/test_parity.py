"""Parity of Kokoro: our networks compute what the official package computed from the same random weights, stage by stage.

The goldens were made by `make golden`; their headers say from what. Numbers of frames are equal, float32 numbers to 1e-4 of the largest.
The source is compared as waves, since a phase is only as certain as its magnitude is large: what is silent has any. The generator is given
the official source for that reason. The official code adds phases up in float32, which costs it up to 2e-4; ours are within 4e-6 of what it
computes in float64.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from engines.kokoro.network.generator import Timbre
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.weights.sources import open_weights
from tests.engines.kokoro.random_checkpoint import RECIPE, write_tiny_checkpoint
from tests.parity import golden
from tests.parity.kokoro.cases import CASES, GOLDEN, Case, thinned

TOLERANCE, SOURCE_TOLERANCE = 1e-4, 5e-4


@pytest.fixture(scope="module")
def networks(tmp_path_factory) -> Callable[[str], KokoroNetworks]:
    folder: Path = tmp_path_factory.mktemp("parity")

    @cache
    def opened(kind: str) -> KokoroNetworks:
        config, checkpoint = open_weights(write_tiny_checkpoint(folder / kind, kind))
        with checkpoint:
            return KokoroNetworks.read(config, checkpoint, torch.float32)

    return opened


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request) -> Case:
    return request.param


@pytest.fixture
def official(case) -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / f"{case.name}.safetensors")


def differences(official: dict[str, np.ndarray], **ours: Tensor) -> list[str]:
    """ours: (1, ...)."""
    mine = {name: numbers[0].numpy() for name, numbers in ours.items()}
    mine = {name: numbers if numbers.shape == official[name].shape else thinned(numbers) for name, numbers in mine.items()}
    return golden.differences(mine, {name: official[name] for name in mine}, TOLERANCE)


def inputs(case: Case, network: KokoroNetworks) -> tuple[Tensor, Tensor]:
    return torch.from_numpy(case.symbols), torch.from_numpy(case.style(2 * network.config.style))


def timbre(style: Tensor) -> Timbre:
    return Timbre(style.chunk(2, 1)[0], {})


@torch.no_grad()
def test_a_text_is_planned_as_the_official_code_plans_it(networks, case, official):
    network = networks(case.kind)
    symbols, style = inputs(case, network)
    encoded, durations = network.encode(symbols, style)
    durations = durations / case.speed
    plan = network.plan(symbols, encoded, torch.from_numpy(official["frames"]), style)
    bert, text = network.bert_encoder(network.bert(symbols)), network.text_encoder(symbols)
    wrong = differences(official, bert=bert, encoded=encoded, durations=durations[None], text=text)
    wrong += differences(official, f0=plan.f0, energy=plan.energy, features=network.features(plan, style[:, : network.config.style]))
    assert not wrong
    assert torch.equal(durations.round().clamp(min=1).long(), torch.from_numpy(official["frames"]))


@torch.no_grad()
def test_the_source_is_the_official_one(networks, case, official):
    network = networks(case.kind)
    ours = network.decoder.generator.source(torch.from_numpy(official["f0"])[None])[0].numpy()
    assert ours.shape == official["source"].shape

    def waves(source: np.ndarray) -> np.ndarray:
        magnitudes, phases = np.split(source, 2, axis=1)
        return magnitudes * np.exp(1j * phases)

    theirs = waves(official["source"])
    assert np.abs(waves(ours) - theirs).max() < SOURCE_TOLERANCE * np.abs(theirs).max()


@torch.no_grad()
def test_the_generator_speaks_what_the_official_one_speaks(networks, case, official):
    network = networks(case.kind)
    _, style = inputs(case, network)
    features, source = (torch.from_numpy(official[name])[None] for name in ("features", "source"))
    generator = network.decoder.generator
    spectrum = generator.spectrum(features, source, timbre(style))
    assert not differences(official, spectrum=spectrum, samples=generator.samples(spectrum))


@torch.no_grad()
def test_all_stages_together_are_the_official_ones(networks, case, official):
    network = networks(case.kind)
    symbols, style = inputs(case, network)
    encoded, durations = network.encode(symbols, style)
    plan = network.plan(symbols, encoded, (durations / case.speed).round().clamp(min=1).long(), style)
    generator = network.decoder.generator
    spectrum = generator.spectrum(
        network.features(plan, style[:, : network.config.style]), torch.from_numpy(official["source"])[None], timbre(style)
    )
    assert not differences(official, spectrum=spectrum, samples=generator.samples(spectrum))


def test_the_goldens_were_made_of_this_recipe():
    for each in CASES:
        facts = golden.read_facts(GOLDEN / f"{each.name}.safetensors")
        assert facts["recipe"] == RECIPE and facts["upstream"].startswith("kokoro 0.9.4") and float(facts["least_margin"]) > 1e-3
