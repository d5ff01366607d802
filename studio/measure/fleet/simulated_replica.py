"""SimulatedReplica: an engine and its one thread on a simulated clock.

It decides admission, which step serves whom, and what a voice costs.
"""

import math
from collections import deque
from collections.abc import Callable

from studio.measure.fleet.asked_speech import AskedSpeech
from studio.measure.fleet.engine_costs import EngineCosts
from studio.measure.fleet.fleet_plan import FleetPlan
from studio.measure.fleet.voice_cache import VoiceCache
from studio.running.admission import StreamDemand, can_feed
from studio.running.scheduler import ALL_RESERVE_AT, DELIVERY_SECONDS, RESERVE_SECONDS, UTILIZATION, Estimate

__all__ = ["SimulatedReplica"]

MOST_BLIND_SECONDS = (
    0.02  # of steps in one go while there are more streams than rows, or somebody waits: then it is asked again who is next
)
HEARD_GAP_SECONDS = 0.02  # a shorter one is no gap, as in the load report
END_OF_SPEECH = 1e-9  # seconds of audio


class SimulatedReplica:
    """Does one thing at a time, a turn: a call (an extraction), an opening of streams, or steps until something changes.

    What ends in a turn is told to `on_end` when the turn is over; `turn_ends` is when that is, None while there is nothing to do.
    """

    def __init__(self, costs: EngineCosts, plan: FleetPlan, on_end: Callable[[AskedSpeech, float], None]):
        self._costs, self._plan, self._on_end = costs, plan, on_end
        self._line: deque[AskedSpeech] = deque()
        self._streams: list[AskedSpeech] = []
        self._steps = [0.0, *(costs.step(n) for n in range(1, costs.width + 1))]
        self._opening, self._call = Estimate(), Estimate()
        self._turn: Callable[[float], None] | None = None
        self._turn_began = self._turn_step = self._turn_rows = 0.0
        self.turn_ends: float | None = None
        self.prepared = VoiceCache(costs.prepared_voices if plan.prepared_voices is None else plan.prepared_voices)
        self._counted = (0.0, math.inf)
        self.count_between(0.0, math.inf)

    def count_between(self, since: float, until: float) -> None:
        """busy_seconds: of turns, within these times. row_seconds: of the rows of steps that somebody had, over all rows. calls: made.
        prepare_seconds: of reading voices."""
        self._counted = since, until
        self.busy_seconds = self.row_seconds = self.prepare_seconds = 0.0
        self.calls = 0
        self.prepared.forget_counts()

    @property
    def depth(self) -> int:
        """Requests under way."""
        return len(self._line) + len(self._streams)

    def submit(self, speech: AskedSpeech, now: float) -> bool:
        """Whether it is taken. Steps under way end with the one that is running."""
        if len(self._line) >= self._plan.most_waiting:
            return False
        speech.submitted, speech.left = now, speech.seconds
        self._line.append(speech)
        if self.turn_ends is None:
            self._begin_turn(now)
        elif self._turn_step:
            steps = max(1, math.ceil((now - self._turn_began) / self._turn_step))
            self.turn_ends = min(self.turn_ends, self._turn_began + steps * self._turn_step)
        return True

    def end_turn(self) -> None:
        """The turn is over: tell of what ended, and begin the next."""
        now, turn = self.turn_ends, self._turn
        assert now is not None and turn is not None  # else nobody was to wake it
        since, until = self._counted
        seconds = max(0.0, min(now, until) - max(self._turn_began, since))
        self.busy_seconds += seconds
        self.row_seconds += seconds * self._turn_rows
        self._turn = self.turn_ends = None
        turn(now)
        if self.turn_ends is None:
            self._begin_turn(now)

    def _begin_turn(self, now: float) -> None:
        self._refuse_overdue(now)
        newcomers = self._admitted(now)
        if newcomers and newcomers[0].extracts:
            self._begin_call(newcomers[0], now)
        elif newcomers:
            self._begin_opening(newcomers, now)
        elif self._streams:
            self._begin_steps(now)

    def _refuse_overdue(self, now: float) -> None:
        while self._line and not self._line[0].extracts and now >= self._line[0].submitted + self._plan.most_wait_seconds:
            speech = self._line.popleft()
            speech.refused = True
            self._on_end(speech, now)

    def _take(self, seconds: float, now: float, then: Callable[[float], None], *, rows: float, step: float = 0.0) -> None:
        """rows: the share of a step's rows that somebody has."""
        self._turn, self._turn_began, self._turn_step, self.turn_ends = then, now, step, now + seconds
        self._turn_rows = rows

    # --- who is let in

    def _admitted(self, now: float) -> list[AskedSpeech]:
        """The first of the line, as many as can be begun now; as studio/running/scheduler.py has it."""
        admitted: list[AskedSpeech] = []
        while self._line and len(admitted) < self._costs.width:
            first = self._line[0]
            if (first.extracts and admitted) or not self._may_begin(first, admitted, now):
                break
            admitted.append(self._line.popleft())
            if first.extracts:
                break
        return admitted

    def _may_begin(self, first: AskedSpeech, admitted: list[AskedSpeech], now: float) -> bool:
        if self._plan.admission == "all":
            return True
        if self._plan.admission == "slots":
            return len(self._streams) + len(admitted) < self._costs.width
        if first.extracts:
            return not self._streams or self._call.careful <= self._spare_seconds(now)
        return self._can_feed(first, admitted, now)

    def _can_feed(self, newcomer: AskedSpeech, admitted: list[AskedSpeech], now: float) -> bool:
        n_others = len(self._streams) + len(admitted)
        if not n_others:
            return True
        rate = self._costs.rate(n_others + 1)
        opening = self._opening.careful * math.ceil((len(admitted) + 1) / self._costs.width)
        reserve = RESERVE_SECONDS * min(1.0, rate * (n_others + 1) / ALL_RESERVE_AT)
        if opening + reserve > self._spare_seconds(now):
            return False
        fed = [StreamDemand(self._ahead(stream, now), stream.left) for stream in self._streams]
        fed += [StreamDemand(opening, speech.left) for speech in admitted]
        return can_feed(fed, StreamDemand(opening, newcomer.left), rate=rate, utilization=UTILIZATION)

    def _spare_seconds(self, now: float) -> float:
        if self._costs.rate(1) > UTILIZATION:
            return math.inf
        due = [stream.dry_at for stream in self._streams if stream.dry_at >= now]
        return min(due) - now - DELIVERY_SECONDS - self._steps[-1] if due else math.inf

    def _ahead(self, stream: AskedSpeech, now: float) -> float:
        return stream.dry_at - now - DELIVERY_SECONDS - self._steps[-1]

    # --- what a turn is

    def _begin_call(self, speech: AskedSpeech, now: float) -> None:
        def ended(then: float) -> None:
            self._call.learn(self._costs.extract_seconds)
            self.calls += 1
            self._on_end(speech, then)

        self._take(self._costs.extract_seconds, now, ended, rows=1.0)

    def _begin_opening(self, newcomers: list[AskedSpeech], now: float) -> None:
        """Each newcomer reads its voice, where the device does not know it, and begins; the step that gives the first audio is common."""
        costs, n_new = self._costs, len(newcomers)
        aboard = self._most_urgent(costs.width - n_new)
        misses = sum(not self.prepared.use(speech.voice) for speech in newcomers) if costs.prepare_seconds else 0
        own = max(0.0, costs.first_audio_seconds - self._steps[1])
        seconds = misses * costs.prepare_seconds + n_new * own + self._steps[n_new + len(aboard)]

        def ended(then: float) -> None:
            self._opening.learn(seconds / n_new)
            self._advance(aboard, 1, then, seconds)
            for speech in newcomers:
                self._begin(speech, then)

        self.prepare_seconds += misses * costs.prepare_seconds
        self._take(seconds, now, ended, rows=(n_new + len(aboard)) / costs.width)

    def _begin(self, speech: AskedSpeech, now: float) -> None:
        speech.first_audio_at, heard = now, min(self._costs.chunk_seconds, speech.left)
        speech.dry_at, speech.left = now + heard, speech.left - heard
        if speech.left <= END_OF_SPEECH:
            self._on_end(speech, now)
        else:
            self._streams.append(speech)

    def _begin_steps(self, now: float) -> None:
        served = self._most_urgent(self._costs.width)
        step, frame = self._steps[len(served)], self._costs.frame_seconds
        n_steps = min(math.ceil((stream.left - END_OF_SPEECH) / frame) for stream in served)
        if len(self._streams) > len(served) or (self._line and self._plan.admission != "slots"):
            n_steps = min(n_steps, max(1, int(MOST_BLIND_SECONDS / step)))

        def ended(then: float) -> None:
            self._advance(served, max(1, round((then - now) / step)), then, step)

        self._take(n_steps * step, now, ended, rows=len(served) / self._costs.width, step=step)

    def _most_urgent(self, n: int) -> list[AskedSpeech]:
        """So many streams, those who run dry next first."""
        if len(self._streams) <= n:
            return list(self._streams)
        return sorted(self._streams, key=lambda stream: stream.dry_at)[:n]

    def _advance(self, served: list[AskedSpeech], n_steps: int, now: float, step: float) -> None:
        """Steps that end at `now` have served these, the first of them `step` after they began. Who is over then is told, and goes."""
        first_at, made = now - (n_steps - 1) * step, n_steps * self._costs.frame_seconds
        for stream in served:
            if stream.dry_at < first_at:
                stream.stuttered |= stream.dry_at < first_at - HEARD_GAP_SECONDS
                stream.dry_at = first_at
            stream.dry_at += min(made, stream.left)
            stream.left -= made
        over = [stream for stream in served if stream.left <= END_OF_SPEECH]
        if over:
            self._streams = [stream for stream in self._streams if stream.left > END_OF_SPEECH]
        for stream in over:
            self._on_end(stream, now)
