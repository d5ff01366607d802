"""HarmonicSource: the signal that HiFT shapes into speech: sines of the pitch and its harmonics with a little noise, or noise alone."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from engines.cosyvoice3.config import VocoderConfig
from engines.kit.sampling.sampling import uniform_noise

__all__ = ["HarmonicSource"]

SEED = 1986  # of the noise of every stream; any would do: upstream's yaml seeds its tables with this one
UNVOICED_PART = 3  # SineGen2: unvoiced noise has a third of the sines' amplitude


class HarmonicSource(nn.Module):
    """Pitch to samples. Upstream, also for the names of tensors: SourceModuleHnNSF with SineGen2, causal, of hifigan/generator.py.

    Its phases are sums over whole frames, nearest to which every sample stands: the sines are constant within a frame. `rand_ini`, which
    upstream adds to the first sample of all, changes nothing there, since a frame's value is read in its middle.
    Upstream sums float32 without wrapping: its phase of a harmonic of f Hz after t seconds, 2 pi f t, is rounded to 24 bits. At 1800 Hz
    that is 0.001 rad at 1 s, 0.01 at 10 s, 0.1 at 100 s; here it stays below 1e-9.

    noise: frame numbers (B, F) int64 -> (B, F, S, H) of [0, 1), for S samples of a frame and H sines. It is uniform, as upstream's table
    (torch.rand), which official numbers come from where it stands here in the place of our own, a function of the position.
    """

    harmonics: Tensor
    places: Tensor
    seed: Tensor

    def __init__(self, config: VocoderConfig):
        super().__init__()
        self.config = config
        self.l_linear = nn.Linear(config.nb_harmonics + 1, 1)
        self.noise: Callable[[Tensor], Tensor] = self._noise

    @property
    def n_sines(self) -> int:
        return self.config.nb_harmonics + 1

    def prepare_weights(self) -> None:
        """Numbers of the harmonics, and of the noise. Once, after loading."""
        device = self.l_linear.weight.device
        self.register_buffer("harmonics", torch.arange(1, self.n_sines + 1, device=device).float(), persistent=False)
        self.register_buffer("places", torch.arange(self.config.frame_samples * self.n_sines, device=device), persistent=False)
        self.register_buffer("seed", torch.full((1, 1, 1), SEED, device=device), persistent=False)

    def forward(self, pitch: Tensor, phase: Tensor, frame: Tensor) -> tuple[Tensor, Tensor]:
        """Samples of the next frames.

        pitch: (B, F) Hz, float32. phase: (B, H) float64, turns after the frames before. frame: (B, 1) int64, how many those are.
        returns: (B, F * S) in [-1, 1], and the phase after them.
        """
        config, voiced = self.config, pitch > self.config.nsf_voiced_threshold
        turns_per_sample = (pitch[..., None] * self.harmonics / config.sampling_rate).remainder(1)  # float32, rounded as upstream
        phases = (phase[:, None] + (turns_per_sample.double() * config.frame_samples).cumsum(1)).remainder(1)
        sines = (phases * (2 * math.pi)).sin().float() * voiced[..., None]
        loudness = voiced * config.nsf_sigma + ~voiced * (config.nsf_alpha / UNVOICED_PART)
        noise = self.noise(frame + torch.arange(pitch.shape[1], device=pitch.device)) @ self.l_linear.weight[0]
        merged = self.l_linear(sines * config.nsf_alpha) + loudness[..., None] * noise
        return merged.tanh().flatten(1), phases[:, -1].clone()

    def _noise(self, frames: Tensor) -> Tensor:
        noise = uniform_noise(self.seed, frames[..., None], self.places)
        return noise.unflatten(2, (self.config.frame_samples, self.n_sines))
