"""FishRows: makes all frames: a semantic code by the slow transformer, nine by the fast one, sound by the codec. No other code does."""

from dataclasses import dataclass

import torch
from torch import Tensor

from engines.fish_speech.networks import FishNetworks
from engines.kit.decode.code_rows import CodeNetworks, CodeRows
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.row_stream import RowStart, RowStream
from engines.kit.sampling.sampling import CODEBOOK_STRIDE, SamplingTensors, sample_cut_first, sample_cut_first_and_embed

__all__ = ["FishRows", "FishSampling", "FishStart"]

# Repetition-aware sampling (Chen et al. 2024, arXiv 2406.05370) as Fish has it: a semantic code that is one of the last REPEAT_WINDOW is
# replaced by a second draw, at this temperature and top-p. The first frame's code is not among them.
REPEAT_WINDOW, REPEAT_TEMPERATURE, REPEAT_TOP_P = 10, 1.0, 0.9
DRAW_STRIDE = 2 * CODEBOOK_STRIDE  # of noise: 4096 semantic codes, and the end
FIRST, SECOND, RESIDUAL = 0, 1, 2  # draws of a frame: of the semantic code twice, then of each residual book


@dataclass(frozen=True)
class FishSampling:
    """Of all codebooks alike. temperature 0: the likeliest; top_k 0: among all."""

    seed: int
    temperature: float
    top_k: int
    top_p: float


@dataclass(frozen=True, kw_only=True)
class FishStart(RowStart):
    """sampling: of all frames."""

    sampling: FishSampling


class FishRows(CodeRows[FishStart, RowStream]):
    """A row of input is the last frame, all of its codes. A position is 21.5 a second: a row of keys is 95 s."""

    KEY_SIZES = (512, 768, 1024, 1536, 2048)  # a step reads 1.2 MB per position of eight rows, beside 14.5 GB of weights
    PROMPT_KEYS = 1024  # a voice of 30 s, its words and a piece of text take some 900

    def __init__(
        self, networks: FishNetworks, graphs: Graphs, codec_graphs: Graphs | None = None,
        *, width: int, fixed_shapes: bool, host_lag_frames: int = 0,
    ):  # fmt: skip
        slow, fast, device = networks.slow, networks.fast, networks.device
        parts = CodeNetworks(slow.decoder, slow.n_codebooks, (slow, fast, networks.decoder), networks.decoder)
        super().__init__(parts, graphs, codec_graphs, width=width, fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames)
        self._networks, self._end = networks, slow.n_semantic
        draws = torch.arange(RESIDUAL + fast.n_codebooks - 1, device=device)[:, None] * DRAW_STRIDE
        self._semantic_positions = (draws[:RESIDUAL] + torch.arange(slow.n_semantic + 1, device=device)).flatten()
        self._residual_positions = (draws[RESIDUAL:] + torch.arange(fast.n_codes, device=device)).flatten()
        self._fast_keys = fast.new_cache(width)
        self._window = self._zeros(width, REPEAT_WINDOW, dtype=torch.int64).fill_(-1)
        self._semantic_sampling = SamplingTensors.blank(width, device, RESIDUAL)
        self._sampling = self._semantic_sampling.of_draw(FIRST)

    def warm_up(self) -> None:
        for row in range(self.width):
            self._draw_as(row, FishSampling(0, 1.0, 30, 0.8))
        super().warm_up()

    # --- one stream's affairs

    def _set(self, stream: RowStream, stream_start: FishStart) -> None:
        self._draw_as(stream.own_row, stream_start.sampling)
        self._window[stream.row].fill_(-1)

    def _draw_as(self, row: int, sampling: FishSampling) -> None:
        self._seed[row].fill_(sampling.seed)
        self._semantic_sampling.set(sampling.temperature, sampling.top_k, sampling.top_p, (row, FIRST))
        self._semantic_sampling.set(REPEAT_TEMPERATURE, sampling.top_k, REPEAT_TOP_P, (row, SECOND))

    def _own_row_tensors(self) -> list[Tensor]:
        sampling = self._semantic_sampling
        return [self._window, sampling.temperature, sampling.top_k, sampling.top_p]

    # --- the work itself: reads and writes the rows' tensors, knows no stream, waits for nothing

    def _sample_first(self) -> None:
        logits = self.see(self._networks.slow.logits(self._hidden_state))
        noise = self._noise(self._semantic_positions).view(self.width, RESIDUAL, -1)
        first, second = self._drawn(logits[:, None], noise, self._semantic_sampling).unbind(1)
        is_repeated = (self._window == first[:, None]).any(dim=1)  # the end is not there as long as the speech goes on
        codes = torch.where(is_repeated, second, first)
        torch.where(self._active[:, 0], codes, self._code, out=self._code)
        moved_on = torch.cat([self._window[:, 1:], self._code[:, None]], dim=1)
        torch.where(self._active & (self._frame > 0), moved_on, self._window, out=self._window)
        torch.eq(self._code, self._end, out=self._ended)

    def _complete(self) -> None:
        slow, fast = self._networks.slow, self._networks.fast
        noise = self._noise(self._residual_positions).view(self.width, fast.n_codebooks - 1, -1)
        semantic = self._code[:, None].clamp(max=self._end - 1)  # an ended frame may be completed before anybody knows

        def sample_codebook(logits: Tensor, codebook: int) -> Tensor | tuple[Tensor, Tensor]:
            given = self.see(logits), noise[:, codebook - 1], self._sampling
            return sample_cut_first_and_embed(*given, fast.embeddings.weight) if self._draws_fused else sample_cut_first(*given)

        residual, _ = fast.complete(self._hidden_state, fast.embed(0, semantic)[:, 0], sample_codebook, self._fast_keys)
        codes = torch.cat([semantic, residual], dim=1)
        self._row.copy_(slow.embed_frames(codes[:, None]))
        self._remember(codes)

    def _drawn(self, logits: Tensor, noise: Tensor, sampling: SamplingTensors) -> Tensor:
        return sample_cut_first(logits, noise, sampling, fused=self._draws_fused)

    @property
    def _draws_fused(self) -> bool:
        return "draw_codes_cut_first" in self._kernels
