"""read_voices: the recordings of a folder as voices. Sub-folders are people; words lie beside, or stand in a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.errors import EvaluationSpeakersUnusable, EvaluationTextsUnusable
from studio.evaluations.plan.plan import MOST_VOICES
from studio.evaluations.texts.found_files import FileFinder, sounds_below, text_of
from studio.evaluations.texts.gathering import some_of
from studio.evaluations.texts.ids import UniqueIds
from studio.evaluations.texts.languages import code_of
from studio.evaluations.texts.read_voice import ReadVoice
from studio.evaluations.texts.rows import SOUND_ENDINGS, TextRow
from studio.evaluations.texts.tables import looks_like_table, table_rows

__all__ = ["ReadVoice", "read_voices"]

_WORDS = (".txt", ".lab", ".normalized.txt", ".original.txt")  # beside a recording: as Montreal's aligner and as LibriTTS have them
_TRANSCRIPTS = "*.trans.txt"  # of a folder of LibriSpeech: `id words` in each line
_OF_SOUNDS = frozenset(("audio", "audios", "clips", "flac", "mp3", "recordings", "samples", "sounds", "voices", "wav", "wavs", "wav48"))


@dataclass(frozen=True)
class _FoundRecording:
    """people: the folders that it lies in, below the one that was named, without those that hold recordings of anybody."""

    path: Path
    people: tuple[str, ...]
    row: TextRow | None = None


def read_voices(folder: Path, language: str | None = None) -> tuple[ReadVoice, ...]:
    """One for each recording, in the order of their names. language: of their words, where the table says none.

    A table of the folder (CSV with columns file, words, language, person, in any order) says which files there are; without one it is
    every sound below. Raises EvaluationSpeakersUnusable where there are none, or too many, or where files of the table are missing.
    """
    if not folder.is_dir():
        raise EvaluationSpeakersUnusable(sentence="evaluation_voices_no_folder", folder=str(folder)[-200:])
    recordings = _of_table(folder) or [_FoundRecording(path, _people(folder, path)) for path in sounds_below(folder)]
    if not recordings:
        raise EvaluationSpeakersUnusable(sentence="evaluation_voices_none", folder=folder.name[:200])
    if len(recordings) > MOST_VOICES:
        raise EvaluationSpeakersUnusable(sentence="evaluation_voices_too_many", n=len(recordings), most=MOST_VOICES)
    return tuple(_voices(recordings, language))


def _of_table(folder: Path) -> list[_FoundRecording]:
    rows = next((found for table in sorted(folder.iterdir()) if (found := _rows(table))), ())
    finder = FileFinder(folder)
    found = [(finder.file(row.file, SOUND_ENDINGS), row) for row in rows]
    if finder.missing:
        raise EvaluationSpeakersUnusable(sentence="evaluation_voices_missing", n=len(finder.missing), files=some_of(finder.missing))
    return [_FoundRecording(path, (row.person or row.voice,) if row.person or row.voice else (), row) for path, row in found if path]


def _rows(table: Path) -> Sequence[TextRow]:
    """Of a table that names files; () of anything else."""
    if table.suffix.casefold() not in (".csv", ".tsv") or not table.is_file():
        return ()
    text = text_of(table)
    if not looks_like_table(text, table.name):
        return ()
    try:
        rows = table_rows(text, needed="file").rows
    except EvaluationTextsUnusable as error:
        raise EvaluationSpeakersUnusable(sentence="evaluation_voices_table", file=table.name[:200]) from error
    return tuple(row for row in rows if row.file)


def _people(folder: Path, path: Path) -> tuple[str, ...]:
    inside = path.relative_to(folder).parts[:-1]
    return tuple(part for part in inside if part.casefold() not in _OF_SOUNDS)[:1]


def _voices(recordings: Sequence[_FoundRecording], language: str | None) -> Iterator[ReadVoice]:
    ids = UniqueIds()
    n_of: dict[str, int] = {}
    for recording in recordings:
        for person in recording.people:
            n_of[person] = n_of.get(person, 0) + 1
    transcripts: dict[Path, Mapping[str, str]] = {}
    for recording in recordings:
        person, stem = next(iter(recording.people), ""), recording.path.stem
        is_alone = bool(person) and n_of[person] == 1
        label = person if is_alone else " / ".join(part for part in (person, stem) if part)
        row = recording.row
        words = (" ".join(row.text.split()) if row else "") or _words_beside(recording.path, transcripts)
        code = (code_of(row.language) if row else None) or language
        name = label if is_alone or not person or stem.startswith(person) else f"{person}_{stem}"
        own_id = ids.given(stem if person and stem.startswith(person) and not is_alone else name)
        yield ReadVoice(own_id, label[:200], recording.path, None, words or None, code if words else None, person)


def _words_beside(path: Path, transcripts: dict[Path, Mapping[str, str]]) -> str:
    for ending in _WORDS:
        beside = path.with_name(f"{path.stem}{ending}")
        if beside.is_file():
            return " ".join(text_of(beside).split())
    if path.parent not in transcripts:
        lines = [line for file in sorted(path.parent.glob(_TRANSCRIPTS)) for line in text_of(file).split("\n")]
        transcripts[path.parent] = {name: words.strip() for name, mark, words in (line.partition(" ") for line in lines) if mark}
    return transcripts[path.parent].get(path.stem, "")
