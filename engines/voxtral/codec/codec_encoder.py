"""Codec encoder of Voxtral: turns 24 kHz audio into frames of 37 codes. The released checkpoint has no weights for it; a full one has."""

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_conv import ReplicatingCausalConv1d
from engines.kit.nn.module_list import module_list
from engines.kit.nn.prepared_parts import prepare_parts
from engines.voxtral.codec.codec_layers import PREPARED, CodecQuantizer, PatchConv1d
from engines.voxtral.codec.codec_transformer import VoxtralCodecTransformer
from engines.voxtral.config import VoxtralCodecConfig

__all__ = ["VoxtralCodecEncoder"]


class VoxtralCodecEncoder(nn.Module):
    """Samples to codes: a convolution over patches of samples, four stages of a windowed transformer and a convolution, each but the last
    with half the rows, and the books of a frame. Everything is float32, and every row of a batch is computed alone.

    Upstream, also for the names of tensors: VoxtralTTSAudioTokenizer of vllm-omni 0.30.0, which computes in bfloat16 for its attention's
    sake. Weight norms are folded by the file (FoldedCheckpoint). UNUSED: patterns of the file's tensors that are the decoder's.
    """

    UNUSED = ("decoder_blocks.*", "output_proj.*")

    def __init__(self, config: VoxtralCodecConfig):
        super().__init__()
        self.patch_samples = config.pretransform_patch_size
        self.input_proj = PatchConv1d(self.patch_samples, config.dim, config.patch_proj_kernel_size, bias=False)
        self.encoder_blocks = module_list(_blocks(config))
        self.quantizer = CodecQuantizer(config)

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: see VoxtralCodecTransformer.packs."""
        first = self.encoder_blocks[0]
        assert isinstance(first, VoxtralCodecTransformer)
        return first.packs

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, PREPARED)

    def encode(self, samples: Tensor) -> Tensor:
        """Samples to codes.

        samples: (B, T) float32 in [-1, 1] at 24 kHz, T > 0 a multiple of patch_samples. returns: (B, Q, F) int64, F = ceil(T /
        config.frame_samples): a last part of a frame counts. Raises ValueError for another T.
        """
        if not samples.shape[1] or samples.shape[1] % self.patch_samples:
            raise ValueError(
                f"{samples.shape[1]} samples: they must be a multiple of {self.patch_samples}, a patch. Pad them with silence."
            )
        rows = samples.unflatten(1, (-1, self.patch_samples))
        rows, _ = self.input_proj(rows, self.input_proj.tail_of_short(rows))
        for block in self.encoder_blocks:
            if isinstance(block, VoxtralCodecTransformer):
                rows = block.forward_whole(rows)
                continue
            missing = -rows.shape[1] % block.stride  # these convolutions continue both edges
            rows = torch.cat([rows, rows[:, -1:].expand(-1, missing, -1)], dim=1)
            rows, _ = block(rows, block.tail_before(rows))
        return self.quantizer.encode(rows)


def _blocks(config: VoxtralCodecConfig) -> list[VoxtralCodecTransformer | ReplicatingCausalConv1d]:
    """A transformer and a convolution per stage."""
    blocks: list[VoxtralCodecTransformer | ReplicatingCausalConv1d] = []
    outputs = [config.dim] * (len(config.encoder_lengths) - 1) + [config.latent_dim]
    stages = zip(config.encoder_lengths, config.encoder_windows, config.encoder_kernels, config.encoder_strides, outputs, strict=True)
    for n_layers, window, kernel, stride, width in stages:
        blocks.append(VoxtralCodecTransformer(config, n_layers, window))
        blocks.append(ReplicatingCausalConv1d(config.dim, width, kernel, stride=stride, bias=False))
    return blocks
