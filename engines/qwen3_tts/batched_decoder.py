"""QwenRows: makes all frames: the talker reads a row of text and codes, the predictor follows, then the codec. No other code does."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from engines.errors import TextUnspeakable
from engines.kit.decode.code_rows import CodeNetworks, CodeRows
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.row_stream import RowStart, RowStream
from engines.kit.decode.text_along import TextAlong
from engines.kit.sampling.sampling import CODEBOOK_STRIDE, SamplingTensors, apply_repetition_penalty, sample, sample_and_embed
from engines.qwen3_tts.networks import Networks

__all__ = ["FrameSlot", "FrameStart", "QwenRows", "SamplingParams", "check_rows", "check_text_rows"]

MOST_TEXT_ROWS = 4096  # that are added to frames as they are fed back: tokens of text
NO_END_BEFORE = 2  # tokens; `min_new_tokens` of the official generate
N_CONTROL_CODES = 1024  # the last ids of codebook 0, of which only the end of speech may be chosen (the official `suppress_tokens`)


@dataclass(frozen=True)
class SamplingParams:
    """How codes are sampled. temperature 0: the likeliest; top_k 0, top_p 1: among all. predictor_*: for the codebooks after the first."""

    seed: int
    temperature: float
    top_k: int
    top_p: float
    repetition_penalty: float
    predictor_temperature: float
    predictor_top_k: int
    predictor_top_p: float


@dataclass(frozen=True, kw_only=True)
class FrameStart(RowStart):
    """trailing: (1, R, H), R at most MOST_TEXT_ROWS: what is added to frames 0, 1, ... as they are fed back, and to those from R on the
    last one. along: what more is to come of the text; None where that is all.
    """

    trailing: Tensor
    sampling: SamplingParams
    along: TextAlong | None = None


@dataclass(eq=False, kw_only=True)
class FrameSlot(RowStream):
    """A stream under way. trailing, along: see FrameStart."""

    trailing: Tensor = field(repr=False)
    along: TextAlong | None = field(repr=False)


def check_rows(n_rows: int, most_rows: int) -> None:
    """n_rows: of what is read at once. Raises TextUnspeakable."""
    if n_rows > most_rows:
        raise TextUnspeakable(sentence="text_too_long_at_once", n=n_rows, most=most_rows)


def check_text_rows(n_rows: int) -> None:
    """Raises TextUnspeakable."""
    check_rows(n_rows, MOST_TEXT_ROWS)


class QwenRows(CodeRows[FrameStart, FrameSlot]):
    """A row of input is the codes of the last frame and what comes next of the text. A reference of 30 s in context has 376 rows, the
    longest that CodeRows' sizes hold; its longest row of keys is over 2 minutes.
    """

    def __init__(
        self, networks: Networks, graphs: Graphs, codec_graphs: Graphs | None = None,
        *, width: int, fixed_shapes: bool, host_lag_frames: int = 0,
    ):  # fmt: skip
        config, device = networks.config, networks.device
        n_ids, n_codebooks, self._networks = config.talker.vocab_size, config.talker.num_code_groups, networks
        parts = CodeNetworks(networks.talker.decoder, n_codebooks, (networks.talker, networks.predictor, networks.codec), networks.codec)
        super().__init__(parts, graphs, codec_graphs, width=width, fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames)
        self._codebook_size = config.codec.decoder_config.codebook_size
        codebooks = torch.arange(1, n_codebooks, device=device)
        self._predictor_positions = (
            codebooks[:, None] * CODEBOOK_STRIDE + torch.arange(config.predictor.vocab_size, device=device)
        ).flatten()
        self._ids = torch.arange(n_ids, device=device)
        self._is_end = self._ids == config.talker.codec_eos_token_id
        self._banned = (self._ids >= n_ids - N_CONTROL_CODES) & ~self._is_end
        self._predictor_keys = networks.predictor.new_cache(width)
        self._texts = self._zeros(width, MOST_TEXT_ROWS, config.talker.hidden_size)
        self._last_text = self._zeros(width, 1, dtype=torch.int64)
        self._seen = self._zeros(width, n_ids, dtype=torch.bool)
        self._penalty = self._zeros(width, 1, dtype=torch.float32)
        self._sampling, self._predictor_sampling = SamplingTensors.blank(width, device), SamplingTensors.blank(width, device)

    def warm_up(self) -> None:
        for row in range(self.width):
            self._draw_as(row, SamplingParams(0, 1.0, 50, 1.0, 1.0, 1.0, 50, 1.0))
        super().warm_up()

    # --- one stream's affairs

    def take_text(self, stream: FrameSlot) -> None:
        """Write what has come of its text. The next token wants the row of text of the frame before it."""
        along = stream.along
        if along is None:
            return
        if (ids := along.take()) or along.is_over:
            stream.trailing = torch.cat([stream.trailing, self._networks.rows.more_text(ids, goes_on=not along.is_over)], dim=1)
            check_text_rows(stream.trailing.shape[1])
            if stream.row is not None:
                self._write_text(stream)
        if along.is_over:
            stream.along, stream.most_frames = None, min(stream.most_frames, along.limit_of(along.text).frames)
        draws_next = stream.unread is None and stream.n_tokens == stream.n_frames
        stream.is_starved = stream.along is not None and draws_next and stream.trailing.shape[1] < stream.n_tokens
        if stream.is_starved:
            along.want()

    def new_stream(self, stream_start: FrameStart, most_frames: int) -> FrameSlot:
        own = {"trailing": stream_start.trailing, "along": stream_start.along, "codec": stream_start.codec}
        return FrameSlot(n_seen=stream_start.n_rows, most_frames=most_frames, **own)

    def _set(self, stream: FrameSlot, stream_start: FrameStart) -> None:
        self._draw_as(stream.own_row, stream_start.sampling)
        self._write_text(stream)
        self._seen[stream.row].zero_()

    def _draw_as(self, row: int, sampling: SamplingParams) -> None:
        self._seed[row].fill_(sampling.seed)
        self._penalty[row].fill_(sampling.repetition_penalty)
        self._sampling.set(sampling.temperature, sampling.top_k, sampling.top_p, row)
        self._predictor_sampling.set(sampling.predictor_temperature, sampling.predictor_top_k, sampling.predictor_top_p, row)

    def _write_text(self, stream: FrameSlot) -> None:
        n_rows = stream.trailing.shape[1]
        self._texts[stream.row, :n_rows].copy_(stream.trailing[0])
        self._last_text[stream.row].fill_(max(0, n_rows - 1))

    def restore(self, stream: FrameSlot) -> None:
        super().restore(stream)
        self._write_text(stream)

    def _own_row_tensors(self) -> list[Tensor]:
        sampling = [part for s in (self._sampling, self._predictor_sampling) for part in (s.temperature, s.top_k, s.top_p)]
        return [self._seen, self._penalty, *sampling]

    # --- the work itself: reads and writes the rows' tensors, knows no stream, waits for nothing

    def _input(self) -> Tensor:
        return self._row + self._texts[self._each_row[:, None], torch.minimum(self._frame, self._last_text)]

    def _sample_first(self) -> None:
        logits = apply_repetition_penalty(self.see(self._networks.talker.logits(self._hidden_state)), self._seen, self._penalty)
        banned = self._banned | (self._is_end & (self._frame < NO_END_BEFORE))
        noise = self._noise(self._ids)
        codes = self._sample(logits.masked_fill(banned, float("-inf")), noise, self._sampling)
        self._code.copy_(torch.where(self._active[:, 0], codes, self._code))
        self._seen.scatter_(1, self._code[:, None], True)  # what is there of other rows, they have seen
        self._ended.copy_(self._is_end[self._code])

    def _complete(self) -> None:
        talker, predictor = self._networks.talker, self._networks.predictor
        noise = self._noise(self._predictor_positions).view(self.width, predictor.n_codebooks - 1, -1)
        first = talker.embed_codes(self._code[:, None])

        def sample_codebook(logits: Tensor, codebook: int) -> Tensor | tuple[Tensor, Tensor]:
            given = self.see(logits), noise[:, codebook - 1], self._predictor_sampling
            return sample_and_embed(*given, predictor.table(codebook)) if "draw_codes" in self._kernels else sample(*given)

        codes, rows = predictor.complete(self._hidden_state, first[:, 0], sample_codebook, self._predictor_keys)
        self._row.copy_(torch.cat([first, rows], dim=1).sum(dim=1, keepdim=True))
        # An ended frame may be completed before anybody knows; its first code is none of the codec's.
        self._remember(torch.cat([self._code[:, None].clamp(max=self._codebook_size - 1), codes], dim=1))

    def _sample(self, logits: Tensor, noise: Tensor, params: SamplingTensors) -> Tensor:
        return sample(logits, noise, params, fused="draw_codes" in self._kernels)
