"""CodePredictor: completes a frame. From the talker's hidden state and the first code, the other fifteen, codebook by codebook.

Source: Qwen3TTSTalkerCodePredictorModelForConditionalGeneration of qwen-tts 0.1.1, core/models/modeling_qwen3_tts.py.
"""

import torch
from torch import Tensor, nn

from engines.kit.nn.depth_decoder import DepthDecoder
from engines.kit.weights.checkpoint import Checkpoint
from engines.qwen3_tts.config import PredictorConfig, TalkerConfig
from engines.qwen3_tts.talker import decoder_config, name_in_file

__all__ = ["CodePredictor"]

PREFIX = "talker.code_predictor."


class CodePredictor(DepthDecoder):
    """A table and a head for every codebook after the first, the tables of the talker's width."""

    def __init__(self, config: PredictorConfig, talker: TalkerConfig):
        super().__init__(decoder_config(config), config.num_code_groups)
        n_own = self.n_codebooks - 1  # codebook 0 is the talker's
        self.codec_embedding = nn.ModuleList(nn.Embedding(config.vocab_size, talker.hidden_size) for _ in range(n_own))
        self.lm_head = nn.ModuleList(nn.Linear(config.hidden_size, config.vocab_size, bias=False) for _ in range(n_own))
        narrows = config.hidden_size != talker.hidden_size
        self.small_to_mtp_projection = nn.Linear(talker.hidden_size, config.hidden_size) if narrows else nn.Identity()

    def load(self, checkpoint: Checkpoint, device: torch.device | str) -> None:
        """Fill it from the main file. Raises CheckpointInvalid."""
        checkpoint.load_into(self, PREFIX, rename=name_in_file, packs=self.decoder.packs, device=device)

    def embed(self, codebook: int, codes: Tensor) -> Tensor:
        return self.codec_embedding[codebook - 1](codes)

    def project(self, rows: Tensor) -> Tensor:
        return self.small_to_mtp_projection(rows)

    def logits(self, codebook: int, hidden_state: Tensor) -> Tensor:
        return self.lm_head[codebook - 1](hidden_state).float()
