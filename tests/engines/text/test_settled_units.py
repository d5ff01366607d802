"""What a splitter gives out when no more text comes, though more text could still change it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.text_splitter import TextSplitter
from tests.engines.text.test_text_splitter import WORDS


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("Hello world. ", "Hello world."),
        ("Hello world.\n", "Hello world."),
        ("Really? ", "Really?"),
        ("Wait... ", "Wait..."),
        ("It was 1990. ", "It was 1990."),
        ('He said "Stop. ', 'He said "Stop.'),
        ("Vraiment ? ", "Vraiment ?"),
        ("Great! 🎉 ", "Great! 🎉"),
        ("「はい。」 ", "「はい。」"),
        ("Τι κάνεις; ", "Τι κάνεις;"),
    ],
)
def test_a_sentence_with_white_space_behind_it_is_settled(text, unit):
    for needs_blank in (False, True):
        splitter = TextSplitter("sentence")
        assert (splitter.feed(text), splitter.settle(needs_blank=needs_blank), splitter.flush()) == ((), (unit,), ())


@pytest.mark.parametrize("text", ["Hello world.", "Really?", "你好。", "नमस्ते।", "“Stop.”", "„Komm!“", "(He left.)", "« Viens ! »"])
def test_without_white_space_it_is_settled_unless_that_is_needed(text):
    splitter = TextSplitter("sentence")
    assert (splitter.feed(text), splitter.settle(needs_blank=True), splitter.settle()) == ((), (), (text,))


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
def test_what_may_go_on_is_not_settled(text):
    splitter = TextSplitter("sentence")
    assert (splitter.feed(text), splitter.settle()) == ((), ())


def test_clauses_settle_and_what_is_not_split_never_does():
    clauses, whole = TextSplitter("clause"), TextSplitter("none")
    assert (clauses.feed("One, two. "), clauses.settle()) == (("One,",), ("two.",))
    assert (whole.feed("One, two. "), whole.settle(), whole.flush()) == ((), (), ("One, two.",))


def test_behind_what_is_settled_a_sentence_begins():
    splitter = TextSplitter("sentence")
    assert (splitter.feed("Hello world. "), splitter.settle()) == ((), ("Hello world.",))
    assert (splitter.feed("then more. "), splitter.settle(), splitter.settle()) == ((), ("then more.",), ())
    assert splitter.feed("So. then. and. The") == ("So. then. and.",)


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.booleans()), max_size=12), st.sampled_from(("sentence", "clause")))
def test_nothing_is_lost_or_said_twice_whenever_it_settles(pieces, granularity):
    splitter, units = TextSplitter(granularity), []
    for piece, settles in pieces:
        units += splitter.feed(piece)
        units += splitter.settle() if settles else ()
    units += splitter.flush()
    said, text = ("".join("".join(part).split()) for part in (units, [piece for piece, _ in pieces]))
    assert text.startswith(said)
    assert not any(c.isalnum() for c in text[len(said) :])
