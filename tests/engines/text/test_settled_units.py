"""What is an end when no more text comes, though more text could still change it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.text_splitter import TextSplitter, settled_ends
from tests.engines.text.test_text_splitter import WORDS


def settled(text: str, granularity: str = "sentence", *, is_over: bool = True) -> list[str]:
    """The units up to the last settled end."""
    starts = [0, *(ends := settled_ends(text, granularity, is_over=is_over))]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=False)]


@pytest.mark.parametrize(
    "text",
    [
        *("Hello world. ", "Hello world.\n", "Really? ", "Wait... ", "It was 1990. ", "I am 42. ", 'He said "Stop. ', "Vraiment ? "),
        *("Great! 🎉 ", "「はい。」 ", "Τι κάνεις; ", "Hello world.", "Really?", "你好。", "नमस्ते।", "“Stop.”", "„Komm!“", "(He left.)"),
        *("« Viens ! »", "then more."),
    ],
)
def test_a_sentence_with_its_mark_is_over(text):
    assert settled(text) == [text.strip()]
    assert settled(text, is_over=False) == []


@pytest.mark.parametrize(
    "text",
    [
        *("See No. ", "Dear Mr. ", "z. B. ", "apples etc. ", "in the U.S. ", "Am 3. ", "It is 3. ", "2. ", "J. R. ", "Hello ", "", " "),
        *(
            "It is 3.",
            "It was 1990.",
            "see www.example.",
            "a@b.",
            "http://x/a?",
            "“Stop.",
            'He said "Stop.',
            "(He left.",
            "「はい。",
            "「はい。」",
        ),
        *("“走吧。”", "One, ", "..."),
    ],
)
def test_what_may_go_on_is_not(text):
    assert settled(text) == []


def test_a_text_has_all_its_units_and_the_one_that_is_over():
    assert settled("So. then. and. The end. ") == ["So. then. and.", "The end."]
    assert settled("One, two. ", "clause") == ["One,", "two."]
    assert settled("One, two. ", "none") == []


@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join), st.sampled_from(("sentence", "clause")))
def test_what_is_settled_is_what_the_splitter_gives_out(text, granularity):
    assert tuple(settled(text, granularity, is_over=False)) == TextSplitter(granularity).feed(text)
