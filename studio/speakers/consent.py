"""ConsentRecord: why a speaker may be cloned. It holds the words with their version, the time, and the recording.

`Speaker.consent` is a string, as in vLLM-Omni's files; there it is the short text of this record. The record itself stands beside it in
the same file, under a key of its own that vLLM-Omni skips. Speakers without one (uploaded through the API, or by vLLM-Omni) have None.
"""

import json
import re
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime

from engines.plain_json import read_json
from studio.errors import ConsentMissing

__all__ = ["BLENDED", "DESIGNED", "REASONS", "RECORDED", "STATEMENT_VERSION", "ConsentRecord", "Reason", "record_consent"]


@dataclass(frozen=True)
class Reason:
    """label: what is chosen from. statement: what whoever chooses it states, word by word."""

    label: str
    statement: str


# Whoever changes a statement raises the version: records keep both.
STATEMENT_VERSION = "1"
REASONS = {
    "own": Reason("My own voice", "This is my own voice, and I want this studio to learn it and to speak with it."),
    "permission": Reason(
        "I have the speaker's permission",
        "The person who speaks in this recording knows of it and has allowed me to clone the voice and to speak with it.",
    ),
    "licensed": Reason(
        "Public domain or licensed",
        "This recording is in the public domain, or its licence allows me to clone the voice and to speak with it.",
    ),
    "synthetic": Reason("A synthetic voice", "Nobody spoke this recording: it is synthetic, and its terms allow me to clone the voice."),
}
# Reasons that nobody chooses: the person says so in a recording; or an engine made the voice and no person has it: after a description, or
# of its built-in speakers.
RECORDED, DESIGNED, BLENDED = "recorded", "designed", "blended"
MOST_WHO_CHARACTERS = 500


@dataclass(frozen=True)
class ConsentRecord:
    """given_at: UTC, ISO 8601 to the second. clip_digest: of the recording that it is about, or of the tensor that stands for one
    (Speaker.source_digest); it is in its name and no other's.

    Of a consent that was recorded `who` is its name and `statement` what a transcriber heard, "" where none listened. recording: its id.
    words: "checked" where what was heard consents, else "unchecked". likeness: of its speaker to the voice's, in digits; "" unknown.

    Of a voice that an engine made `who` is the engine's title, engine its id, and `statement` the description, or the text of the blend.
    seed: with which it was made, in digits; "" where the engine was given none.
    """

    version: str
    reason: str
    statement: str
    who: str
    given_at: str
    clip_digest: str
    recording: str = ""
    words: str = ""
    likeness: str = ""
    engine: str = ""
    seed: str = ""

    @property
    def text(self) -> str:
        """In one line, as `Speaker.consent`."""
        reason = REASONS.get(self.reason)
        return f"{reason.label if reason else self.reason}: {self.who}"

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | None, source_digest: str) -> "ConsentRecord | None":
        """None for what is no record, or one about another recording."""
        names = {field.name for field in fields(cls)}
        try:
            stated = {field.name: "" for field in fields(cls) if field.default == ""} | read_json(text or "")
            record = cls(**{name: stated[name] for name in names})
        except (ValueError, TypeError, KeyError):
            return None
        whole = all(isinstance(getattr(record, name), str) for name in names) and re.fullmatch(r"[0-9a-f]{64}", record.clip_digest)
        return record if whole and record.clip_digest == source_digest else None


def record_consent(reason: str | None, who: str, source_digest: str, now: datetime | None = None) -> ConsentRecord:
    """What is stated now. Raises ConsentMissing."""
    if reason not in REASONS:
        raise ConsentMissing()
    who = " ".join((who or "").split())
    if not who:
        raise ConsentMissing(sentence="consent_without_person")
    if len(who) > MOST_WHO_CHARACTERS:
        raise ConsentMissing(sentence="consent_too_long", n=len(who), most=MOST_WHO_CHARACTERS)
    given_at = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    return ConsentRecord(STATEMENT_VERSION, reason, REASONS[reason].statement, who, given_at, source_digest)
