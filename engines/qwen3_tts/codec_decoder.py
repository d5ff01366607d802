"""Codec decoder of Qwen3-TTS 12Hz: turns frames of 16 codes into 24 kHz audio. Piece by piece gives exactly the result of one call."""

from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_chain import BranchingUnit, CausalChain
from engines.kit.codec.causal_conv import CausalConv1d, CausalTransposedConv1d, ConvNextBlock
from engines.kit.codec.residual_quantizer import SplitResidualLookup
from engines.kit.codec.snake import SnakeBeta
from engines.kit.codec.stream_state import StreamState
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.prepared_parts import prepare_parts
from engines.kit.nn.windowed_transformer import WindowedTransformer, WindowedTransformerConfig
from engines.qwen3_tts.config import CodecDecoderConfig

__all__ = ["CodecDecoder", "CodecState"]

RESIDUAL_DILATIONS = (1, 3, 9)  # qwen-tts 0.1.1, DecoderDecoderBlock
MOST_FRAMES_AT_ONCE = 16  # 24 MB per activation at the last layers; larger pieces are no faster, smaller ones read the weights more often
MOST_ROWS_AT_ONCE = 256  # of the transformer while only its state is wanted; bounds the attention matrix


@dataclass(frozen=True)
class CodecState(StreamState):
    """All that the next frame needs of the frames before; decoding reads it and returns a new one.

    position: (B,) int64, frames seen. memory: keys and values per layer. pre_tail, tails: of the convolutions before and after.
    """

    position: Tensor
    memory: tuple[Tensor, ...]
    pre_tail: Tensor
    tails: tuple[Tensor, ...]


class CodecDecoder(nn.Module):
    """Decoder half of Qwen3TTSTokenizerV2Model, qwen-tts 0.1.1: codebooks, convolution, windowed transformer, upsampling, convolutions.

    It looks at no frame that is still to come, and its state is complete: any cut into pieces gives the same audio.
    Tensor names follow the prefix `decoder.` of speech_tokenizer/model.safetensors.
    """

    UNUSED = tuple(f"quantizer.{pattern}" for pattern in SplitResidualLookup.UNUSED)

    def __init__(self, config: CodecDecoderConfig):
        super().__init__()
        self.frame_samples = prod(config.upsampling_ratios) * prod(config.upsample_rates)
        latent, width = config.latent_dim, config.decoder_dim
        self.quantizer = SplitResidualLookup(config.codebook_dim, config.codebook_dim // 2, config.num_quantizers, config.codebook_size)
        self.pre_conv = CausalConv1d(config.codebook_dim, latent, 3)
        self.pre_transformer = WindowedTransformer(_transformer_config(config))
        steps = [[CausalTransposedConv1d(latent, latent, rate, rate), ConvNextBlock(latent)] for rate in config.upsampling_ratios]
        self.upsample = nn.ModuleList(nn.ModuleList(step) for step in steps)
        blocks = [_DecoderBlock(width >> index, rate) for index, rate in enumerate(config.upsample_rates)]
        last = width >> len(blocks)
        self.decoder = nn.ModuleList([CausalConv1d(latent, width, 7), *blocks, SnakeBeta(last), CausalConv1d(last, 1, 7)])
        parts = [layer for step in steps for layer in step] + [self.decoder[0]]
        parts += [layer for block in blocks for layer in block.block]
        self._chain = CausalChain([*parts, *self.decoder[-2:]])

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: see WindowedTransformer.packs."""
        return self.pre_transformer.packs

    def prepare_weights(self) -> None:
        """Codebooks and folded matrices. Once, after loading."""
        convolutions = CausalConv1d | CausalTransposedConv1d | ConvNextBlock | SnakeBeta
        prepare_parts(self, convolutions | SplitResidualLookup | WindowedTransformer)

    def initial_state(self, batch: int = 1) -> CodecState:
        """The state before the first frame of `batch` streams."""
        like = self.quantizer.projection
        return CodecState(
            position=torch.zeros(batch, dtype=torch.int64, device=like.device),
            memory=self.pre_transformer.start(batch, like),
            pre_tail=self.pre_conv.start(batch, like),
            tails=self._chain.start(batch, like),
        )

    def decode(self, codes: Tensor, state: CodecState) -> tuple[Tensor, CodecState]:
        """Audio of the next frames.

        codes: (B, Q, F) int64, F > 0. returns: (B, F * frame_samples) in [-1, 1], and the state after them.
        For one F the shapes are fixed and nothing waits for the device, so that a CUDA graph can hold it. Long input is decoded in
        pieces, in bounded memory.
        """
        audio = []
        for piece in codes.split(MOST_FRAMES_AT_ONCE, dim=2):
            rows, state = self._attend(piece, state)
            samples, tails = self._chain(rows, state.tails)
            audio.append(samples[:, :, 0].clamp(-1, 1))
            state = CodecState(state.position, state.memory, state.pre_tail, tails)
        return (audio[0] if len(audio) == 1 else torch.cat(audio, dim=1)), state

    def state_after(self, codes: Tensor) -> CodecState:
        """The state after these first frames of a stream, without their audio: the convolutions see only the frames that it depends on.

        codes: (B, Q, F) int64, F > 0. Equal to that of `decode` from `initial_state`, at a small part of its cost.
        """
        state, rows = self.initial_state(len(codes)), []
        for piece in codes.split(MOST_ROWS_AT_ONCE, dim=2):
            latent, state = self._attend(piece, state)
            rows.append(latent)
        return CodecState(state.position, state.memory, state.pre_tail, self._chain.tails_after(torch.cat(rows, dim=1)))

    def _attend(self, codes: Tensor, state: CodecState) -> tuple[Tensor, CodecState]:
        """Codes to latent rows (B, F, latent_dim): everything before the first upsampling."""
        rows, pre_tail = self.pre_conv(self.quantizer(codes), state.pre_tail)
        rows, memory = self.pre_transformer(rows, state.position, state.memory)
        return rows, CodecState(state.position + codes.shape[2], memory, pre_tail, state.tails)


def _transformer_config(config: CodecDecoderConfig) -> WindowedTransformerConfig:
    attention = AttentionConfig.of(config, norm_eps=config.rms_norm_eps)
    return WindowedTransformerConfig(
        "rms_swiglu",
        attention,
        config.intermediate_size,
        config.num_hidden_layers,
        config.sliding_window,
        last_norm=True,
        outer_size=config.latent_dim,
    )


class _DecoderBlock(nn.Module):
    """Upsampling by `rate` to half the width, then three residual units. Only a holder: the chain walks through `block`."""

    def __init__(self, width: int, rate: int):
        super().__init__()
        up = CausalTransposedConv1d(width, width // 2, 2 * rate, rate)
        units = [_ResidualUnit(width // 2, dilation) for dilation in RESIDUAL_DILATIONS]
        self.block = nn.ModuleList([SnakeBeta(width), up, *units])


class _ResidualUnit(BranchingUnit):
    def __init__(self, width: int, dilation: int):
        super().__init__()
        self.act1, self.act2 = SnakeBeta(width), SnakeBeta(width)
        self.conv1 = CausalConv1d(width, width, 7, dilation=dilation)
        self.conv2 = CausalConv1d(width, width, 1)
        self.context, self.width = self.conv1.context, width

    @property
    def parts(self) -> tuple[SnakeBeta, CausalConv1d, SnakeBeta, CausalConv1d]:
        """See BranchingUnit."""
        return self.act1, self.conv1, self.act2, self.conv2
