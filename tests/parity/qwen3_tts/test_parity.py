"""Parity of Qwen3-TTS: our networks and our engine compute what the official package computed from the same random weights.

The goldens were made by `make golden`; their headers say from what. Codes and lengths are equal, float32 numbers to 1e-5 of the largest,
the codec decoder in float64 to 1e-11.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.clips.clip import Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.kit.codec.mel import LogMel
from engines.kit.sampling.sampling import gumbel_noise
from engines.qwen3_tts import PACKAGE
from engines.qwen3_tts.codec_decoder import CodecState
from tests.engines.qwen3_tts.checkpoints.random_checkpoint import RECIPE
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import write_tiny_checkpoint
from tests.parity import golden
from tests.parity.qwen3_tts.cases import (
    CASES,
    ENDING_TEXT,
    FRAMES,
    GOLDEN,
    OWN_TEXT,
    OWN_VOICES,
    REFERENCE_TEXT,
    SAMPLING_CASES,
    SEED,
    Case,
    clips,
    decoder_codes,
    group_file,
    own_voice_file,
    sampling_history,
    sampling_logits,
    write_own_checkpoint,
)
from tests.parity.qwen3_tts.networks import Networks, codec_in_float64

TOLERANCE = 1e-5
HEARD_FRAMES = 6  # of the FRAMES whose codes are compared, through the engine's own door


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[bool, Path]:
    """Checkpoints by whether they have the projection."""
    folder = tmp_path_factory.mktemp("parity")
    return {p: write_tiny_checkpoint(folder / str(p), projection=p, seed=SEED) for p in (True, False)}


@pytest.fixture(scope="module")
def networks(folders) -> dict[bool, Networks]:
    return {projection: Networks.read(folder) for projection, folder in folders.items()}


@pytest.fixture(scope="module")
def extracted() -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / "extraction.safetensors")


def close(mine: torch.Tensor | np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> list[str]:
    return golden.differences({"it": np.asarray(mine)}, {"it": theirs}, tolerance)


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.safetensors")), ids=lambda file: file.stem)
def test_a_golden_is_small_and_says_how_it_was_made(file):
    facts = golden.read_facts(file)
    assert file.stat().st_size <= golden.MOST_BYTES
    assert facts["recipe"] == RECIPE
    assert facts["seed"] == str(SEED)
    assert facts["upstream"].startswith("QwenLM/Qwen3-TTS@")
    assert float(facts["least_margin"]) > 10 * TOLERANCE  # exact codes are no luck


def test_the_log_mel_is_the_official_one(extracted):
    mel = LogMel()(torch.from_numpy(clips()["reference"].samples.copy())[None])[0]
    assert len(mel) == extracted["reference.mel_frames"]
    assert not close(mel[:12], extracted["reference.mel_first"])
    assert not close(mel[-12:], extracted["reference.mel_last"])


@pytest.mark.parametrize("projection", [True, False], ids=["projection", "equal widths"])
@torch.inference_mode()
def test_the_speaker_embedding_is_the_official_one(networks, extracted, projection):
    mel = LogMel()(torch.from_numpy(clips()["reference"].samples.copy())[None])
    name = "projection" if projection else "equal_widths"
    assert not close(networks[projection].learners.speaker_encoder(mel)[0], extracted[f"reference.embedding_{name}"])


@torch.inference_mode()
def test_the_codes_of_a_clip_are_the_official_ones(networks, extracted):
    """Longer than the encoder's attention window, so that it counts."""
    codes = networks[True].learners.mimi.encode(torch.from_numpy(clips()["reference"].samples.copy())[None, None])
    assert np.array_equal(codes, extracted["reference.codes"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}-{case.name}")
def test_greedy_speech_has_the_official_prompt_rows_and_codes(networks, extracted, case):
    theirs = golden.read(group_file(case.group))
    embedding = extracted[f"reference.embedding_{'projection' if case.projection else 'equal_widths'}"]
    input_text = networks[case.projection].input_text(case, extracted["reference.codes"], embedding)
    assert not close(input_text.rows[0, :, ::2], theirs[f"{case.name}.rows"])
    assert not close(input_text.trailing[0, :, ::2], theirs[f"{case.name}.trailing"])
    assert np.array_equal(networks[case.projection].greedy(input_text, FRAMES), theirs[f"{case.name}.codes"])


@pytest.fixture(scope="module")
def own_folders(tmp_path_factory) -> dict[str, Path]:
    """Checkpoints with voices of their own, by group."""
    folder = tmp_path_factory.mktemp("own voices")
    return {case.group: write_own_checkpoint(folder / case.group, case) for case in OWN_VOICES}


@pytest.fixture(scope="module")
def own_networks(own_folders) -> dict[str, Networks]:
    return {group: Networks.read(folder) for group, folder in own_folders.items()}


@pytest.mark.parametrize("case", OWN_VOICES, ids=lambda case: f"{case.group}-{case.name}")
def test_speech_in_a_voice_of_the_models_own_has_the_official_prompt_rows_and_codes(own_networks, case):
    """Of speakers with and without a dialect, and of described voices; the small model drops what it is told, as upstream."""
    theirs, networks = golden.read(own_voice_file(case.group)), own_networks[case.group]
    input_text = networks.own_voice(case)
    assert not close(input_text.rows[0, :, ::4], theirs[f"{case.name}.rows"])
    assert not close(input_text.trailing[0, :, ::4], theirs[f"{case.name}.trailing"])
    assert np.array_equal(networks.greedy(input_text, FRAMES), theirs[f"{case.name}.codes"])


@pytest.fixture(scope="module")
def own_engines(own_folders) -> dict[str, Engine]:
    opened = {group: PACKAGE.open(str(folder), device="cpu", dtype="float32") for group, folder in own_folders.items()}
    yield opened
    for engine in opened.values():
        engine.close()


@pytest.mark.parametrize("case", OWN_VOICES, ids=lambda case: f"{case.group}-{case.name}")
def test_the_engine_speaks_the_official_codes_in_a_voice_of_the_models_own(own_engines, own_networks, case):
    engine, codec = own_engines[case.group], own_networks[case.group].codec
    given = {"temperature": 0.0, "subtalker_temperature": 0.0, "max_new_tokens": HEARD_FRAMES + 1, "non_streaming_mode": case.full_text}
    given["language"] = {"english": "en", "chinese": "zh", "auto": "auto"}[case.language]
    if any(option.name == "instructions" for option in engine.info.options):
        given["instructions"] = case.instruction
    prompt = engine.preset(case.speaker or engine.info.designed_preset)
    samples = np.concatenate(list(engine.stream(OWN_TEXT, prompt, resolve_options(engine.info.options, given))))
    codes = torch.from_numpy(golden.read(own_voice_file(case.group))[f"{case.name}.codes"][:HEARD_FRAMES].astype(np.int64)).T[None]
    with torch.inference_mode():
        expected, _ = codec.decode(codes, codec.initial_state(1))
    assert not close(samples, expected[0].numpy())


def test_the_cases_cover_text_that_outlasts_the_reference_and_text_that_does_not(extracted):
    """Else half of the prompt layouts would be tested twice and the others never."""
    rows = len(extracted["reference.codes"]) + 1
    lengths = {"shorter": [], "longer": []}
    for case in CASES:
        if case.in_context and not case.full_text:
            lengths[case.length].append(len(golden.read(group_file(case.group))[f"{case.name}.trailing"]))
    assert set(lengths["shorter"]) == {1}
    assert min(lengths["longer"]) > 1
    assert rows == 21


@pytest.mark.parametrize("case", SAMPLING_CASES, ids=lambda case: case.name)
def test_sampling_draws_from_what_the_official_processors_leave(networks, case):
    """With the same noise, ours chooses what a race over the official logits chooses; over many draws, every code that is left comes up."""
    theirs = golden.read(GOLDEN / "sampling.safetensors")
    left = np.full(3072, -np.inf, np.float32)
    left[theirs[f"{case.name}.codes"]] = theirs[f"{case.name}.logits"]
    noise = gumbel_noise(torch.arange(300)[:, None], torch.zeros(300, 1, dtype=torch.int64), torch.arange(3072))
    mine = networks[True].chosen(sampling_logits() + case.shift, sampling_history(case.history), case, noise)
    assert np.array_equal(mine, (left + noise.numpy()).argmax(axis=1))
    drawn = set(mine.tolist())
    assert drawn <= set(theirs[f"{case.name}.codes"].tolist())
    assert len(drawn) >= min(3, len(theirs[f"{case.name}.codes"]))


def test_the_sampling_cases_cover_an_end_that_is_allowed_and_one_that_is_not():
    theirs = golden.read(GOLDEN / "sampling.safetensors")
    may_end = {case.history: 2150 in theirs[f"{case.name}.codes"] for case in SAMPLING_CASES[:2]}
    assert may_end == {6: True, 1: False}


@torch.inference_mode()
def test_the_codec_decoder_is_the_official_one_to_the_last_digits(folders):
    codec = codec_in_float64(folders[True])
    samples, _ = codec.decode(torch.from_numpy(decoder_codes(30)), codec.initial_state(1))
    assert not close(samples[0, ::16], golden.read(GOLDEN / "waveform.safetensors")["float64"], 1e-11)


@pytest.fixture(scope="module")
def engines(folders) -> dict[bool, Engine]:
    opened = {projection: PACKAGE.open(str(folder), device="cpu", dtype="float32") for projection, folder in folders.items()}
    yield opened
    for engine in opened.values():
        engine.close()


@pytest.fixture(scope="module")
def prompts(engines) -> dict[bool, SpeakerPrompt]:
    return {projection: engine.extract(clips()["reference"], Transcript(REFERENCE_TEXT)) for projection, engine in engines.items()}


@pytest.fixture(scope="module")
@torch.inference_mode()
def states(networks, prompts) -> dict[tuple[bool, bool], CodecState]:
    """Of the codec where speech begins, by (projection, in context): decoded without a short cut."""
    made = {}
    for projection, prompt in prompts.items():
        codec, codes = networks[projection].codec, torch.from_numpy(prompt.tensors["codes"].astype(np.int64)).T[None]
        made[projection, False] = codec.initial_state(1)
        made[projection, True] = codec.decode(codes, codec.initial_state(1))[1]
    return made


def heard(engine: Engine, case: Case, prompt: SpeakerPrompt, frames: int) -> np.ndarray:
    """The samples of a greedy speech through the engine's own door."""
    given = {"temperature": 0.0, "subtalker_temperature": 0.0, "repetition_penalty": 1.05, "max_new_tokens": frames + 1}
    given |= {"language": {"english": "en", "auto": "auto"}[case.language], "non_streaming_mode": case.full_text}
    options = resolve_options(engine.info.options, given | {"x_vector_only_mode": not case.in_context})
    return np.concatenate(list(engine.stream(case.text, prompt, options)))


@pytest.mark.parametrize("clip", ["reference", "resampled"])
@pytest.mark.parametrize("projection", [True, False], ids=["projection", "equal widths"])
def test_the_engine_learns_what_the_official_package_learns(engines, extracted, clip, projection):
    """The second clip is at 44.1 kHz and has a sample more than its length says: resampling is the official one too."""
    prompt = engines[projection].extract(clips()[clip], Transcript(REFERENCE_TEXT))
    assert np.array_equal(prompt.tensors["codes"], extracted[f"{clip}.codes"])
    name = "projection" if projection else "equal_widths"
    assert not close(prompt.tensors["speaker_embedding"], extracted[f"{clip}.embedding_{name}"])


def test_the_engine_says_what_a_caller_of_the_official_package_hears(engines, prompts):
    """In context and greedily. The official package cuts the reference off by a float ratio; at these lengths it falls on the sample."""
    theirs = golden.read(GOLDEN / "waveform.safetensors")
    samples = heard(engines[True], CASES[0], prompts[True], len(theirs["spoken_codes"]))
    assert len(samples) == theirs["spoken_samples"][0] == 1920 * len(theirs["spoken_codes"])
    assert not close(samples[::4], theirs["spoken"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}-{case.name}")
def test_the_engine_speaks_the_official_codes_in_every_mode(engines, prompts, networks, states, case):
    """Waveform of the engine against the codec's waveform of the official codes: prefixes, states and text batched decoders end in the
    right place.
    """
    prompt = prompts[case.projection]
    codes = torch.from_numpy(golden.read(group_file(case.group))[f"{case.name}.codes"][:HEARD_FRAMES].astype(np.int64)).T[None]
    with torch.inference_mode():
        expected, _ = networks[case.projection].codec.decode(codes, states[case.projection, case.in_context])
    assert not close(heard(engines[case.projection], case, prompt, HEARD_FRAMES), expected[0].numpy())


def test_speech_ends_where_the_official_package_ends_it(tmp_path):
    engine = PACKAGE.open(str(write_tiny_checkpoint(tmp_path, seed=SEED, ends_with_text=True)), device="cpu", dtype="float32")
    prompt = engine.extract(clips()["reference"])
    given = {"temperature": 0.0, "subtalker_temperature": 0.0, "language": "en", "max_new_tokens": 100}
    samples = np.concatenate(list(engine.stream(ENDING_TEXT, prompt, resolve_options(engine.info.options, given))))
    codes = golden.read(GOLDEN / "ending.safetensors")["codes"]
    assert len(samples) == 1920 * len(codes)
    assert 0 < len(codes) < 30
    engine.close()
