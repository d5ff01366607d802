"""Encoder of Mimi (Défossez et al. 2024, arXiv 2410.00037): turns 24 kHz audio into frames of codes, 12.5 a second."""

from math import prod

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_chain import CausalChain, ResidualUnit
from engines.kit.codec.causal_conv import CausalConv1d, ReplicatingCausalConv1d
from engines.kit.codec.mimi_config import DOWNSAMPLING, MimiConfig
from engines.kit.codec.residual_quantizer import ResidualQuantizer
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.module_list import module_dict, module_list
from engines.kit.nn.prepared_parts import prepare_parts
from engines.kit.nn.tensor_names import TensorNames
from engines.kit.nn.windowed_transformer import WindowedTransformer, WindowedTransformerConfig

__all__ = ["MimiEncoder"]

DOWNSAMPLING_KERNEL = 4  # transformers 4.57.3, MimiModel.downsample
FRAMES_AT_ONCE = 12  # 1 s, 6 MB per activation at the first layers: the fastest of 5, 12, 25 and 75 on a CPU with 2 MB of cache a core


class MimiEncoder(nn.Module):
    """Upstream, also for the names of tensors: the encoder half of MimiModel in transformers 4.57.3, as qwen-tts 0.1.1 uses it too.

    `sliding_window` of the config is not obeyed: upstream obeys it with flash attention alone, and elsewhere a row sees all rows before
    it. That makes a difference to clips of more than 10 s (250 rows).
    UNUSED: patterns of the checkpoint's tensors that are not wanted: codebooks beyond n_codebooks, projections back, flags of training.
    """

    def __init__(self, config: MimiConfig, n_codebooks: int):
        super().__init__()
        width, n_semantic = config.hidden_size, config.num_semantic_quantizers
        self.frame_samples = prod(config.upsampling_ratios) * DOWNSAMPLING
        self.encoder = module_dict({"layers": module_list(_convolutions(config))})
        self.encoder_transformer = WindowedTransformer(_transformer_config(config))
        self.downsample = ReplicatingCausalConv1d(width, width, DOWNSAMPLING_KERNEL, stride=DOWNSAMPLING, bias=False)
        n_codebooks_of = {"semantic": n_semantic, "acoustic": n_codebooks - n_semantic}
        self.quantizer = module_dict(
            {
                f"{kind}_residual_vector_quantizer": ResidualQuantizer(width, config.codebook_dim, count, config.codebook_size)
                for kind, count in n_codebooks_of.items()
            }
        )
        beyond = range(n_codebooks_of["acoustic"], config.num_quantizers - n_semantic)
        self.UNUSED = tuple(f"quantizer.*.{pattern}" for pattern in ResidualQuantizer.UNUSED)
        self.UNUSED += tuple(f"quantizer.acoustic_residual_vector_quantizer.layers.{index}.*" for index in beyond)
        self._chain = CausalChain(self.encoder["layers"])

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: see WindowedTransformer.packs."""
        return self.encoder_transformer.packs

    def prepare_weights(self) -> None:
        """Codebooks and folded matrices. Once, after loading."""
        prepare_parts(self, CausalConv1d | ResidualQuantizer | WindowedTransformer)

    def encode(self, samples: Tensor) -> Tensor:
        """(1, 1, T) samples in [-1, 1] at 24 kHz -> (F, n_codebooks) int64, F = ceil(T / frame_samples): a last part counts."""
        rows = self._attend(samples)
        if rows.shape[1] % DOWNSAMPLING:
            rows = torch.cat([rows, rows[:, -1:]], dim=1)  # this convolution alone continues its edges, at both ends
        rows, _ = self.downsample(rows, self.downsample.tail_before(rows))
        return torch.cat([quantizer(rows) for quantizer in self.quantizer.values()], dim=2)[0]

    def _attend(self, samples: Tensor) -> Tensor:
        """(1, 1, T) -> (1, ceil(T / 960), width): convolutions in pieces of bounded memory, then the transformer."""
        tails, rows = self._chain.start(len(samples), samples), []
        for piece in samples.transpose(1, 2).split(FRAMES_AT_ONCE * self.frame_samples, dim=1):
            reduced, tails = self._chain(piece, tails)
            rows.append(reduced)
        start = torch.zeros(len(samples), dtype=torch.int64, device=samples.device)
        return self.encoder_transformer(torch.cat(rows, dim=1), start, None)[0]


def _convolutions(config: MimiConfig) -> list[nn.Module]:
    """SEANet (arXiv 2009.02095): per stride residual blocks, then a convolution that doubles the width."""
    width = config.num_filters
    layers: list[nn.Module] = [CausalConv1d(1, width, config.kernel_size)]
    for stride in reversed(config.upsampling_ratios):
        layers += [_residual_unit(config, width, config.dilation_growth_rate**index) for index in range(config.num_residual_layers)]
        layers += [nn.ELU(), CausalConv1d(width, 2 * width, 2 * stride, stride=stride)]
        width *= 2
    return [*layers, nn.ELU(), CausalConv1d(width, config.hidden_size, config.last_kernel_size)]


def _residual_unit(config: MimiConfig, width: int, dilation: int) -> ResidualUnit:
    inner = width // config.compress
    wide, narrow = CausalConv1d(width, inner, config.residual_kernel_size, dilation=dilation), CausalConv1d(inner, width, 1)
    return ResidualUnit(lambda _: nn.ELU(), wide, narrow)


def _transformer_config(config: MimiConfig) -> WindowedTransformerConfig:
    attention = AttentionConfig.of(config, norm_eps=config.norm_eps)
    names = TensorNames(up=("mlp.fc1",), down="mlp.fc2")
    return WindowedTransformerConfig("layer_gelu", attention, config.intermediate_size, config.num_hidden_layers, None, names)
