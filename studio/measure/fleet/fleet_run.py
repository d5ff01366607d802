"""FleetRun: runs a demand against a fleet on a simulated clock, event by event. It gives the figures of the listeners."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from studio.measure.fleet.asked_speech import AskedSpeech
from studio.measure.fleet.demand import Demand, Habits
from studio.measure.fleet.engine_costs import EngineCosts
from studio.measure.fleet.fleet_plan import FleetPlan
from studio.measure.fleet.routing import choose_by
from studio.measure.fleet.simulated_replica import SimulatedReplica
from studio.measure.fleet.voice_cache import VoiceCache

__all__ = ["FleetOutcome", "FleetRun", "simulate", "simulate_at_once"]

WARM_UP_SHARE = 0.3  # of the speeches, of which nothing is counted but that nobody is lost
COMING_SECONDS = 1.0  # within which all come who listen at once, as in the load report
HANDLE_BYTES_PER_SECOND = 1e9  # of a prompt, from ingress to replica


@dataclass(frozen=True)
class FleetOutcome:
    """Of the speeches after the warm-up. ttfp_seconds: (N,) of those that were heard, from asking to the first packet.

    asked, heard, refused: speeches of the whole run. The hit rates are of the device's prepared voices, and of the ingresses' prompts.
    busy: the share of time that the engines are at work, which says little where a step takes as long for one stream as for eight;
    rows: that the rows of their steps are somebody's. busiest: the busiest replica's busy. extracting, preparing: of the engines' time.
    ended_at: when the last speech was heard first, seconds.
    """

    ttfp_seconds: np.ndarray
    asked: int
    heard: int
    refused: int
    refused_share: float
    stuttered_share: float
    prepared_hit_rate: float
    prompt_hit_rate: float
    busy: float
    rows: float
    busiest: float
    extracting: float
    preparing: float
    extractions_per_second: float
    ended_at: float

    def ttfp(self, percent: float) -> float:
        """Seconds; infinite where nobody heard anything."""
        return float(np.percentile(self.ttfp_seconds, percent)) if len(self.ttfp_seconds) else float("inf")


def simulate(costs: EngineCosts, plan: FleetPlan, habits: Habits, *, n_speeches: int, seed: int = 0) -> FleetOutcome:
    """What listeners who come as they like get of a fleet. The same arguments give the same outcome, to the last bit."""
    return FleetRun(costs, plan, habits, Demand.drawn(habits, n_speeches, seed), seed).outcome()


def simulate_at_once(costs: EngineCosts, plan: FleetPlan, habits: Habits, *, rounds: int, seed: int = 0) -> FleetOutcome:
    """The same of listeners who come within COMING_SECONDS and ask again when they have heard all, as `studio.measure.server.load` does."""
    demand = Demand.drawn(habits, habits.n_listeners * rounds, seed)
    return FleetRun(costs, plan, habits, demand, seed, closed=True).outcome(warm_up_share=0.0)


@dataclass(slots=True)
class _Extraction:
    """Who waits for one; None of them makes another."""

    waiting: list[AskedSpeech] = field(default_factory=list)


class FleetRun:
    """One run. closed: the demand's times do not count; each listener asks for the next speech when it has heard the one before."""

    def __init__(self, costs: EngineCosts, plan: FleetPlan, habits: Habits, demand: Demand, seed: int, *, closed: bool = False):
        self._costs, self._plan, self._habits, self._demand, self._seed, self._closed = costs, plan, habits, demand, seed, closed
        self._replicas = [SimulatedReplica(costs, plan, self._ended) for _ in range(plan.n_replicas)]
        self._depths = [0] * plan.n_replicas
        self._choose = choose_by(plan.routing, plan.n_replicas, plan.spill_at, seed)
        n_ingresses = plan.n_ingresses(habits.n_listeners)
        self._prompts = [VoiceCache(plan.prompt_cache_voices) for _ in range(n_ingresses)]
        self._ingresses = np.random.default_rng(seed + 1).integers(n_ingresses, size=len(demand)).tolist()
        self._events: list[tuple[float, int, Callable[[float], None] | int]] = []
        self._n_events = self._next = 0
        self._extracting: dict[tuple[int, int], _Extraction] = {}
        self._speeches: list[AskedSpeech] = []
        self._wakes: list[float | None] = [None] * plan.n_replicas
        self._voices, self._seconds, self._is_new = demand.voices.tolist(), demand.seconds.tolist(), demand.is_new.tolist()

    def outcome(self, warm_up_share: float = WARM_UP_SHARE) -> FleetOutcome:
        """Run it to the end."""
        counted_from = int(len(self._demand) * warm_up_share)
        until = float("inf") if self._closed else float(self._demand.at[-1])
        if warm_up_share:
            self._learn_voices()
        self._start()
        is_counting, counting_since = not counted_from, 0.0
        while self._events:
            now, _, what = heapq.heappop(self._events)
            if isinstance(what, int):
                if self._wakes[what] == now:
                    self._wakes[what] = None
                    self._replicas[what].end_turn()
                    self._follow(what)
            else:
                what(now)
            if not is_counting and len(self._speeches) > counted_from:
                is_counting, counting_since = True, now
                self._count_between(now, until)
        return self._counted(counted_from, counting_since)

    # --- the clock

    def _after(self, at: float, what: Callable[[float], None] | int) -> None:
        self._n_events += 1
        heapq.heappush(self._events, (at, self._n_events, what))

    def _follow(self, place: int) -> None:
        """Be there when a replica's turn ends."""
        replica = self._replicas[place]
        self._depths[place] = replica.depth
        if replica.turn_ends is not None and replica.turn_ends != self._wakes[place]:
            self._wakes[place] = replica.turn_ends
            self._after(replica.turn_ends, place)

    def _start(self) -> None:
        if self._closed:
            for at in np.random.default_rng(self._seed).uniform(0.0, COMING_SECONDS, self._habits.n_listeners).tolist():
                self._after(at, self._ask)
        else:
            self._after(float(self._demand.at[0]), self._ask)

    # --- one speech

    def _ask(self, now: float) -> None:
        """The next of the demand."""
        number = self._next
        if number >= len(self._demand):
            return
        self._next += 1
        speech = AskedSpeech(number, self._voices[number], self._seconds[number], now, self._ingresses[number])
        self._speeches.append(speech)
        if not self._closed and self._next < len(self._demand):
            self._after(float(self._demand.at[self._next]), self._ask)
        if self._plan.shape == "whole":
            speech.ingress = self._choose(speech.voice, self._depths)
        self._find_prompt(speech, now)

    def _find_prompt(self, speech: AskedSpeech, now: float) -> None:
        """In the ingress's memory, on disk, from the engine. Who needs an extraction that is under way joins it: of any ingress where
        voices have a place of their own, else of the same one."""
        shared = self._plan.routing != "two choices" and self._plan.shape == "split"
        flight = (-1 if shared else speech.ingress, speech.voice)
        if flight in self._extracting:
            self._extracting[flight].waiting.append(speech)
        elif self._is_new[speech.number]:
            self._extracting[flight] = _Extraction([speech])
            self._submit(AskedSpeech(speech.number, speech.voice, 0.0, now, speech.ingress, extracts=True), now)
        elif self._prompts[speech.ingress].use(speech.voice):
            self._submit(speech, now)
        else:
            self._after(now + self._costs.disk_seconds, lambda then: self._submit(speech, then))

    def _submit(self, speech: AskedSpeech, now: float) -> None:
        place = speech.ingress if self._plan.shape == "whole" else self._choose(speech.voice, self._depths)
        if self._replicas[place].submit(speech, now):
            self._follow(place)
        else:
            speech.refused = True
            self._ended(speech, now)

    def _ended(self, speech: AskedSpeech, now: float) -> None:
        """A speech, or an extraction, is over, or was refused."""
        if speech.extracts:
            self._end_extraction(speech, now)
        elif self._closed:
            done = speech.first_audio_at + speech.seconds if speech.first_audio_at is not None else now + 1.0
            self._after(max(now, done), self._ask)

    def _end_extraction(self, call: AskedSpeech, now: float) -> None:
        shared = self._plan.routing != "two choices" and self._plan.shape == "split"
        waiting = self._extracting.pop((-1 if shared else call.ingress, call.voice)).waiting
        for speech in waiting:
            self._prompts[speech.ingress].use(speech.voice)
            speech.refused = call.refused
            if call.refused:
                self._ended(speech, now)
            else:
                self._after(now, lambda then, speech=speech: self._submit(speech, then))

    # --- what is known and counted

    def _learn_voices(self) -> None:
        """As if as many speeches as are counted had gone before, one after the other: who is known where, without any waiting."""
        idle = [0] * self._plan.n_replicas
        random = np.random.default_rng(2)
        places = self._plan.n_replicas * max(1, self._costs.prepared_voices) + len(self._prompts) * self._plan.prompt_cache_voices
        n = min(len(self._demand) * 2, places * 4)
        ranks = np.searchsorted(np.cumsum(self._habits.popularity()), random.random(n)).clip(max=self._habits.voices - 1).tolist()
        for voice, ingress in zip(ranks, random.integers(len(self._prompts), size=n).tolist(), strict=True):
            place = self._choose(voice, idle)
            self._replicas[place].prepared.use(voice)
            self._prompts[place if self._plan.shape == "whole" else ingress].use(voice)

    def _count_between(self, since: float, until: float) -> None:
        for replica in self._replicas:
            replica.count_between(since, until)
        for prompts in self._prompts:
            prompts.forget_counts()

    def _counted(self, counted_from: int, since: float) -> FleetOutcome:
        counted = self._speeches[counted_from:]
        heard = [(speech, speech.first_audio_at) for speech in counted if speech.first_audio_at is not None]
        ended_at = max([self._speeches[-1].asked_at, *(first_audio_at for _, first_audio_at in heard)])
        seconds = (ended_at if self._closed else self._speeches[-1].asked_at) - since
        engine_seconds = seconds * self._plan.n_replicas
        n_calls = sum(replica.calls for replica in self._replicas)
        return FleetOutcome(
            ttfp_seconds=np.array([first_audio_at - speech.asked_at + self._way_seconds for speech, first_audio_at in heard]),
            asked=len(self._speeches),
            heard=sum(speech.first_audio_at is not None for speech in self._speeches),
            refused=sum(speech.refused for speech in self._speeches),
            refused_share=sum(speech.refused for speech in counted) / max(1, len(counted)),
            stuttered_share=sum(speech.stuttered for speech, _ in heard) / max(1, len(heard)),
            prepared_hit_rate=_hit_rate([replica.prepared for replica in self._replicas]),
            prompt_hit_rate=_hit_rate(self._prompts),
            busy=sum(replica.busy_seconds for replica in self._replicas) / engine_seconds,
            rows=sum(replica.row_seconds for replica in self._replicas) / engine_seconds,
            busiest=max(replica.busy_seconds for replica in self._replicas) / seconds,
            extracting=n_calls * self._costs.extract_seconds / engine_seconds,
            preparing=sum(replica.prepare_seconds for replica in self._replicas) / engine_seconds,
            extractions_per_second=n_calls / seconds,
            ended_at=ended_at,
        )

    @property
    def _way_seconds(self) -> float:
        handed = self._costs.prompt_bytes / HANDLE_BYTES_PER_SECOND if self._plan.shape == "split" else 0.0
        return self._plan.way_seconds + handed


def _hit_rate(caches: list[VoiceCache]) -> float:
    hits, misses = sum(cache.hits for cache in caches), sum(cache.misses for cache in caches)
    return hits / (hits + misses) if hits + misses else 1.0
