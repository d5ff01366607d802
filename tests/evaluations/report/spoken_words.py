"""Words of reports in tests."""

from studio.evaluations.report.report_words import ReportWords
from studio.words.sentences import sentences_in

__all__ = ["words_in"]


def words_in(language: str = "en") -> ReportWords:
    sentences = sentences_in(language)
    return ReportWords(lambda key, values: sentences.words(f"evaluations.{key}", values), language)
