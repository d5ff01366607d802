"""Text of a script as a file: subtitles, word times, chapters for show notes; and the script itself, with its sounds or without."""

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from studio.scripts.export.export import ExportSource, temporary_folder
from studio.scripts.export.file_names import file_name
from studio.scripts.export.order import ExportedFile, ExportOrder, ExportReport
from studio.scripts.export.plan import ExportPlan, plan_of, selected_lines
from studio.scripts.export.script_cues import named, script_cues
from studio.scripts.keep.script_file import to_plain
from studio.speech.timed_words import shifted
from studio.speech.words.subtitles import srt_of, vtt_of

__all__ = ["SCRIPT_MEMBER", "export_text", "sound_member"]

SCRIPT_MEMBER = "script.json"  # of the ZIP with sounds
MEDIA_TYPES = {
    "srt": ("application/x-subrip", "srt"),
    "vtt": ("text/vtt", "vtt"),
    "karaoke_vtt": ("text/vtt", "vtt"),
    "words": ("application/json", "json"),
    "chapters": ("text/plain; charset=utf-8", "txt"),
}


def export_text(source: ExportSource, order: ExportOrder, flac_of: Callable[[str], bytes]) -> ExportedFile:
    """flac_of: the file of a take by its SHA-256. Raises LinesUnsaid, LinesStale, ExportEmpty, DiskError, and what flac_of does."""
    if order.format == "script":
        return _script(source)
    if order.format == "script_with_sounds":
        return _script_with_sounds(source, flac_of)
    selected = selected_lines(source.lines(), order, source.stale(), with_words=True)
    plan = plan_of(source.script, selected, order)
    media_type, ending = MEDIA_TYPES[order.format]
    report = ExportReport(selected.n_said, plan.seconds, skipped=selected.unsaid, n_stale=len(selected.stale))
    return _written(source, _text(plan, order), media_type, ending, report)


def sound_member(sha256: str) -> str:
    """Where the sound of a take lies in the ZIP with sounds."""
    return f"sounds/{sha256}.flac"


def _text(plan: ExportPlan, order: ExportOrder) -> str:
    match order.format:
        case "srt":
            return srt_of(named(script_cues(plan, names=order.names)))
        case "vtt" | "karaoke_vtt":
            return vtt_of(script_cues(plan, names=order.names), is_karaoke=order.format == "karaoke_vtt")
        case "words":
            return _json({"lines": list(_words(plan))})
        case _:
            return _show_notes(plan)


def _words(plan: ExportPlan) -> Iterator[dict[str, object]]:
    """{start, end, who, text, words: [{start, end, written, said, from, to}], null where not known}; seconds of the whole sound."""
    for line in plan.lines:
        start, end = line.start / plan.sample_rate, line.end / plan.sample_rate
        words = None if line.line.words is None else [word.members() for word in shifted(line.line.words, start)]
        times: dict[str, object] = {"start": round(start, 3), "end": round(end, 3)}
        yield times | {"who": line.line.written.who, "text": line.line.written.text, "words": words}


def _show_notes(plan: ExportPlan) -> str:
    """`HH:MM:SS title`, a line for each chapter, the first at zero, as video sites and podcast players take it."""
    marks = []
    for chapter in plan.chapters:
        seconds = chapter.start // plan.sample_rate
        marks.append(f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d} {chapter.title}\n")
    return "".join(marks)


def _script(source: ExportSource) -> ExportedFile:
    plain = to_plain(source.script, source.lines(), source.cover)
    return _written(source, _json(plain), "application/json", "json", ExportReport(source.script.n_lines, 0.0))


def _script_with_sounds(source: ExportSource, flac_of: Callable[[str], bytes]) -> ExportedFile:
    """Sound after sound is read and stored."""
    plain = to_plain(source.script, source.lines(), source.cover, has_takes=True)
    digests = dict.fromkeys(take["sha256"] for line in plain["lines"] for take in line.get("takes", ()))
    with temporary_folder() as folder:
        path = folder / "script.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(zipfile.ZipInfo(SCRIPT_MEMBER), _json(plain), zipfile.ZIP_DEFLATED)
            for sha256 in digests:
                archive.writestr(zipfile.ZipInfo(sound_member(sha256)), flac_of(sha256))
        report = ExportReport(source.script.n_lines, 0.0, n_files=1 + len(digests))
        return ExportedFile(path, "application/zip", file_name(source.script.head.title, "zip"), report)


def _written(source: ExportSource, text: str, media_type: str, ending: str, report: ExportReport) -> ExportedFile:
    with temporary_folder() as folder:
        path: Path = folder / f"script.{ending}"
        path.write_bytes(text.encode())
        return ExportedFile(path, media_type, file_name(source.script.head.title, ending), report)


def _json(plain: object) -> str:
    return json.dumps(plain, ensure_ascii=False, indent=1) + "\n"
