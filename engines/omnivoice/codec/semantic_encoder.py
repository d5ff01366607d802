"""The semantic half of OmniVoice's codec encoder: HuBERT base (Hsu et al. 2021, arXiv 2106.07447) turns sound into its spoken content.

Here too are the convolutions behind it, which the codec was trained with. Upstream, also for the names of tensors: HubertModel and
SemanticEncoder of transformers 5.23, as HiggsAudioV2TokenizerModel uses them: without dropout, without masks, no input normalized.
"""

import torch
import torch.nn.functional as F
import torchaudio
from einops import rearrange
from torch import Tensor, nn

from engines.kit.codec.lookahead_conv import LookaheadChain, LookaheadConv1d, LookaheadResidualUnit
from engines.kit.codec.packed_conv import PackedConv1d
from engines.kit.device import exact_device
from engines.kit.nn.linear import linear
from engines.kit.nn.module_list import module_list
from engines.omnivoice.codec.codec_config import PADDING, SAMPLE_RATE, SEMANTIC_SAMPLE_RATE, OmniVoiceCodecConfig, OmniVoiceSemanticConfig
from engines.omnivoice.codec.codec_layers import centerd

__all__ = ["HUBERT_PACKS", "Hubert", "Positions", "SemanticConvolutions"]

GROUP_NORM_EPS = 1e-5  # torch.nn.GroupNorm
N_BLOCKS, N_UNITS, KERNEL = 2, 2, 3  # of SemanticEncoder, for the values that codec_config wants
ROWS_AT_ONCE, ROWS_AT_ONCE_ON_A_GPU = 2048, 32_768  # of the first convolution: 4 and 67 MB

# For Checkpoint.load_into: what a layer holds -> what the file calls it.
_NAMES = {
    "qkv_proj": ("attention.q_proj", "attention.k_proj", "attention.v_proj"),
    "attention_out": ("attention.out_proj",),
    "up_proj": ("feed_forward.intermediate_dense",),
    "down_proj": ("feed_forward.output_dense",),
}
HUBERT_PACKS = {
    f"{ours}.{leaf}": tuple(f"{name}.{leaf}" for name in names) for ours, names in _NAMES.items() for leaf in ("weight", "bias")
}


class Hubert(nn.Module):
    """Rows of 20 ms: the mean of what the transformer begins with and of what each of its layers gives; of these, one per frame."""

    def __init__(self, config: OmniVoiceCodecConfig):
        super().__init__()
        sizes, self._stride = config.semantic_model_config, config.semantic_stride
        self.feature_extractor = _FeatureExtractor(sizes)
        last, width = sizes.conv_dim[-1], sizes.hidden_size
        norm = nn.LayerNorm(last, eps=sizes.layer_norm_eps)
        self.feature_projection = nn.ModuleDict({"layer_norm": norm, "projection": nn.Linear(last, width)})
        self.encoder = _HubertLayers(sizes)

    def forward(self, samples: Tensor) -> Tensor:
        """(1, T) at 24 kHz in [-1, 1] -> (1, F, hidden_size)."""
        heard = torchaudio.functional.resample(samples, SAMPLE_RATE, SEMANTIC_SAMPLE_RATE)  # by its defaults, as upstream
        features = self.feature_extractor(F.pad(heard, (PADDING, PADDING)))
        rows = self.feature_projection["projection"](self.feature_projection["layer_norm"](features))
        rows = self.encoder.layer_norm(rows + self.encoder.pos_conv_embed(rows))
        total = rows[:, :: self._stride]
        for layer in self.encoder.layers:
            rows = layer(rows)
            total = total + rows[:, :: self._stride]
        return total / (1 + len(self.encoder.layers))


class _HubertLayers(nn.Module):
    """Under the file's names. Only a holder."""

    def __init__(self, config: OmniVoiceSemanticConfig):
        super().__init__()
        self.pos_conv_embed = Positions(config)
        self.layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.layers = module_list(_HubertLayer(config) for _ in range(config.num_hidden_layers))


class SemanticConvolutions(nn.Module):
    """A convolution, then blocks of residual units with a convolution behind. (B, F, width) -> (B, F, width)."""

    def __init__(self, width: int):
        super().__init__()
        self.conv = centerd(width, width, KERNEL, bias=False)
        self.conv_blocks = module_list(_SemanticBlock(width) for _ in range(N_BLOCKS))
        self._chain = LookaheadChain([self.conv, *(layer for block in self.conv_blocks for layer in (*block.res_units, block.conv))])

    def forward(self, rows: Tensor) -> Tensor:
        return self._chain.whole(rows, rows.shape[1])


class _SemanticBlock(nn.Module):
    """Only a holder: the chain walks through it."""

    def __init__(self, width: int):
        super().__init__()
        units = (LookaheadResidualUnit(lambda _: nn.ELU(), centerd(width, width, KERNEL, bias=False), bias=False) for _ in range(N_UNITS))
        self.res_units = module_list(units)
        self.conv = centerd(width, width, KERNEL)


class _FeatureExtractor(nn.Module):
    """Sound to rows of 20 ms by convolutions alone.

    Each channel of the first is normed over all of the sound. Mean and variance of a channel follow from those of what its kernel sees, ten
    samples at a place; so the norm is part of that convolution, and the sound is walked in pieces, once.
    """

    def __init__(self, config: OmniVoiceSemanticConfig):
        super().__init__()
        widths = (1, *config.conv_dim)
        convolutions = [
            LookaheadConv1d(widths[index], widths[index + 1], kernel, stride=stride, bias=False)
            for index, (kernel, stride) in enumerate(zip(config.conv_kernel, config.conv_stride, strict=True))
        ]
        first = _NormedConv1d(config.conv_dim[0], config.conv_kernel[0], config.conv_stride[0])
        self.conv_layers = nn.ModuleList([first, *convolutions[1:]])
        self._chain = LookaheadChain([nn.GELU(), *(layer for convolution in convolutions[1:] for layer in (convolution, nn.GELU()))])

    def forward(self, samples: Tensor) -> Tensor:
        """(1, T) at 16 kHz -> (1, rows, width)."""
        first, at_once = self.conv_layers[0], ROWS_AT_ONCE_ON_A_GPU if samples.is_cuda else ROWS_AT_ONCE
        assert isinstance(first, _NormedConv1d)
        windows = samples[0].unfold(0, first.kernel, first.stride)
        taps, bias = first.normed(windows)
        kept, out, pieces = None, [], windows.split(at_once)
        for index, piece in enumerate(pieces):
            rows, kept = self._chain(linear(piece.contiguous(), taps, bias)[None], kept, is_last=index == len(pieces) - 1)
            out.append(rows)
        return torch.cat(out, dim=1)


class _NormedConv1d(nn.Module):
    """Of one channel, without bias, then torch's GroupNorm of as many groups as channels."""

    def __init__(self, width: int, kernel: int, stride: int):
        super().__init__()
        self.kernel, self.stride = kernel, stride
        self.conv = nn.Conv1d(1, width, kernel, stride=stride, bias=False)
        self.layer_norm = nn.GroupNorm(width, width, eps=GROUP_NORM_EPS)

    def normed(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """windows (n, K), what the kernel sees at all its places -> taps (width, K) and bias (width,): convolution and norm in one."""
        place = exact_device(windows.device)
        wide, taps = windows.to(place).double(), self.conv.weight[:, 0].to(place).double()
        mean = wide.mean(0)
        apart = wide - mean
        variance = ((taps @ (apart.T @ apart / len(apart))) * taps).sum(1)
        gain = self.layer_norm.weight.to(place) * (variance + self.layer_norm.eps).rsqrt()
        bias = self.layer_norm.bias.to(place) - taps @ mean * gain
        return (taps * gain[:, None]).to(windows.dtype).to(windows.device), bias.to(windows.dtype).to(windows.device)


class Positions(nn.Module):
    """Where a row stands, told by its neighbors: a long convolution of groups of channels, then GELU. (B, T, D) -> (B, T, D)."""

    def __init__(self, config: OmniVoiceSemanticConfig):
        super().__init__()
        width, self._kernel, self._groups = config.hidden_size, config.num_conv_pos_embeddings, config.num_conv_pos_embedding_groups
        self.conv = nn.Conv1d(width, width, self._kernel, groups=self._groups)
        self.packed: PackedConv1d | None = None

    def prepare_weights(self) -> None:
        """Pack the kernel where that can be. Once, after loading."""
        if PackedConv1d.can_pack(self.conv.weight):
            self.packed = PackedConv1d(self.conv.weight, self.conv.bias, groups=self._groups)
            del self.conv

    def forward(self, rows: Tensor) -> Tensor:
        before = self._kernel // 2
        rows = F.pad(rows, (0, 0, before, self._kernel - 1 - before))  # of an even kernel upstream drops the last output
        return F.gelu(self.conv(rows.mT).mT if self.packed is None else self.packed(rows))


class _HubertLayer(nn.Module):
    """Attention and a network, a norm behind the sum of either. (B, T, D) -> (B, T, D)."""

    def __init__(self, config: OmniVoiceSemanticConfig):
        super().__init__()
        width, inner, self._n_heads = config.hidden_size, config.intermediate_size, config.num_attention_heads
        self.qkv_proj, self.attention_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up_proj, self.down_proj = nn.Linear(width, inner), nn.Linear(inner, width)
        self.layer_norm, self.final_layer_norm = (nn.LayerNorm(width, eps=config.layer_norm_eps) for _ in range(2))

    def forward(self, rows: Tensor) -> Tensor:
        queries, keys, values = rearrange(self.qkv_proj(rows), "b t (n h d) -> n b h t d", n=3, h=self._n_heads)
        mixed = rearrange(F.scaled_dot_product_attention(queries, keys, values), "b h t d -> b t (h d)")
        rows = self.layer_norm(rows + self.attention_out(mixed))
        return self.final_layer_norm(rows + self.down_proj(F.gelu(self.up_proj(rows))))
