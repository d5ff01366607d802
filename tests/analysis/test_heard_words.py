"""Claims about word errors: what is an error, and what is only another way of writing."""

import pytest

from studio.analysis.heard_words import counts_characters, word_differences, word_errors
from studio.analysis.word_floor import word_floor


@pytest.mark.parametrize(
    ("said", "heard", "language", "errors"),
    [
        ("the cat sat", "the cat sat", "en", (0, 3)),
        ("the cat sat", "the bat sat", "en", (1, 3)),
        ("the cat sat", "the cat", "en", (1, 3)),
        ("the cat sat", "so the cat sat down", "en", (2, 3)),
        ("the cat", "", "en", (2, 2)),
        ("", "oh", None, (1, 0)),
        ("21 of 1,200 cost 5%.", "Twenty-two of one thousand two hundred cost five percent", "en", (1, 5)),
        ("今天天气很好", "今天天汽好", None, (2, 6)),
        ("東京は大きい", "東京は小さい", "ja", (2, 6)),
        ("สวัสดีครับ ผมชื่อสมชาย", "สวัสดีครับผมชื่อสมชัย", "th", (1, 21)),
        ("यह मेरी आवाज़ है", "यह मेरा आवाज़ है", "hi", (1, 4)),
    ],
)
def test_errors_are_words_that_differ(said, heard, language, errors):
    assert word_errors(said, heard, language) == errors


@pytest.mark.parametrize(
    ("language", "said", "heard"),
    [
        ("en", "21 of 1,200 cost 5%.", "Twenty-one of one thousand two hundred cost five percent"),
        ("en", "On May 5, 2021 at 10:30 a.m. it cost $5.20.",
         "On May fifth twenty twenty-one at ten thirty AM it cost five dollars and twenty cents"),
        ("en", "They met on 3/4/2021.", "They met on March 4th, 2021."),
        ("en", "Dr. Smith's on Baker St., e.g. for 3 hrs.", "Doctor Smith's on Baker Street, for example for three hours"),
        ("en", "St. Mary's & Main St.", "Saint Mary's and Main Street"),
        ("en", "We'd've gone; they'll e-mail the well-known co-op.", "We would have gone they will email the wellknown coop"),
        ("en", "Organise the aeroplane's grey tyre centre.", "Organize the airplane's gray tire center."),
        ("en", "The cat (who was grey) sat [laughs].", "The cat, who was gray, sat."),
        ("en", "The U.S. CEO's Wi-Fi is OK", "The US CEO's wifi is okay"),
        ("en-GB", "It's well-known, isn't it?", "its well known isnt it"),
        ("de", "Ca. 3,5 Mio. Menschen, z. B. in der Hauptstr. 12 am 3.5.2021.",
         "circa drei Komma fünf Millionen Menschen zum Beispiel in der Hauptstraße zwölf am dritten Mai zweitausendeinundzwanzig"),
        ("de", "Straße um 10.30 Uhr", "Strasse um 10:30 Uhr"),
        ("fr", "J’ai 80 ans, le 14/07/1789, M. Dupont",
         "j'ai quatre-vingts ans le quatorze juillet mille sept cent quatre-vingt-neuf Monsieur Dupont"),
        ("fr", "Ça va ？ Ｏｋ", "ça va ok"),
        ("es", "Tiene 31.000 libros", "tiene treinta y un mil libros"),
        ("sv", "Vi såg 21 båtar", "vi såg tjugoett båtar"),
        ("zh", "今天是2021年5月3日，有21个人。", "今天是二零二一年五月三日有二十一个人"),
        ("ja", "１２時に21人", "十二時に二十一人"),
        ("ko", "안녕 하세요 25명이", "안녕하세요 스물다섯 명이"),
        ("th", "มี 25 คน", "มียี่สิบห้าคน"),
        ("ar", "مَرْحَبًا", "مرحبا"),
    ],
)  # fmt: skip
def test_another_way_of_writing_is_no_error(language, said, heard):
    assert word_errors(said, heard, language)[0] == 0


def test_what_is_lost_is_told_apart_from_what_is_added():
    found = word_differences("The quick brown fox jumps", "The quick fox jumps again", "en")
    assert (found.errors, found.n_words, found.lost, found.n_added) == (2, 5, ("brown",), 1)


def test_where_nobody_says_the_language_its_letters_do():
    assert counts_characters("今天很好, OK") and not counts_characters("It is 好") and not counts_characters("...")
    assert counts_characters("x", "zh-TW") and not counts_characters("好", "en")


def test_the_floor_is_of_whisper_base_in_the_languages_that_it_was_measured_in():
    assert word_floor("whisper-base", "en-GB") == 0.05 < word_floor("Systran/faster-whisper-base", "de")
    assert word_floor("whisper-base", "sv") is word_floor("whisper-base", None) is word_floor("large", "en") is None


@pytest.mark.parametrize(
    ("language", "said", "heard"),
    [
        ("en", "It lands at 10:20.", "It lands at 10.20"),
        ("en", "It costs $1,249.50, but", "It costs one thousand two hundred and forty nine dollars fifty, but"),
        ("en", "It costs $1,249.50, but", "It costs 1,249 dollars and 50 cents, but"),
        ("de", "Es kostet 1.249,50 €, aber", "Es kostet 1249 Euro und 50 Cent aber"),
        ("de", "Es kostet 1.249,50 €, aber", "Es kostet tausendzweihundertneunundvierzig Euro fünfzig aber"),
        ("de", "Der Wind erreichte 95 km/h.", "Der Wind erreichte 95 Stundenkilometer"),
        ("fr", "Il coûte 1\u202f249,50\u00a0€, mais", "Il coûte 1249,50 euros mais"),
        ("fr", "Il coûte 1\u202f249,50\u00a0€, mais", "Il coûte mille deux cent quarante-neuf euros et cinquante centimes, mais"),
        ("fr", "Le vent a atteint 95 km/h.", "Le vent a atteint 95 kilomètres à l'heure"),
        ("fr", "Prenez 3 œufs, par ex. frais.", "Prenez trois oeufs, par exemple frais"),
        ("es", "Cuesta 1249,50\u00a0€, pero", "Cuesta 1.249,50 euros pero"),
        ("it", "Costa 1.249,50 €, ma", "Costa 1249 euro e 50 ma"),
        ("it", "Ha 1.750.000 libri.", "Ha un milione e settecentocinquantamila libri"),
        ("ru", "На 4-м этаже ещё лёгкий бульон.", "На четвертом этаже еще легкий бульон"),
        ("ru", "В библиотеке 1\u00a0750\u00a0000 книг.", "В библиотеке миллион семьсот пятьдесят тысяч книг"),
        ("zh", "加入250克面粉", "加入两百五十克面粉"),
        ("hi", "पुस्तकालय में 17,50,000 किताबें हैं", "पुस्तकालय में सत्रह लाख पचास हजार किताबें हैं"),
        ("hi", "52.8 सेकंड में सिर्फ़ 64% गाँव", "बावन दशमलव आठ सेकंड में सिर्फ चौंसठ प्रतिशत गांव"),
        ("nl", "Neem bijv. een trui, zegt Dr. Bakker.", "Neem bijvoorbeeld een trui zegt doctor Bakker"),
    ],
)
def test_money_times_units_and_letters_that_are_written_in_several_ways_are_the_same(language, said, heard):
    assert word_errors(said, heard, language)[0] == word_errors(heard, said, language)[0] == 0


@pytest.mark.parametrize(
    ("language", "said", "heard", "errors"),
    [
        ("en", "It costs $1,249.50.", "It costs 1,249 dollars and 15 cents", 1),
        ("de", "Es kostet 1.249,50 €, aber", "Es kostet 1249 Euro und 15 Cent aber", 1),
        ("en", "It lands at 10:20.", "It lands at 10.21", 1),
        ("fr", "deux cent euros", "deux euros", 1),
        ("ru", "один дом", "дом", 1),
    ],
)
def test_what_differs_to_who_listens_is_still_an_error(language, said, heard, errors):
    assert word_errors(said, heard, language)[0] == errors


def test_runs_are_all_that_was_heard_and_lost_in_order():
    found = word_differences("The ferry leaves the harbor at 8:45.", "The fairy leaves harbor the at eight forty five", "en")
    assert [(run.kind, run.wanted, run.heard) for run in found.runs if run.kind != "same"] == [
        ("replaced", "ferry", "fairy"),
        ("added", "", "harbor"),
        ("lost", "harbor", ""),
    ]
    assert "".join(run.heard for run in word_differences("渡轮在日出前", "渡轮日出呃前", "zh").runs) == "渡轮日出呃前"
