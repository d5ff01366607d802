"""Abbreviations as words: titles in front of names ("M. le maire" too), and what people shorten everywhere."""

import re
from functools import cache

from studio.reading.numbers.kinds import any_of
from studio.reading.traced_text import Replacement

__all__ = ["abbreviation_replacements", "has_abbreviation"]

# Language -> how a title is shortened in front of a name -> said.
_TITLES = {
    "es": {
        "Sr.": "señor", "Sra.": "señora", "Srta.": "señorita", "Sres.": "señores", "Sras.": "señoras", "Dr.": "doctor",
        "Dra.": "doctora", "D.": "don", "Dña.": "doña", "Prof.": "profesor", "Profa.": "profesora", "Avda.": "avenida",
        "Av.": "avenida", "Pza.": "plaza", "C/": "calle",
    },
    "fr": {
        "M.": "Monsieur", "MM.": "Messieurs", "Mme": "Madame", "Mmes": "Mesdames", "Mlle": "Mademoiselle", "Mlles": "Mesdemoiselles",
        "Dr": "Docteur", "Dr.": "Docteur", "Pr": "Professeur", "Pr.": "Professeur", "Mgr": "Monseigneur", "av.": "avenue",
        "Av.": "avenue", "bd": "boulevard", "Bd": "boulevard", "bd.": "boulevard",
    },
    "it": {
        "Sig.": "signor", "Sig.ra": "signora", "Sig.na": "signorina", "Sigg.": "signori", "Sig.ri": "signori", "sig.": "signor",
        "sig.ra": "signora", "sig.na": "signorina", "Dott.": "dottor", "dott.": "dottor", "Dott.ssa": "dottoressa",
        "dott.ssa": "dottoressa", "Prof.": "professor", "prof.": "professor", "Prof.ssa": "professoressa",
        "prof.ssa": "professoressa", "Ing.": "ingegner", "ing.": "ingegner", "Avv.": "avvocato", "avv.": "avvocato",
    },
    "pt": {
        "Sr.": "senhor", "Sra.": "senhora", "Srta.": "senhorita", "Srs.": "senhores", "Dr.": "doutor", "Dra.": "doutora",
        "Prof.": "professor", "Profa.": "professora", "Prof.ª": "professora", "Eng.": "engenheiro", "Av.": "avenida",
    },
}  # fmt: skip
# Language -> abbreviation -> said, with a stop where it may end a sentence.
_SHORTENED = {
    "es": {
        "p. ej.": "por ejemplo", "p.ej.": "por ejemplo", "Ud.": "usted.", "Uds.": "ustedes.", "Vd.": "usted.", "Vds.": "ustedes.",
        "EE. UU.": "Estados Unidos.", "EE.UU.": "Estados Unidos.", "EEUU": "Estados Unidos", "a. C.": "antes de Cristo.",
        "a.C.": "antes de Cristo.", "d. C.": "después de Cristo.", "d.C.": "después de Cristo.", "Avda.": "avenida",
        "aprox.": "aproximadamente.",
    },
    "fr": {
        "p. ex.": "par exemple", "p.ex.": "par exemple", "c.-à-d.": "c'est-à-dire", "c-à-d": "c'est-à-dire",
        "av. J.-C.": "avant Jésus-Christ.", "apr. J.-C.": "après Jésus-Christ.", "ap. J.-C.": "après Jésus-Christ.",
        "s.v.p.": "s'il vous plaît.", "svp": "s'il vous plaît", "rdv": "rendez-vous",
    },
    "it": {
        "ecc.": "eccetera.", "ad es.": "ad esempio", "p. es.": "per esempio", "p.es.": "per esempio", "a.C.": "avanti Cristo.",
        "d.C.": "dopo Cristo.", "a. C.": "avanti Cristo.", "d. C.": "dopo Cristo.",
    },
    "pt": {
        "séc.": "século", "p. ex.": "por exemplo", "p.ex.": "por exemplo", "a.C.": "antes de Cristo.", "d.C.": "depois de Cristo.",
        "a. C.": "antes de Cristo.", "d. C.": "depois de Cristo.", "V. Exa.": "Vossa Excelência",
    },
}  # fmt: skip
_NAME = r"(?=[ \u00a0](?:[A-ZÀ-ÖØ-Þ][\w’'-]|[dD][’'][A-ZÀ-Þ]|l[ae] |(?:d[eu]|des|van|von|di|da|dos?|das) [A-ZÀ-Þ]|l[’']))"
_ENDS = re.compile(r"[\"»”’)]?\s*(?:$|\n)|[\"»”’)]?\s+[A-ZÀ-ÖØ-Þ¿¡«]")
_FIRST_NAME = re.compile(r"[^\s.!?:;(«\"]\s+[A-ZÀ-Þ][^\W\d_]{2,}[ \u00a0]$")
_CONTEXT = 48  # letters
_AROUND = "\"'’«»“”()[]¿¡,;:!?…"  # what may stand around a word


def abbreviation_replacements(text: str, language: str) -> list[Replacement]:
    """In order, not overlapping. language: its code, without a country."""
    if language not in _TITLES or not has_abbreviation(text):
        return []
    replacements = []
    for match in _pattern(language).finditer(text):
        written, start, end = match[0], match.start(), match.end()
        if match["short"]:
            said = _SHORTENED[language][written]
            replacements.append(Replacement(start, end, said if _ENDS.match(text, end) else said.removesuffix(".")))
        elif len(written) > 2 or not _FIRST_NAME.search(text[max(0, start - _CONTEXT) : start]):
            replacements.append(Replacement(start, end, _TITLES[language][written]))
    return replacements


def has_abbreviation(text: str) -> bool:
    """Whether one of any language may be in it."""
    return not _first_words().isdisjoint(word.strip(_AROUND) for word in text.split())


@cache
def _first_words() -> frozenset[str]:
    tables = (*_TITLES.values(), *_SHORTENED.values())
    return frozenset(written.split()[0] for table in tables for written in table)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    title, short = any_of(_TITLES[language]), any_of(_SHORTENED[language])
    return re.compile(rf"(?<![\w.@/-])(?:(?P<title>{title}){_NAME}|(?P<short>{short})(?!\w))")
