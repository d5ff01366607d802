"""Texts: cut without losing a word, languages told by script, markup spoken and not obeyed."""

import re

import pytest

from engines.errors import LanguageUnsupported, TextUnspeakable
from engines.espeak import library
from engines.espeak.languages import CODES, language_of
from engines.espeak.sentences import LONG_CHARACTERS, pieces, speakable


def cut(text: str) -> list[str]:
    return [piece for piece, _ in pieces(speakable(text))]


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith lives on St. James Street.",
        "Turn to No. 5 and Fig. 12 please.",
        "It costs 3.5 dollars, i.e. 1,000.25 cents.",
        "J. K. Rowling met Mr. Brown in the U.S. Senate.",
        "Am 3. Mai kommt z. B. Herr Dr. Meier um 10.30 Uhr.",
        "See www.example.com or mail to a.b@example.org for more.",
        "Wait... what?",
        "今天天气很好，我们去散步吧。",
    ],
)
def test_a_sentence_is_not_cut_at_its_abbreviations_and_numbers(sentence):
    if sentence.startswith("Wait"):
        assert cut(sentence) == [sentence] or cut(sentence) == ["Wait...", "what?"]
    else:
        assert cut(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("你好。你叫什么名字？我很好！", ["你好。", "你叫什么名字？", "我很好！"]),
        ("A heading\n\nA paragraph.", ["A heading", "A paragraph."]),
        ("... - !!! Hello. ???", ["... - !!! Hello."]),
    ],
)
def test_sentences_are_cut_where_they_end(text, expected):
    assert cut(text) == expected


@pytest.mark.parametrize("text", ["word " * 3000, "clause of five little words, " * 500, "x" * 5000, "字" * 5000, "a;b" * 2000])
def test_a_long_sentence_is_cut_into_short_pieces_and_nothing_is_lost(text):
    parts = cut(text)
    assert max(map(len, parts)) <= 4 * LONG_CHARACTERS
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)


def test_no_word_of_a_long_text_is_dropped(texts):
    """eSpeak reports as many words for the pieces as for the whole (it counts some pairs, such as "of the", once)."""
    text = " ".join(texts("en") * 4)
    whole = len(library.speak(text, "en-us").words)
    assert sum(len(library.speak(piece, "en-us").words) for piece in cut(text)) == whole
    assert whole > 0.95 * len(text.split())


@pytest.mark.parametrize("text", ["", "   \n", "...!?", "—", "\x01\x02"])
def test_a_text_with_nothing_to_say_is_refused(text):
    with pytest.raises(TextUnspeakable):
        speakable(text)


@pytest.mark.parametrize("text", ["Hello [[h@'l@U]] there.", "Hello <break time='9s'/> there.", "<speak>Hello</speak> there."])
def test_markup_is_spoken_and_not_obeyed(text):
    words = [text[position - 1 : position - 1 + length] for _, position, length in library.speak(text, "en-us").words]
    assert any(word in ("h", "break", "speak") for word in words)


def test_an_embedded_command_does_not_reach_espeak():
    plain, command = library.speak("Hello there.", "en-us"), library.speak(speakable("Hello \x0199P\x01+50Sthere."), "en-us")
    assert "\x01" not in speakable("a\x01b")
    assert [name for _, name in command.phones] != [name for _, name in plain.phones]  # "99P" was read out instead


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Hello", "en"),
        ("42", "en"),
        ("今天天气", "zh"),
        ("きょうは天気", "ja"),
        ("안녕하세요", "ko"),
        ("Привет", "ru"),
        ("Привіт, як справи? Її", "uk"),
        ("Καλημέρα", "el"),
        ("मौसम", "hi"),
        ("مرحبا", "ar"),
    ],
)
def test_the_script_tells_the_language(text, code):
    assert language_of(text, None).code == code


def test_a_stated_language_wins_and_an_unknown_one_is_refused():
    assert language_of("Hello", "de").voice == "de"
    assert language_of("你好", "zh-CN").code == "zh"
    with pytest.raises(LanguageUnsupported):
        language_of("Hello", "tlh")


def test_espeak_says_the_same_whatever_it_said_before():
    text = "The fish was fresh, wasn't it?"
    first = library.speak(text, "en-us")
    library.speak("Etwas ganz anderes, zum Beispiel Zischen.", "de", most_samples=9000)
    for code in CODES:  # their voices have tempos of their own
        library.speak("7", language_of("", code).voice)
    again = library.speak(text, "en-us")
    assert first.samples.tobytes() == again.samples.tobytes()
    assert first.phones == again.phones


def test_a_speech_cut_short_is_the_beginning_of_the_whole():
    text = "She sells sea shells by the sea shore, and the shells she sells are sea shells."
    whole, beginning = library.speak(text, "en-us"), library.speak(text, "en-us", most_samples=12_000)
    assert whole.complete
    assert not beginning.complete
    assert len(beginning.samples) < len(whole.samples)
    assert whole.samples[: len(beginning.samples)].tobytes() == beginning.samples.tobytes()
