"""Dictionary: how words are said in this workspace, as the composer lists, keeps, imports and exports it."""

import base64
import binascii
from dataclasses import asdict

from engines.text.language_guess import guess_language
from studio.errors import LexiconFileInvalid
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.formats import FILE_TYPES, file_of, read_file
from studio.reading.lexicon.lexicon import Lexicon
from studio.service import Studio
from studio.ui.gradio.asked import text_in
from studio.ui.gradio.messages import answered

__all__ = ["delete_word", "export_words", "heard_word", "import_words", "keep_word", "list_words"]

Value = dict[str, object]


@answered
def list_words(studio: Studio, asked: Value) -> Value:
    """What assets/web/dictionary/dictionary.js draws: {entries, was_set_aside}, the newest first.

    asked: {}, or {written} of those that are wanted, however it is capitalized.
    """
    lexicon, wanted = studio.lexicon, asked.get("written")
    found = [one for one in lexicon.read().entries if wanted is None or one.written.casefold() == str(wanted).casefold()]
    return {"entries": [asdict(entry) for entry in reversed(found)], "was_set_aside": lexicon.was_set_aside}


@answered
def keep_word(studio: Studio, asked: Value) -> Value:
    """asked: {written, said, ipa, language, case, whole_word, instead}; instead: {written, language} of the entry that it was, or None.

    Where that has another form or language now, the other entry is deleted. Answers {entry}, as it is kept.
    """
    studio.check_owner(studio.workspace)
    lexicon, before = studio.lexicon, asked.get("instead")
    kept = lexicon.put(_entry(asked))
    if isinstance(before, dict) and before and (before["language"], before["written"]) != kept.key:
        lexicon.delete(str(before["written"]), str(before["language"]))
    return {"entry": asdict(kept)}


@answered
def heard_word(studio: Studio, asked: Value) -> Value:
    """What to speak so that an entry is heard that is not kept yet. asked: as of keep_word, {engine}, and the text that it is for.

    Answers {text, language}: text as it stands in place of the word, "" where the engine says the word as written; language "" where the
    engine decides.
    """
    entry, info = _entry(asked).checked(), studio.engine_info(text_in(asked, "engine"))
    language = entry.language or guess_language(str(asked.get("text") or ""))
    found = Lexicon([entry]).replacements(entry.written, language, takes_phones=info.takes_phones(language))
    return {"text": found[0].said if found else "", "language": language if language in info.languages else ""}


@answered
def delete_word(studio: Studio, asked: Value) -> Value:
    """asked: {written, language}."""
    studio.check_owner(studio.workspace)
    studio.lexicon.delete(str(asked["written"]), str(asked["language"]))
    return {}


@answered
def import_words(studio: Studio, asked: Value) -> Value:
    """Entries of a file, in place of those with their keys: all of it or nothing. asked: {name, data}, data in base64.

    Answers {n_imported, n_passed_over}.
    """
    studio.check_owner(studio.workspace)
    try:
        data = base64.b64decode(str(asked["data"]), validate=True)
    except binascii.Error as error:
        raise LexiconFileInvalid(1, "it did not arrive whole") from error
    file = read_file(data, "", str(asked["name"]))
    studio.lexicon.add(file.entries)
    return {"n_imported": len(file.entries), "n_passed_over": len(file.passed_over)}


@answered
def export_words(studio: Studio, asked: Value) -> Value:
    """{name, type, text} of a file. asked: {format}, pls or csv."""
    kind = "pls" if asked["format"] == "pls" else "csv"
    text = file_of(studio.lexicon.read().entries, kind).decode()
    return {"name": f"lexicon.{kind}", "type": FILE_TYPES[kind], "text": text}


def _entry(asked: Value) -> LexiconEntry:
    forms = {name: str(asked.get(name) or "") for name in ("written", "said", "ipa", "language")}
    return LexiconEntry(**forms, case=asked.get("case") is True, whole_word=asked.get("whole_word") is not False)
