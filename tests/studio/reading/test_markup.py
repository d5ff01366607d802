"""Markup of texts: what is obeyed is a silence, a word or a direction; what is not is left out and told; and no word is."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engines.errors import TextUnspeakable
from studio.errors import NothingSpoken
from studio.lexicons.kept_lexicon import KeptLexicon, lexicon_files
from studio.reading.parts import Direction, Pause, Reading, Words
from studio.reading.reader import AS_WRITTEN, Manner, read
from studio.reading.telling import left_out_words, shown_marks
from studio.settings import Settings
from studio.speech.utterance import Readings
from tests.stand_ins.fake_engine import INFO

FAMILY = "👨\u200d👩\u200d👧"
ANY_BRACKETS = replace(INFO, markup=(r"\[[^\[\]<>\n]{1,60}\]",))
NOTHING_KEPT = KeptLexicon(lexicon_files(Path("nowhere")))
FORMS = json.loads(Path(__file__).with_name("forms.json").read_text(encoding="utf-8"))  # kind -> [[text, said, told]]
CASES = [(kind, *case) for kind, cases in FORMS.items() for case in cases]
KEPT = [
    "a < b and c > d, and a<b>c, x <y and z>",
    "x[0] = [i], [sic], [Smith et al.], [the author], [AA]",
    "He was [angry] and [very sad].",
    "Room ™ ✓ ♯ §",
    "<T> and <Tuple>",
    "an unclosed <break time=",
    "so_called snake_case_names and a * b * c",
]


def said(reading: Reading) -> str:
    """The words, with each silence as its seconds between bars."""
    parts = [f"|{part.seconds:g}|" if isinstance(part, Pause) else part.text for part in reading.parts]
    return " ".join("".join(f" {part} " if part[0] == "|" else part for part in parts).split())


@pytest.mark.parametrize(("kind", "text", "expected", "told"), CASES, ids=[f"{kind}-{text[:20]}" for kind, text, _, _ in CASES])
def test_words_are_said_silences_kept_and_all_else_is_told(kind, text, expected, told):
    reading = read(text, INFO)
    assert (said(reading), list(reading.told_marks)) == (expected, told)


@pytest.mark.parametrize("text", KEPT)
def test_mathematics_references_and_prose_in_brackets_stay(text):
    reading = read(text, replace(INFO, reads=("numbers",)))
    assert (reading.text, reading.left_out, reading.changed) == (text, (), ())


def test_in_strict_mode_nothing_is_read():
    text = "**Hi** <b>you</b> [laugh] &amp; $5\n\n# 1"
    assert read(text, INFO, AS_WRITTEN).parts == (Words(text, 0, len(text), None),)


def test_what_an_engine_declares_reaches_it():
    info = replace(INFO, markup=(r"\[(laugh|sigh)\]", r"<\|[a-z_]+\|>"))
    reading = read("<|start|> Ha [laugh] [cough] 😀 *now*", info)
    assert (reading.text, reading.told_marks, reading.directions) == ("<|start|> Ha [laugh] now", ("[cough]", "😀"), ("[laugh]",))


def test_directions_are_told_and_can_be_refused():
    text = "He cast [Fireball] at the wolf."
    assert read(text, ANY_BRACKETS).directions == ("[Fireball]",)
    refused = read(text, ANY_BRACKETS, Manner(directions=False))
    assert (refused.text, refused.directions) == ("He cast Fireball at the wolf.", ())
    leading = replace(INFO, leading_direction=r"\([^()\n]{1,200}\)")
    assert read("(softly) Good (old) night. [pause 1s] (loud) Up!", leading).directions == ("(softly)", "(loud)")
    assert read("(softly) Good (old) night.", leading, Manner(directions=False)).text == "softly, Good (old) night."


def test_a_silence_is_the_studio_s_at_an_engine_that_follows_any_brackets():
    assert said(read("One [pause 2s] two [pause] three", ANY_BRACKETS)) == "One |2| two [pause] three"


@pytest.mark.parametrize("text", ["[laugh]", "😀 🎉!", "```\ncode\n```", "<think>hm</think>"])
def test_a_text_of_nothing_but_marks_is_refused_by_them(text):
    with pytest.raises(NothingSpoken, match="nothing to say: Fake leaves out"):
        Readings(Settings(), NOTHING_KEPT).read(text, INFO)


def test_the_limit_is_that_of_the_text_as_written():
    with pytest.raises(TextUnspeakable, match="26 characters, and 20 are the limit"):
        Readings(Settings(most_text_characters=20), NOTHING_KEPT).read("[laugh] " * 3 + "Hi", INFO)


def test_many_marks_are_counted_and_told_in_one_line():
    assert shown_marks(["[laugh]", "😀", "[laugh]", "<break\n\x01time='1s'/>"]) == ["[laugh] ×2", "😀", "<break time='1s'/>"]
    assert len(shown_marks([f"<|{number}|>" for number in range(99)])) == 13
    assert left_out_words(["[laugh]"]) == "Left out, not said: [laugh]."
    assert left_out_words([]) == ""


HOSTILE = [
    *("<!--" * 5_000, "<a b=c" * 3_000, "[" * 20_000, "<a " + "b = c " * 3_000, "x" + "🇩" * 20_000, "*a " * 6_000, "`" * 20_000),
    *("<think>" * 3_000, "1. " * 6_000, "_x" * 9_000, "\n" * 20_000, "&amp;" * 4_000, "> " * 9_000, "$1" * 9_000, "[a](" * 5_000),
    *("a " * 9_000 + "#", "a" * 20_000 + "#", "A'" * 9_000),
    *(" " * 20_000 + "x", "x<b>y" * 4_000, "<pre>" * 4_000, "$a" * 10_000, "\\[" * 10_000, "---\na:b\n" * 2_500, "[1]" * 6_000),
]


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:5])
def test_what_only_looks_like_markup_takes_no_time(text):
    """Patterns that went back and forth over it would not end within the suite's limit."""
    assert isinstance(read(text, INFO), Reading)


def test_a_direction_stands_where_it_was_written():
    text = "Ha [laugh] yes."
    parts = read(text, ANY_BRACKETS).parts
    assert [type(part) for part in parts] == [Words, Direction, Words]
    assert text[parts[1].start : parts[1].end] == "[laugh]"
