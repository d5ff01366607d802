"""Recordings: raised where they are quiet, their pauses shortened, whole frames of them, encoded as they are."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from engines.clips.clip import Clip
from engines.errors import ClipUnusable
from engines.omnivoice.engine import heard_samples, recording_codes
from engines.omnivoice.silence import remove_silence
from tests.engines.clips.made_clip import made_clip

RATE, FRAME, N_BOOKS = 24_000, 960, 8


class EncoderHeard:
    """Stands in for the codec's encoder: keeps what it is given. A frame's codes say how loud it is."""

    def encode(self, samples: torch.Tensor) -> torch.Tensor:
        self.samples = samples[0].numpy()
        loudness = samples.reshape(1, 1, -1, FRAME).abs().mean(3) * 1000
        return loudness.long().expand(1, N_BOOKS, -1)


def networks() -> SimpleNamespace:
    """What of OmniVoiceNetworks a recording needs."""
    config = SimpleNamespace(sample_rate=RATE, frame_samples=FRAME)
    return SimpleNamespace(codec_config=config, encoder=EncoderHeard(), device=torch.device("cpu"))


@cache
def voice() -> np.ndarray:
    """(12_000,) float32, half a second."""
    return made_clip(0.5).samples * np.float32(1.55)


def with_pause(pause_seconds: float, level: float = 1.0) -> Clip:
    """Half a second of a voice, a pause, and the same again."""
    said = voice() * np.float32(level)
    return Clip(np.concatenate([said, np.zeros(round(pause_seconds * RATE), np.float32), said]), RATE)


def test_what_is_encoded_is_the_recording_without_its_silences_cut_to_whole_frames():
    clip, heard = with_pause(1.003), networks()
    codes, rms = recording_codes(clip, heard)
    rest = remove_silence(clip.samples, RATE, 200, 100, 200)
    assert 1.3 * RATE < len(rest) < 1.5 * RATE and len(rest) % FRAME
    assert np.array_equal(heard.encoder.samples, rest[: len(rest) // FRAME * FRAME])
    assert (codes.dtype, codes.shape) == (np.int16, (N_BOOKS, len(rest) // FRAME)) and codes.any()
    assert rms == float(np.sqrt(np.mean(clip.samples**2))) > 0.1


def test_a_quiet_recording_is_raised_before_its_silences_are_looked_for():
    quiet = with_pause(1.0, level=0.004)
    samples, rms = heard_samples(quiet, RATE)
    assert rms == pytest.approx(0.004 * np.sqrt(np.mean(with_pause(1.0).samples ** 2)), rel=1e-5)
    assert not len(remove_silence(quiet.samples, RATE, 200, 100, 200)) and len(samples) > RATE
    raised = quiet.samples * np.float32(0.1) / np.float32(rms)
    assert np.array_equal(samples, remove_silence(raised, RATE, 200, 100, 200))


def test_a_loud_recording_keeps_its_level():
    samples, rms = heard_samples(Clip(voice(), RATE), RATE)
    assert rms > 0.1 and np.abs(samples).max() == pytest.approx(np.abs(voice()).max(), abs=1 / 32768)


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000, 44_101])
def test_a_recording_of_any_rate_is_heard_at_the_codecs(rate):
    codes, rms = recording_codes(Clip(voice(), rate), networks())
    assert codes.shape == (N_BOOKS, round(len(voice()) / rate * RATE) // FRAME)
    assert rms == pytest.approx(np.sqrt(np.mean(voice() ** 2)), rel=0.1)


def test_a_recording_of_which_nothing_is_left_is_refused():
    for clip in (Clip(np.zeros(RATE, np.float32), RATE), Clip(np.full(FRAME // 2, 0.2, np.float32), RATE)):
        with pytest.raises(ClipUnusable, match="none of it is left") as refused:
            recording_codes(clip, networks())
        assert refused.value.code == "clip_silent" and "level_dbfs" in refused.value.values
