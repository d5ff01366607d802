"""Scripts for tests of saying: made in one call, waited for without a clock, and looked at."""

import wave
from collections.abc import Sequence
from io import BytesIO

import numpy as np

from engines.clips.clip import Clip, Transcript
from studio.running.delivery import Delivery
from studio.scripts.saying.saying import Saying
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import PutLine
from studio.scripts.script.line import LineState, LineText, ScriptLine
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.service import Studio
from studio.speakers.speaker import Enrollment

__all__ = ["made", "put", "recorded_deliveries", "said", "say_all", "sound_of", "states", "store_voice", "texts", "wait_for"]


def made(studio: Studio, *lines: str | LineText, cast: Sequence[CastMember] = (), **head) -> str:
    """The id of a new script. lines: texts, "ANNA: text" for one of ANNA's, or all that is written of a line."""
    return studio.scripts.create(ReadScript(ScriptHead(**head), tuple(map(_written, lines)), tuple(cast), "text")).id


def _written(line: str | LineText) -> LineText:
    if isinstance(line, LineText):
        return line
    who, mark, text = line.partition(": ")
    return LineText(who=who, text=text) if mark else LineText(text=line)


def wait_for(studio: Studio, script_id: str) -> None:
    """Until nothing of it is being said."""
    job = studio.scripts._folder.saying._jobs._jobs.get(script_id)
    if job is not None and job.thread is not None:
        job.thread.join(60)
        assert not job.thread.is_alive()


def say_all(studio: Studio, script_id: str, **saying) -> tuple[ScriptLine, ...]:
    studio.scripts.say(script_id, Saying(**saying))
    return said(studio, script_id)


def said(studio: Studio, script_id: str) -> tuple[ScriptLine, ...]:
    """Its lines, once nothing of it is being said."""
    wait_for(studio, script_id)
    return studio.scripts.lines(script_id)


def states(studio: Studio, script_id: str) -> list[LineState]:
    return list(studio.scripts.states(script_id, studio.scripts.lines(script_id)))


def texts(studio: Studio, script_id: str) -> list[str]:
    return [line.written.text for line in studio.scripts.lines(script_id)]


def put(studio: Studio, script_id: str, index: int, **written) -> None:
    """Write something of a line anew."""
    line = studio.scripts.lines(script_id)[index]
    studio.scripts.edit(script_id, [PutLine(line=line.id, written=line.written.model_copy(update=written))])


def recorded_deliveries(studio: Studio, monkeypatch) -> list[Delivery]:
    """Of all that is said from now on, as it comes."""
    found, say = [], type(studio).say

    def recorded(self, body, timeline, **how):
        found.append(how.get("delivery", Delivery()))
        return say(self, body, timeline, **how)

    monkeypatch.setattr(type(studio), "say", recorded)
    return found


def sound_of(studio: Studio, script_id: str, line: ScriptLine) -> np.ndarray:
    """(T,) int16 of the take that is heard."""
    with wave.open(BytesIO(studio.scripts.take_sound(script_id, line.id, line.chosen))) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


def store_voice(studio: Studio, name: str, pitch_hz: float = 220.0) -> None:
    """A stored voice; another pitch is another recording."""
    t = np.arange(2 * 24_000) / 24_000
    clip = Clip((0.3 * np.sin(2 * np.pi * pitch_hz * t)).astype(np.float32), 24_000)
    studio.enroll(Enrollment(name, "yes", clip=clip, transcript=Transcript.of("hello there")))
