"""read_files: sounds of another system, found beside their texts by their names, or by a list that lies with them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from studio.errors import EvaluationSoundsUnusable, EvaluationTextsUnusable
from studio.evaluations.plan.plan import EvaluationText
from studio.evaluations.texts.found_files import FileFinder, sounds_below, text_of
from studio.evaluations.texts.gathering import Gathering, some_of
from studio.evaluations.texts.ids import plain_id
from studio.evaluations.texts.read import found_rows
from studio.evaluations.texts.rows import SOUND_ENDINGS, FoundRows, TextRow
from studio.evaluations.texts.sound_names import BroughtKey, SoundNames

__all__ = ["BroughtKey", "ReadFiles", "read_files"]

_LISTS = (".csv", ".tsv", ".json", ".jsonl", ".lst", ".txt")
_MOST_SEED = 1_000_000


class _NamedSpeaker(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def label(self) -> str: ...


@dataclass(frozen=True)
class ReadFiles:
    """sounds: (voice id, "" where there are no voices; text id; seed) -> its file. unmatched: files, below the folder, that are no sound of
    any text. lacking: ids of texts without a sound.

    texts: of the folder's own list, where it has one and no others were named; voices: id -> label of those that the folder itself names.
    notes: as in ReadTexts.
    """

    label: str
    sounds: Mapping[BroughtKey, Path]
    unmatched: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    texts: tuple[EvaluationText, ...] = ()
    voices: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[tuple[str, dict[str, object]], ...] = ()


def read_files(folder: Path, label: str, texts: Sequence[EvaluationText], voices: Sequence[_NamedSpeaker]) -> ReadFiles:
    """texts, voices: of the evaluation, () where the folder is to say them. Raises EvaluationSoundsUnusable where no sound is found.

    Names that are understood: `<text>.wav`, `<voice>/<text>.wav`, `<voice>_<text>.wav`, with `_<seed>` behind or `seed_<n>/` before: ids,
    or the names that they were made of. A list in the folder (columns file and text, also voice, language, seed) goes before names.
    """
    if not folder.is_dir():
        raise EvaluationSoundsUnusable(sentence="evaluation_sounds_no_folder", folder=str(folder)[-200:])
    files = sounds_below(folder)
    if not files:
        raise EvaluationSoundsUnusable(sentence="evaluation_sounds_none", folder=folder.name[:200])
    own = _own_list(folder)
    if not texts and own is None:
        raise EvaluationSoundsUnusable(sentence="evaluation_sounds_without_texts", folder=folder.name[:200])
    matching = _Matching(folder, texts, voices)
    if own is not None:
        matching.by_list(own)
    for file in files:
        matching.by_name(file)
    return matching.result(label)


def _own_list(folder: Path) -> FoundRows | None:
    """The first list of the folder that says which file is which text."""
    for file in sorted(folder.iterdir()):
        if not file.is_file() or not (file.suffix.casefold() in _LISTS or file.name == "text"):
            continue
        try:
            found = found_rows(text_of(file), file.name)
        except EvaluationTextsUnusable:
            continue
        if any(row.file or (row.id and found.taken_for != "table") for row in found.rows):
            return found
    return None


class _Matching:
    """Finds the sounds of texts one by one; result tells of all."""

    def __init__(self, folder: Path, texts: Sequence[EvaluationText], voices: Sequence[_NamedSpeaker]):
        self._folder = folder
        self._given = tuple(texts)
        self._voices = {voice.id: voice.label for voice in voices}
        self._own_voices: dict[str, str] = {}
        self._own_texts: tuple[EvaluationText, ...] = ()
        self._names = SoundNames(self._given, self._voices)
        self._sounds: dict[BroughtKey, Path] = {}
        self._listed: set[Path] = set()
        self._unmatched: list[str] = []
        self._again: list[str] = []
        self._voiceless: list[str] = []
        self._absent: list[str] = []
        self._notes: list[tuple[str, dict[str, object]]] = []

    def by_list(self, found: FoundRows) -> None:
        """By the folder's own list. Its texts count where no others were given; else a row is the text of its id, or of its words."""
        finder = FileFinder(self._folder)
        rows = [row for row in found.rows if row.file or row.id]
        paths = {row.line: finder.file(row.file or f"{row.id}.wav", SOUND_ENDINGS) for row in rows}
        self._absent = finder.missing
        if not self._given:
            self._take_texts(found, rows)
        by_words = {" ".join(text.text.split()): text for text in reversed(self._given or self._own_texts)}
        for row in rows:
            path = paths[row.line]
            if path is None:
                continue
            self._listed.add(path)
            text = self._names.text_of(row.id) or by_words.get(" ".join(row.text.split()))
            voice = self._listed_voice(row, text)
            if text is None or voice is None:
                (self._unmatched if text is None else self._voiceless).append(self._shown(path))
            else:
                seed = int(row.seed) if row.seed.isdecimal() and int(row.seed[:9]) <= _MOST_SEED else 0
                self._put(BroughtKey(voice, text.id, seed), path)

    def by_name(self, path: Path) -> None:
        """By its own name and the folders that it lies in."""
        if path in self._listed:
            return
        inside = PurePosixPath(*path.relative_to(self._folder).parts)
        key = self._names.key_of(inside)
        if key is None:
            self._unmatched.append(str(inside))
        elif key.voice is None:
            self._voiceless.append(str(inside))
        else:
            self._put(BroughtKey(key.voice, key.text, key.seed), path)

    def result(self, label: str) -> ReadFiles:
        """Raises EvaluationSoundsUnusable where nothing was found."""
        texts = self._given or self._own_texts
        if not self._sounds:
            wanted = f"{texts[0].id}.wav" if len(self._voices) < 2 else f"{next(iter(self._voices))}/{texts[0].id}.wav"
            found = some_of(self._unmatched + self._voiceless or self._absent)
            raise EvaluationSoundsUnusable(sentence="evaluation_sounds_unmatched", files=found, name=wanted)
        said = Counter(key.text for key in self._sounds)
        lacking = tuple(text.id for text in texts if text.id not in said)
        told = (
            ("texts_sounds_unmatched", self._unmatched),
            ("texts_sounds_voiceless", self._voiceless),
            ("texts_sounds_again", self._again),
            ("texts_sounds_absent", self._absent),
            ("texts_sounds_lacking", lacking),
        )
        notes = [(key, {"n": len(what), "files": some_of(what)}) for key, what in told if what]
        unmatched = (*self._unmatched, *self._voiceless, *self._again)
        return ReadFiles(label, self._sounds, unmatched, lacking, self._own_texts, self._own_voices, (*self._notes, *notes))

    def _take_texts(self, found: FoundRows, rows: Sequence[TextRow]) -> None:
        """Texts of the list, each once: the same words in two voices are one text."""
        once: dict[str, TextRow] = {}
        for row in rows:
            once.setdefault(" ".join(row.text.split()), TextRow(row.line, row.text, row.id, row.language, file=row.file, kind=row.kind))
        gathering = Gathering(FileFinder(None), None)
        try:
            gathering.add(FoundRows(tuple(once.values()), found.taken_for, found.broken, found.n_comments, found.columns))
        except EvaluationTextsUnusable as error:
            raise EvaluationSoundsUnusable(sentence="evaluation_sounds_without_texts", folder=self._folder.name[:200]) from error
        self._notes += gathering.notes(found)
        self._own_texts = tuple(gathering.texts)
        self._names = SoundNames(self._own_texts, self._voices)

    def _listed_voice(self, row: TextRow, text: EvaluationText | None) -> str | None:
        name = row.voice or row.person
        if not name:
            return self._names.only_voice(text) if text is not None else None
        if self._voices:
            return self._names.voice_of(name)
        own_id = plain_id(name)
        self._own_voices[own_id] = name
        return own_id

    def _put(self, key: BroughtKey, path: Path) -> None:
        if key in self._sounds:
            self._again.append(self._shown(path))
        else:
            self._sounds[key] = path
            if not self._voices and key.voice:
                self._own_voices.setdefault(key.voice, self._names.own_label(key.voice))

    def _shown(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix() if path.is_relative_to(self._folder) else path.name
