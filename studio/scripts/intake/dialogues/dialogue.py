"""Dialogues and plays: who says what, what a narrator says, and directions that nobody says."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from studio.scripts.intake.dialogues.cast_names import CastNames
from studio.scripts.intake.dialogues.directions import is_direction, speech_parts
from studio.scripts.intake.dialogues.turns import PLAY_FORMS, DialogueTurn, accepted_turns
from studio.scripts.intake.gutenberg import without_gutenberg
from studio.scripts.intake.headings import is_chapter_heading, is_title_line
from studio.scripts.intake.paragraphs import TextLayout, joined_lines, layout_of
from studio.scripts.intake.passages import Passage, lines_of
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.text_files.text_check import has_words

__all__ = ["read_dialogue"]

_MOST_HEADING_CHARACTERS = 120
_MOST_NARRATED = 0.5  # of the letters: a play in which more is said by nobody is no play


def read_dialogue(text: str, title: str = "", *, is_asked: bool = False) -> ReadScript | None:
    """None where the text is none. is_asked: somebody says that it is one."""
    book = without_gutenberg(text)
    lines = book.text.split("\n")
    turns = accepted_turns(lines, is_asked=is_asked)
    if not turns and not is_asked:
        return None
    names = CastNames()
    passages = list(_Walk(lines, turns, layout_of(book.text), names).passages())
    n_directions = sum(1 for passage in passages if passage.is_silent)
    notes: list[tuple[str, dict]] = [("note_gutenberg", {"n": book.n_left_out})] if book.n_left_out else []
    notes += [("note_directions", {"n": n_directions})] if n_directions else []
    notes += [("note_left_out", {"words": ", ".join(names.left_out)[:200]})] if names.left_out else []
    own = lines[at].strip("# \t") if (at := _title_line(lines, turns)) >= 0 else ""
    head = ScriptHead(title=(book.title or own or title)[:200], author=book.author[:200], language=book.language)
    return ReadScript(head, lines_of(passages), (), "dialogue", notes=tuple(notes))


def _title_line(lines: Sequence[str], turns: dict[int, DialogueTurn]) -> int:
    """Where the title stands: in the first line, if that stands alone; -1 for nowhere."""
    first = next((at for at, line in enumerate(lines) if line.strip()), -1)
    is_alone = 0 <= first < len(lines) - 1 and not lines[first + 1].strip() and first not in turns
    return first if is_alone and is_title_line(lines[first]) and not is_direction(lines[first]) else -1


class _Walk:
    """Goes through the lines once."""

    def __init__(self, lines: Sequence[str], turns: dict[int, DialogueTurn], layout: TextLayout, names: CastNames):
        self._lines, self._turns, self._layout, self._names = lines, turns, layout, names
        self._is_play = _is_play(lines, turns)
        self._who: str | None = None  # None: nobody whom a name introduced
        self._how: str | None = None
        self._form = ""
        self._held: list[str] = []
        self._silent_name = ""  # a name behind which nothing has been said
        self._title_at = _title_line(lines, turns)

    def passages(self) -> Iterator[Passage]:
        last: Passage | None = None
        for passage in self._walked():
            if has_words(passage.text):
                if last is not None:
                    yield last
                last = passage
            elif last is not None:
                last = replace(last, is_rule=True)
        if last is not None:
            yield last

    def _walked(self) -> Iterator[Passage]:
        for at, line in enumerate(self._lines):
            if (turn := self._turns.get(at)) is not None:
                yield from self._flushed()
                self._who, self._how, self._form = self._names.member(turn.name), turn.how, turn.form
                self._held = [turn.text] if turn.text else []
                self._silent_name = "" if has_words(turn.text) else self._lines[at].strip()
            elif not line.strip():
                if self._held or self._silent_name or self._form != "own":
                    yield from self._flushed()
                    self._who = None
            elif level := self._heading_level(at):
                yield from self._flushed()
                self._who = None
                yield Passage(line.strip().lstrip("# "), level=level)
            elif is_direction(line):
                yield from self._flushed()
                yield Passage(line.strip(), is_silent=True)
                self._who = self._who if self._form in PLAY_FORMS else None
            else:
                if not self._goes_on(line):
                    yield from self._flushed()
                    self._who = None
                self._held.append(line)
        yield from self._flushed()

    def _heading_level(self, at: int) -> int:
        """Of a line that stands alone; 0 for none."""
        line = self._lines[at].strip()
        if len(line) > _MOST_HEADING_CHARACTERS:
            return 0
        n_marks = len(line) - len(line.lstrip("#"))
        if 0 < n_marks <= 6 and line[n_marks : n_marks + 1].isspace():
            return n_marks
        return 1 if at == self._title_at or (is_chapter_heading(line) and not self._held) else 0

    def _goes_on(self, line: str) -> bool:
        """Whether a line without a name belongs to what is said before it, with no blank line between."""
        if not self._held or self._who is None or self._form in PLAY_FORMS or self._layout.width:
            return True
        text = line.strip()
        return text[0].islower() or line[0].isspace() or self._held[-1].rstrip()[-1:] not in '.!?…。！？"”’」』)]'

    def _flushed(self) -> Iterator[Passage]:
        held, self._held = self._held, []
        name, self._silent_name = self._silent_name, ""
        if not any(map(has_words, held)):
            yield Passage(name or "\n".join(held), is_silent=bool(name))  # who says nothing, or what parts scenes
            return
        text = joined_lines(held, self._layout)
        how, self._how = self._how, None
        if self._who is None:
            yield Passage(text, is_silent=self._is_play or is_direction(text))
            return
        for part in speech_parts(text, how):
            yield Passage(part.text, is_silent=part.is_silent, who=self._who, instructions=part.instructions)


def _is_play(lines: Sequence[str], turns: dict[int, DialogueTurn]) -> bool:
    """Whether what nobody says is a direction: names stand as in plays, and their speeches are most of it."""
    if sum(turn.form in PLAY_FORMS for turn in turns.values()) * 2 <= len(turns):
        return False
    n_said = n_all = 0
    is_said = False
    for at, line in enumerate(lines):
        is_said = at in turns or (is_said and bool(line.strip()))
        n_all += len(line)
        n_said += len(line) if is_said else 0
    return n_said >= _MOST_NARRATED * n_all
