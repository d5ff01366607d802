"""Our dots.tts computes what the official package computes, from the same random weights, the same inputs and the same noise."""

import numpy as np
import pytest
import torch

from engines.clips.clip import Transcript
from engines.contract.editing import checked_edit, edited_words
from engines.contract.options import resolve_options
from engines.dots import PACKAGE
from engines.dots.batched_decoder import DotsRows
from engines.dots.editing.edit_kinds import EDIT_KINDS
from engines.dots.editing.instruction import edit_ids, tagged_instruction
from engines.dots.editing.source import source_samples
from engines.dots.engine import X_VECTOR, DotsEngine
from engines.dots.input_sequence import said_text
from engines.dots.networks import DotsNetworks, read_networks
from engines.dots.recording import heard_samples, latents_of, trimmed, x_vector_of
from tests.engines.dots.tiny_checkpoint import write_tiny_checkpoint
from tests.parity import golden
from tests.parity.dots.cases import CASES, EDITS, GOLDEN, PARTS, TEXT, TOKEN_TEXTS, WORDS, clips, made_numbers, thinned
from tests.parity.dots.drawn_edits import N_DRAWN, drawn_edits

CPU = torch.device("cpu")
TOLERANCE = 1e-5  # relative to the largest number of a tensor, or 1


@pytest.fixture(scope="module", params=PARTS)
def shape(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def network(shape, tmp_path_factory) -> DotsNetworks:
    return read_networks(write_tiny_checkpoint(tmp_path_factory.mktemp(shape), shape, "mf"), CPU, torch.float32)


@pytest.fixture(scope="module")
def alone(shape) -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / f"parts_{shape}.safetensors")


def test_texts_become_the_official_ids(tmp_path):
    vocabulary = read_networks(write_tiny_checkpoint(tmp_path), CPU, torch.float32).vocabulary
    theirs = golden.read(GOLDEN / "tokens.safetensors")
    for index, text in enumerate(TOKEN_TEXTS):
        for language in (None, "en", "yue"):
            for words, name in ((None, f"{index}.{language}"), (WORDS, f"{index}.{language}.words")):
                assert vocabulary.ids(said_text(text, words, language)) == theirs[name].tolist(), name


@torch.inference_mode()
def test_the_semantic_encoder_hears_patches_at_once_and_one_by_one(network, alone):
    encoder, latents = network.model.patch_encoder, numbers(24, network.config.latent_dim)
    cache, before, rows = encoder.new_cache(1, 6).tensor, latents.new_zeros(1, 1, latents.shape[2]), []
    whole, last = encoder(latents, before, count(0), cache, 6)
    assert not close(whole[0], alone["semantic"])
    assert torch.equal(last, latents[:, -1:])
    for number, patch in enumerate(latents.split(4, dim=1)):
        row, before = encoder(patch, before, count(number), cache, number + 1)
        rows.append(row)
    assert not close(torch.cat(rows, dim=1)[0], alone["semantic"])


@torch.inference_mode()
def test_the_velocity_is_the_official_one_whether_the_past_is_remembered_at_once_or_not(network, alone):
    """Three patches of five rows each, the last of which is drawn."""
    model, field = network.model, network.model.velocity_field_predictor
    rows, voice = numbers(15, network.config.DiT.hidden_size), model.voices(numbers(1, network.config.campplus_embedding_size)[0], 1.5)
    assert not close(voice[0], alone["voice"])
    for lengths, name in (((0.25,), "velocity"), (None, "velocity_untold")):
        modulation, memory = field.modulations(voice, (0.3,), lengths)[0], field.new_memory(1, 3)
        field.remember(rows[:, :5], modulation, memory)
        assert not close(field(rows[:, 5:], modulation, field.step(count(2), 3), memory)[0], alone[name])
        grown, made = field.new_memory(1, 3), rows
        for number in range(3):
            former = rows[:, 5 * number - 5 : 5 * number] if number else torch.full_like(rows[:, :5], 9.0)
            made = field(torch.cat([former, rows[:, 5 * number : 5 * number + 5]], dim=1), modulation, field.step(count(number), 3), grown)
        assert not close(made[0], alone[name])


@torch.inference_mode()
def test_states_and_ends_are_the_official_ones(network, alone):
    model, states = network.model, numbers(4, network.config.llm.hidden_size)
    cache = model.decoder.new_cache(1, 4)
    assert not close(model.decoder(states, model.decoder.step(torch.arange(4), 4), cache)[0], alone["state"])
    assert not close(model.eos_proj(states)[0].softmax(-1), alone["ends"])


@torch.inference_mode()
@pytest.mark.parametrize("n_latents", [3, 4, 16, 24])
def test_audio_is_the_official_one_however_it_is_cut(network, alone, n_latents):
    decoder, latents = network.decoder, numbers(24, network.config.latent_dim)
    first, *others = latents.split(n_latents, dim=1)
    audio, state = decoder.begin(first)
    parts = [audio]
    for piece in others:
        audio, state = decoder.decode(piece, state)
        parts.append(audio)
    samples = torch.cat([*parts, decoder.finish(state)], dim=1)
    assert samples.shape[1] == 24 * decoder.hop_samples
    assert not close(thinned(samples[0].numpy()), alone["samples"])


@torch.inference_mode()
def test_a_recording_is_heard_as_the_official_package_hears_it(network, shape):
    theirs = golden.read(GOLDEN / f"recordings_{shape}.safetensors")
    for name, clip in clips().items():
        samples = heard_samples(clip, network)
        assert samples.shape[1] == theirs[f"{name}.n_samples"][0]
        assert not close(thinned(samples[0].numpy()), theirs[f"{name}.samples"])
        assert not close(x_vector_of(samples, network), theirs[f"{name}.x_vector"])
        mean, log_deviation = network.encoder.encode(samples)
        assert not close(mean[0], theirs[f"{name}.mean"])
        assert not close(log_deviation[0], theirs[f"{name}.log_deviation"])
        assert len(latents_of(samples, clip.digest, network)) == samples.shape[1] // network.config.patch_samples - 1
    assert len(trimmed(clips()["voice"].samples)) < len(clips()["voice"].samples) - 10_000


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_engine_says_what_the_official_package_says(tmp_path, case):
    """Latents of every patch, the one that is not sounded among them, and the sound."""
    folder = write_tiny_checkpoint(tmp_path, case.shape, case.kind, ends_after=case.ends_after)
    engine = PACKAGE.open(str(folder), device="cpu", dtype="float32")
    assert isinstance(engine, DotsEngine)
    patches, theirs = drawn(engine), golden.read(case.file)
    given = {"mode": case.mode, "seed": case.noise_seed, "max_patches": case.patches, "runaway_guard": False, **case.options}
    prompt = engine.extract(clips()["voice"], Transcript(WORDS) if case.goes_on else None)
    samples = np.concatenate(list(engine.stream(TEXT, prompt, resolve_options(engine.info.options, given))))
    assert len(samples) == theirs["n_samples"][0]
    assert not close(np.stack(patches), theirs["patches"])
    assert not close(thinned(samples), theirs["samples"])
    engine.close()


def test_drawn_edits_become_the_makers_instruction_and_words():
    targets = golden.read(GOLDEN / "edited_words.safetensors")["targets"].tobytes().decode().split("\0")
    assert len(targets) == N_DRAWN
    for drawn, target in zip(drawn_edits(), targets, strict=True):
        change = checked_edit("", EDIT_KINDS, drawn.words, drawn.operations)
        assert tagged_instruction(change) == drawn.instruction.strip()
        assert edited_words(change, EDIT_KINDS).text == target, drawn.instruction


@pytest.mark.parametrize("case", EDITS, ids=lambda case: case.name)
def test_the_engine_changes_a_recording_as_the_official_package_does(tmp_path, case):
    """Instruction and ids, the recording as it is heard, latents of every patch, and the sound. The speaker is the official one."""
    engine = PACKAGE.open(
        str(write_tiny_checkpoint(tmp_path, case.shape, "edit", ends_after=case.ends_after)), device="cpu", dtype="float32"
    )
    assert isinstance(engine, DotsEngine)
    networks, clip, theirs = engine._networks, clips()[case.clip], golden.read(case.file)
    change = checked_edit("", engine.info.edits, case.words, case.operations)
    assert tagged_instruction(change) == case.instruction
    source = source_samples(clip, networks)
    assert not close(thinned(source[0].numpy()), theirs["source"])
    before, between = edit_ids(change, case.language, networks.vocabulary)
    span = [networks.vocabulary.tokenizer.id_of("<|audio_gen_span|>")] * (source.shape[1] // networks.config.patch_samples)
    assert [*before, *span, *between] == theirs["ids"].tolist()
    learned = engine.extract(clip)
    prompt = engine.make_prompt(clip.digest, {**learned.tensors, X_VECTOR: theirs["x_vector"]})
    given = {"seed": case.noise_seed, "max_patches": case.patches, "language": case.language, **case.options}
    patches = drawn(engine)
    samples = np.concatenate(list(engine.edit(clip, change, prompt, resolve_options(engine.info.options, given))))
    assert len(samples) == theirs["n_samples"][0]
    assert not close(np.stack(patches), theirs["patches"])
    assert not close(thinned(samples), theirs["samples"])
    engine.close()


def test_the_cases_cover_speech_that_ends_and_that_is_cut():
    made = {case.name: len(golden.read(case.file)["patches"]) - case.goes_on for case in CASES}
    assert any(n < case.patches for case, n in zip(CASES, made.values(), strict=True))
    assert any(n == case.patches for case, n in zip(CASES, made.values(), strict=True))
    assert {case.kind for case in CASES} >= {"soar", "mf", "mf-1step", "mf-2steps", "edit"}


def drawn(engine: DotsEngine) -> list[np.ndarray]:
    """Normalized patches that the engine draws from now on, of its only row."""
    rows, patches = engine._batched_decoder.rows, []
    assert isinstance(rows, DotsRows)
    draw = rows._draw_all

    def kept(streams) -> None:
        draw(streams)
        patches.append(rows._patch[0].clone().numpy())

    rows._draw_all = kept
    return patches


def close(mine: torch.Tensor | np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> list[str]:
    return golden.differences({"it": np.asarray(mine)}, {"it": theirs}, tolerance)


def numbers(n_rows: int, width: int) -> torch.Tensor:
    """(1, N, D)."""
    return torch.from_numpy(made_numbers(n_rows, width))[None]


def count(number: int) -> torch.Tensor:
    return torch.tensor([[number]])
