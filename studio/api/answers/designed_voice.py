"""A voice that an engine makes, as it is asked for: by description, as OpenAI's clients do, or as a blend of built-in voices."""

import re
from collections.abc import Mapping

from studio.speaker_design import MOST_SCRIPT_CHARACTERS, SpeakerDesign
from studio.speech.schema_errors import schema_error

__all__ = ["BY_BLEND", "BY_DESCRIPTION", "read_design"]

BY_DESCRIPTION, BY_BLEND = "prompt", "blend"  # `type`, and the field that says which voice
ANY_MODEL = re.compile(r"(?:auto|\d{4}-\d{2}-\d{2})?")  # OpenAI's, of which a studio has none
OPTIONAL = ("model", "script_hint", "language")
MOST_SEED = 2**63 - 1
BLANK = {"type": "string_too_short", "msg": "Value must not be blank"}
MISSING = {"type": "missing", "msg": "Field required"}
NO_TEXT = {"type": "string_type", "msg": "Input should be a valid string"}
NO_SEED = {"type": "int_type", "msg": f"Input should be a whole number from 0 to {MOST_SEED}"}


def read_design(fields: Mapping[str, object]) -> SpeakerDesign | None:
    """What a body with `type` "prompt" or "blend" asks for; None of any other. script_hint: what the voice says in its recording.

    Raises SchemaInvalid.
    """
    kind = fields.get("type")
    if kind not in (BY_DESCRIPTION, BY_BLEND):
        return None
    sent = {name: fields.get(name) for name in ("name", kind, *OPTIONAL)}
    texts = {name: text for name, text in sent.items() if isinstance(text, str)}
    wrong = [_wrong(name, MISSING, dict(fields)) for name in ("name", kind) if sent[name] is None]
    wrong += [_wrong(name, NO_TEXT, text) for name, text in sent.items() if not isinstance(text, str | None)]
    wrong += [_wrong(name, BLANK, texts[name]) for name in ("name", kind, "script_hint") if name in texts and not texts[name].strip()]
    if len(str(sent["script_hint"] or "")) > MOST_SCRIPT_CHARACTERS:
        long = {"type": "string_too_long", "msg": f"String should have at most {MOST_SCRIPT_CHARACTERS} characters"}
        wrong.append(_wrong("script_hint", long, sent["script_hint"]))
    seed = _seed(fields.get("seed"))
    if seed is not None and seed < 0:
        wrong.append(_wrong("seed", NO_SEED, fields["seed"]))
    if wrong:
        raise schema_error(wrong)
    name, made, model, script, language = (texts.get(name, "").strip() for name in sent)
    stated = {"blend": made} if kind == BY_BLEND else {"description": made}
    return SpeakerDesign(name, **stated, engine="" if ANY_MODEL.fullmatch(model) else model, script=script, language=language, seed=seed)


def _seed(given: object) -> int | None:
    """In a form it is digits. None where there is none; -1 for what is no seed."""
    if given is None or given == "":
        return None
    if isinstance(given, str) and re.fullmatch(r"[0-9]{1,19}", given):
        given = int(given)
    return given if type(given) is int and 0 <= given <= MOST_SEED else -1


def _wrong(name: str, how: Mapping[str, object], given: object) -> dict[str, object]:
    return {**how, "loc": ("body", name), "input": given}
