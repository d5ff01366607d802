"""The engine: what a prompt holds, which mode speaks it, what is computed once, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.errors import ClipUnusable, EmbeddingUnusable, LanguageUnsupported, PromptInvalid, TextUnspeakable
from engines.qwen3_tts import PACKAGE
from engines.qwen3_tts.engine import Counts, Qwen3TtsEngine, samples_of
from engines.qwen3_tts.networks import read_networks
from tests.engines.clips.made_clip import made_clip
from tests.engines.qwen3_tts.checkpoints.networks import tiny_folder
from tests.engines.qwen3_tts.checkpoints.opened import (
    FRAME,
    FRAMES,
    LONG,
    WORDS,
    learned,
    opened,
    reference,
    say,
    speaking_folder,
    spoken,
    tiny,
)
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import FEW_CODEBOOKS


@pytest.fixture
def engine() -> Qwen3TtsEngine:
    return opened()


def test_what_is_there_before_anybody_speaks_is_no_inference_tensor(engine):
    """ZeroGPU gives these tensors other data in each process that it forks, which torch refuses for inference tensors."""
    networks = tiny()
    parts = (networks.talker, networks.predictor, *networks.learners, networks.codec)
    rows = engine._batched_decoder.rows
    holders = networks.rows, rows, rows._keys, *rows._keys.caches
    kept = [value for holder in holders for value in vars(holder).values() if isinstance(value, torch.Tensor)]
    tensors = [*kept, *(tensor for part in parts for tensor in [*part.parameters(), *part.buffers()])]
    assert len(kept) > 10 and not any(tensor.is_inference() for tensor in tensors)


# --- learning


def test_a_prompt_holds_codes_and_embedding_and_says_how_long_it_is(engine):
    prompt = engine.extract(made_clip(2.05), WORDS)
    assert prompt.tensors["codes"].dtype == np.int16
    assert prompt.tensors["codes"].shape == (26, FEW_CODEBOOKS)  # 25.6 frames: the last part counts
    assert prompt.tensors["speaker_embedding"].shape == (48,)
    assert prompt.tensors["speaker_embedding"].dtype == np.float32
    assert dict(prompt.facts) == {"seconds": 2.05, "frames": 26}
    assert prompt.transcript == WORDS
    assert prompt.numeric_mode == "fp32"


def test_words_shape_no_tensor(engine):
    clip = made_clip(1.5)
    assert engine.extract(clip, WORDS).content_digest == engine.extract(clip).content_digest


@pytest.mark.parametrize(
    ("rate", "n_samples", "expected"), [(44_100, 441_000, 240_001), (48_000, 480_000, 240_000), (16_000, 16_000, 24_000)]
)
def test_a_clip_is_resampled_to_the_length_that_librosa_gives(rate, n_samples, expected):
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, n_samples).astype(np.float32)
    assert len(samples_of(Clip(noise, rate))) == expected


def test_trailing_silence_is_added_when_asked_for_and_belongs_to_the_key():
    plain, padded = opened(), opened(trailing_silence_seconds=0.5)
    clip = made_clip(1.5)
    first, second = plain.extract(clip), padded.extract(clip)
    assert second.facts["frames"] - first.facts["frames"] in (6, 7)
    assert first.extractor_revision != second.extractor_revision
    with pytest.raises(PromptInvalid):
        plain.check_prompt(second)


@pytest.mark.parametrize(
    ("clip", "code"), [(made_clip(0.5), "clip_too_short"), (Clip(np.zeros(48_000, np.float32), 24_000), "clip_silent")]
)
def test_clips_that_teach_nothing_are_refused(engine, clip, code):
    with pytest.raises(ClipUnusable) as refused:
        engine.extract(clip)
    assert refused.value.code == code
    assert engine.counts.encoder_runs == 0


def test_a_clip_that_is_too_long_is_refused(engine):
    with pytest.raises(ClipUnusable, match="has 31 s, and 30 s are the limit"):
        engine.extract(Clip(np.full(24_000 * 31, 0.1, np.float32), 24_000))


def test_the_fingerprint_is_of_the_extracting_weights_alone(tmp_path):
    def fingerprint(folder: Path) -> str:
        return read_networks(folder, torch.device("cpu"), torch.float32).extraction_digest

    assert tiny().extraction_digest == fingerprint(speaking_folder())
    assert fingerprint(tiny_folder(projection=False)) != fingerprint(tiny_folder(projection=True))  # another width of embeddings
    assert tiny(dtype=torch.bfloat16).extraction_digest == tiny().extraction_digest


# --- modes


def test_with_words_the_recording_is_context_and_without_them_it_is_not(engine):
    alone = say(engine, LONG, learned().with_transcript(None))
    assert not np.array_equal(reference()[:FRAME], alone[:FRAME])
    assert np.array_equal(alone, reference(x_vector_only_mode=True))


def test_an_embedding_alone_speaks_as_the_clip_does_in_that_mode(engine):
    embedded = engine.embed(learned().tensors["speaker_embedding"])
    assert np.array_equal(say(engine, LONG, embedded), reference(x_vector_only_mode=True))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (np.zeros(47), r"takes the shape \(48,\), and theirs is \(47,\)"),
        (np.zeros((1, 48)), r"takes the shape \(48,\), and theirs is \(1, 48\)"),
        (np.full(48, np.nan), "Not all of these are numbers"),
    ],
)
def test_embeddings_that_do_not_fit_are_refused(engine, values, told):
    with pytest.raises(EmbeddingUnusable, match=told):
        engine.embed(values)


def test_every_option_is_heard():
    for given in (
        {"language": "de"},
        {"non_streaming_mode": True},
        {"seed": 1},
        {"seed": 2**63 - 1},
        {"temperature": 0.3},
        {"subtalker_top_k": 1},
    ):
        assert not np.array_equal(reference()[: 3 * FRAME], reference(max_new_tokens=4, **given)), given


def test_without_temperature_the_seed_does_not_matter(engine):
    cold = {"temperature": 0.0, "subtalker_temperature": 0.0}
    assert np.array_equal(say(engine, LONG, learned(), seed=2, **cold), reference(seed=1, **cold))


def test_speech_ends_where_the_model_ends_it_and_at_the_limit_otherwise(engine):
    by_itself = say(engine, "the voice", learned(), x_vector_only_mode=True, max_new_tokens=400)
    assert len(by_itself) < 20 * FRAME
    for limit in (2, 3, 9):
        cut = say(engine, LONG, learned(), max_new_tokens=limit)
        assert len(cut) == (limit - 1) * FRAME  # upstream draws one token more than it speaks


def test_languages_and_defaults_are_the_checkpoints(engine):
    options = {option.name: option for option in engine.info.options}
    assert set(engine.info.languages) == {"zh", "en", "ja", "ko", "de", "fr", "ru", "pt", "es", "it"}
    assert options["language"].choices == ("auto", *engine.info.languages)
    assert options["max_new_tokens"].default == 8192
    assert engine.info.embedding_size == 48
    assert engine.info.title == "Qwen3-TTS 0.6B"


# --- what is computed once


def test_a_warm_prompt_runs_no_encoder_and_decodes_no_reference(engine):
    prompt = engine.extract(made_clip(1.5), WORDS)
    engine.prepare(prompt)
    assert engine.counts == Counts(encoder_runs=1, reference_decodes=1, prefix_reads=1)
    say(engine, LONG, prompt, max_new_tokens=2)
    say(engine, "the voice", prompt, max_new_tokens=2)
    assert engine.counts == Counts(encoder_runs=1, reference_decodes=1, prefix_reads=1)
    say(engine, LONG, prompt, language="de", max_new_tokens=2)  # other rows, the same recording
    assert engine.counts == Counts(encoder_runs=1, reference_decodes=1, prefix_reads=2)
    engine.forget(prompt.content_digest)
    say(engine, LONG, prompt, max_new_tokens=2)
    assert engine.counts == Counts(encoder_runs=1, reference_decodes=2, prefix_reads=3)


def test_corrected_words_are_read_again_and_the_recording_is_not(engine):
    prompt = learned()
    engine.prepare(prompt)
    corrected = prompt.with_transcript(Transcript("the voice of others"))
    assert np.array_equal(say(engine, LONG, corrected), say(opened(), LONG, corrected))
    assert engine.counts.reference_decodes == 1
    assert np.array_equal(say(engine, LONG, prompt), reference())


def test_prepared_states_are_counted_as_memory_and_given_back(engine):
    prompt, before = learned(), engine.memory_bytes()
    engine.prepare(prompt)
    assert engine.memory_bytes() > before
    engine.forget(prompt.content_digest)
    assert engine.memory_bytes() == before


def test_a_prompt_survives_its_file_and_another_start_of_the_engine():
    restored = SpeakerPrompt.from_bytes(learned().to_bytes())
    assert np.array_equal(say(opened(), LONG, restored), reference())


def test_the_recording_is_not_heard_again(engine):
    """The state after the reference is what one long decode would have had there: speech goes on from it without repeating it."""
    prompt, networks = learned(), tiny()
    codes = torch.tensor(prompt.tensors["codes"], dtype=torch.int64).T[None]
    tail = torch.randint(0, 2048, (1, FEW_CODEBOOKS, 3), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        whole, _ = networks.codec.decode(torch.cat([codes, tail], dim=2), networks.codec.initial_state(1))
        after, _ = networks.codec.decode(tail, engine._reference_state(prompt).codec)
    assert torch.allclose(after, whole[:, -3 * FRAME :], atol=1e-5)


# --- refusals


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_to_say_is_refused_at_the_first_chunk(engine, text):
    stream = spoken(engine, text, learned())
    with pytest.raises(TextUnspeakable):
        next(stream)


def test_a_language_that_the_checkpoint_lacks_is_refused(engine):
    options = resolve_options(PACKAGE.info.options, {}) | {"language": "tlh"}
    with pytest.raises(LanguageUnsupported):
        next(engine.stream(LONG, learned(), options))


def test_a_text_beyond_all_room_is_refused_and_not_cut(engine):
    with pytest.raises(TextUnspeakable, match="9,034 pieces, and 8,191 are the limit"):
        next(spoken(engine, "x" * 9_000, learned(), non_streaming_mode=True))


@pytest.mark.parametrize(
    "tensors",
    [
        {"codes": np.zeros((3, FEW_CODEBOOKS), np.int16)},
        {"speaker_embedding": np.zeros(47, np.float32)},
        {"speaker_embedding": np.zeros(48, np.float32), "codes": np.zeros((3, FEW_CODEBOOKS - 1), np.int16)},
        {"speaker_embedding": np.zeros(48, np.float32), "codes": np.full((3, FEW_CODEBOOKS), 2048, np.int16)},
        {"speaker_embedding": np.zeros(48, np.float32), "codes": np.full((3, FEW_CODEBOOKS), -1, np.int16)},
    ],
)
def test_a_prompt_with_other_tensors_is_refused(engine, tensors):
    with pytest.raises(PromptInvalid):
        next(spoken(engine, LONG, engine.make_prompt("d", tensors)))


def test_bfloat16_speaks_too():
    samples = say(Qwen3TtsEngine(PACKAGE.info, tiny(dtype=torch.bfloat16)), LONG, learned())
    assert len(samples) == FRAMES * FRAME
    assert np.isfinite(samples).all()
