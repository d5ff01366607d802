"""The studio's own texts: complete, of every kind alike, and such that writing numbers another way is no wrong word."""

from collections import Counter

import pytest

from engines.text.language_guess import guess_language
from studio.analysis.heard_words import word_errors
from studio.errors import EvaluationTextsUnusable
from studio.evaluations.texts.builtin import BUILTIN_KINDS, BUILTIN_LANGUAGES, FOLDER, N_BUILTIN, builtin_texts
from studio.evaluations.texts.read import read_texts
from studio.reading.numbers.numbers import number_replacements
from studio.reading.traced_text import TracedText


def test_each_of_twelve_languages_has_fifty_texts_ten_of_each_kind():
    texts = builtin_texts(BUILTIN_LANGUAGES)
    assert Counter(text.language for text in texts) == dict.fromkeys(BUILTIN_LANGUAGES, N_BUILTIN) and len(BUILTIN_LANGUAGES) == 12
    assert Counter((text.language, text.kind) for text in texts) == {
        (code, kind): 10 for code in BUILTIN_LANGUAGES for kind in BUILTIN_KINDS
    }
    assert len({text.id for text in texts}) == len({text.text for text in texts}) == len(texts)
    assert {file.name for file in FOLDER.iterdir()} == {f"{code}.csv" for code in BUILTIN_LANGUAGES}
    guessed = {
        code: Counter(guess_language(text.text) for text in builtin_texts([code])).most_common(1)[0][0] for code in BUILTIN_LANGUAGES
    }
    assert all(code == most for code, most in guessed.items()), "each stands in the file of its language"


def test_a_part_of_them_has_every_kind_alike_and_an_accent_has_those_of_its_language():
    part = builtin_texts(["fr", "de-AT", "de"], 10)
    assert [text.id for text in part[:2]] == ["de-01", "de-02"] and len(part) == 20
    assert set(Counter((text.language, text.kind) for text in part).values()) == {2}


def test_a_language_without_any_and_a_number_beyond_are_told():
    for languages, n, sentence in (
        (["en", "sw"], None, "evaluation_texts_no_language"),
        (["en"], 51, "evaluation_texts_few"),
        (["en"], 0, "evaluation_texts_few"),
    ):
        with pytest.raises(EvaluationTextsUnusable) as told:
            builtin_texts(languages, n)
        assert told.value.values["sentence"] == sentence


def test_the_files_are_lists_that_anybody_may_bring_again():
    for code in BUILTIN_LANGUAGES:
        read = read_texts((FOLDER / f"{code}.csv").read_bytes(), f"{code}.csv")
        assert read.texts == builtin_texts([code]) and dict(read.notes).keys() <= {"texts_language_of_file"}


@pytest.mark.parametrize("code", BUILTIN_LANGUAGES)
def test_no_line_is_wrong_where_its_numbers_are_written_as_they_are_read(code):
    wrong = []
    for text in builtin_texts([code]):
        read = TracedText(text.text).replaced(number_replacements(text.text, code)).text
        wrong += [(text.id, way) for way in dict.fromkeys((text.text, read)) if word_errors(text.text, way, code)[0]]
    assert not wrong
