"""Plain text: chapters, tables of contents, paragraphs that were wrapped, lines of a length that is said again gladly."""

import pytest

from studio.scripts.intake.headings import bare_number, is_bare_heading, is_chapter_heading
from studio.scripts.intake.passages import MOST_LINE_SECONDS, line_cuts
from studio.scripts.intake.read import read_script
from studio.scripts.script.script import ReadScript

HEADINGS = (
    "CHAPTER I.", "Chapter 12: The Cave", "CHAPTER I. Down the Rabbit-Hole", "Chapter One", "Chapter Twenty-Two", "CHAPTER THE FIRST",
    "BOOK THE SECOND—THE GOLDEN THREAD", "PART I", "ACT I", "SCENE II. Elsinore.", "Prologue", "EPILOGUE.", "Kapitel 3",
    "Erstes Kapitel", "2. Kapitel", "XII. KAPITEL", "Teil zwei", "Chapitre premier", "CHAPITRE IV", "Capítulo 2", "Capítulo primero",
    "Capitolo 7", "Hoofdstuk 3", "Глава первая", "ГЛАВА II", "Часть 1", "第一章", "第一章 陨落的天才", "第12回　帰還", "正文 第十二章 风云",
    "제1장", "序章", "プロローグ",
)  # fmt: skip
NO_HEADINGS = (
    "Chapter 3 was the hardest to write.", "Part of the plan failed", "Part one of the plan failed.", "Book Review", "I", "12:30",
    "第一章讲的是一个少年的故事。", "Chapter of accidents", "Scene five minutes later", "The introduction was long.", "Act two, they said,",
)  # fmt: skip
BODY = "It was a dark night and nobody was at home. The rain fell on the roof of the old house, and the wind moved the trees. " * 5


@pytest.mark.parametrize("text", HEADINGS)
def test_this_is_a_heading(text):
    assert is_chapter_heading(text)


@pytest.mark.parametrize("text", NO_HEADINGS)
def test_this_only_looks_like_one(text):
    assert not is_chapter_heading(text)


def test_numbers_and_titles_are_told_apart():
    assert [is_bare_heading(text) for text in ("CHAPTER I.", "第一章", "Chapter 1: A", "Prologue", "IV", "Text")] == [
        True,
        True,
        False,
        False,
        True,
        False,
    ]
    assert [bare_number(text) for text in ("IV", "12.", "I. A Scandal", "I am", "3, 4")] == [
        (4, ""),
        (12, ""),
        (1, "A Scandal"),
        None,
        None,
    ]


def headings(read: ReadScript) -> list[str]:
    return [line.text for line in read.lines if line.kind == "heading"]


def book(*parts: str) -> ReadScript:
    return read_script("\n\n".join(parts))


def test_a_number_and_its_title_are_one_chapter():
    assert headings(book("CHAPTER I.\nDown the Hole", BODY, "CHAPTER II.", "The Pool", BODY)) == [
        "CHAPTER I. Down the Hole",
        "CHAPTER II. The Pool",
    ]
    assert headings(book("PART ONE", "CHAPTER I", BODY, "CHAPTER II", BODY)) == ["PART ONE", "CHAPTER I", "CHAPTER II"]


def test_numbers_alone_count_chapters_where_they_count_up_with_text_between():
    assert headings(book("I", BODY, "II", BODY, "III", BODY)) == ["I", "II", "III"]
    assert headings(book("I. THE DOG", BODY, "II. THE CAT", BODY)) == ["I. THE DOG", "II. THE CAT"]
    assert headings(book("1. Milk", "2. Bread", "3. Eggs")) == headings(book("Milk", "Bread", "Eggs")) == []
    assert headings(book("V", BODY, "III", BODY)) == []


def test_titles_in_capitals_are_chapters_where_nothing_counts_them():
    assert headings(book("THE DOG", BODY, "THE CAT", BODY)) == ["THE DOG", "THE CAT"]
    assert headings(book(BODY, "STOP!", BODY)) == []


@pytest.mark.parametrize(
    "contents",
    ["Contents\n\n CHAPTER I. The Dog\n CHAPTER II. The Cat", "Inhalt\n\nCHAPTER I. The Dog ..... 3\n\nCHAPTER II. The Cat ..... 9"],
)
def test_a_table_of_contents_is_silent_and_no_chapters(contents):
    read = book("The Animals", contents, "CHAPTER I. The Dog", BODY, "CHAPTER II. The Cat", BODY)
    assert headings(read) == ["The Animals", "CHAPTER I. The Dog", "CHAPTER II. The Cat"]
    assert any("CHAPTER II" in line.text for line in read.lines if line.is_silent) and read.notes == (("note_contents", {"n": 3}),)
    bare = book("CHAPTER I", "CHAPTER II", "CHAPTER III", *(part for number in ("I", "II", "III") for part in (f"CHAPTER {number}", BODY)))
    assert headings(bare) == ["CHAPTER I", "CHAPTER II", "CHAPTER III"]


def test_lines_that_were_wrapped_are_one_paragraph_and_verse_is_not():
    wrapped = (
        "He came to the door of the house in the evening, and the door was open\nbefore he had knocked. A well-\nknown voice was speak-\n"
        "ing to somebody whom nobody\nhad seen."
    )
    verse = "Twinkle, twinkle, little bat!\nHow I wonder what you’re at!\n\nUp above the world you fly,\n"
    verse += "Like a tea-tray in the sky,\nOver all the\nAnd away,"
    read = read_script(f"{wrapped} He was speaking of a well-known man.\n\n{wrapped}\n\n{verse}")
    assert (
        read.lines[0].text
        == wrapped.replace("well-\n", "well-").replace("-\n", "").replace("\n", " ") + " He was speaking of a well-known man."
    )
    assert read.lines[-1].text.count("\n") == 3


def test_a_file_with_a_paragraph_in_each_line_has_a_line_for_each():
    assert [line.text for line in read_script("　　他走了。\n　　她没有说话，只是看着窗外。\n第二章 夜\n　　天黑了。").lines] == [
        "他走了。",
        "她没有说话，只是看着窗外。",
        "第二章 夜",
        "天黑了。",
    ]
    assert len(read_script("Hello there.\nHow are you?\nGoodbye then.").lines) == 3


def test_a_long_paragraph_is_cut_at_sentences_into_lines_alike():
    cuts = line_cuts(BODY.strip())
    assert " ".join(cuts) == BODY.strip() and len(cuts) == 2 and all(cut.endswith(".") for cut in cuts)
    assert max(map(len, cuts)) < 1.3 * min(map(len, cuts)) and max(map(len, cuts)) <= MOST_LINE_SECONDS * 14.1
    chinese = "他走到门口，看见外面下着大雨。" * 20
    assert "".join(line_cuts(chinese)) == chinese and len(line_cuts(chinese)) == 3
    assert max(map(len, line_cuts("word " * 3_000))) <= 1_200 and "".join(line_cuts("x" * 9_000)) == "x" * 9_000


def test_what_gutenberg_puts_around_a_book_is_told_and_not_read():
    around = "The Project Gutenberg eBook of Emma\n\nTitle: Emma\n\nAuthor: Jane Austen\n\nLanguage: German\n\n"
    around += "*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***\n\n\nProduced by Somebody\nat home\n\n"
    read = read_script(f"{around}CHAPTER I\n\n{BODY}\n\n*** END OF THE PROJECT GUTENBERG EBOOK EMMA ***\n\nLicense " + BODY)
    assert (read.head.title, read.head.author, read.head.language) == ("Emma", "Jane Austen", "de")
    assert read.lines[0].text == "CHAPTER I" and "License" not in read.lines[-1].text
    assert [key for key, _ in read.notes] == ["note_gutenberg"]


def test_scenes_are_parted_by_a_silence_and_pictures_are_silent():
    read = book("One.", "* * *", "[Illustration: A dog]", "Two.")
    assert [(line.text, line.is_silent, line.pause_seconds) for line in read.lines] == [
        ("One.", False, 1.0),
        ("[Illustration: A dog]", True, None),
        ("Two.", False, None),
    ]
