"""Texts are cut where a reader would pause, and nothing of them is lost."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.text_splitter import TextSplitter, split_text

MARKS = ".!?。！？…।॥؟,;，；،؛、．｡「」『』\"'”’)(] \n\r\t\u200b\u200d\u0301\u0e33๛។၊።፣"
TEXTS = st.text(st.one_of(st.sampled_from(MARKS), st.sampled_from("aZé1漢ไ😀🇩🇪👩क्"), st.characters()), max_size=80)
GRANULARITIES = ("none", "sentence", "clause")
# What a full stop may stand behind, and before: whether it ends something hangs on both.
WORDS = ["am ", "I am ", "Dr", "No", "Jan", "3", "42", "z", "B", "usw", ".", ". ", "... ", "… ", "!", '"', "’", "(", ")", "。", ", "]
WORDS += [" ", "\n", "Mai", "Ma", "Then", "it"]
# What decides in lists, quotes, behind pictures and dashes, and in scripts that have marks of their own.
WORDS += ["1. ", "2. ", "3) ", "\n1. ", "\n2. ", "\n- ", "• ", "a. ", "\nb. ", "II", "U.S.", "etc. ", "vol. ", "p. ex", "plan B. ", "е. "]
WORDS += [
    "「",
    "」",
    "。」",
    "と",
    "とて",
    "言った",
    "“",
    "。”",
    "他",
    "说",
    "，",
    "…",
    "《",
    "》",
    "！",
    "🎉",
    " 🎉",
    ":",
    ")",
    ";",
    " »",
    "— ",
    "Yahoo!",
    "라고",
]
WORDS += ["τι;", "է:", "፡", "?!", "İ", "4", "km/h. ", "°C. "]
WORDED = st.lists(st.sampled_from(WORDS), max_size=16).map("".join)


def letters(text: str) -> str:
    return "".join(text.split())


@given(TEXTS, st.sampled_from(GRANULARITIES), st.none() | st.integers(1, 30))
def test_nothing_but_whitespace_is_lost_and_no_unit_is_blank_or_too_long(text, granularity, most):
    units = split_text(text, granularity, most_characters=most)
    assert letters("".join(units)) == letters(text)
    assert all(unit.strip() == unit != "" for unit in units)
    assert all(unit in text for unit in units)
    assert most is None or all(len(unit) <= most for unit in units)


@given(TEXTS, st.sampled_from(GRANULARITIES))
def test_a_unit_has_a_word_unless_the_whole_text_has_none(text, granularity):
    units = split_text(text, granularity)
    assert len(units) <= 1 or all(any(c.isalnum() for c in unit) for unit in units)


@given(st.text(st.sampled_from("e\u0301o\u0308क्षि👩\u200d💻\ufe0f"), min_size=1, max_size=60))
def test_an_accent_stays_on_its_letter_where_there_is_room(text):
    units = split_text("x" + text, "none", most_characters=64)
    assert not any(unicodedata.category(unit[0])[0] == "M" for unit in units)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Hello. World!", ["Hello.", "World!"]),
        ("Is it? Yes! Well", ["Is it?", "Yes!", "Well"]),
        ("It costs 3.50. Really", ["It costs 3.50.", "Really"]),
        ("See example.com now. Good.", ["See example.com now.", "Good."]),
        ("Dr. Smith met Mrs. Jones. They spoke.", ["Dr. Smith met Mrs. Jones.", "They spoke."]),
        ("J. R. R. Tolkien wrote, e.g. of the U.S. then. End.", ["J. R. R. Tolkien wrote, e.g. of the U.S. then.", "End."]),
        ("Play No. 5 now. No. Not now.", ["Play No. 5 now.", "No.", "Not now."]),
        ('He said "Stop." She did.', ['He said "Stop."', "She did."]),
        ("(He left.) She stayed.", ["(He left.)", "She stayed."]),
        ("What?! No... Yes.", ["What?!", "No...", "Yes."]),
        ("1. First thing. 2. Second thing.", ["1. First thing.", "2. Second thing."]),
        ("... Hello. ... World. ...", ["... Hello.", "... World. ..."]),
        ("One, two; three.", ["One, two; three."]),
        ("Works at Acme Inc., which grows. Yes.", ["Works at Acme Inc., which grows.", "Yes."]),
        ("你好。再见！好吗？是", ["你好。", "再见！", "好吗？", "是"]),
        ("他说「你好。」然后走了。", ["他说「你好。」", "然后走了。"]),
        ('她说："走吧。"他走了。"好。"', ['她说："走吧。"', "他走了。", '"好。"']),
        ('他说："好。""坏。"', ['他说："好。"', '"坏。"']),
        ("1．5は数。次．終", ["1．5は数。", "次．", "終"]),
        ("नमस्ते। आप कैसे हैं॥ ठीक", ["नमस्ते।", "आप कैसे हैं॥", "ठीक"]),
        ("كيف حالك؟ بخير", ["كيف حالك؟", "بخير"]),
        ("សួស្តី។ជំរាបលា", ["សួស្តី។", "ជំរាបលា"]),
        ("မင်္ဂလာပါ။နေကောင်းလား", ["မင်္ဂလာပါ။", "နေကောင်းလား"]),
        ("ሰላም።እንዴት፧ደህና", ["ሰላም።", "እንዴት፧", "ደህና"]),
        ("จบแล้ว๛เริ่มใหม่", ["จบแล้ว๛", "เริ่มใหม่"]),
        ("A heading\n\nA text over\ntwo lines. End", ["A heading", "A text over\ntwo lines.", "End"]),
        ("Windows\r\n\r\nlines", ["Windows", "lines"]),
        # A full stop that belongs to its word, in the languages whose abbreviations are known.
        ("In Jan. it rained. In Sept. 3 came. Then none.", ["In Jan. it rained.", "In Sept. 3 came.", "Then none."]),
        ("He was born in Jan. She was not.", ["He was born in Jan.", "She was not."]),
        ("I am 42. She is 40. He ran 4K. So did I.", ["I am 42.", "She is 40.", "He ran 4K.", "So did I."]),
        ("The dog found its. It's Max's. Good.", ["The dog found its.", "It's Max's.", "Good."]),
        ("Am 3. Mai kommt z. B. Herr Dr. Meier. Ja.", ["Am 3. Mai kommt z. B. Herr Dr. Meier.", "Ja."]),
        ("Montag, 3. Mai, um 10.30 Uhr. Gut.", ["Montag, 3. Mai, um 10.30 Uhr.", "Gut."]),
        ("Im 19. Jahrhundert war das so. Seit dem 2. Weltkrieg nicht.", ["Im 19. Jahrhundert war das so.", "Seit dem 2. Weltkrieg nicht."]),
        ("Es kostet 5 Mio. Euro, inkl. Steuer, ca. Ende Mai. Viel.", ["Es kostet 5 Mio. Euro, inkl. Steuer, ca. Ende Mai.", "Viel."]),
        ("Sra. Lopez vino. Luego se fue.", ["Sra. Lopez vino.", "Luego se fue."]),
        ("¿Conoce Ud. Madrid? Fuimos al mar. Los EE. UU. no.", ["¿Conoce Ud. Madrid?", "Fuimos al mar.", "Los EE. UU. no."]),
        ("Mme. Curie et M. Dupont, pp. 5 et 6. Voilà.", ["Mme. Curie et M. Dupont, pp. 5 et 6.", "Voilà."]),
        ("Il mesure 5 mm. Puis MM. Durand. J.-P. Sartre.", ["Il mesure 5 mm.", "Puis MM. Durand.", "J.-P. Sartre."]),
        # Before a small letter a full stop ends nothing; other stops do, unless a quote is closed behind them.
        ("Wait... what? Wait… what? Well… Yes.", ["Wait... what?", "Wait… what?", "Well…", "Yes."]),
        ("This unk. abbreviation. Is it? yes! well", ["This unk. abbreviation.", "Is it?", "yes!", "well"]),
        ('"Stop!" she said. "Go." He went.', ['"Stop!" she said.', '"Go."', "He went."]),
    ],
)
def test_sentences(text, units):
    assert split_text(text, "sentence") == tuple(units)


def test_a_sentence_is_not_cut_at_its_abbreviations_and_numbers():
    for sentence in (
        "Dr. Smith lives on St. James Street.",
        "Turn to No. 5 and Fig. 12 please.",
        "It costs 3.5 dollars, i.e. 1,000.25 cents.",
        "J. K. Rowling met Mr. Brown in the U.S. Senate.",
        "Am 3. Mai kommt z. B. Herr Dr. Meier um 10.30 Uhr.",
        "See www.example.com or mail to a.b@example.org for more.",
        "今天天气很好，我们去散步吧。",
    ):
        assert split_text(sentence, "sentence") == (sentence,)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("One, two; three. Four", ["One,", "two;", "three.", "Four"]),
        ("About 10,000 of them, or 1,5", ["About 10,000 of them,", "or 1,5"]),
        ("Acme Inc., founded 1999", ["Acme Inc.,", "founded 1999"]),
        ("你好，世界；再见，1，000", ["你好，", "世界；", "再见，", "1，000"]),
        ("はい、そうです。", ["はい、", "そうです。"]),
        ("نعم، حسنا؛ لا", ["نعم،", "حسنا؛", "لا"]),
        ("ሰላም፣ደህና፤አዎ", ["ሰላም፣", "ደህና፤", "አዎ"]),
        ("နေကောင်း၊လား", ["နေကောင်း၊", "လား"]),
    ],
)
def test_clauses(text, units):
    assert split_text(text, "clause") == tuple(units)


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_a_blank_text_has_no_units(text, granularity):
    assert split_text(text, granularity) == ()


def test_without_splitting_a_text_stays_whole():
    assert split_text("  Hello. World!\n\nMore, more.  ", "none") == ("Hello. World!\n\nMore, more.",)


def test_a_text_without_words_is_one_unit():
    assert split_text("... !!! ,", "clause") == ("... !!! ,",)


@pytest.mark.parametrize(
    ("text", "most", "units"),
    [
        ("One two. Three, four five", 20, ["One two.", "Three, four five"]),
        ("One two, three four five", 14, ["One two,", "three four", "five"]),
        ("one two three four", 9, ["one two", "three", "four"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("e\u0301e\u0301e\u0301", 3, ["e\u0301", "e\u0301", "e\u0301"]),
        ("👩\u200d💻👩\u200d💻", 4, ["👩\u200d💻", "👩\u200d💻"]),
        ("🇩🇪🇫🇷🇮🇹", 3, ["🇩🇪", "🇫🇷", "🇮🇹"]),
        ("👍🏽👍🏽", 3, ["👍🏽", "👍🏽"]),
        ("क्षक्ष", 5, ["क्ष", "क्ष"]),
        ("\ud83d\ude00\ud83d\ude00", 3, ["\ud83d\ude00", "\ud83d\ude00"]),
        ("ขอบ\u200bคุณ\u200bครับ", 7, ["ขอบ\u200b", "คุณ\u200b", "ครับ"]),
    ],
)
def test_a_long_unit_is_cut_at_a_sentence_a_clause_a_word_or_between_characters(text, most, units):
    assert split_text(text, "none", most_characters=most) == tuple(units)


def test_a_single_character_beyond_the_limit_is_cut_all_the_same():
    assert split_text("e" + "\u0301" * 9, "none", most_characters=4) == ("e\u0301\u0301\u0301", "\u0301" * 4, "\u0301\u0301")


def test_no_limit_below_one():
    with pytest.raises(ValueError, match="most_characters is 0"):
        split_text("x", "none", most_characters=0)


PATTERNS = ["a", " ", "\n", "\u0301", "😀", "🇩", '"', ".", "。", "，", "1，", 'a，"', "a. ", ". ", "! ! ", "\u200d", "1. ", "Mr. ", "a\n"]
PATTERNS += ["am 3. ", "… "]
DECIDING = ["! 🎉", "🎉", '. " ', "\n1. ", "\n- ", "。」他", "《。", "etc. ", "a.", ". . ", ". — ", ". :) ", "； ", "\u200d! "]


@pytest.mark.parametrize(("granularity", "most"), [("none", 200), ("clause", None), ("clause", 1), ("sentence", 5000)])
def test_work_grows_with_the_text_and_not_faster(granularity, most):
    """In seconds of this thread alone, whatever else runs. The bound is generous: what grows with the square takes minutes here."""
    for pattern in PATTERNS:
        text = (pattern * 30_000)[:30_000]
        started = time.thread_time()
        split_text("x" + text, granularity, most_characters=most)
        assert time.thread_time() - started < 2, pattern


def test_what_stands_behind_a_mark_is_looked_at_once():
    for pattern in DECIDING:
        started = time.thread_time()
        split_text("! " + (pattern * 15_000)[:15_000], "clause")
        assert time.thread_time() - started < 1, pattern


def in_pieces(pieces, granularity, **limits) -> tuple[list[str], list[str]]:
    """(units given out while the text came, units at its end)."""
    splitter = TextSplitter(granularity, **limits)
    return [unit for piece in pieces for unit in splitter.feed(piece)], list(splitter.flush())


@given(TEXTS | WORDED, st.sampled_from(GRANULARITIES), st.integers(1, 7))
def test_in_pieces_the_units_are_those_of_the_whole_text(text, granularity, size):
    early, late = in_pieces([text[at : at + size] for at in range(0, len(text), size)], granularity)
    whole = list(split_text(text, granularity))
    lost = len(letters("".join(whole))) - len(letters("".join(early + late)))
    assert early + late == whole or (early + late)[:-1] == whole[:-1]
    assert whole[-1:] == [] or whole[-1].startswith((early + late)[-1])
    assert not any(c.isalnum() for c in letters("".join(whole))[len(letters(text)) - lost :])


@pytest.mark.parametrize(
    ("pieces", "granularity", "early", "late"),
    [
        (["Hel", "lo. ", "Wor", "ld!"], "sentence", ["Hello."], ["World!"]),
        (["Hello.", " World"], "sentence", ["Hello."], ["World"]),
        (['He said "Stop.', '" She', " did."], "sentence", ['He said "Stop."'], ["She did."]),
        (["See No. ", "5 now. ", "And no. ", "Stop."], "sentence", ["See No. 5 now.", "And no."], ["Stop."]),
        (["It is 3", ".", "5 now"], "sentence", [], ["It is 3.5 now"]),
        (["Hello. ", "W"], "sentence", ["Hello."], ["W"]),
        (["Hello! ", "w"], "sentence", ["Hello!"], ["w"]),
        (["Unk. ", "abbr. "], "sentence", [], ["Unk. abbr."]),
        (["On 3. ", "Ma", "i it", " is. "], "sentence", [], ["On 3. Mai it is."]),
        (["On 3. ", "Ma", "x is. "], "sentence", ["On 3."], ["Max is."]),
        (["Hello.\n", "\n"], "sentence", ["Hello."], []),
        (['她说："你好。', "再见。", '"他', "走了。"], "sentence", ['她说："你好。', '再见。"'], ["他走了。"]),
        (["你好", "。", "再", "见。"], "sentence", ["你好。"], ["再见。"]),
        (["A title\n", "\nText"], "sentence", ["A title"], ["Text"]),
        (["One, ", "two"], "clause", ["One,"], ["two"]),
        (["One. ", "Two. "], "none", [], ["One. Two."]),
        (["Well. ", "..."], "sentence", ["Well."], []),
        (["..."], "sentence", [], ["..."]),
        ([" ", "\n\n"], "sentence", [], []),
    ],
)
def test_a_unit_is_given_out_as_soon_as_its_end_is_certain(pieces, granularity, early, late):
    assert in_pieces(pieces, granularity) == (early, late)


def test_a_flushed_splitter_begins_anew():
    splitter = TextSplitter("sentence")
    assert (splitter.feed('"One. Two'), splitter.flush()) == (('"One.',), ("Two",))
    assert (splitter.feed("你好。"), splitter.feed('"再见。"'), splitter.flush()) == ((), ("你好。",), ('"再见。"',))


def test_units_in_pieces_have_a_longest_length_too():
    assert in_pieces(["one two three. ", "Four five six"], "sentence", most_characters=8) == (["one two", "three."], ["Four", "five six"])


def test_who_writes_without_capitals_is_cut_as_well():
    """A small letter behind a full stop goes on with a sentence that began with a capital, and begins one where none has."""
    assert split_text("hello. how are you, e.g. today. fine", "sentence") == ("hello.", "how are you, e.g. today.", "fine")
    assert split_text("Hello approximately. how", "sentence") == ("Hello approximately. how",)
    splitter = TextSplitter("clause")
    assert [unit for piece in ("Yes, it", " is. then") for unit in splitter.feed(piece)] == ["Yes,"]
    assert splitter.flush() == ("it is. then",)
