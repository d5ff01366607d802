"""The encoder of Pocket TTS' VAE: turns 24 kHz audio into latents, 12.5 a second, in bounded memory. Half of Mimi (arXiv 2410.00037)."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.codec.causal_conv import ReplicatingCausalConv1d
from engines.kit.nn.module_list import module_dict
from engines.pocket_tts.config import FRAME_SAMPLES, VaeConfig
from engines.pocket_tts.vae.codec_transformer import CodecTransformer
from engines.pocket_tts.vae.scratch import Scratch
from engines.pocket_tts.vae.seanet import SeanetEncoder

__all__ = ["VaeEncoder"]

FRAMES_AT_ONCE = 8  # 4 MB per activation at the first layers; 4 are 6 % slower, 12 are 3 % faster


class VaeEncoder(nn.Module):
    """Encoder half of MimiModel, pocket-tts 4.0.1, by which its tensors are named. float32, on the CPU."""

    def __init__(self, config: VaeConfig):
        super().__init__()
        self.config, stride = config, FRAME_SAMPLES // config.seanet.hop_samples
        self.encoder = SeanetEncoder(config.seanet)
        self.encoder_transformer = module_dict({"transformer": CodecTransformer(config.transformer, stride)})
        downsampling = ReplicatingCausalConv1d(config.transformer.d_model, config.inner_dim, 2 * stride, stride=stride, bias=False)
        self.downsample = module_dict({"conv": downsampling})

    def prepare_weights(self) -> None:
        """Make all ready. Once, after loading."""
        self.encoder.prepare_weights()
        self.encoder_transformer["transformer"].prepare_weights()
        self.downsample["conv"].prepare_weights()
        self.requires_grad_(False)

    def encode(self, samples: Tensor) -> Tensor:
        """(T,) samples in [-1, 1] at 24 kHz -> (F, inner_dim), F = ceil(T / 1920): zeros complete the last frame."""
        scratch = Scratch()  # given up with the clip
        transformer, downsampling = self.encoder_transformer["transformer"], self.downsample["conv"]
        samples = F.pad(samples, (0, -len(samples) % FRAME_SAMPLES))[None, :, None]
        tails, kept, position, last, latents = self.encoder.start(1), transformer.start(1), torch.zeros(1, dtype=torch.int64), None, []
        for piece in samples.split(FRAMES_AT_ONCE * FRAME_SAMPLES, dim=1):
            rows, tails = self.encoder(piece, tails, scratch)
            rows, kept = transformer(rows, position, kept)
            position = position + rows.shape[1]
            reduced, last = downsampling(rows, downsampling.tail_before(rows) if last is None else last)
            latents.append(reduced)
        return torch.cat(latents, dim=1)[0]
