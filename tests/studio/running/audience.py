"""Audience: listeners of a worker whose clock moves only while its engine works, so that minutes of it are exact and over at once."""

import threading
from collections.abc import Callable

from engines.contract.options import resolve_options
from studio.errors import EngineBusy, SpeechCancelled
from studio.running.delivery import Delivery
from studio.running.limits import Limits
from studio.running.stream import EngineStream
from studio.running.worker import EngineWorker
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, INFO, SAMPLE_RATE, FakeEngine

__all__ = ["Audience"]

SECONDS_PER_CHARACTER = 0.05
CLOSE_SECONDS = 1e-6  # nothing, for floats


class Audience:
    """Everybody comes at a time of their own, while the engine is at work for those before; then all hear to the end, and never stop.

    rate: engine seconds per second of audio; opening_seconds: before the first chunk; seconds: of each speech. Times are seconds, the
    first is 0, and the engine must be at work for somebody until the last has come.
    """

    def __init__(self, *, rate: float, opening_seconds: float = 0.0, seconds: float = 6.0, **limits):
        self.now = 0.0
        self.streams: list[EngineStream] = []
        self.refused: dict[EngineStream, EngineBusy] = {}
        self.turned_away: list[EngineBusy] = []
        self._listening: set[EngineStream] = set()
        self._all_over = threading.Event()
        self._rate, self._opening = rate, opening_seconds
        self._text = "x" * round(seconds / SECONDS_PER_CHARACTER)
        self._coming: list[tuple[float, Callable[[], object]]] = []
        engine = FakeEngine(before_chunk=self._work, seconds_per_character=SECONDS_PER_CHARACTER)
        limits = {"most_ahead_seconds": 1e9, "most_waiting": 1000, "clock": lambda: self.now} | limits
        self.worker = EngineWorker(INFO, lambda: engine, limits=Limits(**limits))

    def at(self, time: float, act: Callable[[], object]) -> None:
        """On the engine's thread, between two chunks."""
        self._coming = sorted([*self._coming, (time, act)], key=lambda coming: coming[0])

    def listener(self, time: float, *, delivery: Delivery = Delivery(), expected_seconds: float | None = None) -> None:
        """expected_seconds: how long the studio takes its speech to be, where it is wrong."""
        self.at(time, lambda: self._begin(time, delivery, expected_seconds or len(self._text) * SECONDS_PER_CHARACTER))

    def hear_out(self) -> None:
        """Until everybody has come and gone."""
        self.worker.load()
        try:
            self._come()
            assert self._all_over.wait(60), "the engine had nothing to do before the last had come"
        finally:
            self.worker.close()

    @property
    def stuttered(self) -> list[EngineStream]:
        return [stream for stream in self.streams if stream.playback.underrun_seconds > CLOSE_SECONDS]

    @property
    def served(self) -> list[EngineStream]:
        return [stream for stream in self.streams if stream not in self.refused]

    def _begin(self, time: float, delivery: Delivery, expected_seconds: float) -> None:
        options = resolve_options(INFO.options, {"seed": 0})
        try:
            stream = self.worker.stream(
                lambda engine: engine.stream(self._text, engine.preset("tone"), options),
                Timeline(time, clock=lambda: self.now),
                expected_seconds=expected_seconds,
                delivery=delivery,
            )
        except EngineBusy as busy:
            self.turned_away.append(busy)
            return
        self.streams.append(stream)
        self._listening.add(stream)
        stream.notify(lambda: self._take(stream))

    def _take(self, stream: EngineStream) -> None:
        """What is ready, at once, as a player does."""
        try:
            chunk, over = stream.poll()
            while chunk is not None:
                chunk, over = stream.poll()
        except EngineBusy as refusal:
            self.refused[stream], over = refusal, True
        except SpeechCancelled:
            over = True
        if over:
            self._listening.discard(stream)
        if not self._listening and not self._coming:
            self._all_over.set()

    def _work(self, index: int) -> None:
        self.now += self._rate * CHUNK_SAMPLES / SAMPLE_RATE + (self._opening if index == 0 else 0.0)
        self._come()

    def _come(self) -> None:
        while self._coming and self._coming[0][0] <= self.now:
            self._coming.pop(0)[1]()
