"""What the tools do, by the same functions as the routes of the HTTP API. Their answers are values, and sounds beside them."""

import io
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np
from pydantic import ValidationError
from starlette.datastructures import UploadFile

from engines.clips.clip import Transcript
from engines.contract.contract import EngineInfo
from studio.api.answers.spoken_results import FailedSpeech, OverSpeech
from studio.api.door.context import ApiContext
from studio.api.mcp.problems import OWN_HINTS, Problem, problem_of
from studio.api.mcp.tools import Arguments, Compare, CreateVoice, DeleteVoice, Lane, Speak, Transcribe, Voices
from studio.api.routes.compare import CompareBody, ComparedLanes
from studio.api.routes.transcriptions import written
from studio.api.routes.voice_upload import enrolled_upload
from studio.api.routes.voices import forgotten, learners_of
from studio.audio.formats import MEDIA_TYPES, Format, file_rate
from studio.audio.spoken_sounds import KEPT_SECONDS, SpokenSound
from studio.reading.language import language_code, languages_of
from studio.reference.reference_audio import bytes_of_url
from studio.running.delivery import Delivery
from studio.running.lifecycle import EngineStatus
from studio.service import Studio
from studio.speakers.speaker import Enrollment, Speaker
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.body import fields_of, read_body
from studio.speech.request import DEFAULT_SPEAKER
from studio.speech.request_log import RequestEntry
from studio.speech.schema_errors import schema_error
from studio.speech.speech import Speech
from studio.timeline import Timeline

__all__ = ["Told", "ToolCall", "ToolRefused", "act"]

DELIVERY = "mcp"  # in the request log
SAID_BY_TOOL = ("voice", "speaker", "model", "language", "response_format")  # not among options: two of them might differ
UNHEEDED = ("stream", "stream_format", "word_timestamps")  # an answer of a tool is whole
PROGRESS_SECONDS = 1.0  # of sound between two reports
Progress = Callable[[float, float | None, str], None]  # so much, of so much where that is known, in words


class ToolRefused(Exception):
    """problems: what the agent is told."""

    def __init__(self, *problems: Problem):
        super().__init__(*(problem.text for problem in problems))
        self.problems = problems


SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,15}:")
BLANKS = re.compile(r"\s+")  # that programs break base64 into lines with


def sent_recording(recording: str, studio: Studio) -> UploadFile:
    """As a form would bring it. Blocks: it decodes, reads and fetches. Raises what bytes_of_url does."""
    url = recording.strip()
    if not SCHEME.match(url):
        url = f"data:;base64,{BLANKS.sub('', url)}"
    data = bytes_of_url(url, studio.settings, studio.remote_audio.fetch)
    return UploadFile(io.BytesIO(data), size=len(data), filename="")


@dataclass(frozen=True)
class ToolCall:
    """context: with the studio as the caller sees it. keep: makes a link for a sound. progress: tells the caller how far it is."""

    context: ApiContext
    request_id: str
    keep: Callable[[SpokenSound, Format], str]
    progress: Progress = lambda done, of, words: None

    @property
    def studio(self) -> Studio:
        return self.context.studio

    def reporting(self, progress: Progress) -> "ToolCall":
        return replace(self, progress=progress)


@dataclass(frozen=True)
class Told:
    """values: as the tool's output schema has them. sounds: by their links."""

    values: Mapping[str, object]
    sounds: Mapping[str, SpokenSound] = field(default_factory=dict)


class ReportedSpeech(AwaitedSpeech):
    """Reports how much of it there is, a second at a time."""

    def __init__(self, call: ToolCall, open_speech: Callable[[], Speech], entry: RequestEntry):
        super().__init__(call.context, open_speech, entry)
        self._progress = call.progress
        self._n_samples = self._n_reported = 0

    async def next(self) -> np.ndarray | None:
        samples = await super().next()
        rate = self.entry.opened.sample_rate
        self._n_samples += 0 if samples is None else len(samples)
        if self._n_samples - self._n_reported >= PROGRESS_SECONDS * rate:
            self._n_reported = self._n_samples
            self._progress(round(self._n_samples / rate, 3), None, f"{self._n_samples / rate:.0f} s of sound")
        return samples


async def _speak(call: ToolCall, asked: Speak) -> Told:
    options, unheeded = _options("speak", asked.options)
    named = {"voice": asked.voice, "model": asked.engine, "language": asked.language}
    fields = {name: value for name, value in named.items() if value} | options
    entry = RequestEntry(call.request_id, DELIVERY, Timeline(), asked.format)
    studio = call.studio

    def say() -> Speech:
        body = read_body({"input": asked.text, "response_format": asked.format} | fields, studio.settings.dialect)
        return studio.say(body, entry.timeline, delivery=Delivery(whole=True))

    async with ReportedSpeech(call, say, entry) as spoken:
        await spoken.open()
        with closing(await spoken.file(asked.format, AudioAllowance(studio.settings.most_audio_seconds))) as file:
            entry.n_bytes = len(file)
            entry.timeline.mark("done")
            sound = SpokenSound(await call.context.threads.run(file.read), MEDIA_TYPES[asked.format])
    link = call.keep(sound, asked.format)
    return Told({"url": link, **_spoken(entry, sound, asked.voice, unheeded)}, {link: sound})


async def _compare(call: ToolCall, asked: Compare) -> Told:
    lanes = [_lane(number, lane) for number, lane in enumerate(asked.lanes)]
    shared = {"input": asked.text, "lanes": lanes, "response_format": asked.format, "measures": asked.measures}
    body = _comparison(shared | ({"language": asked.language} if asked.language else {}))
    compared, told, problems = ReportedLanes(call, body), [], []
    sounds: dict[str, SpokenSound] = {}
    with compared.files:
        for lane, outcome in zip(asked.lanes, await compared.outcomes(), strict=True):
            names = {"voice": lane.voice, "engine": lane.engine}
            if isinstance(outcome, FailedSpeech):
                problem = problem_of("compare", outcome.error, lane=outcome.index)
                problems.append(problem)
                told.append(names | {"error": problem.sentence, "code": problem.code, "argument": problem.argument})
                continue
            sound = SpokenSound(await call.context.threads.run(outcome.file.read), MEDIA_TYPES[asked.format])
            more = await compared.more(outcome.index, outcome.heard)
            measured = {name: more[name] for name in ("ttfp_ms", "lufs", "estimates") if more.get(name) is not None}
            _, unheeded = _options("compare", lane.options)
            link = call.keep(sound, asked.format)
            told.append({"url": link, **_spoken(outcome.entry, sound, lane.voice, unheeded), **measured})
            sounds[link] = sound
    if not sounds:
        raise ToolRefused(*problems)
    return Told({"lanes": told}, sounds)


class ReportedLanes(ComparedLanes):
    """Reports each lane that is over."""

    def __init__(self, call: ToolCall, body: CompareBody):
        super().__init__(call.context, body)
        self._progress = call.progress
        self._n_lanes, self._n_over = len(body.lanes), 0

    async def outcome(self, index: int) -> OverSpeech | FailedSpeech:
        over = await super().outcome(index)
        self._n_over += 1
        self._progress(self._n_over, self._n_lanes, f"{self._n_over} of {self._n_lanes} spoken")
        return over


async def _voices(call: ToolCall, asked: Voices) -> Told:
    return Told(await call.context.threads.run(lambda: _listed(call.studio, asked.engine)))


async def _create_voice(call: ToolCall, asked: CreateVoice) -> Told:
    return Told(await call.context.threads.run(lambda: _created(call.studio, asked)))


async def _delete_voice(call: ToolCall, asked: DeleteVoice) -> Told:
    left = await call.context.threads.run(
        lambda: forgotten(call.studio, asked.name, delete_tests=asked.delete_tests, delete_takes=asked.delete_takes)
    )
    tests = [{"id": test.id, "name": test.plan.name, "deleted": asked.delete_tests} for test in left.tests]
    scripts = [{"id": script.id, "title": script.head.title, "deleted": asked.delete_takes} for script in left.scripts]
    return Told({"deleted": left.speaker.name} | ({"tests": tests} if tests else {}) | ({"scripts": scripts} if scripts else {}))


async def _transcribe(call: ToolCall, asked: Transcribe) -> Told:
    studio = call.studio

    def write() -> Mapping[str, object]:
        if lacking := studio.transcriber.lacking():
            raise lacking
        clip, words = written(studio, sent_recording(asked.recording, studio), asked.language or None)
        told = {"text": words.text if words else "", "seconds": round(clip.seconds, 3), "model": studio.transcriber.name}
        return told | ({"language": words.language} if words and words.language else {})

    return Told(await call.context.threads.run(write))


def act(call: ToolCall, asked: Arguments) -> Awaitable[Told]:
    """What the tool does that has these arguments."""
    match asked:
        case Speak():
            return _speak(call, asked)
        case Voices():
            return _voices(call, asked)
        case CreateVoice():
            return _create_voice(call, asked)
        case DeleteVoice():
            return _delete_voice(call, asked)
        case Transcribe():
            return _transcribe(call, asked)
        case Compare():
            return _compare(call, asked)
    raise TypeError(asked)


# --- speech


def _options(tool: str, options: Mapping[str, object], place: str = "options.") -> tuple[dict[str, object], tuple[str, ...]]:
    """(fields of a request, options that no tool heeds). Raises ToolRefused for what is an argument of its own."""
    for name in SAID_BY_TOOL:
        if options.get(name) is not None:
            fact, hint = "It does not belong there.", "Send it as an argument of its own, so that it is said once."
            raise ToolRefused(Problem(tool, f"{place}{name}", fact, hint, "schema_invalid", {}))
    heeded = {name: value for name, value in options.items() if name not in UNHEEDED}
    return fields_of(heeded), tuple(name for name in UNHEEDED if options.get(name))


def _lane(number: int, lane: Lane) -> dict[str, object]:
    options, _ = _options("compare", lane.options, f"lanes.{number}.options.")
    return {name: value for name, value in {"voice": lane.voice, "model": lane.engine}.items() if value} | options


def _comparison(fields: Mapping[str, object]) -> CompareBody:
    """Raises ToolRefused for an option of a lane that is no such thing."""
    try:
        return CompareBody.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        _, lane, *place = first["loc"]
        raise ToolRefused(problem_of("compare", schema_error([first | {"loc": place}]), lane=int(lane))) from None


def _spoken(entry: RequestEntry, sound: SpokenSound, voice: str, unheeded: tuple[str, ...]) -> dict[str, object]:
    """What is told of a speech that is over, beside its link."""
    speech, ttfp = entry.opened, entry.timeline.ttfp_seconds
    told: dict[str, object] = {
        "url_seconds": round(KEPT_SECONDS),
        "media_type": sound.media_type,
        "bytes": len(sound.data),
        "seconds": round(speech.seconds, 3),
        "sample_rate": file_rate(speech.sample_rate, entry.file_format),
        "voice": speech.speaker or voice or speech.engine.default_preset or DEFAULT_SPEAKER,
        "engine": speech.engine.id,
        "end": entry.end_reason,
        "cache": entry.timeline.cache or "bypass",
        "ignored": [*speech.request.ignored, *unheeded],
    }
    told |= {"warning": speech.warning} if speech.warning else {}
    return told | speech.told | ({"ttfp_ms": round(ttfp * 1000, 3)} if ttfp is not None else {})


# --- voices


def _listed(studio: Studio, engine: str) -> dict[str, object]:
    """Blocks: it looks at the disk. Built-in voices are those of engines that can speak."""
    only = studio.engine_id(engine) if engine else ""
    statuses = [status for status in studio.engines() if only in ("", status.info.id)]
    speaking = [status.info for status in statuses if status.state != "unavailable"]
    created = [_created_voice(studio, speaker) for speaker in studio.speakers()]
    built_in = [_built_in(info, preset) for info in speaking for preset in info.presets]
    return {"voices": created + built_in, "engines": list(map(_engine, statuses)), "default_engine": studio.engine_info().id}


def _created_voice(studio: Studio, speaker: Speaker) -> dict[str, object]:
    words, shadow = speaker.transcript, studio.shadow_of(speaker)
    told: dict[str, object] = {
        "language": words.language if words else None,
        "seconds": speaker.seconds and round(speaker.seconds, 3),
        "description": speaker.description,
        "unusable": shadow and problem_of("voices", shadow).sentence,
    }
    own: dict[str, object] = {"name": speaker.name, "kind": "created", "own": studio.workspace_speakers.owns(speaker)}
    return own | {name: value for name, value in told.items() if value} | {"learned_by": sorted(studio.prompts.places(speaker))}


def _built_in(info: EngineInfo, preset: str) -> dict[str, object]:
    language = info.preset_languages.get(preset)
    return {"name": preset, "kind": "built_in", "own": False, "engine": info.id, **({"language": language} if language else {})}


def _engine(status: EngineStatus) -> dict[str, object]:
    info, speaks = status.info, status.state != "unavailable"
    told: dict[str, object] = {"id": info.id, "title": info.title, "speaks": speaks, "clones": info.clones_clips}
    return told | ({"languages": list(info.languages)} if speaks else {"why_not": status.reason})


def _created(studio: Studio, asked: CreateVoice) -> dict[str, object]:
    """Blocks: it fetches, decodes, measures and writes."""
    known = languages_of(status.info for status in studio.engines())
    code = language_code(asked.language, tuple(known), known)
    about = Enrollment(
        asked.name, asked.consent, transcript=Transcript.of(asked.transcript, code), description=asked.description.strip() or None
    )
    speaker, made = enrolled_upload(studio, about, [sent_recording(asked.recording, studio)], code)
    measured = made.get("quality")
    quality = measured if isinstance(measured, dict) else {}  # not every dialect measures
    told: dict[str, object] = {"name": speaker.name, "seconds": round(speaker.seconds or 0.0, 3), "verdict": quality.get("verdict", "")}
    told |= {"advice": [line["advice"] for line in quality.get("advice", ()) if line["verdict"] != "good"]}
    told |= {"transcript": speaker.transcript.text} if speaker.transcript else {}
    told |= {"language": speaker.transcript.language} if speaker.transcript and speaker.transcript.language else {}
    learners = learners_of(speaker, studio, writes_words=False)
    return told | {"engines": [_learner(each) for each in learners]}


def _learner(told: Mapping[str, object]) -> dict[str, object]:
    """Whether an engine can speak with a voice."""
    known: dict[str, object] = {"id": told["engine"], "speaks": told["can_learn"]}
    if told["can_learn"]:
        return known
    return known | {"why_not": f"{told['reason']} {OWN_HINTS.get(str(told['code']), '')}".strip()}
