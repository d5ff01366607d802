"""AudioVAE of dots.tts 0.3.1: 48 kHz audio to latents, 25 a second, and latents to audio piece by piece, exactly.

Both halves compute in float32, whatever the language model does. The decoder looks two latents ahead: what it says of a latent comes with
the second one after it. All that it needs of those before is in its state, so that nothing is computed twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.dots.config import DILATIONS, LOOKAHEAD, DotsVaeConfig
from engines.kit.codec.anti_aliased import AntiAliasedSnake
from engines.kit.codec.causal_conv import CausalConv1d, CausalTransposedConv1d, Stateful
from engines.kit.codec.stream_state import StreamState
from engines.kit.codec.tail_cursor import TailCursor
from engines.kit.nn.module_list import module_list
from engines.kit.nn.prepared_parts import prepare_parts
from engines.kit.weights.checkpoint import without_memory

__all__ = ["DotsVaeDecoder", "DotsVaeEncoder", "LaggingConv1d", "VaeTails", "name_in_file", "tails_like"]

# dots.tts 0.3.1, modules/vocoder/bigvgan.py
FIRST_KERNEL, PAIR_KERNEL, LAST_KERNEL = 3, 3, 7
N_PAIRS = 6  # residual pairs of a stage of the encoder, dilated by powers of two
WIDENING = 4  # of the LSTMs, over the latents
SLOPE, PAIR_SLOPE = 0.2, 0.01  # of LeakyReLU around the stages, and within the pairs (the default of nn.LeakyReLU)
BOTH_SIDES = 2 * LOOKAHEAD + 1  # kernel of what looks ahead

LATENTS_ENCODED_AT_ONCE = 25  # 1 s, 2.3 MB per activation at the first layers
MOST_LATENTS_AT_ONCE = 16  # 0.64 s, 3 MB per activation at the last layers


def name_in_file(name: str) -> str:
    """A parameter's name -> the checkpoint's, which knows no `conv` within a layer."""
    return name.replace(".conv.", ".")


@dataclass(frozen=True)
class VaeTails(StreamState):
    """All that the next latent needs of those before: tails of the decoder's layers in their order, (B, rows, width) each, float32."""

    tails: tuple[Tensor, ...]


class LaggingConv1d(CausalConv1d):
    """A strided convolution whose last tap lies on the first row of a stride, where a plain causal one has it on the last.

    Before the first row lie zeros. Upstream: convolutions whose left padding is their kernel less one, whatever their stride.
    """

    def __init__(self, width_in: int, width_out: int, kernel: int, stride: int):
        super().__init__(width_in, width_out, kernel, stride=stride)
        self.context = self.span - 1


class _Lstm(Stateful):
    """(B, T, D) -> (B, T, D): layers of an LSTM, and what went in. The tail is the state: outputs of all layers, then their cells."""

    def __init__(self, width: int, n_layers: int):
        super().__init__()
        self.width, self.context, self.n_layers = width, 2 * n_layers, n_layers
        self.lstm = nn.LSTM(width, width, n_layers, batch_first=True)

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        heard, state = rows, list(tail.unbind(1))
        for index in range(self.n_layers):
            into, back, *biases = (getattr(self.lstm, f"{name}_l{index}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
            gates, made = F.linear(heard, into, biases[0] + biases[1]), []
            out, cell = state[index], state[self.n_layers + index]
            for gate in gates.unbind(1):
                let_in, keep, new, let_out = torch.addmm(gate, out, back.T).chunk(4, dim=1)
                cell = keep.sigmoid() * cell + let_in.sigmoid() * new.tanh()
                out = let_out.sigmoid() * cell.tanh()
                made.append(out)
            heard, state[index], state[self.n_layers + index] = torch.stack(made, dim=1), out, cell
        return heard + rows, torch.stack(state, dim=1)


def _mixer(config: DotsVaeConfig) -> nn.ModuleList:
    """Between convolutions and latents, on both sides: wider, through time, and back."""
    inner = WIDENING * config.latent_dim
    return nn.ModuleList([nn.Linear(config.latent_dim, inner), _Lstm(inner, config.mi_num_layers), nn.Linear(inner, config.latent_dim)])


def _mixed(mixer: nn.ModuleList, rows: Tensor, cursor: TailCursor) -> Tensor:
    wider, lstm, back = mixer
    assert isinstance(lstm, Stateful)
    return back(cursor.through(lstm, wider(rows)))


# --- audio to latents


class DotsVaeEncoder(nn.Module):
    """Upstream, also for the names of tensors: Encoder, enc_mi_layer and pre_proj of AudioVAE."""

    def __init__(self, config: DotsVaeConfig):
        super().__init__()
        channels, self.hop_samples, self._width = config.downsample_channels, config.hop_samples, config.latent_dim
        self._stages = []
        parts: dict[str, nn.Module] = {"0": _layer(CausalConv1d(1, channels[0], FIRST_KERNEL))}
        for index, ((before, width), rate) in enumerate(zip(pairwise(channels), config.downsample_rates, strict=True)):
            down, pairs = LaggingConv1d(before, width, 2 * rate, rate), [_pair(width, 2**n) for n in range(N_PAIRS)]
            parts[str(2 + 3 * index)] = _layer(down)
            parts[str(3 + 3 * index)] = nn.ModuleDict({"layers": nn.ModuleList(pairs)})
            self._stages.append((down, [tuple(pair.values()) for pair in pairs]))
        parts[str(2 + 3 * len(self._stages))] = _layer(CausalConv1d(channels[-1], config.latent_dim, BOTH_SIDES))
        self.audio_encoder = nn.ModuleDict({"generator": nn.ModuleDict(parts)})
        self.enc_mi_layer = _mixer(config)
        self.pre_proj = CausalConv1d(config.latent_dim, 2 * config.latent_dim, 1)
        self._ends = tuple(part["layer"] for part in (parts["0"], parts[str(2 + 3 * len(self._stages))]))  # pyright: ignore[reportIndexIssue]

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, _PREPARED)

    def encode(self, samples: Tensor) -> tuple[Tensor, Tensor]:
        """Means, and logarithms of deviations, of latents, second after second in bounded memory.

        samples: (1, T) float32 at 48 kHz, T a multiple of hop_samples, T > 0. returns: (1, T / hop_samples, latent_dim) each.
        """
        first, last = self._ends
        tails, rows = None, []
        for piece in samples[:, :, None].split(LATENTS_ENCODED_AT_ONCE * self.hop_samples, dim=1):
            cursor = TailCursor(tails)
            rows.append(self._stages_of(cursor.through(first, piece), cursor))
            tails = cursor.kept
        behind = rows[0].new_zeros(1, LOOKAHEAD, rows[0].shape[2])
        cursor = TailCursor(None)
        latents = cursor.through(last, torch.cat([*rows, behind], dim=1))[:, LOOKAHEAD:]
        mean, log_deviation = cursor.through(self.pre_proj, _mixed(self.enc_mi_layer, latents, cursor)).chunk(2, dim=2)
        return mean, log_deviation

    def _stages_of(self, rows: Tensor, cursor: TailCursor) -> Tensor:
        rows = F.leaky_relu(rows, SLOPE)
        for down, pairs in self._stages:
            rows = cursor.through(down, rows)
            for wide, narrow in pairs:
                mixed = cursor.through(wide, F.leaky_relu(rows, PAIR_SLOPE))
                rows = rows + cursor.through(narrow, F.leaky_relu(mixed, PAIR_SLOPE))
            rows = F.leaky_relu(rows, SLOPE)
        return rows


def _layer(conv: CausalConv1d) -> nn.ModuleDict:
    return nn.ModuleDict({"layer": conv})


def _pair(width: int, dilation: int) -> nn.ModuleDict:
    """Under the numbers that the two have among activations and paddings upstream."""
    return nn.ModuleDict({"2": CausalConv1d(width, width, PAIR_KERNEL, dilation=dilation), "5": CausalConv1d(width, width, PAIR_KERNEL)})


# --- latents to audio


class DotsVaeDecoder(nn.Module):
    """Upstream, also for the names of tensors: post_proj, dec_mi_layer and Decoder of AudioVAE.

    A stream: `begin`, any number of `decode`, `finish`. Any cut into pieces gives the same audio. For one number of latents the shapes are
    fixed and nothing waits for the device, so that a CUDA graph can hold it.
    """

    def __init__(self, config: DotsVaeConfig):
        super().__init__()
        self.hop_samples, self._width = config.hop_samples, config.latent_dim
        self.post_proj, self.dec_mi_layer = CausalConv1d(config.latent_dim, config.latent_dim, 1), _mixer(config)
        self.decoder = _Waveform(config)

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, _PREPARED)

    def begin(self, latents: Tensor) -> tuple[Tensor, VaeTails]:
        """Audio of the first latents of a stream, but for the last two.

        latents: (B, T, latent_dim) float32, T > 2. returns: (B, (T - 2) * hop_samples) in [-1, 1], and the state after them.
        """
        cursor = TailCursor(None)
        rows = self.decoder.conv_pre_of(self._mixed(latents, cursor), cursor)[:, LOOKAHEAD:]
        return self.decoder(rows, cursor), VaeTails(tuple(cursor.kept))

    def decode(self, latents: Tensor, state: VaeTails) -> tuple[Tensor, VaeTails]:
        """Audio of as many latents as these, two latents back: (B, T, latent_dim) -> (B, T * hop_samples), and the state after them."""
        audio = []
        for piece in latents.split(MOST_LATENTS_AT_ONCE, dim=1):
            cursor = TailCursor(state.tails)
            audio.append(self.decoder(self.decoder.conv_pre_of(self._mixed(piece, cursor), cursor), cursor))
            state = VaeTails(tuple(cursor.kept))
        return (audio[0] if len(audio) == 1 else torch.cat(audio, dim=1)), state

    def finish(self, state: VaeTails) -> Tensor:
        """Audio of the last two latents, (B, 2 * hop_samples): behind them lies nothing."""
        before, *rest = state.tails
        cursor = TailCursor(rest)
        nothing = before.new_zeros(len(before), LOOKAHEAD, self._width)
        return self.decoder(self.decoder.conv_pre_of(nothing, cursor), cursor)

    def _mixed(self, latents: Tensor, cursor: TailCursor) -> Tensor:
        return _mixed(self.dec_mi_layer, cursor.through(self.post_proj, latents), cursor)


@lru_cache(8)
def tails_like(config: DotsVaeConfig, patch_size: int) -> VaeTails:
    """Of one stream, on the device "meta": nothing can be computed where ZeroGPU opens an engine. Half of what it takes to open one."""
    blank = without_memory(lambda: DotsVaeDecoder(config))
    blank.prepare_weights()
    return blank.begin(torch.empty(1, patch_size, config.latent_dim, device="meta"))[1]


class _Waveform(nn.Module):
    """Per rate a transposed convolution that halves the width, then the mean of residual blocks; at the end one channel."""

    def __init__(self, config: DotsVaeConfig):
        super().__init__()
        width, kernels = config.upsample_initial_channel, config.resblock_kernel_sizes
        self.conv_pre, self.n_kernels = CausalConv1d(config.latent_dim, width, BOTH_SIDES), len(kernels)
        ups, blocks = [], []
        for rate in config.upsample_rates:
            ups.append(nn.ModuleList([CausalTransposedConv1d(width, width // 2, 2 * rate, rate)]))
            width //= 2
            blocks += [_AmpBlock(width, kernel) for kernel in kernels]
        self.ups, self.resblocks = module_list(ups), module_list(blocks)
        self.activation_post, self.conv_post = AntiAliasedSnake(width, width), CausalConv1d(width, 1, LAST_KERNEL, bias=False)

    def conv_pre_of(self, rows: Tensor, cursor: TailCursor) -> Tensor:
        """What looks ahead: each row comes two rows late."""
        return cursor.through(self.conv_pre, rows)

    def forward(self, rows: Tensor, cursor: TailCursor) -> Tensor:
        """(B, T, width) -> (B, T * hop_samples) in [-1, 1]."""
        for stage, (up,) in enumerate(self.ups):
            rows = cursor.through(up, rows)
            blocks = self.resblocks[stage * self.n_kernels : (stage + 1) * self.n_kernels]
            rows = _sum([block(rows, cursor) for block in blocks]) / self.n_kernels
        rows = cursor.through(self.conv_post, cursor.through(self.activation_post, rows))
        return rows[:, :, 0].clamp(-1, 1)


class _AmpBlock(nn.Module):
    """Three residual pairs of convolutions behind waves. Upstream: AMPBlock1."""

    def __init__(self, width: int, kernel: int):
        super().__init__()
        self.convs1 = module_list(CausalConv1d(width, width, kernel, dilation=dilation) for dilation in DILATIONS)
        self.convs2 = module_list(CausalConv1d(width, width, kernel) for _ in DILATIONS)
        self.activations = module_list(AntiAliasedSnake(width) for _ in range(2 * len(DILATIONS)))

    def forward(self, rows: Tensor, cursor: TailCursor) -> Tensor:
        for index, (wide, narrow) in enumerate(zip(self.convs1, self.convs2, strict=True)):
            mixed = cursor.through(wide, cursor.through(self.activations[2 * index], rows))
            rows = rows + cursor.through(narrow, cursor.through(self.activations[2 * index + 1], mixed))
        return rows


def _sum(parts: Sequence[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


_PREPARED = CausalConv1d | CausalTransposedConv1d | AntiAliasedSnake  # kinds of layers that prepare their weights
