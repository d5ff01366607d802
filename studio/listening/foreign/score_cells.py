"""Score cells: what a cell says as a score: a number in any spelling, a grade in words, or which of two was preferred."""

import re
from collections.abc import Mapping

__all__ = ["grade_of", "is_score", "preference_of"]

# 4 | 3,5 | 85 % | 4 - Good | 5: like a human | 4/5 | (3) fair
_NUMBER = re.compile(r"[(\[]?\s*([+\-−]?\d{1,9}(?:[.,]\d{1,12})?|[+\-−]?[.,]\d{1,12})\s*(?:%|/\s*\d+|[)\]:.=–—-]\s*\D.*|\s\D.*)?")
# ITU-T P.800, table B.1, and its translations.
_GRADES = (
    ("bad", "schlecht", "mala", "malo", "mauvais", "mauvaise", "差", "很差", "劣"),
    ("poor", "dürftig", "mässig", "mediocre", "pobre", "médiocre", "较差"),
    ("fair", "ordentlich", "mittel", "regular", "aceptable", "moyen", "moyenne", "passable", "一般", "中"),
    ("good", "gut", "buena", "bueno", "bien", "bon", "bonne", "好", "良好", "良"),
    ("excellent", "ausgezeichnet", "sehr gut", "excelente", "excellente", "优秀", "很好", "优"),
)
_GRADE = {word: grade for grade, words in enumerate(_GRADES, start=1) for word in words}
_FIRST = {"a", "first", "correct", "1st", "x=a", "wins", "yes", "true"}
_SECOND = {"b", "second", "incorrect", "2nd", "x=b", "loses", "no", "false"}
_NEITHER = {
    *("tie", "same", "equal", "neither", "none", "undecided", "both", "no preference", "no difference", "=", "nopref", "draw", "np"),
    *("gleich", "unentschieden", "keine", "igual", "ninguno", "empate", "égal", "aucun", "相同", "无偏好", "一样"),
}


def grade_of(cell: str) -> float | None:
    """The number that a cell begins with, or the grade that it names; None where it says neither."""
    found = _NUMBER.fullmatch(cell)
    if found:
        return float(found[1].replace(",", ".").replace("−", "-"))
    grade = _GRADE.get(cell.strip().casefold())
    return None if grade is None else float(grade)


def preference_of(cell: str, system: str, other: str) -> float | None:
    """1 for `system`, 0 for `other`, 0.5 for neither, any other number as it is; None where it says none of it."""
    said = cell.strip().casefold()
    if said and said in (system.casefold(), other.casefold()):
        return float(said == system.casefold())
    named: Mapping[str, float] = {**dict.fromkeys(_FIRST, 1.0), **dict.fromkeys(_SECOND, 0.0), **dict.fromkeys(_NEITHER, 0.5)}
    return named.get(said) if said in named else grade_of(cell)


def is_score(cell: str) -> bool:
    """Whether it could be one, of whatever question."""
    return grade_of(cell) is not None or cell.strip().casefold() in _FIRST | _SECOND | _NEITHER
