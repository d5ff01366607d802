"""Scheduler: decides which stream an engine serves next, and which has to wait.

EagerScheduler begins every stream at once; AdmittingScheduler begins only streams that can be fed.

Used with the worker's lock held.
EnginePace is what an engine has been seen to take: to a first audio, per second of audio, for a step, for a call. Running means.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

from studio.running.admission import StreamDemand, can_feed
from studio.running.stream import EngineJob, StreamJob

__all__ = ["RESERVE_SECONDS", "AdmittingScheduler", "EagerScheduler", "EnginePace", "Estimate", "Scheduler", "is_pressing"]

# --- the pace


HALF_LIFE_AUDIO_SECONDS = 5.0  # of what is known about the pace: one sentence counts half when another was spoken
MEAN_GAIN, DEVIATION_GAIN, CAREFUL_DEVIATIONS = 1 / 8, 1 / 4, 4  # of RFC 6298, which asks the same of round trips: how long may one take?
LENGTH_HALF_LIFE_SECONDS = 30.0  # expected ones, of what is known about lengths; and what the expectation itself counts at first
LEAST_LEFT_SHARE = 0.1  # of its expected length: what a speech that has outgrown it is taken to have left


class Estimate:
    """How long something takes, seconds: on the mean, and what it hardly ever exceeds (`careful`). 0 before any was seen."""

    def __init__(self):
        self.mean = self.careful = 0.0
        self._deviation: float | None = None

    def learn(self, seconds: float) -> None:
        if self._deviation is None:
            self.mean, self._deviation = seconds, seconds / 2
        else:
            self._deviation += DEVIATION_GAIN * (abs(seconds - self.mean) - self._deviation)
            self.mean += MEAN_GAIN * (seconds - self.mean)
        self.careful = self.mean + CAREFUL_DEVIATIONS * self._deviation


class EnginePace:
    """opening: of a stream, from its beginning to its first audio. step: an advance of streams. call: anything else the engine does."""

    def __init__(self):
        self.opening = Estimate()
        self.step = Estimate()
        self.call = Estimate()
        self._first_rate: float | None = None
        self._sums: dict[int, tuple[float, float]] = {}  # streams in a step -> (engine seconds, seconds of audio), older ones fading
        self._lengths = (LENGTH_HALF_LIFE_SECONDS, LENGTH_HALF_LIFE_SECONDS)  # (seconds as expected, as spoken), older ones fading

    def learn_opening(self, seconds: float, audio_seconds: float) -> None:
        """seconds: that the engine was at work for a stream until its first audio, so long."""
        self.opening.learn(seconds)
        self._first_rate = seconds / audio_seconds

    def learn_step(self, n_streams: int, seconds: float, audio_seconds: float) -> None:
        """A step that served so many streams, all of them beyond their first audio. audio_seconds: made for all together, may be 0."""
        self.step.learn(seconds)
        worked, made = self._sums.get(n_streams, (0.0, 0.0))
        kept = 0.5 ** (audio_seconds / HALF_LIFE_AUDIO_SECONDS)
        self._sums[n_streams] = (worked * kept + seconds, made * kept + audio_seconds)
        self._forget_slower_than(n_streams)

    def learn_length(self, expected_seconds: float, seconds: float) -> None:
        """A speech that ended by itself, and how long it was expected to be. It counts as much as it is long: one word has silence around
        it, which says little of a page."""
        expected, spoken = self._lengths
        kept = 0.5 ** (expected_seconds / LENGTH_HALF_LIFE_SECONDS)
        self._lengths = (expected * kept + expected_seconds, spoken * kept + seconds)

    def rate(self, n_streams: int) -> float | None:
        """Engine seconds per second of audio where a step serves so many; None before anything was heard.

        Of a number that was not seen yet, the next smaller one's: a step that serves more takes less for each. Where all were larger, the
        smallest of them.
        """
        seen = sorted(n for n, (_, made) in self._sums.items() if made)
        if not seen:
            return self._first_rate
        worked, made = self._sums[max((n for n in seen if n <= n_streams), default=seen[0])]
        return worked / made

    def _forget_slower_than(self, n_streams: int) -> None:
        """Steps that serve more take less for each, so where they were slower something else was at work. Believed on, they would not be
        seen again: nobody begins what cannot be fed."""
        worked, made = self._sums[n_streams]
        for n, (worked_by_more, made_by_more) in list(self._sums.items()):
            if n > n_streams and worked_by_more * made > worked * made_by_more:
                del self._sums[n]

    def left(self, expected_seconds: float, made_seconds: float) -> float:
        """Seconds of audio that a speech still has to be made, of which so much was made."""
        expected, spoken = self._lengths
        seconds = expected_seconds * spoken / expected
        return max(seconds - made_seconds, LEAST_LEFT_SHARE * seconds)


# --- turns


# What a listener must have ahead beside the step under way: encoding, the event loop and the network come between engine and ear.
DELIVERY_SECONDS = 0.05
# What every listener must have ahead beyond that before one more begins: a pace that changes shows here before anybody runs dry. All of it
# once this share of the engine's time is taken, and in proportion less before, where an engine catches up by itself.
RESERVE_SECONDS = 1.0
ALL_RESERVE_AT = 0.5
# The share of an engine's time that listeners are promised. The rest is for what the means do not show, and for work without a listener.
UTILIZATION = 0.85
UTILIZATION_BESIDE_WHOLES = 0.6
WHOLE_SHARE = 0.25  # of the engine's time, for whole files while there are such; what of it nobody could spare is owed, so long at most:
MOST_OWED_SECONDS = 1.0
# What no listener hears yet goes behind listeners who run dry within this time of its last turn.
WHOLE_PATIENCE_SECONDS = 2.0
# Of audio ahead: with less, a listener is not to be slowed down by what nobody waits for.
PRESSED_SECONDS = 2.0


class Scheduler(ABC):
    """Jobs are given in the order in which they came; `now` is of the clock of their times. most_wait_seconds: see Limits."""

    def __init__(self, most_wait_seconds: float):
        self._most_wait_seconds = most_wait_seconds
        self._pace = EnginePace()

    @abstractmethod
    def order(self, jobs: Sequence[EngineJob], now: float, width: int) -> list[EngineJob]:
        """Who may be served now, the most urgent first; nobody, where all have enough or must wait. width: see Engine."""

    def carries_one_more(self, jobs: Sequence[EngineJob], expected_seconds: float, now: float, width: int) -> bool:
        """Whether one more listener could be fed to the end, be it after a moment. expected_seconds: of audio."""
        return True

    @abstractmethod
    def refused_at(self, job: EngineJob) -> float:
        """When a job that still waits for its first turn has waited long enough; math.inf for one that goes on waiting."""

    def learn_call(self, seconds: float) -> None:
        self._pace.call.learn(seconds)

    def learn_step(self, jobs: Sequence[StreamJob], heard_before: Sequence[float], seconds: float) -> None:
        """A step has served these streams. heard_before: seconds of audio that each of them had before."""
        heard = [job.stream.playback.audio_seconds for job in jobs]
        for job, before, after in zip(jobs, heard_before, heard, strict=True):
            if after and not before:
                self._pace.learn_opening(job.stream.timeline.compute_seconds, after)
        if all(heard_before):
            self._pace.learn_step(len(jobs), seconds, sum(heard) - sum(heard_before))

    def learn_length(self, job: StreamJob) -> None:
        """It ended as it should."""
        if job.expected_seconds and not job.knows_length and job.delivery.feed is None:
            self._pace.learn_length(job.expected_seconds, job.stream.playback.audio_seconds)

    @property
    def opening_seconds(self) -> float:
        """That the engine takes on the mean to a first audio; 0 before any was heard."""
        return self._pace.opening.mean

    def free_in_seconds(self, jobs: Sequence[EngineJob], now: float, width: int) -> int:
        """Until the engine is done with all of these, at least 1: when to come back. Whoever will be refused before counts for nothing."""
        n_streams = sum(isinstance(job, StreamJob) for job in jobs)
        rate = self._pace.rate(min(max(1, n_streams), width)) or 0.0
        seconds = 0.0
        for job in sorted(jobs, key=lambda job: job.begun is None):
            if now + seconds < self.refused_at(job):
                seconds += self._seconds_of(job, rate)
        return max(1, math.ceil(seconds))

    def _seconds_of(self, job: EngineJob, rate: float) -> float:
        """That the engine still needs for it."""
        if not isinstance(job, StreamJob):
            return self._pace.call.mean
        return rate * self._left(job) + (self._pace.opening.mean if job.dry_at is None else 0.0)

    def _left(self, job: StreamJob) -> float:
        made_seconds = job.stream.playback.audio_seconds
        if job.knows_length:
            return max(0.0, job.expected_seconds - made_seconds)
        return self._pace.left(job.expected_seconds, made_seconds)


class EagerScheduler(Scheduler):
    """Whoever has heard nothing yet comes before all others, however many there are; then who runs dry next."""

    def order(self, jobs: Sequence[EngineJob], now: float, width: int) -> list[EngineJob]:
        return sorted((job for job in jobs if job.runnable), key=_urgency)

    def refused_at(self, job: EngineJob) -> float:
        return math.inf


def _urgency(job: EngineJob) -> tuple[int, float]:
    """Smaller goes first: what is over soon, whoever has heard nothing yet, then who runs dry next."""
    if _is_over_soon(job):
        return 0, 0.0
    if job.patience_seconds:
        return 2, job.submitted + job.patience_seconds
    return (1, job.submitted) if job.dry_at is None else (2, job.dry_at)


class AdmittingScheduler(Scheduler):
    """No listener is begun, and no call made, that would make others run dry, beside such as have paused. Whoever waits for that is served
    in the order of coming.

    What goes on while its listener still hears something waits in no line: it is due when that is over. Nor do whole files, since nobody
    runs dry of them. In turn they get what listeners leave, and before newcomers WHOLE_SHARE of
    the engine's time. Calls that nobody waits for get what listeners leave.
    """

    def __init__(self, most_wait_seconds: float):
        super().__init__(most_wait_seconds)
        self._owed_seconds = 0.0  # to whole files
        self._makes_wholes = False

    def order(self, jobs: Sequence[EngineJob], now: float, width: int) -> list[EngineJob]:
        soon = [job for job in jobs if _is_over_soon(job)]
        there = [job for job in jobs if not _is_over_soon(job)] if soon else jobs
        line = [job for job in there if _in_line(job)]
        streams = (job for job in there if isinstance(job, StreamJob))
        heard = [job for job in streams if job.begun is not None and not job.whole and not _has_paused(job, now)]
        others = [job for job in there if job.runnable and not _in_line(job)]
        spare = self._spare_seconds(heard, now)
        others.sort(key=lambda job: (not _is_heard(job) and self._turn_seconds(job) > spare, _due(job)))
        wholes = [job for job in others if job.whole]
        self._makes_wholes = bool(wholes)
        owed = [job for job in wholes if self._is_owed(self._turn_seconds(job), spare)]
        going_on = [job for job in others if isinstance(job, StreamJob) and _goes_on(job)]
        admitted = self._admitted(line, heard + going_on, now, width) if line else []
        return soon + owed + admitted + (others if not owed else [job for job in others if job not in owed])

    def carries_one_more(self, jobs: Sequence[EngineJob], expected_seconds: float, now: float, width: int) -> bool:
        """What keeps a newcomer for a moment alone counts for nothing: that somebody has just begun, or has little ahead."""
        heard = [job for job in jobs if isinstance(job, StreamJob) and not (job.gone or job.whole or _has_paused(job, now))]
        opening = self._pace.opening.careful
        fed = [StreamDemand(max(opening, self._ahead(job, now) or 0.0), self._left(job)) for job in heard]
        newcomer = StreamDemand(opening, self._pace.left(expected_seconds, 0.0))
        rate = self._pace.rate(min(len(heard) + 1, width))
        return rate is None or can_feed(fed, newcomer, rate=rate, utilization=self._utilization)

    def refused_at(self, job: EngineJob) -> float:
        return job.submitted + self._most_wait_seconds if isinstance(job, StreamJob) and _in_line(job) else math.inf

    def learn_step(self, jobs: Sequence[StreamJob], heard_before: Sequence[float], seconds: float) -> None:
        super().learn_step(jobs, heard_before, seconds)
        had = sum(job.whole for job in jobs) / len(jobs)
        owed = self._owed_seconds + (WHOLE_SHARE - had) * seconds
        self._owed_seconds = min(max(0.0, owed), MOST_OWED_SECONDS) if self._makes_wholes else 0.0

    def _is_owed(self, turn_seconds: float, spare: float) -> bool:
        """Whether a whole file gets a turn of so many seconds before listeners who can spare it."""
        return turn_seconds <= spare and min(turn_seconds, MOST_OWED_SECONDS) <= self._owed_seconds

    def _admitted(self, line: list[EngineJob], heard: list[StreamJob], now: float, width: int) -> list[EngineJob]:
        """The first of the line, as many as can be begun now: a call alone, or streams."""
        admitted: list[StreamJob] = []
        for job in line[:width]:
            if not isinstance(job, StreamJob):
                fits = not admitted and (not heard or self._pace.call.careful <= self._spare_seconds(heard, now))
                return [job] if fits else [*admitted]
            if not self._can_feed(job, heard + admitted, now, width):
                break
            admitted.append(job)
        return [*admitted]

    def _can_feed(self, newcomer: StreamJob, others: list[StreamJob], now: float, width: int) -> bool:
        rate = self._pace.rate(min(len(others) + 1, width))
        if not others or rate is None:
            return not others
        n_opening = sum(job.dry_at is None for job in (*others, newcomer))
        opening = self._pace.opening.careful * math.ceil(n_opening / width)
        reserve = RESERVE_SECONDS * min(1.0, rate * (len(others) + 1) / ALL_RESERVE_AT)
        if opening + reserve > self._spare_seconds(others, now):
            return False
        ahead = ((job, self._ahead(job, now)) for job in others)
        fed = [StreamDemand(opening if seconds is None else seconds, self._left(job)) for job, seconds in ahead]
        return can_feed(fed, StreamDemand(opening, self._left(newcomer)), rate=rate, utilization=self._utilization)

    @property
    def _utilization(self) -> float:
        return UTILIZATION_BESIDE_WHOLES if self._makes_wholes else UTILIZATION

    def _spare_seconds(self, heard: list[StreamJob], now: float) -> float:
        """How long the engine may be at work for something else before a listener runs dry.

        Who is dry already cannot be spared that, and who has as much as may be kept ready needs nothing. An engine that is hardly faster
        than speech can spare nobody anything: its calls and whole files would wait for as long as anybody listens.
        """
        if (self._pace.rate(1) or 0.0) > UTILIZATION:
            return math.inf
        due = (job for job in heard if job.runnable and (_runs_dry_at(job) or 0.0) >= now)
        return min((ahead for job in due if (ahead := self._ahead(job, now)) is not None), default=math.inf)

    def _ahead(self, job: StreamJob, now: float) -> float | None:
        """Of what was made for it; None where its listener hears nothing yet. One who takes it slowly, as who has paused, does not run dry
        while there is any left."""
        dry_at = _runs_dry_at(job)
        if dry_at is None:
            return None
        return max(dry_at - now, job.stream.queued_seconds) - DELIVERY_SECONDS - self._turn_seconds(job)

    def _turn_seconds(self, job: EngineJob) -> float:
        if not isinstance(job, StreamJob):
            return self._pace.call.careful
        return (self._pace.opening if job.begun is None else self._pace.step).careful


def is_pressing(job: EngineJob, now: float) -> bool:
    """Whether somebody waits for it: for a first audio, an answer, or more within PRESSED_SECONDS. Nobody runs dry of a whole file."""
    if _is_over_soon(job) or job.whole or not job.runnable:
        return False
    if not isinstance(job, StreamJob):
        return not job.patience_seconds
    dry_at = _runs_dry_at(job)
    return dry_at is None or max(dry_at - now, job.stream.queued_seconds) < PRESSED_SECONDS


def _is_over_soon(job: EngineJob) -> bool:
    """Of whoever hung up, which frees the engine, or brief: it waits for nobody, and nobody notices it."""
    return job.gone or job.is_brief


def _in_line(job: EngineJob) -> bool:
    return job.begun is None and not (job.whole or job.goes_on) if isinstance(job, StreamJob) else not job.patience_seconds


def _goes_on(job: StreamJob) -> bool:
    """It has not begun, and its listener still hears what came before it."""
    return job.begun is None and job.goes_on and not job.whole


def _runs_dry_at(job: StreamJob) -> float | None:
    """When its listener does; None for one who hears nothing yet."""
    return job.delivery.until if _goes_on(job) else job.dry_at


def _is_heard(job: EngineJob) -> bool:
    """Somebody would run dry of it."""
    return job.dry_at is not None and not job.whole


def _has_paused(job: StreamJob, now: float) -> bool:
    """Its queue is full, and of what lies there it should have heard half by now. Others need not wait until it goes on."""
    return job.dry_at is not None and not job.runnable and job.dry_at - now < job.stream.queued_seconds / 2


def _due(job: EngineJob) -> float:
    if not isinstance(job, StreamJob):
        return job.submitted + job.patience_seconds
    if job.whole:
        return (job.submitted if job.served is None else job.served) + WHOLE_PATIENCE_SECONDS
    if job.dry_at is None:
        first = job.delivery.until if job.goes_on else job.begun
        assert first is not None  # what has not begun and does not go on is in line
        return first
    return job.dry_at
