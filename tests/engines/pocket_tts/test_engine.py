"""The engine: what a prompt holds, what is computed once, whose voices are whose, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.clips.clip import Clip
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.errors import ClipsUnsupported, ClipUnusable, PresetUnknown, PromptInvalid, TextUnspeakable
from engines.pocket_tts import PACKAGE
from engines.pocket_tts.config_file import read_config
from engines.pocket_tts.engine import PocketEngine
from engines.pocket_tts.networks import read_networks
from engines.pocket_tts.text_pieces import TextPiece
from tests.engines.clips.made_clip import made_clip
from tests.engines.pocket_tts.opened import FRAME, FRAMES, TEXT, files_of, learned, opened, reference, say, spoken, tiny
from tests.engines.pocket_tts.tiny_checkpoint import write_tiny_checkpoint

VOICES = ("alba",)


@pytest.fixture
def engine() -> PocketEngine:
    return opened()


def opened_at(folder: Path, dtype: torch.dtype = torch.float32) -> PocketEngine:
    files = files_of(folder)
    return PocketEngine(PACKAGE.info, read_networks(files, read_config(files.config), dtype), width=1)


# --- learning


def test_a_prompt_holds_a_latent_per_80_ms_of_the_clip_and_of_the_pause_behind_it(engine):
    prompt = engine.extract(made_clip(1.04))
    assert {name: (tensor.shape, str(tensor.dtype)) for name, tensor in prompt.tensors.items()} == {"latents": ((14, 12), "float32")}
    assert dict(prompt.facts) == {"seconds": 1.04, "frames": 14}
    assert prompt.numeric_mode == "fp32"


@pytest.mark.parametrize(
    ("clip", "code"), [(made_clip(0.5), "clip_too_short"), (Clip(np.zeros(48_000, np.float32), 24_000), "clip_silent")]
)
def test_clips_that_teach_nothing_are_refused(engine, clip, code):
    with pytest.raises(ClipUnusable) as refused:
        engine.extract(clip)
    assert (refused.value.code, engine.counts.encoder_runs) == (code, 0)


def test_models_that_share_an_encoder_share_voices_and_no_others():
    """The fingerprint is of what learns a voice, whatever speaks in it."""
    assert tiny(dtype=torch.int8).encoder_digest == tiny().encoder_digest != tiny("drifting").encoder_digest
    assert tiny("drifting").speech_digest != tiny("pointwise").speech_digest


def test_a_prompt_that_was_stored_speaks_as_the_one_that_was_learned(engine):
    assert np.array_equal(say(engine, TEXT, SpeakerPrompt.from_bytes(learned().to_bytes())), reference())


# --- built-in voices


def test_a_built_in_voice_speaks_by_the_keys_that_are_published_of_it(engine):
    assert engine.info.presets == ("alba", "marius")
    assert engine.info.default_preset == "alba"
    prompt = engine.preset("alba")
    assert prompt.is_preset and prompt.tensors["keys_values"].shape == (2, 2, 4, 20, 8)
    assert len(say(engine, TEXT, prompt)) == FRAMES * FRAME
    assert engine.counts.voice_reads == engine.counts.encoder_runs == 0


def test_a_learned_voice_as_keys_and_values_is_the_same_voice(engine):
    keys = engine._voice(learned()).keys_values[:, :, 0].numpy()
    alba = engine.preset("alba")
    built_in = engine.make_prompt(alba.source_digest, {"keys_values": keys})
    assert np.array_equal(say(engine, TEXT, built_in), reference())


def test_the_keys_of_another_model_are_refused_though_they_would_fit(engine, tmp_path):
    other = opened_at(write_tiny_checkpoint(tmp_path, presets=VOICES, seed=1))
    with pytest.raises(PromptInvalid):
        next(spoken(engine, TEXT, other.preset("alba")))
    foreign = engine.make_prompt(other.preset("alba").source_digest, dict(other.preset("alba").tensors))
    with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
        next(spoken(engine, TEXT, foreign))


def test_weights_without_an_encoder_speak_in_built_in_voices_and_say_that_they_learn_none(tmp_path):
    engine = opened_at(write_tiny_checkpoint(tmp_path, zero_encoder=True, presets=VOICES))
    assert (engine.info.clones_clips, engine.info.presets) == (False, VOICES)
    with pytest.raises(ClipsUnsupported, match="without the part that learns a voice"):
        engine.extract(made_clip(1.1))
    assert np.abs(say(engine, TEXT, engine.preset("alba"))).max() > 0


def test_a_voice_whose_file_is_not_there_is_not_offered(tmp_path):
    engine = opened_at(write_tiny_checkpoint(tmp_path, presets=("marius",)))
    assert (engine.info.presets, engine.info.default_preset) == (("marius",), None)
    with pytest.raises(PresetUnknown):
        engine.preset("alba")


# --- what is kept


def test_a_known_voice_is_read_once(engine):
    engine.prepare(learned())
    for text in (TEXT, "The voice."):
        say(engine, text, learned())
    assert engine.counts.voice_reads == 1
    engine.forget(learned().content_digest)
    say(engine, TEXT, learned())
    assert engine.counts.voice_reads == 2


def test_nothing_is_computed_before_the_first_chunk_is_asked_for(engine):
    spoken(engine, TEXT, learned()).close()
    spoken(engine, "", learned())
    assert engine.counts.voice_reads == 0


# --- precision


def test_layers_in_8_bits_are_nearly_the_same_speech_in_less_memory():
    eight = PocketEngine(PACKAGE.info, tiny(dtype=torch.int8), width=1)
    heard = say(eight, TEXT, learned(), temperature=0.0)
    assert heard.shape == reference(temperature=0.0).shape
    difference = np.abs(heard - reference(temperature=0.0))[:FRAME].max()
    assert 0 < difference < 0.2 * np.abs(reference(temperature=0.0)).max()
    assert eight.memory_bytes() < opened().memory_bytes()


# --- refusals


@pytest.mark.parametrize("text", ["", " \n\t ", "...", "😀"])
def test_a_text_of_which_nothing_can_be_said_is_refused(engine, text):
    with pytest.raises(TextUnspeakable):
        next(spoken(engine, text, learned()))


@pytest.mark.parametrize(
    "tensors",
    [
        {"latents": np.zeros((7, 11), np.float32)},
        {"latents": np.zeros((0, 12), np.float32)},
        {"latents": np.zeros((400, 12), np.float32)},
        {"latents": np.zeros((7, 12), np.float64)},
        {"latents": np.full((7, 12), np.nan, np.float32)},
        {"latents": np.zeros((7, 12), np.float32), "keys_values": np.zeros((2, 2, 4, 9, 8), np.float32)},
        {"keys_values": np.zeros((2, 2, 4, 9, 8), np.float32)},
        {"codes": np.zeros(3, np.int16)},
    ],
)
def test_prompts_of_other_tensors_are_refused(engine, tensors):
    """Keys and values, too, where no built-in voice says that they are its."""
    with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
        next(spoken(engine, TEXT, engine.make_prompt("sha256:0", tensors)))


def test_options_that_nobody_set_are_the_models_own(engine):
    params = engine._beginning(TextPiece(TEXT, 5), learned(), resolve_options(engine.info.options, {}), 0, None)[0].params
    assert (params.temperature, params.threshold, params.n_steps) == (0.3, -4.0, 1)
