"""Whatever a text holds: places lead back to what was written, no letter goes unsaid and untold, and pieces are read as the whole is."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.text.text_splitter import Granularity
from studio.reading.numbers.numbers import _reader
from studio.reading.open_marks import settled_end
from studio.reading.parts import NOTHING, Direction, Pause, Reading, Words
from studio.reading.reader import Manner, Reader, _prepare, prepare, read
from tests.stand_ins.fake_engine import INFO

FEW = settings(max_examples=60, deadline=None, derandomize=True, database=None)
INFOS = {
    "reads numbers": replace(INFO, reads=("numbers",)),
    "any brackets": replace(INFO, markup=(r"\[[^\[\]<>\n]{1,60}\]",)),
    "leading direction": replace(INFO, leading_direction=r"\([^()\n]{1,200}\)"),
}
# Of which a line is made. What changes its meaning by what stands a sentence later is not among them, see below.
WORDS = ["The fox", " runs.", " It costs $5.", ", ", ". ", " ", "!", "?", "…", "NASA", "Mr. X", "e.g. this", "3.5", "1,000", "१२", "٣", "½"]
SCRIPTS = [
    "今天",
    "很好。",
    "「はい」",
    "日本",
    "ไทย",
    "שלום",
    "é",
    "e\u0301",
    "ﬁ",
    "𝐇",
    "Ⅷ",
    "℃",
    "ＡＢ",
    "\u00ad",
    "\u200b",
    "\ufeff",
    "\u2060",
    "\ue000",
]
MARKS = [
    "**bold**",
    "*it*",
    "`code`",
    "[link](http://x.y/z)",
    "![pic](a.png)",
    "[laugh]",
    "[pause 2s]",
    "[1]",
    "(softly)",
    "<b>",
    "</b>",
    "<br>",
]
MARKS += [
    "&amp;",
    "&nbsp;",
    "&shy;",
    "<think>hm</think>",
    "<break time='1s'/>",
    "<#0.5#>",
    "<sub alias='World'>W</sub>",
    "<|x|>",
    "<!-- c -->",
]
MARKS += [
    "😀",
    "👨\u200d👩\u200d👧",
    "1️⃣",
    "🇩🇪",
    "~~gone~~",
    "\\*",
    "<script>x</script>",
    "<img alt='A cat'>",
    "*sighs*",
    "me@x.org",
    "@me",
    "m²",
]
HALVES = ["**", "*", "_", "`", "[", "]", "(", "<br", "&", "<", "|", "~", "\\", "http://x.y/a_b?c=d", "x<y", "-", "--", "#tag"]
LINES = [
    "# Title",
    "## 1. Part",
    "- one",
    "1. Open",
    "> quote",
    "- [x] done",
    "\n| a | b |\n|---|---|\n| c | d |\n",
    "```\nx = 1\n```",
    "\n---",
]
LINES += [
    "ANNA: Hi",
    "Red",
    "Soup ....... cheap",
    "\n[^1]: note",
    "IT IS SO.",
    "* * *",
    "<p>One</p>",
    "  \u2028",
    "* item",
    "\nconver-\nsion\n",
]
LINE_ENDS = st.sampled_from(["\n", "\n\n", "\r\n", " \n"])
texts = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS + SCRIPTS + MARKS + HALVES), max_size=6).map("".join) | st.sampled_from(LINES), LINE_ENDS),
    min_size=1,
    max_size=4,
).map(lambda lines: "".join(line + end for line, end in lines))
manners = st.builds(Manner, language=st.just("en"), directions=st.booleans())
# What a piece cannot know, and the whole does: that </think> ends what began the text, that most lines of a paragraph are as wide, that
# a line in capitals goes on in small letters behind its comma. And an engine that is given a sentence by itself follows the direction that
# it begins with. So none of these is in a paragraph.
SENTENCES = ["It **costs** $5, or 3.5 %.", "See [it](http://x.y/z. w), e.g. here!", "Who? Mr. X 😀 said “no.”", "It `is a. b` here."]
SENTENCES += ["Wait [pause 2s] for *all of it*.", "<b>Bold. Two</b> three.", "今天很好。日本「はい。」", "A<br>b &amp; c. [laugh] Ha."]
SENTENCES += ["<think>One. Two.\n\nThree.</think>Four."]
paragraphs = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=2).map(" ".join)
blocks = st.lists(st.tuples(paragraphs, st.just("\n\n")) | st.tuples(st.sampled_from(LINES), LINE_ENDS), min_size=1, max_size=5)


def covered(reading: Reading) -> Iterator[int]:
    """Each place of the text that is said, or told."""
    for part in reading.parts:
        if isinstance(part, Words):
            for at in range(len(part.text)):
                yield from range(*part.written(at))
        elif isinstance(part, Direction) or part.is_asked:
            yield from range(part.start, part.end)
    for one in (*reading.left_out, *reading.changed):
        yield from range(one.start, one.end)


@FEW
@given(texts, st.sampled_from(sorted(INFOS)), manners)
def test_places_lead_back_and_no_letter_is_lost(text, engine, manner):
    reading = read(text, INFOS[engine], manner)
    assert [text[one.start : one.end] for one in reading.left_out] == [one.mark for one in reading.left_out]
    assert [text[one.start : one.end] for one in reading.changed] == [one.written for one in reading.changed]
    for parts in (reading.parts, reading.left_out):
        places = [place for part in parts for place in (part.start, part.end)]
        assert places == sorted(places) and (not places or (places[0] >= 0 and places[-1] <= len(text)))
    changed = {at for one in reading.changed for at in range(one.start, one.end)}
    for part in reading.parts:
        for at, character in enumerate(part.text if isinstance(part, Words) else ""):
            start, end = part.written(at)
            assert not character.isalnum() or not changed.isdisjoint(range(start, end)) or text[start:end] == character
    lost = {at for at, character in enumerate(text) if character.isalnum()}.difference(covered(reading))
    assert not lost, [text[at] for at in sorted(lost)]


def in_pieces(text: str, reader: Reader, n_characters: int) -> Reading:
    whole = NOTHING
    for at in range(0, len(text), n_characters):
        whole = whole.then(reader.feed(text[at : at + n_characters]))
    return whole.then(reader.rest())


def said(reading: Reading) -> list[str | float]:
    """Words between silences, and the silences."""
    found: list[str | float] = [""]
    for part in reading.parts:
        if isinstance(part, Pause):
            found += [part.seconds, ""]
        else:
            found[-1] += part.text
    return [" ".join(one.split()) if isinstance(one, str) else one for one in found]


@FEW
@given(blocks, st.sampled_from(sorted(INFOS)), st.sampled_from(["sentence", "clause"]), st.integers(1, 9))
@pytest.mark.slow
def test_what_comes_in_pieces_is_read_as_the_whole_is(lines, engine, granularity: Granularity, n_characters):
    text = "".join(line + end for line, end in lines)
    info, manner = INFOS[engine], Manner("en")
    whole, pieces = read(text, info, manner), in_pieces(text, Reader(info, manner, granularity), n_characters)
    assert said(pieces) == said(whole)
    assert (pieces.told_marks, pieces.directions) == (whole.told_marks, whole.directions)
    assert [one.mark for one in pieces.left_out] == [one.mark for one in whole.left_out]


def test_what_reading_needs_is_made_before_the_first_text():
    _prepare.cache_clear()
    _reader.cache_clear()
    prepare(INFO)
    before = _reader.cache_info().misses
    read("- **1** costs $5.", INFO, Manner("de"))
    assert _reader.cache_info().misses == before > 0


@pytest.mark.parametrize(("begin", "end"), [("<think>\n", "</think>\n"), ("```\n", "\n```\n")])
def test_a_long_mark_that_comes_word_by_word_is_looked_through_once(begin, end, monkeypatch):
    looks = []
    monkeypatch.setattr("studio.reading.reader.settled_end", lambda text, *of, **more: looks.append(text) or settled_end(text, *of, **more))
    reader = Reader(INFO, Manner("en"))
    words = [begin, *["One. Two "] * 400, end, "Yes. ", "No."]
    given = [text for text in (reader.feed(word).text for word in words) if text]
    assert ([*given, reader.rest().text], len(looks) < 100) == (["Yes.", "No."], True)
