"""The engine: what a prompt holds, which mode speaks it, what is computed once, and what is refused."""

import numpy as np
import pytest
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.dots import PACKAGE
from engines.dots.batched_decoder import DotsRows
from engines.dots.engine import DotsEngine
from engines.errors import ClipUnusable, OptionInvalid, PromptInvalid, TextUnspeakable, TranscriptRequired
from tests.engines.clips.made_clip import made_clip
from tests.engines.dots.opened import HEARD, PATCH, PATCHES, TEXT, WORDS, learned, opened, reference, say, spoken, tiny
from tests.engines.dots.tiny_checkpoint import KINDS

LATE = PATCH // 2  # samples by which audio comes late
TOLERANCE = 2e-5


@pytest.fixture
def engine() -> DotsEngine:
    return opened()


def test_what_is_there_before_anybody_speaks_is_no_inference_tensor(engine):
    """ZeroGPU gives these tensors other data in each process that it forks, which torch refuses for inference tensors."""
    networks, rows = tiny(), engine._batched_decoder.rows
    holders = rows, rows._keys, *rows._keys.caches
    kept = [value for holder in holders for value in vars(holder).values() if isinstance(value, torch.Tensor)]
    parts = (networks.model, networks.encoder, networks.decoder, networks.speaker)
    tensors = [*kept, *(tensor for part in parts for tensor in [*part.parameters(), *part.buffers()])]
    assert len(kept) > 10 and not any(tensor.is_inference() for tensor in tensors)


# --- learning


def test_a_prompt_is_the_same_whether_words_are_known_or_not(engine):
    clip = made_clip(1.1)  # 6.9 patches
    alone, told = engine.extract(clip), engine.extract(clip, WORDS)
    assert {name: (tensor.shape, str(tensor.dtype)) for name, tensor in told.tensors.items()} == {
        "x_vector": ((24,), "float32"),
        "latents": ((HEARD, 4, 8), "float32"),
    }
    assert all(np.array_equal(alone.tensors[name], told.tensors[name]) for name in told.tensors)
    assert dict(told.facts) == {"seconds": 1.1, "patches": HEARD}
    assert (alone.numeric_mode, PACKAGE.info.transcript_shapes_prompt) == ("fp32", False)


def test_a_long_recording_is_heard_from_its_beginning_whenever_it_is(engine):
    clip = made_clip(11.0)
    longer = Clip(np.concatenate([clip.samples, made_clip(1.0, pitch_hz=300, seed=3).samples]), clip.sample_rate)
    vectors = [engine.extract(one).tensors["x_vector"] for one in (clip, longer, longer)]
    assert np.array_equal(vectors[1], vectors[2])
    assert np.allclose(vectors[0], vectors[1], atol=1e-5)


@pytest.mark.parametrize(
    ("clip", "code"), [(made_clip(0.5), "clip_too_short"), (Clip(np.zeros(48_000, np.float32), 24_000), "clip_silent")]
)
def test_clips_that_teach_nothing_are_refused(engine, clip, code):
    with pytest.raises(ClipUnusable) as refused:
        engine.extract(clip)
    assert (refused.value.code, engine.counts.encoder_runs) == (code, 0)


def test_the_fingerprint_is_of_the_extracting_weights_alone():
    assert tiny(dtype=torch.bfloat16).extraction_digest == tiny().extraction_digest == tiny("soar").extraction_digest


def test_a_prompt_that_was_stored_speaks_as_the_one_that_was_learned(engine):
    stored = SpeakerPrompt.from_bytes(learned().to_bytes())
    assert np.array_equal(say(engine, TEXT, stored), reference())
    assert np.array_equal(say(engine, TEXT, stored, mode="continuation"), reference(mode="continuation"))


# --- speaking


def test_the_first_packet_is_two_latents_and_all_of_it_comes():
    chunks = [chunk for chunk in spoken(opened(), TEXT, learned(), chunk_patches=1) if len(chunk)]
    assert [len(chunk) for chunk in chunks] == [LATE, *[PATCH] * (PATCHES - 2), PATCH + LATE]


def test_speech_goes_on_from_a_recording_without_its_last_patch_once_more():
    assert len(reference(mode="continuation")) == (PATCHES - HEARD - 1) * PATCH
    assert not np.array_equal(reference()[:PATCH], reference(mode="continuation")[:PATCH])


def test_no_speech_goes_on_from_a_recording_whose_words_are_not_known(engine):
    silent = engine.extract(made_clip(1.1), Transcript(" "))
    with pytest.raises(TranscriptRequired, match="goes on from the recording, and needs its exact words"):
        next(spoken(engine, TEXT, silent, mode="continuation"))
    assert len(say(engine, TEXT, silent)) == PATCHES * PATCH


def test_a_recording_of_one_patch_leaves_nothing_to_go_on_from_and_is_gone_on_from_all_the_same(engine):
    empty = engine.make_prompt("clip", {**learned().tensors, "latents": np.zeros((0, 4, 8), np.float32)}, WORDS)
    assert len(say(engine, TEXT, empty, mode="continuation")) == (PATCHES - 1) * PATCH


# "edit" is drawn as "soar" is, and test_editing has it in fixed shapes; of "stts" test_interleaving compares both modes.
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"edit", "stts"}))
def test_in_fixed_shapes_every_kind_says_what_it_says_otherwise(kind, monkeypatch):
    """Where speech goes on, where it ends, and how its steps are drawn."""
    monkeypatch.setattr(DotsRows, "KEY_SIZES", (192,))
    monkeypatch.setattr(DotsRows, "PATCH_SIZES", (16, 32))
    for mode in ("voice", "continuation"):
        plain = say(opened(kind, width=2), TEXT, learned(), mode=mode)
        assert np.abs(say(opened(kind, width=2, fixed_shapes=True), TEXT, learned(), mode=mode) - plain).max() <= TOLERANCE
        assert plain.std() > 1e-3


def test_every_option_is_heard():
    for given in ({"seed": 1}, {"seed": 2**63 - 1}, {"num_steps": 3}, {"speaker_scale": 0.5}, {"language": "de"}):
        assert not np.array_equal(reference()[:PATCH], reference(**given)[:PATCH]), given


def test_what_a_sampler_leaves_no_choice_of_is_no_option():
    names = {kind: {option.name for option in opened(kind).info.options} for kind in KINDS}
    steered = {kind: names[kind] & {"num_steps", "guidance_scale"} for kind in KINDS}
    soar = {"num_steps", "guidance_scale"}
    locked = {kind: set() for kind in ("mf-1step", "mf-2steps", "stts", "stts-even")}
    assert steered == {"soar": soar, "edit": soar, "mf": {"num_steps"}, **locked}


def test_steps_are_bounded_by_the_memory_that_was_taken_for_them():
    few, many = opened(), opened(most_steps=8)
    assert many._batched_decoder.bytes > 1.5 * few._batched_decoder.bytes
    with pytest.raises(OptionInvalid):
        next(spoken(few, TEXT, learned(), num_steps=8))
    assert len(say(many, TEXT, learned(), num_steps=8)) == PATCHES * PATCH


def test_speech_ends_where_the_model_says_so_and_where_it_was_asked_to(engine):
    ends = []
    for most in (256, PATCHES, 5, 1):
        stream, samples = spoken(engine, TEXT, learned(), max_patches=most), 0
        while True:
            try:
                samples += len(next(stream))
            except StopIteration as over:
                ends.append((samples // PATCH, over.value.reason))
                break
    assert ends == [(PATCHES, "ended"), (PATCHES, "ended"), (5, "capped"), (1, "capped")]


def test_a_short_text_may_take_little_and_a_long_one_is_spoken_in_pieces(engine):
    """Which the model would babble on behind, and has no room for."""
    frames = {text: engine._beginning(text, learned(), options(), 0)[1].limit.frames for text in ("Hi.", TEXT)}
    assert frames["Hi."] < 12 < PATCHES * 5 < frames[TEXT]
    assert engine._beginning("Hi.", learned(), options(runaway_guard=False), 0)[1].limit.frames == 256
    assert len(say(engine, "The voice and the world. " * 12, learned(), max_patches=2)) == 2 * 2 * PATCH


# --- what is kept


def test_a_known_recording_is_heard_once(engine):
    engine.prepare(learned())
    for text in (TEXT, "The voice and then the world."):
        say(engine, text, learned(), mode="continuation")
    assert engine.counts.heard_recordings == 1
    engine.forget(learned().content_digest)
    say(engine, TEXT, learned(), mode="continuation")
    assert engine.counts.heard_recordings == 2


def test_nothing_is_computed_before_the_first_chunk_is_asked_for(engine):
    spoken(engine, TEXT, learned(), mode="continuation").close()
    spoken(engine, "", learned())
    assert engine.counts.heard_recordings == 0


# --- refusals


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_an_empty_text_is_refused(engine, text):
    with pytest.raises(TextUnspeakable, match="nothing to say"):
        next(spoken(engine, text, learned()))


def test_a_text_with_a_mark_of_audio_is_refused(engine):
    with pytest.raises(TextUnspeakable, match=r"audio_gen_span.* is a command to the model"):
        next(spoken(engine, "the <|audio_gen_span|> voice", learned()))


def test_a_recording_that_leaves_no_room_for_the_speech_is_refused_before_the_first_patch(engine):
    long = engine.make_prompt("clip", {**learned().tensors, "latents": np.zeros((254, 4, 8), np.float32)}, WORDS)
    with pytest.raises(TextUnspeakable, match="Voice and text are too long") as refused:
        next(spoken(engine, TEXT, long, mode="continuation"))
    assert refused.value.hint == "Speak the text in parts."
    assert engine._batched_decoder._slots.seated == ()


@pytest.mark.parametrize(
    "changed",
    [
        {"latents": np.zeros((7, 4, 7), np.float32)},
        {"latents": np.zeros((7, 4, 8), np.float64)},
        {"latents": np.full((7, 4, 8), np.nan, np.float32)},
        {"x_vector": np.zeros(25, np.float32)},
        {"codes": np.zeros(3, np.int16)},
    ],
)
def test_prompts_that_it_did_not_make_are_refused(engine, changed):
    engine.check_prompt(learned())
    with pytest.raises(PromptInvalid):
        engine.check_prompt(engine.make_prompt("clip", {**learned().tensors, **changed}))


def options(**given):
    return resolve_options(opened().info.options, given)
