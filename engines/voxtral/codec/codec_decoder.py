"""Codec decoder of Voxtral: turns frames of 37 codes into 24 kHz audio. Piece by piece gives exactly the result of one call."""

from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_conv import CausalTransposedConv1d, ReplicatingCausalConv1d, Stateful
from engines.kit.codec.stream_state import StreamState
from engines.kit.nn.prepared_parts import prepare_parts
from engines.voxtral.codec.codec_layers import PREPARED, CodecQuantizer, PatchConv1d
from engines.voxtral.codec.codec_transformer import MOST_ROWS_AT_ONCE, VoxtralCodecTransformer
from engines.voxtral.config import VoxtralCodecConfig

__all__ = ["VoxtralCodecDecoder", "VoxtralCodecState"]


@dataclass(frozen=True)
class VoxtralCodecState(StreamState):
    """All that the next frame needs of the frames before; decoding reads it and returns a new one.

    position: (B,) int64, frames seen. memory: keys and values per layer. tails: of the convolutions.
    """

    position: Tensor
    memory: tuple[Tensor, ...]
    tails: tuple[Tensor, ...]


class VoxtralCodecDecoder(nn.Module):
    """Codes to samples: entries and levels, four stages of a convolution and a windowed transformer, each but the first with twice the
    rows, and a convolution to patches of samples. Everything is float32.

    It looks at no frame that is still to come, and its state is complete: any cut into pieces gives the same audio. A sample hears
    CONTEXT_FRAMES frames before its own.
    Upstream, also for the names of tensors: VoxtralTTSAudioTokenizer of vllm-omni 0.30.0, which computes in bfloat16 and decodes anew for
    every piece. Weight norms are folded by the file (FoldedCheckpoint). UNUSED: patterns of the file's tensors that are the encoder's.
    """

    UNUSED = ("input_proj.*", "encoder_blocks.*")
    CONTEXT_FRAMES = 21

    def __init__(self, config: VoxtralCodecConfig):
        super().__init__()
        self.frame_samples = config.frame_samples
        self.quantizer = CodecQuantizer(config)
        self.decoder_blocks = nn.ModuleList(_blocks(config))
        self.output_proj = PatchConv1d(config.dim, config.pretransform_patch_size, config.patch_proj_kernel_size, bias=False)
        self._rows_per_frame = prod(config.decoder_strides)

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: see VoxtralCodecTransformer.packs."""
        return self._transformers[0].packs

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, PREPARED)

    def initial_state(self, batch: int = 1) -> VoxtralCodecState:
        """The state before the first frame of `batch` streams."""
        like = self.quantizer.entries
        position = torch.zeros(batch, dtype=torch.int64, device=like.device)
        memory = tuple(tensor for block in self._transformers for tensor in block.start(batch))
        convolutions = [block for block in (*self.decoder_blocks, self.output_proj) if isinstance(block, Stateful)]
        return VoxtralCodecState(position, memory, tuple(block.start(batch, like) for block in convolutions))

    @property
    def _transformers(self) -> list[VoxtralCodecTransformer]:
        return [block for block in self.decoder_blocks if isinstance(block, VoxtralCodecTransformer)]

    def decode(self, codes: Tensor, state: VoxtralCodecState) -> tuple[Tensor, VoxtralCodecState]:
        """Audio of the next frames.

        codes: (B, Q, F) int64, F > 0, each within its book (nothing here looks whether they are). returns: (B, F * frame_samples), most
        of them in [-1, 1], and the state after them.
        For one F the shapes are fixed and nothing waits for the device, so that a CUDA graph can hold it. Long input is decoded in
        pieces, in bounded memory. Raises ValueError where F frames have too few rows for the last convolution to mirror them, were they
        the first; in the release one has enough.
        """
        least = self.output_proj.context // self._rows_per_frame + 1
        if codes.shape[2] < least:
            raise ValueError(f"A piece of {codes.shape[2]} frames: the edge of a stream is mirrored in {least}. Decode so many at once.")
        return self._decode(codes, state)

    def decode_whole(self, codes: Tensor) -> Tensor:
        """(B, Q, F) int64, all frames of their streams, however few -> (B, F * frame_samples)."""
        return self._decode(codes, self.initial_state(len(codes)))[0]

    def _decode(self, codes: Tensor, state: VoxtralCodecState) -> tuple[Tensor, VoxtralCodecState]:
        audio = []
        for piece in codes.split(MOST_ROWS_AT_ONCE // self._rows_per_frame, dim=2):
            samples, state = self._decode_piece(piece, state)
            audio.append(samples)
        return (audio[0] if len(audio) == 1 else torch.cat(audio, dim=1)), state

    def _decode_piece(self, codes: Tensor, state: VoxtralCodecState) -> tuple[Tensor, VoxtralCodecState]:
        rows, n_frames = self.quantizer.decode(codes), codes.shape[2]
        kept, tails, memory, tails_after = iter(state.memory), iter(state.tails), [], []
        for block in self.decoder_blocks:
            if isinstance(block, VoxtralCodecTransformer):
                rate = rows.shape[1] // n_frames
                rows, after = block(rows, state.position * rate, tuple(next(kept) for _ in block.layers))
                memory += after
                continue
            tail = next(tails)
            if isinstance(block, ReplicatingCausalConv1d):
                tail = _tail_at(state.position, block.tail_before(rows), tail)
            rows, after = block(rows, tail)
            tails_after.append(after)
        tail = _tail_at(state.position, self.output_proj.tail_of_short(rows), next(tails))
        patches, after = self.output_proj(rows, tail)
        return patches.flatten(1), VoxtralCodecState(state.position + n_frames, tuple(memory), (*tails_after, after))


def _tail_at(position: Tensor, first: Tensor, later: Tensor) -> Tensor:
    """The first of two tails where a stream begins, and the second where it goes on."""
    return torch.where((position == 0)[:, None, None], first, later)


def _blocks(config: VoxtralCodecConfig) -> list[nn.Module]:
    """A convolution and a transformer per stage."""
    blocks: list[nn.Module] = [
        ReplicatingCausalConv1d(config.latent_dim, config.dim, config.decoder_kernels[0], stride=config.decoder_strides[0], bias=False)
    ]
    stages = zip(config.decoder_lengths, config.decoder_windows, config.decoder_kernels, config.decoder_strides, strict=True)
    for index, (n_layers, window, kernel, stride) in enumerate(stages):
        if index:
            blocks.append(CausalTransposedConv1d(config.dim, config.dim, kernel, stride, bias=False))
        blocks.append(VoxtralCodecTransformer(config, n_layers, window))
    return blocks
