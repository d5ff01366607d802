"""LineTakes: takes of the lines of one script: said, kept, heard by the ears, or why there is none."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engines.errors import EngineError
from studio.running.delivery import Delivery
from studio.running.jobs.stop_signal import StopSignal
from studio.scripts.dubbing.fit import Fitting, fit, native_durations
from studio.scripts.saying.asked_line import AskedLine, Casting
from studio.scripts.saying.best_take import BestTake
from studio.scripts.saying.candidate import Candidate
from studio.scripts.saying.line_speech import LineSound, LineSpeaker
from studio.scripts.saying.saying_parts import SayingParts
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.saying.take_judge import TakeJudge
from studio.scripts.script.line import ScriptLine
from studio.scripts.script.take import LineTake
from studio.speech.refusal import refusal_of
from studio.timeline import Timeline

__all__ = ["LineTakes", "told_error"]


def told_error(error: EngineError) -> dict[str, object]:
    """As errors are told."""
    told = refusal_of(error)
    return {"reason_code": told.code, "message": told.message, "hint": told.hint, "values": dict(told.values)}


class LineTakes:
    """Of one script, as its workspace sees the studio. Thread-safe; every method blocks. Raises what the store does, OSError."""

    def __init__(self, parts: SayingParts, studio: SayingStudio, script_id: str):
        self._parts, self._studio, self._script_id = parts, studio, script_id
        self._n_characters: dict[str, int] = {}

    def casting(self) -> Casting:
        """With cast, voices and dictionaries as they are now."""
        return Casting(self._parts.store.script(self._script_id), self._studio)

    def key(self, line_id: str) -> str:
        """That a take of the line has by now."""
        return self.casting().line_key(self._parts.store.line(self._script_id, line_id).written)

    def n_characters(self, line_id: str) -> int:
        """For a guess at how long it takes: what was written when it was first asked for. 0 of a line that is gone."""
        if line_id not in self._n_characters:
            lines = self._parts.store.lines(self._script_id)
            self._n_characters |= {line.id: len(line.written.text) for line in lines}
        return self._n_characters.setdefault(line_id, 0)

    def speaker(self, casting: Casting) -> LineSpeaker:
        return LineSpeaker(self._studio, casting.dictionary, self._parts.clock)

    # --- saying

    def say(self, line: ScriptLine, casting: Casting, candidate: Candidate, stop: StopSignal) -> LineSound | None:
        """One take, fitted into the line's slot where it has one; None where it was stopped. Raises what Studio.say does."""
        asked, speaker = casting.asked(line.written), self.speaker(casting)
        sound = self._heard_out(speaker, asked, candidate, stop)
        fitting = None if sound is None else self._fitting(line, asked, sound)
        if fitting is None or not fitting.is_said_again:
            return sound
        faster = replace(candidate, pace=round(candidate.pace * fitting.speed, 4))
        return self._heard_out(speaker, asked, faster, stop, fitting.duration_seconds)

    def _heard_out(
        self, speaker: LineSpeaker, asked: AskedLine, candidate: Candidate, stop: StopSignal, duration_seconds: float | None = None
    ) -> LineSound | None:
        """An engine that others keep busy is waited for."""

        def said() -> LineSound:
            speech = speaker.open(asked, candidate, Timeline(), delivery=Delivery(whole=True), duration_seconds=duration_seconds)
            with stop.closing(speech):
                chunks = [np.array(chunk) for chunk in speech]
            return speaker.sound(speech, chunks, asked, candidate)

        return stop.patiently(said)

    def _fitting(self, line: ScriptLine, asked: AskedLine, sound: LineSound) -> Fitting | None:
        """How it is to be said to fit its slot; None of a line without one."""
        slot = line.written.slot
        if slot is None:
            return None
        others = (other.written.slot for other in self._parts.store.lines(self._script_id) if other.id != line.id)
        following = [other.start for other in others if other is not None and other.start >= slot.start]
        options = self._studio.engine_info(asked.engine).options
        return fit(sound.take.seconds, slot, min(following, default=None), native_durations(options))

    # --- keeping

    def keep(self, line_id: str, sound: LineSound, *, choose: bool, dequeue: bool) -> LineTake:
        """On disk when this returns. choose: it is heard from now on. dequeue: one take less of the line waits.

        Raises ScriptSoundsFull, LineUnknown, ScriptUnknown.
        """
        sha256, n_bytes = self._parts.sounds.keep(self._script_id, sound.samples, sound.sample_rate)
        take = replace(sound.take, sha256=sha256, n_bytes=n_bytes)
        self._parts.store.add_take(self._script_id, line_id, take, choose=choose, dequeue=dequeue)
        return take

    def fail(self, line_id: str, error: EngineError | None) -> None:
        """Why the line was not said; None where nothing is wrong."""
        self._parts.store.fail(self._script_id, line_id, None if error is None else told_error(error))

    # --- the best of several

    def heard(self, line_id: str, takes: Sequence[LineTake], asked: AskedLine, ears: TakeJudge) -> list[LineTake] | None:
        """The takes with what the ears find, which is kept; None where it was stopped. What was found before is not heard again."""
        heard, ways = [], self._ways(asked)
        for take in takes:
            if take.estimates is None:
                samples, sample_rate = self._parts.sounds.read(self._script_id, take.sha256)
                estimates = ears.estimates(samples, sample_rate, asked, ways)
                if estimates is None:
                    return None
                heard.append(replace(take, estimates=estimates))
                self._parts.store.put_take(self._script_id, line_id, heard[-1])
            else:
                heard.append(take)
        return heard

    def choose_best(self, line_id: str, heard: Sequence[LineTake], best: BestTake) -> None:
        """Heard from now on, with the reason why."""
        for take in heard:
            reason = best.reason if take.id == best.take_id else None
            if take.reason != reason:
                self._parts.store.put_take(self._script_id, line_id, replace(take, reason=reason))
        self._parts.store.choose(self._script_id, line_id, best.take_id)

    def _ways(self, asked: AskedLine) -> tuple[str, ...]:
        """What is said of the text, where that can be read."""
        try:
            return (self.speaker(self.casting()).read(asked).text,)
        except EngineError:
            return ()
