"""Parity of Pocket TTS: our networks and our engine compute what the official package computed from the same random weights.

The goldens were made by `make golden`; their headers say from what. Ids, lengths and where speech ends are equal, float32 numbers to 1e-5
of the largest. First each network alone, then what they do together, then what is heard through the engine's own door.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from engines.clips.clip import Clip
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.pocket_tts import PACKAGE
from engines.pocket_tts.config_file import read_config
from engines.pocket_tts.engine import PocketEngine
from engines.pocket_tts.networks import PocketNetworks, read_networks
from engines.pocket_tts.preset_state import read_preset
from engines.pocket_tts.reference_encoder import latents_of, prompt_samples
from engines.pocket_tts.text_pieces import text_pieces
from tests.engines.pocket_tts.opened import files_of
from tests.engines.pocket_tts.random_checkpoint import RECIPE
from tests.engines.pocket_tts.tiny_checkpoint import write_tiny_checkpoint
from tests.parity import golden
from tests.parity.pocket_tts import by_hand
from tests.parity.pocket_tts.cases import (
    ENDINGS,
    GOLDEN,
    HEARD,
    KINDS,
    NEVER,
    PIECE_KINDS,
    PIECE_TEXTS,
    PIECED_OTHERWISE,
    SAMPLE_RATE,
    SPEECHES,
    TOKEN_TEXTS,
    VOICE,
    Speech,
    SpeechChunk,
    as_bytes,
    clips,
    noise_of,
    recordings,
    thinned,
    thinned_frames,
)
from tests.parity.pocket_tts.checkpoints import write_toy

TOLERANCE = 1e-5
PRESET = "alba"


def read(folder: Path) -> PocketNetworks:
    files = files_of(folder)
    return read_networks(files, read_config(files.config), torch.float32)


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    """Of each kind a checkpoint that never ends, with the voice that the official package exported."""
    folder = tmp_path_factory.mktemp("parity")
    for kind in KINDS:
        place = write_toy(folder / kind, kind, NEVER) / "embeddings"
        place.mkdir()
        save_file(golden.read(GOLDEN / f"voice_{kind}.safetensors"), place / f"{PRESET}.safetensors")
    return {kind: folder / kind for kind in KINDS}


@pytest.fixture(scope="module")
def networks(folders) -> dict[str, PocketNetworks]:
    return {kind: read(folder) for kind, folder in folders.items()}


@pytest.fixture(scope="module")
def voices(networks) -> dict[str, np.ndarray]:
    """Latents of the voice, in each kind."""
    return {kind: latents_of(Clip(clips()[VOICE], SAMPLE_RATE), network.encoder) for kind, network in networks.items()}


def close(mine: torch.Tensor | np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> list[str]:
    return golden.differences({"it": np.asarray(mine)}, {"it": theirs}, tolerance)


def test_goldens_are_small_and_say_how_they_were_made():
    files = sorted(GOLDEN.glob("*.safetensors"))
    assert len(files) == 4 + len(KINDS) + len(PIECE_KINDS) + len(SPEECHES) + len(HEARD)
    assert sum(file.stat().st_size for file in files) < 200_000
    for file in files:
        facts = golden.read_facts(file)
        assert file.stat().st_size <= golden.MOST_BYTES
        assert (facts["recipe"], facts["seed"], facts["upstream"]) == (RECIPE, "0", "PyPI pocket-tts 4.0.1")
        assert float(facts["least_margin"]) >= 10 * TOLERANCE  # where speech ends is no luck


def test_texts_have_the_official_ids(networks):
    theirs = golden.read(GOLDEN / "tokens.safetensors")
    for number, text in enumerate(TOKEN_TEXTS):
        for kind, network in networks.items():
            assert network.tokenizer.ids(text) == theirs[str(number)].tolist(), (text, kind)


@pytest.mark.parametrize("kind", PIECE_KINDS)
def test_texts_are_cut_and_written_as_the_official_package_does_it_but_for_those_that_it_tears(networks, kind):
    theirs, network = golden.read(GOLDEN / f"pieces_{kind}.safetensors"), networks[kind]
    for number, text in enumerate((*PIECE_TEXTS, *PIECED_OTHERWISE)):
        pieces = text_pieces(text, network.config.text, lambda part: len(network.tokenizer.ids(part)))
        mine = as_bytes((piece.text, piece.frames_after_end) for piece in pieces)
        assert np.array_equal(mine, theirs[str(number)]) == (text in PIECE_TEXTS), text


def test_clips_have_the_official_latents(networks):
    """One of them is longer than the window of the encoder, and one is no whole number of frames."""
    theirs = golden.read(GOLDEN / "extraction.safetensors")
    window = networks["lsd"].config.mimi.transformer.context
    assert len(theirs["long"]) * networks["lsd"].config.mimi.upsampling > 4 * window
    for name, samples in clips().items():
        assert not close(by_hand.latents_of_samples(networks["lsd"], samples), theirs[name]), name


def test_recordings_end_as_the_official_package_ends_them(networks):
    theirs = golden.read(GOLDEN / "recordings.safetensors")
    for name, samples in recordings().items():
        clip = Clip(samples, SAMPLE_RATE)
        ended = prompt_samples(clip)
        assert len(ended) == theirs[f"{name}.n_samples"][0], name
        assert not close(ended[-3000::7], theirs[f"{name}.last"]), name
        assert not close(latents_of(clip, networks["lsd"].encoder)[-3:], theirs[f"{name}.latents"]), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_voice_has_the_official_keys_and_values(networks, voices, folders, kind):
    """Which its file has as well: every number of it, as it is there."""
    theirs, network = golden.read(GOLDEN / f"voice_{kind}.safetensors"), networks[kind]
    stored = read_preset(folders[kind] / "embeddings" / f"{PRESET}.safetensors", network.config.flow_lm)
    for layer, keys_values in enumerate(stored):
        assert np.array_equal(keys_values, theirs[f"transformer.layers.{layer}.self_attn/cache"][:, 0].swapaxes(1, 2))
    assert not close(by_hand.halves(by_hand.voice_of(network, voices[kind])), stored)


@pytest.mark.parametrize("case", SPEECHES, ids=lambda case: case.name)
def test_a_speech_is_the_official_one_frame_by_frame(networks, voices, case: Speech):
    """Each from the official latents before it."""
    theirs, network = golden.read(GOLDEN / f"speech_{case.name}.safetensors"), networks[case.kind]
    mine = list(
        by_hand.frames_of(
            network,
            by_hand.voice_of(network, voices[case.kind]),
            network.tokenizer.ids(case.text),
            partial(noise_of, case.seed, 0),
            case.n_frames,
            temperature=case.temperature,
            n_steps=case.steps,
            forced=theirs["latents"],
        )
    )
    assert not close(np.stack([frame.condition for frame in mine]), theirs["conditions"])
    assert not close(np.array([frame.logit for frame in mine], np.float32), theirs["logits"])
    assert not close(np.stack([frame.latent for frame in mine]), theirs["latents"])
    assert not close(thinned_frames(np.stack([frame.samples for frame in mine]))[1:], theirs["frames"][1:])  # the first is faded in


def test_speeches_are_longer_than_the_window_of_the_decoder(networks):
    for case in SPEECHES:
        sizes = networks[case.kind].config.mimi
        assert case.n_frames * sizes.upsampling > 4 * sizes.decoder_transformer.context


@pytest.fixture(scope="module")
def engines(networks) -> Iterator[dict[str, PocketEngine]]:
    opened = {kind: PocketEngine(PACKAGE.info, network, width=1) for kind, network in networks.items()}
    yield opened
    for engine in opened.values():
        engine.close()


def said(engine: PocketEngine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """A speech through the engine's own door, as long as the model wants it."""
    options = resolve_options(engine.info.options, {"runaway_guard": False, **given})
    return np.concatenate(list(engine.stream(text, prompt, options)))


def learned(engine: PocketEngine, samples: np.ndarray) -> SpeakerPrompt:
    return engine.extract(Clip(samples, SAMPLE_RATE))


@pytest.mark.parametrize("case", SPEECHES, ids=lambda case: case.name)
def test_the_engine_speaks_so_after_a_clip_and_after_the_official_file_of_its_voice(engines, case: Speech):
    theirs, engine = golden.read(GOLDEN / f"speech_{case.name}.safetensors"), engines[case.kind]
    given = {"seed": case.seed, "temperature": case.temperature, "decode_steps": case.steps, "max_frames": case.n_frames}
    for prompt in (learned(engine, clips()[VOICE]), engine.preset(PRESET)):
        frames = said(engine, case.text, prompt, **given).reshape(case.n_frames, -1)
        assert not close(thinned_frames(frames), theirs["frames"])
        assert not close(frames[0, : len(theirs["first_samples"])], theirs["first_samples"])


@pytest.mark.parametrize("case", HEARD, ids=lambda case: case.name)
def test_the_engine_says_what_a_caller_of_the_official_package_hears(tmp_path, case: SpeechChunk):
    """From the clip to the last sample, by the model's own end, of each piece of a text."""
    theirs, folder = golden.read(GOLDEN / f"heard_{case.name}.safetensors"), write_toy(tmp_path, case.kind, case.threshold, case.changes)
    engine = PocketEngine(PACKAGE.info, read(folder), width=1)
    samples = said(engine, case.text, learned(engine, recordings()[case.recording]), seed=case.seed, decode_steps=case.steps)
    assert len(samples) == theirs["n_samples"][0]
    assert not close(thinned(samples), theirs["samples"])
    engine.close()


def test_what_is_heard_ends_by_itself_after_ends_that_come_too_early():
    texts = {case.name: golden.read(GOLDEN / f"heard_{case.name}.safetensors") for case in HEARD}
    early = [case.name for case in HEARD if (texts[case.name]["logits"][:6] > case.threshold).any()]
    assert early
    assert all((texts[case.name]["logits"][6:] > case.threshold).any() for case in HEARD)
    assert any("ids.1" in tensors for tensors in texts.values())


def test_speech_ends_where_the_official_package_ends_it(tmp_path):
    """By the model, before and after it is asked; by what the tokens of the text may take."""
    theirs = golden.read(GOLDEN / "endings.safetensors")
    for case in ENDINGS:
        folder = write_tiny_checkpoint(tmp_path / case.name, case.kind, ends_after=case.ends_after)
        engine = PocketEngine(PACKAGE.info, read(folder), width=1)
        samples = said(engine, case.text, learned(engine, clips()[VOICE]), seed=1)
        assert len(samples) // 1920 == theirs[case.name][0], case.name
        engine.close()
