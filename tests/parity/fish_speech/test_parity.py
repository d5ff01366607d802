"""Parity of Fish Audio S2 Pro: our networks and our engine compute what the reference computed from the same random weights.

The goldens were made by `make golden`; their headers say from what. Codes, lengths and decisions are equal, float32 numbers to 1e-5 of the
largest. First each network alone, then what they do together, then what is heard through the engine's own door.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.clips.clip import Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.fish_speech import PACKAGE
from engines.fish_speech.engine import FishSpeechEngine, codes_of
from engines.fish_speech.networks import FishNetworks, read_networks
from tests.engines.fish_speech.random_checkpoint import RECIPE
from tests.parity import golden
from tests.parity.fish_speech import by_hand
from tests.parity.fish_speech.cases import (
    CASES,
    ENDINGS,
    GOLDEN,
    SAMPLED,
    TOKEN_TEXTS,
    Case,
    clips,
    looked_at,
    made_codes,
    n_long_frames,
    recordings,
    thinned,
)
from tests.parity.fish_speech.checkpoints import SEEDS, SHAPES, write_checkpoint

TOLERANCE = 1e-5
# Of latents: the encoder's forty layers multiply the rounding of the first, in the reference's own float32 to 7e-5 of what float64 gives.
TOLERANCE_OF_LATENTS = 1e-4
CPU = torch.device("cpu")
GREEDY_CASES = [case for case in CASES if case.seed is None]
HEARD_CASES = [case for case in CASES if case.seed is not None or case.voice == "several" or case.shape == "sparse"]
CUTS = ((1, 1, 2, 3, 64), (200,))  # frames of pieces; the last number goes on
CHUNKS = ((1, 1), (2, 3), (64, 64))  # first and largest of a stream


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("parity")
    return {shape: write_checkpoint(folder / shape, shape) for shape in SHAPES}


@pytest.fixture(scope="module")
def networks(folders) -> dict[str, FishNetworks]:
    return {shape: read_networks(folder, CPU, torch.float32) for shape, folder in folders.items()}


@pytest.fixture(scope="module")
def codes(networks) -> dict[str, list[np.ndarray]]:
    """(Q, F) int16 of the recordings that voices are of."""
    return {shape: [codes_of(clip, network) for clip in recordings(network.decoder.frame_samples)] for shape, network in networks.items()}


@pytest.fixture(params=SHAPES)
def shape(request) -> str:
    return request.param


@pytest.fixture
def network(networks, shape) -> FishNetworks:
    return networks[shape]


def close(mine: torch.Tensor | np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> list[str]:
    return golden.differences({"it": np.asarray(mine)}, {"it": theirs}, tolerance)


def test_goldens_are_small_and_say_how_they_were_made():
    files = sorted(GOLDEN.glob("*.safetensors"))
    assert sum(file.stat().st_size for file in files) < 300_000
    for file in files:
        facts = golden.read_facts(file)
        assert file.stat().st_size <= golden.MOST_BYTES
        assert facts["recipe"] == RECIPE
        assert facts["upstream"] == "PyPI vllm-omni 0.30.0"
        assert facts["seed"] in {*map(str, SEEDS.values()), str(SEEDS)}
        assert float(facts["least_margin"]) >= 10 * TOLERANCE  # codes are no luck


def test_texts_have_the_reference_ids(networks):
    theirs = golden.read(GOLDEN / "tokens.safetensors")
    for number, text in enumerate(TOKEN_TEXTS):
        assert networks["usual"].tokenizer.ids(text) == theirs[str(number)].tolist(), text


def test_recordings_at_any_rate_have_the_reference_codes(network, codes, shape):
    """Of 8 to 48 kHz, completed to whole frames; in one shape longer than every window. So are the latents that they are looked up for."""
    theirs = golden.read(GOLDEN / f"codec_{shape}.safetensors")
    for name, clip in clips(network.decoder.frame_samples).items():
        mine, latents = by_hand.encoded(network, clip)
        assert np.array_equal(mine, theirs[f"{name}.codes"]), name
        assert not close(latents[-2:], theirs[f"{name}.latents"], TOLERANCE_OF_LATENTS), name
    for number, mine in enumerate(codes[shape]):
        assert np.array_equal(mine, theirs[f"recording_{number}.codes"])


@torch.inference_mode()
def test_codes_have_the_reference_audio_however_they_are_cut(network, shape):
    theirs = golden.read(GOLDEN / f"codec_{shape}.safetensors")
    frame_samples = network.decoder.frame_samples
    codes = made_codes(network.codec_config.codebook_sizes, n_long_frames(frame_samples))
    for cuts in CUTS:
        samples = by_hand.streamed(network, codes, cuts)
        assert len(samples) == codes.shape[1] * frame_samples
        assert not close(thinned(samples), theirs["samples"]), cuts
        assert not close(samples[-len(theirs["last_samples"]) :], theirs["last_samples"]), cuts


def test_one_shape_outlasts_the_windows_and_one_has_no_transformer_in_its_encoder(networks):
    configs = [network.codec_config for network in networks.values()]
    assert any(
        n_long_frames(config.frame_samples) > max(config.pre_module.window_size, config.post_module.window_size) for config in configs
    )
    assert [config.encoder_transformer is None for config in configs] == [False, False, True]
    assert len({(config.frame_samples, config.encoder_rates, config.downsample_factor) for config in configs}) == len(SHAPES)


@pytest.mark.parametrize("case", GREEDY_CASES, ids=lambda case: case.name)
@torch.inference_mode()
def test_a_prompt_and_its_frames_are_the_reference_ones(networks, codes, case):
    """Rows and states of the prompt, and frame by frame what follows from the reference's frames before it."""
    network, theirs = networks[case.shape], golden.read(case.file)
    rows = by_hand.prompt_rows(network, case, codes[case.shape][: len(case.words)])
    at = looked_at(rows.shape[1])
    assert not close(rows[0, :, -1], theirs["row_ends"])
    assert not close(rows[0, at], theirs["rows"])
    assert not close(by_hand.read(network, rows)[at], theirs["hidden"])
    made = list(by_hand.spoken(network, rows, theirs["drawn"]))
    assert not close(np.stack([frame.logits for frame in made])[:, ::5], theirs["logits"])
    assert not close(np.stack([frame.residual_logits for frame in made])[:, :, ::7], theirs["residual_logits"])
    assert [frame.codes for frame in made] == theirs["drawn"].T.tolist()


@pytest.fixture(scope="module")
def engines(networks) -> dict[str, Engine]:
    opened = {shape: FishSpeechEngine(PACKAGE.info, network) for shape, network in networks.items()}
    yield opened
    for engine in opened.values():
        engine.close()


def heard(engine: Engine, case: Case, codes: list[np.ndarray], **given: int) -> np.ndarray:
    """The samples of a speech through the engine's own door. codes: of the recordings that there are."""
    options = {name: getattr(case.settings, name) for name in ("temperature", "top_p", "top_k", "max_new_tokens")}
    options = resolve_options(engine.info.options, options | {"seed": case.seed or 0, "runaway_guard": False} | given)
    prompt, codes = engine.preset("any"), codes[: len(case.words)]
    if codes:
        tensors = {"codes": np.concatenate(codes, axis=1), "frames": np.array([one.shape[1] for one in codes])}
        prompt = engine.make_prompt("parity", tensors, Transcript("\n".join(case.words)))
    return np.concatenate(list(engine.stream(case.text, prompt, options)))


@pytest.mark.parametrize("case", HEARD_CASES, ids=lambda case: case.name)
def test_the_engine_says_what_the_reference_says(engines, networks, codes, case):
    """Greedily, and drawing from the same noise. The last frame of a speech that is cut is drawn and not heard."""
    theirs, network = golden.read(case.file), networks[case.shape]
    samples = heard(engines[case.shape], case, codes[case.shape])
    assert theirs["codes"].shape[1] == theirs["drawn"].shape[1] - 1 == case.settings.max_new_tokens - 1
    assert len(samples) == theirs["n_samples"][0] == theirs["codes"].shape[1] * network.decoder.frame_samples
    assert not close(thinned(samples), theirs["samples"])


@pytest.mark.parametrize("chunks", CHUNKS)
def test_the_engine_says_it_in_any_chunks(engines, codes, chunks):
    shape, case = "sparse", next(case for case in CASES if case.name == "sparse_one")
    given = dict(zip(("initial_codec_chunk_frames", "codec_chunk_frames"), chunks, strict=True))
    assert not close(thinned(heard(engines[shape], case, codes[shape], **given)), golden.read(case.file)["samples"])


def test_the_sampled_cases_repeat_themselves_and_are_drawn_again():
    """Also where the second draw is another code; and never the first frame, which is not looked back at."""
    for case in SAMPLED:
        theirs = golden.read(case.file)
        assert len(theirs["second_draws"]) >= 3
        assert min(theirs["second_draws"]) >= 2


@pytest.mark.parametrize("checkpoint", sorted({(ending.shape, ending.ends_after) for ending in ENDINGS}))
def test_speech_ends_where_the_reference_ends_it(tmp_path, checkpoint):
    """With the end, which is no frame: all of those before it are heard. Where no more tokens are asked for, all but the last."""
    theirs = golden.read(GOLDEN / "endings.safetensors")
    engine = PACKAGE.open(str(write_checkpoint(tmp_path, *checkpoint)), device="cpu", dtype="float32")
    for ending in ENDINGS:
        if (ending.shape, ending.ends_after) == checkpoint:
            samples = heard(engine, Case(ending.shape, "any", ending.settings), [])
            n_frames = theirs[ending.name].shape[1]
            assert len(samples) == n_frames * engine._networks.decoder.frame_samples
            assert n_frames == min(ending.ends_after, ending.max_new_tokens - 1)
    engine.close()
