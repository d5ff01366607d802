"""Intake: the one place where this door's words become the studio's. A SpeechBody in, an Order out; nothing is done yet."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from engines.clip import Clip, Transcript
from engines.contract import EngineInfo
from engines.errors import CallerMistake, EmbeddingUnusable, PresetUnknown
from studio.api.errors import ApiError, answer_for, voice_hint
from studio.api.language import language_code
from studio.api.reference.reference_audio import clip_of_url
from studio.api.reference.remote_audio import RemoteAudio
from studio.api.schema_errors import schema_error
from studio.api.speech_body import STREAMABLE, SpeechBody, stream_refusal
from studio.audio.level_meter import LevelMeter
from studio.audio.resampling import SAMPLE_RATES
from studio.audio.stream_encoder import can_stream
from studio.errors import SpeakerRequired, SpeakerUnknown
from studio.service import Studio
from studio.settings import Settings
from studio.speech.speech import Speech, SpeechRequest
from studio.timeline import Timeline

__all__ = ["Order", "Utterance", "utter"]

MOST_NEW_TOKENS = 4096
MOST_INSTRUCTION_CHARACTERS = 500
MOST_SHOWN_VOICES = 50
# Passed on where the engine has an option of that name. Elsewhere they cannot change who speaks or what is said: the answer names them.
HINTS = ("instructions", "max_new_tokens", "initial_codec_chunk_frames", "non_streaming_mode")
# These would change what is heard: where the engine has no such option they are refused.
DEMANDS = ("ref_audio_2", "ambient_sound", "duration_seconds")


@dataclass(frozen=True, eq=False)
class Order:
    """request: for the studio. sample_rate: Hz asked for, None for the engine's own. ignored: fields that this engine cannot heed."""

    request: SpeechRequest
    sample_rate: int | None
    reference_seconds: float
    ignored: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Utterance:
    """A Speech under way and the order it answers. level: of what was handed out."""

    order: Order
    speech: Speech
    level: LevelMeter = field(default_factory=LevelMeter)

    def close(self) -> None:
        self.speech.close()


def utter(studio: Studio, body: SpeechBody, timeline: Timeline, remote_audio: RemoteAudio, *, keep: bool = False) -> Utterance:
    """Check, decode and start to speak. Blocks while the engine loads and extracts: for a worker thread. Raises ApiError, EngineError.

    keep: whether the speech goes into the history.
    """
    info = studio.engine_info(body.model or None)
    order = _order(body, info, studio.settings, timeline, remote_audio)
    request = replace(order.request, keep=keep)
    try:
        return Utterance(order, studio.speak(request, timeline))
    except (SpeakerUnknown, PresetUnknown) as error:
        raise _voice_unknown(request.speaker, info, studio, error) from error
    except SpeakerRequired as error:
        raise ApiError(400, _reference_wanted(info), param="voice", reason_code=error.code, hint=error.hint) from error
    except EmbeddingUnusable as error:
        if request.speaker is None or info.embedding_size is not None:
            raise
        message = f"Uploaded voice '{request.speaker}' uses a speaker embedding (Qwen3-only). Re-upload with an audio file for this model."
        raise ApiError(400, message, param="voice", reason_code=error.code, hint=error.hint) from error
    except CallerMistake as error:
        answer = answer_for(error)
        if error.parameter == "clip" and request.clip is None:
            answer.param = "voice"  # the recording that is unusable is the stored one
        raise answer from error


def _order(body: SpeechBody, info: EngineInfo, settings: Settings, timeline: Timeline, remote_audio: RemoteAudio) -> Order:
    if not body.input.strip():
        raise ApiError(400, "Input text cannot be empty", param="input", reason_code="text_unspeakable", hint="Type a sentence.")
    _check_format(body, strict=settings.strict_compat)
    options, ignored = _options(body, info, strict=settings.strict_compat)
    _check_sample_rate(body.sample_rate, info, strict=settings.strict_compat)
    clip = None
    if body.ref_audio is not None:
        clip = _timed_decode(timeline, lambda: clip_of_url(body.ref_audio, settings, remote_audio))
    embedding = _embedding(body.speaker_embedding, info)
    inline = clip is not None or embedding is not None
    speaker = None if inline or not (body.voice or "").strip() else body.voice
    request = SpeechRequest(
        text=body.input,
        engine=info.id,
        speaker=speaker,
        clip=clip,
        transcript=Transcript.of(body.ref_text),
        embedding=embedding,
        options=options,
    )
    return Order(request, body.sample_rate, clip.seconds if clip is not None else 0.0, ignored)


def _timed_decode(timeline: Timeline, decode: Callable[[], Clip]) -> Clip:
    started = timeline.now()
    clip = decode()
    timeline.span("decode", timeline.now() - started)
    return clip


# --- options


def _options(body: SpeechBody, info: EngineInfo, *, strict: bool) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """(the engine's options, names of fields it cannot heed). A field of its own wins over the same name in extra_params."""
    _check_fields(body)
    known = {option.name: option for option in info.options}
    options = dict(body.extra_params or {})
    options |= _speed(body, known, strict=strict) | _language(body, info, known)
    if body.seed is not None and "seed" in known:  # an engine without a seed is deterministic
        options["seed"] = _within(body.seed, known["seed"].minimum, known["seed"].maximum)
    if body.x_vector_only_mode is not None and "x_vector_only_mode" in known:
        options["x_vector_only_mode"] = body.x_vector_only_mode
    elif body.x_vector_only_mode:
        raise _unsupported("x_vector_only_mode")
    ignored = []
    for name in HINTS + DEMANDS:
        value = getattr(body, name)
        if value is None:
            continue
        if name in known:
            options[name] = value
        elif name in DEMANDS:
            raise _unsupported(name)
        else:
            ignored.append(name)
    if body.task_type == "VoiceDesign" or (body.task_type == "CustomVoice" and not info.presets):
        raise ApiError(
            400, f"task_type='{body.task_type}' is not supported by the current TTS model", param="task_type", reason_code="unsupported"
        )
    return options, tuple(ignored)


def _check_fields(body: SpeechBody) -> None:
    if body.word_timestamps:
        message = "word_timestamps=true requires the server to be launched with --forced-aligner."
        if body.delivery != "whole":
            message = (
                "word_timestamps=true is currently supported by the WebSocket /v1/audio/speech/stream path. "
                "Use session.config with stream_audio=true and response_format='pcm'."
            )
        raise ApiError(400, message, param="word_timestamps", reason_code="unsupported")
    if body.max_new_tokens is not None and body.max_new_tokens > MOST_NEW_TOKENS:
        raise ApiError(400, f"max_new_tokens cannot exceed {MOST_NEW_TOKENS}", param="max_new_tokens", reason_code="option_invalid")
    if len(body.instructions or "") > MOST_INSTRUCTION_CHARACTERS:
        message = f"Instructions too long (max {MOST_INSTRUCTION_CHARACTERS} characters)"
        raise ApiError(400, message, param="instructions", reason_code="option_invalid")


def _speed(body: SpeechBody, known: Mapping[str, object], *, strict: bool) -> dict[str, object]:
    """Any engine has one, the studio's time stretcher if not its own. strict: then in whole answers alone."""
    if body.speed in (None, 1.0):
        return {}
    if strict and body.delivery != "whole" and "speed" not in known:
        streaming = "SSE streaming" if body.delivery == "sse" else "Streaming"
        message = f"{streaming} is not supported with speed adjustment. Use a non-streaming request or remove the speed parameter."
        raise ApiError(400, message, param="speed", reason_code="unsupported")
    return {"speed": body.speed}


def _language(body: SpeechBody, info: EngineInfo, known: Mapping[str, object]) -> dict[str, object]:
    option = known.get("language")
    codes = [code for code in option.choices if code.casefold() != "auto"] if option is not None else info.languages
    code = language_code(body.language, codes)
    return {"language": code} if code is not None and option is not None else {}


def _within(seed: int, minimum: float | None, maximum: float | None) -> int:
    """Any 64-bit seed folded into the engine's range; one that is inside stays what it is."""
    low, high = int(minimum or 0), int(maximum if maximum is not None else 2**63 - 1)
    return seed if low <= seed <= high else low + (seed - low) % (high - low + 1)


def _check_format(body: SpeechBody, *, strict: bool) -> None:
    """What the schema cannot know: which encoders there are, and whether we may have more than vLLM-Omni (strict: not)."""
    audio_format = body.response_format
    if audio_format == "aac" and (strict or not can_stream("aac")):
        expected = "Input should be 'wav', 'pcm', 'flac', 'mp3' or 'opus'"
        raise schema_error([{"type": "literal_error", "loc": ("body", "response_format"), "msg": expected, "input": "aac"}])
    if body.delivery == "whole" or audio_format in STREAMABLE:
        return
    if strict:
        message = f"Value error, {stream_refusal(audio_format)}"
        raise schema_error([{"type": "value_error", "loc": ("body",), "msg": message, "input": body.model_dump(exclude_unset=True)}])
    if not can_stream(audio_format):
        raise ApiError(
            400,
            f"This server has no encoder for streams of {audio_format}.",
            param="response_format",
            reason_code="encoder_missing",
            hint="Stream pcm or wav, or ask for a whole file.",
        )


def _check_sample_rate(sample_rate: int | None, info: EngineInfo, *, strict: bool) -> None:
    """strict: the engine's own rate alone, since vLLM-Omni resamples for two models only."""
    if sample_rate is None or sample_rate == info.sample_rate:
        return
    if strict:
        raise _unsupported("sample_rate")
    if sample_rate in SAMPLE_RATES:
        return
    rates = ", ".join(map(str, SAMPLE_RATES))
    raise ApiError(
        400,
        f"sample_rate={sample_rate} is not supported by the current TTS model; supported rates: {rates}",
        param="sample_rate",
        reason_code="option_invalid",
    )


def _unsupported(name: str) -> ApiError:
    return ApiError(400, f"{name} is not supported by the current TTS model", param=name, reason_code="unsupported")


# --- whose voice


def _embedding(values: list | None, info: EngineInfo) -> np.ndarray | None:
    """The flat embedding (D,) float32 of the request, of the width that the engine takes."""
    if values is None:
        return None
    rows = values if isinstance(values[0], list) else [values]
    if len(rows) > 1:
        raise ApiError(
            400,
            "Several speaker embeddings are not supported by the current TTS model",
            param="speaker_embedding",
            reason_code="unsupported",
        )
    if info.embedding_size is None:
        raise _unsupported("speaker_embedding")
    if len(rows[0]) != info.embedding_size:
        raise ApiError(
            400,
            f"speaker_embedding has {len(rows[0])} dimensions; expected {info.embedding_size} for the loaded {info.title} model",
            param="speaker_embedding",
            reason_code="embedding_unusable",
        )
    return np.array(rows[0], np.float32)


def _voice_unknown(name: str, info: EngineInfo, studio: Studio, error: SpeakerUnknown | PresetUnknown) -> ApiError:
    if info.presets:
        names = sorted({"default", *(preset.lower() for preset in info.presets), *(s.name.lower() for s in studio.speakers())})
        shown = ", ".join(names[:MOST_SHOWN_VOICES]) + (", ..." if len(names) > MOST_SHOWN_VOICES else "")
        message = f"Invalid voice '{name}'. Supported: {shown}"
    else:
        message = (
            f"Unknown voice '{name}'. {info.title} has no built-in speakers. "
            "Upload a voice first via POST /v1/audio/voices, or use ref_audio + ref_text."
        )
    return ApiError(400, message, param="voice", reason_code=error.code, hint=voice_hint(error))


def _reference_wanted(info: EngineInfo) -> str:
    if info.presets:
        return "Either 'voice' (preset speaker) or 'ref_audio' (voice cloning) must be provided"
    return f"{info.title} requires 'ref_audio' (reference audio for voice cloning)"
