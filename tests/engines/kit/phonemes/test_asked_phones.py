"""Phones that a text asks for: the element that names them, their one spelling, and eSpeak's names for them."""

import re

import pytest

from engines.errors import TextUnspeakable
from engines.kit.phonemes.espeak_library import inventory, ipa, speak
from engines.kit.phonemes.ipa import PHONEME_MARKUP, PHONES_BEGIN, PHONES_END, ipa_words, with_phones, without_phones

TOMATO = '<phoneme alphabet="ipa" ph="təˈmeɪ.toʊ">tomato</phoneme>'


def asked(phones: str) -> str:
    return f"{PHONES_BEGIN}{phones}{PHONES_END}"


@pytest.mark.parametrize(
    ("text", "said", "written"),
    [
        (f"A {TOMATO}.", "A <təˈmeɪ.toʊ>.", "A tomato."),
        ("<phoneme ph='a b'>x &amp; y</phoneme>", "<a> <b>", "x & y"),
        ('<phoneme ph="a&apos;" alphabet="ipa"/>!', "<a'>!", "!"),
        ('<phoneme alphabet="ipa" ph="">x</phoneme>', "x", "x"),
        ("x</phoneme> y", "x y", "x y"),
        (
            '<phoneme ph="wɪn">N</phoneme>\'s, <phoneme ph="a">l</phoneme>’S <phoneme ph="a">x</phoneme>\'st',
            "<wɪnz>, <az> <a>'st",
            "N's, l’S x'st",
        ),
        (
            "l'<phoneme ph='o'>eau</phoneme>, Qu’<phoneme ph='o'>eau</phoneme> al'<phoneme ph='o'>x</phoneme>",
            "<lo>, <ko> al'<o>",
            "l'eau, Qu’eau al'x",
        ),
        ('<phoneme alphabet="x-sampa" ph="a">x</phoneme>', '<phoneme alphabet="x-sampa" ph="a">x', '<phoneme alphabet="x-sampa" ph="a">x'),
        ("a < b, phoneme", "a < b, phoneme", "a < b, phoneme"),
    ],
)
def test_an_element_is_its_phones_or_what_stands_in_it(text, said, written):
    made = with_phones(text, lambda word: word)
    assert made.replace(PHONES_BEGIN, "<").replace(PHONES_END, ">") == said and without_phones(text) == written


def test_an_element_is_declared_as_a_whole():
    def is_declared(mark: str) -> bool:
        return any(re.fullmatch(pattern, mark) for pattern in PHONEME_MARKUP)

    opens = ('<phoneme alphabet="ipa" ph="a">', "<phoneme ph='a'>", '<phoneme ph="a" alphabet="ipa">')
    others = ("<phoneme>", '<phoneme alphabet="ipa">', '<phoneme alphabet="x-sampa" ph="a">', '<phonemes ph="a">')
    assert all(is_declared(f"{mark}a b</phoneme>") for mark in opens) and not any(is_declared(f"{mark}a</phoneme>") for mark in others)


def test_phones_have_one_spelling_with_the_stress_before_its_vowel():
    spelled = {"təˈmeɪ.toʊ": "təmˈeɪtoʊ", "t͡ʃiːz": "tʃˈiːz", "'g": "ˈɡ", "ç": "ç", "red": "ɹˈɛd", "ðə": "ðə", "ˈstrɛŋkθ": "stɹˈɛŋkθ"}
    assert {word: "".join(ipa_words(word, "en-gb")) for word in spelled} == spelled
    assert ipa_words("paʁi ɛt", "fr") == ["paʁˈi", "ˈɛt"] and ipa_words("rɛt", "de") == ["rˈɛt"]


@pytest.mark.parametrize(("word", "sign"), [("tə5", "5"), ("Tom", "T"), ("a#", "#"), ("a˥", "˥"), ("а", "а")])
def test_a_sign_that_is_none_is_refused_by_its_name(word, sign):
    with pytest.raises(TextUnspeakable, match=re.escape(f"“{sign}” in “{word}”")) as refused:
        ipa_words(word)
    assert (refused.value.values["sentence"], refused.value.values["sign"]) == ("phones_unknown", sign)


def test_every_voice_names_its_phones_in_ipa():
    english, german, spanish = inventory("en-us"), inventory("de"), inventory("es")
    assert (english["eɪ"], english["ɹ"], english["tʃ"], german["ts"], german["øː"]) == ("eI", "r", "tS", "ts", "Y:")
    assert {"b", "d", "ɡ"} <= spanish.keys(), "phones that are said otherwise between others"
    assert not [name for voice in ("cmn", "ja", "hi", "ru", "fr") for name in ("a", "k", "s") if name not in inventory(voice)]


def test_phones_within_a_text_are_said_and_words_keep_their_places():
    text = f"I say {asked(chr(39).join(['t|@|m|', 'eI|t|oU']))} today."
    speech, plain = speak(text, "en-us"), speak("I say tomato today.", "en-us")
    assert [name for _, name in speech.phones] == [name for _, name in plain.phones] and speech.text == text
    places = [place - 1 for _, place, _ in speech.words]
    assert [text[place] for place in places] == ["I", "s", "t", "t"] and places[2] == text.index("t|") and places[3] == text.index("today")


@pytest.mark.parametrize("around", ["({})", '"{}," she said', "¿{}?", "—{}—", "a-{}-b", "3{}4", "“{}”", "{}:\n\n{}"])
def test_phones_are_said_whatever_stands_beside_them(around):
    word = asked("k|w|'I|t")
    assert ipa(around.format(word, word), "en-us").count("kwˈɪt") == around.count("{}")
    text = around.format(word, word)
    assert "kwɪt" in "".join(name for _, name in speak(text, "en-us").phones)
    assert {text[place - 1] for _, place, _ in speak(text, "en-us").words} >= {"k"}


def test_brackets_that_are_typed_are_never_phones():
    plain = ipa("a t@m b", "en-us")
    for text in ("a [[t@m]] b", f"a [[t@m]] {asked('b|' + chr(39) + 'i:')}"):
        assert "təm" not in ipa(text, "en-us") and "təm" not in "".join(name for _, name in speak(text, "en-us").phones)
    assert ipa("a [[t@m]] b", "en-us") == plain, "also after a text with phones"
