"""Words of consent: what consents in each language, what denies, and what says something else."""

import pytest

from studio.consents.consent_words import EXAMPLES, WORDS, says_consent

OTHERS = {
    "en": ["I agree that this recording may be used.", "Hi, I'm Ana. You're allowed to clone my voice."],
    "de": ["Ich stimme der Nutzung meiner Stimme zu.", "Ich erlaube, dass diese Aufnahme verwendet wird."],
    "es": ["Autorizo el uso de mi voz."],
    "fr": ["J'autorise l'usage de ma voix.", "Je donne mon accord pour l'enregistrement."],
    "it": ["Autorizzo l'uso della mia voce."],
    "pt": ["Concordo com o uso da minha voz."],
    "nl": ["Ik sta toe dat mijn stem wordt nagemaakt."],
    "ru": ["Я разрешаю использовать мой голос."],
    "zh": ["我授权使用我的声音。", "我允許複製我的聲音。"],
    "ja": ["私の声の使用を許可します。"],
    "ko": ["안녕하세요. 제 목소리 사용을 허락합니다."],
}
DENYING = {
    "en": [
        "I do not consent to a copy of my voice.",
        "I don't agree that my voice is used.",
        "I withdraw my consent to the use of my voice.",
    ],
    "de": ["Ich stimme der Nutzung meiner Stimme nicht zu.", "Meine Stimme darf keiner benutzen, das erlaube ich nie."],
    "fr": ["Je n'autorise pas l'usage de ma voix.", "Je suis en désaccord avec l'usage de ma voix."],
    "es": ["No doy mi consentimiento para usar mi voz."],
    "ru": ["Я не согласен на запись голоса.", "Я несогласен на копию голоса."],
    "hi": ["मैं अपनी आवाज़ के उपयोग से सहमत नहीं हूँ।", "मैं अपनी आवाज़ के उपयोग से असहमत हूँ।"],
    "zh": ["我不同意用我的声音。"],
    "ja": ["私の声を使うことに同意しません。"],
    "ko": ["제 목소리 사용에 동의하지 않습니다."],
    "vi": ["Tôi không đồng ý cho dùng giọng của tôi."],
}


def test_every_language_has_a_sentence_that_consents():
    assert EXAMPLES.keys() == WORDS.keys()
    for language, sentence in EXAMPLES.items():
        assert says_consent(sentence, language) is True, language


@pytest.mark.parametrize(("said", "consents"), [(OTHERS, True), (DENYING, False)])
def test_other_words_consent_and_what_denies_does_not(said, consents):
    for language, sentences in said.items():
        for sentence in sentences:
            assert says_consent(sentence, language) is consents, sentence


def test_what_is_about_something_else_does_not_consent():
    for sentence in ("", "The quick brown fox jumps.", "This is my voice.", "I consent to the terms."):
        assert says_consent(sentence, "en-US") is False, sentence


def test_of_other_languages_nothing_is_claimed():
    assert says_consent("Ninakubali sauti yangu itumike.", "sw") is None
