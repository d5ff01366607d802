"""German inflection as far as numbers need it: cases by what stands before, genders of nouns, endings of ordinals."""

import re

__all__ = ["GENDERS", "case_before", "gender_of", "ordinal_ending"]

# Nouns that often follow an ordinal or a one.
_MASCULINE = """
    Name Junge Käse Kunde Affe Löwe Hase Gedanke Buchstabe Bulle Erbe Kollege Experte Zeuge Franzose Pole Russe Grieche Däne Schwede
    Türke Neffe Rabe Ochse Riese Bote Brite Finne Chinese Jude Insasse Laie Genosse Fehler Lehrer Schüler Teller Eimer Löffel
    Monitor Computer Schlüssel Tag Monat Platz Rang Stock Satz Teil Band Akt Versuch Schritt Geburtstag Jahrestag Weltkrieg Mann
    Euro Dollar Meter Kilometer Liter Januar Februar März April Mai Juni Juli August September Oktober November Dezember Sieger
    Spieltag Bezirk Absatz Artikel Punkt Abschnitt Grad Lauf Spieler Vorsitzende Sohn Bruder Freund Hund Apfel Tisch Stuhl
    Weihnachtstag Advent Stern Preis Termin Gang
"""
_FEMININE = """
    Mutter Katze Feder Leiter Mauer Schulter Nummer Kammer Steuer Butter Gabel Regel Insel Tafel Nadel Wurzel Zwiebel Kartoffel
    Formel Bank Uhr Klasse Etage Auflage Runde Liga Woche Stunde Minute Sekunde Stelle Reihe Seite Person Frau Tonne Stufe Strophe
    Staffel Folge Symphonie Sinfonie Ausgabe Generation Tochter Hand Schwester Stadt Nacht Reise Flasche Tasse Halbzeit
    Legislaturperiode Million Milliarde Wahl Ehe Welle Phase Version Saison Bundesliga Armee Division Schicht Mahnung Rate Fassung
    Dosis Impfung Spur Kugel Prise Zehe
"""
_NEUTER = """
    Auge Ende Gebäude Gemüse Interesse Ergebnis Fenster Messer Wasser Wunder Muster Opfer Ufer Pflaster Orchester Register Ass
    Wochenende Jahr Jahrhundert Jahrtausend Kapitel Mal Semester Quartal Buch Kind Lebensjahr Haus Zimmer Bild Stockwerk Bataillon
    Regiment Gebot Tor Spiel Obergeschoss Untergeschoss Schuljahr Jahrzehnt Drittel Viertel Kilo Kilogramm Gramm Pfund Prozent Ei
    Bier Glas Stück Auto Foto Brot Mädchen Ticket Reich Album Glied Lied Tier Blatt Rennen Treffen
"""
GENDERS = {noun: gender for gender, nouns in (("m", _MASCULINE), ("f", _FEMININE), ("n", _NEUTER)) for noun in nouns.split()}
# Of nouns that are not there; the first that fits.
_BY_ENDING = {
    "f": ("ung", "heit", "keit", "schaft", "tät", "ion", "ik", "ur", "ie", "enz", "anz", "in"),
    "n": ("chen", "lein", "ment", "tum", "um", "zeug"),
    "m": ("ismus", "ling", "or", "ist", "ant", "ent"),
}
_ENDINGS = (*((ending, gender) for gender, endings in _BY_ENDING.items() for ending in endings), ("e", "f"))
_SERIES = re.compile(r"\d{1,2}\.(?:\s?[-–,]\s?|\s(?:und|oder|bis)\s(?!zum\s))$")  # the 3rd and the 5th are inflected alike
_DATIVE = "von|vom|mit|unter|bei|beim|zu|zum|zur|nach|seit|aus|vor|im|am|in|an|auf|ab|gegenüber|außer|dank|neben|hinter|über|zwischen|samt"
_ACCUSATIVE = "für|gegen|durch|ohne|um|bis|pro|je"
_GENITIVE = "während|wegen|trotz|statt|anstatt|innerhalb|außerhalb|des"
_LAST = re.compile(r"(?:([^\W\d_]+)[\s\u00a0,]+)?([^\W\d_]+)[\s\u00a0]$")
_DATIVE_SET, _ACCUSATIVE_SET, _GENITIVE_SET = (frozenset(words.split("|")) for words in (_DATIVE, _ACCUSATIVE, _GENITIVE))
_PREPOSITIONS = _DATIVE_SET | _ACCUSATIVE_SET | _GENITIVE_SET
_BEFORE_EN = """
    dem den des im am zum zur vom beim einem einen einer eines jedem jeden meinem meinen meiner seinem seinen seiner ihrem ihren
    ihrer unserem unseren unserer diesem diesen dieses jenem jenen keinem keinen keiner übernächsten jeweils
"""
_BEFORE_E = """
    die das ins ans aufs fürs übers eine meine seine ihre unsere diese jede jeder dieser jenes jedes welche keine
"""
_WEAK_EN, _WEAK_E = frozenset(_BEFORE_EN.split()), frozenset(_BEFORE_E.split())
_MIXED = frozenset(("ein", "mein", "dein", "sein", "ihr", "unser", "euer", "kein"))
_STRONG = {"m": "er", "f": "e", "n": "es"}
_STRONG_DATIVE = {"m": "em", "f": "er", "n": "em"}
_DATIVE = {"m": "em", "f": "er", "n": "em"}
_STRONG_ACCUSATIVE = {"m": "en", "f": "e", "n": "es"}


def gender_of(noun: str) -> str | None:
    """m, f, n. None: unknown, or a plural."""
    if noun in GENDERS:
        return GENDERS[noun]
    small = noun.lower()
    inside = next((GENDERS[small[at:].capitalize()] for at in range(3, len(small) - 3) if small[at:].capitalize() in GENDERS), None)
    return inside or next((gender for ending, gender in _ENDINGS if small.endswith(ending)), None)


def case_before(before: str) -> str:
    """n, g, d or a, by the preposition that stands right before."""
    found = _LAST.search(before)
    word = found[2].lower() if found else ""
    if word in _DATIVE_SET:
        return "d"
    return "a" if word in _ACCUSATIVE_SET else "g" if word in _GENITIVE_SET else "n"


def ordinal_ending(before: str, noun: str, gender: str | None, needs_article: bool = False) -> str | None:
    """Behind the stem of an ordinal ("dritt"). None: nobody can say, or with needs_article: nothing before asks for an ordinal."""
    before = _SERIES.sub("", before)
    found = _LAST.search(before)
    word, ahead = (found[2].lower(), (found[1] or "").lower()) if found else ("", "")
    if word in _WEAK_EN:
        return "en"
    if word in _WEAK_E:
        return "e"
    if word == "der":
        return "en" if gender == "f" or (gender != "m" and ahead in _PREPOSITIONS) else "e"
    if word in _MIXED:
        return _STRONG.get(gender or "")
    if needs_article:
        return None
    return _without_article(word, gender)


def _without_article(word: str, gender: str | None) -> str | None:
    if word in ("bis", "für", "gegen", "durch", "ohne", "um", "je", "pro"):
        return _STRONG_ACCUSATIVE.get(gender or "")
    if word in _DATIVE_SET:
        return _STRONG_DATIVE.get(gender or "")
    return _STRONG.get(gender or "")
