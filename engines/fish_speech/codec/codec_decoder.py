"""Codec decoder of Fish Audio S2 Pro: turns frames of ten codes into 44.1 kHz audio.
Piece by piece gives exactly the result of one call.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engines.fish_speech.codec.codec_config import FishCodecConfig
from engines.fish_speech.codec.codec_layers import KERNEL, PREPARED, codec_transformer, residual_units
from engines.kit.codec.causal_chain import CausalChain
from engines.kit.codec.causal_conv import CausalConv1d, CausalTransposedConv1d, ConvNextBlock
from engines.kit.codec.factorized_quantizer import FactorizedLookup
from engines.kit.codec.snake import Snake
from engines.kit.codec.stream_state import StreamState
from engines.kit.nn.module_list import module_list
from engines.kit.nn.prepared_parts import prepare_parts

__all__ = ["FishCodecDecoder", "FishCodecState"]

MOST_FRAMES_AT_ONCE = 16  # 13 MB per activation at the last layers; smaller pieces read the weights more often


@dataclass(frozen=True)
class FishCodecState(StreamState):
    """All that the next frame needs of the frames before; decoding reads it and returns a new one.

    position: (B,) int64, frames seen. memory: keys and values per layer. tails: of the convolutions.
    """

    position: Tensor
    memory: tuple[Tensor, ...]
    tails: tuple[Tensor, ...]


class FishCodecDecoder(nn.Module):
    """Codes to samples: the entries of the books, a windowed transformer, more rows, convolutions.

    It looks at no frame that is still to come, and its state is complete: any cut into pieces gives the same audio. Rows stand at
    absolute positions, also beyond the table of rotations in the file.
    Upstream, also for the names of tensors: DAC.decode of vllm-omni 0.30.0. UNUSED: patterns of the file's tensors that are the encoder's.
    """

    UNUSED = ("encoder.*", "quantizer.downsample.*", "quantizer.pre_module.*", "quantizer.*.in_proj.*")

    def __init__(self, config: FishCodecConfig):
        super().__init__()
        self.frame_samples, self.sample_rate = config.frame_samples, config.sample_rate
        latent, width = config.latent_dim, config.decoder_dim
        self.quantizer = _CodesToRows(config)
        stages = [_DecoderStage(width >> index, rate) for index, rate in enumerate(config.decoder_rates)]
        first, last = CausalConv1d(latent, width, KERNEL), width >> len(stages)
        model = [first, *stages, Snake(last), CausalConv1d(last, 1, KERNEL)]
        self.decoder = nn.ModuleDict({"model": nn.ModuleList(model)})
        up = (layer for step in self.quantizer.upsample for layer in step)
        self._chain = CausalChain([*up, first, *(layer for stage in stages for layer in stage.block), *model[-2:], nn.Tanh()])

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: see WindowedTransformer.packs."""
        return self.quantizer.post_module.packs

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, PREPARED)

    def initial_state(self, batch: int = 1) -> FishCodecState:
        """The state before the first frame of `batch` streams."""
        like = self.quantizer.quantizer.projection
        position = torch.zeros(batch, dtype=torch.int64, device=like.device)
        return FishCodecState(position, self.quantizer.post_module.start(batch, like), self._chain.start(batch, like))

    def decode(self, codes: Tensor, state: FishCodecState) -> tuple[Tensor, FishCodecState]:
        """Audio of the next frames.

        codes: (B, Q, F) int64, F > 0, each within its book (nothing here looks whether they are). returns: (B, F * frame_samples) in
        [-1, 1], and the state after them.
        For one F the shapes are fixed and nothing waits for the device, so that a CUDA graph can hold it. Long input is decoded in
        pieces, in bounded memory.
        """
        audio, position, memory, tails = [], state.position, state.memory, state.tails
        for piece in codes.split(MOST_FRAMES_AT_ONCE, dim=2):
            rows = self.quantizer.semantic_quantizer(piece[:, :1]) + self.quantizer.quantizer(piece[:, 1:])
            rows, memory = self.quantizer.post_module(rows, position, memory)
            samples, tails = self._chain(rows, tails)
            position = position + piece.shape[2]
            audio.append(samples[:, :, 0])
        return (audio[0] if len(audio) == 1 else torch.cat(audio, dim=1)), FishCodecState(position, memory, tails)


class _CodesToRows(nn.Module):
    """Under the file's names. Only a holder."""

    def __init__(self, config: FishCodecConfig):
        super().__init__()
        latent = config.latent_dim
        self.semantic_quantizer = FactorizedLookup(latent, config.codebook_dim, (config.semantic_codebook_size,))
        self.quantizer = FactorizedLookup(latent, config.codebook_dim, config.residual_codebook_sizes)
        self.post_module = codec_transformer(config.post_module, latent, config.head_dim)
        self.upsample = module_list(
            module_list([CausalTransposedConv1d(latent, latent, rate, rate), ConvNextBlock(latent)])
            for rate in reversed(config.downsample_factor)
        )


class _DecoderStage(nn.Module):
    """`rate` times as many rows of half the width, then three residual units. Only a holder: the chain walks through `block`."""

    def __init__(self, width: int, rate: int):
        super().__init__()
        up = CausalTransposedConv1d(width, width // 2, 2 * rate, rate)
        self.block = nn.ModuleList([Snake(width), up, *residual_units(width // 2)])
