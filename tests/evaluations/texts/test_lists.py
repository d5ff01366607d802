"""Lists of texts: each form is told from the others, and what is not used is told with its lines."""

import json

import pytest

from studio.errors import EvaluationTextsUnusable
from studio.evaluations.plan.plan import MOST_TEXT_CHARACTERS, MOST_TEXTS
from studio.evaluations.texts.read import read_texts
from studio.words.sentences import LANGUAGES, sentences_in

SENTENCES = ("The train leaves at nine.", "Where is the key?", "Bring bread, cheese and milk.")
HEADS = (
    "id,text,language",
    "language;text;id",
    "Sprache\tSatz\tKennung",
    "langue;phrase;identifiant",
    "identificador,oración,idioma",
    "编号,文本,语言",
    "言語,テキスト,番号",
)


def notes_of(read) -> dict:
    return dict(read.notes)


def said_in_every_language(read) -> None:
    for language in LANGUAGES:
        sentences = sentences_in(language)
        for key, values in (*read.notes, (f"texts_are_{read.taken_for}", {})):
            assert "{" not in sentences.words(f"evaluations.{key}", values)


def test_plain_lines_leave_out_comments_and_blank_lines_and_say_so():
    read = read_texts("# spoken by nobody\n\n" + "\n\n".join(SENTENCES) + "\n...\n", "list.txt")
    assert [text.text for text in read.texts] == list(SENTENCES) and read.taken_for == "lines"
    assert [text.id for text in read.texts] == ["3", "5", "7"], "the numbers of their lines"
    assert notes_of(read) == {"texts_comments": {"n": 1}, "texts_wordless": {"n": 1, "lines": "8"}}
    said_in_every_language(read)


@pytest.mark.parametrize("head", HEADS)
def test_a_table_has_its_columns_in_any_order_and_in_the_words_of_any_country(head):
    mark = next(mark for mark in ",;\t" if mark in head)
    names = head.split(mark)
    at_text = next(at for at, name in enumerate(names) if name in ("text", "Satz", "phrase", "oración", "文本", "テキスト"))
    at_language = next(at for at, name in enumerate(names) if name in ("language", "Sprache", "langue", "idioma", "语言", "言語"))
    rows = []
    for number, sentence in enumerate(SENTENCES):
        cells = [f"a{number}"] * 3
        cells[at_text], cells[at_language] = f'"{sentence}"', ("en", "German", "zh-CN")[number]
        rows.append(mark.join(cells))
    read = read_texts("\r\n".join([head, *rows]).encode("utf-8-sig"))
    assert [(text.id, text.text, text.language) for text in read.texts] == [
        ("a0", SENTENCES[0], "en"),
        ("a1", SENTENCES[1], "de"),
        ("a2", SENTENCES[2], "zh-cn"),
    ]
    assert read.taken_for == "table" and not read.notes


def test_an_open_quote_is_refused_with_its_line_and_loses_none_behind_it():
    with pytest.raises(EvaluationTextsUnusable) as told:
        read_texts('id,text\n1,"fine"\n2,"never closed\n3,fine\n4,fine\n', "a.csv")
    assert told.value.values["line"] == 3
    read = read_texts('id\ttext\n1\t"Well," she said\n2\t"So\n')
    assert [text.text for text in read.texts] == ['"Well," she said', '"So'], "tables with tabs mostly know no quotes"


def test_json_is_a_list_an_object_around_one_or_an_entry_in_each_line():
    entries = [{"utt_id": f"u{at}", "sentence": sentence, "lang": "en", "license": "CC0"} for at, sentence in enumerate(SENTENCES)]
    forms = {
        "json": [json.dumps(entries), json.dumps({"name": "mine", "texts": entries}), json.dumps(list(SENTENCES))],
        "jsonl": ["\n".join(map(json.dumps, entries))],
    }
    for taken_for, texts in forms.items():
        for text in texts:
            read = read_texts(text)
            assert [one.text for one in read.texts] == list(SENTENCES) and read.taken_for == taken_for
    assert notes_of(read_texts(forms["jsonl"][0])) == {"texts_columns": {"n": 1, "columns": "license"}}
    with pytest.raises(EvaluationTextsUnusable) as told:
        read_texts('[{"speech": 1}]')
    assert told.value.values["columns"] == "speech"


def test_kaldi_text_is_told_from_sentences():
    read = read_texts("spk1_001 HE HOPED THERE WOULD BE STEW\nspk1_002 AFTER EARLY NIGHTFALL\n", "text")
    assert read.taken_for == "kaldi" and [(text.id, text.text) for text in read.texts][1] == ("spk1_002", "AFTER EARLY NIGHTFALL")
    assert read_texts("1984 was written by Orwell.\n2001 was not.\n").taken_for == "lines"
    assert read_texts("他有3本书\n我有4本书\n").taken_for == "lines"


def test_ids_voices_and_recordings_before_a_bar():
    assert [text.id for text in read_texts("a|One.\nb|Two.\n").texts] == ["a", "b"]
    assert [text.text for text in read_texts("LJ1|In 1984.|In nineteen eighty-four.\nLJ2|No. 2|Number two.").texts] == ["In 1984.", "No. 2"]
    voiced = read_texts("Anna Müller|One.\nAnna Müller|Two.\nBen|Three.\nBen|Four.\n")
    assert voiced.taken_for == "lines", "a name with a space is no name of such a list"
    voiced = read_texts("Anna|One.\nAnna|Two.\nBén|Three.\nBén|Four.\n")
    assert voiced.taken_for == "voiced" and set(voiced.voice_names.values()) == {"Anna", "Bén"}
    assert [text.voice for text in voiced.texts[:2]] == ["Anna", "Anna"] and not voiced.voices
    recorded = read_texts("wavs/x.wav|speaker|ZH|你好。\nwavs/y.wav|speaker|EN|Hello there.\n")
    assert [(text.id, text.text, text.language) for text in recorded.texts] == [("x", "你好。", "zh"), ("y", "Hello there.", "en")]


def test_names_that_are_no_ids_become_some_and_those_that_come_again_get_a_number():
    read = read_texts("id,text\nStraße 1,One.\nStraße 2,Two.\nx,Three.\nx,Four.\n" + "y" * 80 + ",Five.\n..,Six.\nx-2,Seven.\n")
    ids = [text.id for text in read.texts]
    assert len(set(ids)) == 7 and ids[2:4] == ["x", "x-2"] and ids[6] == "x-2-2"
    assert notes_of(read)["texts_ids_again"] == {"n": 2, "ids": "x, x-2"} and notes_of(read)["texts_ids_changed"]["n"] == 4
    assert ids[:2] == [text.id for text in read_texts("id,text\nStraße 1,One.\nStraße 2,Two.").texts], "the same in every file"
    said_in_every_language(read)
    assert [text.id for text in read_texts("id,text\nx,One.\nx-2,Two.\nx,Three.\nx,Four.").texts] == ["x", "x-2", "x-3", "x-4"]


def test_texts_that_nobody_can_say_are_named_by_line_and_too_many_are_refused():
    long = "word " * (MOST_TEXT_CHARACTERS // 5 + 1)
    read = read_texts(f"One.\n{long}\n?!\nTwo.\nTwo.\n")
    assert notes_of(read) == {
        "texts_wordless": {"n": 1, "lines": "3"},
        "texts_long": {"n": 1, "lines": "2", "most": MOST_TEXT_CHARACTERS},
        "texts_repeated": {"n": 1},
    }
    said_in_every_language(read)
    for data, sentence in (
        (long, "evaluation_texts_too_long"),
        ("\n".join(f"Number {n}." for n in range(MOST_TEXTS + 1)), "evaluation_texts_too_many"),
        (" \n\ufeff\n", "evaluation_texts_empty"),
        ("?\n!\n", "evaluation_texts_empty"),
        (b"PK\x03\x04 a workbook", "evaluation_texts_binary"),
        (b"RIFF\x00\x00\x00\x00WAVE", "evaluation_texts_binary"),
        ("name,value\n1,2\n", None),
    ):
        if sentence is None:
            assert read_texts(data, "a.txt").taken_for == "lines"
            continue
        with pytest.raises(EvaluationTextsUnusable) as told:
            read_texts(data)
        assert told.value.values["sentence"] == sentence
    with pytest.raises(EvaluationTextsUnusable) as told:
        read_texts("id,language\n1,en\n", "a.csv")
    assert told.value.values["columns"] == "id, language"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_line_ends_and_no_break_spaces_hold(encoding):
    text = "id;Satz\r\n1;Grüße aus Köln, schöne Straße!\r\n2;Où est-elle\u00a0?\r\n3;Änderung für 5 €, überall größer\r\n"
    read = read_texts(text.encode(encoding))
    assert [one.text for one in read.texts] == ["Grüße aus Köln, schöne Straße!", "Où est-elle\u00a0?", "Änderung für 5 €, überall größer"]
    assert ("texts_encoding" in notes_of(read)) == (encoding == "cp1252")


def test_the_language_is_the_lists_or_the_callers_or_that_of_the_name_of_the_file():
    assert read_texts("Eins.\n", "german.txt").texts[0].language == "de"
    assert notes_of(read_texts("Eins.\n", "lists/de.txt")) == {"texts_language_of_file": {"code": "de"}}
    assert read_texts("Eins.\n", "german.txt", language="nl").texts[0].language == "nl"
    assert read_texts("Eins.\n", "sentences.txt").texts[0].language is None
    read = read_texts("text,lang\nEins.,deutsch\nZwei.,allemand\nDrei.,Sindarisch?\n", language="de")
    assert [text.language for text in read.texts] == ["de"] * 3
    assert notes_of(read) == {"texts_languages_unknown": {"n": 1, "languages": "Sindarisch?"}}
