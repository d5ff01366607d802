"""A text is spoken in pieces: a short one first, each a little longer than what was heard; nothing is lost and no mark is cut."""

import random
import re
from contextlib import suppress

import pytest

from engines.errors import TextUnspeakable
from engines.omnivoice.text.duration import estimated_frames
from engines.omnivoice.text.pieces import FAIR_SHARE, FIRST_FRAMES, GROWTH, LEAST_FRAMES, MOST_FRAMES, Piece, pieces

REFERENCE = ("This is what was said in the recording.", 75)
LONG = "A sentence of some length, which goes on a little. And another one follows it! Yes. " * 20
CHINESE = "今天天气很好，我们去公园玩吧！你觉得怎么样？" * 12
PARTS = [
    *("word", "a", "Hello", ", ", ". ", "! ", " ", " ", " ", "\n", "\n\n", "。", "，", "一", "二三", "…", "-", "(", ") ", '"', "é", "👍🏽"),
    *("क्ष", "12", "a.b", " [sic] ", "[laughter]", "[B EY1 S]", "ZHONG4"),
]


def frames_of(text: str) -> int:
    return estimated_frames(text, REFERENCE)


def cut(text: str, first_frames: int = FIRST_FRAMES, most_frames: int = MOST_FRAMES) -> list[str]:
    return [piece.text for piece in pieces(text, frames_of, first_frames, most_frames)]


def test_a_short_text_is_one_piece():
    assert pieces(" Hello there. ", frames_of) == (Piece("Hello there.", frames_of("Hello there.")),)


@pytest.mark.parametrize(
    "text", [LONG, CHINESE, LONG.replace(".", "").replace(",", "").replace("!", ""), "一" * 300, "สวัสดีครับ วันนี้อากาศดีมาก " * 19]
)
def test_the_first_piece_is_short_and_those_behind_it_grow(text):
    spoken = pieces(text, frames_of)
    assert FAIR_SHARE * LEAST_FRAMES <= spoken[0].n_frames <= FIRST_FRAMES
    for index in range(1, len(spoken)):
        before = sum(piece.n_frames for piece in spoken[:index])
        assert spoken[index].n_frames <= min(MOST_FRAMES, GROWTH * before)
    assert max(piece.n_frames for piece in spoken) > 0.7 * MOST_FRAMES
    assert len(pieces(text, frames_of, first_frames=0)) < len(spoken)


def test_a_text_is_cut_behind_sentences_else_clauses_else_words():
    assert all(piece.endswith((".", "!")) for piece in cut(LONG, first_frames=0))
    assert cut(LONG)[0] == "A sentence of some length,"
    assert cut("Nobody knows what comes, when it comes or whether. Then it came.", 62)[0] == "Nobody knows what comes,"
    assert cut("The quick brown fox jumps over the lazy dogs near the river", 62) == [
        "The quick brown fox jumps", "over the lazy dogs near the river",
    ]  # fmt: skip
    assert cut("今天天气很好，我们去公园玩吧！")[0] == "今天天气很好，"
    assert cut("一二三四五六七八九十" * 4, 62)[0] == "一二三四五六七八"


def test_a_clause_that_is_a_little_too_long_leaves_no_word_alone():
    for n_words in range(8, 40):
        spoken = pieces("word " * n_words, frames_of, 62)
        assert len(spoken) == 1 or spoken[-1].n_frames >= 40, n_words


def test_nothing_is_lost_and_no_mark_number_or_pinyin_is_cut():
    draw = random.Random(17)
    for _ in range(300):
        text = "".join(draw.choices(PARTS, k=draw.randint(1, 120))) + " end"
        first, most = draw.choice([0, 45, 62, 75, 375]), draw.choice([80, 375])
        spoken = cut(text, first, most)
        assert "".join("".join(spoken).split()) == "".join(text.split())
        assert all(re.search(r"[^\W_]", piece) for piece in spoken)
        for mark in ("[laughter]", "[B EY1 S]", "ZHONG4", "👍🏽", "क्ष"):
            assert sum(piece.count(mark) for piece in spoken) == text.count(mark), (mark, text)


@pytest.mark.parametrize("mark", ["[laughter]", "[surprise-ah]", "[B EY1 S]", "ZHONG4", "3.141", "Hello"])
def test_a_mark_stays_whole_wherever_a_text_without_blanks_is_cut(mark):
    for n_before in range(1, 30):
        assert any(mark in piece for piece in cut("一" * n_before + mark + "一" * 60, 62)), n_before


def test_line_ends_are_blanks_where_words_have_them_between():
    assert cut("one\ntwo\r\n\r\nthree") == ["one two three"]
    assert cut("一\n二") == ["一二"] and cut("こんにちは\nせかい") == ["こんにちはせかい"]


def test_a_sound_alone_is_spoken_and_signs_alone_are_refused():
    assert cut("[laughter]") == ["[laughter]"]
    for text in ("?!…", "", "[ ]"):
        with pytest.raises(TextUnspeakable) as unspeakable:
            cut(text)
        assert unspeakable.value.values["sentence"] == "text_without_letters"


def test_what_cannot_be_divided_is_refused_where_it_is_far_too_long():
    assert len(cut("-" * 200 + " word")) == 1
    with pytest.raises(TextUnspeakable) as unspeakable:
        cut("-" * 5000 + " word")
    assert unspeakable.value.values == {"sentence": "text_indivisible", "n": 5005, "part": "-" * 40}
    assert cut("a" * 5000)[0] == "a" * 20


@pytest.mark.parametrize(
    "text",
    ["x" * 9000, "一" * 9000, "[ " * 4500 + "a", " " * 9000 + "a", "a" + " " * 9000 + "b", "-" * 9000 + "a", LONG * 5, "word " * 1800],
)
def test_no_text_is_looked_at_more_often_than_its_pieces_need(text):
    seen = 0

    def counted(part: str) -> int:
        nonlocal seen
        seen += len(part)
        return frames_of(part)

    with suppress(TextUnspeakable):
        pieces(text, counted)
    assert seen < 40 * len(text)


def paced_frames_of(text: str) -> int:
    return estimated_frames(text, REFERENCE, goes_on=True)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Good day, my friends. Today I would like to tell you about the harbor.", "Good day,"),
        ("Yes. I will come tomorrow, if it does not rain.", "Yes. I will come tomorrow,"),  # what is shorter is a guess
        ("A sentence that is to be spoken now, and then it goes on.", "A sentence that is to be spoken now,"),  # no clause ends sooner
        ("Nobody in the whole department had anticipated that this would happen to them", "Nobody in"),  # nor at all
        ("今天天气很好，我们去公园玩吧！你觉得怎么样？", "今天天气很好，"),
    ],
)
def test_an_early_first_piece_is_a_clause_where_one_ends_soon(text, first):
    spoken = pieces(text, frames_of, paced_frames_of=paced_frames_of)
    assert spoken[0] == Piece(first, frames_of(first))
    assert "".join("".join(piece.text for piece in spoken).split()) == "".join(text.split())


def test_an_early_first_piece_is_never_longer_than_the_usual_one_may_be():
    draw = random.Random(18)
    for _ in range(100):
        text = "".join(draw.choices(["word ", "a ", "Hello, ", "and there. ", "一二三，", "[laughter] "], k=draw.randint(12, 60))) + "end"
        spoken = pieces(text, frames_of, paced_frames_of=paced_frames_of)
        assert spoken[0].n_frames <= FIRST_FRAMES
