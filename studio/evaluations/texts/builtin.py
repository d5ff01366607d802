"""The studio's own texts: fifty in each of twelve languages, of five kinds that engines stumble over, in assets/evaluation/.

numbers: with dates, prices and units; names: of people and places; questions: and exclamations; twisters: hard clusters of sounds;
everyday: longer ones, with abbreviations, quotes and loanwords. Languages are those that most of the engines speak.
"""

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from studio.errors import EvaluationTextsUnusable
from studio.evaluations.plan.plan import EvaluationText

__all__ = ["BUILTIN_KINDS", "BUILTIN_LANGUAGES", "N_BUILTIN", "builtin_texts"]

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "evaluation"
BUILTIN_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "ru", "hi", "zh", "ja", "ko")
BUILTIN_KINDS = ("numbers", "names", "questions", "twisters", "everyday")
N_BUILTIN = 50  # of each language, as many of each kind


def builtin_texts(languages: Sequence[str], n: int | None = None) -> tuple[EvaluationText, ...]:
    """The first n of each language, which have every kind alike; None for all. languages: codes; an accent has those of its language.

    Raises EvaluationTextsUnusable for a language that has none, and for more than there are.
    """
    bases = {code.casefold().replace("_", "-").partition("-")[0]: code for code in reversed(languages)}
    if unknown := [code for base, code in bases.items() if base not in BUILTIN_LANGUAGES]:
        raise EvaluationTextsUnusable(sentence="evaluation_texts_no_language", language=unknown[0][:40], known=", ".join(BUILTIN_LANGUAGES))
    if n is not None and not 1 <= n <= N_BUILTIN:
        raise EvaluationTextsUnusable(sentence="evaluation_texts_few", n=n, most=N_BUILTIN)
    return tuple(text for code in BUILTIN_LANGUAGES if code in bases for text in _texts_of(code)[:n])


@cache
def _texts_of(code: str) -> tuple[EvaluationText, ...]:
    with (FOLDER / f"{code}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(EvaluationText(id=row["id"], text=row["text"], language=code, kind=row["kind"]) for row in csv.DictReader(file))
