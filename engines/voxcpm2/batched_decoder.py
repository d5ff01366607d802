"""PatchRows: makes the patches of all streams. No other code does."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import ClassVar, cast

import torch
from torch import Tensor

from engines.kit.codec.stream_state import packed, unpacked
from engines.kit.decode.batched_decoder import DecoderRows
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.key_rows import Caches, KeyRows, KeySizes, Tensors
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.decode.row_stream import RowStream
from engines.kit.nn.fusable import fuse
from engines.kit.sampling.sampling import gaussian_noise
from engines.voxcpm2.audio_vae import VaeState
from engines.voxcpm2.diffusion_head import DEFAULT_STEPS
from engines.voxcpm2.input_sequence import VoxCpm2InputSequence
from engines.voxcpm2.language_models import HiddenStates, LanguageModels, PairedCache
from engines.voxcpm2.networks import VoxCpm2Networks
from engines.voxcpm2.prepared import ReferenceKeys

__all__ = ["LEAST_PATCHES", "MOST_PENDING", "DiffusionParams", "PatchRows", "PatchSlot", "PatchStart"]

MOST_PENDING = 16  # patches between two pieces of audio
RING = 2 * MOST_PENDING  # patches whose audio is kept: those pending, and those made before anybody asked for them
LEAST_PATCHES = 4  # the stop head is heeded from the patch on whose number is above 2 (min_len of the official generate)


@dataclass(frozen=True)
class DiffusionParams:
    """How a patch is drawn. scale: of the guidance. n_steps: of the time grid."""

    seed: int
    scale: float
    n_steps: int


@dataclass(frozen=True)
class PatchStart:
    """What a stream starts from.

    prefix: of rows that were read before, where there are any. rows: those that follow them. last_patch: (1, P, D), zeros where the last
    row is text. vae: the decoder's state for one stream, read only.
    """

    prefix: ReferenceKeys | None
    rows: VoxCpm2InputSequence
    last_patch: Tensor
    vae: VaeState
    diffusion: DiffusionParams

    @property
    def n_rows(self) -> int:
        """Of prefix and rows."""
        return self.rows.n_rows + (self.prefix.n_rows if self.prefix else 0)


@dataclass(eq=False, kw_only=True)
class PatchSlot(RowStream):
    """A stream under way. n_steps: of its diffusion."""

    n_steps: int


@dataclass(frozen=True)
class _PairReader:
    """A RowReader of both models, whose rows are (B, T, H), and (B, T, 1) that says which are patches."""

    models: LanguageModels

    def new_caches(self, batch: int, length: int) -> Caches:
        return self.models.new_cache(batch, length)

    def read(self, rows: Tensors, caches: Caches, start: Tensor, n_keys: int) -> Tensors:
        embedded, is_patch = rows
        return self.models.read(embedded, is_patch, PairedCache(*caches), start, n_keys)

    def read_last(self, rows: Tensors, caches: Caches, start: int) -> Tensors:
        embedded, is_patch = rows
        return tuple(states[:, -1] for states in self.models.read(embedded, is_patch, PairedCache(*caches), start))


class PatchRows(DecoderRows[PatchStart, PatchSlot]):
    """Language models, diffusion and audio decoder over static tensors of `width` rows, a stream each. A step makes one patch
    of every row that wants one. A patch is P latents of D channels; H: width of the language models.

    Rows that take no part are computed along and keep their state, so that shapes, and with them the rounding of every stream, are the same
    whoever else is there. Streams beyond the width take turns: their state is set aside and comes back as it was.
    fixed_shapes: pad prompts and keys to a few sizes, for graphs. Otherwise only what is there is computed, which suits a CPU.
    """

    KEY_SIZES: ClassVar[tuple[int, ...]] = (256, 512, 1024, 2048, 4096)  # positions that a captured step reads, below all of a row
    ROW_SIZES: ClassVar[tuple[int, ...]] = (16, 32, 64, 128, 256, 384)  # of a prompt; a recording to go on from, words, text: some 350
    PROMPT_KEYS: ClassVar[int] = 640  # positions of a prompt that is read in one place: a voice of 30 s, and the largest of ROW_SIZES

    end_is_predicted = True

    def __init__(self, networks: VoxCpm2Networks, graphs: Graphs, *, width: int, fixed_shapes: bool, host_lag_frames: int = 0):
        self.width, self.fixed_shapes, self.host_lag_frames = width, fixed_shapes, host_lag_frames
        self.watch = OverflowWatch(width, networks.dtype, networks.device)
        self._networks, self._graphs = networks, graphs
        config, device = networks.config, networks.device
        patch, hidden_size = (config.patch_size, config.feat_dim), config.lm_config.hidden_size
        self.patch_samples = config.patch_size * networks.decoder.hop_samples

        def zeros(*shape: int, dtype: torch.dtype = networks.dtype) -> Tensor:
            return torch.zeros(*shape, dtype=dtype, device=device)

        self._kernels: frozenset[str] = frozenset()
        self._each_row = torch.arange(width, device=device)
        self._noise_positions = torch.arange(config.patch_size * config.feat_dim, device=device)
        self._hidden = HiddenStates(zeros(width, hidden_size), zeros(width, hidden_size))
        self._patch = zeros(width, *patch)  # the last one; what the diffusion of the next goes on from
        self._number = zeros(width, 1, dtype=torch.int64)
        self._seed, self._scale = zeros(width, 1, dtype=torch.int64), zeros(width, 1, 1)
        self._ended = zeros(width, dtype=torch.bool)
        state = networks.decoder.initial_state(1)
        # All tails of a row, one after another, and the same memory as the decoder knows them.
        self._vae = zeros(width, sum(tail[0].numel() for tail in state.tensors), dtype=torch.float32)
        self._vae_state = state.of(unpacked(self._vae, state.tensors))
        self._audio = zeros(width, RING + 1, self.patch_samples, dtype=torch.float32)
        keys = *(size for size in self.KEY_SIZES if size < config.max_length), config.max_length
        sizes = KeySizes(keys, self.ROW_SIZES, self.PROMPT_KEYS, most_rows=self.ROW_SIZES[-1])
        like = zeros(width, 1, hidden_size), zeros(width, 1, 1, dtype=torch.bool)
        self._keys = KeyRows(_PairReader(networks.models), graphs, sizes, self.watch, like=like, fixed_shapes=fixed_shapes)
        self._active, self._position = self._keys.active, self._keys.position

    def bytes_with(self, streams: Sequence[PatchSlot]) -> int:
        """See DecoderRows."""
        tensors = [value for value in vars(self).values() if isinstance(value, Tensor)]
        return self._keys.bytes_with(streams) + sum(tensor.nbytes for tensor in (*tensors, *self.watch.tensors()))

    # --- what a stream asks for

    def decode(self, stream: PatchSlot, first: int, n_frames: int) -> Tensor:
        """See DecoderRows. At most MOST_PENDING patches."""
        ring, at = self._audio[stream.own_row, :RING], first % RING
        audio = ring[at : at + n_frames]
        if len(audio) < n_frames:
            audio = torch.cat([audio, ring[: n_frames - len(audio)]])
        return audio.flatten()

    def release(self, stream: PatchSlot, row: int | None) -> None:
        """See DecoderRows."""
        if row is not None:
            self._keys.empty(row)

    def use_kernels(self, names: Set[str]) -> None:
        """See DecoderRows."""
        self._kernels = frozenset(names)
        for network in (self._networks.models, self._networks.local_encoder, self._networks.head, self._networks.decoder):
            fuse(network, names)

    def warm_up(self) -> None:
        """See DecoderRows."""
        self._graphs.capture(("patch", DEFAULT_STEPS), lambda: self._complete(DEFAULT_STEPS))
        if not self.fixed_shapes:
            self._step((1,) * self.width)
            return
        for size in self._keys.sizes.keys:
            self._graphs.capture(("step", size), lambda size=size: self._step(size))
        self._keys.warm_up()

    # --- one stream's affairs

    def new_stream(self, stream_start: PatchStart, most_frames: int) -> PatchSlot:
        """See DecoderRows."""
        return PatchSlot(n_seen=stream_start.n_rows, most_frames=most_frames, n_steps=stream_start.diffusion.n_steps)

    def read(self, streams: Sequence[PatchSlot]) -> None:
        """See DecoderRows."""
        (stream,) = streams
        row, stream_start = stream.own_row, cast("PatchStart", stream.unread)
        self._seed[row].fill_(stream_start.diffusion.seed)
        self._scale[row].fill_(stream_start.diffusion.scale)
        self._keys.begin(row, stream.n_seen)
        for tensor in (self._number, self._ended):
            tensor[row].zero_()
        self._patch[row].copy_(stream_start.last_patch[0])
        self._vae[row].copy_(packed(stream_start.vae.tensors)[0])
        self._networks.head.schedule(stream.n_steps)
        rows = stream_start.rows.rows, stream_start.rows.is_patch
        for state, last in zip(self._hidden, self._keys.read(rows, stream_start.prefix or (), self._keys.row(row)), strict=True):
            state[row].copy_(last[0])

    def saved(self, stream: PatchSlot) -> object:
        """See DecoderRows."""
        return self._keys.saved(stream, self._row_tensors())

    def restore(self, stream: PatchSlot) -> None:
        """See DecoderRows."""
        self._keys.restore(stream, self._row_tensors())

    def _row_tensors(self) -> list[Tensor]:
        """What belongs to the stream in a row, beside its keys and values."""
        state = [*self._hidden, self._patch, self._position, self._number, self._seed, self._scale]
        return [*state, self._ended, self._vae, self._audio, *self.watch.tensors()]

    # --- steps of several

    def draw(self, streams: Sequence[PatchSlot]) -> tuple[Tensor, bool]:
        """Feed back the patches just made; then it is known whether the next ones are the last."""
        self._keys.activate(streams)
        n_keys = self._keys.n_keys(streams)
        self._graphs.run(("step", n_keys), lambda: self._step(n_keys))
        for slot in streams:
            slot.n_seen += 1
        return self._ended, False

    def complete(self, streams: Sequence[PatchSlot]) -> None:
        """Those of one number of steps at once: it is part of the shape."""
        for n_steps in sorted({slot.n_steps for slot in streams}):
            self._keys.activate([slot for slot in streams if slot.n_steps == n_steps])
            self._graphs.run(("patch", n_steps), lambda n_steps=n_steps: self._complete(n_steps))

    # --- the work itself: reads and writes the rows' tensors, knows no stream, waits for nothing

    def _step(self, n_keys: int | tuple[int, ...]) -> None:
        """One position more of the active rows. n_keys: see LanguageModels.step."""
        models, n_active = self._networks.models, self._active.long()
        rows = self._networks.local_encoder(self._patch)[:, None]
        hidden = models.step(rows, self._position, n_keys, PairedCache(*self._keys.caches))
        self._position.add_(n_active)
        self._number.add_(n_active)
        for state, new in zip(self._hidden, hidden, strict=True):
            torch.where(self._active, self.watch.see(new), state, out=state)
        is_last = models.ends(self._hidden.base) & (self._number[:, 0] > LEAST_PATCHES - 2)
        torch.where(self._active[:, 0], is_last, self._ended, out=self._ended)

    def _complete(self, n_steps: int) -> None:
        """The patches that the active rows are at, and their audio."""
        conditions = self._networks.models.conditions(self._hidden)
        patch = self.watch.see(self._networks.head(self._noise(), conditions, self._patch, self._scale, n_steps))
        torch.where(self._active[:, :, None], patch, self._patch, out=self._patch)
        if self.fixed_shapes:
            self._decode_all()
        else:
            for row in self._keys.active_rows:
                self._decode_row(row)

    def _noise(self) -> Tensor:
        """(width, P, D), of each row's seed and the number of its patch."""
        noise = gaussian_noise(self._seed, self._number, self._noise_positions, fused="uniform_noise" in self._kernels)
        return noise.view_as(self._patch).to(self._patch.dtype)

    def _decode_all(self) -> None:
        audio, state = self._networks.decoder.decode(self._patch.float(), self._vae_state)
        torch.where(self._active, packed(state.tensors), self._vae, out=self._vae)
        at = torch.where(self._active[:, 0], self._number[:, 0] % RING, RING)  # where nobody looks, of rows that take no part
        self._audio[self._each_row, at] = audio

    def _decode_row(self, row: int) -> None:
        """One row alone: audio is computed, not read from memory, so that a CPU gains nothing by idle rows beside it."""
        state = self._vae_state.of(tail[row : row + 1] for tail in self._vae_state.tensors)
        audio, state = self._networks.decoder.decode(self._patch[row : row + 1].float(), state)
        self._vae[row].copy_(packed(state.tensors)[0])
        self._audio[row, int(self._number[row]) % RING].copy_(audio[0])
