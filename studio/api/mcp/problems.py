"""What an agent is told of an error: the tool, its argument, the fact and the next step. It knows no route and no field of the HTTP API.

The sentences are those of the page (assets/words), in English, but where their next step is to be done on the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.errors import CheckpointInvalid, EngineError, EngineUnavailable
from studio.api.mcp.tools import ARGUMENTS, wanted
from studio.errors.clean import clean
from studio.speech.refusal import told_values
from studio.words.sentences import LANGUAGES, sentences_in

__all__ = ["OWN_HINTS", "Problem", "problem_of"]

LISTED = "`voices` lists what there is."
OTHER_ENGINE = "Choose another engine; `voices` lists those that speak."
SEND_IT = "Send the recording itself, in base64."
WORDS = "Send what is said in the recording as `transcript`, word for word."
# By code, or by values["sentence"] where a code has several.
OWN_HINTS: Mapping[str, str] = {
    "defect": "Try again, or tell whoever runs the studio.",
    "text_missing": "Send the words to say.",
    "schema_missing": "Send it.",
    "schema_invalid": "Send it as the tool's description says.",
    "speaker_unknown": LISTED,
    "speaker_required": f"Name a voice; {LISTED}",
    "preset_unknown": LISTED,
    "engine_unknown": "`voices` lists the engines.",
    "language_unsupported": "`voices` lists the languages of each engine.",
    "consent_unstated": "Ask for it, and send it in a few words.",
    "workspace_required": "Send a key as `Authorization: Bearer`; where there are none, connect by MCP 2025-11-25, whose sessions tell it.",
    "transcript_required": WORDS,
    "transcript_of_voice": f"Create the voice again. {WORDS}",
    "transcript_for_mode": "Create the voice with its transcript, or choose another mode.",
    "transcriber_missing": "Whoever runs the studio can have that installed.",
    "transcriber_failed": "Try again.",
    "speaker_limit_reached": "Delete one first, with `delete_voice`.",
    "workspace_full": "Delete one first, with `delete_voice`.",
    "speaker_exists": "Delete it first, with `delete_voice`, or choose another name.",
    "speaker_shadowed": "Whoever made the saved one can rename it on the page.",
    "remote_audio_disabled": SEND_IT,
    "remote_audio_unreachable": f"The address has to lead to the file itself, without a login. {SEND_IT}",
    "remote_audio_busy": f"Try again in a moment. {SEND_IT}",
    "local_audio_disabled": SEND_IT,
    "local_audio_outside": SEND_IT,
    "local_audio_unreadable": SEND_IT,
    "local_audio_url_invalid": SEND_IT,
    "ref_audio_scheme_unknown": "Send an audio file in base64, also as a data: URL, or an http(s) address.",
    "weights_absent": OTHER_ENGINE,
    "weights_gated": OTHER_ENGINE,
    "weights_gated_no_token": OTHER_ENGINE,
    "weights_gated_not_accepted": OTHER_ENGINE,
    "weights_lacking": OTHER_ENGINE,
    "weights_incomplete": OTHER_ENGINE,
    "checkpoint_invalid": OTHER_ENGINE,
    "licence_not_accepted": OTHER_ENGINE,
    "engine_not_opened": OTHER_ENGINE,
    "gpu_without_visitor": "Choose an engine that needs no GPU.",
    "gpu_refused": "Try again, or choose an engine that needs no GPU.",
}
OWN_FACTS = {
    "consent_unstated": "There is no consent of the person whose voice it is.",
    "text_missing": "There is nothing to say.",
}
RECORDING, VOICE, OPTIONS = "recording", "voice", "options"
# Fields of the studio and of the HTTP API -> the argument that they are of, where a tool has it.
NAMES: Mapping[str, str] = {
    **dict.fromkeys(("clip", "ref_audio", "source", "file", "audio_sample", "filename", "mime_type"), RECORDING),
    **dict.fromkeys(("transcript", "ref_text"), "transcript"),
    **dict.fromkeys(("speaker", "voice", "name"), VOICE),
    **dict.fromkeys(("engine", "model"), "engine"),
    **dict.fromkeys(("description", "speaker_description"), "description"),
    "text": "text",
    "input": "text",
    "response_format": "format",
}


@dataclass(frozen=True)
class Problem:
    """argument: of the tool, "" where it is none's. code: stable, for programs. values: the fact's figures and names."""

    tool: str
    argument: str
    fact: str
    hint: str
    code: str
    values: Mapping[str, object]

    @property
    def sentence(self) -> str:
        return f"{self.fact} {self.hint}".strip()

    @property
    def text(self) -> str:
        """All of it, as a model reads it."""
        return f"{self.tool}, `{self.argument}`: {self.sentence}" if self.argument else f"{self.tool}: {self.sentence}"


def problem_of(tool: str, error: EngineError | None, *, lane: int | None = None, is_own: bool = False) -> Problem:
    """Of what the studio or an engine raised; None for a defect of ours.

    lane: which one of a comparison went wrong, from 0. is_own: whether the error's parameter is the tool's argument, not a request's field.
    """
    if error is None:
        return _said(tool, "", "defect", {}, ("", ""))
    argument = error.parameter or ""
    if not argument and isinstance(error, EngineUnavailable | CheckpointInvalid):
        argument = "engine"
    argument = argument if is_own else _argument(tool, argument, lane)
    values = told_values(error)
    if argument and "field" in values:
        values["field"] = argument
    return _said(tool, argument, error.code, values, (clean(error.fact), clean(error.hint)))


def _said(tool: str, argument: str, code: str, values: Mapping[str, object], otherwise: tuple[str, str]) -> Problem:
    """otherwise: fact and hint of an error that has no sentence."""
    key = str(values.get("sentence") or code)
    fact, hint = sentences_in(LANGUAGES[0]).problem(code, values, otherwise)
    hint = OWN_HINTS.get(key, hint)
    if key == "schema_invalid":
        hint = wanted(tool, argument) or hint
    return Problem(tool, argument, OWN_FACTS.get(key, fact), hint, code, values)


def _argument(tool: str, field: str, lane: int | None) -> str:
    """Of the tool, for a field of a request: where the tool has none of that name it stood among its options."""
    known, field = ARGUMENTS[tool].model_fields, field.removeprefix("body.")
    if lane is None and (field.partition(".")[0] in known or not field):
        return field
    name = NAMES.get(field, field)
    place = f"lanes.{lane}." if lane is not None else ""
    if lane is not None and name in ("text", "language", "format"):
        return name
    if name in known or (lane is not None and name in (VOICE, "engine")):
        return place + name
    if name == VOICE and "name" in known:
        return "name"
    takes_options = OPTIONS in known or lane is not None
    if name == "transcript" and takes_options:
        return place + VOICE  # that of its recording
    named = "ref_audio" if name == RECORDING else name.removeprefix("extra_params.")
    return f"{place}{OPTIONS}.{named}" if takes_options else ""
