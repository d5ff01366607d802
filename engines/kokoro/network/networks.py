"""KokoroNetworks: all of one checkpoint, and the two halves of a speech: what is planned for a text, and what it becomes in a voice."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.kokoro.config import KokoroConfig
from engines.kokoro.network.decoder import KokoroDecoder
from engines.kokoro.network.planner import Albert, Predictor, TextEncoder
from engines.kokoro.network.styled import arrange_kernels, keep_precise

__all__ = ["KokoroNetworks", "KokoroPlan"]

UNREAD = ("bert.pooler.*",)  # of the release: a summary of the whole text, which nobody asks for


@dataclass(frozen=True, eq=False)
class KokoroPlan:
    """A text as the decoder takes it. text: (1, T, hidden), frame by frame. f0: in Hz, and energy: (1, 2 T) float32.

    lengths: (N,) frames of each symbol, of a text that was planned.
    """

    text: Tensor
    f0: Tensor
    energy: Tensor
    lengths: Tensor | None = None


class KokoroNetworks(nn.Module):
    """Parameters have the names of the official state dict. A style is a voice's row, (1, 2 S): its timbre, then its prosody."""

    def __init__(self, config: KokoroConfig):
        super().__init__()
        self.config = config
        self.bert = Albert(config.albert, config.n_symbols)
        self.bert_encoder = nn.Linear(config.albert.hidden_size, config.hidden)
        self.predictor, self.text_encoder, self.decoder = Predictor(config), TextEncoder(config), KokoroDecoder(config)

    @classmethod
    @torch.no_grad()
    def read(cls, config: KokoroConfig, checkpoint: Checkpoint, dtype: torch.dtype, device: str = "cpu") -> "KokoroNetworks":
        """With all tensors of a checkpoint, computing in that type, but for what `keep_precise` names.

        device: "meta" compares names and shapes, and reads nothing. Raises CheckpointInvalid for what is missing, unexpected or misshapen.
        """
        networks = without_memory(lambda: cls(config), dtype)
        keep_precise(networks)
        checkpoint.load_into(networks, ignore=UNREAD, device=device)
        checkpoint.check_all_used()
        if torch.device(device).type != "meta":
            arrange_kernels(networks, learned_through=networks.decoder.generator)
            networks.bert.pack()
        return networks

    @property
    def dtype(self) -> torch.dtype:
        return self.bert_encoder.weight.dtype

    def encode(self, symbols: Tensor, style: Tensor) -> tuple[Tensor, Tensor]:
        """What the predictor knows of symbols (1, N), 0 first and last: (1, N, hidden + S), and their lengths in frames, (N,) float32."""
        prosody = style[:, self.config.style :]
        encoded = self.predictor.encode(self.bert_encoder(self.bert(symbols)), prosody)
        return encoded, self.predictor.durations(encoded)[0]

    def plan(self, symbols: Tensor, encoded: Tensor, frames: Tensor, style: Tensor) -> KokoroPlan:
        """frames: (N,) whole numbers from 1, how long each symbol is."""
        f0, energy = self.predictor.melody(encoded.repeat_interleave(frames, 1), style[:, self.config.style :])
        text = self.text_encoder(symbols).repeat_interleave(frames, 1)
        return KokoroPlan(text, f0, energy, frames)

    def features(self, plan: KokoroPlan, style: Tensor) -> Tensor:
        """(1, 2 T, channels): the plan as the generator takes it, said by a front of that timbre, (1, S)."""
        return self.decoder.features(plan.text, plan.f0, plan.energy, style)
