"""Codec encoder of Fish Audio S2 Pro: turns 44.1 kHz audio into frames of ten codes."""

import torch
from torch import Tensor, nn

from engines.fish_speech.codec.codec_config import FishCodecConfig
from engines.fish_speech.codec.codec_layers import KERNEL, PREPARED, codec_transformer, residual_units
from engines.kit.codec.causal_chain import CausalChain
from engines.kit.codec.causal_conv import CausalConv1d, ConvNextBlock
from engines.kit.codec.factorized_quantizer import FactorizedQuantizer
from engines.kit.codec.snake import Snake
from engines.kit.nn.module_list import module_dict, module_list
from engines.kit.nn.prepared_parts import prepare_parts
from engines.kit.nn.windowed_transformer import WindowedTransformer

__all__ = ["FishCodecEncoder"]

LAST_KERNEL = 3  # dac_modules of vllm-omni 0.30.0, Encoder
FRAMES_AT_ONCE, FRAMES_AT_ONCE_ON_A_GPU = 12, 128  # 6 and 67 MB per activation of the first stage: caches, and few launches


class FishCodecEncoder(nn.Module):
    """Samples to codes: convolutions, a transformer, fewer rows, another transformer, the books of a frame.

    It looks at no sample that is still to come. Upstream, also for the names of tensors: DAC.encode of vllm-omni 0.30.0, without what
    it computes and drops (post_module and the way back up).
    UNUSED: patterns of the file's tensors that are the decoder's.
    """

    UNUSED = ("decoder.*", "quantizer.post_module.*", "quantizer.upsample.*")

    def __init__(self, config: FishCodecConfig):
        super().__init__()
        self.frame_samples, self.sample_rate = config.frame_samples, config.sample_rate
        width, latent = config.encoder_width, config.latent_dim
        stages = [_EncoderStage(config.encoder_dim << index, rate) for index, rate in enumerate(config.encoder_rates)]
        first, last = CausalConv1d(1, config.encoder_dim, KERNEL), [Snake(width), CausalConv1d(width, latent, LAST_KERNEL)]
        self._convolutions = CausalChain([first, *(layer for stage in stages for layer in stage.block)])
        if config.encoder_transformer:
            stages[-1].block.append(codec_transformer(config.encoder_transformer, width, config.head_dim))
        self.encoder = module_dict({"block": module_list([first, *stages, *last])})
        self.quantizer = _RowsToCodes(config)
        self._reduction = CausalChain([*last, *(layer for step in self.quantizer.downsample for layer in step)])

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: see WindowedTransformer.packs."""
        return self.quantizer.pre_module.packs

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        prepare_parts(self, PREPARED)

    def encode(self, samples: Tensor) -> Tensor:
        """Samples to codes, in bounded memory but for what comes out.

        samples: (B, T) float32 in [-1, 1] at sample_rate, T a multiple of frame_samples, T > 0. returns: (B, Q, T / frame_samples) int64.
        Raises ValueError for another T.
        """
        if not samples.shape[1] or samples.shape[1] % self.frame_samples:
            raise ValueError(
                f"{samples.shape[1]} samples: they must be a multiple of {self.frame_samples}, a frame. Pad them with silence."
            )
        last_stage = self.encoder["block"][-3]
        assert isinstance(last_stage, _EncoderStage)
        rows = last_stage.attend(self._convolve(samples))
        rows = self.quantizer.pre_module.forward_whole(self._reduction(rows, None)[0])
        semantic, left = self.quantizer.semantic_quantizer(rows)
        residual, _ = self.quantizer.quantizer(left)
        return torch.cat([semantic, residual], dim=2).transpose(1, 2).contiguous()

    def _convolve(self, samples: Tensor) -> Tensor:
        """(B, T) -> (B, rows of the last stage, width), piece by piece."""
        tails, rows = None, []
        n_frames = FRAMES_AT_ONCE_ON_A_GPU if samples.is_cuda else FRAMES_AT_ONCE
        for piece in samples[:, :, None].split(n_frames * self.frame_samples, dim=1):
            reduced, tails = self._convolutions(piece, tails)
            rows.append(reduced)
        return torch.cat(rows, dim=1)


class _RowsToCodes(nn.Module):
    """Under the file's names. Only a holder."""

    def __init__(self, config: FishCodecConfig):
        super().__init__()
        latent = config.latent_dim
        self.downsample = module_list(
            module_list([CausalConv1d(latent, latent, factor, stride=factor), ConvNextBlock(latent)]) for factor in config.downsample_factor
        )
        self.pre_module = codec_transformer(config.pre_module, latent, config.head_dim)
        self.semantic_quantizer = FactorizedQuantizer(latent, config.codebook_dim, (config.semantic_codebook_size,))
        self.quantizer = FactorizedQuantizer(latent, config.codebook_dim, config.residual_codebook_sizes)


class _EncoderStage(nn.Module):
    """Three residual units, then `rate` times fewer rows of twice the width: the chain walks through them.

    Behind them the last stage may have a transformer.
    """

    def __init__(self, width: int, rate: int):
        super().__init__()
        down = CausalConv1d(width, 2 * width, 2 * rate, stride=rate)
        self.block = nn.ModuleList([*residual_units(width), Snake(width), down])

    def attend(self, rows: Tensor) -> Tensor:
        """All rows of the stage through its transformer, where it has one."""
        last = self.block[-1]
        return last.forward_whole(rows) if isinstance(last, WindowedTransformer) else rows
