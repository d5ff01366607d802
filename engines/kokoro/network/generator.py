"""Generator: rows of the decoder's front, pitch and the timbre of a voice become samples (iSTFTNet, arXiv 2203.02395, of StyleTTS 2).

A half frame of 12.5 ms becomes 10, then 60 rows of log magnitude and phase, whose inverse STFT has a hop of 5 samples. A row sees 100 ms to
either side. The norms look at all rows, unless a voice brings what they measured once (VoiceNorms): then everything is local, and windows
of any size together are the whole.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.module_list import module_dict, module_list
from engines.kokoro.config import GeneratorSizes
from engines.kokoro.network.row_flow import WHOLE, RowFlow
from engines.kokoro.network.styled import AdaptiveNorm, convolve, moments, padding_of, scaled_rows

__all__ = ["Generator", "NormScales", "Timbre", "VoiceNorms"]

SLOPE, LAST_SLOPE = 0.1, 0.01  # of the leaky ReLUs, before upsampling and before the last convolution
N_HARMONICS = 9  # of the source: the fundamental and eight overtones
SINE_AMPLITUDE, VOICED_HZ = 0.1, 10.0  # hn-nsf's SineGen: how loud the source is; what counts as a pitch

NormScales = Mapping[str, tuple[Tensor, Tensor]]  # name of a norm -> scale, shift: (1, 1, D) each
VoiceNorms = Mapping[str, tuple[Tensor, Tensor]]  # name of a norm -> mean, standard deviation over time: (1, 1, D) each


@dataclass(frozen=True)
class Timbre:
    """style: (1, S). additions: to scale and shift of each norm, (2 D,), by its name; {} for a voice of the makers.

    norms: what they measure, where that is recorded; None to measure it in what is spoken.
    """

    style: Tensor
    additions: Mapping[str, Tensor]
    norms: VoiceNorms | None = None

    @property
    def recorded(self) -> VoiceNorms:
        """The norms of a timbre that has them recorded."""
        assert self.norms is not None
        return self.norms


class SnakeBlock(nn.Module):
    """Three rounds of norm, snake, dilated convolution, norm, snake, convolution, each added to what came in."""

    def __init__(self, style: int, channels: int, kernel: int, dilations: tuple[int, ...]):
        super().__init__()

        def conv(dilation: int) -> nn.Conv1d:
            return nn.Conv1d(channels, channels, kernel, dilation=dilation, padding=dilation * (kernel - 1) // 2)

        self.convs1, self.convs2 = module_list(map(conv, dilations)), module_list(conv(1) for _ in dilations)
        self.adain1, self.adain2 = (module_list(AdaptiveNorm(style, channels) for _ in dilations) for _ in range(2))
        self.alpha1, self.alpha2 = (nn.ParameterList(torch.empty(1, channels, 1) for _ in dilations) for _ in range(2))

    def forward(self, rows: Tensor, voice: "_Voice", flow: RowFlow) -> Tensor:
        layers = (self.convs1, self.adain1, self.alpha1, self.convs2, self.adain2, self.alpha2)
        for conv1, norm1, alpha1, conv2, norm2, alpha2 in zip(*layers, strict=True):
            new = convolve(conv1, voice.snaked(rows, norm1, alpha1), flow)
            new = convolve(conv2, voice.snaked(new, norm2, alpha2), flow)
            rows, new = flow.aligned(rows, new)
            rows = rows + new
        return rows


class Generator(nn.Module):
    """As `decoder.generator` of the official state dict."""

    def __init__(self, sizes: GeneratorSizes, style: int, sample_rate: int):
        super().__init__()
        self.sizes, self.sample_rate, self.style_width = sizes, sample_rate, style
        widths = [sizes.initial_channels >> (stage + 1) for stage in range(len(sizes.upsample_rates))]
        self.m_source = module_dict({"l_linear": nn.Linear(N_HARMONICS, 1)})
        ups: list[nn.ConvTranspose1d] = []
        noise_convs: list[nn.Conv1d] = []
        noise_res: list[SnakeBlock] = []
        resblocks: list[SnakeBlock] = []
        for stage, (rate, kernel, width) in enumerate(zip(sizes.upsample_rates, sizes.upsample_kernels, widths, strict=True)):
            ups.append(nn.ConvTranspose1d(2 * width, width, kernel, rate, padding=(kernel - rate) // 2))
            later = math.prod(sizes.upsample_rates[stage + 1 :])
            is_last = stage == len(widths) - 1
            source_conv = nn.Conv1d(sizes.n_fft + 2, width, 1 if is_last else 2 * later, later, padding=0 if is_last else (later + 1) // 2)
            noise_convs.append(source_conv)
            noise_res.append(SnakeBlock(style, width, 11 if is_last else 7, (1, 3, 5)))
            shapes = zip(sizes.resblock_kernels, sizes.resblock_dilations, strict=True)
            resblocks.extend(SnakeBlock(style, width, size, dilations) for size, dilations in shapes)
        self.ups, self.noise_convs = module_list(ups), module_list(noise_convs)
        self.noise_res, self.resblocks = module_list(noise_res), module_list(resblocks)
        self.conv_post = nn.Conv1d(widths[-1], sizes.n_fft + 2, 7, padding=3)
        self._names = {part: name for name, part in self.named_modules() if isinstance(part, AdaptiveNorm)}

    @property
    def norms(self) -> dict[str, AdaptiveNorm]:
        """Its 48 norms by name, in their order."""
        return {name: part for part, name in self._names.items()}

    def scales(self, timbre: Timbre) -> NormScales:
        """What a voice makes of every row, where its norms are recorded: computed once, not for every window."""
        found = {}
        for name, norm in self.norms.items():
            scale, shift = _styled(norm, timbre, name)
            mean, spread = timbre.recorded[name]
            found[name] = scale / spread, shift - mean * scale / spread
        return found

    def source(self, f0: Tensor) -> Tensor:
        """(1, T, n_fft + 2) log-free magnitudes and phases of nine harmonics of f0 (1, N) Hz: 60 rows for each of its half frames, and one.

        The official code draws noise and first phases; here they are zero, so that a text sounds alike every time.
        """
        size, hop = self.sizes.n_fft, self.sizes.hop
        samples = hop * math.prod(self.sizes.upsample_rates)  # of a half frame
        steps = (f0.float()[:, :, None] * torch.arange(1, N_HARMONICS + 1) / self.sample_rate) % 1  # turns of a sample
        voiced = (f0 > VOICED_HZ).float().repeat_interleave(samples, 1)[:, :, None]
        waves = _sines(steps, samples) * (voiced * SINE_AMPLITUDE)
        linear = self.m_source["l_linear"]
        sound = torch.tanh(linear(waves))[:, :, 0]
        spectrum = torch.stft(sound, size, hop, size, torch.hann_window(size), center=True, pad_mode="reflect", return_complex=True).mT
        return torch.cat([spectrum.abs(), spectrum.angle()], 2)

    def spectrum(
        self, rows: Tensor, source: Tensor, voice: "Timbre | NormScales", flow: RowFlow = WHOLE, record: dict | None = None
    ) -> Tensor:
        """(1, T', n_fft + 2) float32: log magnitudes, and phases before their sine, of rows (1, T, D) and their source.

        record: takes what every norm measured, as VoiceNorms.
        """
        styled = _Voice(voice, self._names, record)
        for stage, up in enumerate(self.ups):
            side = convolve(self.noise_convs[stage], source, flow)
            side = self.noise_res[stage](side, styled, flow)
            rows = self._upsampled(up, F.leaky_relu(rows, SLOPE), flow)
            if stage == len(self.ups) - 1:
                rows = flow.mirrored(rows)
            rows = reduce(torch.add, flow.aligned(rows, side))
            n_kernels = len(self.sizes.resblock_kernels)
            blocks = self.resblocks[stage * n_kernels : (stage + 1) * n_kernels]
            rows = reduce(torch.add, flow.aligned(*(block(rows, styled, flow) for block in blocks))) / n_kernels
        return convolve(self.conv_post, F.leaky_relu(rows, LAST_SLOPE), flow).float()

    def samples(self, spectrum: Tensor, flow: RowFlow = WHOLE) -> Tensor:
        """(1, hop (T - 1)) in float32 of what `spectrum` gives: the inverse STFT, overlapped and added block by block of a hop."""
        size, hop = self.sizes.n_fft, self.sizes.hop
        n_lines, n_blocks = size // 2 + 1, size // hop
        magnitude, phase = spectrum[:, :, :n_lines].exp(), spectrum[:, :, n_lines:].sin()
        window = torch.hann_window(size)
        real, imaginary = _inverse_transform(size)
        frames = (magnitude * phase.cos()) @ (real * window) + (magnitude * phase.sin()) @ (imaginary * window)
        frames = torch.cat([frames, window.square().expand(1, frames.shape[1], -1)], 2)
        rows = flow.padded(frames, n_blocks - 1, n_blocks).unflatten(2, (2, n_blocks, hop))
        n_places = max(0, rows.shape[1] - n_blocks + 1)
        shares = [rows[:, n_blocks - 1 - index :][:, :n_places, :, index] for index in range(n_blocks)]
        overlapped = flow.trimmed(torch.stack(shares).sum(0), n_blocks // 2, n_blocks // 2)
        return (overlapped[:, :, 0] / overlapped[:, :, 1]).flatten(1)

    def _upsampled(self, up: nn.ConvTranspose1d, rows: Tensor, flow: RowFlow) -> Tensor:
        """The transposed convolution, of twice its stride: a product over every two neighbors."""
        rate, cut = up.stride[0], padding_of(up)
        before, now = up.weight[:, :, rate:], up.weight[:, :, :rate]
        matrix = torch.cat([before, now]).permute(2, 1, 0).reshape(-1, 2 * up.in_channels)
        assert up.bias is not None
        out = F.linear(flow.paired(rows), matrix).view(1, -1, up.out_channels) + up.bias
        return flow.trimmed(out, cut, rate - cut)


class _Voice:
    """What a voice does in every norm."""

    def __init__(self, voice: Timbre | NormScales, names: Mapping[AdaptiveNorm, str], record: dict | None):
        self._voice, self._names, self._record = voice, names, record

    def snaked(self, rows: Tensor, norm: AdaptiveNorm, alpha: Tensor) -> Tensor:
        """The norm and behind it the snake y + sin(alpha y)^2 / alpha, which is y + (1 - cos(2 alpha y)) / (2 alpha)."""
        name, twice = self._names[norm], 2 * alpha.view(1, 1, -1)
        if not isinstance(self._voice, Timbre):
            return _snake(rows, *self._voice[name], twice)
        scale, shift = _styled(norm, self._voice, name)
        if self._voice.norms is not None:
            mean, spread = self._voice.norms[name]
            return _snake(rows, scale / spread, shift - mean * scale / spread, twice)
        if torch.is_grad_enabled():
            return _NormedSnake.apply(rows, scale, shift, twice)
        mean, spread = moments(rows)
        if self._record is not None:
            self._record[name] = mean, spread
        return _snake(rows, scale / spread, shift - mean * scale / spread, twice)


def _styled(norm: AdaptiveNorm, timbre: Timbre, name: str) -> tuple[Tensor, Tensor]:
    scale, shift = norm.scale_shift(timbre.style)
    if name in timbre.additions:
        more, there = timbre.additions[name].float()[None, None].chunk(2, 2)
        scale, shift = scale + more, shift + there
    return scale, shift


def _snake(rows: Tensor, scale: Tensor, shift: Tensor, twice: Tensor) -> Tensor:
    """y + (1 - cos(twice y)) / twice of y = rows * scale + shift, in four passes."""
    half = 1 / twice
    wave = scaled_rows(rows, scale * twice, shift * twice).cos_()
    return scaled_rows(rows, scale, shift + half).addcmul_(wave, (-half).to(rows.dtype))


class _NormedSnake(torch.autograd.Function):
    """The norm and the snake with a gradient of their own, which keeps the rows alone. It reaches rows, scale and shift."""

    @staticmethod
    def forward(ctx, rows: Tensor, scale: Tensor, shift: Tensor, twice: Tensor) -> Tensor:
        mean, spread = moments(rows)
        ctx.save_for_backward(rows, scale, shift, mean, spread, twice)
        return _snake(rows, scale / spread, shift - mean * scale / spread, twice)

    @staticmethod
    def backward(ctx, *grad_outputs: Tensor):
        rows, scale, shift, mean, spread, twice = ctx.saved_tensors
        wave = scaled_rows(rows, twice * scale / spread, twice * (shift - mean * scale / spread))
        grad = wave.sin_().add_(1).mul_(grad_outputs[0])
        normed = scaled_rows(rows, 1 / spread, -mean / spread)
        n = rows.shape[1]
        for_shift = grad.sum(1, keepdim=True, dtype=torch.float32)
        for_scale = (grad * normed).sum(1, keepdim=True, dtype=torch.float32)
        for_rows = (grad - (for_shift / n).to(rows.dtype)).addcmul_(normed, (-for_scale / n).to(rows.dtype))
        return for_rows.mul_((scale / spread).to(rows.dtype)), for_scale, for_shift, None


def _sines(steps: Tensor, samples: int) -> Tensor:
    """(1, samples N, H) of steps (1, N, H) in turns a sample. Between the middles of two half frames the phase rises linearly."""
    turns = (torch.cumsum(steps.double() * samples, 1) % 1).float()
    edge = torch.zeros_like(steps[:, :1])
    first, rise = torch.cat([turns[:, :1], turns], 1), torch.cat([edge, steps[:, 1:] * samples, edge], 1)
    at = ((torch.arange(samples) + 0.5) / samples)[:, None]
    phase = torch.addcmul(first[:, :, None], rise[:, :, None], at).flatten(1, 2)
    return torch.sin(phase[:, samples // 2 : phase.shape[1] - samples // 2].mul_(2 * math.pi))


def _inverse_transform(size: int) -> tuple[Tensor, Tensor]:
    """(size // 2 + 1, size) each: what a line's real and imaginary part add to the samples of a frame."""
    n_lines = size // 2 + 1
    angle = 2 * math.pi * torch.arange(n_lines)[:, None] * torch.arange(size) / size
    weight = torch.full((n_lines, 1), 2.0 / size)
    weight[0] = weight[-1] = 1 / size
    return weight * angle.cos(), -weight * angle.sin()
