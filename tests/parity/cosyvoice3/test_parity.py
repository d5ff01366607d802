"""Parity of CosyVoice3: our networks compute what the official code computed from the same random weights, each network alone.

The goldens were made by `make golden`; their headers say from what. Tokens, ids and draws are equal, float32 numbers to 1e-5 of the
largest, sound to SOUND_TOLERANCE. What is heard through the engine's own door is in test_streams.py, texts in test_texts.py.
"""

import numpy as np
import pytest
import torch

from engines.cosyvoice3.flow.flow import MOST_FRAMES
from engines.cosyvoice3.networks import CosyVoice3Networks, read_networks
from engines.cosyvoice3.reference.reference_encoder import FLOW_MEL, HEARD_HZ, _at, read_recording, speech_tokens_of
from engines.cosyvoice3.speech_tokens.sampling import draw
from engines.cosyvoice3.speech_tokens.spoken_tokens import SpokenTokens
from engines.cosyvoice3.text.input_text import input_text
from engines.kit.codec.mel import whisper_log_mel
from engines.kit.sampling.sampling import SamplingTensors
from engines.kit.speaker.campplus import kaldi_bank
from tests.parity import golden
from tests.parity.cosyvoice3 import by_hand, checkpoints
from tests.parity.cosyvoice3.cases import (
    CHUNKINGS,
    CLIPS,
    DRAWS,
    GOLDEN,
    LOOKED_AT,
    MEL_STOPS,
    SEEDS,
    SPEECHES,
    VOCODER_SEED,
    Speech,
    clips,
    made_embedding,
    made_logits,
    made_mel,
    made_silences,
    made_tokens,
    rows_at,
    thinned,
    uniform_at,
)

TOLERANCE = 1e-5
# Upstream adds phases up in float32 without wrapping them: at the ninth harmonic of 150 Hz it is 0.001 rad off after a second.
SOUND_TOLERANCE = 2e-4
FEATURE_TOLERANCE = 1e-4  # logarithms of bands where hardly anything is
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def networks(tmp_path_factory) -> dict[str, CosyVoice3Networks]:
    folder = tmp_path_factory.mktemp("parity")
    folders = {shape: checkpoints.write(folder / shape, shape, seed) for shape, seed in SEEDS.items()}
    return {shape: read_networks(place, CPU, torch.float32, "llm.pt") for shape, place in folders.items()}


@pytest.fixture(params=SEEDS)
def network(request, networks) -> CosyVoice3Networks:
    return networks[request.param]


@pytest.fixture(autouse=True)
def _inference():
    with torch.inference_mode():
        yield


def close(mine: torch.Tensor | np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> list[str]:
    return golden.differences({"it": np.asarray(mine)}, {"it": theirs}, tolerance)


def theirs_of(name: str) -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / f"{name}.safetensors")


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.safetensors")), ids=lambda file: file.stem)
def test_a_golden_is_small_and_says_how_it_was_made(file):
    facts = golden.read_facts(file)
    assert file.stat().st_size <= golden.MOST_BYTES
    assert facts["recipe"] == checkpoints.RECIPES
    assert facts["upstream"] == "FunAudioLLM/CosyVoice ace7c47, transformers 4.51.3"
    assert facts["seed"] == str(SEEDS)
    assert float(facts["least_margin"]) >= 1e-6  # draws among 6,761 ids, computed in float64 from logits of float32


@pytest.mark.parametrize("name", CLIPS)
def test_a_clip_has_the_official_spectrograms(name):
    """Whatever its rate: resampling is the official one, too."""
    theirs, clip = theirs_of("features"), clips()[name]
    heard = _at(clip, HEARD_HZ)
    mine = {"mel": FLOW_MEL(_at(clip, 24_000))[0], "log_mel": whisper_log_mel(heard)[0].T, "filter_bank": kaldi_bank(heard, 80)[0]}
    assert [len(rows) for rows in mine.values()] == theirs[f"{name}.n_frames"].tolist()
    for kind, rows in mine.items():
        if f"{name}.{kind}" in theirs:
            assert not close(rows[rows_at(len(rows))], theirs[f"{name}.{kind}"], FEATURE_TOLERANCE), kind


@pytest.mark.parametrize("name", CLIPS)
def test_a_clip_has_the_official_tokens_and_speaker(networks, name):
    """Of every length: also where the last segment of the speaker encoder is short, and where frames are no multiple of four."""
    theirs, clip, usual = theirs_of("extraction"), clips()[name], networks["usual"]
    tokens = speech_tokens_of(clip, usual.speech_tokenizer)
    assert tokens.tolist() == theirs[f"{name}.tokens"].tolist()
    heard = read_recording(clip, usual.speech_tokenizer, usual.speaker_encoder)
    assert not close(heard.x_vector, theirs[f"{name}.embedding"])
    n_frames = theirs_of("features")[f"{name}.n_frames"][0]
    assert len(heard.tokens) == min(len(tokens), n_frames // 2) == len(heard.mel) / 2
    assert heard.tokens.tolist() == tokens[: len(heard.tokens)].tolist()


def test_clips_reach_every_length_that_counts():
    """100 half-frames of the speaker encoder, fewer and more; tokens beyond the mel frames; log-mel frames that are no multiple of 4."""
    frames = {name: theirs_of("features")[f"{name}.n_frames"] for name in clips()}
    halves = {-(-int(n[2]) // 2) for n in frames.values()}
    assert 100 in halves
    assert min(halves) < 100 < max(halves)
    assert any(half > 200 and half % 100 for half in halves)
    assert {int(n[1]) % 4 == 0 for n in frames.values()} == {True, False}
    assert any(-(-int(n[1]) // 4) > int(n[0]) // 2 for n in frames.values())


@pytest.mark.parametrize("case", DRAWS, ids=lambda case: f"{case.size}_{case.spread:g}")
def test_draws_are_the_official_ones(networks, case):
    """Of made logits, some of whose likeliest ids were said just before."""
    logits, recent, uniforms = map(torch.from_numpy, made_logits(case))
    sampling = networks["usual"].config.sampling
    params = SamplingTensors.blank(case.n_rows, "cpu")
    params.set(1.0, sampling.top_k, sampling.top_p)
    mine = draw(logits, recent, uniforms, params, sampling.win_size * sampling.tau_r)
    assert mine.tolist() == theirs_of("draws")[f"{case.size}_{case.spread:g}"].tolist()


def test_draws_reach_the_second_one_and_do_without():
    for case in DRAWS:
        logits, recent, uniforms = map(torch.from_numpy, made_logits(case))
        params = SamplingTensors.blank(case.n_rows, "cpu")
        params.set(1.0, 25, 0.8)
        firsts = draw(logits, torch.full_like(recent, -1), uniforms, params, 1.0)
        again = (recent == firsts[:, None]).any(dim=1)
        assert 0 < again.sum() < case.n_rows


def test_silence_that_lasts_is_cut_short_as_the_official_code_does():
    tokens, heard = made_silences(), SpokenTokens()
    theirs = theirs_of("draws")["passed"].tolist()
    assert [token for at in range(0, len(tokens), 7) for token in heard.push(tokens[at : at + 7])] == theirs
    assert 0 < len(tokens) - len(theirs) < len(tokens) // 2


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda speech: speech.name)
def test_a_prompt_is_read_and_goes_on_as_the_official_code_does(networks, speech, tmp_path):
    """Ids, shares of the first steps, and all tokens, each drawn by the same uniform numbers."""
    theirs, network = theirs_of(f"speech_{speech.name}"), networks[speech.shape]
    if speech.ends_after is not None:
        folder = checkpoints.write(tmp_path, speech.shape, SEEDS[speech.shape], speech.ends_after)
        network = read_networks(folder, CPU, torch.float32, "llm.pt")
    instructions = speech.instructions or ""
    prompt = input_text(network.tokenizer, speech.text, mode="auto", instructions=instructions, words=speech.words)
    assert list(prompt.ids) == theirs["ids"].tolist()
    assert prompt.reads_speech == (speech.words is not None)
    steps = list(by_hand.spoken(network, prompt, _heard_before(network, speech), _uniforms(speech)))
    shares = torch.stack([shares for shares, _ in steps[: len(theirs["log_shares"])]])[:, ::LOOKED_AT]
    assert not close(shares, theirs["log_shares"])
    assert [token for _, token in steps] == theirs["tokens"].tolist()


def _heard_before(network: CosyVoice3Networks, speech: Speech) -> torch.Tensor:
    if speech.words is None:
        return torch.zeros(0, dtype=torch.int64)
    heard = read_recording(clips()[speech.clip], network.speech_tokenizer, network.speaker_encoder)
    return torch.from_numpy(heard.tokens.astype(np.int64))


def _uniforms(speech: Speech) -> torch.Tensor:
    return torch.tensor([[uniform_at(speech.seed, step, number) for number in (0, 1)] for step in range(speech.most)])


def test_speech_that_ends_and_speech_that_is_cut_are_both_there():
    lengths = {speech.name: len(theirs_of(f"speech_{speech.name}")["tokens"]) for speech in SPEECHES}
    assert all(lengths[speech.name] == (speech.ends_after or speech.most) for speech in SPEECHES)
    assert len({speech.ends_after for speech in SPEECHES}) > 1


def test_the_noise_of_the_flow_is_the_official_one(networks):
    for shape, network in networks.items():
        assert len(network.flow.noise) == MOST_FRAMES
        assert not close(network.flow.noise.T[::9, ::1499], theirs_of(f"flow_{shape}")["noise"], 0)


@pytest.mark.parametrize("chunking", CHUNKINGS, ids=lambda chunking: chunking.name)
def test_chunks_of_mel_frames_are_the_official_ones(networks, chunking):
    """After a prompt that ends within a chunk, and at the end of one."""
    n_prompt, stops = chunking.n_prompt, chunking.stops
    network = networks[chunking.shape]
    whole = n_prompt - n_prompt % network.config.flow.chunk_tokens
    cuts = [stop for stop in (whole, *(n_prompt + stop for stop in stops)) if stop]
    tokens = made_tokens(n_prompt + stops[-1], seed=n_prompt)
    mel, embedding = torch.from_numpy(made_mel(2 * n_prompt, n_prompt)), torch.from_numpy(made_embedding(n_prompt))
    made = torch.cat(by_hand.chunks(network, tokens, mel, embedding, cuts))[2 * n_prompt :]
    assert not close(made[:, ::3], theirs_of(f"flow_{chunking.shape}")[chunking.name])


@pytest.mark.parametrize("shape", SEEDS)
def test_mel_frames_sound_as_the_official_vocoder_has_them(networks, shape):
    """As a whole, and piece by piece."""
    theirs, vocoder, mel = theirs_of(f"vocoder_{shape}"), networks[shape].vocoder, torch.from_numpy(made_mel(MEL_STOPS[-1], VOCODER_SEED))
    whole = vocoder.whole(mel[None])[0]
    assert not close(thinned(whole.numpy()), theirs["samples"], SOUND_TOLERANCE * np.abs(theirs["samples"]).max())
    ends = torch.stack([whole[:120], whole[-120:]])
    assert not close(ends, theirs["ends"], SOUND_TOLERANCE * np.abs(theirs["samples"]).max())
    assert not close(torch.cat(by_hand.pieces(networks[shape], mel, MEL_STOPS)), whole.numpy())
