"""NotebookStudio: the studio for a Python program or a notebook, in its own process. `from studio import Studio` gives this class.

A door as the others: what it is given becomes the API's body, is read by the same rules, and is spoken by the same engines.
"""

import asyncio
import io
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import soundfile

from engines.clips.clip import Transcript
from engines.contract.contract import EngineInfo
from studio.audio.file_type import stored_type
from studio.notebook.evaluation import Engines, NotebookEvaluation, Texts, begun, evaluation_order
from studio.notebook.script import Cast, NotebookScript
from studio.notebook.speech import NotebookSpeech, telling_all
from studio.prompts.prompts import Until
from studio.reading.language import language_code, languages_of
from studio.running.offer.offer import offered_settings
from studio.service import Studio
from studio.settings import Dialect
from studio.speakers.enrollment import api_rule, telling_which
from studio.speakers.metadata import check_count
from studio.speakers.speaker import Enrollment, Speaker
from studio.speech.body import SpeechBody, read_body
from studio.timeline import Timeline

__all__ = ["NotebookStudio", "NotebookVoice"]

Sound = str | PathLike[str] | bytes | IO[bytes] | tuple[np.ndarray, int]
Words = str | Sequence[str] | None

SAME = {"clip": "ref_audio", "transcript": "ref_text", "engine": "model"}  # our words, and the API's
MOST_PATH_CHARACTERS = 500  # a longer text is no path
OF_HTTP = ("response_format", "stream", "stream_format", "word_timestamps")  # which is not spoken here


@dataclass(frozen=True)
class NotebookVoice:
    """A stored voice. seconds: of its recording, None where it is none. transcript: its words, where they are known."""

    name: str
    seconds: float | None
    transcript: str | None

    def __str__(self) -> str:
        return self.name


class NotebookStudio:
    """Engines and voices of this process. Any thread may use it; with two of them on one folder both see the same voices.

    settings: fields of studio.settings.Settings, such as `speakers_dir="voices"`; the others are as the environment has them, which the
    command line reads, too. A recording is a path, the bytes of a file, an open file, or samples (T,) or (T, C) with their rate.
    What goes wrong with a request is an EngineError of its own type, whose text has the fact and the next step.
    """

    def __init__(self, **settings: object):
        self._hold(Studio(offered_settings(own=settings)))

    @classmethod
    def over(cls, studio: Studio) -> "NotebookStudio":
        """The same of a studio that is there already, and is closed with this one."""
        made = cls.__new__(cls)
        made._hold(studio)
        return made

    def enroll(
        self,
        recording: Sound | list[Sound],
        *,
        name: str,
        consent: str,
        transcript: Words = None,
        language: str | None = None,
        description: str | None = None,
    ) -> NotebookVoice:
        """Store a voice; one of the same name is replaced. Several recordings of one person are a list, their words as well.

        consent: identifier of the consent of the person whose voice it is. language: of the words, a code or an English name.
        Raises what the API does of an upload: ConsentMissing, NameInvalid, ClipUnusable, AudioUndecodable and others.
        """
        studio, sounds = self._studio, recording if isinstance(recording, list) else [recording]
        rule = api_rule(studio.settings.dialect)
        with telling_all():
            check_count(len(sounds))
            known = languages_of(status.info for status in studio.engines())
            code, clips, files = language_code(language, tuple(known), known), [], [_file_of(sound) for sound in sounds]
            words = Transcript.of_recordings([transcript or ""] if isinstance(transcript, str | None) else transcript, len(sounds), code)
            for number, (data, filename) in enumerate(files, 1):
                with telling_which(number, len(sounds)):
                    clips.append(rule.decode(data, filename=filename))
            clip, (data, filename) = rule.join(clips), files[0]
            if words is None and studio.settings.dialect.writes_words:
                words = studio.transcriber.words_of(clip, code)
            about = {"transcript": words, "description": (description or "").strip() or None, "mime_type": stored_type("", filename, data)}
            return _voice(
                studio.enroll(
                    Enrollment(name, consent, clip=clip, filename=filename, file_bytes=sum(len(data) for data, _ in files), **about)
                )
            )

    def speak(
        self,
        text: str,
        *,
        voice: str | NotebookVoice | None = None,
        clip: Sound | list[Sound] | None = None,
        transcript: Words = None,
        engine: str | None = None,
        **options: object,
    ) -> NotebookSpeech:
        """Begin to speak. Returns once the voice is learned and the speech is queued; its chunks come through what is returned.

        voice: a stored or a built-in one. clip: a recording of the voice for this text alone, in place of one; transcript: its words.
        engine: an id, as `engines` has them. options: fields of POST /v1/audio/speech by their names, such as language, speed, seed and
        sample_rate, and options of the engine. Raises what the API does.
        """
        timeline = Timeline()
        sounds = None if clip is None else [_file_of(sound)[0] for sound in (clip if isinstance(clip, list) else [clip])]
        words = transcript if isinstance(transcript, str | None) else "\n".join(transcript)
        ours = {"clip": sounds if sounds is None or len(sounds) > 1 else sounds[0], "transcript": words, "engine": engine}
        named = voice if isinstance(voice, str | None) else str(voice)
        with telling_all():
            body = _body(text, named, ours, options, self._studio.settings.dialect)
            return NotebookSpeech(self._studio.say(body, timeline), self)

    async def aspeak(self, text: str, **options: Any) -> NotebookSpeech:
        """`speak`, while the event loop goes on."""
        return await asyncio.to_thread(self.speak, text, **options)

    def script(
        self, source: str | PathLike[str] | bytes, *, cast: Cast | None = None, title: str = "", read_as: str | None = None
    ) -> NotebookScript:
        """A script of a text, or of a file: TXT, Markdown, lines such as `ANNA: Hello.`, EPUB, SRT, VTT, CSV, JSON. A str of one line that
        names a file is that file.

        cast: names and voices; "narrator" says what nobody else does. read_as: its format, where somebody knows it better.
        Raises ScriptFileUnusable, CastFileUnusable, ScriptLimitReached, ScriptTooLong.
        """
        with telling_all():
            data, filename = _text_or_file(source)
            read = self._studio.scripts.read_in(data, filename, read_as=read_as)
            head = read.head.model_copy(update={"title": title}) if title else read.head
            made = self._studio.scripts.create(replace(read, head=head))
            script = NotebookScript(self._studio.scripts, made.id, self)
            return script if cast is None else script.recast(cast)

    def evaluate(
        self,
        engines: Engines = (),
        voices: Sequence[str | NotebookVoice] | Mapping[str, Sound] = (),
        texts: Texts = None,
        *,
        files: Mapping[str, str | PathLike[str]] | None = None,
        seeds: int = 1,
        **plan: Any,
    ) -> NotebookEvaluation:
        """Which of these engines is better: each says each text in each voice. Call `run()` of what is returned; the same again goes on.

        engines: ids, also as "kokoro:slow:speed=0.8". voices: names, or labels with recordings. texts: "builtin", a file, or the texts.
        files: labels of other systems with folders of their sounds. seeds: how often each text is said. plan: languages, sentences (of each
        language), title, measures, learn. Raises EngineUnknown, SpeakerUnknown, OptionInvalid, EvaluationIncomplete, OSError.
        """
        named = voices.items() if isinstance(voices, Mapping) else [str(voice) for voice in voices]
        said_by = [one if isinstance(one, str) else (one[0], _file_of(one[1])[0]) for one in named]
        with telling_all():
            ready = evaluation_order(self._studio, engines, said_by, texts, files or {}, seeds=tuple(range(seeds)), **plan)
            return NotebookEvaluation(self._studio, begun(self._studio, ready), self)

    def voices(self) -> tuple[NotebookVoice, ...]:
        """All that are stored, as the folder is now. Raises SpeakersUnreachable."""
        with telling_all():
            return tuple(map(_voice, self._studio.speakers()))

    def learn(self, voice: str | NotebookVoice, engine: str | None = None, *, until: Until = "learned") -> None:
        """Have an engine learn a stored voice now, not at its first use. until: "best", to wait until it is as alike as it gets.

        Raises SpeakerUnknown, EngineUnknown, LearningUnfinished, and what the engine raises about the recording.
        """
        with telling_all():
            self._studio.warm(str(voice), engine, until=until)

    def forget(self, voice: str | NotebookVoice) -> None:
        """Delete a voice: its recording, and all that was made of it. Raises SpeakerUnknown."""
        with telling_all():
            self._studio.forget(str(voice))

    def engines(self) -> tuple[EngineInfo, ...]:
        """What there is to speak with: ids, languages, options."""
        return tuple(status.info for status in self._studio.engines())

    def close(self) -> None:
        """End all speech and close the engines. Idempotent; happens by itself at the end of a `with`, and of the program."""
        self._close()

    def __enter__(self) -> "NotebookStudio":
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()

    def _hold(self, studio: Studio) -> None:
        self._studio = studio
        self._close = weakref.finalize(self, studio.close)


def _voice(speaker: Speaker) -> NotebookVoice:
    return NotebookVoice(speaker.name, speaker.seconds, speaker.transcript.text if speaker.transcript else None)


def _body(text: str, voice: str | None, ours: Mapping[str, object], options: Mapping[str, object], dialect: Dialect) -> SpeechBody:
    """ours: the fields that this door calls otherwise. Raises SchemaInvalid, and TypeError for what nobody can mean."""
    for name, of_api in SAME.items():
        if ours[name] is not None and options.get(of_api) is not None:
            raise TypeError(f"{name!r} and {of_api!r} are the same; give one of them")
    for name in OF_HTTP:
        if name in options:
            raise TypeError(f"{name!r} is about an answer over HTTP; here the chunks come as they are made, and save() writes a file")
    given: dict[str, Any] = {
        name: value.tolist() if isinstance(value, np.ndarray | np.generic) else value for name, value in options.items()
    }
    fields = {name: value for name, value in given.items() if name in (*SpeechBody.model_fields, "references")}
    fields |= {SAME[name]: value for name, value in ours.items() if value is not None}
    of_engine = {**(fields.get("extra_params") or {}), **{name: value for name, value in given.items() if name not in fields}}
    return read_body({**fields, "input": text, "voice": voice, "extra_params": of_engine or None}, dialect)


def _text_or_file(source: str | PathLike[str] | bytes) -> tuple[bytes | str, str]:
    """(the text, or the bytes of the file; its name)."""
    if isinstance(source, bytes):
        return source, ""
    is_path = not isinstance(source, str) or (
        len(source) < MOST_PATH_CHARACTERS and "\n" not in source and Path(source).expanduser().is_file()
    )
    return (Path(source).expanduser().read_bytes(), Path(source).name) if is_path else (str(source), "")


def _file_of(sound: Sound) -> tuple[bytes, str]:
    """(the bytes of a sound file, its name)."""
    name = _file_name(sound)
    if isinstance(sound, str | PathLike):
        return Path(sound).expanduser().read_bytes(), name
    if isinstance(sound, bytes | bytearray | memoryview):
        return bytes(sound), name
    if not isinstance(sound, tuple) and hasattr(sound, "read"):
        return sound.read(), name
    if isinstance(sound, tuple) and len(sound) == 2 and np.ndim(sound[1]) == 0 and np.ndim(sound[0]) > 0:
        return _wav(np.asarray(sound[0]), int(sound[1])), name
    raise TypeError(f"a recording is a path, bytes, an open file, or (samples, rate), not {type(sound).__name__}")


def _file_name(sound: Sound) -> str:
    named = sound if isinstance(sound, str | PathLike) else getattr(sound, "name", "")
    return Path(named).name if isinstance(named, str | PathLike) else ""


def _wav(samples: np.ndarray, sample_rate: int) -> bytes:
    """Bit for bit, so that the same samples are the same voice, however they come."""
    file = io.BytesIO()
    subtype = "FLOAT" if samples.dtype.kind == "f" else "PCM_16" if samples.dtype == np.int16 else "PCM_32"
    soundfile.write(file, samples, sample_rate, subtype=subtype, format="WAV")
    return file.getvalue()
