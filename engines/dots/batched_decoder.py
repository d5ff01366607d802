"""DotsRows: makes the patches of all streams. No other code does."""

from collections.abc import Callable, Sequence, Set
from typing import ClassVar, cast

import torch
from torch import Tensor

from engines.dots.audio_vae import VaeTails, tails_like
from engines.dots.config import LOOKAHEAD
from engines.dots.interleaving import MOST_TOKENS
from engines.dots.networks import DotsNetworks
from engines.dots.speech_model import N_DRAWS
from engines.dots.stream_start import DotsStart, DotsStream, HeardPatches
from engines.kit.codec.stream_state import packed, unpacked
from engines.kit.decode.batched_decoder import DecoderRows
from engines.kit.decode.code_rows import DecoderReader
from engines.kit.decode.cuda_graphs import Graphs, HostCopy
from engines.kit.decode.key_rows import KeyRows, KeySizes
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.nn.fusable import fuse
from engines.kit.sampling.sampling import TEXT_STRIDE, gaussian_noise

__all__ = ["MOST_PENDING", "DotsRows"]

MOST_PENDING = 16  # patches between two pieces of audio
RING = 2 * MOST_PENDING  # patches whose audio is kept: those pending, and those made before anybody asked for them

ALL = slice(None)
BEFORE, HEARD, FRAME = range(3)  # counts of patches before the one at hand: to what draws; to the semantic encoder; of those that sound


class DotsRows(DecoderRows[DotsStart, DotsStream]):
    """Language model, velocity field and audio decoder over static tensors of `width` rows, a stream each. A step makes one patch of every
    row that wants one. H, W, P, D as in SpeechModel; E: steps of a sampler that a row has memory for.

    Rows that take no part are computed along and keep their state, so that shapes, and with them the rounding of every stream, are the same
    whoever else is there. Streams beyond the width take turns: their state is set aside and comes back as it was.
    fixed_shapes: pad prompts and keys to a few sizes, for graphs. Otherwise only what is there is computed, row by row but for the language
    model, which suits a CPU.
    """

    KEY_SIZES: ClassVar[tuple[int, ...]] = (256, 512, 1024)  # positions that a captured step reads; the last is how long a row is
    ROW_SIZES: ClassVar[tuple[int, ...]] = (32, 64, 128, 256)  # of a prompt that is read in one place
    PATCH_SIZES: ClassVar[tuple[int, ...]] = (32, 64, 128, 256)  # patches that drawing reads; the last is what a row has room for: 41 s

    end_is_predicted = True

    def __init__(
        self, networks: DotsNetworks, graphs: Graphs, *, most_steps: int, width: int, fixed_shapes: bool, host_lag_frames: int = 0
    ):
        self.width, self.fixed_shapes, self.host_lag_frames = width, fixed_shapes, host_lag_frames
        self.watch = OverflowWatch(width, networks.dtype, networks.device)
        self._model, self._networks, self._graphs, self._most_steps = networks.model, networks, graphs, most_steps
        config, model, device = networks.config, networks.model, networks.device
        n_branches, n_draws, hidden_size = model.sampler.n_branches, N_DRAWS[model.sampler.kind], config.llm.hidden_size
        field, patch = model.velocity_field_predictor, (config.patch_size, config.latent_dim)
        self.late_samples = LOOKAHEAD * config.vocoder.hop_samples

        def zeros(*shape: int, dtype: torch.dtype = networks.dtype) -> Tensor:
            return torch.zeros(*shape, dtype=dtype, device=device)

        self._kernels: frozenset[str] = frozenset()
        self._each_row = torch.arange(width, device=device)
        numbers = torch.arange(config.patch_size * config.latent_dim, device=device)
        self._noise_positions = torch.cat([draw * TEXT_STRIDE + numbers for draw in range(n_draws)])
        self._hidden, self._hidden_before = zeros(width, hidden_size), zeros(width, hidden_size)  # what the next patch is made of
        self._patch, self._patch_before = zeros(width, *patch), zeros(width, *patch)
        self._last_heard = zeros(width, 1, config.latent_dim)  # by the semantic encoder
        self._counts = zeros(3, width, 1, dtype=torch.int64)
        self._seed, self._guidance = zeros(width, 1, dtype=torch.int64), zeros(width, 1, 1)
        self._ended = zeros(width, dtype=torch.bool)
        self._modulations = zeros(most_steps, n_branches, width, field.n_modulations, config.DiT.hidden_size)
        most_patches = self.PATCH_SIZES[-1]
        memory = field.new_memory(most_steps * n_branches * width, most_patches)
        self._memory = memory.unflatten(2, (most_steps, n_branches, width))
        self._encoder_keys = model.patch_encoder.new_cache(width, most_patches).tensor
        self._start_audio(zeros)
        sizes = KeySizes(self.KEY_SIZES, self.ROW_SIZES, self.ROW_SIZES[-1], most_rows=self.ROW_SIZES[-1])
        self._row = zeros(width, 1, hidden_size)
        self._keys = KeyRows(DecoderReader(model.decoder), graphs, sizes, self.watch, like=(self._row,), fixed_shapes=fixed_shapes)
        self._active, self._position = self._keys.active, self._keys.position

    def _start_audio(self, zeros: Callable[..., Tensor]) -> None:
        config = self._networks.config
        self._tails_like = tails_like(config.vocoder, config.patch_size)
        n_numbers = sum(tail[0].numel() for tail in self._tails_like.tensors)
        # All tails of a row, one after another, and the same memory as the decoder knows them.
        self._vae, self._place_vae = zeros(self.width, n_numbers, dtype=torch.float32), zeros(1, n_numbers, dtype=torch.float32)
        self._first_latents = zeros(1, config.patch_size, config.latent_dim, dtype=torch.float32)
        self._first_audio, self._rest = (zeros(n, dtype=torch.float32) for n in (config.patch_samples, self.late_samples))
        self._audio = zeros(self.width, RING, config.patch_samples, dtype=torch.float32)

    @property
    def most_patches(self) -> int:
        """Of a row, those of a recording among them."""
        return self.PATCH_SIZES[-1]

    @property
    def most_positions(self) -> int:
        """Of the language model, in a row."""
        return self._keys.length

    def bytes_with(self, streams: Sequence[DotsStream]) -> int:
        """See DecoderRows."""
        tensors = [value for value in vars(self).values() if isinstance(value, Tensor)]
        return self._keys.bytes_with(streams) + sum(tensor.nbytes for tensor in (*tensors, *self.watch.tensors()))

    # --- what a stream asks for

    def decode(self, stream: DotsStream, first: int, n_frames: int) -> Tensor:
        """See DecoderRows. At most MOST_PENDING patches; of the very first, the first two latents are none."""
        ring, at = self._audio[stream.own_row], first % RING
        audio = ring[at : at + n_frames]
        if len(audio) < n_frames:
            audio = torch.cat([audio, ring[: n_frames - len(audio)]])
        return audio.flatten()

    def rest(self, stream: DotsStream) -> Tensor:
        """See DecoderRows. Valid until the next call."""
        self._place_vae.copy_(self._vae[stream.own_row : stream.own_row + 1])
        self._graphs.run("rest", self._finish_audio)
        return self._rest

    def release(self, stream: DotsStream, row: int | None) -> None:
        """See DecoderRows."""
        if row is not None:
            self._keys.empty(row)
            self._counts[:FRAME, row].zero_()

    def use_kernels(self, names: Set[str]) -> None:
        """See DecoderRows."""
        self._kernels = frozenset(names)
        for network in (self._model, self._networks.decoder):
            fuse(network, names)

    def warm_up(self) -> None:
        """See DecoderRows."""
        n_steps = min(self._model.sampler.n_steps, self._most_steps)
        self._graphs.capture("begin", self._begin_audio)
        self._graphs.capture("rest", self._finish_audio)
        if not self.fixed_shapes:
            self._draw(ALL, n_steps, 1)
            self._feed((1,) * self.width, 1)
            self._sound(ALL)
            return
        for size in self.PATCH_SIZES:
            self._graphs.capture(("draw", n_steps, size), lambda size=size: self._draw(ALL, n_steps, size))
        for size in self._keys.sizes.keys:
            self._graphs.capture(("feed", size), lambda size=size: self._feed(size, min(size, self.most_patches)))
        self._graphs.capture("sound", lambda: self._sound(ALL))
        self._keys.warm_up()

    # --- one stream's affairs

    def new_stream(self, stream_start: DotsStart, most_frames: int) -> DotsStream:
        """See DecoderRows."""
        counts = {"n_seen": stream_start.rows.shape[1], "n_before": stream_start.n_heard, "n_source": stream_start.n_source}
        own = {"along": stream_start.along, "is_opened": stream_start.opening is not None}
        return DotsStream(most_frames=most_frames, n_steps=stream_start.params.n_steps, **counts, **own)

    def take_text(self, stream: DotsStream) -> None:
        """See DecoderRows. A patch wants its quota of tokens before it."""
        along = stream.along
        if along is None or along.is_read:
            return
        along.take()
        if along.is_over:
            stream.most_frames = min(stream.most_frames, max(stream.n_tokens + 1, along.limit_of(along.text).frames))
        draws_next = stream.unread is None and stream.n_tokens == stream.n_frames
        stream.is_starved = draws_next and not along.has_next(stream.n_tokens)
        if stream.is_starved:
            along.want()

    def read(self, streams: Sequence[DotsStream]) -> None:
        """See DecoderRows."""
        (stream,) = streams
        row, start, model = stream.own_row, cast("DotsStart", stream.unread), self._model
        self._seed[row].fill_(start.params.seed)
        self._guidance[row].fill_(start.params.guidance)
        self._counts[BEFORE, row].fill_(start.n_heard)
        self._counts[HEARD, row].fill_(start.n_heard + start.n_source)
        self._counts[FRAME, row].zero_()
        self._last_heard[row].zero_()
        self._keys.begin(row, stream.n_seen)
        if self.watch.sums is not None:  # a mask hides numbers, and not NaN, which only float16 leaves there
            self._memory[:, :, :, :, row].zero_()
            self._encoder_keys[:, :, row].zero_()
        self._modulations[: stream.n_steps, :, row].copy_(model.modulations(start.voices, stream.n_steps))
        if (recording := start.heard or start.source) is not None:
            self._encoder_keys[:, :, row, :, : recording.keys.shape[4]].copy_(recording.keys[:, :, 0])
            self._last_heard[row].copy_(recording.last[0])
        if start.heard is None:
            self._hidden[row].copy_(self._keys.read((start.rows,), (), self._keys.row(row))[0][0])
            self._ended[row].copy_(model.ends(self._hidden[row : row + 1])[0])
        else:
            self._read_on(stream, start, start.heard)
        if start.opening is not None:
            self._patch[row].copy_(start.opening)
        if start.along is not None and not start.along.is_read:
            self._ended[row].zero_()
        stream.endings.append((1, HostCopy(self._ended)))

    def _read_on(self, stream: DotsStream, start: DotsStart, heard: HeardPatches) -> None:
        """The recording behind the text, and its last patch once more: the one that was dropped, since silence completed it."""
        row, n_heard, model = stream.own_row, start.n_heard, self._model
        (cache,) = self._keys.row(row)
        step = model.decoder.step(torch.arange(start.rows.shape[1], device=start.rows.device), start.rows.shape[1])
        states = model.decoder(start.rows, step, cache)
        self._hidden[row].copy_(states[0, -1])
        states = states[:, list(start.made_of)]
        if n_heard:
            self._hidden_before[row].copy_(states[0, n_heard - 1])
            self._patch_before[row].copy_(heard.latents[0, -1])
        if n_heard > 1:
            self._remember(stream, states[:, : n_heard - 1], heard.latents[:, :-1])
        self._keys.activate([stream])
        self._draw_all([stream])
        self._feed_all([stream])
        self._counts[FRAME, row].zero_()
        if start.behind is not None:
            self._hidden[row].copy_(model.decoder.prefill(start.behind, cache, stream.n_seen)[0])
            stream.n_seen += start.behind.shape[1]
            self._position[row].fill_(stream.n_seen)
            self._ended[row].copy_(model.ends(self._hidden[row : row + 1])[0])

    def _remember(self, stream: DotsStream, states: Tensor, latents: Tensor) -> None:
        """All steps and branches at once: what they differ in are modulations."""
        n_steps, row, field = stream.n_steps, stream.own_row, self._model.velocity_field_predictor
        rows = self._model.rows_of(states, latents).repeat(n_steps, 1, 1)
        field.remember(rows, self._modulations[:n_steps, :, row].flatten(0, 1), self._memory[:, :, :n_steps, :, row].flatten(2, 3))

    def saved(self, stream: DotsStream) -> object:
        """See DecoderRows."""
        return self._keys.saved(stream, self._row_tensors(stream))

    def restore(self, stream: DotsStream) -> None:
        """See DecoderRows."""
        self._keys.restore(stream, self._row_tensors(stream))

    def _row_tensors(self, stream: DotsStream) -> list[Tensor]:
        """What belongs to the stream in a row, beside the language model's keys; of memories what it has used."""
        n_made = stream.n_before + 1
        n_heard = n_made + stream.n_source
        places = (n_made + 1) * self._model.velocity_field_predictor.n_rows, n_heard * self._model.patch_encoder.rows_per_patch
        memories = [
            self._memory[:, :, : stream.n_steps, ..., : places[0], :].movedim(4, 0),
            self._encoder_keys[..., : places[1], :].movedim(2, 0),
            self._modulations[: stream.n_steps].movedim(2, 0),
        ]
        state = [self._hidden, self._hidden_before, self._patch, self._patch_before, self._last_heard, *self._counts]
        return [*state, *memories, self._position, self._seed, self._guidance, self._ended, self._vae, self._audio, *self.watch.tensors()]

    # --- steps of several

    def draw(self, streams: Sequence[DotsStream]) -> tuple[Tensor, bool]:
        """Feed back the patches just made; then it is known whether the next ones are the last."""
        self._keys.activate(streams)
        self._feed_all(streams)
        self._read_tokens([stream for stream in streams if stream.along is not None])
        return self._ended, False

    def _read_tokens(self, streams: Sequence[DotsStream]) -> None:
        """What goes before the next patches of a text that is read token by token: few tokens, and of each stream its own."""
        for stream in streams:
            assert stream.along is not None
            if stream.n_seen + MOST_TOKENS >= self.most_positions - 1:  # a text that outgrows the row
                stream.most_frames = min(stream.most_frames, stream.n_tokens + 1)
            elif ids := stream.along.read(stream.n_tokens):
                row, at = stream.own_row, slice(stream.own_row, stream.own_row + 1)
                state = self._model.decoder.prefill(self._model.embed(ids), self._keys.row(row)[0], stream.n_seen)
                self._hidden[row].copy_(state[0])
                stream.n_seen += len(ids)
                self._position[row].fill_(stream.n_seen)
                self._ended[row].copy_(self._model.ends(self._hidden[at])[0] & stream.along.is_read)

    def complete(self, streams: Sequence[DotsStream]) -> None:
        """Those of one number of steps at once: it is part of the shape. Then their audio, of newcomers one by one."""
        for n_steps in sorted({stream.n_steps for stream in streams}):
            drawn = [stream for stream in streams if stream.n_steps == n_steps and not (stream.is_opened and not stream.n_frames)]
            if drawn:
                self._draw_all(drawn)
        going_on = [stream for stream in streams if stream.n_frames]
        for stream in streams:
            if not stream.n_frames:
                self._begin(stream.own_row)
        if not going_on:
            return
        self._keys.activate(going_on)
        if self.fixed_shapes:
            self._graphs.run("sound", lambda: self._sound(ALL))
        else:
            for row in self._keys.active_rows:
                self._sound(slice(row, row + 1))

    def _draw_all(self, streams: Sequence[DotsStream]) -> None:
        self._keys.activate(streams)
        n_steps, most = streams[0].n_steps, 1 + max(stream.n_before for stream in streams)
        if self.fixed_shapes:
            size = next(size for size in self.PATCH_SIZES if size >= most)
            self._graphs.run(("draw", n_steps, size), lambda: self._draw(ALL, n_steps, size))
            return
        for stream in streams:
            self._draw(slice(stream.own_row, stream.own_row + 1), n_steps, stream.n_before + 1)

    def _feed_all(self, streams: Sequence[DotsStream]) -> None:
        n_keys = self._keys.n_keys(streams)
        most = min(n_keys, self.most_patches) if isinstance(n_keys, int) else 1 + max(stream.n_before for stream in streams)
        self._graphs.run(("feed", n_keys), lambda: self._feed(n_keys, most))
        for stream in streams:
            stream.n_seen += 1
            stream.n_before += 1

    # --- the work itself: reads and writes the rows' tensors, knows no stream, waits for nothing

    def _feed(self, n_keys: int | tuple[int, ...], most_patches: int) -> None:
        """The last patch of the active rows: heard by the semantic encoder, then read by the language model."""
        model, n_active = self._model, self._active.long()
        if self.fixed_shapes:
            self._hear(ALL, most_patches)
        else:
            for row in self._keys.active_rows:
                self._hear(slice(row, row + 1), int(self._counts[HEARD, row]) + 1)
        if self.width == 1 and not isinstance(n_keys, int):
            step = model.decoder.step(self._position[0], n_keys[0], exact=True)
        else:
            step = model.decoder.step(self._position, n_keys)
        hidden = self.watch.see(model.decoder(self._row, step, self._keys.caches[0])[:, -1])
        for count in (self._position, self._counts):
            count.add_(n_active)
        self._hold(self._patch_before, self._patch)
        self._hold(self._hidden_before, self._hidden)
        self._hold(self._hidden, hidden)
        self._ended.copy_(torch.where(self._active[:, 0], model.ends(self._hidden), self._ended))

    def _hear(self, at: slice, most_patches: int) -> None:
        """The language model's next row."""
        latents, cache = self._raw(at).to(self._patch.dtype), self._encoder_keys[:, :, at]
        self._row[at], last = self._model.patch_encoder(latents, self._last_heard[at], self._counts[HEARD, at], cache, most_patches)
        self._last_heard[at] = torch.where(self._active[at, :, None], last, self._last_heard[at])

    def _draw(self, at: slice, n_steps: int, most_patches: int) -> None:
        """The patches that the active rows are at."""
        model, field = self._model, self._model.velocity_field_predictor
        before = model.rows_of(self._hidden_before[at, None], self._patch_before[at, None])
        fixed = torch.cat([before, model.rows_being_drawn(self._hidden[at])], dim=1)
        step = field.step(self._counts[BEFORE, at].repeat(model.sampler.n_branches, 1), most_patches)

        def velocity(latents: Tensor, number: int) -> Tensor:
            same = model.coordinate_proj(latents).expand(model.sampler.n_branches, -1, -1, -1)
            rows = torch.cat([fixed.unflatten(0, same.shape[:2]), same], dim=2).flatten(0, 1)
            modulation, memory = self._modulations[number, :, at].flatten(0, 1), self._memory[:, :, number, :, at].flatten(2, 3)
            return field(rows, modulation, step, memory)

        sums = None if self.watch.sums is None else self.watch.sums[at]
        patch = self.watch.see(model.draw(self._noise(at), n_steps, self._guidance[at], velocity), sums)
        self._patch[at] = torch.where(self._active[at, :, None], patch, self._patch[at])

    def _noise(self, at: slice) -> Tensor:
        """(draws, B, P, D), of each row's seed and the number of its patch."""
        fused = "uniform_noise" in self._kernels
        noise = gaussian_noise(self._seed[at], self._counts[BEFORE, at], self._noise_positions, fused=fused)
        return noise.unflatten(1, (-1, *self._patch.shape[1:])).movedim(1, 0).to(self._patch.dtype)

    def _sound(self, at: slice) -> None:
        audio, state = self._networks.decoder.decode(self._raw(at), self._tails(self._vae[at]))
        self._vae[at] = torch.where(self._active[at], packed(state.tensors), self._vae[at])
        rows, ring = self._each_row[at], self._counts[FRAME, at, 0] % RING
        self._audio[rows, ring] = torch.where(self._active[at], audio, self._audio[rows, ring])

    def _begin(self, row: int) -> None:
        """The first audio of a stream, in one place: shorter than a patch, and of no state."""
        self._first_latents.copy_(self._raw(slice(row, row + 1)))
        self._graphs.run("begin", self._begin_audio)
        self._vae[row].copy_(self._place_vae[0])
        self._audio[row, 0].copy_(self._first_audio)

    def _begin_audio(self) -> None:
        audio, state = self._networks.decoder.begin(self._first_latents)
        self._place_vae.copy_(packed(state.tensors))
        self._first_audio[self.late_samples :].copy_(audio[0])

    def _finish_audio(self) -> None:
        self._rest.copy_(self._networks.decoder.finish(self._tails(self._place_vae))[0])

    def _raw(self, at: slice) -> Tensor:
        return self._networks.stats.raw(self._patch[at].float())

    def _tails(self, rows: Tensor) -> VaeTails:
        return self._tails_like.of(unpacked(rows, self._tails_like.tensors))

    def _hold(self, kept: Tensor, new: Tensor) -> None:
        """Of the active rows."""
        kept.copy_(torch.where(self._active.view(-1, *[1] * (kept.ndim - 1)), new, kept))
