"""What is heard in a clip: tokens, mel frames and the speaker, of the same time, at the networks' own rates, in IEEE float32."""

import numpy as np
import pytest
import torch
import torchaudio
from torch import backends

from engines.clips.clip import Clip
from engines.cosyvoice3.reference.extraction_files import read_speaker_encoder, read_speech_tokenizer
from engines.cosyvoice3.reference.reference_encoder import read_recording, speech_tokens_of
from engines.kit.codec.mel import LogMel, whisper_log_mel
from tests.engines.clips.made_clip import made_clip
from tests.engines.cosyvoice3.reference.onnx_writer import write_campplus, write_speech_tokenizer


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    folder, device = tmp_path_factory.mktemp("networks"), torch.device("cpu")
    write_speech_tokenizer(folder / "speech_tokenizer_v3.onnx", seed=0)
    write_campplus(folder / "campplus.onnx", seed=0)
    return read_speech_tokenizer(folder / "speech_tokenizer_v3.onnx", device), read_speaker_encoder(folder / "campplus.onnx", device)


@pytest.mark.parametrize(
    ("seconds", "rate", "n_tokens"),
    [(1.0, 24_000, 25), (1.5, 16_000, 37), (1.03, 24_000, 25), (1.075, 44_100, 26), (1.999, 48_000, 49)],
)
def test_tokens_and_frames_are_of_the_same_time(networks, seconds, rate, n_tokens):
    """A token less where its second mel frame is not whole any more."""
    recording = read_recording(made_clip(seconds, sample_rate=rate), *networks)
    assert recording.tokens.shape == (n_tokens,)
    assert recording.mel.shape == (2 * n_tokens, 80)
    assert recording.x_vector.shape == (192,)
    assert (recording.tokens.dtype, recording.mel.dtype, recording.x_vector.dtype) == (np.int16, np.float32, np.float32)
    assert all(part.base is None or part.base.nbytes == part.nbytes for part in (recording.tokens, recording.mel))


def test_each_network_hears_its_own_rate(networks):
    """As torchaudio resamples, and no louder or softer than the clip is."""
    clip = made_clip(1.2, sample_rate=44_100)
    samples = torch.tensor(clip.samples)[None]
    at_16, at_24 = (torchaudio.transforms.Resample(44_100, rate)(samples) for rate in (16_000, 24_000))
    mel = LogMel(sample_rate=24_000, n_fft=1920, hop_samples=480, n_bands=80, lowest_hz=0.0, highest_hz=12_000.0)
    recording = read_recording(clip, *networks)
    with torch.inference_mode():
        tokens = networks[0](whisper_log_mel(at_16))
        bank = torchaudio.compliance.kaldi.fbank(at_16, num_mel_bins=80, dither=0, sample_frequency=16_000)
        x_vector = networks[1]((bank - bank.mean(0))[None])
    n_tokens = len(recording.tokens)
    assert recording.tokens.tolist() == tokens[:n_tokens].tolist()
    assert np.array_equal(recording.mel, mel(at_24)[0, : 2 * n_tokens])
    assert np.abs(recording.x_vector - x_vector.numpy()).max() < 1e-6


def test_speech_alone_has_the_same_tokens_up_to_its_end(networks):
    clip = made_clip(1.5, sample_rate=16_000)
    tokens = speech_tokens_of(clip, networks[0])
    assert tokens.dtype == np.int16
    assert len(tokens) == 38
    assert tokens[:37].tolist() == read_recording(clip, *networks).tokens.tolist()


@pytest.mark.parametrize("n_samples", [1, 200, 640])
def test_a_moment_of_speech_is_a_token(networks, n_samples):
    clip = Clip(np.full(n_samples, 0.1, np.float32), 16_000)
    assert len(speech_tokens_of(clip, networks[0])) == 1


def test_low_precision_that_is_allowed_elsewhere_does_not_leak_in(networks, low_precision):
    clip, seen = made_clip(1.1), []

    def look(*_) -> None:
        seen.append((backends.cuda.matmul.fp32_precision, backends.cudnn.conv.fp32_precision, backends.mkldnn.matmul.fp32_precision))

    hooks = [network.register_forward_hook(look) for network in networks]
    try:
        recording, tokens = read_recording(clip, *networks), speech_tokens_of(clip, networks[0])
    finally:
        for hook in hooks:
            hook.remove()
    assert seen == [("ieee", "ieee", "ieee")] * 3
    torch.set_float32_matmul_precision("highest")
    again = read_recording(clip, *networks)
    assert np.array_equal(tokens, speech_tokens_of(clip, networks[0]))
    for ours, theirs in ((recording.tokens, again.tokens), (recording.mel, again.mel), (recording.x_vector, again.x_vector)):
        assert np.array_equal(ours, theirs)
