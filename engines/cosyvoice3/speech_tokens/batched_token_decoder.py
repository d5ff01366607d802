"""TokenRows: draws the speech tokens of all streams, 25 a second, each from the one before. No other code does."""

from dataclasses import dataclass

import torch
from torch import Tensor

from engines.cosyvoice3.config import SamplingConfig
from engines.cosyvoice3.speech_tokens.language_model import LanguageModel
from engines.cosyvoice3.speech_tokens.sampling import bar_end, draw
from engines.kit.decode.code_rows import CodeNetworks, CodeRows
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.row_stream import RowStart, RowStream
from engines.kit.sampling.sampling import SamplingTensors, uniform_noise

__all__ = ["TokenRows", "TokenSampling", "TokenStart"]

N_DRAWS = 2  # of a token: the second where the first is what was just said


@dataclass(frozen=True)
class TokenSampling:
    """How a stream draws. least: tokens before which speech does not end."""

    seed: int
    temperature: float
    top_k: int
    top_p: float
    least: int = 0


@dataclass(frozen=True, kw_only=True)
class TokenStart(RowStart):
    """What a stream starts from."""

    sampling: TokenSampling


class TokenRows(CodeRows[TokenStart, RowStream]):
    """A row of input is the last token. A row of keys is 82 s, less the voice and its words."""

    KEY_SIZES = (512, 1024, 2048)
    PROMPT_KEYS = 1024  # a voice of 30 s, its words and a piece of text take some 900

    def __init__(
        self, model: LanguageModel, sampling: SamplingConfig, graphs: Graphs, *, width: int, fixed_shapes: bool, host_lag_frames: int = 0
    ):  # fmt: skip
        super().__init__(
            CodeNetworks(model.decoder, 1, (model,)), graphs, width=width, fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames
        )
        self._model, self._least_repeats = model, sampling.win_size * sampling.tau_r
        self._recent = self._zeros(width, sampling.win_size, dtype=torch.int64).fill_(-1)
        self._least = self._zeros(width, 1, dtype=torch.int64)
        self._sampling = SamplingTensors.blank(width, self._active.device)
        self._draws = torch.arange(N_DRAWS, device=self._active.device)

    # --- one stream's affairs

    def _set(self, stream: RowStream, stream_start: TokenStart) -> None:
        row, sampling = stream.own_row, stream_start.sampling
        self._seed[row].fill_(sampling.seed)
        self._least[row].fill_(sampling.least)
        self._sampling.set(sampling.temperature, sampling.top_k, sampling.top_p, row)
        self._recent[row].fill_(-1)

    def _own_row_tensors(self) -> list[Tensor]:
        sampling = self._sampling
        return [self._recent, self._least, sampling.temperature, sampling.top_k, sampling.top_p]

    # --- the work itself: reads and writes the rows' tensors, knows no stream, waits for nothing

    def _uniforms(self) -> Tensor:
        """(width, N_DRAWS), of each row's seed and frame."""
        return uniform_noise(self._seed, self._frame, self._draws)

    def _sample_first(self) -> None:
        logits = bar_end(self.see(self._model.logits(self._hidden_state)), self._frame >= self._least, self._model.n_codes)
        tokens = draw(logits, self._recent, self._uniforms(), self._sampling, self._least_repeats)
        torch.where(self._active[:, 0], tokens, self._code, out=self._code)
        moved_on = torch.cat([self._recent[:, 1:], self._code[:, None]], dim=1)
        torch.where(self._active, moved_on, self._recent, out=self._recent)
        torch.ge(self._code, self._model.n_codes, out=self._ended)

    def _complete(self) -> None:
        self._row.copy_(self._model.speech_embedding(self._code[:, None]))
        self._remember(self._code[:, None])
