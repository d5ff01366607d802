"""Lists without names of columns: one text in each line, and the forms in which test sets of the field come.

    seed_tts_eval    `utt|prompt text|prompt wav|text`, a fifth column the person's own recording of the text; `utt|text|prompt wav`
    minimax          `label|text`, a label as `english_female`; recordings lie in ../speaker/english/english_female/
    librispeech_pc   tabs: the prompt's id, seconds and words; the id, seconds and words of the text (cross-sentence lists of F5-TTS)
    voiced           `voice|text`, where voices come again; `ids`: `id|text`, or a tab between; `id|text|text` as LJSpeech
    recorded         `file.wav|text`, `file.wav|speaker|language|text`: recordings of the texts
    kaldi            the id, a space, the text, in each line
    lines            one text in each line

Forms: get_wav_res_ref_text.py of BytedanceSpeech/seed-tts-eval; the card of MiniMaxAI/TTS-Multilingual-Test-Set; kaldi-asr.org,
"Data preparation"; f5_tts/eval/utils_eval.py of F5-TTS.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from studio.evaluations.texts.languages import code_of
from studio.evaluations.texts.rows import FoundRows, TextRow, is_sound_name, stem_of

__all__ = ["list_rows"]

COMMENT = "#"
_MOST_NAME_CHARACTERS = 255
_LEAST_SHARE = 0.8  # of the lines that are of a form, for the list to be taken for it: the others are told
_DIDI = re.compile(r"(\d{8})-\d{8}")  # of DiDiSpeech, which seed-tts-eval has its Chinese from: the person, the sentence
_LABEL = re.compile(r"[a-z]+(?:_[a-z]+)*_(?:female|male)")
_KALDI_ID = re.compile(r"(?=[^\d\s]*\d)(?=\d*[^\d\s])[\w.-]{2,}", re.ASCII)  # a digit, and something else
_FEWEST_AGAIN = 0.5  # of lines: where no more ids than that are unlike each other, they are voices
_Line = tuple[int, str]


def list_rows(text: str, filename: str) -> FoundRows:
    """Of a text that is no table and no JSON. Every text is a list of lines at least."""
    numbered = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    lines = [(number, line) for number, line in numbered if not line.startswith(COMMENT)]
    n_comments = len(numbered) - len(lines)
    for form in (_seed_tts, _librispeech, _in_two, _kaldi):
        if found := form(lines, filename):
            rows, taken_for = found
            told = {row.line for row in rows}
            return FoundRows(rows, taken_for, tuple(number for number, _ in lines if number not in told), n_comments)
    return FoundRows(tuple(TextRow(number, line) for number, line in lines), "lines", n_comments=n_comments)


_Found = tuple[tuple[TextRow, ...], str] | None


def _taken(lines: Sequence[_Line], read: Callable[[int, str], TextRow | None]) -> tuple[TextRow, ...]:
    """The rows, where enough of the lines are of the form; else ()."""
    rows = tuple(row for number, line in lines if (row := read(number, line)) is not None)
    return rows if rows and len(rows) >= _LEAST_SHARE * len(lines) else ()


def _seed_tts(lines: Sequence[_Line], _filename: str) -> _Found:
    rows = _taken(lines, _seed_row)
    return (rows, "seed_tts_eval") if rows else None


def _seed_row(number: int, line: str) -> TextRow | None:
    parts = [part.strip() for part in line.split("|")]
    if len(parts) in (4, 5) and is_sound_name(parts[2]):
        utterance, words, prompt, text, *recording = parts
        person = found[1] if (found := _DIDI.fullmatch(stem_of(prompt))) else ""
        own = recording[0] if recording else ""
        return TextRow(number, text, stem_of(utterance), prompt_words=words, prompt_file=prompt, file=own, person=person)
    if len(parts) == 3 and is_sound_name(parts[2]):
        return TextRow(number, parts[1], id=stem_of(parts[0]), prompt_file=parts[2])
    return None


def _librispeech(lines: Sequence[_Line], _filename: str) -> _Found:
    rows = _taken(lines, _librispeech_row)
    return (rows, "librispeech_pc") if rows else None


def _librispeech_row(number: int, line: str) -> TextRow | None:
    parts = [part.strip() for part in line.split("\t")]
    if len(parts) != 6 or not (_is_number(parts[1]) and _is_number(parts[4])):
        return None
    person, prompt = parts[0].partition("-")[0], _libri_path(parts[0])
    return TextRow(number, parts[5], parts[3], prompt_words=parts[2], prompt_file=prompt, file=_libri_path(parts[3]), person=person)


def _libri_path(utterance: str) -> str:
    """ "1089-134686-0000" lies in 1089/134686/."""
    person, _, rest = utterance.partition("-")
    chapter = rest.partition("-")[0]
    return str(PurePosixPath(person, chapter, f"{utterance}.flac")) if chapter else f"{utterance}.flac"


def _in_two(lines: Sequence[_Line], _filename: str) -> _Found:
    """Of two parts: voices, ids or files of sounds, and texts."""
    rows = _taken(lines, _row_in_two)
    if not rows:
        return None
    names = [row.id for row in rows]
    n_unlike = len(set(names))
    if all(map(_LABEL.fullmatch, names)):
        return tuple(TextRow(row.line, row.text, voice=row.id) for row in rows), "minimax"
    if n_unlike <= _FEWEST_AGAIN * len(names) and all(map(is_sound_name, names)):
        return tuple(TextRow(row.line, row.text, prompt_file=row.id) for row in rows), "minimax"
    if n_unlike <= _FEWEST_AGAIN * len(names):
        return tuple(TextRow(row.line, row.text, voice=row.id) for row in rows), "voiced"
    if all(map(is_sound_name, names)):
        return tuple(TextRow(row.line, row.text, id=stem_of(row.id), file=row.id, language=row.language) for row in rows), "recorded"
    return tuple(TextRow(row.line, row.text, id=stem_of(row.id)) for row in rows), "ids"


def _row_in_two(number: int, line: str) -> TextRow | None:
    name, mark, text = line.partition("|" if "|" in line else "\t")
    name = name.strip()
    if not mark or not 0 < len(name) <= _MOST_NAME_CHARACTERS or any(map(str.isspace, name)):
        return None
    parts = [part.strip() for part in text.split("|")]
    if len(parts) == 3 and is_sound_name(name) and code_of(parts[1]):
        return TextRow(number, parts[2], id=name, language=parts[1])
    # LJSpeech has the text twice: as it is written, and with its numbers in words. What is written is what an engine gets.
    return TextRow(number, parts[0] if mark == "|" and not _LABEL.fullmatch(name) else text.strip(), id=name)


def _kaldi(lines: Sequence[_Line], filename: str) -> _Found:
    """Every line begins with an id, no two alike. A single line is only one where the file is called so."""
    ids = [line.split(maxsplit=1)[0] for _, line in lines]
    is_called_so = filename.replace("\\", "/").rsplit("/", 1)[-1] == "text"
    if not ids or len(set(ids)) < len(ids) or (len(ids) < 2 and not is_called_so) or not all(map(_KALDI_ID.fullmatch, ids)):
        return None
    rows = tuple(TextRow(number, line[len(name) :].strip(), id=name) for name, (number, line) in zip(ids, lines, strict=True))
    return (rows, "kaldi") if sum(bool(row.text) for row in rows) >= _LEAST_SHARE * len(rows) else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
