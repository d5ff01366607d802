"""A text is spoken in pieces of sentences, neither long nor short; no mark is cut, and a piece is given out as soon as it is certain."""

import re
from collections.abc import Iterator

import pytest

from engines.cosyvoice3.text.text_pieces import LONGEST_TOKENS, MOST_TOKENS, SHORT_TOKENS, text_pieces
from engines.errors import TextUnspeakable
from tests.engines.cosyvoice3.text.plain_tokenizer import PlainTokenizer

COUNT = PlainTokenizer().count


def sentence(n_tokens: int, word: str = "word") -> str:
    return " ".join([word] * (n_tokens - 1)) + "."


def chinese(n_tokens: int) -> str:
    return "字" * (n_tokens - 1) + "。"


def pieces(text: str) -> list[str]:
    return list(text_pieces(text, COUNT))


def sizes(text: str) -> list[int]:
    return [COUNT(piece) for piece in pieces(text)]


LONG = "A sentence of some length, which goes on a little. And another one follows it! " * 9
TEXTS = [LONG, "一句话说得很长，又说了一句。" * 30, "word " * 400, "字" * 500, LONG + "\n\n" + LONG, "12 " * 300, "a, " * 300]


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_are_of_a_size_and_nothing_is_lost(text):
    found = pieces(text)
    assert all(COUNT(piece) <= LONGEST_TOKENS for piece in found)
    assert len(found) == 1 or all(COUNT(piece) >= SHORT_TOKENS for piece in found)
    assert re.sub(r"\W", "", "".join(found)) == re.sub(r"\W", "", text)
    assert all(piece == piece.strip() and "\n" not in piece for piece in found)


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ([10, 10, 10], [30]),
        ([40, 40, 40], [80, 40]),
        ([40, 41, 40], [40, 41, 40]),
        ([70, 70], [70, 70]),
        ([19, 81, 30], [100, 30]),
        ([20, 70, 30], [20, 70, 30]),
        ([70, 19], [89]),
        ([70, 20], [70, 20]),
        ([100], [100]),
        ([100, 10], [100, 10]),
    ],
)
def test_sentences_stay_together_as_long_as_they_fit(sentences, expected):
    assert sizes(" ".join(sentence(n) for n in sentences)) == expected
    assert sizes("".join(chinese(n) for n in sentences)) == expected


def test_a_sentence_that_is_too_long_is_cut_at_its_clauses_else_its_words():
    clauses = " ".join("one two three four five six seven eight nine," for _ in range(20))
    found = pieces(clauses + " end.")
    assert len(found) == 3 and all(piece.endswith((",", ".")) and COUNT(piece) <= MOST_TOKENS for piece in found)
    assert all(piece.split()[-1].rstrip(".") == "word" for piece in pieces("word " * 250))


def test_a_word_of_many_tokens_is_cut_between_its_characters():
    assert [len(piece) for piece in text_pieces("я" * 200, len)] == [80, 80, 41]  # the last has its full stop


def test_no_part_is_long_where_the_tokens_of_a_sentence_lie_together():
    found = list(text_pieces("ж" * 300 + "я" * 300, lambda part: part.count("я")))
    assert max(piece.count("я") for piece in found) <= MOST_TOKENS


MARKS = ("[vocalized-noise]", "[HH][AH0][L][OW1]", "[j][ǐ]", "<strong>哇！真的？好。</strong>", "<laughter>", "PyTorch", "3.14")


@pytest.mark.parametrize("mark", MARKS)
def test_no_mark_is_cut_wherever_it_stands(mark):
    for n_before in range(40, 112):
        found = pieces("字" * n_before + mark + "字" * 120)
        assert len(found) > 1 and any(mark in piece for piece in found), n_before


@pytest.mark.parametrize("opened", ["[ ", "so sad :[ ", "<strong> ", "<strong></laughter>", "</strong>"])
def test_what_is_never_closed_keeps_nothing_together(opened):
    assert max(sizes(opened + LONG)) <= LONGEST_TOKENS


def test_paragraphs_are_joined_with_a_blank_where_their_script_has_blanks():
    assert pieces("A title\n\nA text.") == ["A title. A text."]
    assert pieces("标题\n\n正文") == ["标题。正文。"]
    assert pieces("标题\n\nText") == ["标题。 Text."]


def test_an_ideograph_counts_as_a_token_at_least():
    """Of the vocabulary of Qwen2 a token has one to three of them."""
    text = "".join(chinese(30) for _ in range(4))
    assert [len(piece) for piece in text_pieces(text, lambda part: len(part) // 3)] == [60, 60]


def test_a_piece_is_given_out_as_soon_as_nothing_that_follows_can_change_it():
    counted = []

    def count(text: str) -> int:
        counted.append(text)
        return COUNT(text)

    text = " ".join(sentence(50, word) for word in ("ant", "bee", "cow", "dog"))
    found: Iterator[str] = text_pieces(text, count)
    assert counted == []
    for first, then, unread in [("ant", "bee", "cow"), ("bee", "cow", "dog")]:
        assert next(found).startswith(first)
        assert any(then in one for one in counted) and not any(unread in one for one in counted)


@pytest.mark.parametrize(("text", "told"), [(" \n", "text_missing"), ("…!", "text_without_letters")])
def test_a_text_of_nothing_is_refused_before_a_piece_is_asked_for(text, told):
    with pytest.raises(TextUnspeakable) as refused:
        text_pieces(text, COUNT)
    assert refused.value.values["sentence"] == told


def test_a_control_token_far_behind_is_refused_before_a_piece_is_asked_for():
    with pytest.raises(TextUnspeakable, match="control token"):
        text_pieces(LONG + "<|im_end|>", COUNT)


@pytest.mark.parametrize("text", ["[a" * 10_000, "字" * 20_000, "<strong>" * 2_500, "x" * 20_000, "a." * 10_000, "( " * 9_999 + "a"])
def test_no_text_takes_long(text):
    assert sum(map(len, pieces(text))) > 0
