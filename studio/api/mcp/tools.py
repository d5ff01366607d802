"""The tools: their arguments, what they give, and what a client may think of them (annotations), as MCP lists them.

Their words are in studio/words/tools.py; what they do, in tool_acts.py.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from studio.listening.render.comparison import LEAST_LANES, MOST_LANES
from studio.speech.schema_errors import schema_error
from studio.words.tools import TOOL_WORDS

__all__ = [
    "ARGUMENTS",
    "Arguments",
    "Compare",
    "CreateVoice",
    "DeleteVoice",
    "Lane",
    "Speak",
    "Transcribe",
    "Voices",
    "listed",
    "read",
    "wanted",
]

Sound = Literal["mp3", "wav", "flac", "opus", "aac"]


class Arguments(BaseModel):
    """Of any tool. An argument that is null was left out: models write it so."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return {name: value for name, value in data.items() if value is not None} if isinstance(data, dict) else data


class Speak(Arguments):
    """A text, and how it is said."""

    text: str
    voice: str = ""
    engine: str = ""
    language: str = ""
    format: Sound = "mp3"
    options: dict[str, Any] = {}


class Lane(Arguments):
    """One way of a comparison."""

    voice: str = ""
    engine: str = ""
    options: dict[str, Any] = {}


class Compare(Arguments):
    """A text, and ways to say it."""

    text: str
    lanes: list[Lane] = Field(min_length=LEAST_LANES, max_length=MOST_LANES)
    language: str = ""
    format: Sound = "mp3"
    measures: bool = False


class Voices(Arguments):
    """Which voices are listed."""

    engine: str = ""


class CreateVoice(Arguments):
    """A recording that becomes a voice."""

    name: str
    recording: str
    consent: str
    transcript: str = ""
    language: str = ""
    description: str = ""


class DeleteVoice(Arguments):
    """The voice that goes."""

    name: str
    delete_tests: bool = False
    delete_takes: bool = False


class Transcribe(Arguments):
    """A recording that is written down."""

    recording: str
    language: str = ""


ARGUMENTS: dict[str, type[Arguments]] = {
    "speak": Speak,
    "voices": Voices,
    "create_voice": CreateVoice,
    "delete_voice": DeleteVoice,
    "transcribe": Transcribe,
    "compare": Compare,
}
# What a client may ask its person about: whether a tool changes something, loses something, and may be called twice. None reaches beyond
# the studio but by an address that the caller names.
HINTS = {
    "speak": {"readOnlyHint": True, "idempotentHint": True},
    "voices": {"readOnlyHint": True, "idempotentHint": True},
    "create_voice": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},  # it replaces a voice of the same name
    "delete_voice": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False},  # the second time there is none
    "transcribe": {"readOnlyHint": True, "idempotentHint": True},
    "compare": {"readOnlyHint": True, "idempotentHint": True},
}
TEXT, NUMBER, WHOLE, YES = ({"type": kind} for kind in ("string", "number", "integer", "boolean"))
KINDS = {"string": "It is a text.", "boolean": "It is true or false.", "object": "It is an object.", "array": "It is a list."}
TEXTS = {"type": "array", "items": TEXT}


def _object(required: Mapping[str, object], **more: object) -> dict[str, object]:
    return {"type": "object", "properties": {**required, **more}, "required": list(required)}


def _list(of: dict[str, object]) -> dict[str, object]:
    return {"type": "array", "items": of}


SOUND = {
    "url": TEXT | {"format": "uri", "description": "Where the sound can be fetched, by whoever has this link."},
    "url_seconds": WHOLE | {"description": "How long it is kept there."},
    "media_type": TEXT,
    "bytes": WHOLE,
    "seconds": NUMBER,
    "sample_rate": WHOLE,
    "voice": TEXT,
    "engine": TEXT,
    "end": TEXT | {"description": "Why it ended: `ended` by itself, or cut: `capped`, `no_room`, `looped`."},
}
SPOKEN = {
    "ttfp_ms": NUMBER | {"description": "Time from the request to the first sound."},
    "cache": TEXT | {"description": "How the engine knew the voice: hit, disk, miss, joined or bypass."},
    "warning": TEXT,
    "ignored": TEXTS | {"description": "Options that are not heeded."},
    "left_out": TEXTS | {"description": "What of the text is not said."},
    "directions": TEXTS | {"description": "What of the text is followed, not said."},
    "misread": TEXTS | {"description": "What of the text the engine says otherwise."},
}
FAILED = {"error": TEXT | {"description": "Why there is no sound."}, "code": TEXT, "argument": TEXT}
ANY = {"type": "object"}
VOICE = {"name": TEXT, "kind": {"enum": ["created", "built_in"]}, "own": YES}
OUTPUTS: dict[str, dict[str, object]] = {
    "speak": _object(SOUND, **SPOKEN),
    "compare": _object({"lanes": _list(_object({"voice": TEXT, "engine": TEXT}, **SOUND, **SPOKEN, **FAILED, lufs=NUMBER, estimates=ANY))}),
    "voices": _object(
        {
            "voices": _list(_object(VOICE, engine=TEXT, language=TEXT, seconds=NUMBER, description=TEXT, learned_by=TEXTS, unusable=TEXT)),
            "engines": _list(_object({"id": TEXT, "title": TEXT, "speaks": YES, "clones": YES}, languages=TEXTS, why_not=TEXT)),
            "default_engine": TEXT,
        }
    ),
    "create_voice": _object(
        {"name": TEXT, "seconds": NUMBER, "verdict": TEXT},
        transcript=TEXT,
        language=TEXT,
        advice=TEXTS,
        engines=_list(_object({"id": TEXT, "speaks": YES}, why_not=TEXT)),
    ),
    "delete_voice": _object({"deleted": TEXT}, tests=_list(_object({"id": TEXT, "name": TEXT, "deleted": YES}))),
    "transcribe": _object({"text": TEXT, "seconds": NUMBER, "model": TEXT}, language=TEXT),
}


@cache
def listed() -> tuple[dict[str, Any], ...]:
    """The tools as `tools/list` gives them. Nobody may change them."""
    return tuple(_listed(name) for name in ARGUMENTS)


def read(name: str, arguments: object) -> Arguments:
    """The arguments of a tool that there is. Raises SchemaInvalid, whose parameter is the argument, such as lanes.1.voice."""
    try:
        return ARGUMENTS[name].model_validate(arguments)
    except ValidationError as error:
        raise schema_error(error.errors(include_url=False)) from None


def wanted(name: str, argument: str) -> str:
    """What an argument of a tool is, in words, or which ones there are for one that it does not have; "" for an option of an engine.

    argument: its place, such as lanes.1.voice.
    """
    schema = listed()[[*ARGUMENTS].index(name)]["inputSchema"]
    for part in argument.split("."):
        known = schema.get("properties", {})
        if known and part not in known:
            return f"There is no such argument, but: {', '.join(known)}."
        schema = schema.get("items", {}) if part.isdecimal() else known.get(part, {})
    return f"It is one of: {', '.join(schema['enum'])}." if "enum" in schema else KINDS.get(schema.get("type"), "")


def _listed(name: str) -> dict[str, Any]:
    words = TOOL_WORDS[name]
    annotations = {"title": words.title, "destructiveHint": False} | HINTS[name] | {"openWorldHint": False}
    about = {"name": name, "title": words.title, "description": f"{words.about}\n\nGives: {words.gives}"}
    return about | {"inputSchema": _input_schema(name), "outputSchema": OUTPUTS[name], "annotations": annotations}


def _input_schema(name: str) -> dict[str, object]:
    """In the words of the tools, without the titles that pydantic adds, and with nothing referred to: some clients read no `$ref`."""
    schema = ARGUMENTS[name].model_json_schema()
    definitions = {f"#/$defs/{key}": value for key, value in schema.pop("$defs", {}).items()}
    whole = _plain(schema, definitions)
    for argument, about in TOOL_WORDS[name].arguments.items():
        whole["properties"][argument]["description"] = about
    return whole


def _plain(schema: object, definitions: dict[str, object]) -> Any:
    if isinstance(schema, list):
        return [_plain(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _plain(definitions[schema["$ref"]], definitions)
    return {
        key: {name: _plain(part, definitions) for name, part in value.items()} if key == "properties" else _plain(value, definitions)
        for key, value in schema.items()
        if key not in ("title", "description")
    }
