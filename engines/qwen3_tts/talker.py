"""Talker: the transformer that speaks. Each step draws the first code of one frame. Qwen3TTSTalkerForConditionalGeneration without its
predictor.

Source: qwen-tts 0.1.1, core/models/modeling_qwen3_tts.py. Its three-part RoPE has equal positions in every part and is plain RoPE.
CodePredictor completes the frame: from the talker's hidden state and the first code, the other fifteen, codebook by codebook. Source:
Qwen3TTSTalkerCodePredictorModelForConditionalGeneration of the same file.
"""

from dataclasses import replace
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.depth_decoder import DepthDecoder
from engines.kit.nn.transformer import Decoder, DecoderConfig
from engines.kit.weights.checkpoint import Checkpoint
from engines.qwen3_tts.config import PredictorConfig, TalkerConfig

__all__ = ["CodePredictor", "Talker", "decoder_config", "name_in_file"]

PREFIX = "talker."


def decoder_config(config: TalkerConfig | PredictorConfig) -> DecoderConfig:
    """The transformer that the configuration describes."""
    attention = replace(AttentionConfig.of(config, norm_eps=config.rms_norm_eps), qk_norm=True)
    return DecoderConfig(attention, config.intermediate_size, config.num_hidden_layers)


class Talker(nn.Module):
    """Rows of text and codes for `decoder`, logits of codebook 0 of what it makes of them. H: hidden size."""

    def __init__(self, config: TalkerConfig):
        super().__init__()
        self.text_embedding = nn.Embedding(config.text_vocab_size, config.text_hidden_size)
        self.text_projection = nn.ModuleDict(
            {
                "linear_fc1": nn.Linear(config.text_hidden_size, config.text_hidden_size),
                "linear_fc2": nn.Linear(config.text_hidden_size, config.hidden_size),
            }
        )
        self.codec_embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.decoder = Decoder(decoder_config(config))
        self.codec_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    @property
    def dtype(self) -> torch.dtype:
        """Of rows and hidden states. The table of text may be kept in another, the file's."""
        return self.codec_head.weight.dtype

    def load(self, checkpoint: Checkpoint, device: torch.device | str) -> None:
        """Fill it from the main file. Raises CheckpointInvalid."""
        checkpoint.load_into(
            self, PREFIX, rename=name_in_file, ignore=["code_predictor.*"], packs=self.decoder.packs, device=device
        )  # fmt: skip

    def embed_text(self, ids: Tensor) -> Tensor:
        """Text tokens (B, T) int64 as rows (B, T, H)."""
        wide = self.text_embedding(ids).to(self.dtype)
        return self.text_projection["linear_fc2"](F.silu(self.text_projection["linear_fc1"](wide)))

    def embed_codes(self, codes: Tensor) -> Tensor:
        """Codes of codebook 0, control codes among them, (B, T) int64 as rows (B, T, H)."""
        return self.codec_embedding(codes)

    def logits(self, hidden_states: Tensor) -> Tensor:
        """Of codebook 0, from hidden states (B, H): (B, V) float32."""
        return self.codec_head(hidden_states).float()


def name_in_file(name: str) -> str:
    """A parameter's name -> the checkpoint's, below the prefix of the talker or of the predictor."""
    if name.startswith("decoder."):
        return "model." + name.removeprefix("decoder.")
    return "model." + name if name.startswith(("text_embedding.", "codec_embedding.")) else name


# --- the other codes of a frame


class CodePredictor(DepthDecoder):
    """A table and a head for every codebook after the first, the tables of the talker's width."""

    WIDE_LOGITS = True

    def __init__(self, config: PredictorConfig, talker: TalkerConfig):
        super().__init__(decoder_config(config), config.num_code_groups)
        n_own = self.n_codebooks - 1  # codebook 0 is the talker's
        self.codec_embedding = nn.ModuleList(nn.Embedding(config.vocab_size, talker.hidden_size) for _ in range(n_own))
        self.lm_head = nn.ModuleList(nn.Linear(config.hidden_size, config.vocab_size, bias=False) for _ in range(n_own))
        narrows = config.hidden_size != talker.hidden_size
        self.small_to_mtp_projection = nn.Linear(talker.hidden_size, config.hidden_size) if narrows else nn.Identity()

    def load(self, checkpoint: Checkpoint, device: torch.device | str) -> None:
        """Fill it from the main file. Raises CheckpointInvalid."""
        checkpoint.load_into(self, f"{PREFIX}code_predictor.", rename=name_in_file, packs=self.decoder.packs, device=device)

    def table(self, codebook: int) -> Tensor:
        """Of a codebook 1 to Q - 1: its codes embedded, (V, H)."""
        return cast("nn.Embedding", self.codec_embedding[codebook - 1]).weight

    def embed(self, codebook: int, codes: Tensor) -> Tensor:
        return F.embedding(codes, self.table(codebook))

    def project(self, rows: Tensor) -> Tensor:
        return self.small_to_mtp_projection(rows)

    def head(self, codebook: int) -> nn.Linear:
        return cast("nn.Linear", self.lm_head[codebook - 1])
