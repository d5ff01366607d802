"""AudioVAE v2 of VoxCPM2 (voxcpm 2.0.3): 16 kHz audio to latents, 25 a second, and latents to 48 kHz audio piece by piece, exactly.

Both halves are causal and compute in float32, whatever the language models do. Loading them:

    with FoldedCheckpoint(file, levels=("state_dict",)) as checkpoint:  # audiovae.pth or audiovae.safetensors
        for name, network in (("encoder.", encoder), ("decoder.", decoder)):  # made under torch.device("meta")
            checkpoint.load_into(network, name, rename=name_in_file, ignore=network.UNUSED, device=device)
            network.prepare_weights()
        checkpoint.check_all_used()
"""

from bisect import bisect_left
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_chain import CausalChain, ResidualUnit
from engines.kit.codec.causal_conv import CausalConv1d, CausalDepthwiseConv1d, CausalTransposedConv1d
from engines.kit.codec.snake import ScaleBias, Snake
from engines.kit.codec.stream_state import StreamState
from engines.kit.nn.prepared_parts import prepare_parts
from engines.voxcpm2.config import AudioVaeConfig

__all__ = ["AudioVaeDecoder", "AudioVaeEncoder", "VaeState", "name_in_file"]

# voxcpm 2.0.3, modules/audiovae/audio_vae_v2.py
DILATIONS = (1, 3, 9)
KERNEL, LATENT_KERNEL = 7, 3

LATENTS_ENCODED_AT_ONCE = 25  # 1 s, 8 MB per activation at the first layers: on a CPU faster than a whole clip, and than 2 or 5 latents
MOST_LATENTS_AT_ONCE = 16  # 0.64 s, 4 MB per activation at the last layers


def name_in_file(name: str) -> str:
    """A parameter's name -> the checkpoint's, which knows no `conv` within a layer."""
    return name.replace(".conv.", ".")


@dataclass(frozen=True)
class VaeState(StreamState):
    """All that the next latent needs of those before: the tails of the decoder's convolutions, (B, rows, width) each, float32."""

    tails: tuple[Tensor, ...]


class AudioVaeEncoder(nn.Module):
    """Residual units of depthwise convolutions, and per rate a convolution that doubles the width; at the end the mean of a latent.

    Upstream, also for the names of tensors: CausalEncoder. UNUSED: the variance, which only training draws with.
    """

    UNUSED = ("fc_logvar.*",)

    def __init__(self, config: AudioVaeConfig):
        super().__init__()
        width, self.hop_samples = config.encoder_dim, config.encoder_hop
        blocks = [_VaeEncoderBlock(width << index, rate) for index, rate in enumerate(config.encoder_rates)]
        self.block = nn.ModuleList([CausalConv1d(1, width, KERNEL), *blocks])
        self.fc_mu = CausalConv1d(width << len(blocks), config.latent_dim, LATENT_KERNEL)
        self._chain = CausalChain([self.block[0], *(layer for block in blocks for layer in block.block), self.fc_mu])

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, _PREPARED)

    def encode(self, samples: Tensor) -> Tensor:
        """Samples to latents, second after second in bounded memory.

        samples: (B, T) float32 in [-1, 1] at 16 kHz, T a multiple of hop_samples, T > 0. returns: (B, T / hop_samples, latent_dim).
        Raises ValueError for another T.
        """
        if not samples.shape[1] or samples.shape[1] % self.hop_samples:
            raise ValueError(f"{samples.shape[1]} samples: they must be a multiple of {self.hop_samples}, the hop. Pad them with silence.")
        rows, tails, latents = samples[:, :, None], None, []
        for piece in rows.split(LATENTS_ENCODED_AT_ONCE * self.hop_samples, dim=1):
            some, tails = self._chain(piece, tails)
            latents.append(some)
        return torch.cat(latents, dim=1)


class AudioVaeDecoder(nn.Module):
    """Per rate a transposed convolution that halves the width, then residual units of depthwise convolutions; at the end tanh.

    It looks at no latent that is still to come, and its state is complete: any cut into pieces gives the same audio.
    Upstream, also for the names of tensors: CausalDecoder. UNUSED: the limits of the sample rates, which the configuration holds, too.
    """

    UNUSED = ("sr_bin_boundaries",)

    def __init__(self, config: AudioVaeConfig):
        super().__init__()
        latent, width, self.hop_samples = config.latent_dim, config.decoder_dim, config.decoder_hop
        first = [CausalDepthwiseConv1d(latent, KERNEL), CausalConv1d(latent, width, 1)]
        blocks = [_VaeDecoderBlock(width >> index, rate) for index, rate in enumerate(config.decoder_rates)]
        last = width >> len(blocks)
        ends = [Snake(last), CausalConv1d(last, 1, KERNEL)]
        self.model = nn.ModuleList([*first, *blocks, *ends])
        conditions = [_SampleRateConditioning(width >> index, config) for index in range(len(blocks))]
        self.sr_cond_model = nn.ModuleDict({str(len(first) + index): condition for index, condition in enumerate(conditions)})
        conditioned = [layer for condition, block in zip(conditions, blocks, strict=True) for layer in (condition, *block.block)]
        self._chain = CausalChain([*first, *conditioned, *ends, nn.Tanh()])

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, _PREPARED)

    def initial_state(self, batch: int = 1) -> VaeState:
        """The state before the first latent of `batch` streams."""
        first = self.model[0]
        assert isinstance(first, CausalDepthwiseConv1d)
        return VaeState(self._chain.start(batch, first.taps))

    def decode(self, latents: Tensor, state: VaeState) -> tuple[Tensor, VaeState]:
        """Audio of the next latents.

        latents: (B, T, latent_dim) float32, T > 0. returns: (B, T * hop_samples) in [-1, 1], and the state after them.
        For one T the shapes are fixed and nothing waits for the device, so that a CUDA graph can hold it. Long input is decoded in
        pieces, in bounded memory.
        """
        audio, tails = [], state.tails
        for piece in latents.split(MOST_LATENTS_AT_ONCE, dim=1):
            samples, tails = self._chain(piece, tails)
            audio.append(samples[:, :, 0])
        return (audio[0] if len(audio) == 1 else torch.cat(audio, dim=1)), VaeState(tails)

    def state_after(self, latents: Tensor) -> VaeState:
        """The state after these first latents of a stream, (B, T, latent_dim), T > 0: that of `decode` without the audio, at less cost."""
        return VaeState(self._chain.tails_after(latents))


class _VaeEncoderBlock(nn.Module):
    """Three residual units, then `rate` times fewer rows of twice the width. Only a holder: the chain walks through `block`."""

    def __init__(self, width: int, rate: int):
        super().__init__()
        down = CausalConv1d(width, 2 * width, 2 * rate, stride=rate)
        self.block = nn.ModuleList([*_residual_units(width), Snake(width), down])


class _VaeDecoderBlock(nn.Module):
    """`rate` times as many rows of half the width, then three residual units. Only a holder: the chain walks through `block`."""

    def __init__(self, width: int, rate: int):
        super().__init__()
        up = CausalTransposedConv1d(width, width // 2, 2 * rate, rate)
        self.block = nn.ModuleList([Snake(width), up, *_residual_units(width // 2)])


class _SampleRateConditioning(ScaleBias):
    """rows * scale + bias, learnt per channel and per range of sample rates. Upstream: SampleRateConditionLayer, kind "scale_bias".

    The output rate is the configuration's, so that one row of each table is all that is ever used.
    """

    def __init__(self, width: int, config: AudioVaeConfig):
        super().__init__()
        self._bucket = bisect_left(
            config.sr_bin_boundaries, config.out_sample_rate
        )  # as torch.bucketize: a limit belongs to the range below
        n_buckets = len(config.sr_bin_boundaries) + 1
        self.scale_embed, self.bias_embed = nn.Embedding(n_buckets, width), nn.Embedding(n_buckets, width)

    def prepare_weights(self) -> None:
        """Keep the rows of the output rate. Once, after loading."""
        self.register_buffer("scale", self.scale_embed.weight.detach()[self._bucket].clone(), persistent=False)
        self.register_buffer("bias", self.bias_embed.weight.detach()[self._bucket].clone(), persistent=False)
        del self.scale_embed, self.bias_embed


def _residual_units(width: int) -> list[ResidualUnit]:
    return [
        ResidualUnit(Snake, CausalDepthwiseConv1d(width, KERNEL, dilation=dilation), CausalConv1d(width, width, 1))
        for dilation in DILATIONS
    ]


_PREPARED = (
    CausalConv1d | CausalDepthwiseConv1d | CausalTransposedConv1d | Snake | _SampleRateConditioning
)  # kinds of layers that prepare their weights
