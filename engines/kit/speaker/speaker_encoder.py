"""SpeakerEncoder: turns speech into 256 numbers that tell whose voice it is, by the speaker encoder of Resemblyzer 0.1.4.

Source: Apache 2.0; Wan et al., "Generalized end-to-end loss for speaker verification", 2018. The weights are the package's, rounded to
16-bit floats: see NOTICE.txt.
"""

from functools import cache
from pathlib import Path

import numpy as np
import soxr
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.clips.clip import Clip, ClipSound, hop_samples
from engines.clips.speech_activity import SpeechActivity
from engines.errors import CheckpointInvalid
from engines.kit.speaker.mel import RATE_HZ, mel_filters, mel_power
from engines.kit.weights.checkpoint import Checkpoint, without_memory

__all__ = ["HEARD_RATE_HZ", "SpeakerEncoder", "part_starts", "spoken_samples"]

FILE = Path(__file__).with_suffix(".safetensors")
FINGERPRINT = "8a6e1471f42901c19ceb730db8a93b4853064a1a1f85562593bded45c9b126af"  # Checkpoint.digest of all its tensors
# As the package's hparams.py has it.
N_MELS, WINDOW, HOP = 40, 400, 160
WIDTH, N_LAYERS = 256, 3
PART_FRAMES = 160  # 1.6 s are heard at a time,
PARTS_PER_SECOND = 1.3
LEAST_COVERAGE = 0.75  # and a last part that has that much of it
# What is heard is power, not its logarithm: without one level, loudness would count as voice. It was taught by read speech of such levels.
LEVEL_DBFS = -26.0
# The same windows of 25 ms at the rate of speech that is being made: their lines are 40 Hz apart at either rate.
HEARD_RATE_HZ, HEARD_WINDOW, HEARD_HOP = 24_000, 600, 240
LEAST_RMS = 1e-4


class SpeakerEncoder(nn.Module):
    """Keeps nothing of what it heard: any thread may ask."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(N_MELS, WIDTH, N_LAYERS, batch_first=True)
        self.linear = nn.Linear(WIDTH, WIDTH)

    @staticmethod
    @cache
    def shared() -> "SpeakerEncoder":
        """Read at the first call of the process: 6 MB, some 50 ms."""
        return SpeakerEncoder.load()

    @classmethod
    def load(cls) -> "SpeakerEncoder":
        """With its weights, in float32 and not to be trained. Raises CheckpointInvalid where the file has others."""
        encoder = without_memory(cls)
        with Checkpoint(FILE) as weights:
            if weights.digest(weights.names) != FINGERPRINT:
                raise CheckpointInvalid(f"{FILE.name} has other weights than the studio came with.", "Install the studio again.")
            weights.load_into(encoder)
        return encoder

    def embedding(self, clip: Clip) -> np.ndarray | None:
        """(256,) float32 of unit length, of what is said in the clip; None where nothing is."""
        spoken = spoken_samples(clip)
        return self.embed(spoken) if len(spoken) else None

    def embed(self, samples: np.ndarray) -> np.ndarray:
        """(256,) float32 of unit length, of (T,) samples at RATE_HZ as they are: the package's `embed_utterance`."""
        starts = part_starts(len(samples))
        padded = np.pad(samples, (0, max(0, (starts[-1] + PART_FRAMES) * HOP - len(samples))))
        mel = mel_power(padded, window=WINDOW, hop=HOP, n_mels=N_MELS)
        parts = self(torch.from_numpy(np.stack([mel[start : start + PART_FRAMES] for start in starts]))).mean(0)
        return F.normalize(parts, dim=0).numpy()

    @torch.inference_mode()
    def windows(self, samples: np.ndarray, starts: list[int]) -> np.ndarray:
        """(N, 256) float32 of unit length, of PART_FRAMES from each start. samples: (T,) at RATE_HZ, of any level. starts: frames."""
        level = float(np.sqrt(np.square(samples, dtype=np.float64).mean()))
        mel = mel_power(samples * _even_gain(level), window=WINDOW, hop=HOP, n_mels=N_MELS)
        return self(torch.from_numpy(np.stack([mel[start : start + PART_FRAMES] for start in starts]))).numpy()

    def heard(self, samples: Tensor) -> Tensor:
        """(B, 256) float32 of unit length that can be differentiated, of (B, T) float32 samples at HEARD_RATE_HZ.

        Pauses count too, and 1.6 s at most are heard. The level is evened out and not differentiated.
        """
        rms = samples.square().mean(1, keepdim=True).sqrt().detach().clamp(min=LEAST_RMS)
        window = torch.hann_window(HEARD_WINDOW, device=samples.device)
        even = samples * (10 ** (LEVEL_DBFS / 20) / rms)
        lines = torch.stft(even, HEARD_WINDOW, HEARD_HOP, window=window, pad_mode="constant", return_complex=True)
        power = torch.view_as_real(lines[:, : WINDOW // 2 + 1, :PART_FRAMES]).square().sum(-1) * (WINDOW / HEARD_WINDOW) ** 2
        filters = torch.from_numpy(mel_filters(RATE_HZ, WINDOW, N_MELS, 0.0, RATE_HZ / 2))
        return self(power.transpose(1, 2) @ filters.to(samples.device))

    def forward(self, mels: Tensor) -> Tensor:
        """(B, 256) of unit length, of (B, F, N_MELS) power."""
        hidden = self.lstm(mels)[1][0][-1]
        return F.normalize(F.relu(self.linear(hidden)), dim=1)


def part_starts(n_samples: int) -> list[int]:
    """Frames at which the parts begin, one at least: the package's `compute_partial_slices`."""
    n_frames = -(-(n_samples + 1) // HOP)
    frames_apart = round(RATE_HZ / PARTS_PER_SECOND / HOP)
    starts = list(range(0, max(1, n_frames - PART_FRAMES + frames_apart + 1), frames_apart))
    coverage = (n_samples - starts[-1] * HOP) / (PART_FRAMES * HOP)
    return starts[:-1] if coverage < LEAST_COVERAGE and len(starts) > 1 else starts


def spoken_samples(clip: Clip) -> np.ndarray:
    """(T,) float32 at RATE_HZ and LEVEL_DBFS: what is said in the clip without its pauses."""
    sound = ClipSound.of(clip)
    frames = SpeechActivity.of(clip, sound).speech(sound)
    kept = np.repeat(frames, hop_samples(clip.sample_rate))[: len(clip.samples)]
    spoken = clip.samples[: len(kept)][kept]
    if not len(spoken):
        return spoken
    heard = soxr.resample(spoken, clip.sample_rate, RATE_HZ) if clip.sample_rate != RATE_HZ else spoken
    level = float(np.sqrt(np.square(heard, dtype=np.float64).mean()))
    return (heard * _even_gain(level)).astype(np.float32)


def _even_gain(level: float) -> float:
    """To LEVEL_DBFS. level: RMS."""
    return 10 ** (LEVEL_DBFS / 20) / max(level, 1e-6)
