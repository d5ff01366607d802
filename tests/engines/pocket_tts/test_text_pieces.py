"""A text is read as the model was taught to: in pieces of at most 50 tokens, each with a capital and a sentence mark, nothing torn."""

import re
import unicodedata

import pytest

from engines.errors import TextUnspeakable
from engines.pocket_tts.config import TextRules
from engines.pocket_tts.text_pieces import MOST_TOKENS, text_pieces

ENGLISH = TextRules({"’": "'", "‘": "'"})
BARE = TextRules({'"': "", "“": "", "”": "", "(": "", ")": "", "–": ","})  # as of the other languages


def count(text: str) -> int:
    """A token per four letters or digits, and one per mark."""
    return len(re.findall(r"\w{1,4}|[^\w\s]", text))


def pieces(text: str, rules: TextRules = ENGLISH) -> list[str]:
    return [piece.text for piece in text_pieces(text, rules, count)]


def sentence(n_tokens: int, word: str = "word", end: str = ".") -> str:
    return " ".join([word.capitalize(), *[word] * (n_tokens - 2)]) + end


def letters(text: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFC", text)).lower()


CLAUSES = ", ".join(
    ["when the rain had at last come to a stop", "they ran out into the wet old yard", "and she told them to come back"] * 4
)
MARKLESS = "and then the river went on to the old mill " * 30
HOSTILE = {
    "no blank": "x" * 20_000,
    "commas": "a" + "," * 20_000,
    "spaced commas": "a, " * 6_667,
    "close commas": "a," * 10_000,
    "accents": "a" + "\u0301" * 20_000,
    "emoji": "a " + "😀" * 20_000,
    "one emoji": "a " + "👩\u200d" * 10_000,
    "flags": "a " + "\U0001f1e6" * 20_000,
    "right to left": "שלום עולם " * 2_000,
    "full stops": "a" + " ." * 10_000,
    "initials": "A. " * 6_667,
    "sentences": "Yes. " * 4_000,
    "paragraphs": "a\n\n" * 6_667,
    "dashes": "a - " * 5_000,
    "colons": "a: " * 6_667,
    "digits": "1" * 20_000,
    "ideographs": "字。" * 10_000,
    "unpaired quotes": 'a!" ' * 5_000,
}
TEXTS = [
    CLAUSES, MARKLESS, f"{CLAUSES}: {CLAUSES}", f"Yes. {MARKLESS} No.", "“Hi?”, she said. “Are you well?”", "Hi. -", "a\n\nb\n\n- c\n- d",
    'He (or "she") - said...', "wait,", "is it? , yes; or: no", "5 p.m. today. No. 5, e.g. 3.50!", "'s avonds", "a " * 300, "a ." * 200,
]  # fmt: skip


# --- as the makers write it


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Hello world", "Hello world."),
        ("hello world.", "Hello world."),
        (" Hello,\n world, ", "Hello, world."),
        ("Wait -", "Wait."),
        ("Well; that is, however: fine", "Well; that is, however: fine."),
        ("hello (world)", "Hello (world)."),
        ('They say "yes"', 'They say "yes".'),
        ("It costs 3.50 dollars. That is 1.25 more than yesterday.", "It costs 3.50 dollars. That is 1.25 more than yesterday."),
        ("No. 5 is alive... or is it? Yes!", "No. 5 is alive... or is it? Yes!"),
        ("etc., and so on:", "Etc. and so on."),
        ("etc.,; and so on", "Etc. and so on."),
        ("It’s ‘here’.", "It's 'here'."),
        ("éclair is good", "Éclair is good."),
        ("...and then", "...and then."),
        ("3 apples", "3 apples."),
        ("'s avonds is it cold", "'s avonds is it cold."),
    ],
)
def test_a_text_is_read_as_the_makers_read_it(text, read):
    """Of pocket_tts 4.0.1, with the rules of its english model."""
    assert pieces(text) == [read]


def test_a_sentence_mark_stays_and_the_comma_behind_it_goes_where_quotes_are_deleted():
    assert pieces('"Hi?", she said', BARE) == ["Hi? she said."]
    assert pieces('"Hi?" , ;she said – "so" –', BARE) == ["Hi? she said , so."]


def test_semicolons_are_commas_where_the_model_has_none():
    assert pieces("One; two;", TextRules(remove_semicolons=True)) == ["One, two."]


def test_capitals_and_sentence_marks_are_left_out_where_the_rules_do_without():
    rules = TextRules(append_terminal_punctuation=False, capitalize_first_letter=False)
    assert pieces("salam,\n\ndust", rules) == ["salam, dust"]


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("One.", 5),
        ("One two three four.", 5),
        ("One two three four five.", 3),
        ("One , three , five", 3),
        ("One. Two. Three. Four. Five.", 3),
    ],
)
def test_a_short_piece_goes_on_for_longer_behind_its_end(text, frames):
    assert [piece.frames_after_end for piece in text_pieces(text, ENGLISH, count)] == [frames]
    for told in (0, 7):
        rules = TextRules(model_recommended_frames_after_eos=told)
        assert [piece.frames_after_end for piece in text_pieces(text, rules, count)] == [told]


def test_frames_go_by_the_words_of_the_piece_and_not_of_the_text():
    assert [piece.frames_after_end for piece in text_pieces(f"{sentence(50)} So it is.", ENGLISH, count)] == [3, 5]


def test_a_short_text_is_padded_where_the_model_wants_it():
    rules = TextRules(pad_with_spaces_for_short_inputs=True)
    assert pieces("one two three four", rules) == [" " * 8 + "One two three four."]
    assert pieces("one two three four five", rules) == ["One two three four five."]
    assert pieces("one", ENGLISH) == ["One."]
    counted = [piece.text for piece in text_pieces("x" * 170, rules, lambda part: count(part) + part.count(" "))]
    assert counted == ["X" + "x" * 169 + "."]  # padded it would have more than 50


# --- how it is cut


@pytest.mark.parametrize(
    ("sentences", "joined"),
    [
        ([10, 10, 10], [30]),
        ([25, 25], [50]),
        ([25, 26], [25, 26]),
        ([50, 50], [50, 50]),
        ([10, 40, 10, 40, 1], [50, 50, 2]),
        ([2] * 30, [50, 10]),
    ],
)
def test_sentences_are_joined_as_long_as_they_have_50_tokens(sentences, joined):
    assert [count(piece) for piece in pieces(" ".join(sentence(n) for n in sentences))] == joined


@pytest.mark.parametrize("mark", [",", ";", ":", " -", " –"])
def test_a_sentence_that_is_too_long_is_cut_at_its_clauses(mark):
    """As full sentences, since the model was taught nothing else."""
    text = f"{sentence(35, 'one', mark)} {sentence(35, 'two', mark)} {sentence(10, 'six')}"
    first, second = pieces(text)
    assert first == sentence(35, "one")
    assert second == f"{sentence(35, 'two', mark)} {sentence(10, 'six')}"


def test_a_short_sentence_is_joined_with_a_clause_of_the_next():
    assert [count(piece) for piece in pieces(f"{sentence(10)} {sentence(40, end=',')} {sentence(40)}")] == [50, 40]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:12])
def test_no_piece_has_more_than_50_tokens_and_no_letter_is_lost(text):
    found = pieces(text)
    assert max(map(count, found)) <= MOST_TOKENS
    assert letters("".join(found)) == letters(text)
    assert all(letters(piece) for piece in found)


@pytest.mark.parametrize("rules", [ENGLISH, BARE, TextRules(remove_semicolons=True, pad_with_spaces_for_short_inputs=True)])
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:12])
def test_what_is_read_is_read_the_same_again(text, rules):
    for piece in text_pieces(text, rules, count):
        assert text_pieces(piece.text, rules, count) == (piece,)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_tokens_are_counted_in_proportion_to_the_text_whatever_it_holds(text):
    """Each character a few times, where it were hundreds if the rest of the text were counted for every piece."""
    lengths = []
    found = [piece.text for piece in text_pieces(text, ENGLISH, lambda part: lengths.append(len(part)) or count(part))]
    assert sum(lengths) <= 12 * len(text)
    assert max(map(count, found)) <= MOST_TOKENS
    assert letters("".join(found)) == letters(text)
    assert all(map(letters, found))


def test_parts_without_tokens_are_not_counted_together_for_ever():
    """46 tokens, and 4,000 clauses that have none."""
    lengths = []
    text = "x " * 46 + ", y" * 4_000 + ", " + "x " * 46
    text_pieces(text, ENGLISH, lambda part: lengths.append(len(part)) or part.lower().count("x"))
    assert sum(lengths) <= 12 * len(text)


def test_a_capital_that_is_a_token_more_has_its_place():
    """A clause is left to the next piece, not half of them."""
    text = "one two six ten, " * 10
    for n in (0, 1):
        found = text_pieces(text, ENGLISH, lambda part, n=n: count(part) + n * part[0].isupper())
        assert [piece.text.count("ten") for piece in found] == [10 - n, n][: 1 + n]


def test_a_piece_is_cut_again_where_it_has_more_tokens_than_its_parts():
    def long_is_much(part: str) -> int:
        return 60 if len(part) > 100 else 1

    found = text_pieces("This has some forty characters in it. " * 20, ENGLISH, long_is_much)
    assert all(long_is_much(piece.text) == 1 for piece in found)


def test_a_character_is_not_cut_whatever_it_is_worth():
    assert [piece.text for piece in text_pieces("ab", ENGLISH, lambda part: 30 * len(part))] == ["A.", "B."]


# --- otherwise than the makers, on purpose


def test_abbreviations_numbers_and_addresses_are_not_torn():
    text = "We meet at 5 p.m. today. Dr. Smith, e.g., of the U.S. pays 3.50 by a.b@example.org."
    assert pieces(text) == ["We meet at 5 p.m. today. Dr. Smith, e.g. of the U.S. pays 3.50 by a.b@example.org."]
    for n in range(30, 43):
        assert pieces(f"{sentence(n, end='')} at 5 p.m. today. {sentence(40)}")[0].endswith(" 5 p.m. today."), n


def test_no_blank_parts_a_mark_from_its_closing_quote():
    assert pieces("is it “so?”") == ["Is it “so?”"]
    assert pieces("“Hi?”, she said. “Are you well?”") == ["“Hi?”, she said. “Are you well?”"]


def test_a_blank_line_ends_a_sentence():
    assert pieces("A title\n\nThe text goes on\nin the next line:\n \nEnd") == ["A title. The text goes on in the next line. End."]


def test_what_has_no_marks_is_cut_between_words_in_even_parts():
    for text in (MARKLESS, "and then the river went on to the old mill " * 73):
        found = pieces(text)
        assert " ".join(piece.rstrip(".") for piece in found).lower().split() == text.split()
        assert min(map(count, found)) > MOST_TOKENS / 2
    assert [count(piece) for piece in pieces(sentence(51))] == pytest.approx([26, 26], abs=2)


def test_a_word_that_is_too_long_is_cut_between_characters():
    found = pieces("é".join(["e\u0301🇫🇷👩\u200d👩"] * 300), ENGLISH)
    for piece in found:
        assert not re.match("[\u0301\u200d]", piece)
        assert len(re.findall("[🇦-🇿]", piece)) % 2 == 0
        assert not piece.endswith("\u200d.")
    assert len(found) > 10


def test_the_first_letter_is_a_capital_behind_quotes_and_brackets_if_it_has_one():
    assert pieces('"hello there"') == ['"Hello there".']
    assert pieces("(see below)") == ["(See below)."]
    assert pieces("- milk\n- eggs") == ["- Milk - eggs."]
    assert pieces("ßa") == ["ßa."]


def test_no_piece_begins_with_a_comma_or_ends_in_two_full_stops():
    assert pieces(", well") == ["Well."]
    assert pieces("Hi. -") == ["Hi."]
    assert pieces('Hi." –') == ['Hi."']
    assert not any(re.match("[,;:]", piece) for piece in pieces("a," * 500))


@pytest.mark.parametrize(
    ("text", "told"), [("", "text_missing"), (" \n", "text_missing"), ("…!?", "text_without_letters"), ("😀_", "text_without_letters")]
)
def test_a_text_with_nothing_to_say_is_refused(text, told):
    with pytest.raises(TextUnspeakable) as refused:
        pieces(text)
    assert refused.value.values["sentence"] == told
    assert refused.value.hint


def test_a_text_of_which_the_rules_leave_nothing_is_refused():
    with pytest.raises(TextUnspeakable):
        pieces("A", TextRules({"A": ""}))
