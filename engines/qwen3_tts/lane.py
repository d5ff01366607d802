"""Lane: the one place where frames are made. Its tensors stay where they are, so that graphs can hold them; streams take turns in it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from engines.layers.kv_cache import KVCache
from engines.layers.sampling import CODEBOOK_STRIDE, SamplingTensors, apply_repetition_penalty, gumbel_noise, sample
from engines.qwen3_tts.codec_decoder import CodecState
from engines.qwen3_tts.graphs import Graphs
from engines.qwen3_tts.networks import Networks
from engines.qwen3_tts.prepared import Prefix

__all__ = ["MOST_PENDING", "MOST_POSITIONS", "Beginning", "DecodeSlot", "Lane", "SamplingParams"]

KEY_SIZES = (512, 1024, 2048, 4096, 8192, 16384)  # positions of the talker's keys and values: allocated as streams grow into them
CAPTURED_KEY_SIZES = KEY_SIZES[:3]  # 2048 positions are over 2 minutes; beyond them steps run eagerly
MOST_POSITIONS = KEY_SIZES[-1]
ROW_SIZES = (16, 32, 64, 128, 192, 256, 384)  # of a prompt to be read; a reference of 30 s in context has 376 rows
PIECE_SIZES = (8, 4, 2, 1)  # frames that the codec decodes at one go where shapes are fixed
MOST_PENDING = 64  # frames between two pieces of audio
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


@dataclass(frozen=True)
class Beginning:
    """What a stream starts from: the shared rows' keys and values, the rows that follow them (1, T, H), the codec's state."""

    prefix: Prefix
    rows: Tensor
    codec: CodecState
    sampling: SamplingParams


@dataclass(eq=False)
class DecodeSlot:
    """One stream's claim to the lane. n_seen: rows that the talker has read, key_size: into a cache of that many positions.

    parked: its tensors while another stream has its turn.
    """

    n_seen: int
    key_size: int
    n_pending: int = 0
    parked: "tuple[list[Tensor], Tensor, CodecState] | None" = field(default=None, repr=False)


class Lane:
    """Talker, predictor and codec over static tensors of batch 1.

    A stream keeps its own state: when another takes its turn, the state is copied out, and back in later (some 50 MB, 30 microseconds on
    a GPU), so that one set of graphs serves any number of streams.
    fixed_shapes: pad prompts, keys and audio to a few sizes, for graphs. Otherwise only what is there is computed, which suits a CPU.
    """

    def __init__(self, networks: Networks, graphs: Graphs, *, fixed_shapes: bool):
        self._networks, self._graphs, self.fixed_shapes = networks, graphs, fixed_shapes
        config, device = networks.config, networks.device
        width, n_ids = config.talker.hidden_size, config.talker.vocab_size
        self._codebook_size = config.codec.decoder_config.codebook_size
        codebooks = torch.arange(1, config.talker.num_code_groups, device=device)
        self._predictor_positions = (
            codebooks[:, None] * CODEBOOK_STRIDE + torch.arange(config.predictor.vocab_size, device=device)
        ).flatten()
        self._ids = torch.arange(n_ids, device=device)
        self._is_end = self._ids == config.talker.codec_eos_token_id
        self._banned = (self._ids >= n_ids - N_CONTROL_CODES) & ~self._is_end

        def empty(*shape: int, dtype: torch.dtype = networks.dtype) -> Tensor:
            return torch.zeros(*shape, dtype=dtype, device=device)

        self._caches: dict[int, KVCache] = {}
        self._predictor_cache = networks.predictor.new_cache()
        self._prompt = empty(1, ROW_SIZES[-1], width)
        self._start, self._last_row = empty(1, dtype=torch.int64), empty(1, dtype=torch.int64)
        self._hidden_state, self._row, self._text = empty(1, width), empty(1, 1, width), empty(1, 1, width)
        self._position, self._code = empty(1, dtype=torch.int64), empty(1, dtype=torch.int64)
        self._seed, self._frame = empty(1, 1, dtype=torch.int64), empty(1, 1, dtype=torch.int64)
        self._seen = empty(1, n_ids, dtype=torch.bool)
        self.ended = empty(1, dtype=torch.bool)
        self._penalty = empty(1, 1, dtype=torch.float32)
        self._sampling, self._predictor_sampling = SamplingTensors.blank(1, device), SamplingTensors.blank(1, device)
        self._frame_codes = empty(1, config.talker.num_code_groups, dtype=torch.int64)
        self._pending = empty(1, config.talker.num_code_groups, MOST_PENDING, dtype=torch.int64)
        self._codec = networks.codec.initial_state(1)
        self._audio = empty(1, PIECE_SIZES[0] * networks.codec.frame_samples, dtype=torch.float32)
        self._slot: DecodeSlot | None = None

    @property
    def bytes(self) -> int:
        """Memory of keys and values; the rest is small."""
        return sum(cache.bytes for cache in self._caches.values())

    # --- turns

    @torch.inference_mode()
    def begin(self, beginning: Beginning) -> DecodeSlot:
        """Read the prompt and draw the first code of the first frame. The caller has seen to it that positions suffice."""
        self._park()
        n_rows, n_prefix = beginning.rows.shape[1], beginning.prefix.n_rows
        n_padded = next((size for size in ROW_SIZES if size >= n_rows), n_rows) if self.fixed_shapes else n_rows
        cache = self._cache(n_prefix + n_padded)
        slot = self._slot = DecodeSlot(n_prefix + n_rows, cache.length)
        self._set(beginning.sampling)
        for tensor in (self._frame, self._seen, self.ended):
            tensor.zero_()
        self._codec.copy_(beginning.codec)
        cache.restore(beginning.prefix.keys_values)
        self._start.fill_(n_prefix)
        self._last_row.fill_(n_rows - 1)
        if self.fixed_shapes and n_padded <= ROW_SIZES[-1]:
            self._prompt[:, :n_rows].copy_(beginning.rows)
            self._graphs.run(("prefill", n_padded, cache.length), lambda: self._prefill(self._prompt[:, :n_padded], cache, cache.length))
        else:
            self._prefill(beginning.rows, cache, slot.n_seen)
        return slot

    @torch.inference_mode()
    def decode_step(self, slot: DecodeSlot, text_row: Tensor) -> None:
        """Feed back the frame just completed with its row of text (1, 1, H), and draw the next one's first code; `ended`: there is none."""
        self._take(slot)
        cache = self._caches[slot.key_size]
        if slot.n_seen == slot.key_size:
            cache = self._cache(slot.n_seen + 1)
            cache.restore(self._caches[slot.key_size].tensor)
            slot.key_size = cache.length
        self._text.copy_(text_row)
        if self.fixed_shapes:
            self._graphs.run(("decode_step", cache.length), lambda: self._decode_step(cache, cache.length, exact=False))
        else:
            self._decode_step(cache, slot.n_seen + 1, exact=True)
        slot.n_seen += 1

    @torch.inference_mode()
    def complete(self, slot: DecodeSlot) -> None:
        """Draw the other codes of the frame; it is then pending, to be decoded with those before it."""
        self._take(slot)
        self._graphs.run("complete", self._complete)
        self._pending[:, :, slot.n_pending].copy_(self._frame_codes)
        slot.n_pending += 1

    @torch.inference_mode()
    def decode(self, slot: DecodeSlot) -> Tensor:
        """The audio of the pending frames, (T,) float32 on the device; valid until the next call."""
        self._take(slot)
        n_frames, at, audio = slot.n_pending, 0, []
        for n in _pieces(n_frames) if self.fixed_shapes else (n_frames,):
            codes = self._pending[:, :, at : at + n]
            if self.fixed_shapes:
                if at:
                    self._pending[:, :, :n].copy_(codes.clone())
                self._graphs.run(("decode", n), lambda n=n: self._decode(n))
                audio.append(self._audio[:, : n * self._networks.codec.frame_samples].clone())
            else:
                samples, state = self._networks.codec.decode(codes, self._codec)
                self._codec.copy_(state)
                audio.append(samples)
            at += n
        slot.n_pending = 0
        return torch.cat(audio, dim=1)[0]

    @torch.inference_mode()
    def release(self, slot: DecodeSlot) -> None:
        """The stream is over or was dropped."""
        slot.parked = None
        if self._slot is slot:
            self._slot = None

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold. Nobody may have a slot."""
        self._set(SamplingParams(0, 1.0, 50, 1.0, 1.0, 1.0, 50, 1.0))
        self._graphs.capture("complete", self._complete)
        for n in PIECE_SIZES if self.fixed_shapes else PIECE_SIZES[-1:]:
            self._graphs.capture(("decode", n), lambda n=n: self._decode(n))
        for size in CAPTURED_KEY_SIZES if self.fixed_shapes else CAPTURED_KEY_SIZES[:1]:
            cache = self._cache(size)
            self._position.zero_()
            self._graphs.capture(("decode_step", size), lambda cache=cache: self._decode_step(cache, cache.length, exact=False))
        for n in ROW_SIZES if self.fixed_shapes else ROW_SIZES[:1]:
            cache = self._cache(n)
            self._graphs.capture(
                ("prefill", n, cache.length), lambda n=n, cache=cache: self._prefill(self._prompt[:, :n], cache, cache.length)
            )

    def _take(self, slot: DecodeSlot) -> None:
        """Make the lane hold this stream's state."""
        if self._slot is slot:
            return
        self._park()
        tensors, keys_values, codec = slot.parked
        torch._foreach_copy_(self._slot_tensors(), tensors)
        self._caches[slot.key_size].restore(keys_values)
        self._codec.copy_(codec)
        slot.parked, self._slot = None, slot

    def _park(self) -> None:
        if self._slot is None:
            return
        slot, cache = self._slot, self._caches[self._slot.key_size]
        slot.parked = [tensor.clone() for tensor in self._slot_tensors()], cache.saved(0, slot.n_seen), self._codec.copy()
        self._slot = None

    def _slot_tensors(self) -> list[Tensor]:
        """The small tensors that belong to the stream in the lane; its keys and values and the codec's state are apart."""
        sampling = [part for s in (self._sampling, self._predictor_sampling) for part in (s.temperature, s.top_k, s.top_p)]
        state = [self._hidden_state, self._row, self._position, self._code, self._seed, self._frame, self._seen, self.ended, self._penalty]
        return [*state, *sampling, self._pending]

    def _set(self, sampling: SamplingParams) -> None:
        self._seed.fill_(sampling.seed)
        self._penalty.fill_(sampling.repetition_penalty)
        self._sampling.set(sampling.temperature, sampling.top_k, sampling.top_p)
        self._predictor_sampling.set(sampling.predictor_temperature, sampling.predictor_top_k, sampling.predictor_top_p)

    def _cache(self, n_positions: int) -> KVCache:
        """The cache with room for that many positions; the smallest size that has it."""
        size = next(size for size in KEY_SIZES if size >= n_positions)
        if size not in self._caches:
            self._caches[size] = self._networks.talker.new_cache(size)
        return self._caches[size]

    # --- the work itself: reads and writes the lane's tensors, knows no stream, waits for nothing

    def _prefill(self, rows: Tensor, cache: KVCache, n_keys: int) -> None:
        """The prompt's rows, the last of which may be padding, behind `_start` positions that are there already."""
        positions = self._start + torch.arange(rows.shape[1], device=rows.device)
        talker = self._networks.talker
        hidden_states = talker(rows, talker.step(positions, n_keys), cache)
        self._hidden_state.copy_(hidden_states[0].index_select(0, self._last_row))
        self._position.copy_(self._start + self._last_row + 1)
        self._sample_code0()

    def _decode_step(self, cache: KVCache, n_keys: int, *, exact: bool) -> None:
        talker = self._networks.talker
        hidden_states = talker(self._row + self._text, talker.step(self._position, n_keys, exact=exact), cache)
        self._hidden_state.copy_(hidden_states[:, -1])
        self._position.add_(1)
        self._frame.add_(1)
        self._sample_code0()

    def _sample_code0(self) -> None:
        """The first code of a frame, from `_hidden_state`."""
        logits = apply_repetition_penalty(self._networks.talker.logits(self._hidden_state), self._seen, self._penalty)
        banned = self._banned | (self._is_end & (self._frame < NO_END_BEFORE))
        noise = gumbel_noise(self._seed, self._frame, self._ids)
        self._code.copy_(sample(logits.masked_fill(banned, float("-inf")), noise, self._sampling))
        self._seen.scatter_(1, self._code[:, None], True)
        self.ended.copy_(self._is_end[self._code])

    def _complete(self) -> None:
        talker, predictor = self._networks.talker, self._networks.predictor
        noise = gumbel_noise(self._seed, self._frame, self._predictor_positions).view(1, predictor.n_codebooks - 1, -1)
        first = talker.embed_codes(self._code[:, None])
        sample_codebook = lambda logits, codebook: sample(logits, noise[:, codebook - 1], self._predictor_sampling)  # noqa: E731
        codes, rows = predictor.complete(self._hidden_state, first[:, 0], sample_codebook, self._predictor_cache)
        self._row.copy_(torch.cat([first, rows], dim=1).sum(dim=1, keepdim=True))
        # An ended frame may be completed before anybody knows; its first code is none of the codec's.
        self._frame_codes.copy_(torch.cat([self._code[:, None].clamp(max=self._codebook_size - 1), codes], dim=1))

    def _decode(self, n_frames: int) -> None:
        samples, state = self._networks.codec.decode(self._pending[:, :, :n_frames], self._codec)
        self._codec.copy_(state)
        self._audio[:, : samples.shape[1]].copy_(samples)


def _pieces(n_frames: int) -> Iterable[int]:
    for size in PIECE_SIZES:
        while n_frames >= size:
            yield size
            n_frames -= size
