"""CodePredictor: completes a frame. From the talker's hidden row and the first code, the other fifteen, book by book.

Source: Qwen3TTSTalkerCodePredictorModelForConditionalGeneration of qwen-tts 0.1.1, core/models/modeling_qwen3_tts.py.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from engines.layers.checkpoint import Checkpoint
from engines.layers.transformer import Decoder, KeyValues
from engines.qwen3_tts.config import PredictorConfig, TalkerConfig
from engines.qwen3_tts.talker import decoder_shape

__all__ = ["Choose", "CodePredictor"]

PREFIX = "talker.code_predictor."

# (logits (B, V) float32, book 1 to 15) -> codes (B,) int64
Choose = Callable[[Tensor, int], Tensor]


class CodePredictor(nn.Module):
    """A small transformer over the books of one frame. H: the talker's width, D: its own; Q: books in all."""

    def __init__(self, config: PredictorConfig, talker: TalkerConfig):
        super().__init__()
        self.n_books = config.num_code_groups
        n_own = self.n_books - 1  # book 0 is the talker's
        self.codec_embedding = nn.ModuleList(nn.Embedding(config.vocab_size, talker.hidden_size) for _ in range(n_own))
        self.lm_head = nn.ModuleList(nn.Linear(config.hidden_size, config.vocab_size, bias=False) for _ in range(n_own))
        narrows = config.hidden_size != talker.hidden_size
        self.small_to_mtp_projection = nn.Linear(talker.hidden_size, config.hidden_size) if narrows else nn.Identity()
        self.decoder = Decoder(decoder_shape(config))

    def load(self, checkpoint: Checkpoint, device: torch.device | str) -> None:
        """Fill it from the main file. Raises CheckpointInvalid."""
        checkpoint.load_into(self, PREFIX, rename=_name_in_file, packs=self.decoder.packs, device=device)

    def embed(self, book: int, codes: Tensor) -> Tensor:
        """Codes (B, T) int64 of a book 1 to Q - 1 as rows (B, T, H) of the talker's width."""
        return self.codec_embedding[book - 1](codes)

    def new_cache(self, batch: int = 1) -> KeyValues:
        """Keys and values for one frame: the hidden row and all codes but the last. Each frame overwrites the one before."""
        return self.decoder.new_cache(batch, self.n_books)

    def complete(self, hidden: Tensor, code0_row: Tensor, choose: Choose, cache: KeyValues) -> tuple[Tensor, Tensor]:
        """The codes of books 1 to Q - 1, (B, Q - 1) int64, and their rows (B, Q - 1, H).

        hidden: the talker's hidden row (B, H). code0_row: the talker's embedding of the first code (B, H).
        """
        positions = torch.arange(self.n_books, device=hidden.device)
        rows = self.small_to_mtp_projection(torch.stack([hidden, code0_row], dim=1))
        last = self.decoder(rows, cache, positions[:2], 2)[:, -1]
        codes, embedded = [], []
        for book in range(1, self.n_books):
            code = choose(self.lm_head[book - 1](last).float(), book)
            row = self.embed(book, code[:, None])
            codes.append(code)
            embedded.append(row)
            if book + 1 < self.n_books:
                at = positions[book + 1 : book + 2]
                last = self.decoder(self.small_to_mtp_projection(row), cache, at, book + 2, exact=True)[:, -1]
        return torch.stack(codes, dim=1), torch.cat(embedded, dim=1)


def _name_in_file(name: str) -> str:
    """Our parameter's name -> the checkpoint's, below PREFIX."""
    if name.startswith("decoder."):
        return "model." + name.removeprefix("decoder.")
    return "model." + name if name.startswith("codec_embedding.") else name
