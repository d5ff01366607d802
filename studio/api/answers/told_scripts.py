"""Told scripts: scripts, lines and takes as the JSON has them. For worker threads: each function reads what it tells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from engines.errors import EngineError
from studio.api.answers.lexicon_answers import LexiconEntryAnswer
from studio.api.answers.script_answers import (
    CastCountAnswer,
    CastTestAnswer,
    ChangesAnswer,
    ChapterAnswer,
    EditedAnswer,
    EstimatesAnswer,
    FittingAnswer,
    LineAnswer,
    LinesAnswer,
    LineTakeAnswer,
    MendedFromAnswer,
    NoteAnswer,
    ProgressAnswer,
    RowAnswer,
    ScriptAnswer,
    ScriptLimitsAnswer,
    ScriptListAnswer,
)
from studio.cast_tests import CastTests
from studio.running.jobs.background_jobs import JobProgress
from studio.scripts.dubbing.fit import PlacedLine, fittings
from studio.scripts.keep.limits import near_limits
from studio.scripts.script.line import LineState, ScriptLine
from studio.scripts.script.script import ReadScript, Script
from studio.scripts.script.take import LineTake
from studio.scripts.scripts import Scripts
from studio.service import Studio
from studio.speech.refusal import refusal_of, told_values

__all__ = ["cast_test", "changes", "edited", "lines_from", "progress", "read_in_script", "script_list", "told_failure", "told_script"]

FEW_LINES = 20  # that are read one by one, not with all between them


def script_list(scripts: Scripts, listed: Iterable[Script]) -> ScriptListAnswer:
    """listed: which, in their order."""
    limits, use = scripts.limits(), scripts.use()
    told = ScriptLimitsAnswer(
        scripts=limits.scripts,
        lines=limits.lines,
        characters=limits.characters,
        bytes=limits.n_bytes,
        used_bytes=use.n_bytes,
        near=bool(near_limits(use, limits)),
    )
    return ScriptListAnswer(scripts=[_row(scripts, script) for script in listed], limits=told)


def told_script(scripts: Scripts, script: Script, read: ReadScript | None = None) -> ScriptAnswer:
    """read: what it was made of, where it was read in just now."""
    counts, head = scripts.counts(script.id), script.head
    chapters = [
        ChapterAnswer(title=one.title, line=one.line_id, first=one.first, n_lines=one.n_lines) for one in scripts.chapters(script.id)
    ]
    return ScriptAnswer(
        id=script.id,
        **head.model_dump(),
        cast=list(script.cast),
        cast_counts=[CastCountAnswer(**asdict(one)) for one in scripts.cast_counts(script.id)],
        dictionary=[LexiconEntryAnswer.of(entry) for entry in script.dictionary],
        chapters=chapters,
        n_lines=script.n_lines,
        n_characters=script.n_characters,
        n_said=counts.n_said,
        n_silent=counts.n_silent,
        n_stale=scripts.n_stale(script.id),
        n_failed=counts.n_failed,
        seconds=round(counts.seconds, 3),
        bytes=counts.n_bytes,
        revision=script.revision,
        can_undo=script.can_undo,
        can_redo=script.can_redo,
        has_cover=script.has_cover,
        created=script.created,
        changed=script.changed,
        progress=progress(scripts, script.id),
        taken_for=read.taken_for if read else None,
        notes=NoteAnswer.of(read) if read else None,
    )


def read_in_script(scripts: Scripts, read: ReadScript) -> ScriptAnswer:
    """It is kept, and what it was taken for is told."""
    return told_script(scripts, scripts.create(read), read)


def progress(scripts: Scripts, script_id: str) -> ProgressAnswer:
    """Of saying."""
    now = scripts.progress(script_id)
    return ProgressAnswer(
        is_running=now.is_running,
        done=now.n_done,
        total=now.n_total,
        seconds_left=None if now.seconds_left is None else round(now.seconds_left, 1),
        line=now.line_id or None,
        failure=told_failure(now.failure),
    )


def cast_test(tests: CastTests, studio: Studio, script_id: str) -> CastTestAnswer:
    """The last blind test of two casts of a script."""
    found = tests.progress(studio, script_id)
    test, now = found or (None, JobProgress(0, 0))
    told = ProgressAnswer(
        is_running=now.is_running,
        done=now.done,
        total=now.total,
        seconds_left=None if now.seconds_left is None else round(now.seconds_left, 1),
        line=None,
        failure=told_failure(now.failure),
    )
    return CastTestAnswer(test=test, progress=told)


def lines_from(scripts: Scripts, script_id: str, first: int, count: int) -> LinesAnswer:
    """From that index, so many at most."""
    script, lines = scripts.script(script_id), scripts.lines(script_id, first, count)
    told = _lines(scripts, script_id, tuple(enumerate(lines, first)))
    return LinesAnswer(first=first, n_lines=script.n_lines, revision=script.revision, token=script.token, lines=told)


def changes(scripts: Scripts, script_id: str, since: int) -> ChangesAnswer:
    """No line is read where nothing has changed."""
    now = scripts.changes(script_id, since)
    return ChangesAnswer(
        token=now.token,
        revision=now.revision,
        progress=progress(scripts, script_id),
        lines=told_lines(scripts, script_id, now.lines),
        is_reordered=now.is_reordered,
    )


def edited(scripts: Scripts, script_id: str, revision: int, line_ids: Sequence[str], is_reordered: bool) -> EditedAnswer:
    """line_ids: of the lines that the edit changed."""
    script = told_script(scripts, scripts.script(script_id))
    lines = told_lines(scripts, script_id, line_ids)
    return EditedAnswer(revision=revision, lines=lines, is_reordered=is_reordered, script=script)


def told_lines(scripts: Scripts, script_id: str, line_ids: Sequence[str]) -> list[LineAnswer]:
    """Those that are still there, in the order of the script."""
    wanted = frozenset(line_ids)
    places = [(index, line_id) for index, line_id in enumerate(scripts.line_ids(script_id)) if line_id in wanted] if wanted else []
    if len(places) <= FEW_LINES:
        return _lines(scripts, script_id, [(index, scripts.line(script_id, line_id)) for index, line_id in places]) if places else []
    lines = enumerate(scripts.lines(script_id, places[0][0], places[-1][0] - places[0][0] + 1), places[0][0])
    return _lines(scripts, script_id, [(index, line) for index, line in lines if line.id in wanted])


def _lines(scripts: Scripts, script_id: str, lines: Sequence[tuple[int, ScriptLine]]) -> list[LineAnswer]:
    """lines: (index, line)."""
    states = scripts.states(script_id, [line for _, line in lines])
    stale = scripts.stale_takes(script_id, [line for _, line in lines])
    fits = dict(_fittings(scripts, script_id, dict(lines)))
    return [_line(index, line, state, stale, fits.get(line.id)) for (index, line), state in zip(lines, states, strict=True)]


def _fittings(scripts: Scripts, script_id: str, lines: Mapping[int, ScriptLine]) -> Iterator[tuple[str, FittingAnswer]]:
    """Of lines that have a slot and a take, by id. lines: by index."""
    for index, line in lines.items():
        slot, take = line.written.slot, line.chosen_take
        if slot is None or take is None:
            continue
        following = lines.get(index + 1) or next(iter(scripts.lines(script_id, index + 1, 1)), None)
        placed = [PlacedLine(line.id, slot, take.seconds)]
        if following is not None and following.written.slot is not None and following.written.slot.start >= slot.start:
            placed.append(PlacedLine(following.id, following.written.slot, 0.0))
        found = dict(fittings(placed))[line.id]
        yield line.id, FittingAnswer(kind=found.kind, over_seconds=round(found.over_seconds, 3))


def _line(index: int, line: ScriptLine, state: LineState, stale: frozenset[str], fitting: FittingAnswer | None) -> LineAnswer:
    chosen = line.chosen_take
    return LineAnswer(
        id=line.id,
        index=index,
        **{name: getattr(line.written, name) for name in type(line.written).model_fields},
        state=state,
        failure=line.failure,
        chosen=line.chosen,
        takes=[_take(take, is_stale=take.id in stale) for take in line.takes],
        seconds=None if chosen is None else round(chosen.seconds, 4),
        fitting=fitting,
    )


def _take(take: LineTake, *, is_stale: bool) -> LineTakeAnswer:
    return LineTakeAnswer(
        id=take.id,
        seed=take.seed,
        seconds=round(take.seconds, 4),
        engine=take.engine,
        voice=take.voice,
        ttfp_ms=None if take.ttfp_seconds is None else round(1000 * take.ttfp_seconds, 1),
        is_stale=is_stale,
        warning=take.warning,
        peaks=list(take.peaks),
        has_words=take.words is not None,
        estimates=None if take.estimates is None else EstimatesAnswer(**asdict(take.estimates)),
        reason=take.reason,
        made=take.made,
        mended_from=None if take.mended_from is None else MendedFromAnswer(**asdict(take.mended_from)),
    )


def _row(scripts: Scripts, script: Script) -> RowAnswer:
    counts = scripts.counts(script.id)
    return RowAnswer(
        id=script.id,
        title=script.head.title,
        author=script.head.author,
        n_lines=script.n_lines,
        n_characters=script.n_characters,
        n_said=counts.n_said,
        n_silent=counts.n_silent,
        n_stale=scripts.n_stale(script.id),
        seconds=round(counts.seconds, 3),
        changed=script.changed,
        created=script.created,
        is_running=scripts.is_running(script.id),
    )


def told_failure(error: EngineError | Mapping[str, object] | None) -> dict[str, object] | None:
    """As errors are told."""
    if error is None or isinstance(error, Mapping):
        return None if error is None else dict(error)
    told = refusal_of(error)
    return {"message": told.message, "hint": told.hint, "reason_code": told.code, "values": told_values(error)}
