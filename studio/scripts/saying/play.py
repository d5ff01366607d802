"""ScriptPlay: a script heard from any line on, at once and without a gap.

A take that was kept plays as it is, also a stale one. A line that was never said is spoken live: its first sound comes as soon as that of
any speech. The lines behind are made while it plays, each as soon as the engine is done with the one before. What was made whole is kept as
a take, wherever the listener stops.
"""

import contextvars
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engines.errors import EngineError
from studio.audio.level_meter import soft_limited
from studio.audio.pcm16 import float32_of, int16_of
from studio.audio.resampling import Resampler
from studio.errors import LineUnknown, ScriptFailed, ScriptTakeDamaged, ScriptUnknown, disk_error
from studio.running.delivery import Delivery
from studio.running.jobs.stop_signal import StopSignal
from studio.scripts.saying.asked_line import AskedLine, Casting
from studio.scripts.saying.candidate import SEED, candidate_of
from studio.scripts.saying.line_speech import LineSound, resampled
from studio.scripts.saying.line_takes import LineTakes, told_error
from studio.scripts.saying.played_sounds import PATIENCE_SECONDS, PlayedSound, PlayedSounds
from studio.scripts.saying.saying_parts import SayingParts
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.script.line import ScriptLine
from studio.scripts.script.pauses import LinePauses
from studio.timeline import Timeline

__all__ = ["PLAY_HZ", "PlayedSound", "ScriptPlay"]

PLAY_HZ = 24_000  # what most engines speak at
MOST_AHEAD_SECONDS = 30.0  # as of any speech (Limits.most_ahead_seconds)
CHUNK_SECONDS = 0.5  # of a kept take, at a time
NOTHING = np.zeros(0, np.int16)

log = logging.getLogger("studio.scripts")


class ScriptPlay:
    """Iterate for PlayedSounds in order; must be closed. Made, the first sound is there.

    from_line: the first one when None. received: time.perf_counter() at the request, for the TTFP of the first line.
    Raises ScriptUnknown, LineUnknown, and what saying the first line does. A later line that cannot be said is told, and the next one
    follows.
    """

    def __init__(
        self,
        parts: SayingParts,
        studio: SayingStudio,
        script_id: str,
        from_line: str | None = None,
        *,
        received: float | None = None,
        most_ahead_seconds: float = MOST_AHEAD_SECONDS,
    ):
        self.sample_rate = PLAY_HZ
        order = parts.store.line_ids(script_id)
        if from_line is not None and from_line not in order:
            raise LineUnknown
        self._stop = StopSignal()
        self._sounds = PlayedSounds(PLAY_HZ, most_ahead_seconds)
        making = _PlayMaking(parts, studio, script_id, self._sounds, self._stop)
        run: Callable[[], None] = lambda: making.run(order, from_line, received)  # noqa: E731 a thread's target
        self._thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), name="script-play", daemon=True)
        self._thread.start()
        try:
            self._sounds.wait()
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[PlayedSound]:
        return self

    def __next__(self) -> PlayedSound:
        """Waits for it. Raises what ended the play before its end."""
        sound = self._sounds.take()
        if sound is None:
            raise StopIteration
        return sound

    def close(self) -> None:
        """Hang up: the engine stops within one chunk. What was made whole is kept when this returns. Idempotent."""
        self._stop.give()
        self._sounds.drop()
        self._thread.join()

    def __enter__(self) -> "ScriptPlay":
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()


class _PlayMaking:
    """On the thread that makes the sounds."""

    def __init__(self, parts: SayingParts, studio: SayingStudio, script_id: str, sounds: PlayedSounds, stop: StopSignal):
        self._parts, self._studio, self._script_id = parts, studio, script_id
        self._sounds, self._stop = sounds, stop
        self._takes = LineTakes(parts, studio, script_id)
        self._pauses = LinePauses(parts.store.script(script_id).head)
        self._begins: float | None = None  # in the video: what is heard first, of lines with slots
        self._keeper = ThreadPoolExecutor(1, thread_name_prefix="script-take")

    def run(self, order: tuple[str, ...], from_line: str | None, received: float | None) -> None:
        try:
            line_id = from_line if from_line is not None else next(iter(order), None)
            while line_id is not None and not self._stop.is_given():
                self._play(line_id, received)
                received = None if self._sounds.n_samples else received
                order, line_id = self._following(order, line_id)
            self._sounds.end()
        except EngineError as error:
            self._sounds.end(error)
        except Exception as error:
            failure = disk_error(error) or ScriptFailed()
            failure.__cause__ = error
            self._sounds.end(failure)
        finally:
            self._keeper.shutdown()

    def _following(self, order: tuple[str, ...], line_id: str) -> tuple[tuple[str, ...], str | None]:
        """(the order as it is now, the line behind that one). Behind one that was deleted comes what came behind it before."""
        now = self._parts.store.line_ids(self._script_id)
        at = (now if line_id in now else order).index(line_id) + 1
        behind = (now if line_id in now else order)[at:]
        return now, next((other for other in behind if other in now), None)

    def _play(self, line_id: str, received: float | None) -> None:
        try:
            line = self._parts.store.line(self._script_id, line_id)
        except LineUnknown:
            return
        casting = self._takes.casting()
        asked = casting.asked(line.written)
        if not line.written.is_heard:
            self._pauses.unheard(line.written)
            return
        gain = 10 ** (casting.member(line.written.who).gain_db / 20)
        lined = _LineOut(self._sounds, line.id, self._pause(line), gain)
        try:
            if not self._play_kept(line, lined):
                self._speak(line, asked, casting, lined, received)
        except EngineError as error:
            if self._stop.is_given():
                return
            if not self._sounds.n_samples:
                raise
            self._takes.fail(line.id, error)
            lined.tell(failure=told_error(error))
            if not lined.is_begun:
                self._pauses.unheard(line.written)
                return
        self._pauses.heard(line.written)

    def _pause(self, line: ScriptLine) -> float:
        """Seconds of silence before it. A line with a slot begins there, or once those before have ended."""
        pause, slot = self._pauses.before(line.written), line.written.slot
        if slot is None:
            return pause
        at = self._sounds.n_samples / self._sounds.sample_rate
        if self._begins is None:
            self._begins = slot.start - at - (pause if at else 0.0)
        return max(0.0, slot.start - self._begins - at)

    def _play_kept(self, line: ScriptLine, lined: "_LineOut") -> bool:
        """Whether there is a take, whose file is there."""
        take = line.chosen_take
        if take is None:
            return False
        try:
            samples, sample_rate = self._parts.sounds.read(self._script_id, take.sha256)
        except ScriptTakeDamaged:
            return False
        sound = resampled(float32_of(samples), sample_rate, self._sounds.sample_rate)
        n_chunk = int(CHUNK_SECONDS * self._sounds.sample_rate)
        for start in range(0, len(sound), n_chunk):
            self._rest()
            if self._stop.is_given():
                break
            lined.put(sound[start : start + n_chunk], seconds=take.seconds, take_id=take.id)
        return True

    def _speak(self, line: ScriptLine, asked: AskedLine, casting: Casting, lined: "_LineOut", received: float | None) -> None:
        fresh = [take for take in line.takes if take.key == asked.key]
        usual = casting.member(line.written.who).options.get(SEED)
        candidate = candidate_of(self._studio.engine_info(asked.engine), fresh, usual=usual if isinstance(usual, int) else None)
        delivery = Delivery(until=self._sounds.dry_at)
        speaker, timeline = self._takes.speaker(casting), Timeline(received)
        speech = speaker.open(asked, candidate, timeline, delivery=delivery)
        resampler, chunks = Resampler(speech.sample_rate, self._sounds.sample_rate), []
        with self._stop.closing(speech):
            for chunk in speech:
                self._rest()
                chunks.append(np.array(chunk))
                lined.put(resampler.push(chunk), ttfp_seconds=timeline.ttfp_seconds)
        lined.put(resampler.finish(), ttfp_seconds=timeline.ttfp_seconds)
        sound = speaker.sound(speech, chunks, asked, candidate)
        lined.tell(seconds=sound.take.seconds, ttfp_seconds=timeline.ttfp_seconds, take_id=sound.take.id)
        self._keeper.submit(self._keep, line.id, sound)

    def _rest(self) -> None:
        """While as much is made as may be."""
        while self._sounds.is_far_ahead() and not self._stop.wait(PATIENCE_SECONDS):
            pass

    def _keep(self, line_id: str, sound: LineSound) -> None:
        """Beside the making of what follows. Why it cannot be kept is told with its line."""
        try:
            self._takes.keep(line_id, sound, choose=True, dequeue=True)
        except (LineUnknown, ScriptUnknown):  # deleted while it was heard
            pass
        except EngineError as error:
            self._takes.fail(line_id, error)
        except Exception:
            log.exception("a line that was played was not kept")


class _LineOut:
    """One line on its way to the listener: behind its pause, at the level of its cast."""

    def __init__(self, sounds: PlayedSounds, line_id: str, pause_seconds: float, gain: float):
        self._sounds, self._line_id, self._gain = sounds, line_id, gain
        n_silence = round(pause_seconds * sounds.sample_rate)
        self._silence = np.zeros(n_silence, np.int16)
        self._start_seconds = (sounds.n_samples + n_silence) / sounds.sample_rate
        self.is_begun = False

    def put(
        self, samples: np.ndarray, *, seconds: float | None = None, ttfp_seconds: float | None = None, take_id: str | None = None
    ) -> None:
        """samples: (T,) float32."""
        if not len(samples):
            return
        heard = int16_of(samples if self._gain == 1.0 else soft_limited((samples * np.float32(self._gain)).astype(np.float32)))
        if not self.is_begun:
            heard, self.is_begun = np.concatenate([self._silence, heard]), True
        self._sounds.put(PlayedSound(self._line_id, heard, self._start_seconds, seconds, ttfp_seconds, take_id))

    def tell(
        self,
        *,
        seconds: float | None = None,
        ttfp_seconds: float | None = None,
        take_id: str | None = None,
        failure: dict | None = None,
    ) -> None:
        """Without a sound."""
        self._sounds.put(PlayedSound(self._line_id, NOTHING, self._start_seconds, seconds, ttfp_seconds, take_id, failure))
