"""HiFT as one formula over all frames at once, channels first, by torch's own convolutions and Fourier transforms.

Sources: cosyvoice/hifigan/{generator,f0_predictor}.py and cosyvoice/transformer/convolution.py @ ace7c47. Its phases are summed in float64.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.cosyvoice3.config import VocoderConfig

AHEAD_OF_PITCH = 3


class PlainVocoder:
    """weights: by the names of hift.pt, folded. noise: (frames, S, H) in [0, 1). first_turns: (H,), upstream's rand_ini."""

    def __init__(self, config: VocoderConfig, weights: dict[str, Tensor], noise: Tensor, first_turns: Tensor):
        self.config, self.weights, self.noise, self.first_turns = config, weights, noise, first_turns

    def __call__(self, mel: Tensor) -> Tensor:
        """(B, T, D) -> (B, T * S)"""
        config, rows = self.config, self.rows(mel.mT)
        magnitudes, angles = rows.chunk(2, dim=1)
        spectra = torch.polar(magnitudes.exp().clamp(max=100), angles.sin())
        sound = torch.istft(spectra, config.n_fft, config.hop_len, window=torch.hann_window(config.n_fft))
        return sound.clamp(-config.audio_limit, config.audio_limit)

    def rows(self, mel: Tensor) -> Tensor:
        """(B, D, T) -> (B, n_fft + 2, frames): logarithms of magnitudes, angles."""
        return self.shape(mel, self.source(self.pitch(mel)))

    def pitch(self, mel: Tensor) -> Tensor:
        """(B, D, T) -> (B, T) Hz"""
        rows = mel.double()
        for index, edges in enumerate([(0, AHEAD_OF_PITCH), (2, 0), (2, 0), (2, 0), (2, 0)]):
            rows = F.elu(self.convolve(f"f0_predictor.condnet.{2 * index}", F.pad(rows, edges)))
        name = "f0_predictor.classifier"
        return F.linear(rows.mT, *(self.weights[f"{name}.{part}"].double() for part in ("weight", "bias")))[..., 0].abs().float()

    def source(self, pitch: Tensor) -> Tensor:
        """(B, T) Hz -> (B, T * S): sample by sample."""
        config = self.config
        n_samples, numbers = config.frame_samples, torch.arange(1.0, config.nb_harmonics + 2)
        hz = pitch.repeat_interleave(n_samples, dim=1)[..., None]
        turns = (hz * numbers / config.sampling_rate) % 1
        turns[:, 0] += self.first_turns
        per_frame = F.interpolate(turns.mT.double(), scale_factor=1 / n_samples, mode="linear")
        phases = (per_frame.cumsum(2) * n_samples).repeat_interleave(n_samples, dim=2).mT
        voiced = (hz > config.nsf_voiced_threshold).float()
        loudness = voiced * config.nsf_sigma + (1 - voiced) * config.nsf_alpha / 3
        waves = (2 * math.pi * phases).sin().float() * config.nsf_alpha * voiced + loudness * self.noise.flatten(0, 1)[: hz.shape[1]]
        return F.linear(waves, self.weights["m_source.l_linear.weight"], self.weights["m_source.l_linear.bias"])[..., 0].tanh()

    def shape(self, mel: Tensor, source: Tensor) -> Tensor:
        config, n_blocks = self.config, len(self.config.resblock_kernel_sizes)
        window = torch.hann_window(config.n_fft)
        beside = torch.view_as_real(torch.stft(source, config.n_fft, config.hop_len, window=window, return_complex=True))
        beside = beside.permute(0, 3, 1, 2).flatten(1, 2)
        rows = self.convolve("conv_pre", F.pad(mel, (0, config.conv_pre_look_right)))
        stride = math.prod(config.upsample_rates)
        for index, (rate, kernel) in enumerate(zip(config.upsample_rates, config.upsample_kernel_sizes, strict=True)):
            rows = F.leaky_relu(rows, config.lrelu_slope).repeat_interleave(rate, dim=2)
            rows = self.convolve(f"ups.{index}", F.pad(rows, (kernel - 1, 0)))
            if index == len(config.upsample_rates) - 1:
                rows = F.pad(rows, (1, 0), mode="reflect")
            stride //= rate
            side = self.convolve(f"source_downs.{index}", F.pad(beside, (stride - 1, 0)), stride=stride)
            rows = rows + self.block(f"source_resblocks.{index}", side, config.source_resblock_dilation_sizes[index])
            names = [f"resblocks.{index * n_blocks + number}" for number in range(n_blocks)]
            pairs = list(zip(names, config.resblock_dilation_sizes, strict=True))
            rows = torch.stack([self.block(name, rows, dilations) for name, dilations in pairs]).mean(0)
        return self.convolve("conv_post", F.pad(F.leaky_relu(rows), (6, 0)))

    def block(self, name: str, rows: Tensor, dilations: tuple[int, ...]) -> Tensor:
        for number, dilation in enumerate(dilations):
            branch = self.snake(f"{name}.activations1.{number}", rows)
            branch = self.causal(f"{name}.convs1.{number}", branch, dilation)
            branch = self.snake(f"{name}.activations2.{number}", branch)
            rows = rows + self.causal(f"{name}.convs2.{number}", branch, 1)
        return rows

    def snake(self, name: str, rows: Tensor) -> Tensor:
        alpha = self.weights[f"{name}.alpha"][:, None]
        return rows + (alpha * rows).sin() ** 2 / (alpha + 1e-9)

    def causal(self, name: str, rows: Tensor, dilation: int) -> Tensor:
        n_before = (self.weights[f"{name}.weight"].shape[2] - 1) * dilation
        return self.convolve(name, F.pad(rows, (n_before, 0)), dilation=dilation)

    def convolve(self, name: str, rows: Tensor, **shape: int) -> Tensor:
        return F.conv1d(rows, self.weights[f"{name}.weight"].to(rows), self.weights[f"{name}.bias"].to(rows), **shape)
