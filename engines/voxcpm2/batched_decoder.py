"""BatchedPatchDecoder: makes the patches of all streams. No other code does. Its tensors stay where they are, for graphs; streams are rows
of them.
"""

from collections.abc import Sequence, Set

import torch
from torch import Tensor

from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.nn.fusable import fuse
from engines.kit.sampling.sampling import gaussian_noise
from engines.voxcpm2.diffusion_head import DEFAULT_STEPS
from engines.voxcpm2.language_models import HiddenStates
from engines.voxcpm2.networks import VoxCpm2Networks
from engines.voxcpm2.patch_slot import PatchSlot, PatchStart

__all__ = ["LEAST_PATCHES", "MOST_PENDING", "BatchedPatchDecoder"]

KEY_SIZES = (256, 512, 1024, 2048, 4096)  # positions that a captured step reads, below all that a row has
ROW_SIZES = (16, 32, 64, 128, 256, 384)  # of a prompt to be read; a recording of 30 s to go on from, with words and text, has some 350
PROMPT_KEYS = 640  # positions of a prompt that is read in one place: a voice of 30 s, and the largest of ROW_SIZES
MOST_PENDING = 16  # patches between two pieces of audio
RING = 2 * MOST_PENDING  # patches whose audio is kept: those pending, and those made before anybody asked for them
LEAST_PATCHES = 4  # the stop head is heeded from the patch on whose number is above 2 (min_len of the official generate)


class BatchedPatchDecoder(BatchedDecoder[PatchStart, PatchSlot]):
    """Language models, diffusion and audio decoder over static tensors of `width` rows, a stream each. A step makes one patch of every
    row that wants one. A patch is P latents of D channels; H: width of the language models.

    Rows that take no part are computed along and keep their state, so that shapes, and with them the rounding of every stream, are the same
    whoever else is there. Streams beyond the width take turns: their state is set aside and comes back as it was.
    fixed_shapes: pad prompts and keys to a few sizes, for graphs. Otherwise only what is there is computed, which suits a CPU.
    """

    def __init__(self, networks: VoxCpm2Networks, graphs: Graphs, *, width: int, fixed_shapes: bool, host_lag_frames: int = 0):
        place = {"device": networks.device, "dtype": networks.dtype}
        super().__init__(width, host_lag_frames=host_lag_frames, end_is_predicted=True, **place)
        self._networks, self._graphs, self.fixed_shapes = networks, graphs, fixed_shapes
        config, device, models = networks.config, networks.device, networks.models
        patch, hidden_size = (config.patch_size, config.feat_dim), config.lm_config.hidden_size
        self.most_positions = config.max_length
        self.patch_samples = config.patch_size * networks.decoder.hop_samples

        def zeros(*shape: int, dtype: torch.dtype = networks.dtype) -> Tensor:
            return torch.zeros(*shape, dtype=dtype, device=device)

        self._kernels: frozenset[str] = frozenset()
        self._each_row = torch.arange(width, device=device)
        self._noise_positions = torch.arange(config.patch_size * config.feat_dim, device=device)
        self._keys = models.new_cache(width, self.most_positions)
        self._hidden = HiddenStates(zeros(width, hidden_size), zeros(width, hidden_size))
        self._patch = zeros(width, *patch)  # the last one; what the diffusion of the next goes on from
        self._position, self._number = zeros(width, 1, dtype=torch.int64), zeros(width, 1, dtype=torch.int64)
        self._seed, self._scale = zeros(width, 1, dtype=torch.int64), zeros(width, 1, 1)
        self._ended = zeros(width, dtype=torch.bool)
        state = networks.decoder.initial_state(1)
        # All tails of a row, one after another, and the same memory as the decoder knows them.
        self._vae = zeros(width, sum(tail[0].numel() for tail in state.tensors), dtype=torch.float32)
        self._vae_state = state.of(_unpacked(self._vae, state.tensors))
        self._audio = zeros(width, RING, self.patch_samples, dtype=torch.float32)
        # Of fixed shapes alone: a prompt is read in one place, whosever it is.
        self._prompt, self._prompt_is_patch = zeros(1, ROW_SIZES[-1], hidden_size), zeros(1, ROW_SIZES[-1], 1, dtype=torch.bool)
        self._prompt_keys = models.new_cache(1, min(PROMPT_KEYS, self.most_positions)) if fixed_shapes else None
        self._prompt_hidden = HiddenStates(zeros(1, hidden_size), zeros(1, hidden_size))
        self._start, self._last_row = zeros(1, dtype=torch.int64), zeros(1, dtype=torch.int64)

    @property
    def bytes(self) -> int:
        """Memory of keys and values, of all other tensors that stay, of streams that are set aside."""
        caches = [cache for cache in (self._keys, self._prompt_keys) if cache is not None]
        tensors = [*self.watch.tensors(), *(value for value in vars(self).values() if isinstance(value, Tensor))]
        for rows, keys in (slot.aside for slot in self._slots.set_aside if slot.aside):
            tensors += [*rows, *keys]
        return sum(cache.bytes for cache in caches) + sum(tensor.nbytes for tensor in tensors)

    # --- what a stream asks for

    @torch.inference_mode()
    def decode(self, stream: PatchSlot, first: int, n_frames: int) -> Tensor:
        """The audio of patches first, first + 1, ..., (T,) float32 on the device. At most MOST_PENDING patches."""
        ring, at = self._audio[self._slots.seat(stream)], first % RING
        audio = ring[at : at + n_frames]
        if len(audio) < n_frames:
            audio = torch.cat([audio, ring[: n_frames - len(audio)]])
        return audio.flatten()

    def use_kernels(self, names: Set[str]) -> None:
        """Have these do what they fuse (see fused/self_check.py), in all that is captured from now on."""
        self._kernels = frozenset(names)
        for network in (self._networks.models, self._networks.local_encoder, self._networks.head, self._networks.decoder):
            fuse(network, names)

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the tensors hold. Nobody may have a slot."""
        self._graphs.capture(("patch", DEFAULT_STEPS), lambda: self._complete(DEFAULT_STEPS))
        if not self.fixed_shapes:
            self._step((1,) * self.width)
            return
        for size in self._key_sizes():
            self._graphs.capture(("step", size), lambda size=size: self._step(size))
        for n in ROW_SIZES:
            self._graphs.capture(("prefill", n), lambda n=n: self._prefill(n))

    # --- one stream's affairs

    def _key_sizes(self) -> list[int]:
        return [*(size for size in KEY_SIZES if size < self.most_positions), self.most_positions]

    def _new_stream(self, stream_start: PatchStart, most_frames: int) -> PatchSlot:
        return PatchSlot(n_seen=stream_start.n_rows, most_frames=most_frames, n_steps=stream_start.diffusion.n_steps)

    @torch.inference_mode()
    def _empty(self, row: int) -> None:
        """Else attention goes over all keys that its last stream has left there."""
        self._position[row].zero_()

    def _read(self, streams: Sequence[PatchSlot]) -> None:
        (stream,) = streams
        row, stream_start = stream.row, stream.unread
        self._seed[row].fill_(stream_start.diffusion.seed)
        self._scale[row].fill_(stream_start.diffusion.scale)
        self._position[row].fill_(stream.n_seen)
        if self.watch.begin(row) and self.fixed_shapes:
            self._clear_keys(row)
        for tensor in (self._number, self._ended):
            tensor[row].zero_()
        self._patch[row].copy_(stream_start.last_patch[0])
        self._vae[row].copy_(_packed(stream_start.vae.tensors)[0])
        self._networks.head.schedule(stream.n_steps)
        self._read_prompt(stream, stream_start)

    def _clear_keys(self, row: int) -> None:
        """A mask hides what other streams have left, and not NaN, which only float16 leaves there."""
        for keys in (self._keys.row(row), self._prompt_keys):
            keys.base.tensor.zero_()
            keys.residual.tensor.zero_()

    def _read_prompt(self, slot: PatchSlot, stream_start: PatchStart) -> None:
        """The prompt's rows behind its prefix; what the models make of the last one is the slot's."""
        rows, n_prefix = stream_start.rows, stream_start.n_rows - stream_start.rows.n_rows
        prefix = (stream_start.prefix.base, stream_start.prefix.residual) if stream_start.prefix else None
        n_padded = next((size for size in ROW_SIZES if size >= rows.n_rows), None)
        keys = self._keys.row(slot.row)
        if self.fixed_shapes and n_padded and n_prefix + n_padded <= self._prompt_keys.length:
            if prefix:
                self._prompt_keys.restore(prefix)
            self._prompt[:, : rows.n_rows].copy_(rows.rows)
            self._prompt_is_patch[:, : rows.n_rows].copy_(rows.is_patch)
            self._start.fill_(n_prefix)
            self._last_row.fill_(rows.n_rows - 1)
            self._graphs.run(("prefill", n_padded), lambda: self._prefill(n_padded))
            read = self._prompt_keys
            keys.restore((read.base.tensor[..., : slot.n_seen, :], read.residual.tensor[..., : slot.n_seen, :]))
            last = self._prompt_hidden
        else:
            if prefix:
                keys.restore(prefix)
            hidden = self._networks.models.read(rows.rows, rows.is_patch, keys, n_prefix)
            last = HiddenStates(hidden.base[:, -1], hidden.residual[:, -1])
        self._hidden.base[slot.row].copy_(last.base[0])
        self._hidden.residual[slot.row].copy_(last.residual[0])

    def _saved(self, stream: PatchSlot) -> tuple[list[Tensor], tuple[Tensor, Tensor]]:
        stream.look(stream.n_tokens)  # in the row that is still its own
        return [tensor[stream.row].clone() for tensor in self._row_tensors()], self._keys.row(stream.row).saved(stream.n_seen)

    def _restore(self, stream: PatchSlot) -> None:
        rows, keys = stream.aside
        torch._foreach_copy_([tensor[stream.row] for tensor in self._row_tensors()], rows)
        self._keys.row(stream.row).restore(keys)

    def _row_tensors(self) -> list[Tensor]:
        """What belongs to the stream in a row, beside its keys and values."""
        state = [self._hidden.base, self._hidden.residual, self._patch, self._position, self._number, self._seed, self._scale]
        return [*state, self._ended, self._vae, self._audio, *self.watch.tensors()]

    # --- steps of several

    def _draw(self, streams: Sequence[PatchSlot]) -> tuple[Tensor, bool]:
        """Feed back the patches just made; then it is known whether the next ones are the last."""
        self._activate(streams)
        if self.fixed_shapes:
            size = next(size for size in self._key_sizes() if size > max(slot.n_seen for slot in streams))
            self._graphs.run(("step", size), lambda: self._step(size))
        else:
            lengths = {slot.row: slot.n_seen + 1 for slot in streams}
            self._step(tuple(lengths.get(row, 0) for row in range(self.width)))
        for slot in streams:
            slot.n_seen += 1
        return self._ended, False

    def _complete_tokens(self, streams: Sequence[PatchSlot]) -> None:
        """Those of one number of steps at once: it is part of the shape."""
        for n_steps in sorted({slot.n_steps for slot in streams}):
            self._activate([slot for slot in streams if slot.n_steps == n_steps])
            self._graphs.run(("patch", n_steps), lambda n_steps=n_steps: self._complete(n_steps))

    # --- the work itself: reads and writes the batched decoder's tensors, knows no stream, waits for nothing

    def _prefill(self, n_rows: int) -> None:
        """The prompt's rows, the last of which may be padding, behind `_start` positions that are there already."""
        rows, is_patch, keys = self._prompt[:, :n_rows], self._prompt_is_patch[:, :n_rows], self._prompt_keys
        hidden = self._networks.models.read(rows, is_patch, keys, self._start, keys.length)
        self._prompt_hidden.base.copy_(hidden.base[0].index_select(0, self._last_row))
        self._prompt_hidden.residual.copy_(hidden.residual[0].index_select(0, self._last_row))

    def _step(self, n_keys: int | tuple[int, ...]) -> None:
        """One position more of the active rows. n_keys: see LanguageModels.step."""
        models, n_active = self._networks.models, self._active.long()
        rows = self._networks.local_encoder(self._patch)[:, None]
        hidden = models.step(rows, self._position, n_keys, self._keys)
        self._position.add_(n_active)
        self._number.add_(n_active)
        for state, new in ((self._hidden.base, hidden.base), (self._hidden.residual, hidden.residual)):
            state.copy_(torch.where(self._active, self.watch.see(new), state))
        is_last = models.ends(self._hidden.base) & (self._number[:, 0] > LEAST_PATCHES - 2)
        self._ended.copy_(torch.where(self._active[:, 0], is_last, self._ended))

    def _complete(self, n_steps: int) -> None:
        """The patches that the active rows are at, and their audio."""
        conditions = self._networks.models.conditions(self._hidden)
        patch = self.watch.see(self._networks.head(self._noise(), conditions, self._patch, self._scale, n_steps))
        self._patch.copy_(torch.where(self._active[:, :, None], patch, self._patch))
        if self.fixed_shapes:
            self._decode_all()
        else:
            for row in self._active_rows:
                self._decode_row(row)

    def _noise(self) -> Tensor:
        """(width, P, D), of each row's seed and the number of its patch."""
        noise = gaussian_noise(self._seed, self._number, self._noise_positions, fused="uniform_noise" in self._kernels)
        return noise.view_as(self._patch).to(self._patch.dtype)

    def _decode_all(self) -> None:
        audio, state = self._networks.decoder.decode(self._patch.float(), self._vae_state)
        self._vae.copy_(torch.where(self._active, _packed(state.tensors), self._vae))
        at = self._number[:, 0] % RING
        self._audio[self._each_row, at] = torch.where(self._active, audio, self._audio[self._each_row, at])

    def _decode_row(self, row: int) -> None:
        """One row alone: audio is computed, not read from memory, so that a CPU gains nothing by idle rows beside it."""
        state = self._vae_state.of(tail[row : row + 1] for tail in self._vae_state.tensors)
        audio, state = self._networks.decoder.decode(self._patch[row : row + 1].float(), state)
        self._vae[row].copy_(_packed(state.tensors)[0])
        self._audio[row, int(self._number[row]) % RING].copy_(audio[0])


def _packed(tails: Sequence[Tensor]) -> Tensor:
    """(B, ...) each, side by side as (B, N)."""
    return torch.cat([tail.flatten(1) for tail in tails], dim=1)


def _unpacked(packed: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
    """Views of (B, N) in the shapes of tensors of one row each."""
    parts = packed.split([tail[0].numel() for tail in like], dim=1)
    return [part.view(len(packed), *tail.shape[1:]) for part, tail in zip(parts, like, strict=True)]
