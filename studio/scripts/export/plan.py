"""ExportPlan: which takes are heard, and when. Counted in samples, before anything is read."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from studio.audio.formats import Format, file_rate
from studio.errors import ExportEmpty, LinesStale, LinesUnsaid
from studio.scripts.export.order import ExportOrder
from studio.scripts.script.cast import cast_member
from studio.scripts.script.line import LineText, ScriptLine
from studio.scripts.script.pauses import LinePauses
from studio.scripts.script.script import Script
from studio.speech.timed_words import TimedWord

__all__ = ["ACX_RATE_HZ", "ExportPlan", "PlannedChapter", "PlannedLine", "SelectedLine", "SelectedLines", "plan_of", "selected_lines"]

ACX_RATE_HZ = 44_100  # ACX Audio Submission Requirements
# Room tone at both ends of each file, ACX Audio Submission Requirements: 0.5 to 1 s before, 1 to 5 s behind. The studio's is silence.
ACX_LEAD_SECONDS, ACX_TAIL_SECONDS = 0.75, 2.0
_FILE_FORMATS: Mapping[str, Format] = {"wav": "wav", "flac": "flac", "mp3": "mp3", "opus": "opus", "aac": "aac", "m4b": "aac"}


@dataclass(frozen=True)
class SelectedLine:
    """A line that is to be in the export, with what is needed of its take. chapter: from 0. sha256: "" where it is not heard."""

    id: str
    index: int
    chapter: int
    written: LineText
    sha256: str = ""
    take_id: str = ""
    take_samples: int = 0
    take_rate: int = 0
    words: tuple[TimedWord, ...] | None = None


@dataclass(frozen=True)
class SelectedLines:
    """lines: in order, silent ones too. unsaid: ids of those without a take. stale: of those that changed. titles: of all chapters."""

    lines: tuple[SelectedLine, ...]
    unsaid: tuple[str, ...]
    stale: tuple[str, ...]
    titles: tuple[str, ...]

    def check(self, order: ExportOrder) -> None:
        """Raises LinesUnsaid, LinesStale, ExportEmpty as the order asks for it."""
        if self.unsaid and order.missing == "refuse":
            raise LinesUnsaid(len(self.unsaid), len(self.unsaid) + self.n_said)
        if self.stale and order.stale == "refuse":
            raise LinesStale(len(self.stale), len(self.unsaid) + self.n_said)
        if not self.n_said:
            raise ExportEmpty()

    @property
    def n_said(self) -> int:
        return sum(bool(line.sha256) for line in self.lines)


@dataclass(frozen=True)
class PlannedLine:
    """start, n_samples: at the rate of the plan."""

    line: SelectedLine
    start: int
    n_samples: int
    gain_db: float

    @property
    def end(self) -> int:
        return self.start + self.n_samples


@dataclass(frozen=True)
class PlannedChapter:
    """number: in the script, from 0. start, end: samples. Without gaps from the first sample to the last."""

    number: int
    title: str
    start: int
    end: int


@dataclass(frozen=True)
class ExportPlan:
    """lines: by their starts. n_samples: of the whole sound, silence at its ends included."""

    sample_rate: int
    lines: tuple[PlannedLine, ...]
    chapters: tuple[PlannedChapter, ...]
    n_samples: int
    lead: int = 0
    tail: int = field(default=0, repr=False)

    @property
    def seconds(self) -> float:
        return self.n_samples / self.sample_rate

    def chapter_plans(self) -> Iterator["ExportPlan"]:
        """Each chapter as a sound of its own, without the pause before it and behind it."""
        for chapter in self.chapters:
            lines = tuple(line for line in self.lines if line.line.chapter == chapter.number)
            if lines:
                yield self._of(lines, replace(chapter, start=0, end=0))

    def line_plans(self) -> Iterator["ExportPlan"]:
        """Each line as a sound of its own, without chapters."""
        for line in self.lines:
            yield self._of((line,), None)

    def member_plans(self) -> Iterator["ExportPlan"]:
        """What each name says, where it says it: sounds as long as the whole, for a mixer."""
        for who in dict.fromkeys(line.line.written.who for line in self.lines):
            yield replace(self, lines=tuple(line for line in self.lines if line.line.written.who == who))

    def overlaps(self) -> Iterator[tuple[str, float]]:
        """(id, seconds) of lines that begin before what is heard before them has ended."""
        end = 0
        for line in self.lines:
            if line.start < end:
                yield line.line.id, (end - line.start) / self.sample_rate
            end = max(end, line.end)

    def _of(self, lines: tuple[PlannedLine, ...], chapter: PlannedChapter | None) -> "ExportPlan":
        first = lines[0].start - self.lead
        moved = tuple(replace(line, start=line.start - first) for line in lines)
        n_samples = max(line.end for line in moved) + self.tail
        chapters = (replace(chapter, end=n_samples),) if chapter else ()
        return ExportPlan(self.sample_rate, moved, chapters, n_samples, self.lead, self.tail)


def selected_lines(
    lines: Iterable[ScriptLine], order: ExportOrder, stale: Collection[str] = (), *, with_words: bool = False
) -> SelectedLines:
    """What of all lines of a script, in order, the order asks for. stale: ids of stale lines of the script."""
    wanted = None if order.lines is None else frozenset(order.lines)
    kept: list[SelectedLine] = []
    unsaid: list[str] = []
    titles: list[str] = []
    for index, line in enumerate(lines):
        if line.written.kind == "heading" or not titles:
            titles.append(" ".join(line.written.text.split()) if line.written.kind == "heading" else "")
        chapter = len(titles) - 1
        if (wanted is not None and line.id not in wanted) or (order.chapters is not None and chapter not in order.chapters):
            continue
        is_heard = line.written.is_heard
        selected = _selected(line if is_heard else replace(line, chosen=""), index, chapter, with_words=with_words)
        if is_heard and not selected.sha256:
            unsaid.append(line.id)
        else:
            kept.append(selected)
    told = tuple(line.id for line in kept if line.sha256 and line.id in stale)
    return SelectedLines(tuple(kept), tuple(unsaid), told, tuple(titles))


def _selected(line: ScriptLine, index: int, chapter: int, *, with_words: bool) -> SelectedLine:
    take = line.chosen_take
    if take is None:
        return SelectedLine(line.id, index, chapter, line.written)
    words = take.words if with_words else None
    n_samples = round(take.seconds * take.sample_rate)
    return SelectedLine(line.id, index, chapter, line.written, take.sha256, take.id, n_samples, take.sample_rate, words)


def plan_of(script: Script, selected: SelectedLines, order: ExportOrder, sample_rate: int | None = None) -> ExportPlan:
    """When each line is heard. sample_rate: in place of that of takes and format. Raises LinesUnsaid, LinesStale, ExportEmpty.

    A line with a slot begins at its start, whatever is heard before; others follow the one before, after its pause.
    """
    selected.check(order)
    rate = sample_rate or _rate(selected, order)
    is_acx = order.loudness == "acx" and order.is_sound
    lead, tail = (round(rate * each) if is_acx else 0 for each in (ACX_LEAD_SECONDS, ACX_TAIL_SECONDS))
    lines = sorted(_placed(script, selected.lines, rate, lead), key=lambda line: line.start)
    n_samples = max(line.end for line in lines)
    if order.lines is None and order.chapters is None and any(line.line.written.slot for line in lines):
        n_samples = max(n_samples, round(rate * (script.head.video_seconds or 0)))
    n_samples += tail
    return ExportPlan(rate, tuple(lines), _chapters(lines, selected.titles, script.head.title, n_samples), n_samples, lead, tail)


def _rate(selected: SelectedLines, order: ExportOrder) -> int:
    highest = max(line.take_rate for line in selected.lines)
    if order.loudness == "acx" and order.format == "mp3":
        return ACX_RATE_HZ
    return file_rate(highest, _FILE_FORMATS[order.format]) if order.is_sound else highest


def _placed(script: Script, lines: tuple[SelectedLine, ...], rate: int, lead: int) -> Iterator[PlannedLine]:
    end = lead  # of the sound so far
    pauses = LinePauses(script.head)
    for line in lines:
        written = line.written
        if not line.sha256:
            pauses.unheard(written)
            continue
        start = round(lead + written.slot.start * rate) if written.slot else round(end + pauses.before(written) * rate)
        n_samples = round(line.take_samples * rate / line.take_rate)
        yield PlannedLine(line, start, n_samples, cast_member(script.cast, written.who).gain_db)
        end = start + n_samples
        pauses.heard(written)


def _chapters(lines: list[PlannedLine], titles: tuple[str, ...], title: str, n_samples: int) -> tuple[PlannedChapter, ...]:
    """Each from where its first line is heard to the next one; the first from the beginning."""
    begins: dict[int, int] = {}
    for line in lines:
        begins.setdefault(line.line.chapter, line.start)
    numbers = sorted(begins, key=lambda number: begins[number])
    starts = [0, *(begins[number] for number in numbers[1:]), n_samples]
    return tuple(
        PlannedChapter(number, titles[number] or title or str(number + 1), start, following)
        for number, start, following in zip(numbers, starts, starts[1:], strict=False)
    )
