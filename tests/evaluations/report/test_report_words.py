"""Claims about the words and figures of a report: each is there in every language, and figures are written as the language does."""

import re
from itertools import chain

import pytest

from studio.evaluations.plan.figures import FAMILIES, FIGURES
from studio.evaluations.report.report_words import ReportWords
from studio.words.sentences import LANGUAGES, sentences_in
from tests.evaluations.report.spoken_words import words_in
from tests.house.source_files import ROOT, text_of

KEY = re.compile(r'"((?:report|plot|markdown)_[a-z0-9_]+)"')
KINDS = ("everyday", "names", "numbers", "questions", "twisters")


def test_every_sentence_is_there_in_every_language() -> None:
    of_sources = chain.from_iterable(KEY.findall(text_of(file)) for file in (ROOT / "studio/evaluations/report").rglob("*.py"))
    made = [
        *(f"figure_{name}" for name in FIGURES),
        *(f"about_{name}" for name, kind in FIGURES.items() if kind.is_judged),
        *(f"report_method_{name}" for name in FAMILIES),
        *(f"kind_{kind}" for kind in KINDS),
        *(f"report_learn_{how}" for how in ("best", "now")),
    ]
    wanted = {*of_sources, *made} - {"report_zip", "markdown_table"}  # functions
    assert len(wanted) > 100
    for language in LANGUAGES:
        assert not wanted - set(sentences_in(language).sections["evaluations"]), language


@pytest.mark.parametrize(
    ("language", "figure", "range_", "factor"),
    [("en", "3.20\u202fst", "0.10 to 1,234.50", "×\u202f0.50"), ("de", "3,20\u202fst", "0,10 bis 1.234,50", "×\u202f0,50")],
)
def test_figures_are_written_as_the_language_does(language: str, figure: str, range_: str, factor: str) -> None:
    words: ReportWords = words_in(language)
    assert words.figure("pitch_distance", 3.2) == figure
    assert words.range("pitch_distance", 0.1, 1234.5) == range_
    assert words.difference("rtf", 0.5, is_ratio=True) == factor


def test_a_difference_has_a_sign_and_what_nobody_knows_is_a_dash() -> None:
    words = words_in()
    assert (words.difference("likeness", 0.0414), words.difference("likeness", -0.0414)) == ("+0.041", "−0.041")
    assert (words.figure("likeness", None), words.number(float("nan")), words.range("likeness", None, 1.0)) == ("–", "–", "")


def test_what_the_studio_has_no_word_for_is_called_as_it_is() -> None:
    words = words_in()
    assert (words.kind("limericks"), words.name("versa.utmos"), words.spoken("tlh-x")) == ("limericks", "utmos", "tlh-x")
