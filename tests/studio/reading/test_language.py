"""A language is asked for by a code, a region's code or a name, and found by what the engine has of it."""

from dataclasses import replace

import pytest

from engines.catalog import engine_ids, engine_info
from engines.errors import LanguageUnsupported
from engines.omnivoice.languages import LANGUAGES, language_names
from engines.omnivoice.options import OPTIONS
from studio.reading.language import language_code, languages_of, names_for_reader
from studio.words.sentences import LANGUAGES as READERS
from tests.stand_ins.fake_engine import INFO

MANY = replace(INFO, id="many", languages=LANGUAGES, options=OPTIONS)


def of_many(asked: str) -> str | None:
    return language_code(asked, MANY.languages, languages_of([MANY]))


@pytest.mark.slow
def test_every_language_of_many_answers_to_its_code_and_to_its_name_as_clients_spell_them():
    for code, name in language_names().items():
        assert {of_many(asked) for asked in (code, code.upper(), name, name.lower(), f" {name} ")} == {code}


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("en-US", "en"), ("zh-CN", "zh"), ("zh_TW", "zh"), ("zh-yue", "yue"), ("zh-yue-HK", "yue"), ("zh-cmn-Hans", "zh"), ("pt-BRA", "pt"),
        ("EN", "en"), ("german", "de"), ("Kyrgyz", "ky"), ("Punjabi", "pa"),
        ("ar", "arb"), ("ar-SA", "arb"), ("Arabic", "arb"), ("cmn-Hans", "zh"), ("Mandarin", "zh"), ("Nepali", "npi"), ("ne", "npi"),
        ("Oriya", "ory"), ("tl", "fil"), ("Egyptian Arabic", "arz"), ("Bura-Pabir", "bwr"), ("Auto", None), ("", None),
    ],
)  # fmt: skip
def test_regions_usual_names_and_wider_languages_are_understood(asked, code):
    assert of_many(asked) == code


def test_every_language_of_every_engine_has_a_name_for_every_reader():
    spoken = languages_of(engine_info(engine) for engine in engine_ids())
    assert len(spoken) > 600
    for reader in READERS:
        names = names_for_reader(reader, spoken)
        bases = {code.partition("-")[0] for code in spoken}
        assert {code for code in bases if names.get(code, code) == code} == set()


def test_a_name_is_in_the_readers_language_where_that_has_one_else_in_english_and_as_a_name_is_written():
    names = {reader: names_for_reader(reader, {"de-at": "", "fat": "fanti", "xyz": "some tongue", "qxx": ""}) for reader in READERS}
    assert [names[reader]["grc"] for reader in ("de", "en", "fr")] == ["Altgriechisch", "Ancient Greek", "grec ancien"]
    assert {of["qya"] for of in names.values()} == {"Quenya"} and {of["xyz"] for of in names.values()} == {"Some tongue"}
    assert names["de"]["de"] == "Deutsch" and not {"qxx", "de-at"} & set(names["de"])


def test_an_engines_own_names_hide_no_code_of_another_engine():
    both = [replace(INFO, languages=("en", "ne", "ar")), MANY]
    known = languages_of(both)
    assert [language_code(asked, tuple(known), known) for asked in ("ne", "Nepali", "Arabic", "npi", "Abadi", None)] == [
        "ne",
        "ne",
        "ar",
        "npi",
        "kbt",
        None,
    ]


def test_an_unknown_language_is_refused_with_the_few_there_are_or_the_nearest_of_many():
    with pytest.raises(LanguageUnsupported, match=r"Invalid language .Germn.\. Supported: Auto, English, German") as few:
        language_code("Germn", INFO.languages)
    assert few.value.values == {"language": "Germn", "n": 2}
    with pytest.raises(LanguageUnsupported, match=r"Invalid language .Germn.\. Supported: Auto and 646 languages, such as German") as many:
        of_many("Germn")
    assert many.value.values["nearest"][0] == "German" and many.value.values["sentence"] == "language_unsupported_but_near"
    assert "German" in many.value.hint and len(many.value.fact + many.value.hint) < 200
    with pytest.raises(LanguageUnsupported) as none:
        of_many("xxxxxxxx")
    assert none.value.values == {"language": "xxxxxxxx", "n": 646}
