"""Metadata: the words about a speaker beside its sound. One rule for every entrance: uploads, bundles, edits, files in the folder.

Texts are well-formed Unicode: half of a surrogate pair is no character, and no JSON could carry it out of the studio again. Control
characters are refused where they say nothing, but in files that are there: earlier versions and vLLM-Omni have let them in. How long all
texts may be together is what the header of a file holds (file.py). Where there are words, each of several recordings has some.
A name is told by check_name, and the file name that follows from it.
"""

import re
import unicodedata
from dataclasses import astuple, replace
from typing import TypeVar

from engines.durable import fit_name
from engines.errors import OptionInvalid
from engines.text.characters import CONTROL_IN_TEXT
from studio.errors import NameInvalid, RecordingsTooMany
from studio.speakers.speaker import MOST_RECORDINGS, Enrollment, Speaker, speaker_key

__all__ = [
    "LAST_CREATED_AT",
    "MOST_AHEAD_SECONDS",
    "MOST_REVISIONS",
    "MOST_TAGS",
    "MOST_TAG_CHARACTERS",
    "check_count",
    "check_name",
    "checked",
    "file_name",
    "hidden_character",
    "whole_number",
]

MOST_TAGS = 32  # a row of the library shows them all
MOST_TAG_CHARACTERS = 64
LAST_CREATED_AT = 253_402_300_799  # the end of year 9999
# Of a created_at before the clock: clocks disagree, and are set back by a time zone. What is further ahead is a wrong clock's.
MOST_AHEAD_SECONDS = 24 * 3600
MOST_REVISIONS = 999_999_999_999
MOST_FILE_BYTES = 999_999_999_999_999  # fifteen digits; only listed
_CONTROL_IN_LINE = re.compile(r"[\0-\x1f\x7f]")
AnySpeaker = TypeVar("AnySpeaker", Enrollment, Speaker)


def checked(fields: AnySpeaker, *, is_new: bool = True) -> AnySpeaker:
    """The same with its name as it is kept. Raises NameInvalid, RecordingsTooMany, TranscriptMismatch where a recording of several lacks
    words, and OptionInvalid for all else that breaks the rule.

    is_new: whether it is said now; what is stored may have control characters.
    """
    in_text, in_line = (CONTROL_IN_TEXT, _CONTROL_IN_LINE) if is_new else (None, None)
    name = check_name(fields.name)
    for field in ("consent", "description"):
        _check_text(field, getattr(fields, field), in_text)
    for part in astuple(fields.consent_record) if fields.consent_record else ():
        _check_text("consent", part, in_text)
    if fields.transcript is not None:
        _check_text("transcript", fields.transcript.text, in_text)
        _check_text("language", fields.transcript.language, in_line)
    for field in ("mime_type", "filename"):
        _check_text(field, getattr(fields, field), in_line)
    _check_tags(fields.tags, is_new)
    whole_number("file_bytes", fields.file_bytes, MOST_FILE_BYTES)
    if isinstance(fields, Enrollment):
        _check_recordings(fields)
    else:
        whole_number("created_at", fields.created_at, LAST_CREATED_AT)
        whole_number("revision", fields.revision, MOST_REVISIONS)
    return fields if name == fields.name else replace(fields, name=name)


def check_count(n_recordings: int) -> None:
    """Raises RecordingsTooMany."""
    if n_recordings > MOST_RECORDINGS:
        raise RecordingsTooMany(n_recordings, MOST_RECORDINGS)


def whole_number(field: str, stated: object, most: int) -> int:
    """stated: a number, or its decimal digits, as files have it. Raises OptionInvalid for what is not from 0 to `most`."""
    number = int(stated) if isinstance(stated, str) and re.fullmatch(r"[0-9]{1,15}", stated) else stated
    if type(number) is int and 0 <= number <= most:
        return number
    shown = str(stated)[:40]
    if type(number) is int and number > most:
        raise OptionInvalid(field, sentence="option_too_large", value=shown, most=most)
    raise OptionInvalid(field, sentence="option_no_whole_number", detail=f"wanted is one up to {most}, in digits", value=shown, most=most)


def _check_recordings(recording: Enrollment) -> None:
    n_recordings = recording.clip.n_recordings if recording.clip else 1
    check_count(n_recordings)
    if recording.transcript is not None:
        recording.transcript.lines(n_recordings)


def _check_tags(tags: tuple[str, ...], is_new: bool) -> None:
    if len(tags) > MOST_TAGS:
        raise OptionInvalid("tags", sentence="tags_too_many", n=len(tags), most=MOST_TAGS)
    for tag in tags:
        _check_encoded("tags", tag)
        if len(tag) > MOST_TAG_CHARACTERS:
            raise OptionInvalid("tags", sentence="tag_too_long", n=len(tag), most=MOST_TAG_CHARACTERS)
        if is_new and (hidden := hidden_character(tag)):
            raise _hidden("tags", hidden)


def _check_text(field: str, text: str | None, forbidden: re.Pattern[str] | None) -> None:
    """None where there is none."""
    if text is None:
        return
    _check_encoded(field, text)
    if forbidden is not None and (found := forbidden.search(text)):
        raise _hidden(field, found[0])


def _check_encoded(field: str, text: str) -> None:
    if not isinstance(text, str):
        raise OptionInvalid(field, sentence="words_unreadable", detail=f"in {field} there is something of type {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise OptionInvalid(field, sentence="words_unreadable", detail=f"in {field} there is half a character, a lone surrogate") from None


def _hidden(field: str, character: str) -> OptionInvalid:
    return OptionInvalid(field, sentence="words_with_hidden_character", character=f"U+{ord(character):04X}")


# --- names


MOST_NAME_BYTES = 255
MOST_FILE_NAME_BYTES = 128  # folders and all, Windows takes 259 characters
PLACEHOLDERS = ("default", "none", "auto")  # what clients send when they name nobody
_TURNS_TEXT = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_name(name: str) -> str:
    """The name as it is kept: trimmed, NFC. Raises NameInvalid."""
    kept = unicodedata.normalize("NFC", name.strip())
    if kept in ("", ".", "..") or any(character in kept for character in "/\\\0"):
        rule = "must be non-empty, no path separators or NUL"
        raise NameInvalid(name, rule, sentence="name_invalid" if kept else "name_missing")
    if hidden_character(kept):
        raise NameInvalid(name, "must not contain control characters")
    if len(kept.encode()) > MOST_NAME_BYTES:
        raise NameInvalid(name, f"must not be longer than {MOST_NAME_BYTES} bytes in UTF-8", sentence="name_too_long", most=MOST_NAME_BYTES)
    if speaker_key(kept) in PLACEHOLDERS:
        raise NameInvalid(name, f"{', '.join(PLACEHOLDERS)} stand for no speaker in particular", sentence="name_of_nobody")
    return kept


def hidden_character(line: str) -> str | None:
    """The first that nobody sees in a line: one that controls, ends the line, is half of another, or turns the order of what follows."""
    return next((one for one in line if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") or one in _TURNS_TEXT), None)


def file_name(name: str, consent: str, created_at: int) -> str:
    """`{name}_{consent}_{created_at}.safetensors` of ASCII letters, digits, "_", "-" and "."; never hidden, nor too long."""
    end = f"_{created_at}.safetensors"
    stem = re.sub(r"[^a-zA-Z0-9_.-]", "_", f"{name}_{consent}")
    return fit_name(re.sub(r"^\.", "_", stem)[: MOST_FILE_NAME_BYTES - len(end) - 1] + end)
