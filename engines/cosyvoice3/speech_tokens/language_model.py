"""LanguageModel: text and speech tokens to the next speech token. A Qwen2 decoder with one table for words and another for speech.

Source: CosyVoice3LM of CosyVoice @ ace7c47 (cosyvoice/llm/llm.py). It is given no embedding of the speaker.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn

from engines.cosyvoice3.config import LanguageConfig
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.transformer import Decoder, DecoderConfig

__all__ = ["LanguageModel"]

BEGIN, TURN = 0, 2  # rows of the table of speech beyond its codes: where a sequence begins, where speech follows (`sos`, `task_id`)


class LanguageModel(nn.Module):
    """Names of parameters are the checkpoint's, but for where the decoder lies. H: hidden size; rows are (1, T, H)."""

    def __init__(self, config: LanguageConfig):
        super().__init__()
        attention = replace(AttentionConfig.of(config, norm_eps=config.rms_norm_eps), qkv_bias=True)
        # float32 between layers: others met numbers beyond float16 here (vllm-omni, pull request 4168), and nobody has measured bfloat16.
        self.decoder = Decoder(DecoderConfig(attention, config.intermediate_size, config.num_hidden_layers, wide_residual=True))
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.speech_embedding = nn.Embedding(config.n_speech_rows, config.hidden_size)
        self.llm_decoder = nn.Linear(config.hidden_size, config.n_speech_rows, bias=False)
        self.n_codes = config.speech_token_size

    @property
    def dtype(self) -> torch.dtype:
        """Of rows and hidden states."""
        return self.llm_decoder.weight.dtype

    def prepare_weights(self) -> None:
        """Frequencies of rotation, on the device before a graph wants them. Once, after loading."""
        self.decoder.step(torch.zeros(1, dtype=torch.int64, device=self.llm_decoder.weight.device), 1)

    def voice_rows(self, text: Tensor) -> Tensor:
        """What is read first, of text (N,) int64 that all in a voice begins with: (1, 1 + N, H)."""
        return torch.cat([self._mark(BEGIN), self.embed_tokens(text)])[None]

    def text_rows(self, text: Tensor, speech: Tensor) -> Tensor:
        """What is read before the first token: text (N,) int64, and speech tokens (P,) int64 to go on from: (1, N + 1 + P, H)."""
        return torch.cat([self.embed_tokens(text), self._mark(TURN), self.speech_embedding(speech)])[None]

    def logits(self, hidden_state: Tensor) -> Tensor:
        """Of the next token, (B, V) float32, from hidden states (B, H). Codes from n_codes on end the speech."""
        return self.llm_decoder(hidden_state).float()

    def _mark(self, row: int) -> Tensor:
        at = self.n_codes + row
        return self.speech_embedding.weight[at : at + 1]
