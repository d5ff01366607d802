"""Gathering: makes texts, voices and recordings of the rows of a list, and keeps account of what is not used, and why."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from studio.errors import EvaluationTextsUnusable
from studio.evaluations.plan.plan import MOST_TEXT_CHARACTERS, MOST_TEXTS, EvaluationText
from studio.evaluations.texts.found_files import FileFinder
from studio.evaluations.texts.ids import UniqueIds
from studio.evaluations.texts.languages import code_of
from studio.evaluations.texts.read_voice import ReadVoice
from studio.evaluations.texts.rows import FoundRows, TextRow, stem_of
from studio.text_files.text_check import has_words

__all__ = ["Gathering", "some_of"]

_SPACE = re.compile(r"[ \t\n]+")  # not the no-break spaces, which belong to the writing of French
_MOST_KIND_CHARACTERS = 40
_N_NAMED = 5
_MOST_NAMED_CHARACTERS = 80


def some_of(names: Sequence[object]) -> str:
    """The first few, as a sentence names them."""
    named = ", ".join(str(name)[:_MOST_NAMED_CHARACTERS] for name in names[:_N_NAMED])
    return f"{named} …" if len(names) > _N_NAMED else named


class Gathering:
    """Of one list. language: of texts of which the list says none. filename: which may say a language, too."""

    def __init__(self, finder: FileFinder, language: str | None, filename: str = ""):
        self.texts: list[EvaluationText] = []
        self.voices: dict[str, ReadVoice] = {}  # path of the recording -> its voice
        self.voice_names: dict[str, str] = {}
        self.references: dict[str, Path] = {}
        self._finder = finder
        self._references = FileFinder(finder.folder, finder.within)
        self._language, self._told_language = language, ""
        self._filename = filename
        self._ids, self._voice_ids = UniqueIds(), UniqueIds()
        self._named: dict[str, str] = {}  # name of a voice -> its id
        self._empty: list[int] = []
        self._long: list[int] = []
        self._silent: list[int] = []  # whose recording is not there
        self._unknown_languages: dict[str, None] = {}
        self._n_unbound = 0
        self._n_repeated = 0

    def add(self, found: FoundRows) -> None:
        """Raises EvaluationTextsUnusable where nothing is left to say, or more than an evaluation may have."""
        if not self._language:
            self._language = self._told_language = self._file_language(found)
        places = _MiniMaxPlaces(self._finder) if found.taken_for == "minimax" else None
        if len(found.rows) > MOST_TEXTS:
            raise EvaluationTextsUnusable(sentence="evaluation_texts_too_many", n=len(found.rows), most=MOST_TEXTS)
        seen: set[tuple[str, str | None]] = set()
        for row in found.rows:
            text = self._text(places.placed(row) if places else row, is_unbound=bool(places and places.is_unbound(row)))
            if text is not None:
                self._n_repeated += (text.text, text.voice) in seen
                seen.add((text.text, text.voice))
                self.texts.append(text)
        if self.texts:
            return
        if self._silent:
            raise EvaluationTextsUnusable(
                sentence="evaluation_texts_without_recordings",
                n=len(self._silent),
                files=some_of(self._finder.missing + self._finder.outside),
            )
        if self._long:
            raise EvaluationTextsUnusable(sentence="evaluation_texts_too_long", n=len(self._long), most=MOST_TEXT_CHARACTERS)
        raise EvaluationTextsUnusable(sentence="evaluation_texts_empty")

    def notes(self, found: FoundRows) -> list[tuple[str, dict[str, object]]]:
        """Of what is to be known of the list, in the order in which it weighs."""
        missing, outside, references = self._finder.missing, self._finder.outside, self._references
        told: list[tuple[str, Sequence[object], dict[str, object]]] = [
            ("texts_broken", found.broken, {"lines": some_of(found.broken)}),
            ("texts_wordless", self._empty, {"lines": some_of(self._empty)}),
            ("texts_long", self._long, {"lines": some_of(self._long), "most": MOST_TEXT_CHARACTERS}),
            ("texts_recordings_missing", missing, {"files": some_of(missing), "lines": some_of(self._silent)}),
            ("texts_recordings_outside", outside, {"files": some_of(outside), "lines": some_of(self._silent)}),
            ("texts_references_missing", references.missing, {"files": some_of(references.missing)}),
            ("texts_references_missing", references.outside, {"files": some_of(references.outside)}),
            ("texts_ids_again", self._ids.again, {"ids": some_of(self._ids.again)}),
            ("texts_ids_changed", self._ids.changed, {"ids": some_of(self._ids.changed)}),
            ("texts_languages_unknown", tuple(self._unknown_languages), {"languages": some_of(tuple(self._unknown_languages))}),
            ("texts_columns", found.columns, {"columns": some_of(found.columns)}),
        ]
        counted = [
            ("texts_unbound", self._n_unbound, {}),
            ("texts_repeated", self._n_repeated, {}),
            ("texts_comments", found.n_comments, {}),
        ]
        notes = [(key, {"n": len(what), **values}) for key, what, values in told if what]
        notes += [(key, {"n": n, **values}) for key, n, values in counted if n]
        return notes + ([("texts_language_of_file", {"code": self._told_language})] if self._told_language else [])

    def _file_language(self, found: FoundRows) -> str:
        """That the name of the file is: "english.txt"; of seed-tts-eval, whose lists are all called alike, that its folder is."""
        folder = self._finder.folder
        places = [stem_of(self._filename).rpartition(".")[0] or stem_of(self._filename)]
        places += [folder.resolve().name] if folder is not None and found.taken_for == "seed_tts_eval" else []
        if any(row.language for row in found.rows) or found.taken_for == "kaldi":
            return ""
        return next((code for place in places if (code := code_of(place))), "")

    def _text(self, row: TextRow, *, is_unbound: bool = False) -> EvaluationText | None:
        """is_unbound: whose recording was not brought."""
        text = _SPACE.sub(" ", row.text).strip()
        text = text.encode("utf-8", "replace").decode() if not text.isascii() else text  # halves of pairs, which no file can keep
        if not has_words(text):
            self._empty.append(row.line)
            return None
        if len(text) > MOST_TEXT_CHARACTERS:
            self._long.append(row.line)
            return None
        voice = None if is_unbound else self._voice(row)
        self._n_unbound += is_unbound
        if voice == "":
            self._silent.append(row.line)
            return None
        own_id = self._ids.given(row.id.strip() or stem_of(row.file) or str(row.line))
        if row.file and self._finder.folder is not None and (recording := self._references.file(row.file, (".wav", ".flac"))) is not None:
            self.references[own_id] = recording
        kind = row.kind.strip()[:_MOST_KIND_CHARACTERS]
        return EvaluationText(id=own_id, text=text, language=self._code(row.language), voice=voice, kind=kind)

    def _code(self, written: str) -> str | None:
        if not written.strip():
            return self._language or None
        code = code_of(written)
        if code is None:
            self._unknown_languages[written] = None
        return code or self._language or None

    def _voice(self, row: TextRow) -> str | None:
        """The id of who is to say it; None for everybody, "" where a recording is named that is not there."""
        if row.prompt_file:
            if self._finder.folder is None:
                self._n_unbound += 1
                return None
            path = self._finder.file(row.prompt_file, (".wav", ".flac"))
            return "" if path is None else self._recorded(row, path)
        if not row.voice.strip():
            return None
        name = _SPACE.sub(" ", row.voice).strip()
        if name not in self._named:
            self._named[name] = self._voice_ids.given(name)
            self.voice_names[self._named[name]] = name
        return self._named[name]

    def _recorded(self, row: TextRow, path: Path) -> str:
        place = str(path)
        if place not in self.voices:
            name = row.voice.strip() or path.stem
            words = _SPACE.sub(" ", row.prompt_words).strip() or None
            language = self._code(row.language) if words else None
            person = row.person.strip() or row.voice.strip()
            self.voices[place] = ReadVoice(self._voice_ids.given(name), name[:200], path, None, words, language, person)
        return self.voices[place].id


class _MiniMaxPlaces:
    """Where the multilingual test set keeps the recordings of its labels: `speaker/english/english_female/<any name>.mp3`, with their words
    in `speaker/prompt_text.txt`, beside the folder of its lists or in it."""

    _ROOTS = ("../speaker", "speaker", ".", "..")

    def __init__(self, finder: FileFinder):
        self._finder = finder
        self._words = finder.words_of(*(f"{root}/prompt_text.txt" for root in self._ROOTS))
        self._found: dict[str, Path | None] = {}

    def placed(self, row: TextRow) -> TextRow:
        """With the recording and its words, where they are there."""
        if not row.voice:
            return replace(row, prompt_words=self._words.get(row.prompt_file, ""))
        path = self._path(row.voice)
        own = replace(row, language=row.voice.rpartition("_")[0])
        if path is None:
            return own
        return replace(own, prompt_file=str(path), prompt_words=self._words.get(path.name, ""), person=row.voice)

    def is_unbound(self, row: TextRow) -> bool:
        """Whether there is no recording of its label."""
        return bool(row.voice) and self._path(row.voice) is None

    def _path(self, label: str) -> Path | None:
        if label not in self._found:
            language = label.rpartition("_")[0]
            folders = [f"{root}/{place}" for root in self._ROOTS for place in (f"{language}/{label}", label)]
            self._found[label] = self._finder.sound_in(*folders)
        return self._found[label]
