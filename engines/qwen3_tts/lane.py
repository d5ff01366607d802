"""Lane: the one place where frames are made. Its tensors stay where they are, so that graphs can hold them; streams are rows of them."""

from collections.abc import Iterable, Sequence, Set

import torch
from torch import Tensor

from engines.layers.cuda_graphs import Graphs
from engines.layers.frame_lane import FrameLane
from engines.layers.fusable import fuse
from engines.layers.kv_cache import KVCache
from engines.layers.noise import CODEBOOK_STRIDE, gumbel_noise
from engines.layers.sampling import SamplingTensors, apply_repetition_penalty, sample
from engines.qwen3_tts.frame_slot import Beginning, FrameSlot, SamplingParams
from engines.qwen3_tts.networks import Networks

__all__ = ["MOST_PENDING", "MOST_POSITIONS", "MOST_TEXT_ROWS", "Lane"]

KEY_SIZES = (512, 1024, 2048)  # positions that a captured step reads; the last, over 2 minutes, is how long a row's keys and values are
MOST_POSITIONS = 16384  # of a stream; one that outgrows its row goes on with keys and values of its own, outside of graphs
ROW_SIZES = (16, 32, 64, 128, 192, 256, 384)  # of a prompt to be read; a reference of 30 s in context has 376 rows
PIECE_SIZES = (8, 4, 2, 1)  # frames that the codec decodes at one go where shapes are fixed
MOST_PENDING = 64  # frames between two pieces of audio
MOST_TEXT_ROWS = 4096  # that are added to frames as they are fed back: tokens of text
NO_END_BEFORE = 2  # tokens; `min_new_tokens` of the official generate
N_CONTROL_CODES = 1024  # the last ids of codebook 0, of which only the end of speech may be chosen (the official `suppress_tokens`)
RING = 2 * MOST_PENDING  # frames whose codes are remembered: those pending, and those made before anybody asked for them


class Lane(FrameLane[Beginning, FrameSlot]):
    """Talker, predictor and codec over static tensors of `width` rows, a stream each. A step makes one frame of every row that wants one.

    Rows that take no part are computed along and keep their state, so that shapes, and with them the rounding of every stream, are the same
    whoever else is there. Streams beyond the width take turns: their state is set aside and comes back as it was.
    fixed_shapes: pad prompts, keys and audio to a few sizes, for graphs. Otherwise only what is there is computed, which suits a CPU.
    """

    def __init__(self, networks: Networks, graphs: Graphs, *, width: int, fixed_shapes: bool, late_frames: int = 0):
        super().__init__(width, late_frames=late_frames, device=networks.device)
        self._networks, self._graphs, self.fixed_shapes = networks, graphs, fixed_shapes
        self._kernels: Set[str] = frozenset()
        config, device = networks.config, networks.device
        hidden_size, n_ids, n_codebooks = config.talker.hidden_size, config.talker.vocab_size, config.talker.num_code_groups
        self._codebook_size = config.codec.decoder_config.codebook_size
        codebooks = torch.arange(1, n_codebooks, device=device)
        self._predictor_positions = (
            codebooks[:, None] * CODEBOOK_STRIDE + torch.arange(config.predictor.vocab_size, device=device)
        ).flatten()
        self._ids, self._each_row = torch.arange(n_ids, device=device), torch.arange(width, device=device)
        self._is_end = self._ids == config.talker.codec_eos_token_id
        self._banned = (self._ids >= n_ids - N_CONTROL_CODES) & ~self._is_end

        def zeros(*shape: int, dtype: torch.dtype = networks.dtype) -> Tensor:
            return torch.zeros(*shape, dtype=dtype, device=device)

        self._keys = networks.talker.decoder.new_cache(width, KEY_SIZES[-1])
        self._predictor_keys = networks.predictor.new_cache(width)
        self._hidden_state, self._row = zeros(width, hidden_size), zeros(width, 1, hidden_size)
        self._texts, self._last_text = zeros(width, MOST_TEXT_ROWS, hidden_size), zeros(width, 1, dtype=torch.int64)
        self._position, self._code = zeros(width, 1, dtype=torch.int64), zeros(width, dtype=torch.int64)
        self._seed, self._frame = zeros(width, 1, dtype=torch.int64), zeros(width, 1, dtype=torch.int64)
        self._seen = zeros(width, n_ids, dtype=torch.bool)
        self._ended = zeros(width, dtype=torch.bool)
        self._penalty = zeros(width, 1, dtype=torch.float32)
        self._sampling, self._predictor_sampling = SamplingTensors.blank(width, device), SamplingTensors.blank(width, device)
        self._frame_codes = zeros(width, n_codebooks, RING, dtype=torch.int64)
        # Of fixed shapes alone: a prompt is read, and a piece decoded, in one place, whosever it is.
        self._prompt = zeros(1, ROW_SIZES[-1], hidden_size)
        self._prompt_keys = networks.talker.decoder.new_cache(1, KEY_SIZES[0]) if fixed_shapes else None
        self._prompt_state = zeros(1, hidden_size)
        self._start, self._last_row = zeros(1, dtype=torch.int64), zeros(1, dtype=torch.int64)
        self._piece_codes = zeros(1, n_codebooks, PIECE_SIZES[0], dtype=torch.int64)
        self._codec, self._codec_of = networks.codec.initial_state(1), None
        self._audio = zeros(1, PIECE_SIZES[0] * networks.codec.frame_samples, dtype=torch.float32)

    @property
    def bytes(self) -> int:
        """Memory of keys and values, of all other tensors that stay, of streams that are set aside or have outgrown their rows."""
        slots = (*self._slots.seated, *self._slots.set_aside)
        caches = [self._keys, self._predictor_keys, self._prompt_keys, *(slot.own_keys for slot in slots)]
        tensors = [value for value in vars(self).values() if isinstance(value, Tensor)]
        for states, keys in (slot.aside for slot in self._slots.set_aside):
            tensors += [*states, *([] if keys is None else [keys])]
        codecs = sum(state.n_bytes for state in {id(slot.codec): slot.codec for slot in slots}.values()) + self._codec.n_bytes
        return sum(cache.bytes for cache in caches if cache is not None) + sum(tensor.nbytes for tensor in tensors) + codecs

    # --- what a stream asks for

    @torch.inference_mode()
    def begin(self, beginning: Beginning, most_frames: int) -> FrameSlot:
        """Read the prompt and draw the first code of the first frame. The caller has seen to it that positions suffice."""
        n_seen = beginning.prefix.n_rows + beginning.rows.shape[1]
        slot = FrameSlot(n_seen=n_seen, most_frames=most_frames, trailing=beginning.trailing, codec=beginning.codec)
        row = self._slots.seat(slot)
        self._set(row, beginning.sampling)
        self._write_text(slot)
        for tensor in (self._frame, self._seen, self._ended):
            tensor[row].zero_()
        self._position[row].fill_(n_seen)
        self._read(slot, beginning)
        self._activate([slot])
        self._graphs.run("first", self._sample_code0)
        return slot

    @torch.inference_mode()
    def codes_of(self, slot: FrameSlot, first: int, n_frames: int) -> Tensor:
        """Codes of frames first, first + 1, ..., (1, Q, n_frames) on the device, valid until the next call. At most MOST_PENDING frames."""
        ring, at = self._frame_codes[self._slots.seat(slot)][None], first % RING
        codes = ring[:, :, at : at + n_frames]
        if codes.shape[2] == n_frames:
            return codes
        return torch.cat([codes, ring[:, :, : n_frames - codes.shape[2]]], dim=2)

    @torch.inference_mode()
    def decode(self, slot: FrameSlot, first: int, n_frames: int) -> Tensor:
        """The audio of frames first, first + 1, ..., (T,) float32 on the device; pieces follow one another. At most MOST_PENDING frames."""
        codes = self.codes_of(slot, first, n_frames)
        if not self.fixed_shapes:
            samples, slot.codec = self._networks.codec.decode(codes, slot.codec)
            return samples[0]
        self._lend_codec(slot)
        audio, done = [], 0
        for n in _pieces(n_frames):
            self._piece_codes[:, :, :n].copy_(codes[:, :, done : done + n])
            self._graphs.run(("decode", n), lambda n=n: self._decode(n))
            audio.append(self._audio[:, : n * self._networks.codec.frame_samples].clone())
            done += n
        return torch.cat(audio, dim=1)[0]

    @torch.inference_mode()
    def release(self, slot: FrameSlot) -> None:
        """The stream is over or was dropped; what it had beyond its row is freed."""
        super().release(slot)
        slot.own_keys = None
        if self._codec_of is slot:
            self._codec_of = None

    def use_kernels(self, names: Set[str]) -> None:
        """Have these do what they fuse (see fused/self_check.py), in all that is captured from now on."""
        self._kernels = names
        for network in (self._networks.talker, self._networks.predictor, self._networks.codec):
            fuse(network, names)

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold. Nobody may have a slot."""
        for row in range(self.width):
            self._set(row, SamplingParams(0, 1.0, 50, 1.0, 1.0, 1.0, 50, 1.0))
        self._graphs.capture("first", self._sample_code0)
        self._graphs.capture("complete", self._complete)
        for n in PIECE_SIZES if self.fixed_shapes else PIECE_SIZES[-1:]:
            self._graphs.capture(("decode", n), lambda n=n: self._decode(n))
        if not self.fixed_shapes:
            self._talk((1,) * self.width)
            return
        for size in KEY_SIZES:
            self._graphs.capture(("step", size), lambda size=size: self._step(size))
        for n in ROW_SIZES:
            self._graphs.capture(("prefill", n), lambda n=n: self._prefill(n))

    # --- one stream's affairs

    def _set(self, row: int, sampling: SamplingParams) -> None:
        self._seed[row].fill_(sampling.seed)
        self._penalty[row].fill_(sampling.repetition_penalty)
        self._sampling.set(sampling.temperature, sampling.top_k, sampling.top_p, row)
        self._predictor_sampling.set(sampling.predictor_temperature, sampling.predictor_top_k, sampling.predictor_top_p, row)

    def _write_text(self, slot: FrameSlot) -> None:
        n_rows = slot.trailing.shape[1]
        self._texts[slot.row, :n_rows].copy_(slot.trailing[0])
        self._last_text[slot.row].fill_(n_rows - 1)

    def _read(self, slot: FrameSlot, beginning: Beginning) -> None:
        """The prompt's rows behind its prefix; the last one's hidden state is the slot's."""
        n_prefix, n_rows = beginning.prefix.n_rows, beginning.rows.shape[1]
        n_padded = next((size for size in ROW_SIZES if size >= n_rows), None)
        if self.fixed_shapes and n_padded and n_prefix + n_padded <= KEY_SIZES[0]:
            self._prompt_keys.restore(beginning.prefix.keys_values)
            self._prompt[:, :n_rows].copy_(beginning.rows)
            self._start.fill_(n_prefix)
            self._last_row.fill_(n_rows - 1)
            self._graphs.run(("prefill", n_padded), lambda: self._prefill(n_padded))
            self._keys.row(slot.row).restore(self._prompt_keys.tensor[..., : slot.n_seen, :])
            self._hidden_state[slot.row].copy_(self._prompt_state[0])
            return
        keys = self._keys.row(slot.row) if slot.n_seen <= self._keys.length else self._outgrow(slot)
        keys.restore(beginning.prefix.keys_values)
        self._hidden_state[slot.row].copy_(self._networks.talker.decoder.prefill(beginning.rows, keys, n_prefix)[0])

    def _outgrow(self, slot: FrameSlot) -> KVCache:
        """Keys and values of the slot's own with room for one position more at least, holding those that it had."""
        length = KEY_SIZES[-1]
        while length <= slot.n_seen:
            length *= 2
        had = slot.own_keys or self._keys.row(slot.row)
        slot.own_keys = self._networks.talker.decoder.new_cache(1, min(length, MOST_POSITIONS))
        slot.own_keys.restore(had.tensor[..., : slot.n_seen, :])
        return slot.own_keys

    def _saved(self, slot: FrameSlot) -> tuple[list[Tensor], Tensor | None]:
        keys = None if slot.own_keys else self._keys.row(slot.row).saved(0, slot.n_seen)
        slot.look(slot.n_tokens)  # in the row that is still its own
        return [tensor[slot.row].clone() for tensor in self._row_tensors()], keys

    def _restore(self, slot: FrameSlot) -> None:
        tensors, keys = slot.aside
        torch._foreach_copy_([tensor[slot.row] for tensor in self._row_tensors()], tensors)
        if keys is not None:
            self._keys.row(slot.row).restore(keys)
        self._write_text(slot)

    def _row_tensors(self) -> list[Tensor]:
        """What belongs to the stream in a row; its text, its keys and values and the codec's state are apart."""
        sampling = [part for s in (self._sampling, self._predictor_sampling) for part in (s.temperature, s.top_k, s.top_p)]
        state = [self._hidden_state, self._row, self._position, self._code, self._seed, self._frame, self._seen, self._ended, self._penalty]
        return [*state, *sampling, self._frame_codes]

    def _lend_codec(self, slot: FrameSlot) -> None:
        """Have the codec's static state be the slot's."""
        if self._codec_of is slot:
            return
        if self._codec_of is not None:
            self._codec_of.codec = self._codec.copy()
        self._codec.copy_(slot.codec)
        self._codec_of = slot

    # --- steps of several

    def _draw(self, slots: Sequence[FrameSlot]) -> tuple[Tensor, bool]:
        """Feed back the frames just completed, each with its row of text, and draw the first codes of the next ones."""
        for slot in slots:
            if slot.n_seen >= (slot.own_keys or self._keys).length:
                self._outgrow(slot)
        short, long = [slot for slot in slots if not slot.own_keys], [slot for slot in slots if slot.own_keys]
        if short:
            self._activate(short)
            if self.fixed_shapes:
                size = next(size for size in KEY_SIZES if size > max(slot.n_seen for slot in short))
                self._graphs.run(("step", size), lambda: self._step(size))
            else:
                lengths = {slot.row: slot.n_seen + 1 for slot in short}
                self._talk(tuple(lengths.get(row, 0) for row in range(self.width)))
        if long:
            self._activate(long)
            for slot in long:
                self._talk_alone(slot)
            self._graphs.run("first", self._sample_code0)
        for slot in slots:
            slot.n_seen += 1
        return self._ended, self._completes_at_once and not long

    def _complete_tokens(self, streams: Sequence[FrameSlot]) -> None:
        self._graphs.run("complete", self._complete)

    def _talk_alone(self, slot: FrameSlot) -> None:
        """A step of a stream that has outgrown its row."""
        decoder, row = self._networks.talker.decoder, slice(slot.row, slot.row + 1)
        at = min(slot.n_tokens, slot.trailing.shape[1]) - 1
        inputs_embeds = self._row[row] + slot.trailing[:, at : at + 1]
        step = decoder.step(self._position[slot.row], slot.n_seen + 1, exact=True)
        self._hidden_state[row].copy_(decoder(inputs_embeds, step, slot.own_keys)[:, -1])
        self._position[row].add_(1)
        self._frame[row].add_(1)

    # --- the work itself: reads and writes the lane's tensors, knows no stream, waits for nothing

    def _prefill(self, n_rows: int) -> None:
        """The prompt's rows, the last of which may be padding, behind `_start` positions that are there already."""
        positions = self._start + torch.arange(n_rows, device=self._start.device)
        decoder = self._networks.talker.decoder
        hidden_states = decoder(self._prompt[:, :n_rows], decoder.step(positions, self._prompt_keys.length), self._prompt_keys)
        self._prompt_state.copy_(hidden_states[0].index_select(0, self._last_row))

    def _step(self, n_keys: int) -> None:
        """A step of fixed shapes: as one graph where nobody looks at the end in between."""
        self._talk(n_keys)
        if self._completes_at_once:
            self._complete()

    @property
    def _completes_at_once(self) -> bool:
        return self.fixed_shapes and self.late_frames > 0

    def _talk(self, n_keys: int | tuple[int, ...]) -> None:
        """One position more of the active rows, and the first codes that follow. n_keys: see Decoder.step; a row's own where exact."""
        decoder, n_active = self._networks.talker.decoder, self._active.long()
        texts = self._texts[self._each_row[:, None], torch.minimum(self._frame, self._last_text)]
        positions = self._position.clamp(max=self._keys.length - 1)  # a row whose stream has outgrown it is only computed along
        if self.width == 1 and not isinstance(n_keys, int):
            step = decoder.step(positions[0], n_keys[0], exact=True)
        else:
            step = decoder.step(positions, n_keys)
        hidden_states = decoder(self._row + texts, step, self._keys)[:, -1]
        self._hidden_state.copy_(torch.where(self._active, hidden_states, self._hidden_state))
        self._position.add_(n_active)
        self._frame.add_(n_active)
        self._sample_code0()

    def _sample_code0(self) -> None:
        """The first codes of the active rows' frames, from `_hidden_state`."""
        logits = apply_repetition_penalty(self._networks.talker.logits(self._hidden_state), self._seen, self._penalty)
        banned = self._banned | (self._is_end & (self._frame < NO_END_BEFORE))
        noise = self._noise(self._ids)
        codes = self._sample(logits.masked_fill(banned, float("-inf")), noise, self._sampling)
        self._code.copy_(torch.where(self._active[:, 0], codes, self._code))
        self._seen.scatter_(1, self._code[:, None], True)  # what is there of other rows, they have seen
        self._ended.copy_(self._is_end[self._code])

    def _complete(self) -> None:
        """The other codes of the frame that each row is at. For a row that has them already they are the same again."""
        talker, predictor = self._networks.talker, self._networks.predictor
        noise = self._noise(self._predictor_positions).view(self.width, predictor.n_codebooks - 1, -1)
        first = talker.embed_codes(self._code[:, None])
        sample_codebook = lambda logits, codebook: self._sample(logits, noise[:, codebook - 1], self._predictor_sampling)  # noqa: E731
        codes, rows = predictor.complete(self._hidden_state, first[:, 0], sample_codebook, self._predictor_keys)
        self._row.copy_(torch.cat([first, rows], dim=1).sum(dim=1, keepdim=True))
        # An ended frame may be completed before anybody knows; its first code is none of the codec's.
        codes = torch.cat([self._code[:, None].clamp(max=self._codebook_size - 1), codes], dim=1)[..., None]
        self._frame_codes.scatter_(2, (self._frame % RING)[:, :, None].expand_as(codes), codes)

    def _noise(self, positions: Tensor) -> Tensor:
        return gumbel_noise(self._seed, self._frame, positions, fused="gumbel_noise" in self._kernels)

    def _sample(self, logits: Tensor, noise: Tensor, params: SamplingTensors) -> Tensor:
        return sample(logits, noise, params, fused="draw_codes" in self._kernels)

    def _decode(self, n_frames: int) -> None:
        samples, state = self._networks.codec.decode(self._piece_codes[:, :, :n_frames], self._codec)
        self._codec.copy_(state)
        self._audio[:, : samples.shape[1]].copy_(samples)


def _pieces(n_frames: int) -> Iterable[int]:
    for size in PIECE_SIZES:
        while n_frames >= size:
            yield size
            n_frames -= size
