"""What OmniVoice reads before codes is, piece by piece, what upstream gives its tokenizer (omnivoice 0.2.1, _prepare_inference_inputs)."""

import random
import re
import unicodedata
from hashlib import sha256

import pytest

from engines.omnivoice import PACKAGE
from engines.omnivoice.text.input_text import MARKUP, combined, in_one_line, prompt_ids, with_final_mark
from studio.reading.reader import read as read_text

PARTS = [
    *("word", "a", " ", " ", "  ", "\t", "\n", "\r\n", "（", "）", "一", "二三", "。", ", ", "\u3000", "\u00a0", "[laughter]", "[B EY1 S]"),
    *("ZHONG4", "é", "e\u0301", "[", "]", "\x0b", "a b", "\u2028", "\U00020000", "ー", "👍🏽", "…", "；", "”", "）", "-"),
]
N_TEXTS = 2000
# Of the official functions' answers to `texts()`, a line each.
OF_COMBINED = "c80df1e2e77c619ee3a0ae5c8fba81483dfe749a121ed567b84617423338d71b"
OF_FINAL_MARKS = "339ae22d8fde78e2dfd6cd4b10dcf05d80731e0a417894dcb0437c8fe478213c"


class Chunks:
    """Stands in for a tokenizer: the id of a text is that text."""

    def ids(self, text):
        return [text] if text else []

    def special(self, name):
        return f"<{name}>"


def texts():
    draw = random.Random(17)
    for _ in range(N_TEXTS):
        yield tuple("".join(draw.choices(PARTS, k=draw.randint(0, 20))) for _ in range(2))


def digest(lines):
    return sha256("\n".join(lines).encode()).hexdigest()


def read(text, words=None, language=None, description=None, denoise=True):
    return "|".join(prompt_ids(Chunks(), text, words, language=language, description=description, denoise=denoise))


def test_a_text_without_a_recording_has_nothing_to_denoise():
    want = "<lang_start>|None|<lang_end>|<instruct_start>|None|<instruct_end>|<text_start>|Hello.|<text_end>"
    assert read("Hello.") == read("Hello.", denoise=False) == want


def test_the_style_goes_first_and_the_words_of_the_recording_before_the_text():
    want = "<denoise>|<lang_start>|en|<lang_end>|<instruct_start>|male, whisper|<instruct_end>|<text_start>|I said this. Hello.|<text_end>"
    assert read(" Hello. ", "I said this. ", "en", "male, whisper") == want
    assert read("Hello.", "I said this.", denoise=False).startswith("<lang_start>|None|")


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("Oh [sigh] no.", "Oh |[sigh]| no."),
        ("[laughter][question-ei]", "[laughter]|[question-ei]"),
        ("好 [surprise-ah] 好", "好|[surprise-ah]|好"),
        ("I play [B EY1 S], [laugh] and [sic].", "I play [B EY1 S], [laugh] and [sic]."),
        ("打ZHONG4人", "打ZHONG4人"),
    ],
)
def test_a_sound_is_tokenized_alone_and_no_other_bracket_is(text, chunks):
    assert read(text).split("<text_start>|")[1] == f"{chunks}|<text_end>"


def test_a_sound_is_the_same_whatever_stands_around_it():
    for text in ("[laughter] Yes.", "Yes[laughter]", "是[laughter]的"):
        assert "[laughter]" in read(text).split("|")


def test_texts_are_cleaned_as_upstream():
    assert digest(combined(text, words or None) for text, words in texts()) == OF_COMBINED
    assert combined("你 好（x）  a\tb", "好 。") == "好。你好(x) a b"


def test_a_long_row_of_blanks_takes_no_time():
    """A pattern that went over its rest from every blank would not end within the suite's limit."""
    row = "\u00a0" * 400_000
    assert combined(f"a{row}b", "c.") == f"c. a{row}b"
    assert combined(f"a{row}一{row}b", None) == "a一b"


def test_words_get_a_full_stop_of_their_script_as_upstream():
    assert (
        digest(with_final_mark(words) for pair in texts() for words in pair if not re.search("[\r\n\u2028]", words.strip()))
        == OF_FINAL_MARKS
    )
    assert [with_final_mark(words) for words in ("Hello", "Hello! ", "你好", "他说“好”", "Hi)", "")] == [
        "Hello.", "Hello!", "你好。", "他说“好”", "Hi)", "",
    ]  # fmt: skip


def test_these_marks_and_no_others_end_words_as_upstream():
    punctuation = [character for character in map(chr, range(0x10000)) if unicodedata.category(character)[0] == "P"]
    assert "".join(mark for mark in punctuation if with_final_mark(f"a{mark}") == f"a{mark}") == "!\"'),.:;?]}‘’“”…、。】！），：；？"


def test_a_line_end_joins_no_two_words():
    assert with_final_mark("one\ntwo") == "one two."
    assert in_one_line(" one \r\n\n two　三\n四 ") == "one two　三四"
    assert in_one_line("a  b" + " " * 5000) == "a  b"


@pytest.mark.parametrize("mark", ["[laughter]", "[dissatisfaction-hnn]", "[B EY1 S]", "[HH AH0 L OW1]", "[M]", "[S AY1]"])
def test_the_marks_that_it_obeys_reach_it(mark):
    assert any(re.fullmatch(pattern, mark) for pattern in MARKUP)
    assert read_text(f"So. {mark} Yes.", PACKAGE.info).text == f"So. {mark} Yes."


@pytest.mark.parametrize("direction", ["[laugh]", "[whispers]", "[angry]", "<|text_end|>"])
def test_directions_that_it_does_not_obey_are_left_out_and_told(direction):
    reading = read_text(f"{direction} So it is.", PACKAGE.info)
    assert reading.text == "So it is." and reading.told_marks == (direction,)


@pytest.mark.parametrize("prose", ["[sic]", "[one]", "[the author]", "[b ey1 s]", "[B XX1]"])
def test_other_words_in_brackets_stay_as_they_are(prose):
    assert not any(re.fullmatch(pattern, prose) for pattern in MARKUP)
    assert read_text(f"So {prose} it is.", PACKAGE.info).text == f"So {prose} it is."
    assert f"So {prose} it is." in read(f"So {prose} it is.").split("|")
