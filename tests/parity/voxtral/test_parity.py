"""Parity of Voxtral TTS: our networks and our engine compute what official code computed from the same random weights.

The goldens were made by `make golden`; their headers say from what. Whole numbers are equal, float32 numbers to 1e-5 of the largest. First
each network alone, then what they do together, then what is heard through the engine's own door.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.voxtral import PACKAGE
from engines.voxtral.engine import VoxtralEngine
from engines.voxtral.networks import VoxtralNetworks, read_networks
from tests.engines.voxtral.random_checkpoint import RECIPE
from tests.engines.voxtral.tiny_checkpoint import write_tiny_checkpoint
from tests.parity import golden
from tests.parity.voxtral import by_hand
from tests.parity.voxtral.cases import (
    BFLOAT16,
    CLIP_SAMPLES,
    DECODED_FRAMES,
    ENDINGS,
    GOLDEN,
    SCALES,
    SEEDS,
    SHAPES,
    SPEECHES,
    Speech,
    clip_of,
    looked_at,
    made_codes,
    made_states,
    noise_of_rows,
    thinned,
)

TOLERANCE = 1e-5
END = 1


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("parity")
    return {shape: write_tiny_checkpoint(place / shape, shape, seed=SEEDS[shape], encoder=True) for shape in SHAPES}


@pytest.fixture(scope="module")
def networks(folders) -> dict[str, VoxtralNetworks]:
    return {shape: read_networks(folder, torch.device("cpu"), torch.float32) for shape, folder in folders.items()}


def close(mine: torch.Tensor | np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> list[str]:
    return golden.differences({"it": np.asarray(mine)}, {"it": theirs}, tolerance)


def flow_golden(shape: str) -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / f"flow_{shape}.safetensors")


def n_semantic(networks: VoxtralNetworks) -> int:
    return networks.config.audio_model.semantic_codebook_size


def test_goldens_are_small_and_say_how_they_were_made():
    files = sorted(GOLDEN.glob("*.safetensors"))
    assert len(files) == 1 + 2 * len(SHAPES) + len(SPEECHES) + len(BFLOAT16)
    assert sum(file.stat().st_size for file in files) < 150_000
    for file in files:
        facts = golden.read_facts(file)
        assert file.stat().st_size <= golden.MOST_BYTES
        assert (facts["recipe"], facts["upstream"]) == (RECIPE, "PyPI vllm-omni 0.30.0")
        assert float(facts["least_margin"]) >= 10 * TOLERANCE  # no code is luck


# --- the flow head


@pytest.mark.parametrize("shape", SHAPES)
@torch.inference_mode()
def test_noise_becomes_the_official_codes_step_by_step(networks, shape):
    """With the official times, by the guidance of each row."""
    theirs, flow = flow_golden(shape), networks[shape].flow
    states = made_states(len(SCALES), networks[shape].config.dim)
    mine = by_hand.flowed(flow, states, noise_of_rows(len(SCALES)), SCALES)
    assert not close(flow._time_rows[:, 0, 0], theirs["time_rows"][:-1])
    assert not close(np.array(flow.grid.widths, np.float32), theirs["widths"])
    assert not close(mine.levels, theirs["levels"][:-1])
    assert not close(mine.velocities, theirs["velocities"])
    heard = theirs["codes"][:, 0] != END
    assert heard.tolist() == [row != 3 for row in range(len(SCALES))]
    assert np.array_equal(mine.codes[heard] + 2, theirs["codes"][heard, 1:])


@pytest.mark.parametrize("shape", SHAPES)
def test_some_levels_are_cut_and_some_are_not(shape):
    theirs = flow_golden(shape)
    inside = np.abs(theirs["levels"][-1]) < 1
    assert 0.3 < inside.mean() < 0.95
    assert (theirs["codes"][:, 1:] == 2).any()
    assert (theirs["codes"][:, 1:] == 22).any()


@pytest.mark.parametrize("shape", SHAPES)
@torch.inference_mode()
def test_the_likeliest_semantic_code_is_the_official_one(networks, shape):
    """Among those that may be said: many states would rather say what may not be, or what only pads the head."""
    theirs, flow = flow_golden(shape), networks[shape].flow
    logits = flow.semantic_logits(made_states(len(SCALES), networks[shape].config.dim))
    assert not close(logits, theirs["logits"][:, END : 2 + n_semantic(networks[shape])])
    mine = by_hand.semantic(flow, made_states(64, networks[shape].config.dim))
    assert np.array_equal(mine, theirs["semantic_codes"])
    assert (theirs["semantic_codes"] == END).sum() == 1
    assert (theirs["unmasked"] != theirs["semantic_codes"]).mean() > 0.3


# --- the codec


@pytest.mark.parametrize("shape", SHAPES)
@torch.inference_mode()
def test_codes_sound_as_with_the_official_decoder(networks, shape):
    theirs = golden.read(GOLDEN / f"codec_{shape}.safetensors")
    for n_frames in DECODED_FRAMES:
        samples = by_hand.read(networks[shape], made_codes(n_frames, n_semantic(networks[shape])))
        assert not close(thinned(samples, 400), theirs[f"samples_{n_frames}"]), n_frames
        assert not close(samples[-32:], theirs[f"last_samples_{n_frames}"]), n_frames


@torch.inference_mode()
def test_pieces_of_any_length_sound_as_the_official_whole(networks):
    """Of 1 to 25 new frames, behind as many as the decoder looks back at; and from the first frame on."""
    shape = "usual"
    network, theirs = networks[shape], golden.read(GOLDEN / f"codec_{shape}.safetensors")["samples_60"]
    codes = made_codes(60, n_semantic(network))
    for cuts in ((1,), (2, 3, 7), (5, 25)):
        assert not close(thinned(by_hand.streamed(network, codes, cuts), 400), theirs), cuts
    decoder, given = network.decoder, torch.from_numpy(codes)[None]
    before, state = decoder.decode(given[:, :, :22], decoder.initial_state(1))
    rest = decoder.decode_whole(given)[0, before.shape[1] :].numpy()
    for n_frames in range(1, 26):
        samples = decoder.decode(given[:, :, 22 : 22 + n_frames], state)[0][0]
        assert not close(samples, rest[: len(samples)]), n_frames


@pytest.mark.parametrize("shape", SHAPES)
@torch.inference_mode()
def test_recordings_have_the_official_codes_and_rows(networks, shape):
    """Whatever they leave of a patch and of a frame. The last row says that the recording has ended."""
    theirs, backbone = golden.read(GOLDEN / f"codec_{shape}.safetensors"), networks[shape].backbone
    for n_samples in CLIP_SAMPLES:
        codes = by_hand.encoded(networks[shape], clip_of(n_samples))
        assert codes.shape[1] == -(-n_samples // 1920), n_samples
        assert np.array_equal(codes, theirs[f"codes_{n_samples}"]), n_samples
        rows = backbone.embed_clip(torch.from_numpy(codes.T.astype(np.int64))[None])[0]
        assert len(rows) == codes.shape[1] + 1
        assert not close(rows[-2:, ::3], theirs[f"rows_{n_samples}"]), n_samples
    assert len(np.unique(theirs[f"codes_{CLIP_SAMPLES[-1]}"][0])) > 5


# --- together


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda speech: speech.name)
@torch.inference_mode()
def test_a_prompt_and_its_frames_are_the_official_ones(networks, speech: Speech):
    """Rows and states of the prompt, and frame by frame what follows from the official frames before it."""
    network, theirs = networks[speech.shape], golden.read(speech.file)
    rows = by_hand.prompt_rows(network, speech)
    at = looked_at(rows.shape[1])
    assert rows.shape[1] == len(theirs["ids"])
    assert not close(rows[0, at], theirs["rows"])
    assert not close(by_hand.prompt_states(network, rows)[at], theirs["prompt_states"])
    made = list(by_hand.spoken(network, rows, speech, theirs["codes"]))
    assert not close(torch.stack([state for state, _ in made]), theirs["states"])
    assert [codes for _, codes in made] == theirs["codes"].T.tolist()
    assert not close(thinned(by_hand.read(network, theirs["codes"])), theirs["samples"])


def test_speeches_say_different_things():
    for speech in SPEECHES:
        codes = golden.read(speech.file)["codes"]
        assert codes.shape == (37, speech.n_frames)
        assert len(np.unique(codes[0])) > 4, speech.name


@pytest.fixture(scope="module")
def engines(networks) -> dict[str, VoxtralEngine]:
    opened = {shape: VoxtralEngine(PACKAGE.info, network) for shape, network in networks.items()}
    yield opened
    for engine in opened.values():
        engine.close()


def said(engine: Engine, speech: Speech, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """The samples of a speech through the engine's own door."""
    asked = {"seed": speech.seed, "cfg_alpha": speech.scale, "max_new_tokens": speech.n_frames, "runaway_guard": False}
    return np.concatenate(list(engine.stream(speech.text, prompt, resolve_options(engine.info.options, asked | given))))


def voice_of(engine: Engine, speech: Speech) -> SpeakerPrompt:
    return engine.preset(speech.voice) if speech.clip is None else engine.extract(speech.clip)


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda speech: speech.name)
def test_the_engine_says_what_official_code_says(engines, speech: Speech):
    """In a built-in voice, in pieces as official code makes them, and in that of a recording, in ours; what is beyond full scale is cut."""
    engine, theirs = engines[speech.shape], golden.read(speech.file)["samples"].clip(-1, 1)
    chunks = {"initial_codec_chunk_frames": 5, "codec_chunk_frames": 25} if speech.voice else {}
    samples = said(engine, speech, voice_of(engine, speech), **chunks)
    assert len(samples) == speech.n_frames * 1920
    assert not close(thinned(samples), theirs)


@pytest.mark.parametrize("checkpoint", sorted({(ending.shape, ending.ends_after) for ending in ENDINGS}))
def test_speech_ends_where_official_code_ends_it(tmp_path, checkpoint):
    """With the end, which is no frame: all of those before it are heard; or where no more are asked for."""
    theirs = golden.read(GOLDEN / "endings.safetensors")
    shape, frames = checkpoint
    engine = PACKAGE.open(str(write_tiny_checkpoint(tmp_path, shape, ends_after=frames)), device="cpu", dtype="float32")
    for ending in (ending for ending in ENDINGS if (ending.shape, ending.ends_after) == checkpoint):
        heard = said(engine, ending.speech, engine.preset(ending.speech.voice))
        assert theirs[f"{ending.name}.codes"].shape[1] == min(frames, ending.n_frames)
        assert not close(heard[::5], by_hand.read(engine._networks, theirs[f"{ending.name}.codes"]).clip(-1, 1)[::5]), ending.name
        assert bool(theirs[f"{ending.name}.ended"]) == (ending.n_frames > frames)
    engine.close()
