"""The speaker encoder: it hears as Resemblyzer does, the same at either rate, and with no other weights than those that it came with."""

import numpy as np
import pytest
import soundfile
import soxr
import torch
from safetensors.torch import load_file, save_file

from engines.clips.clip import Clip
from engines.errors import CheckpointInvalid
from engines.kit.speaker import speaker_encoder
from engines.kit.speaker.mel import RATE_HZ
from engines.kit.speaker.speaker_encoder import FILE, HEARD_RATE_HZ, LEVEL_DBFS, SpeakerEncoder, spoken_samples
from tests.engines.kit.speaker.packaged_weights import halved, packaged, pretrained
from tests.house.source_files import ROOT
from tests.stand_ins.vocoded_speaker import vocoded_speaker

PART = slice(HEARD_RATE_HZ, round(2.59 * HEARD_RATE_HZ))  # no more than is heard at a time


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return SpeakerEncoder.load()


@pytest.fixture(scope="module")
def vocoded() -> Clip:
    return vocoded_speaker()


@pytest.fixture(scope="module")
def part(vocoded) -> torch.Tensor:
    """(1, T) at HEARD_RATE_HZ."""
    return torch.from_numpy(soxr.resample(vocoded.samples, vocoded.sample_rate, HEARD_RATE_HZ)[PART])[None]


def test_embeddings_are_the_packages(encoder, vocoded):
    embedding = encoder.embed(soxr.resample(vocoded.samples, vocoded.sample_rate, RATE_HZ))
    of_resemblyzer = {20: 0.22648, 134: 0.2149, 2: 0.20528, 89: 0.20349}  # its embed_utterance of the same samples
    assert embedding[list(of_resemblyzer)] == pytest.approx(list(of_resemblyzer.values()), abs=1e-4)
    assert np.linalg.norm(embedding) == pytest.approx(1, abs=1e-5)


def test_what_is_said_is_heard_at_one_level_and_nothing_else_is(encoder, vocoded):
    quiet = Clip(np.pad(vocoded.samples / 8, (0, 3 * vocoded.sample_rate)), vocoded.sample_rate)
    assert encoder.embedding(quiet) @ encoder.embedding(vocoded) > 0.999
    spoken = spoken_samples(quiet)
    assert 5 * RATE_HZ < len(spoken) < 11 * RATE_HZ
    assert 20 * np.log10(np.sqrt(np.mean(spoken**2))) == pytest.approx(LEVEL_DBFS, abs=0.1)
    assert encoder.embedding(Clip(np.zeros(RATE_HZ, np.float32), RATE_HZ)) is None


def test_speech_that_is_being_made_is_heard_as_a_recording_is(encoder, part):
    at_rate = soxr.resample(part[0].numpy(), HEARD_RATE_HZ, RATE_HZ)
    known = encoder.embed(at_rate * (10 ** (LEVEL_DBFS / 20) / np.sqrt(np.mean(at_rate**2))).astype(np.float32))
    for samples in (part, part / 16, torch.cat([part, part / 16])):
        heard = encoder.heard(samples)
        assert heard.shape == (len(samples), 256)
        assert (heard @ torch.from_numpy(known)).min() > 0.999


def test_whose_voice_it_is_can_be_learned_and_the_encoder_stays(encoder, part):
    samples = (part + 0.05 * torch.randn(part.shape, generator=torch.manual_seed(1))).requires_grad_()
    wanted = encoder.heard(part)
    before = (encoder.heard(samples) @ wanted.T).mean()
    before.backward()
    assert samples.grad.isfinite().all()
    moved = samples.detach() + 0.5 * samples.grad / samples.grad.norm()
    assert (encoder.heard(moved) @ wanted.T).mean() > before + 0.005
    assert not any(weight.requires_grad for weight in encoder.parameters())


def test_no_more_than_a_part_is_heard_at_a_time(encoder, part):
    long = torch.cat([part, part], 1).requires_grad_()
    encoder.heard(long).sum().backward()
    last = int(long.grad[0].nonzero()[-1])
    assert 1.5 < last / HEARD_RATE_HZ < 1.62


def test_other_weights_are_refused(tmp_path, monkeypatch):
    tensors = load_file(FILE)
    tensors["linear.bias"][0] += 1
    monkeypatch.setattr(speaker_encoder, "FILE", tmp_path / FILE.name)
    save_file(tensors, tmp_path / FILE.name)
    with pytest.raises(CheckpointInvalid, match="other weights"):
        SpeakerEncoder.load()


@pytest.mark.skipif(pretrained() is None, reason="PyPI's Resemblyzer is not installed: see packaged_weights.py")
def test_the_file_is_the_packages_weights_in_16_bits(encoder):
    wanted, stored = halved(packaged()), load_file(FILE)
    assert wanted.keys() == stored.keys() and all(torch.equal(stored[name], tensor) for name, tensor in wanted.items())
    exact = SpeakerEncoder().requires_grad_(False)
    exact.load_state_dict(packaged())
    demo = Clip(*soundfile.read(ROOT / "assets/voices/demo.flac", dtype="float32"))
    assert exact.embedding(demo) @ encoder.embedding(demo) > 0.99999
