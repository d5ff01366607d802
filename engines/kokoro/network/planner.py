"""What is planned for a whole text before any of it sounds: contexts of its symbols, how long each is, pitch and loudness (StyleTTS 2)."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.module_list import module_dict, module_list
from engines.kit.nn.packed_linear import can_pack
from engines.kokoro.config import AlbertSizes, KokoroConfig
from engines.kokoro.network.styled import StyledBlock, StyledLayerNorm, convolve

__all__ = ["Albert", "Predictor", "TextEncoder"]

ALBERT_EPSILON = 1e-12
SLOPE = 0.2  # of the leaky ReLU


class Albert(nn.Module):
    """One layer, used several times over (Lan et al. 2019, arXiv 1909.11942)."""

    def __init__(self, config: AlbertSizes, n_symbols: int):
        super().__init__()
        self.n_layers, self._n_heads = config.layers, config.heads
        self.embeddings, self.encoder = _AlbertEmbeddings(config, n_symbols), _AlbertEncoder(config)

    def pack(self) -> None:
        """Lay the layer's matrices out as the CPU multiplies them, where it can. Once, after loading."""
        layer = self.encoder.layer
        for parent in (layer, layer.attention):
            for name, part in list(parent.named_children()):
                if isinstance(part, nn.Linear) and can_pack(part.weight):
                    setattr(parent, name, _PackedProduct(part, "gelu" if name == "ffn" else "none"))

    def forward(self, symbols: Tensor) -> Tensor:
        """(B, N, width) of (B, N) numbers of symbols."""
        known, layer = self.embeddings, self.encoder.layer
        rows = known.word_embeddings(symbols) + known.position_embeddings.weight[: symbols.shape[1]] + known.token_type_embeddings.weight[0]
        rows = self.encoder.embedding_hidden_mapping_in(known.LayerNorm(rows))
        attention = layer.attention
        for _ in range(self.n_layers):
            parts = (attention.query, attention.key, attention.value)
            query, key, value = (part(rows).unflatten(2, (self._n_heads, -1)).transpose(1, 2) for part in parts)
            weights = torch.softmax(query @ key.mT * query.shape[3] ** -0.5, 3)
            rows = attention.LayerNorm(rows + attention.dense((weights @ value).transpose(1, 2).flatten(2)))
            wide = layer.ffn(rows)
            wide = wide if isinstance(layer.ffn, _PackedProduct) else F.gelu(wide, approximate="tanh")
            rows = layer.full_layer_layer_norm(rows + layer.ffn_output(wide))
        return rows


class _AlbertEmbeddings(nn.Module):
    def __init__(self, config: AlbertSizes, n_symbols: int):
        super().__init__()
        self.word_embeddings = nn.Embedding(n_symbols, config.embedding)
        self.position_embeddings = nn.Embedding(config.positions, config.embedding)
        self.token_type_embeddings = nn.Embedding(2, config.embedding)
        self.LayerNorm = nn.LayerNorm(config.embedding, eps=ALBERT_EPSILON)


class _AlbertAttention(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.query, self.key, self.value, self.dense = (nn.Linear(width, width) for _ in range(4))
        self.LayerNorm = nn.LayerNorm(width, eps=ALBERT_EPSILON)


class _AlbertLayer(nn.Module):
    ffn: nn.Module  # packed where it can be

    def __init__(self, config: AlbertSizes):
        super().__init__()
        width = config.hidden_size
        self.attention = _AlbertAttention(width)
        self.full_layer_layer_norm = nn.LayerNorm(width, eps=ALBERT_EPSILON)
        self.ffn, self.ffn_output = nn.Linear(width, config.intermediate), nn.Linear(config.intermediate, width)


class _AlbertEncoder(nn.Module):
    """One group of one layer, under the official names."""

    def __init__(self, config: AlbertSizes):
        super().__init__()
        group = module_dict({"albert_layers": module_list([_AlbertLayer(config)])})
        self.embedding_hidden_mapping_in = nn.Linear(config.embedding, config.hidden_size)
        self.albert_layer_groups = module_list([group])

    @property
    def layer(self) -> _AlbertLayer:
        return self.albert_layer_groups[0]["albert_layers"][0]


class _PackedProduct(nn.Module):
    """A linear layer in the layout of the CPU's kernels, its activation in the same pass."""

    def __init__(self, linear: nn.Linear, activation: str):
        super().__init__()
        self.weight = nn.Parameter(torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach()), requires_grad=False)
        self.bias, self._activation = linear.bias, (activation, [], "tanh" if activation == "gelu" else "")

    def forward(self, rows: Tensor) -> Tensor:
        return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, *self._activation)


def _two_way_lstm(width_in: int, width: int) -> nn.LSTM:
    return nn.LSTM(width_in, width // 2, batch_first=True, bidirectional=True)


class Predictor(nn.Module):
    """How long each symbol is, and pitch and loudness of every half frame. A style here is a voice's prosody, half of its row."""

    def __init__(self, config: KokoroConfig):
        super().__init__()
        width, style = config.hidden, config.style
        pairs = [(_two_way_lstm(width + style, width), StyledLayerNorm(style, width)) for _ in range(config.text_layers)]
        self.text_encoder = module_dict({"lstms": module_list(part for pair in pairs for part in pair)})
        self.lstm, self.shared = _two_way_lstm(width + style, width), _two_way_lstm(width + style, width)
        self.duration_proj = module_dict({"linear_layer": nn.Linear(width, config.max_duration)})
        self.F0, self.N = (
            nn.ModuleList(
                [
                    StyledBlock(style, width, width),
                    StyledBlock(style, width, width // 2, upsample=True),
                    StyledBlock(style, width // 2, width // 2),
                ]
            )
            for _ in range(2)
        )
        self.F0_proj, self.N_proj = nn.Conv1d(width // 2, 1, 1), nn.Conv1d(width // 2, 1, 1)

    def encode(self, rows: Tensor, style: Tensor) -> Tensor:
        """(B, N, width + style) of (B, N, width)."""
        beside = style.to(rows.dtype)[:, None].expand(-1, rows.shape[1], -1)
        rows = torch.cat([rows, beside], 2)
        parts = self.text_encoder["lstms"]
        for index in range(0, len(parts), 2):
            rows = torch.cat([parts[index + 1](parts[index](rows)[0], style), beside], 2)
        return rows

    def durations(self, encoded: Tensor) -> Tensor:
        """(B, N) float32 frames of 25 ms, not rounded: each of max_duration sigmoids says whether the symbol lasts that long."""
        return torch.sigmoid(self.duration_proj["linear_layer"](self.lstm(encoded)[0]).float()).sum(2)

    def melody(self, encoded: Tensor, style: Tensor) -> tuple[Tensor, Tensor]:
        """F0 in Hz and log energy, (B, 2 T) float32 each, of encoded frames (B, T, width + style)."""
        shared = self.shared(encoded)[0]
        curves = []
        for blocks, last in ((self.F0, self.F0_proj), (self.N, self.N_proj)):
            rows = shared
            for block in blocks:
                rows = block(rows, style)
            curves.append(convolve(last, rows)[:, :, 0].float())
        return curves[0], curves[1]


class _ChannelNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.empty(width)), nn.Parameter(torch.empty(width))

    def forward(self, rows: Tensor) -> Tensor:
        return F.layer_norm(rows, rows.shape[2:], self.gamma, self.beta)


class TextEncoder(nn.Module):
    """What the decoder is told of each symbol."""

    def __init__(self, config: KokoroConfig):
        super().__init__()
        width, kernel = config.hidden, config.text_kernel
        self.embedding = nn.Embedding(config.n_symbols, width)
        layers = (
            nn.Sequential(nn.Conv1d(width, width, kernel, padding=kernel // 2), _ChannelNorm(width)) for _ in range(config.text_layers)
        )
        self.cnn = module_list(layers)
        self.lstm = _two_way_lstm(width, width)

    def forward(self, symbols: Tensor) -> Tensor:
        """(B, N, width) of (B, N) numbers of symbols."""
        rows = self.embedding(symbols)
        for conv, norm in self.cnn:
            assert isinstance(conv, nn.Conv1d)
            rows = F.leaky_relu(norm(convolve(conv, rows)), SLOPE)
        return self.lstm(rows)[0]
