"""CampPlus: turns filter banks of a clip into one speaker vector. CAM++ (arXiv 2303.00332).

Its modules are named as in 3D-Speaker (speakerlab/models/campplus). Batch norms that follow a convolution are folded into it, as they are
in campplus.onnx of CosyVoice; FoldedCampPlus does so with weights as training leaves them. Context masks are computed once per segment
and not per frame: the same numbers.
"""

import math
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torchaudio.compliance import kaldi

from engines.kit.weights.checkpoint import Checkpoint

__all__ = ["RELEASED_CAMPPLUS", "CampPlus", "CampPlusConfig", "FoldedCampPlus", "kaldi_bank", "norms_behind"]

DILATIONS = (1, 2, 2)  # of the three dense blocks
SEGMENT_FRAMES = 100  # that share one context; CAMLayer.seg_pooling
NORM_EPS = 1e-5


@dataclass(frozen=True)
class CampPlusConfig:
    """n_bands: of the filter bank. channels: of the convolutions over time and bands. width: that the dense blocks begin with; growth: that
    each of their layers adds; bottleneck: within a layer. layers: per block. embedding: width of the vector. least_variance: over time, of
    what is pooled.
    """

    n_bands: int
    channels: int
    width: int
    growth: int
    bottleneck: int
    layers: tuple[int, int, int]
    embedding: int
    least_variance: float = 0.0


RELEASED_CAMPPLUS = CampPlusConfig(80, 32, 128, 32, 128, (12, 24, 16), 192)


class CampPlus(nn.Module):
    """weights_digest: of the weights by content; set by whoever loads them. Modules are named as in the graph."""

    weights_digest: str = ""

    def __init__(self, config: CampPlusConfig):
        super().__init__()
        self.config = config
        self.head = _Head(config.channels)
        n_rows = -(-config.n_bands // 8)  # halved three times, rounded up
        first = nn.Conv1d(config.channels * n_rows, config.width, 5, stride=2, padding=2)
        parts: dict[str, nn.Module] = {"tdnn": nn.Sequential(OrderedDict(linear=first))}
        width = config.width
        for number, (n_layers, dilation) in enumerate(zip(config.layers, DILATIONS, strict=True), 1):
            parts[f"block{number}"] = _DenseBlock(config, width, n_layers, dilation)
            width += n_layers * config.growth
            parts[f"transit{number}"] = _Transit(width, width // 2, bias=number == len(DILATIONS))
            width //= 2
        parts["dense"] = _Dense(2 * width, config.embedding)
        self.xvector = nn.ModuleDict(parts)

    def prepare_weights(self) -> None:
        """Kernels of the head channel by channel in memory, as CPUs are a third faster with. Once, after loading."""
        self.head.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]  # torch documents it, its stub has it not

    def forward(self, bank: Tensor) -> Tensor:
        """(1, T, n_bands) float32 of one clip, 100 frames a second, its mean over time taken off; T > 2 -> (embedding,).

        The vector is of no particular length. Within `ieee_float32`.
        """
        frames = self.xvector["tdnn"](self.head(bank.mT)).relu_()  # (1, width, ceil(T / 2))
        for number in range(1, len(DILATIONS) + 1):
            frames = self.xvector[f"transit{number}"](self.xvector[f"block{number}"](frames))
        deviation, mean = torch.std_mean(frames.relu_(), dim=-1)  # of the last batch norm nothing is left but its ReLU
        deviation = deviation.clamp(min=math.sqrt(self.config.least_variance))
        return self.xvector["dense"](torch.cat([mean, deviation], dim=-1))[0]


class _Head(nn.Module):
    """Convolutions over time and bands, as of an image; bands are halved three times, time never."""

    def __init__(self, channels: int):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, 3, padding=1)
        self.layer1 = nn.Sequential(_Residual(channels, 2), _Residual(channels, 1))
        self.layer2 = nn.Sequential(_Residual(channels, 2), _Residual(channels, 1))
        self.conv2 = nn.Conv2d(channels, channels, 3, (2, 1), 1)

    def forward(self, bands: Tensor) -> Tensor:
        """(1, n_bands, T) -> (1, channels * n_bands / 8, T)"""
        image = self.conv1(bands.unsqueeze(1).contiguous(memory_format=torch.channels_last)).relu_()
        return self.conv2(self.layer2(self.layer1(image))).relu_().flatten(1, 2)


class _Residual(nn.Module):
    def __init__(self, channels: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, (stride, 1), 1)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1)
        self.shortcut = nn.Sequential(nn.Conv2d(channels, channels, 1, (stride, 1))) if stride > 1 else nn.Sequential()

    def forward(self, image: Tensor) -> Tensor:
        return (self.conv2(self.conv1(image).relu_()) + self.shortcut(image)).relu_()


class _BatchNorm(nn.Module):
    """Of inference: the mean and the variance are the file's."""

    def __init__(self, width: int):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.running_mean, self.running_var = nn.Parameter(torch.zeros(width)), nn.Parameter(torch.ones(width))

    def forward(self, frames: Tensor) -> Tensor:
        return F.batch_norm(frames, self.running_mean, self.running_var, self.weight, self.bias, eps=NORM_EPS)


class _DenseBlock(nn.Module):
    """Layers that hear all before them: what each finds is put behind what was there."""

    def __init__(self, config: CampPlusConfig, width: int, n_layers: int, dilation: int):
        super().__init__()
        self.growth = config.growth
        for index in range(n_layers):
            self.add_module(f"tdnnd{index + 1}", _DenseLayer(config, width + index * self.growth, dilation))

    def forward(self, frames: Tensor) -> Tensor:
        """(1, C, F) -> (1, C + n_layers * growth, F)"""
        known = frames.shape[1]
        heard = frames.new_empty(1, known + len(self._modules) * self.growth, frames.shape[2])
        heard[:, :known] = frames
        for layer in self.children():
            heard[:, known : known + self.growth] = layer(heard[:, :known])
            known += self.growth
        return heard


class _DenseLayer(nn.Module):
    def __init__(self, config: CampPlusConfig, width: int, dilation: int):
        super().__init__()
        self.nonlinear1 = nn.ModuleDict({"batchnorm": _BatchNorm(width)})
        self.linear1 = nn.Conv1d(width, config.bottleneck, 1)
        self.cam_layer = _ContextMask(config.bottleneck, config.growth, dilation)

    def forward(self, frames: Tensor) -> Tensor:
        return self.cam_layer(self.linear1(self.nonlinear1["batchnorm"](frames).relu_()).relu_())


class _ContextMask(nn.Module):
    """A convolution whose channels are weighted by what is heard around: in the whole clip, and in a segment of 100 frames."""

    def __init__(self, width: int, width_out: int, dilation: int):
        super().__init__()
        self.linear_local = nn.Conv1d(width, width_out, 3, padding=dilation, dilation=dilation, bias=False)
        self.linear1 = nn.Conv1d(width, width // 2, 1)
        self.linear2 = nn.Conv1d(width // 2, width_out, 1)

    def forward(self, frames: Tensor) -> Tensor:
        """The last segment may be shorter, and its mean is of what it has, as onnxruntime 1.32 computes it, too."""
        segments = F.avg_pool1d(frames, SEGMENT_FRAMES, SEGMENT_FRAMES, ceil_mode=True)
        context = frames.mean(dim=-1, keepdim=True) + segments
        masks = self.linear2(self.linear1(context).relu_()).sigmoid_()
        return self.linear_local(frames) * masks.repeat_interleave(SEGMENT_FRAMES, dim=-1)[..., : frames.shape[-1]]


class _Transit(nn.Module):
    def __init__(self, width: int, width_out: int, *, bias: bool):
        super().__init__()
        self.nonlinear = nn.ModuleDict({"batchnorm": _BatchNorm(width)})
        self.linear = nn.Conv1d(width, width_out, 1, bias=bias)

    def forward(self, frames: Tensor) -> Tensor:
        return self.linear(self.nonlinear["batchnorm"](frames).relu_())


class _Dense(nn.Module):
    def __init__(self, width: int, width_out: int):
        super().__init__()
        self.linear = nn.Conv1d(width, width_out, 1, bias=False)
        self.nonlinear = nn.ModuleDict({"batchnorm": _BatchNorm(width_out)})

    def forward(self, statistics: Tensor) -> Tensor:
        return self.nonlinear["batchnorm"](self.linear(statistics.unsqueeze(-1)).squeeze(-1))


# --- weights as training leaves them


class FoldedCampPlus(Checkpoint):
    """A file of 3D-Speaker's, whose tensors are read by the names of `CampPlus`. It may name them below a `root` ("model.").

    A batch norm behind a convolution becomes part of it, others stay; the last one, which has no gain and no offset, gets such as do
    nothing.
    """

    root: str = ""

    @cached_property
    def _halves(self) -> dict[str, tuple[str, ...]]:
        """Name of what is made here -> names of what it is made of."""
        weights = {f"{name}.weight": (f"{name}.weight", f"{norm}.weight", f"{norm}.running_var") for name, norm in self._norms.items()}
        biases = {f"{name}.bias": (f"{norm}.bias", f"{norm}.running_mean") for name, norm in self._norms.items()}
        return {**weights, **biases, **dict.fromkeys(self._plain, ())}

    @cached_property
    def _norms(self) -> dict[str, str]:
        return {self.root + name: self.root + norm for name, norm in norms_behind(n.removeprefix(self.root) for n in super().names)}

    @property
    def names(self) -> frozenset[str]:
        folded = tuple(f"{norm}." for norm in self._norms.values())
        kept = {name for name in super().names if not name.startswith(folded) and not name.endswith(".num_batches_tracked")}
        return frozenset({*kept, *(f"{name}.bias" for name in self._norms), *self._plain})

    def tensor(self, name: str) -> Tensor:
        """The tensor, folded where a batch norm belongs to it; on the CPU. Raises CheckpointInvalid for a name that is not there."""
        module, _, leaf = name.rpartition(".")
        if name in self._plain:
            width = len(super().tensor(f"{module}.running_mean"))
            return torch.ones(width) if leaf == "weight" else torch.zeros(width)
        if module not in self._norms:
            return super().tensor(name)
        norm = self._norms[module]
        gain = super().tensor(f"{norm}.weight") / (super().tensor(f"{norm}.running_var") + NORM_EPS).sqrt()
        if leaf == "bias":
            return super().tensor(f"{norm}.bias") - super().tensor(f"{norm}.running_mean") * gain
        kernel = super().tensor(name)
        return kernel * gain.reshape(-1, *[1] * (kernel.ndim - 1))

    def dtype(self, name: str) -> torch.dtype:
        """Of the tensor as stored, or float32 of what is made here."""
        return super().dtype(name) if name in super().names else torch.float32

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the tensor, which may be made here."""
        if name in super().names:
            return super().shape(name)
        module = name.rpartition(".")[0]
        return super().shape(f"{self._norms.get(module, module)}.running_mean")

    @cached_property
    def _plain(self) -> frozenset[str]:
        last = f"{self.root}xvector.dense.nonlinear.batchnorm"
        return frozenset(f"{last}.{leaf}" for leaf in ("weight", "bias")) if f"{last}.running_mean" in super().names else frozenset()


def norms_behind(names: Iterable[str]) -> list[tuple[str, str]]:
    """Convolutions, and the batch norms behind them that become part of them, by their names in 3D-Speaker."""
    norms = [name.removesuffix(".running_mean") for name in names if name.endswith(".running_mean")]
    of_head = [(norm.replace(".bn", ".conv").replace("shortcut.1", "shortcut.0"), norm) for norm in norms if norm.startswith("head.")]
    inner = ".nonlinear2.batchnorm"
    of_layers = [(norm.replace(inner, ".linear1"), norm) for norm in norms if norm.endswith(inner)]
    ends = {"xvector.tdnn.nonlinear.batchnorm": "xvector.tdnn.linear", "xvector.out_nonlinear.batchnorm": "xvector.transit3.linear"}
    return [*of_head, *of_layers, *((ends[norm], norm) for norm in norms if norm in ends)]


# --- what it hears


def kaldi_bank(samples: Tensor, n_bands: int, sample_rate: int = 16_000) -> Tensor:
    """(1, T) float32 in [-1, 1] -> (1, F, n_bands): Kaldi's filter bank, 100 frames a second, without dither, less its mean over time."""
    bank = kaldi.fbank(samples, num_mel_bins=n_bands, dither=0.0, sample_frequency=sample_rate)
    return (bank - bank.mean(dim=0, keepdim=True))[None]
