"""The engine: what a prompt holds, which mode speaks it, what is computed once, and what is refused."""

import numpy as np
import pytest
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.errors import ClipUnusable, OptionInvalid, PresetUnknown, PromptInvalid, TextUnspeakable, TranscriptRequired
from engines.voxcpm2 import PACKAGE
from engines.voxcpm2.engine import VoxCpm2Engine
from engines.voxcpm2.input_sequence import reference_rows, text_rows
from tests.engines.clips.made_clip import made_clip
from tests.engines.voxcpm2.opened import PATCH, PATCHES, TEXT, WORDS, learned, opened, reference, say, spoken, tiny

TOLERANCE = 2e-5


@pytest.fixture
def engine() -> VoxCpm2Engine:
    return opened()


def test_what_is_there_before_anybody_speaks_is_no_inference_tensor(engine):
    """ZeroGPU gives these tensors other data in each process that it forks, which torch refuses for inference tensors."""
    networks = tiny()
    parts = (networks.models, networks.local_encoder, networks.head, networks.encoder, networks.decoder)
    rows = engine._batched_decoder.rows
    holders = rows, rows._keys, *rows._keys.caches
    kept = [value for holder in holders for value in vars(holder).values() if isinstance(value, torch.Tensor)]
    tensors = [*kept, *(tensor for part in parts for tensor in [*part.parameters(), *part.buffers()])]
    assert len(kept) > 10 and not any(tensor.is_inference() for tensor in tensors)


# --- learning


def test_a_prompt_holds_the_clip_with_silence_behind_it_and_where_its_words_are_known_with_silence_before_it(engine):
    clip = made_clip(1.1)  # 6.9 patches
    alone, told = engine.extract(clip), engine.extract(clip, WORDS)
    assert {name: (tensor.shape, str(tensor.dtype)) for name, tensor in told.tensors.items()} == {
        "reference": ((7, 4, 16), "float32"),
        "continuation": ((7, 4, 16), "float32"),
    }
    assert np.array_equal(alone.tensors["reference"], told.tensors["reference"])
    assert set(alone.tensors) == {"reference"}
    assert not np.array_equal(told.tensors["reference"], told.tensors["continuation"])
    assert dict(told.facts) == {"seconds": 1.1, "patches": 7}
    assert (alone.numeric_mode, PACKAGE.info.transcript_shapes_prompt) == ("fp32", True)


def test_blank_words_are_no_words(engine):
    assert set(engine.extract(made_clip(1.1), Transcript(" ")).tensors) == {"reference"}


def test_a_clip_of_whole_patches_has_no_silence_anywhere(engine):
    tensors = engine.extract(made_clip(1.12), WORDS).tensors  # exactly 7
    assert np.array_equal(tensors["reference"], tensors["continuation"])


@pytest.mark.parametrize(
    ("clip", "code"), [(made_clip(0.5), "clip_too_short"), (Clip(np.zeros(48_000, np.float32), 24_000), "clip_silent")]
)
def test_clips_that_teach_nothing_are_refused(engine, clip, code):
    with pytest.raises(ClipUnusable) as refused:
        engine.extract(clip)
    assert (refused.value.code, engine.counts.encoder_runs) == (code, 0)


def test_the_fingerprint_is_of_the_extracting_weights_alone():
    """Another dtype of the models, and other weights of them, leave what was learned as it is."""
    assert tiny(dtype=torch.bfloat16).extraction_digest == tiny().extraction_digest


def test_a_prompt_that_was_stored_speaks_as_the_one_that_was_learned(engine):
    stored = SpeakerPrompt.from_bytes(learned().to_bytes())
    assert np.array_equal(say(engine, TEXT, stored), reference())
    assert np.array_equal(say(engine, TEXT, stored, mode="both"), reference(mode="both"))


# --- modes


def test_every_mode_is_another_speech_and_reference_is_what_nobody_asked_for():
    speeches = [reference(mode=mode) for mode in ("reference", "continuation", "both")]
    assert np.array_equal(speeches[0], reference())
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert not np.array_equal(speeches[first][:PATCH], speeches[second][:PATCH])


@pytest.mark.parametrize("mode", ["continuation", "both"])
def test_no_mode_goes_on_from_a_recording_whose_words_are_not_known(engine, mode):
    silent = engine.extract(made_clip(1.1))
    with pytest.raises(TranscriptRequired, match="goes on from the recording, and needs its exact words"):
        next(spoken(engine, TEXT, silent, mode=mode))
    assert len(say(engine, TEXT, silent)) == PATCHES * PATCH


@pytest.mark.parametrize("mode", ["reference", "continuation", "both"])
def test_a_designed_voice_has_no_recording_and_is_what_is_said_of_it(engine, mode):
    """Whatever the mode, since there is nothing to go on from."""
    design = engine.preset("design")
    young = say(engine, TEXT, design, instructions="a young woman", mode=mode)
    assert np.array_equal(young, say(engine, f"(a young woman){TEXT}", design))
    assert not np.array_equal(young, say(engine, TEXT, design))
    assert not np.array_equal(young, reference(instructions="a young woman"))


def test_what_is_asked_of_the_delivery_stands_before_the_text_of_a_cloned_voice():
    assert np.array_equal(reference(instructions="gentle"), reference("(gentle)" + TEXT))


def test_every_option_is_heard():
    for given in ({"seed": 1}, {"seed": 2**63 - 1}, {"cfg_value": 3.0}, {"inference_timesteps": 3}):
        assert not np.array_equal(reference()[:PATCH], reference(**given)[:PATCH]), given


def test_speech_ends_where_the_model_says_so_and_where_it_was_asked_to(engine):
    ends = []
    for most in (4096, PATCHES, 5):
        stream, samples = spoken(engine, TEXT, learned(), max_patches=most), 0
        while True:
            try:
                samples += len(next(stream))
            except StopIteration as over:
                ends.append((samples // PATCH, over.value.reason))
                break
    assert ends == [(PATCHES, "ended"), (PATCHES, "ended"), (5, "capped")]


def test_a_text_bounds_its_speech_by_its_tokens_also_where_nothing_else_does(engine):
    schedule = engine._beginning("a", learned(), options(runaway_guard=False))[1]
    n_tokens = len(tiny().tokenizer.ids("a"))
    assert schedule.limit.frames == 6 * n_tokens + 10


# --- what is kept


def test_a_known_voice_is_read_once(engine):
    engine.prepare(learned())
    for text in (TEXT, "The voice."):
        say(engine, text, learned(), mode="both")
    assert (engine.counts.prefix_reads, engine.counts.continuation_reads) == (1, 1)
    engine.forget(learned().content_digest)
    say(engine, TEXT, learned())
    assert engine.counts.prefix_reads == 2


@torch.inference_mode()
def test_keys_and_values_that_are_kept_are_those_of_reading_all_at_once(engine):
    """What stands before the text sees nothing of the text."""
    networks, prompt = tiny(), learned()
    begun = engine._beginning(TEXT, prompt, options())[0]
    patches = engine._patches(prompt, "reference")
    whole = reference_rows(networks.local_encoder(patches), networks.models).followed_by(
        text_rows(networks.tokenizer.ids(TEXT), networks.models)
    )
    cache = networks.models.new_cache(1, whole.n_rows)
    expected = networks.models.read(whole.rows, whole.is_patch, cache)
    slot = engine._batched_decoder.begin(begun, 4)
    engine._batched_decoder._read_beginnings([slot])
    keys = engine._batched_decoder.rows._keys.row(slot.row)
    assert begun.n_rows == whole.n_rows == begun.prefix.n_rows + begun.rows.n_rows
    for ours, theirs in zip(keys, cache, strict=True):
        assert (ours.tensor[..., : whole.n_rows, :] - theirs.tensor).abs().max() <= TOLERANCE
    assert (engine._batched_decoder.rows._hidden.base[slot.row] - expected.base[0, -1]).abs().max() <= TOLERANCE
    assert (engine._batched_decoder.rows._hidden.residual[slot.row] - expected.residual[0, -1]).abs().max() <= TOLERANCE


def test_nothing_is_computed_before_the_first_chunk_is_asked_for(engine):
    spoken(engine, TEXT, learned()).close()
    spoken(engine, "", learned())
    assert engine.counts.prefix_reads == 0


# --- refusals


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_an_empty_text_is_refused(engine, text):
    with pytest.raises(TextUnspeakable, match="nothing to say"):
        next(spoken(engine, text, learned()))


def test_text_that_leaves_no_room_for_its_speech_is_refused_before_the_first_patch(engine):
    with pytest.raises(TextUnspeakable, match="Voice and text are too long") as refused:
        next(spoken(engine, "voice " * 200, learned()))
    assert refused.value.hint == "Speak the text in parts."
    assert engine._batched_decoder._slots.seated == ()


@pytest.mark.parametrize(
    "tensors",
    [
        {},
        {"reference": np.zeros((7, 4, 15), np.float32)},
        {"reference": np.zeros((7, 4, 16), np.float64)},
        {"reference": np.full((7, 4, 16), np.nan, np.float32)},
        {"reference": np.zeros((7, 4, 16), np.float32), "continuation": np.zeros((6, 4, 16), np.float32)},
        {"reference": np.zeros((7, 4, 16), np.float32), "codes": np.zeros(3, np.int16)},
        {"continuation": np.zeros((7, 4, 16), np.float32)},
    ],
)
def test_prompts_that_it_did_not_make_are_refused(engine, tensors):
    with pytest.raises(PromptInvalid):
        engine.check_prompt(engine.make_prompt("clip", tensors))


def test_there_is_one_built_in_speaker(engine):
    assert PACKAGE.info.presets == ("design",) and PACKAGE.info.default_preset is None
    with pytest.raises(PresetUnknown):
        engine.preset("rms")


def test_options_have_bounds():
    for given in ({"mode": "other"}, {"inference_timesteps": 1}, {"cfg_value": 0.5}, {"instructions": "x" * 501}, {"max_patches": 3}):
        with pytest.raises(OptionInvalid):
            options(**given)


def options(**given):
    return resolve_options(PACKAGE.info.options, given)
