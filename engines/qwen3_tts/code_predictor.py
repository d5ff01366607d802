"""CodePredictor: completes a frame. From the talker's hidden state and the first code, the other fifteen, codebook by codebook.

Source: Qwen3TTSTalkerCodePredictorModelForConditionalGeneration of qwen-tts 0.1.1, core/models/modeling_qwen3_tts.py.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from engines.layers.attention import AttentionStep
from engines.layers.checkpoint import Checkpoint
from engines.layers.kv_cache import KVCache
from engines.layers.transformer import Decoder
from engines.qwen3_tts.config import PredictorConfig, TalkerConfig
from engines.qwen3_tts.talker import decoder_config

__all__ = ["CodePredictor", "SampleCodebook"]

PREFIX = "talker.code_predictor."

# (logits (B, V) float32, codebook 1 to 15) -> codes (B,) int64
SampleCodebook = Callable[[Tensor, int], Tensor]


class CodePredictor(nn.Module):
    """A small transformer over the codebooks of one frame. H: the talker's width, D: its own; Q: codebooks in all."""

    def __init__(self, config: PredictorConfig, talker: TalkerConfig):
        super().__init__()
        self.n_codebooks = config.num_code_groups
        n_own = self.n_codebooks - 1  # codebook 0 is the talker's
        self.codec_embedding = nn.ModuleList(nn.Embedding(config.vocab_size, talker.hidden_size) for _ in range(n_own))
        self.lm_head = nn.ModuleList(nn.Linear(config.hidden_size, config.vocab_size, bias=False) for _ in range(n_own))
        narrows = config.hidden_size != talker.hidden_size
        self.small_to_mtp_projection = nn.Linear(talker.hidden_size, config.hidden_size) if narrows else nn.Identity()
        self.decoder = Decoder(decoder_config(config))
        self._steps: tuple[AttentionStep, ...] = ()

    def load(self, checkpoint: Checkpoint, device: torch.device | str) -> None:
        """Fill it from the main file. Raises CheckpointInvalid."""
        checkpoint.load_into(self, PREFIX, rename=_name_in_file, packs=self.decoder.packs, device=device)

    def embed(self, codebook: int, codes: Tensor) -> Tensor:
        """Codes (B, T) int64 of a codebook 1 to Q - 1 embedded, (B, T, H) of the talker's width."""
        return self.codec_embedding[codebook - 1](codes)

    def new_cache(self, batch: int = 1) -> KVCache:
        """A cache for one frame: the hidden state and all codes but the last. Each frame overwrites the one before."""
        return self.decoder.new_cache(batch, self.n_codebooks)

    def complete(self, hidden_state: Tensor, code0_embed: Tensor, sample_codebook: SampleCodebook, cache: KVCache) -> tuple[Tensor, Tensor]:
        """The codes of codebooks 1 to Q - 1, (B, Q - 1) int64, and their embeddings (B, Q - 1, H).

        hidden_state: the talker's (B, H). code0_embed: the talker's embedding of the first code (B, H).
        """
        steps = self._steps = self._steps or self._frame_steps(hidden_state.device)
        inputs_embeds = self.small_to_mtp_projection(torch.stack([hidden_state, code0_embed], dim=1))
        last = self.decoder(inputs_embeds, steps[0], cache)[:, -1]
        codes, embeds = [], []
        for codebook in range(1, self.n_codebooks):
            code = sample_codebook(self.lm_head[codebook - 1](last).float(), codebook)
            embed = self.embed(codebook, code[:, None])
            codes.append(code)
            embeds.append(embed)
            if codebook + 1 < self.n_codebooks:
                last = self.decoder(self.small_to_mtp_projection(embed), steps[codebook], cache)[:, -1]
        return torch.stack(codes, dim=1), torch.cat(embeds, dim=1)

    def _frame_steps(self, device: torch.device) -> tuple[AttentionStep, ...]:
        """The passes of a frame, the same in every frame: hidden state and first code, then one code each."""
        positions = torch.arange(self.n_codebooks, device=device)
        rest = (self.decoder.step(positions[at : at + 1], at + 1, exact=True) for at in range(2, self.n_codebooks))
        return self.decoder.step(positions[:2], 2), *rest


def _name_in_file(name: str) -> str:
    """Our parameter's name -> the checkpoint's, below PREFIX."""
    if name.startswith("decoder."):
        return "model." + name.removeprefix("decoder.")
    return "model." + name if name.startswith("codec_embedding.") else name
