"""Materials: the texts, voices and brought sounds of an evaluation, read from files, names and lists."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from engines.contract.options import nearest
from studio.errors import EvaluationFileUnknown, EvaluationLanguageUnknown
from studio.evaluation_orders.asked import AskedTexts, AskedVoice
from studio.evaluations.plan.plan import EvaluationText
from studio.evaluations.texts.builtin import BUILTIN_LANGUAGES, builtin_texts
from studio.evaluations.texts.ids import plain_id
from studio.evaluations.texts.read import ReadTexts, read_texts
from studio.evaluations.texts.voices import ReadVoice

__all__ = ["Materials", "Note", "asked_voices", "builtin", "line_texts", "of_file", "read_asked", "thinned"]

Note = tuple[str, Mapping[str, object]]  # the key of a sentence, and its values


@dataclass(frozen=True)
class Materials:
    """names: of stored and built-in voices. listed: id -> name, of those that a list names. voices: recordings.

    references: text id -> a recording of the person who says it. folders: of sounds that are brought, label -> folder, a system each.
    notes: what is to be known of what was read.
    """

    texts: tuple[EvaluationText, ...] = ()
    names: tuple[AskedVoice, ...] = ()
    listed: Mapping[str, str] = field(default_factory=dict)
    voices: tuple[ReadVoice, ...] = ()
    references: Mapping[str, Path] = field(default_factory=dict)
    folders: Mapping[str, Path] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def with_texts(self, read: ReadTexts) -> "Materials":
        """And what a list brings along."""
        notes: tuple[Note, ...] = (*self.notes, ("command_read_texts", {"form": read.taken_for, "n": len(read.texts)}), *read.notes)
        voices = (*read.voices, *self.voices)
        return replace(self, texts=read.texts, voices=voices, listed=read.voice_names, references=read.references, notes=notes)

    def with_lines(self, texts: tuple[EvaluationText, ...]) -> "Materials":
        """And texts, of no list."""
        return replace(self, texts=texts)

    def with_folders(self, folders: Mapping[str, Path]) -> "Materials":
        """And sounds of other systems."""
        return replace(self, folders=folders)


def read_asked(texts: AskedTexts | None, voices: Sequence[str | AskedVoice], clips: Mapping[str, Path]) -> Materials:
    """As a request has them. clips: what was sent beside, by file name. No path that a list names is opened.

    Raises EvaluationLanguageUnknown, EvaluationFileUnknown, and what reading a list does.
    """
    named, recordings = asked_voices(voices, clips)
    known = Materials(names=named, voices=recordings)
    if texts is None:
        return known
    if texts.builtin is not None:
        return Materials(builtin(texts.builtin.languages, texts.builtin.n), named, voices=recordings)
    if texts.lines is not None:
        return Materials(line_texts(texts.lines, texts.language), named, voices=recordings)
    return known.with_texts(read_texts((texts.list or "").encode(), texts.filename, language=texts.language))


def builtin(languages: Iterable[str], n: int | None) -> tuple[EvaluationText, ...]:
    """n of each of these languages. Raises EvaluationLanguageUnknown."""
    asked = tuple(languages)
    for code in asked:
        if code not in BUILTIN_LANGUAGES:
            raise EvaluationLanguageUnknown(code, nearest(code, BUILTIN_LANGUAGES), tuple(BUILTIN_LANGUAGES))
    return builtin_texts(asked, n)


def of_file(known: Materials, file: Path, languages: Sequence[str], n: int | None) -> Materials:
    """And the texts of a file, with the recordings that it names: n of each of these languages, all where nobody says. Raises OSError,
    and what reading a list does."""
    language = languages[0] if len(languages) == 1 else None
    read = read_texts(file.read_bytes(), file.name, language=language, folder=file.parent)
    texts = thinned(read.texts, languages, n)
    said_by = {text.voice for text in texts}
    named = {one: name for one, name in read.voice_names.items() if one in said_by}
    voices = tuple(voice for voice in read.voices if voice.id in said_by)
    return known.with_texts(replace(read, texts=texts, voices=voices, voice_names=named))


def line_texts(lines: Sequence[str], language: str | None) -> tuple[EvaluationText, ...]:
    """A text each, with numbers as ids."""
    width = len(str(len(lines)))
    return tuple(EvaluationText(id=f"{number:0{width}d}", text=line, language=language) for number, line in enumerate(lines, 1))


def asked_voices(voices: Sequence[str | AskedVoice], clips: Mapping[str, Path]) -> tuple[tuple[AskedVoice, ...], tuple[ReadVoice, ...]]:
    """(those that have names, those that are recordings). Raises EvaluationFileUnknown."""
    asked = [AskedVoice(name=voice) if isinstance(voice, str) else voice for voice in voices]
    for voice in asked:
        if voice.file is not None and voice.file not in clips:
            raise EvaluationFileUnknown(voice.file, tuple(clips))
    recordings = tuple(
        ReadVoice(
            id=plain_id(Path(voice.file).stem),
            label=voice.label or Path(voice.file).stem,
            path=clips[voice.file],
            words=voice.words,
            language=voice.language,
            person=voice.person,
        )
        for voice in asked
        if voice.file is not None
    )
    return tuple(voice for voice in asked if voice.name is not None), recordings


def thinned(texts: Sequence[EvaluationText], languages: Sequence[str], n: int | None) -> tuple[EvaluationText, ...]:
    """Of a list the first n of each language, of these languages alone; all of them where nobody says which.

    A text that does not say its language has the one that is named, where one is.
    """
    if len(languages) == 1:
        texts = [text if text.language else text.model_copy(update={"language": languages[0]}) for text in texts]
    chosen = [text for text in texts if not languages or _bare(text.language) in {_bare(code) for code in languages}]
    taken: dict[str, int] = {}
    kept = []
    for text in chosen:
        code = _bare(text.language)
        taken[code] = taken.get(code, 0) + 1
        if n is None or taken[code] <= n:
            kept.append(text)
    return tuple(kept)


def _bare(code: str | None) -> str:
    """Without its region: "en" of "en-us"."""
    return (code or "").replace("_", "-").partition("-")[0].casefold()
