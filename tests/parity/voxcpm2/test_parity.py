"""Parity of VoxCPM2: our networks and our engine compute what the official package computed from the same random weights.

The goldens were made by `make golden`; their headers say from what. Ids, lengths and decisions are equal, float32 numbers to 1e-5 of the
largest. First each network alone, then what they do together, then what is heard through the engine's own door.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.clips.clip import Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.voxcpm2 import PACKAGE
from engines.voxcpm2.language_models import HiddenStates
from engines.voxcpm2.networks import VoxCpm2Networks, read_networks
from tests.engines.voxcpm2.random_checkpoint import RECIPE
from tests.engines.voxcpm2.tiny_checkpoint import SHAPES, write_tiny_checkpoint
from tests.parity import golden
from tests.parity.voxcpm2 import by_hand
from tests.parity.voxcpm2.cases import (
    CASES,
    ENDINGS,
    GOLDEN,
    SEEDS,
    TOKEN_TEXTS,
    WORDS,
    Case,
    Ending,
    clips,
    looked_at,
    made_numbers,
    thinned,
)

TOLERANCE = 1e-5
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("parity")
    return {shape: write_tiny_checkpoint(folder / shape, shape, seed=SEEDS[shape]) for shape in SHAPES}


@pytest.fixture(scope="module")
def networks(folders) -> dict[str, VoxCpm2Networks]:
    return {shape: read_networks(folder, CPU, torch.float32) for shape, folder in folders.items()}


@pytest.fixture(params=SHAPES)
def network(request, networks) -> VoxCpm2Networks:
    return networks[request.param]


@pytest.fixture
def alone(request, network) -> dict[str, np.ndarray]:
    """What the official networks compute, each alone."""
    return golden.read(GOLDEN / f"networks_{request.node.callspec.params['network']}.safetensors")


def close(mine: torch.Tensor | np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> list[str]:
    return golden.differences({"it": np.asarray(mine)}, {"it": theirs}, tolerance)


def numbers(count: int, width: int) -> torch.Tensor:
    return torch.from_numpy(made_numbers(count, width))


def patch_shape(network: VoxCpm2Networks) -> tuple[int, int]:
    return network.config.patch_size, network.config.feat_dim


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.safetensors")), ids=lambda file: file.stem)
def test_a_golden_is_small_and_says_how_it_was_made(file):
    facts = golden.read_facts(file)
    assert file.stat().st_size <= golden.MOST_BYTES
    assert facts["recipe"] == RECIPE
    assert facts["upstream"] == "PyPI voxcpm 2.0.3"
    assert facts["seed"] in {*map(str, SEEDS.values()), str(SEEDS)}
    assert float(facts["least_margin"]) >= 10 * TOLERANCE  # levels and decisions are no luck


def test_texts_have_the_official_ids(networks):
    theirs = golden.read(GOLDEN / "tokens.safetensors")
    for number, text in enumerate(TOKEN_TEXTS):
        assert networks["usual"].tokenizer.ids(" ".join(text.split())) == theirs[str(number)].tolist(), text


@torch.inference_mode()
def test_the_local_encoder_makes_the_official_rows(network, alone):
    n_latents, width = patch_shape(network)
    assert not close(network.local_encoder(numbers(4 * n_latents, width).view(4, n_latents, width)), alone["patch_rows"])


@torch.inference_mode()
def test_the_language_models_make_the_official_states(network, alone):
    models = network.models
    rows = numbers(30, models.stop_head.in_features)[None]
    step = models.base_lm.step(torch.arange(30), 30)
    at = looked_at(30)
    assert not close(models.base_lm(rows, step, models.new_cache(1, 30).base)[0, at], alone["base"])
    assert not close(models.residual_lm(rows, models._residual_step(step), models.new_cache(1, 30).residual)[0, at], alone["residual"])
    assert not close(models.fsq_layer(rows[0, :4]), alone["quantized"])
    assert not close(models.stop_head(torch.nn.functional.silu(models.stop_proj(rows[0, :4]))), alone["stop"])
    assert not close(models.conditions(HiddenStates(rows[:, 0], rows[:, 1])).flatten(), alone["conditions"])


@torch.inference_mode()
def test_the_head_makes_the_official_patch(network, alone):
    n_latents, width = patch_shape(network)
    noise, last = numbers(4 * n_latents, width).view(4, 1, n_latents, width)[:2]
    rows = numbers(30, network.models.stop_head.in_features)
    conditions = network.models.conditions(HiddenStates(rows[:1], rows[1:2]))
    assert not close(network.head(noise, conditions, last, torch.full((1, 1, 1), 1.7), 6)[0], alone["patch"])


@torch.inference_mode()
def test_the_audio_decoder_makes_the_official_samples(network, alone):
    samples, _ = network.decoder.decode(numbers(30, network.config.feat_dim)[None], network.decoder.initial_state(1))
    assert not close(thinned(samples[0].numpy()), alone["samples"])


@pytest.mark.parametrize("shape", SHAPES)
def test_a_recording_has_the_official_latents_whichever_side_silence_is_on(networks, shape):
    """One of them is at another rate: resampling is the official one, too."""
    theirs = golden.read(GOLDEN / f"extraction_{shape}.safetensors")
    for name, clip in clips().items():
        for side in ("left", "right"):
            latents = by_hand.latents_of(networks[shape], clip, side)
            assert len(latents) == theirs[f"{name}.patches"][0]
            assert not close(latents[:4], theirs[f"{name}.{side}_first"])
            assert not close(latents[-6:], theirs[f"{name}.{side}_last"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@torch.inference_mode()
def test_a_prompt_and_its_patches_are_the_official_ones(networks, case):
    """Ids, states of both models over the prompt, and patch by patch what follows from the official patches before it."""
    network, theirs = networks[case.shape], golden.read(case.file)
    prompt = by_hand.prompt_of(network, case, clips()["reference"])
    states, _ = by_hand.read(network, prompt)
    assert prompt.rows.n_rows == len(theirs["ids"])
    assert [token for token in theirs["ids"].tolist() if token not in (0, 101, 103, 104)] == by_hand.token_ids(network, case)
    at = looked_at(prompt.rows.n_rows)
    assert not close(states.base[0, at], theirs["base"])
    assert not close(states.residual[0, at], theirs["residual"])
    mine = list(by_hand.spoken(network, case, prompt, theirs["patches"]))
    assert not close(np.stack([spoken.patch for spoken in mine]), theirs["patches"])
    assert not close(np.stack([spoken.logits for spoken in mine]), theirs["stops"])
    assert [spoken.ends for spoken in mine] == [bool(stop) for stop in theirs["stops"].argmax(axis=1)]


def test_the_cases_cover_speech_that_ends_that_is_cut_and_that_would_end_too_early():
    decisions = {case.name: golden.read(case.file)["stops"].argmax(axis=1).tolist() for case in CASES}
    assert any(len(made) < 8 and made[-1] for made in decisions.values())
    assert any(len(made) == 8 and not made[-1] for made in decisions.values())
    assert sum(any(made[:3]) for made in decisions.values()) >= 6  # of patches 0 to 2 nobody asks
    assert not any(any(made[3:-1]) for made in decisions.values())


@pytest.fixture(scope="module")
def engines(folders) -> dict[str, Engine]:
    opened = {shape: PACKAGE.open(str(folder), device="cpu", dtype="float32") for shape, folder in folders.items()}
    yield opened
    for engine in opened.values():
        engine.close()


@pytest.fixture(scope="module")
def prompts(engines) -> dict[str, SpeakerPrompt]:
    return {shape: engine.extract(clips()["reference"], Transcript(WORDS)) for shape, engine in engines.items()}


def heard(engine: Engine, case: Case, prompt: SpeakerPrompt) -> np.ndarray:
    """The samples of a speech through the engine's own door."""
    given = {"seed": case.noise_seed, "cfg_value": case.cfg_value, "inference_timesteps": case.inference_timesteps}
    given |= {"max_patches": case.patches} | ({} if case.mode == "design" else {"mode": case.mode})
    prompt = engine.preset("design") if case.mode == "design" else prompt
    return np.concatenate(list(engine.stream(case.text, prompt, resolve_options(engine.info.options, given))))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_engine_says_what_a_caller_of_the_official_package_hears(engines, prompts, case):
    """As a whole: where speech goes on from a recording the official stream begins cold, and ours does not."""
    theirs, samples = golden.read(case.file), heard(engines[case.shape], case, prompts[case.shape])
    assert len(samples) == theirs["n_samples"][0]
    assert not close(thinned(samples), theirs["samples"])


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_speech_ends_where_the_official_package_ends_it(tmp_path, ending: Ending):
    """By the stop head, or by what its text may take."""
    folder = write_tiny_checkpoint(tmp_path, ending.shape, seed=SEEDS[ending.shape], ends_after=ending.ends_after)
    engine = PACKAGE.open(str(folder), device="cpu", dtype="float32")
    options = resolve_options(engine.info.options, {"inference_timesteps": 2, "runaway_guard": False})
    samples = np.concatenate(list(engine.stream(ending.text, engine.preset("design"), options)))
    stops = golden.read(GOLDEN / "endings.safetensors")[ending.name]
    assert len(samples) == len(stops) * engine._batched_decoder.rows.patch_samples
    assert bool(stops[-1]) == (ending.ends_after < 100)
    engine.close()
