"""BatchedSentenceDecoder: settles the codes of all sentences, step by step. A step serves one sentence, or several of one length. No other
code does.

On a CPU a sentence is computed as it is. On a GPU it lies in an area, tensors of fixed sizes that graphs were captured over, padded to the
next length that there is. Several of one length share a step where a check at warm-up finds that each gets the same bits as alone;
products of matrices may sum in another order for more rows, and a code that flips is another sentence.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from engines.kit.decode.cuda_graphs import Graphs, HostCopy
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.nn import batch_check
from engines.kit.nn.attention import AttentionStep
from engines.kit.nn.fusable import fuse
from engines.kit.sampling.sampling import CODEBOOK_STRIDE, TEXT_STRIDE, TEXT_UNIFORM_BITS, gumbel_noise
from engines.kit.sampling.unmasking import UnmaskingTensors, guided, settle_by_two, settled
from engines.omnivoice.networks import OmniVoiceNetworks
from engines.omnivoice.sentence import Sentence, SentenceKind, SentenceState
from engines.omnivoice.unmasking import MOST_STEPS, UnmaskingSettings, codes_per_step

__all__ = ["BatchedSentenceDecoder"]

SETTLING = frozenset({"guided_scores", "settle_surest"})  # kernels of settle_by_two
STEPS_AHEAD = 1  # that a GPU is given before the last one is done: it never waits, and a stop takes effect within a step


@dataclass
class _Area:
    """Tensors that stay where they are, and who lies there. Graphs are captured over them."""

    state: SentenceState
    occupants: tuple[Sentence, ...] = ()


class BatchedSentenceDecoder:
    """width: most sentences that one step serves. fixed_shapes: padded, as graphs want it. host_lag_frames: above 0 on a GPU, where the
    host does not wait for what it has just started. loops: whether a sentence that is in a hurry is settled by one graph of all its steps.

    ROW_SIZES: of areas; longer sentences are computed without graphs, in areas of a multiple of the largest. MOST_BATCHED_ROWS: of areas
    for several sentences; beyond it one fills the device. LOOP_STEPS, MOST_LOOP_ROWS: of the graphs of all steps. FIRST_BLOCK_FRAMES: of
    a sentence, what is decoded to begin with, by a graph.
    """

    ROW_SIZES = (*range(128, 512, 64), *range(512, 1024, 128), *range(1024, 2049, 256))
    MOST_BATCHED_ROWS = 1024
    LOOP_STEPS = (16, 32)
    MOST_LOOP_ROWS = 640
    FIRST_BLOCK_FRAMES = 25

    def __init__(self, networks: OmniVoiceNetworks, graphs: Graphs, *, width: int, fixed_shapes: bool = False, host_lag_frames: int = 0):
        self.width, self.fixed_shapes, self.loops = width, fixed_shapes, fixed_shapes
        self._backbone, self._decoder, self._graphs, self._is_late = networks.backbone, networks.decoder, graphs, host_lag_frames > 0
        self.watch = OverflowWatch(1, networks.dtype, networks.device)
        self._areas: dict[tuple[int, int], _Area] = {}  # by sentences and rows
        self._shared: set[tuple[int, int]] = set()  # (sentences, rows) that one step may serve at once
        self._at_once: set[tuple[int, int]] = set()  # (steps, rows) that one graph holds
        self._under_way: list[Sentence] = []
        self._kernels: frozenset[str] = frozenset()
        books = torch.arange(self._backbone.n_codebooks, device=networks.device)
        self._books = books[:, None] * CODEBOOK_STRIDE  # of the noise
        self._entries = torch.arange(self._backbone.n_entries, device=networks.device)
        n_heard = self.FIRST_BLOCK_FRAMES + self._decoder.context_frames
        self._first_codes = torch.zeros(1, self._backbone.n_codebooks, n_heard, dtype=torch.int64, device=networks.device)
        self._first_samples = torch.zeros(1, n_heard * self._decoder.frame_samples, device=networks.device)

    @property
    def bytes(self) -> int:
        """Of areas, and of sentences under way."""
        return sum(one.state.bytes for one in (*self._areas.values(), *self._under_way))

    def use_kernels(self, names: Set[str]) -> None:
        """Have these do what they fuse (see kit/fused/self_check.py), in all that is captured from now on."""
        self._kernels = frozenset(names)
        for network in (self._backbone, self._decoder):
            fuse(network, names)

    @torch.inference_mode()
    def warm_up(self) -> None:
        """Capture all graphs, on whatever the areas hold. Nobody may be under way."""
        self._graphs.capture("first block", self._decode_first)
        for n_rows in self.ROW_SIZES if self.fixed_shapes else self.ROW_SIZES[:1]:
            kind = SentenceKind(n_rows, n_rows // 2, draws_codes=False)
            self._graphs.capture(("step", 1, n_rows), partial(self._step, self._area(1, kind).state))
            if not self.fixed_shapes:
                self._areas.clear()  # run once, so that nothing is loaded later
                return
            if n_rows <= self.MOST_LOOP_ROWS and self.loops:
                for n_steps in self.LOOP_STEPS:
                    self._graphs.capture(("loop", n_steps, n_rows), partial(self._steps, self._area(1, kind).state, n_steps))
                    self._at_once.add((n_steps, n_rows))
            for n in self._batch_sizes(n_rows):
                if batch_check.is_exact(self._logits, self._some_rows(n, n_rows)):
                    self._shared.add((n, n_rows))
                    self._graphs.capture(("step", n, n_rows), partial(self._step, self._area(n, kind).state))

    # --- one sentence's affairs

    @torch.inference_mode()
    def begin(self, prompt: Tensor, n_frames: int, settings: UnmaskingSettings, *, in_hurry: bool = False) -> Sentence:
        """A sentence of n_frames behind the prompt's rows (1, P, D). in_hurry: settle it at one go, if it can be."""
        n_rows = prompt.shape[1] + 2 * n_frames
        kind = SentenceKind(n_rows, n_frames, settings.class_temperature > 0)
        if self.fixed_shapes:
            n_rows = self._padded(n_rows + 1)  # padding has a row at least
            kind = SentenceKind(n_rows, n_rows // 2, kind.draws_codes)
        state = self._blank(1, kind)
        state.lay_out(prompt, n_frames, self._backbone.mask_id)
        counts = codes_per_step(n_frames * self._backbone.n_codebooks, settings.num_step, settings.t_shift)
        device = prompt.device
        state.counts.copy_(torch.tensor([counts + [0] * (MOST_STEPS - len(counts))], device=device))
        state.settings.copy_(torch.tensor([settings.row], device=device))
        state.seed.fill_(settings.seed)
        sentence = Sentence(kind, state, n_frames, len(counts), settings.num_step if in_hurry else None)
        self._under_way.append(sentence)
        return sentence

    def want(self, sentence: Sentence) -> None:
        """Ask for a step, which is done with those of others when the first of them cannot wait any longer."""
        sentence.wants = not sentence.is_settled

    def due(self, sentence: Sentence) -> Sequence[Sentence]:
        """The sentence and others of its kind that want a step, as many as one step may serve; none where its step is done already."""
        if not sentence.wants:
            return ()
        others = [one for one in self._under_way if one.wants and one is not sentence and one.kind == sentence.kind]
        everybody, n_rows = [sentence, *others], sentence.kind.n_rows
        sizes = [n for n in self._batch_sizes(n_rows) if (n, n_rows) in self._shared and n <= len(everybody)]
        return sorted(everybody[: max(sizes, default=1)], key=self._under_way.index)  # so that they lie as they did in the last one

    @torch.inference_mode()
    def step(self, sentences: Sequence[Sentence]) -> None:
        """Do the step of these, who are due together; all steps at one go where a graph holds them."""
        kind = sentences[0].kind
        for one in sentences:
            one.wants = False
            self._keep_pace(one)
        state = self._lying_together(sentences) if self.fixed_shapes else sentences[0].state
        n_steps = self._at_one_go(sentences)
        if n_steps == 1:
            self._graphs.run(self._key("step", len(sentences), kind), partial(self._step, state, kind.draws_codes))
        else:
            self._graphs.run(self._key("loop", n_steps, kind), partial(self._steps, state, n_steps))
        for index, one in enumerate(sentences):
            one.n_done += n_steps
            if self._is_late:
                one.marks.append(HostCopy(state.step[index]))

    @torch.inference_mode()
    def codes(self, sentence: Sentence) -> Tensor:
        """(1, Q, F) int64 on the device. Raises Float16Overflow."""
        state = self._where(sentence)
        if self.watch.sums is not None:
            self.watch.check(HostCopy(state.seen))
        return state.codes[..., : sentence.n_frames].clone()

    @torch.inference_mode()
    def decode(self, codes: Tensor, first: int, last: int) -> Tensor:
        """The samples of frames first to last - 1 of a settled sentence's codes (1, Q, F), (T,) float32: those of the whole.

        They are valid until the next call.
        """
        reach, n_samples = self._decoder.context_frames, self._decoder.frame_samples
        begin = max(0, first - reach)
        heard = codes[..., begin : last + reach]
        if self.fixed_shapes and begin == 0 and heard.shape == self._first_codes.shape:
            self._first_codes.copy_(heard)
            self._graphs.run("first block", self._decode_first)
            samples = self._first_samples[0]
        else:
            samples = self._decoder.decode(heard)[0]
        return samples[(first - begin) * n_samples : (last - begin) * n_samples]

    @torch.inference_mode()
    def release(self, sentence: Sentence) -> None:
        """It is settled and read, or was dropped. Idempotent."""
        sentence.wants = False
        if sentence in self._under_way:
            self._under_way.remove(sentence)
        for area in self._areas.values():
            if sentence in area.occupants:
                self._vacate(area)

    # --- who shares a step, and where they lie

    def _batch_sizes(self, n_rows: int) -> list[int]:
        """Powers of two, so that no sentence is computed for nobody."""
        return [2**k for k in range(1, self.width.bit_length()) if 2**k <= self.width and n_rows <= self.MOST_BATCHED_ROWS]

    def _at_one_go(self, together: Sequence[Sentence]) -> int:
        """How many steps are done now: all of a sentence that is in a hurry and shares none, where a graph holds them.

        Others lose as long as a step of a few sentences takes; whoever listens has sound for longer.
        """
        first = together[0]
        can = self.loops and len(together) == 1 and first.n_done == 0 and not first.kind.draws_codes
        if first.loop_steps is None or not can or (first.loop_steps, first.kind.n_rows) not in self._at_once:
            return 1
        return first.loop_steps

    def _keep_pace(self, sentence: Sentence) -> None:
        while len(sentence.marks) > STEPS_AHEAD:
            sentence.marks.popleft().wait()

    def _lying_together(self, sentences: Sequence[Sentence]) -> SentenceState:
        """The state of the area in which they lie, in their order."""
        area = self._area(len(sentences), sentences[0].kind)
        if area.occupants != tuple(sentences):
            for home in self._areas.values():
                if set(home.occupants) & set(sentences):
                    self._vacate(home)
            self._vacate(area)
            for index, one in enumerate(sentences):
                area.state.sentence(index).copy_(one.state)
            area.occupants = tuple(sentences)
        return area.state

    def _vacate(self, area: _Area) -> None:
        for index, one in enumerate(area.occupants):
            one.state.copy_progress_(area.state.sentence(index))
        area.occupants = ()

    def _where(self, sentence: Sentence) -> SentenceState:
        for area in self._areas.values():
            if sentence in area.occupants:
                return area.state.sentence(area.occupants.index(sentence))
        return sentence.state

    def _area(self, n: int, kind: SentenceKind) -> _Area:
        key = n, kind.n_rows
        if key not in self._areas:
            self._areas[key] = _Area(self._blank(n, kind))
        return self._areas[key]

    def _blank(self, n: int, kind: SentenceKind) -> SentenceState:
        like, n_codebooks = self._backbone.decoder.norm.weight, self._backbone.n_codebooks
        return SentenceState.blank(n, kind.n_rows, kind.n_frames, like=like, n_codebooks=n_codebooks)

    def _padded(self, n_rows: int) -> int:
        largest = self.ROW_SIZES[-1]
        return next((size for size in self.ROW_SIZES if size >= n_rows), -(-n_rows // largest) * largest)

    @staticmethod
    def _key(name: str, n: int, kind: SentenceKind) -> tuple:
        return (name, n, kind.n_rows, "drawn") if kind.draws_codes else (name, n, kind.n_rows)

    # --- the work itself: reads and writes tensors, knows no sentence, waits for nothing

    def _steps(self, state: SentenceState, n_steps: int) -> None:
        same = self._of_every_step(state)
        for _ in range(n_steps):
            self._step(state, same=same)

    def _of_every_step(self, state: SentenceState) -> tuple[AttentionStep, Tensor]:
        """Who sees whom, and the positions of the order's noise, one for each book and frame."""
        frames = torch.arange(state.codes.shape[-1], device=state.codes.device)
        return self._backbone.decoder.step_over(state.positions, state.groups), (self._books + frames).flatten()

    def _step(self, state: SentenceState, draws_codes: bool = False, same: tuple[AttentionStep, Tensor] | None = None) -> None:
        backbone, (step, places) = self._backbone, same or self._of_every_step(state)
        at = state.at.flatten(1)[..., None].expand(-1, -1, state.rows.shape[-1])  # (B, 2 F, D)
        backbone.write_frames(state.codes, state.rows, state.at)
        conditional, unconditional = backbone.logits(state.rows, step, at).chunk(2, dim=2)
        if self.watch.sums is not None:
            conditional, unconditional = (self.watch.see(logits, state.seen) for logits in (conditional, unconditional))
        order_noise = self._order_noise(state, places)
        if self._kernels >= SETTLING and not draws_codes:
            settle_by_two(state.codes, (conditional, unconditional), (state.counts, state.step), state.settings, order_noise)
        else:
            settings, noise = UnmaskingTensors.of(state.settings), (order_noise, self._code_noise(state, places) if draws_codes else None)
            log_probs = guided(conditional, unconditional, settings.guidance_scale)
            state.codes.copy_(settled(state.codes, log_probs, state.counts.gather(1, state.step), settings, noise))
        state.step.add_(1).clamp_(max=MOST_STEPS - 1)

    def _decode_first(self) -> None:
        self._first_samples.copy_(self._decoder.decode(self._first_codes))

    def _logits(self, rows: Tensor) -> Tensor:
        """(B, N, D) -> (B, Q, N, V), as if each were a sentence and nothing else: every product of a step, of as many rows."""
        decoder = self._backbone.decoder
        positions = torch.arange(rows.shape[1], device=rows.device).expand(len(rows), -1)
        return self._backbone.logits(rows, decoder.step_over(positions, torch.zeros_like(positions)))

    def _some_rows(self, n: int, n_rows: int) -> Tensor:
        """(n, n_rows, D), all different as far as there are codes."""
        entries = torch.arange(n * n_rows, device=self._entries.device) % len(self._entries)
        return self._backbone.audio_embeddings(entries.view(n, n_rows))

    def _order_noise(self, state: SentenceState, places: Tensor) -> Tensor:
        """Gumbel noise (B, Q, F), a function of seed, step, book and frame."""
        fused = "gumbel_noise" in self._kernels
        return gumbel_noise(state.seed, state.step, places, fused=fused).view(state.codes.shape)

    def _code_noise(self, state: SentenceState, places: Tensor) -> Tensor:
        """The same for every entry, (B, Q, F, V), apart from the noise of the order."""
        places = places[:, None] + CODEBOOK_STRIDE * len(self._books)
        positions = (places * len(self._entries) + self._entries).flatten()
        return gumbel_noise(state.seed, state.step, positions + TEXT_STRIDE, TEXT_UNIFORM_BITS).view(*state.codes.shape, -1)
