"""Phones that a text asks for, as the embedded engine says them."""

import numpy as np
import pytest

from engines.errors import TextUnspeakable
from engines.espeak.prior.prior import phone_facts
from engines.espeak.reading.ipa_mnemonics import read_phones
from engines.kit.phonemes.espeak_library import EspeakSpeech, speak
from engines.kit.phonemes.languages import language_of
from engines.text.spoken_pieces import pieces, speakable


def element(ipa: str, written: str = "x") -> str:
    return f'<phoneme alphabet="ipa" ph="{ipa}">{written}</phoneme>'


def heard(ipa: str, language: str) -> str:
    spoken_in = language_of("", language)
    return " ".join(name for _, name in speech(f"{element(ipa)} x", language=spoken_in.code).phones[: len(ipa)])


def speech(text: str, language: str = "en") -> EspeakSpeech:
    spoken_in = language_of("", language)
    return speak(read_phones(speakable(text), spoken_in), spoken_in.voice)


@pytest.mark.parametrize(
    ("language", "ipa", "phones"),
    [
        ("en", "təˈmeɪtoʊ", "t ə m eɪ ɾ oʊ"),
        ("en", "təˈmɑːtəʊ", "t ə m ɑː ɾ ə ʊ"),
        ("en-gb", "təˈmɑːtəʊ", "t ə m ɑː t əʊ"),
        ("en", "fʁɑ̃", "f ʁ ɑ̃"),
        ("en", "yø", "ʊ ʊ"),
        ("de", "ˈtsʏʁɪç", "ts ʏ ʁ ɪ ç"),
        ("fr", "bɔ̃ʒuʁ", "b ɔ̃ ʒ u ʁ"),
        ("es", "baɾθeˈlona", "b a ɾ θ e l o n a"),
        ("it", "ˈɲɔkki", "ɲ ɔ k k"),
    ],
)
def test_ipa_is_said_by_the_phones_of_the_voice_or_the_nearest(language, ipa, phones):
    assert heard(ipa, language).startswith(phones)


def test_a_word_of_phones_is_one_word_of_the_melody_and_cuts_no_text():
    ipa = "ˈʁuːʒˌəˈmeɪtoʊ?"[:-1]
    text = read_phones(speakable(f"I say {element(ipa)} now."), language_of("", "de"))
    assert [piece for piece, _ in pieces(f"{text} Yes. No.")] == [text, "Yes.", "No."]
    facts, plain = phone_facts(speech(f"I say {element('bˌiːˈiː')} now.")), phone_facts(speech("I say beeyee now."))
    assert np.array_equal(facts[-4:, -3:], plain[-4:, -3:]) and np.array_equal(facts[0, 5:], plain[0, 5:])


def test_what_a_sentence_holds_in_phones_is_heard_and_a_wrong_sign_refused_before_any_sound(prompt, say):
    samples = {word: say(prompt, f"My {word}.", language="en") for word in ("tomato", element("təˈmeɪtoʊ"), element("təˈmɑːtəʊ"))}
    plain, american, british = samples.values()
    assert np.array_equal(plain, american) and len(british) != len(plain)
    for sign in "5ǃ":
        with pytest.raises(TextUnspeakable, match=f"“{sign}” in"):
            say(prompt, f"My {element(f't{sign}')}.", language="en")
