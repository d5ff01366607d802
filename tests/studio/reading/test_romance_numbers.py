"""French, Spanish, Italian and Portuguese: numbers agree with their nouns, follow the country, and stay where nobody can tell."""

import pytest

from studio.reading.numbers.numbers import number_replacements
from studio.reading.parts import Words
from studio.reading.reader import Manner, read
from studio.reading.traced_text import TracedText
from tests.stand_ins.fake_engine import INFO


def said(written: str, language: str) -> str:
    return TracedText(written).replaced(number_replacements(written, language)).text


@pytest.mark.parametrize(
    ("language", "written", "wanted"),
    [
        ("fr", "21 pages, 31 jours, 1 idée", "vingt et une pages, trente et un jours, une idée"),
        (
            "es",
            "21 euros, 21 libras, 200 casas, 230.000 mujeres",
            "veintiún euros, veintiuna libras, doscientas casas, doscientas treinta mil mujeres",
        ),
        ("it", "1 specchio, 1 ora, 1 casa, 1 libro", "uno specchio, un'ora, una casa, un libro"),
        ("pt", "2 gatas, 2 dias, 202 noites, 2 mil pessoas", "duas gatas, dois dias, duzentas e duas noites, duas mil pessoas"),
    ],
)
def test_a_number_has_the_gender_of_its_noun(language, written, wanted):
    assert said(written, language) == wanted


@pytest.mark.parametrize(("language", "written"), [("fr", "21 zorbls"), ("es", "200 zorblet"), ("it", "1 zorbe"), ("pt", "2 zorble")])
def test_a_number_stays_where_its_gender_is_heard_and_the_noun_is_unknown(language, written):
    assert said(written, language) == written
    assert said(written.replace(written.split()[0], "10"), language) != written


@pytest.mark.parametrize(
    ("language", "written", "wanted"),
    [
        (
            "fr",
            "M. Dupont, Mme la juge, Jean M. Martin",
            "Monsieur Dupont, Madame la juge, Jean M. Martin",
        ),
        ("es", "El Sr. Gil va a EE. UU. Luego vuelve.", "El señor Gil va a Estados Unidos. Luego vuelve."),
        ("it", "Pane, vino ecc. con il dott. Neri.", "Pane, vino eccetera con il dottor Neri."),
        ("pt", "A Dra. Lima, no séc. XV", "A doutora Lima, no século quinze"),
    ],
)
def test_a_title_is_said_before_a_name_and_an_abbreviation_keeps_the_stop_of_its_sentence(language, written, wanted):
    assert said(written, language) == wanted


def test_an_abbreviation_among_plain_letters_is_read():
    reading = read("Hier Mme Martin est venue.", INFO, Manner(language="fr"))
    assert [part.text for part in reading.parts if isinstance(part, Words)] == ["Hier Madame Martin est venue."]


def test_a_roman_number_of_a_line_in_capitals_is_one():
    reading = read("CAPÍTULO III\nEl rey", INFO, Manner(language="es"))
    assert [part.text for part in reading.parts if isinstance(part, Words)] == ["Capítulo tres", "El rey"]


def test_what_follows_a_label_or_nothing_stands_for_itself():
    assert said("página 21, 21 y 200", "es") == "página veintiuno, veintiuno y doscientos"
    assert said("chapitre 21 pages blanches", "fr") == "chapitre vingt et un pages blanches"


@pytest.mark.parametrize(
    ("language", "written", "wanted"),
    [
        ("fr", "71, 80, 91, 271 000", "soixante et onze, quatre-vingts, quatre-vingt-onze, deux cent soixante et onze mille"),
        ("fr-be", "71, 80, 91, 271 000", "septante et un, quatre-vingts, nonante et un, deux cent septante et un mille"),
        ("fr-ch", "71, 80, 81, 91e", "septante et un, huitante, huitante et un, nonante et unième"),
        ("es", "1 de mayo", "uno de mayo"),
        ("es-419", "1 de mayo", "primero de mayo"),
        ("pt", "1 de maio de 2016, 10,20 €", "primeiro de maio de dois mil e dezesseis, dez euros e vinte centavos"),
        ("pt-pt", "1 de maio de 2016, 10,20 €", "um de maio de dois mil e dezasseis, dez euros e vinte cêntimos"),
    ],
)
def test_a_country_counts_in_its_own_way(language, written, wanted):
    assert said(written, language) == wanted


@pytest.mark.parametrize(
    ("language", "written", "wanted"),
    [
        ("fr", "2 000 000 habitants, 3 M€", "deux millions d'habitants, trois millions d'euros"),
        ("es", "2.000.000 copias, 21.000.000 €", "dos millones de copias, veintiún millones de euros"),
        ("it", "2.000.000 abitanti, $3 milioni", "due milioni di abitanti, tre milioni di dollari"),
        ("pt", "2.000.000 habitantes, R$ 3 bilhões", "dois milhões de habitantes, três bilhões de reais"),
    ],
)
def test_millions_are_of_something(language, written, wanted):
    assert said(written, language) == wanted


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("fr", "Le CD, le 3/4, Jean 3:16 et M. X"),
        ("es", "3,500 cosas, Di la verdad, Juan 3:16 y Paul V. Martin"),
        ("it", "I ragazzi del MIX, Matteo 5:3 e Di Marco"),
        ("pt", "O CV da Cida, João 3:16"),
    ],
)
def test_what_may_be_something_else_stays_as_it_is_written(language, written):
    assert said(written, language) == written
