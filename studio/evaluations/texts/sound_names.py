"""Names of sounds: which voice says which text, by what a file and its folders are called."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from studio.evaluations.plan.plan import EvaluationText
from studio.evaluations.texts.ids import plain_id
from studio.evaluations.texts.rows import stem_of

__all__ = ["BroughtKey", "FoundKey", "SoundNames"]

_SEED_FOLDER = re.compile(r"(?:seed|take|run)[-_ ]?(\d{1,6})", re.IGNORECASE)
_SEED_BEHIND = re.compile(r"(.+?)[-_.](?:seed|take|run|s)?[-_]?(\d{1,6})", re.IGNORECASE)
_NEUTRAL = frozenset(("audio", "flac", "generated", "out", "output", "outputs", "results", "samples", "sounds", "synth", "wav", "wavs"))
_MOST_NAME_CHARACTERS = 255  # as file systems have it
_MARKS = "_-.+ "  # between the parts of a name
_MOST_MARKS = 30  # of a name that is looked at at each of them


class BroughtKey(NamedTuple):
    """voice: its id, "" where an evaluation has no voices."""

    voice: str
    text: str
    seed: int


class FoundKey(NamedTuple):
    """voice: None where nobody can tell which one of several."""

    voice: str | None
    text: str
    seed: int


class SoundNames:
    """texts: whose ids, or the names that these were made of, are in names of files. voices: id -> label."""

    def __init__(self, texts: Sequence[EvaluationText], voices: Mapping[str, str]):
        self._texts = {text.id: text for text in texts}
        self._voices = voices
        self._text_ids = _Index((text.id, (text.id,)) for text in texts)
        self._voice_ids = _Index((own_id, (own_id, label, plain_id(label))) for own_id, label in voices.items())
        self._own_labels: dict[str, str] = {}

    def text_of(self, name: str) -> EvaluationText | None:
        """The text that is called so."""
        found = self._text_ids.found(name) if name else None
        return self._texts[found] if found else None

    def voice_of(self, name: str) -> str | None:
        """The id of the voice that is called so."""
        return self._voice_ids.found(name)

    def own_label(self, voice: str) -> str:
        """What the folder calls a voice of its own."""
        return self._own_labels.get(voice, voice)

    def only_voice(self, text: EvaluationText) -> str | None:
        """Who says a text, where the name of its file does not tell; None where it could be several."""
        if text.voice is not None:
            return text.voice
        return next(iter(self._voices), "") if len(self._voices) < 2 else None

    def key_of(self, path: PurePosixPath) -> FoundKey | None:
        """path: below the folder of the sounds. None where its name is of no text."""
        stem = stem_of(path.name)
        if len(stem) > _MOST_NAME_CHARACTERS:
            return None
        folders = [part for part in path.parts[:-1] if part.casefold() not in _NEUTRAL]
        seeds = [int(found[1]) for part in folders if (found := _SEED_FOLDER.fullmatch(part))]
        folders = [part for part in folders if not _SEED_FOLDER.fullmatch(part)]
        for name, seed in _with_seeds(stem):
            if found := self._in_folders(name, folders):
                return FoundKey(*found, seeds[-1] if seeds else seed)
        return None

    def _in_folders(self, name: str, folders: Sequence[str]) -> tuple[str | None, str] | None:
        voice = next((found for part in reversed(folders) if (found := self.voice_of(part))), None)
        if text := self.text_of(name):
            if voice or not folders:
                return voice or self.only_voice(text), text.id
            return self._own_voice(folders[-1], text)
        pair = self._pair(name)
        if pair is None and folders and (text := self.text_of(folders[-1])) and (voice := self.voice_of(name)):
            return voice, text.id
        return pair

    def _own_voice(self, folder: str, text: EvaluationText) -> tuple[str | None, str]:
        """Of a folder that is none of the voices: where there are none, it is one of the system's own."""
        if text.voice is not None or self._voices:
            return self.only_voice(text), text.id
        own_id = plain_id(folder)
        self._own_labels[own_id] = folder
        return own_id, text.id

    def _pair(self, name: str) -> tuple[str, str] | None:
        """The voice and the text of "anna_en-01"; None where nothing fits, or two ways do."""
        ways = set()
        marks = [at for at, mark in enumerate(name) if mark in _MARKS]
        for at in marks if len(marks) <= _MOST_MARKS else ():
            if (voice := self.voice_of(name[:at])) and (text := self.text_of(name[at + 1 :].lstrip(_MARKS))):
                ways.add((voice, text.id))
        return ways.pop() if len(ways) == 1 else None


class _Index:
    """Names, as they are, as ids, and in small letters where that is one thing alone."""

    def __init__(self, named: Iterable[tuple[str, Iterable[str]]]):
        self._exact: dict[str, str] = {}
        self._folded: dict[str, str | None] = {}
        for own_id, names in named:
            for name in names:
                self._exact.setdefault(name, own_id)
                key = name.casefold()
                self._folded[key] = own_id if self._folded.get(key, own_id) == own_id else None

    def found(self, name: str) -> str | None:
        return self._exact.get(name) or self._folded.get(name.casefold()) or self._exact.get(plain_id(name))


def _with_seeds(stem: str) -> Iterator[tuple[str, int]]:
    """The whole name first: many ids end in a number."""
    yield stem, 0
    if found := _SEED_BEHIND.fullmatch(stem):
        yield found[1], int(found[2])
