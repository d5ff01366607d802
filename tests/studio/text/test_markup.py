"""Markup: what no engine obeys is left out and told, and no word is."""

from dataclasses import replace

import pytest

from engines.errors import TextUnspeakable
from studio.errors import NothingSpoken
from studio.text.long_text import left_out_words, spoken_text
from studio.text.markup import MarkupFilter, clean_text, shown_marks
from tests.stand_ins.fake_engine import INFO

FAMILY = "👨\u200d👩\u200d👧"
CLEANED = {  # text -> (what is spoken, what is left out)
    "Hello [laugh] there.": ("Hello there.", ["[laugh]"]),
    "Yes [laughs softly], it is [SIGH].": ("Yes, it is.", ["[laughs softly]", "[SIGH]"]),
    "[excited] It was [excited]. [pause 2s] Then [long pause] no.": (
        "It was [excited]. Then no.",
        ["[excited]", "[pause 2s]", "[long pause]"],
    ),
    "One.[breath]Two": ("One. Two", ["[breath]"]),
    'Wait<break time="500ms"/>now, <break time=“1s”/> please.': (
        "Wait now, please.",
        ['<break time="500ms"/>', "<break time=“1s”/>"],
    ),
    "un<emphasis level='strong'>believ</emphasis>able": ("unbelievable", ["<emphasis level='strong'>", "</emphasis>"]),
    '<sub alias="World Wide Web">W3C</sub> says': ("W3C says", ['<sub alias="World Wide Web">', "</sub>"]),
    "<p>One</p><p>Two</p>": ("One\n\nTwo", ["<p>", "</p>", "<p>", "</p>"]),
    '<speak>Tom &amp; <mine at="1">Jerry</mine> &#60; 3</speak>': (
        "Tom & Jerry < 3",
        ["<speak>", '<mine at="1">', "</mine>", "</speak>"],
    ),
    '<?xml version="1.0"?><speak><!-- quietly -->Hi</speak>': ("Hi", ['<?xml version="1.0"?>', "<speak>", "<!-- quietly -->", "</speak>"]),
    "<|endofprompt|>Hi <laugh> you": ("Hi you", ["<|endofprompt|>", "<laugh>"]),
    f"Hi😀there {FAMILY}, 🇩🇪! ❤️": ("Hi there,!", ["😀", FAMILY, "🇩🇪", "❤️"]),
    "今天[笑]很好。": ("今天 很好。", ["[笑]"]),
}
KEPT = [
    "a < b and c > d, 5 < 6 & 7 > 3, a<b>c, x <y and z>",
    "x[0] = [1], [sic], [Smith 2020], [the author], [i], [AA0]",
    "He was [angry] and [very sad].",
    "[laugh](https://example.org)",
    "AT&amp;T is written &lt;so&gt;",
    "Room 5 ™ ✓ ♯ § №",
    "<b>bold</b> and <T>",
    "an unclosed <break time=",
    "  spaces   stay \n\n",
]


@pytest.mark.parametrize("text", CLEANED)
def test_what_an_engine_does_not_obey_is_left_out_and_told(text):
    cleaned = clean_text(text)
    assert (cleaned.text, list(cleaned.left_out)) == CLEANED[text]


@pytest.mark.parametrize("text", KEPT)
def test_mathematics_references_and_prose_in_brackets_stay(text):
    assert clean_text(text) == type(clean_text(text))(text)


def test_of_a_keycap_the_digit_is_said():
    assert clean_text("Press 1️⃣ now").text == "Press 1 now"


@pytest.mark.parametrize("text", [*CLEANED, *KEPT])
def test_a_mark_that_is_cut_between_two_pieces_is_left_out_as_in_one(text):
    """A space that was given out before a mark stays, where the whole text loses it before a full stop."""
    whole = clean_text(text)
    for size in (1, 2, 3, 7):
        markup = MarkupFilter()
        out = "".join(markup.feed(text[at : at + size]) for at in range(0, len(text), size)) + markup.flush()
        assert out.split() == whole.text.split() or out.replace(" ", "") == whole.text.replace(" ", ""), size
        assert markup.take_left_out() == whole.left_out


def test_text_is_held_back_only_while_it_may_be_a_mark():
    markup = MarkupFilter()
    assert (markup.feed("Is 3 <"), markup.feed(" 4? Yes [th"), markup.feed("e proof] <break")) == ("Is 3 ", "< 4? Yes ", "[the proof] ")
    assert markup.waiting_characters == len("<break")
    assert (markup.feed(" of day"), markup.flush()) == ("<break of day", "")


def test_what_an_engine_declares_reaches_it():
    obeyed = (r"\[(laugh|sigh)\]", r"<\|[a-z_]+\|>")
    assert clean_text("<|start|> Ha [laugh] [cough] 😀", obeyed).text == "<|start|> Ha [laugh]"
    info = replace(INFO, markup=(r"\[[^\]]+\]",))
    assert spoken_text("[laugh]!", info, 100).left_out == ()


@pytest.mark.parametrize("text", ["[laugh]", "😀 🎉!", '<speak><break time="1s"/></speak>'])
def test_a_text_of_nothing_but_marks_is_refused_by_them(text):
    with pytest.raises(NothingSpoken, match="nothing but what Fake leaves out"):
        spoken_text(text, INFO, 100)


def test_the_limit_is_that_of_the_text_as_written():
    with pytest.raises(TextUnspeakable, match="limit is 20"):
        spoken_text("[laugh] " * 3 + "Hi", INFO, 20)


def test_many_marks_are_counted_and_told_in_one_line():
    assert shown_marks(["[laugh]", "😀", "[laugh]", "<break\n\x01time='1s'/>"]) == ["[laugh] (2 times)", "😀", "<break time='1s'/>"]
    assert len(shown_marks([f"<|{number}|>" for number in range(99)])) == 13
    assert left_out_words(["[laugh]"], "Fake") == "Left out, since Fake does not understand it: [laugh]."
    assert left_out_words([], "Fake") == ""


@pytest.mark.parametrize(
    "text", ["<!--" * 5_000, "<a b=c" * 3_000, "[" * 20_000, "<a " + "b = c " * 3_000, "x" + "🇩" * 20_000], ids=lambda text: text[:5]
)
def test_what_only_looks_like_markup_takes_no_time(text):
    """Patterns that went back and forth over it would not end within the suite's limit."""
    assert clean_text(text).text
