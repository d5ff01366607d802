"""Answers about scripts: the forms of the JSON. told_scripts.py makes them of scripts, lines and takes."""

from collections.abc import Sequence

from pydantic import BaseModel

from studio.api.answers.lexicon_answers import LexiconEntryAnswer
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineState, TimeSlot
from studio.scripts.script.script import ReadScript

__all__ = [
    "CastCountAnswer",
    "CastTestAnswer",
    "ChangesAnswer",
    "ChapterAnswer",
    "CheckedExportAnswer",
    "EditedAnswer",
    "EstimatesAnswer",
    "FoundAnswer",
    "LineAnswer",
    "LineIdsAnswer",
    "LineTakeAnswer",
    "LinesAnswer",
    "MendedFromAnswer",
    "NoteAnswer",
    "ProgressAnswer",
    "ReadScriptAnswer",
    "RowAnswer",
    "SayingAnswer",
    "ScriptAnswer",
    "ScriptLimitsAnswer",
    "ScriptListAnswer",
]

N_FIRST_LINES = 5  # that are shown of what was read


class NoteAnswer(BaseModel):
    """What a person is told of a file that was read: the key of a sentence, and its values."""

    key: str
    values: dict[str, object]

    @classmethod
    def of(cls, read: ReadScript) -> "list[NoteAnswer]":
        """All that are told of what was read."""
        return [cls(key=key, values=dict(values)) for key, values in read.notes]


class ProgressAnswer(BaseModel):
    """How far saying is: of the lines that were asked for. line: the one that is said now. failure: why it ended where it did not end well,
    as errors are told."""

    is_running: bool
    done: int
    total: int
    seconds_left: float | None
    line: str | None
    failure: dict[str, object] | None


class SayingAnswer(BaseModel):
    """After something was asked to be said, or stopped."""

    progress: ProgressAnswer


class RowAnswer(BaseModel):
    """One script in the list. n_silent: lines that are not to be said. seconds: of the chosen takes. changed, created: since 1970."""

    id: str
    title: str
    author: str
    n_lines: int
    n_characters: int
    n_said: int
    n_silent: int
    n_stale: int
    seconds: float
    changed: float
    created: float
    is_running: bool


class ScriptLimitsAnswer(BaseModel):
    """How much there may be: scripts of a workspace, lines and characters of a script, bytes of all its sounds. near: above 90 % of any."""

    scripts: int
    lines: int
    characters: int
    bytes: int
    used_bytes: int
    near: bool


class ScriptListAnswer(BaseModel):
    """Newest first."""

    scripts: list[RowAnswer]
    limits: ScriptLimitsAnswer


class ChapterAnswer(BaseModel):
    """line: the id of its heading, or of its first line. first: the index of that."""

    title: str
    line: str
    first: int
    n_lines: int


class CastCountAnswer(BaseModel):
    """How much a name of the script has, also one that the cast does not have. seconds: of the chosen takes."""

    name: str
    n_lines: int
    n_characters: int
    n_said: int
    seconds: float


class ScriptAnswer(BaseModel):
    """One script, without its lines. can_undo, can_redo: how many edits. taken_for, notes: of what was just read in alone."""

    id: str
    title: str
    author: str
    language: str | None
    year: str
    description: str
    pause_seconds: float
    heading_pause_seconds: float
    video_seconds: float | None
    cast: list[CastMember]
    cast_counts: list[CastCountAnswer]
    dictionary: list[LexiconEntryAnswer]
    chapters: list[ChapterAnswer]
    n_lines: int
    n_characters: int
    n_said: int
    n_silent: int
    n_stale: int
    n_failed: int
    seconds: float
    bytes: int
    revision: int
    can_undo: int
    can_redo: int
    has_cover: bool
    created: float
    changed: float
    progress: ProgressAnswer
    taken_for: str | None = None
    notes: list[NoteAnswer] | None = None


class ReadScriptAnswer(BaseModel):
    """What a text is taken for, and nothing of it is kept. readable_as: what else it could be. first_lines: with who says them."""

    taken_for: str
    readable_as: list[str]
    title: str
    author: str
    n_lines: int
    n_characters: int
    n_chapters: int
    cast: list[str]
    notes: list[NoteAnswer]
    first_lines: list[dict[str, str]]

    @classmethod
    def of(cls, read: ReadScript, readable_as: Sequence[str]) -> "ReadScriptAnswer":
        """As intake gave it."""
        return cls(
            taken_for=read.taken_for,
            readable_as=list(readable_as),
            title=read.head.title,
            author=read.head.author,
            n_lines=len(read.lines),
            n_characters=sum(len(line.text) for line in read.lines),
            n_chapters=sum(line.kind == "heading" for line in read.lines),
            cast=[member.name for member in read.cast],
            notes=NoteAnswer.of(read),
            first_lines=[{"who": line.who, "text": line.text, "kind": line.kind} for line in read.lines[:N_FIRST_LINES]],
        )


class EstimatesAnswer(BaseModel):
    """What the ears found; null where they cannot tell."""

    word_errors: int | None
    n_words: int | None
    likeness: float | None
    quality: float | None
    heard: str | None


class MendedFromAnswer(BaseModel):
    """The take of which some words were made anew: its id, which may be gone, and the engine that said it."""

    take: str
    engine: str


class LineTakeAnswer(BaseModel):
    """One sound of a line. is_stale: whether line, cast or dictionary have changed since it was said; it plays all the same. peaks: of
    equal stretches, 0 to 100. reason: why the ears chose it, the key of a sentence with its values. made: seconds since 1970.
    mended_from: null of a take that was said whole."""

    id: str
    seed: int | None
    seconds: float
    engine: str
    voice: str
    ttfp_ms: float | None
    is_stale: bool
    warning: str
    peaks: list[int]
    has_words: bool
    estimates: EstimatesAnswer | None
    reason: dict[str, object] | None
    made: float
    mended_from: MendedFromAnswer | None


class FittingAnswer(BaseModel):
    """How the chosen take of a line lies in its slot: it `fits`, runs on into the `pause` behind it, or is `over` by so many seconds."""

    kind: str
    over_seconds: float


class LineAnswer(BaseModel):
    """One line. chosen: the id of the take that is heard, "" for none. seconds: of that take. failure: of the last time that it was to be
    said, as errors are told."""

    id: str
    index: int
    who: str
    text: str
    kind: str
    is_silent: bool
    pause_seconds: float | None
    slot: TimeSlot | None
    instructions: str | None
    speed: float | None
    state: LineState
    failure: dict[str, object] | None
    chosen: str
    takes: list[LineTakeAnswer]
    seconds: float | None
    fitting: FittingAnswer | None = None


class LinesAnswer(BaseModel):
    """A stretch of the lines. n_lines: of the whole script. token: what changes are asked since."""

    first: int
    n_lines: int
    revision: int
    token: int
    lines: list[LineAnswer]


class LineIdsAnswer(BaseModel):
    """Of all lines, in their order."""

    revision: int
    ids: list[str]


class ChangesAnswer(BaseModel):
    """What happened to a script since `since`. token: what is asked with the next time. is_reordered: whether lines came, went or moved."""

    token: int
    revision: int
    progress: ProgressAnswer
    lines: list[LineAnswer]
    is_reordered: bool


class EditedAnswer(BaseModel):
    """After an edit: the lines that it changed, and the script."""

    revision: int
    lines: list[LineAnswer]
    is_reordered: bool
    script: ScriptAnswer


class FoundAnswer(BaseModel):
    """Ids of lines, in their order. n: how many."""

    lines: list[str]
    n: int


class CastTestAnswer(BaseModel):
    """A blind test of two casts. test: the id of the listening test, null where none was asked for. progress: of its sounds."""

    test: str | None
    progress: ProgressAnswer


class CheckedExportAnswer(BaseModel):
    """Whether an export can begin. unsaid, stale: how many lines; of each the first 200 ids beside. seconds: of the whole sound.

    over: lines that miss their slots: `line`, `over_seconds`. loudness: of each file, before and after its gain: which targets are met,
    with each figure, its limits and whether it keeps them.
    """

    is_ready: bool
    lines: int
    unsaid: int
    stale: int
    unsaid_lines: list[str]
    stale_lines: list[str]
    seconds: float
    over: list[dict[str, object]]
    loudness: list[dict[str, object]]
