"""The decoder of Pocket TTS' VAE: turns latents into 24 kHz audio. Piece by piece gives exactly the result of one call. Half of Mimi (arXiv
2410.00037).
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engines.kit.codec.stream_state import StreamState
from engines.kit.nn.module_list import module_dict
from engines.pocket_tts.config import VaeConfig
from engines.pocket_tts.vae.codec_matrix import CodecMatrix
from engines.pocket_tts.vae.codec_transformer import CodecTransformer
from engines.pocket_tts.vae.scratch import Scratch
from engines.pocket_tts.vae.seanet import SeanetDecoder

__all__ = ["VaeDecoder", "VaeDecoderState"]

MOST_FRAMES_AT_ONCE = 4  # the longest piece that is streamed; 8 are a tenth faster, and the state leans on twice the memory


@dataclass(frozen=True)
class VaeDecoderState(StreamState):
    """All that the next latent needs of those before; decoding reads it and returns a new one. Of fixed size.

    position: (B,) int64, rows of the transformer seen. last: (B, 1, outer_dim), what the upsampling saw last. kept: per layer keys and
    values of the window. tails: of the convolutions.
    """

    position: Tensor
    last: Tensor
    kept: tuple[Tensor, ...]
    tails: tuple[Tensor, ...]


class VaeDecoder(nn.Module):
    """Decoder half of MimiModel, pocket-tts 4.0.1, by which its tensors are named. float32, on the CPU; samples are not clipped."""

    def __init__(self, config: VaeConfig):
        super().__init__()
        self.config = config
        self.quantizer = module_dict({"output_proj": nn.Conv1d(config.latent_dim, config.outer_dim, 1, bias=False)})
        kernel, stride = 2 * config.upsampling, config.upsampling
        upsampling = nn.ConvTranspose1d(config.outer_dim, config.outer_dim, kernel, stride=stride, groups=config.outer_dim, bias=False)
        self.upsample = module_dict({"convtr": module_dict({"convtr": upsampling})})
        self.decoder_transformer = module_dict({"transformer": CodecTransformer(config.decoder_transformer, config.upsampling)})
        self.decoder = SeanetDecoder(config.decoder_seanet)
        self._scratch = Scratch()

    def prepare_weights(self, std: Tensor, mean: Tensor) -> None:
        """Fold the flow LM's emb_std and emb_mean, (latent_dim,), into the first matrix, and make all ready. Once, after loading."""
        projection = self.quantizer["output_proj"].weight.detach()[:, :, 0]
        self.projection = CodecMatrix(projection * std, projection @ mean)
        phases = self.upsample["convtr"]["convtr"].weight.detach()[:, 0].T.contiguous()  # (2 * upsampling, outer_dim)
        self.now, self.before = phases.chunk(2)
        self.transformer = self.decoder_transformer["transformer"]
        del self.quantizer, self.upsample, self.decoder_transformer
        self.transformer.prepare_weights()
        self.decoder.prepare_weights()
        self.requires_grad_(False)

    def initial_state(self, batch: int = 1) -> VaeDecoderState:
        """Before the first latent of so many streams."""
        last, position = torch.zeros(batch, 1, self.config.outer_dim), torch.zeros(batch, dtype=torch.int64)
        return VaeDecoderState(position, last, self.transformer.start(batch), self.decoder.start(batch))

    def decode(self, latents: Tensor, state: VaeDecoderState) -> tuple[Tensor, VaeDecoderState]:
        """latents: (B, F, latent_dim) as the flow LM gives them, of B streams that stand where `state` says.

        returns: (B, F * 1920) samples, most of them in [-1, 1]; the state behind them.
        """
        audio = []
        for piece in latents.split(MOST_FRAMES_AT_ONCE, dim=1):
            rows, state = self._rows(piece, state)
            samples, tails = self.decoder(rows, state.tails, self._scratch)
            state = VaeDecoderState(state.position, state.last, state.kept, tails)
            audio.append(samples.flatten(1))
        return audio[0] if len(audio) == 1 else torch.cat(audio, dim=1), state

    def _rows(self, latents: Tensor, state: VaeDecoderState) -> tuple[Tensor, VaeDecoderState]:
        """(B, F, latent_dim) -> (B, F * upsampling, D): a row of phase s is x_t * now[s] + x_(t-1) * before[s], then the transformer."""
        present = self.projection(latents.flatten(0, 1)).view(*latents.shape[:2], -1)
        seen = torch.cat([state.last, present], dim=1)
        rows = present[:, :, None] * self.now
        rows = rows.addcmul_(seen[:, :-1, None], self.before).flatten(1, 2)
        rows, kept = self.transformer(rows, state.position, state.kept)
        return rows, VaeDecoderState(state.position + rows.shape[1], seen[:, -1:].clone(), kept, state.tails)
