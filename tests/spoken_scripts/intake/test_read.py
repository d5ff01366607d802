"""What people bring is recognized, decoded, and never loses a word."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import ScriptFileUnusable
from studio.scripts.intake import read as reading
from studio.scripts.intake.read import read_script, readable_as
from studio.words.sentences import sentences_in

RUSSIAN = "Однажды весною, в час небывало жаркого заката, в Москве появились два гражданина.\n"
CHINESE = "第一章 少年\n“斗之力，三段！”望着石碑上面闪亮得甚至有些刺眼的五个大字，少年面无表情。\n"
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたか見当がつかぬ。\n"
FRENCH = "Où est-il allé ? L’élève répondit qu’il n’avait pas été à l’école hier.\n"
POLISH = "Zażółć gęślą jaźń. Był późny wieczór, a księżyc świecił nad łąką.\n"


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (FRENCH, "utf-8", ""),
        (FRENCH, "utf-8-sig", ""),
        (FRENCH, "utf-16", ""),
        (FRENCH, "utf-16-le", ""),
        (FRENCH, "cp1252", "Windows-1252"),
        (POLISH, "cp1250", "Windows-1250"),
        (RUSSIAN, "cp1251", "Windows-1251"),
        (RUSSIAN, "koi8-r", "KOI8-R"),
        (CHINESE, "gb18030", "GB18030"),
        (CHINESE.replace("斗", "x"), "big5", ""),
        (JAPANESE, "shift_jis", "Shift_JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
    ],
)
def test_texts_are_read_in_the_encoding_in_which_they_come_and_told(text, encoding, name):
    if encoding == "big5":
        text, name = "這是一個很長的故事，他們說了很多話，最後大家都回家去了。\n", "Big5"
    read = read_script(text.encode(encoding))
    assert read.lines[0].text in text
    assert read.notes == ((("note_encoding", {"encoding": name}),) if name else ())


def test_a_few_bytes_that_are_no_utf8_are_told():
    read = read_script((RUSSIAN * 20).encode().replace("М".encode(), b"\xd0", 1))
    assert read.notes == (("note_damaged", {"n": 1}),)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n", "\u2028"])
def test_line_ends_are_one(end):
    assert [line.text for line in read_script(f"ANNA: Hi.{end}BEN: Yes.{end}ANNA: No.").lines] == ["Hi.", "Yes.", "No."]


MARKDOWN = (
    "---\ntitle: My Book\nauthor: Me\ntags: x\n---\n# The Tree\n\nIntro *text*\nwrapped.  \nhard\n\n## One\n\n- item\n- other\n\n---\n\n"
    "### Within\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\n## Two\n\n[1]: http://x.y\n"
)


def test_markdown_keeps_what_the_reading_understands():
    read = read_script(MARKDOWN)
    assert (read.taken_for, read.head.title, read.head.author, dict(read.notes)) == (
        "markdown",
        "My Book",
        "Me",
        {"note_left_out": {"words": "tags: x"}},
    )
    assert [line.text for line in read.lines if line.kind == "heading"] == ["The Tree", "One", "Two"]
    assert [line.text for line in read.lines if line.kind == "line" and not line.is_silent] == [
        "Intro *text* wrapped.\nhard",
        "- item",
        "- other",
        "Within",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ]
    assert [line.text for line in read.lines if line.is_silent] == ["```\ncode\n```", "[1]: http://x.y"]
    assert read.lines[4].pause_seconds == 1.0 and read.lines[5].pause_seconds == 0.8


def test_a_page_of_html_is_read():
    read = read_script("<!DOCTYPE html><html lang='de'><head><title>Die Seite</title></head><body><h1>Eins</h1><p>Text.</p></body></html>")
    assert (read.taken_for, read.head.title, read.head.language, len(read.lines)) == ("html", "Die Seite", "de", 2)


def test_it_is_read_as_somebody_says_and_told_what_it_can_be():
    text = "Note: milk\nWarning: hot"
    assert read_script(text).taken_for == "text"
    asked = read_script("Apples: red\nPears: green\nNuts: brown\nPlums: blue", as_format="dialogue")
    assert [line.who for line in asked.lines] == ["Apples", "Pears", "Nuts", "Plums"]
    assert readable_as(text) == ("text", "dialogue", "markdown", "screenplay") and readable_as('["a"]') == ("json", "text")
    assert (
        readable_as("1\n00:00:01,000 --> 00:00:02,000\nHi")[0] == "srt" and read_script('["a"]', as_format="text").lines[0].text == '["a"]'
    )
    with pytest.raises(ScriptFileUnusable) as refused:
        read_script(text, as_format="pdf")
    assert refused.value.values["sentence"] == "script_format_unknown"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "script_file_empty"),
        (" \n\ufeff", "script_file_empty"),
        (b"%PDF-1.7 ...", "script_file_document"),
        (b"{\\rtf1 hello}", "script_file_document"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "script_file_document"),
        (b"ID3\x03" + bytes(99), "script_file_binary"),
        (bytes(range(256)) * 9, "script_file_binary"),
        ("* * *", "script_file_no_words"),
        (b"hello there", "script_file_too_large"),
        ("words " * 2, "script_file_too_long"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(data, sentence, monkeypatch):
    if sentence == "script_file_too_large":
        monkeypatch.setattr(reading, "MOST_TEXT_BYTES", 10)
    if sentence == "script_file_too_long":
        monkeypatch.setattr(reading, "MOST_CHARACTERS", 10)
    with pytest.raises(ScriptFileUnusable) as refused:
        read_script(data)
    assert refused.value.values["sentence"] == sentence


def test_titles_and_languages_are_guessed_where_nobody_tells_them():
    french = read_script(FRENCH * 3, "le_petit-bois.txt")
    assert (french.head.title, french.head.language) == ("le petit bois", "fr")
    assert read_script(CHINESE).head.language == "zh" and read_script("Ok.").head.language is None
    assert (
        read_script("The dog and the cat were in the house. " * 9).head.title
        == "The dog and the cat were in the house. The dog and the cat…"
    )
    finnish = "Tämä on pitkä tarina, jota kukaan ei ole vielä kertonut kenellekään. "
    assert read_script(finnish * 3).head.language is None


def test_every_note_has_its_sentence():
    known = sentences_in("en").sections["scripts"]
    for text in (MARKDOWN, "ANNA: Hi. (Exit.)\nBEN: Yes."):
        assert all(key in known for key, _ in read_script(text).notes)


WORDS = st.lists(
    st.sampled_from(
        [
            "ANNA:",
            "Ben:",
            "Note:",
            "CHAPTER",
            "I",
            "II.",
            "Contents",
            "(softly)",
            "[laughs]",
            "hello",
            "world.",
            "12:30",
            "*",
            "#",
            "##",
            "-",
            ">",
            "|",
            "```",
            "__",
            "{x}",
            "第一章",
            "他说：",
            "太郎「はい」",
            "„Ja“",
            "—",
            "…",
        ]
    ),
    min_size=1,
    max_size=9,
)
SEPARATORS = st.sampled_from([" ", "\n", "\n\n", "\n    ", " \n", "-\n"])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(WORDS, SEPARATORS), min_size=1, max_size=12))
def test_no_letter_is_ever_lost(parts):
    """Each is in a line, in a name, or told in the notes."""
    text = "".join(" ".join(words) + end for words, end in parts)
    for form in (None, "text", "dialogue", "markdown", "screenplay"):
        try:
            read = read_script(text, as_format=form)
        except ScriptFileUnusable as refused:
            assert refused.values["sentence"] in ("script_file_no_words", "script_file_empty") and not any(map(str.isalnum, text))
            continue
        kept = "".join(
            (
                *(f"{line.who * 99}{line.text}{line.instructions or ''}" for line in read.lines),
                str(read.notes),
                read.head.description,
                read.head.title,
            )
        )
        lost = Counter(filter(str.isalnum, text.casefold())) - Counter(kept.casefold())
        assert not lost, (form, lost, read.lines)
