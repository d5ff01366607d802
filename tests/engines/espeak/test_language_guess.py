"""The guess of a text's language, and the list of languages."""

import unicodedata
from pathlib import Path

import pytest

from engines.errors import LanguageUnsupported
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import CODES, language_of
from engines.text.language_guess import guess_language, likeliest_language

TEXTS = Path(__file__).parents[3] / "assets/texts"


@pytest.mark.parametrize("language", ["de", "es", "fr", "zh"])
def test_a_paragraph_is_known_by_its_small_words_or_its_script(language):
    assert guess_language((TEXTS / f"{language}.txt").read_text()) == language


def test_marks_may_stand_behind_their_letters():
    assert guess_language(unicodedata.normalize("NFD", "Xin chào thế giới.")) == "vi"


def test_no_english_sentence_is_taken_for_another_language():
    sentences = (TEXTS / "en.txt").read_text().splitlines()
    assert {guess_language(sentence) for sentence in sentences} == {"en"}


@pytest.mark.parametrize("text", ["", "12 345", "Hello.", "Ok", "La La Land", "Die Hard", "Taxi!", "Two phở, please.", "Báo cáo"])
def test_a_text_too_short_to_tell_is_english(text):
    assert guess_language(text) == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich habe heute keine Zeit, aber morgen ist es mir recht, und das ist gut.", "de"),
        ("Il treno è in ritardo, ma non è un problema per la gente che aspetta.", "it"),
        ("Não sei se ele vem, mas você pode esperar um pouco mais com os outros.", "pt"),
        ("De trein is te laat, maar dat is niet erg voor de mensen die er op wachten.", "nl"),
        ("Esta es la casa de mi madre y de mi padre.", "es"),
        ("Le chat de mon ami est parti.", "fr"),
        ("A casa de minha mãe é grande.", "pt"),
        ("De kat van mijn vriend is weg.", "nl"),
        ("Ben de geldim ve o da geldi.", "tr"),
        ("Xin chào thế giới.", "vi"),
        ("Cảm ơn bạn!", "vi"),
        ("Tôi là sinh viên.", "vi"),
        ("Hôm nay trời đẹp quá, chúng ta đi chơi nhé.", "vi"),
        ("Привет, как дела?", "ru"),
        ("Добрий день, її звати Їжак.", "uk"),
        ("こんにちは、元気ですか。", "ja"),
        ("你好，今天天气很好。", "zh"),
        ("안녕하세요", "ko"),
        ("שלום עולם", "he"),
        ("สวัสดีครับ", "th"),
    ],
)
def test_sentences_in_other_languages_are_known(text, language):
    assert guess_language(text) == language


def test_every_language_of_the_package_is_offered_and_speaks():
    """The package has three more voices, whose dictionaries it lacks."""
    import espeakng_loader

    packaged = {file.name.lower() for file in Path(espeakng_loader.get_data_path(), "lang").rglob("*") if file.is_file()}
    renamed = {"cmn", "en-us", "pt-br"}  # offered as zh, en and pt
    assert packaged - renamed - {"fo", "kaa", "xex"} <= set(CODES)
    for code in CODES:
        assert len(espeak_library.speak("Ana 12.", language_of("", code).voice).samples) > 2000, code


def test_a_code_is_taken_in_any_spelling_and_a_variant_that_is_not_there_is_its_plain_language():
    assert language_of("", "PT_br").voice == "pt-br"
    assert language_of("", "pt-PT").voice == "pt"
    assert language_of("", "de-AT").voice == "de"
    assert language_of("", "en").voice == "en-us"
    assert language_of("", "en-GB").voice == "en"  # as eSpeak calls British English
    with pytest.raises(LanguageUnsupported):
        language_of("", "xx")


@pytest.mark.parametrize(
    ("text", "language"), [("Das kostet 5 kg.", "de"), ("El 5 de mayo", "es"), ("No. 5", "en"), ("Die 5 men", "en"), ("$5", "en")]
)
def test_one_word_of_another_language_is_believed_where_none_is_english(text, language):
    assert likeliest_language(text) == language and guess_language(text) == "en"
