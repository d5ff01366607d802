"""SpeechRequest: the meaning of a request to speak. It is the one place that turns a SpeechBody into the studio's own words.

SpeakerRequest is what it shares with a request to convert recorded speech (conversion.py): all but what is said.
Every door calls `request_of`, and `explained` (explanations.py) for what goes wrong after it, so that the same fields mean, and are
refused, the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, TypeVar, Unpack

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from engines.contract.language_limit import LanguageLimit, limits_met
from engines.contract.options import Option
from engines.text.spoken_length import DURATION
from studio.audio.channels import SoundSource
from studio.audio.resampling import SAMPLE_RATES
from studio.audio.stream_encoder import can_stream
from studio.errors import RequestInvalid, TextMissing
from studio.reading.language import asked_code
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.parts import Reading
from studio.reference.reference_audio import Fetch, sound_of_url
from studio.running.delivery import Delivery
from studio.settings import Dialect, Settings
from studio.speakers.speaker import speaker_key
from studio.speech.body import ConversionBody, Inline, SpeechBody, SpeechFields
from studio.speech.schema_errors import schema_error
from studio.speech.utterance import FedText, FedUtterance, Readings, TextUtterance, Utterance, check_reads_along, check_spoken
from studio.speech.words.asked_words import check_asked_words
from studio.timeline import Timeline

__all__ = [
    "DEFAULT_SPEAKER",
    "DoorFields",
    "SpeakerRequest",
    "SpeechRequest",
    "answer_rate",
    "named_speaker",
    "request_of",
    "speaker_of",
    "timed_decode",
]

DEFAULT_SPEAKER = "default"  # what OpenAI clients send when they mean "no particular voice"
DESIGN = "VoiceDesign"  # vLLM-Omni's task of a voice that is described
PCM_HZ = 24_000  # OpenAI's, which clients of raw samples take for granted: openai.helpers.LocalAudioPlayer, vLLM-Omni's examples

MOST_NEW_TOKENS = 4096
# Passed on where the engine has an option of that name. Elsewhere they cannot change who speaks or what is said: the answer names them.
INSTRUCTIONS = "instructions"
HINTS = (INSTRUCTIONS, "max_new_tokens", "initial_codec_chunk_frames", "non_streaming_mode")
Decoded = TypeVar("Decoded")

# These would change what is heard: where the engine has no such option they are refused.
DEMANDS = ("ref_audio_2", "ambient_sound", "duration_seconds")
OPTIONS_OF_FIELDS = {"duration_seconds": DURATION}  # where the engine's option is called otherwise


@dataclass(frozen=True, eq=False, kw_only=True)
class SpeakerRequest(ABC):
    """Say something in one voice. What, its kinds know.

    The voice is, in this order: `clip` (inline audio), `embedding` (inline, (D,) float32), `speaker` (a stored name or a preset of the
    engine), or the engine's default preset when all are None.
    engine: id, None for the default engine. alias: the name that was asked for, where `speaker` is what it stands for.
    clip_sources: where in its files the sound of `clip` was taken from. transcript: the words of `clip`, or instead of the stored ones of
    `speaker`.
    options: of the engine's own schema, and `speed` for every engine (time_stretch.py). sample_rate: Hz of the sound, None for the
    engine's own. ignored: fields that this engine cannot heed. keep: whether the speech goes into the history (history.py).
    reading: how the text was read already, of one that came in pieces. dictionary: that goes before the workspace's.
    delivery: what nobody hears before all of it is made may be made slowly where others listen.
    """

    engine: str | None = None
    speaker: str | None = None
    alias: str = ""
    clip: Clip | None = None
    clip_sources: Sequence[SoundSource] = ()
    transcript: Transcript | None = None
    embedding: np.ndarray | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    sample_rate: int | None = None
    ignored: tuple[str, ...] = ()
    keep: bool = False
    reading: Reading | None = None
    dictionary: tuple[LexiconEntry, ...] = ()
    delivery: Delivery = field(default_factory=Delivery)

    @property
    def source_seconds(self) -> float | None:
        """Of the recorded speech that is said again; None where a text is said."""
        return None

    @property
    def inline(self) -> Inline:
        if self.clip is not None:
            return "recording"
        return "embedding" if self.embedding is not None else None

    @property
    def n_characters(self) -> int:
        """Of what is said, as far as it has come."""
        feed = self.delivery.feed
        return feed.reading.n_characters if isinstance(feed, FedText) else len(self.written)

    @property
    def written(self) -> str:
        """The text that is said; "" where only a recording tells it."""
        return ""

    @property
    def text_language(self) -> str | None:
        """Its code, None where nobody says, and where there is no text."""
        return None

    @property
    def reference_seconds(self) -> float:
        """Of inline audio."""
        return self.clip.seconds if self.clip is not None else 0.0

    def misread(self, info: EngineInfo, reading: Reading | None) -> Sequence[LanguageLimit]:
        """What of the text, as it is read, that engine says otherwise than it is meant."""
        return ()

    @abstractmethod
    def utterance(self, info: EngineInfo, readings: Readings) -> Utterance:
        """What that engine is given of it. Raises CallerMistake where it takes no such thing."""


@dataclass(frozen=True, eq=False)
class SpeechRequest(SpeakerRequest):
    """Say `text` in one voice. language: its code, None where nobody says. directions: False where none of it is to be followed."""

    text: str
    language: str | None = None
    directions: bool = True

    @property
    def written(self) -> str:
        return self.text

    @property
    def text_language(self) -> str | None:
        option = self.options.get("language")
        return self.language or (option if isinstance(option, str) else None)

    def misread(self, info: EngineInfo, reading: Reading | None) -> Sequence[LanguageLimit]:
        return limits_met(info.language_limits, reading.text, self.language) if reading and info.language_limits else ()

    def utterance(self, info: EngineInfo, readings: Readings) -> Utterance:
        """Raises TextMissing, TextUnspeakable, NothingSpoken, RequestInvalid."""
        if isinstance(feed := self.delivery.feed, FedText):
            check_reads_along(info)
            return FedUtterance(feed)
        if (reading := self.reading) is None:
            reading = readings.behind(self.dictionary).read(self.text, info, self.language, directions=self.directions)
        check_spoken(reading, info)
        return TextUtterance.of(reading, info)


class SpeakerFields(TypedDict):
    """Fields of a SpeakerRequest that a body says."""

    engine: str
    speaker: str | None
    alias: str
    clip: Clip | None
    clip_sources: Sequence[SoundSource]
    transcript: Transcript | None
    embedding: np.ndarray | None
    options: Mapping[str, object]
    sample_rate: int | None
    ignored: tuple[str, ...]


class DoorFields(TypedDict, total=False):
    """Fields of a SpeakerRequest that no body says, but the door that it came to."""

    keep: bool
    reading: Reading | None
    dictionary: tuple[LexiconEntry, ...]
    delivery: Delivery


def request_of(
    body: SpeechBody, info: EngineInfo, settings: Settings, timeline: Timeline, fetch: Fetch, **door_fields: Unpack[DoorFields]
) -> SpeechRequest:
    """What the body asks of that engine. Blocks while reference audio is fetched and decoded. Raises CallerMistake, FetchesBusy."""
    if not body.input.strip():
        raise TextMissing
    fields = speaker_of(body, info, settings, timeline, fetch)
    has_option = any(option.name == "language" for option in info.options)
    language = fields["options"].get("language") if has_option else asked_code(body.language, info)
    return SpeechRequest(body.input, language if isinstance(language, str) else None, body.directions is not False, **fields, **door_fields)


def speaker_of(body: SpeechFields, info: EngineInfo, settings: Settings, timeline: Timeline, fetch: Fetch) -> SpeakerFields:
    """The fields of SpeakerRequest, of what the body asks of that engine. Blocks and raises as `request_of` does."""
    _check_format(body)
    dialect = body.dialect if body.keeps_dialect else settings.dialect
    options, ignored = _options(body, info, dialect)
    _check_sample_rate(body.sample_rate, info, dialect)
    clip, sources = None, ()
    if (url := body.ref_audio) is not None:
        clip, sources = timed_decode(timeline, lambda: sound_of_url(url, info.most_recordings, settings, fetch))
    words = Transcript.of(body.ref_text)
    if clip is not None and words is not None:
        words.lines(clip.n_recordings)
    embedding = _embedding(body.speaker_embedding, info)
    inline = clip is not None or embedding is not None
    return {
        "engine": info.id,
        "speaker": _speaker(body, info, options, inline=inline),
        "alias": "" if inline else body.alias,
        "clip": clip,
        "clip_sources": sources,
        "transcript": words,
        "embedding": embedding,
        "options": options,
        "sample_rate": answer_rate(body),
        "ignored": ignored,
    }


def answer_rate(asked: SpeechFields) -> int | None:
    """Hz of the answer, None for the engine's own. Samples without a header cannot say their rate, so that one is the same everywhere."""
    return asked.sample_rate or (PCM_HZ if asked.response_format == "pcm" else None)


def timed_decode(timeline: Timeline, decode: Callable[[], Decoded]) -> Decoded:
    """What it gives. The time that it takes is on the timeline, with that of other recordings of the request."""
    started = timeline.now()
    decoded = decode()
    timeline.span("decode", (timeline.span_seconds("decode") or 0.0) + timeline.now() - started)
    return decoded


# --- options


def _options(body: SpeechFields, info: EngineInfo, dialect: Dialect) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """(the engine's options, names of fields it cannot heed). A field of its own wins over the same name in extra_params."""
    known = {option.name: option for option in info.options}
    if isinstance(body, ConversionBody):
        of_text, ignored = {}, body.unheeded
        if body.task_type == DESIGN:  # another voice would speak than was asked for
            raise _unsupported("task_type", info)
    else:
        of_text, ignored = _text_options(body, info, known, dialect)
    options = dict(body.extra_params or {}) | _speed(body, info, known, dialect) | of_text
    if body.seed is not None and "seed" in known:  # an engine without a seed is deterministic
        options["seed"] = _within(body.seed, known["seed"].minimum, known["seed"].maximum)
    if body.x_vector_only_mode is not None and "x_vector_only_mode" in known:
        options["x_vector_only_mode"] = body.x_vector_only_mode
    elif body.x_vector_only_mode:
        raise _unsupported("x_vector_only_mode", info)
    return options, ignored


def _text_options(
    body: SpeechFields, info: EngineInfo, known: Mapping[str, Option], dialect: Dialect
) -> tuple[dict[str, object], tuple[str, ...]]:
    """The same, of how a text is spoken."""
    _check_fields(body, info, dialect)
    options, ignored = _language(body, info, known), []
    for name in HINTS + DEMANDS:
        value = getattr(body, name)
        if value is None:
            continue
        option = name if name in known else OPTIONS_OF_FIELDS.get(name)
        if option is not None and option in known:
            options[option] = value
        elif name in DEMANDS:
            raise _unsupported(name, info)
        else:
            ignored.append(name)
    if (body.task_type == DESIGN and info.designed_preset is None) or (body.task_type == "CustomVoice" and not info.presets):
        fact = f"task_type='{body.task_type}' is not supported by the current TTS model"
        hint = "Leave task_type out, or name a model that does it; GET /v1/models tells what each has."
        raise RequestInvalid("unsupported", fact, "task_type", hint, field="task_type", engine=info.title)
    return options, tuple(ignored)


def _check_fields(body: SpeechFields, info: EngineInfo, dialect: Dialect) -> None:
    if body.word_timestamps:
        check_asked_words(body, info, dialect)
    if body.max_new_tokens is not None and body.max_new_tokens > MOST_NEW_TOKENS:
        fact, name, asked = f"max_new_tokens cannot exceed {MOST_NEW_TOKENS}", "max_new_tokens", body.max_new_tokens
        raise RequestInvalid("option_invalid", fact, name, sentence="option_too_large", option=name, value=asked, most=MOST_NEW_TOKENS)
    most = body.most_instruction_characters
    if len(body.instructions or "") > most:
        message = f"Instructions too long (max {most} characters)"
        raise RequestInvalid("option_invalid", message, INSTRUCTIONS, sentence="instructions_too_long", most=most)


def _speed(body: SpeechFields, info: EngineInfo, known: Mapping[str, Option], dialect: Dialect) -> dict[str, object]:
    """Any engine has one, the studio's time stretcher if not its own; not in every dialect in streams."""
    if body.speed in (None, 1.0):
        return {}
    if body.delivery != "whole" and "speed" not in known and not dialect.streams_speed:
        streaming = "SSE streaming" if body.delivery == "sse" else "Streaming"
        message = f"{streaming} is not supported with speed adjustment. Use a non-streaming request or remove the speed parameter."
        raise RequestInvalid("unsupported", message, "speed", field="speed", engine=info.title)
    return {"speed": body.speed}


def _language(body: SpeechFields, info: EngineInfo, known: Mapping[str, Option]) -> dict[str, object]:
    code = asked_code(body.language, info)
    return {"language": code} if code is not None and "language" in known else {}


def _within(seed: int, minimum: float | None, maximum: float | None) -> int:
    """Any 64-bit seed folded into the engine's range; one that is inside stays what it is."""
    low, high = int(minimum or 0), int(maximum if maximum is not None else 2**63 - 1)
    return seed if low <= seed <= high else low + (seed - low) % (high - low + 1)


def _check_format(body: SpeechFields) -> None:
    """What the schema cannot know: which encoders there are."""
    if (audio_format := body.response_format) == "aac" and not can_stream("aac"):
        expected = "'wav', 'pcm', 'flac', 'mp3' or 'opus'"
        place, context = ("body", "response_format"), {"expected": expected}
        raise schema_error([{"type": "literal_error", "loc": place, "msg": f"Input should be {expected}", "input": "aac", "ctx": context}])
    if body.delivery != "whole" and not can_stream(audio_format):
        fact = f"This server has no encoder for streams of {audio_format}."
        hint = "Stream pcm or wav, or ask for a whole file."
        raise RequestInvalid("encoder_missing", fact, "response_format", hint, format=audio_format)


def _check_sample_rate(sample_rate: int | None, info: EngineInfo, dialect: Dialect) -> None:
    is_own = sample_rate is None or sample_rate == info.sample_rate
    if not is_own and not dialect.resamples:
        raise _unsupported("sample_rate", info)
    if is_own or sample_rate in SAMPLE_RATES:
        return
    rates = ", ".join(map(str, SAMPLE_RATES))
    fact, name = f"sample_rate={sample_rate} is not supported by the current TTS model; supported rates: {rates}", "sample_rate"
    value, choices = str(sample_rate), tuple(map(str, SAMPLE_RATES))
    raise RequestInvalid("option_invalid", fact, name, sentence="option_no_choice", option=name, value=value, choices=choices)


def _unsupported(name: str, info: EngineInfo) -> RequestInvalid:
    return RequestInvalid("unsupported", f"{name} is not supported by the current TTS model", name, field=name, engine=info.title)


# --- whose voice


def named_speaker(body: SpeechFields) -> str | None:
    """The name that is asked for, None where none is."""
    return body.voice if (body.voice or "").strip() else None


def _speaker(body: SpeechFields, info: EngineInfo, options: Mapping[str, object], *, inline: bool) -> str | None:
    """`named_speaker`, where no other voice is meant. A voice that is described is the engine's designed preset, and nobody else's."""
    named = named_speaker(body)
    if body.task_type != DESIGN:
        return None if inline else named
    designed = info.designed_preset
    assert designed is not None  # else the options were refused
    if inline or speaker_key(named or designed) not in (DEFAULT_SPEAKER, speaker_key(designed)):
        field = "voice" if not inline else "ref_audio" if body.ref_audio is not None else "speaker_embedding"
        fact = f"task_type='{DESIGN}' speaks with the voice that 'instructions' describe, not with that of '{field}'"
        hint = f"Leave {field} out, or leave task_type out."
        raise RequestInvalid("option_invalid", fact, field, hint, sentence="described_and_named", field=field)
    if not str(options.get(INSTRUCTIONS) or "").strip():
        fact, hint = f"{DESIGN} task requires '{INSTRUCTIONS}' to describe the voice", f'Send such as "{_example_of(info)}".'
        raise RequestInvalid("option_invalid", fact, INSTRUCTIONS, hint, sentence="instructions_missing")
    return designed


def _example_of(info: EngineInfo) -> str:
    """Of what can be said of a voice: in the engine's own words, where it takes no others."""
    groups = next((option.suggestions for option in info.options if option.name == INSTRUCTIONS), ())
    return ", ".join(group[len(group) // 2] for group in groups[:3]) or "a young woman, gentle and slow"


def _embedding(values: list | None, info: EngineInfo) -> np.ndarray | None:
    """The flat embedding (D,) float32 of the request, of the width that the engine takes."""
    if values is None:
        return None
    rows = values if isinstance(values[0], list) else [values]
    if len(rows) > 1:
        fact, name = "Several speaker embeddings are not supported by the current TTS model", "speaker_embedding"
        raise RequestInvalid("unsupported", fact, name, field=name, engine=info.title)
    if info.embedding_size is None:
        raise _unsupported("speaker_embedding", info)
    if len(rows[0]) != info.embedding_size:
        fact = f"speaker_embedding has {len(rows[0])} dimensions; expected {info.embedding_size} for the loaded {info.title} model"
        n, widths = len(rows[0]), (info.embedding_size,)
        raise RequestInvalid("embedding_unusable", fact, "speaker_embedding", sentence="embedding_misfit", n=n, widths=widths)
    return np.array(rows[0], np.float32)
