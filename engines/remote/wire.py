"""SpeechWire: names and paths of OpenAI's speech protocol, with the extensions of vLLM-Omni 0.30.0. No other file knows a field of it."""

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from time import time
from typing import Literal, TypedDict

import httpx

from engines.contract.options import Value
from engines.plain_json import read_json
from engines.remote.languages import language_name
from engines.remote.options import OPENAI

__all__ = ["REGISTERED", "RemoteUtterance", "RequestContent", "ServerRefusal", "SpeechWire", "is_audio", "refusal_of", "said_in"]

REGISTERED = re.compile(r"studio-[0-9a-f]{32}")  # what any studio's remote engine calls a recording that it registers
SPEECH, VOICES, MODELS, HEALTH = "/v1/audio/speech", "/v1/audio/voices", "/v1/models", "/health"
# task_type of a recording's voice. Qwen3-TTS, Ming and Breeze refuse it for a name of which they have no recording; without, Ming and
# Breeze speak in whatever voice. Higgs-Audio V2 refuses the field, and by itself a name that it does not know, so there it is left out.
# Ming-flash-omni, MiniMax and Gepard refuse it as well, and clone nothing. Others pass over it.
CLONING = "Base"
NOBODY = "default"  # in vLLM-Omni's list of voices: none at all
MOST_SAID_CHARACTERS = 300
MOST_RETRY_SECONDS = 600
FORBIDDEN = (401, 403)
ABSENT = (404, 405, 501)  # of an address that a server does not have
SOUNDS = ("audio/", "application/octet-stream")

Concern = Literal["key", "task", "speaker", "full", "known", "model", "absent", "words", "language", "text", "instructions", "other"]

# What a refusal is about, by vLLM-Omni's sentences and by this studio's, in the order in which they are looked for.
_CONCERNS: tuple[tuple[Concern, re.Pattern[str]], ...] = (
    ("task", re.compile(r"^higgs\S* .*does not support 'task_type'")),
    ("model", re.compile(r"the model `.*` does not exist|does not support speech api")),
    ("full", re.compile(r"voice limit reached")),
    ("known", re.compile(r"already exists and .* is 'immutable'")),
    ("words", re.compile(r"requires (non-empty )?'ref_text'")),
    ("instructions", re.compile(r"instructions")),
    ("language", re.compile(r"(invalid|unsupported|unknown) language|does not speak")),
    (
        "speaker",
        re.compile(
            r"(unknown|invalid|no) (voice|speaker)|(voice|speaker) '.*' (is missing|not found)|requires 'ref_audio'"
            r"|either 'voice' .* must be provided"
        ),
    ),
    ("text", re.compile(r"input text|text is (too long|empty)|input is too long|too many characters")),
)


class RequestContent(TypedDict, total=False):
    """What a request carries, as httpx takes it."""

    json: object
    data: Mapping[str, object]
    files: Mapping[str, tuple[str, bytes, str]]


@dataclass(frozen=True)
class RemoteUtterance:
    """What one request for speech says.

    speaker: the name at the server, "" where the recording comes with the request: recording, a WAV file, and its words. is_cloned: whether
    it is anybody's but a preset's.
    """

    text: str
    speaker: str
    options: Mapping[str, Value]
    recording: bytes = field(default=b"", repr=False)
    words: str = ""
    is_cloned: bool = False


@dataclass(frozen=True)
class ServerRefusal:
    """status: of HTTP. said: the server's own sentence. retry_after_seconds: where it said when to come back."""

    status: int
    concern: Concern
    said: str
    retry_after_seconds: int | None = None


@dataclass(frozen=True)
class SpeechWire:
    """dialect: of options.py. model: "" where the servers know which."""

    dialect: str
    model: str

    @property
    def speech_path(self) -> str:
        return SPEECH

    @property
    def speakers_path(self) -> str:
        return VOICES

    @property
    def models_path(self) -> str:
        return MODELS

    @property
    def health_path(self) -> str:
        """What a server that is well answers with less than 500."""
        return MODELS if self.dialect == OPENAI else HEALTH

    def speaker_path(self, name: str) -> str:
        """name: of letters, digits and "-"."""
        return f"{VOICES}/{name}"

    def speech_body(self, utterance: RemoteUtterance, *, says_task: bool = True) -> dict[str, object]:
        """The JSON of a request for WAV, which says its own rate; vLLM-Omni's PCM says none. says_task: whether with CLONING."""
        body: dict[str, object] = {"input": utterance.text, "response_format": "wav"}
        if self.model:
            body["model"] = self.model
        if utterance.speaker:
            body["voice"] = utterance.speaker
        if utterance.recording:
            body["ref_audio"] = "data:audio/wav;base64," + base64.b64encode(utterance.recording).decode()
            body |= {"ref_text": utterance.words} if utterance.words else {"x_vector_only_mode": True}  # or Qwen3-TTS wants words
        if utterance.is_cloned and says_task:
            body["task_type"] = CLONING
        if self.dialect != OPENAI:
            body["stream_format"] = "audio"
        told = {name: value for name, value in utterance.options.items() if value not in (None, "")}
        if "language" in told:
            told["language"] = language_name(str(told["language"]))
        return body | told

    def registration(self, name: str, recording: bytes, words: str) -> RequestContent:
        """Keyword arguments of httpx for the multipart request that registers a speaker. The consent was given to the studio."""
        form = {"name": name, "consent": "studio"} | ({"ref_text": words} if words else {})
        return {"data": form, "files": {"audio_sample": (f"{name}.wav", recording, "audio/wav")}}

    def presets(self, listed: object) -> tuple[str, ...]:
        """Built-in speakers in a list of voices. What is called as we call recordings is nobody's but theirs, whatever the list says."""
        uploaded = {name.casefold() for name in self.registered(listed)}
        names = [_name_of(one) for one in _list_in(listed, "voices")]
        built_in = (name for name in names if name and name.casefold() not in (*uploaded, NOBODY))
        return tuple(dict.fromkeys(name for name in built_in if not REGISTERED.fullmatch(name.casefold())))

    def registered(self, listed: object) -> frozenset[str]:
        """Speakers in a list of voices that were uploaded."""
        return frozenset(filter(None, map(_name_of, _list_in(listed, "uploaded_voices"))))

    def models(self, listed: object) -> tuple[str, ...]:
        """Ids in a list of models."""
        return tuple(filter(None, (_text(one.get("id")) for one in _list_in(listed, "data") if isinstance(one, dict))))


def is_audio(response: httpx.Response) -> bool:
    """Whether a good answer says that it is audio, or says nothing."""
    kind = response.headers.get("content-type", "").casefold()
    return not kind or kind.startswith(SOUNDS)


def said_in(response: httpx.Response) -> object:
    """The JSON of an answer whose body was read; None where it is none."""
    try:
        return read_json(response.content)
    except ValueError:
        return None


def refusal_of(response: httpx.Response, secret: str, about: str = "") -> ServerRefusal:
    """What an answer that is none says. Its body was read. secret: shown nowhere. about: the speaker's name that the request held."""
    error = _error_in(response)
    said = error if isinstance(error, str) else _text(error.get("message")) or _text(error.get("detail"))
    said = " ".join(said.replace(secret, "...").split() if secret else said.split())
    said = "".join(character for character in said if character.isprintable())[:MOST_SAID_CHARACTERS]
    parameter = "" if isinstance(error, str) else _text(error.get("param"))
    concern = _concern(response.status_code, said.casefold(), parameter, about)
    return ServerRefusal(response.status_code, concern, said or f"HTTP {response.status_code}", _retry_after(response))


def _concern(status: int, said: str, parameter: str, about: str) -> Concern:
    if status in FORBIDDEN:
        return "key"
    if about and about in said and not re.search(r"already exists|limit reached", said):
        return "speaker"
    if parameter == "model" and status in ABSENT:
        return "model"
    found: Concern | None = next((concern for concern, pattern in _CONCERNS if pattern.search(said)), None)
    if found:
        return found
    if status in ABSENT:
        return "speaker" if parameter == "voice" else "absent"
    return _CONCERN_OF.get(parameter, "other")


_CONCERN_OF: dict[str, Concern] = {"voice": "speaker", "language": "language", "input": "text", "instructions": "instructions"}


def _error_in(response: httpx.Response) -> dict[str, object] | str:
    """Both envelopes of vLLM-Omni, its plain string, and FastAPI's own."""
    body = said_in(response)
    if not isinstance(body, dict):
        return ""
    error = body.get("error", body)
    return error if isinstance(error, dict | str) else ""


def _retry_after(response: httpx.Response) -> int | None:
    said = response.headers.get("retry-after", "").strip()
    if said.isdecimal():
        return min(int(said[:6]), MOST_RETRY_SECONDS)
    try:
        seconds = parsedate_to_datetime(said).timestamp() - time() if said else -1.0
    except ValueError:
        return None
    return min(round(seconds), MOST_RETRY_SECONDS) if seconds >= 0 else None


def _list_in(listed: object, key: str) -> Iterable[object]:
    found = listed.get(key) if isinstance(listed, dict) else None
    return found if isinstance(found, list) else ()


def _name_of(one: object) -> str:
    """Of a list of names, or of objects that have one."""
    return _text(one.get("name") or one.get("id")) if isinstance(one, dict) else _text(one)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
