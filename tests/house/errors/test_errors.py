"""Laws of errors: each has its sentence, every sentence has what it wants, and no fact stands in English twice."""

import re

import pytest

from engines.sentence_catalog import SLOT
from studio.words.sentences import sentences_in
from tests.house.errors.error_sites import script_sites, sites, worded
from tests.house.errors.error_table import TABLE, error_table
from tests.house.source_files import ROOT, text_of

ERRORS = sentences_in("en").sections["errors"]
# Which errors say in English what no other language says: what is wrong with weights, to whoever fetched them; and vLLM-Omni's sentences.
OF_WEIGHTS, OF_THE_CONTRACT = {"CheckpointInvalid"}, {"RequestInvalid", "SchemaInvalid"}
CONTRACTS_LANGUAGES = "studio/reading/language.py"


def wanted(key: str) -> set[str]:
    """Values that the sentences of an error are filled with."""
    forms = [form for said in ERRORS[key].values() for form in ([said] if isinstance(said, str) else [*said.values(), "{n}"])]
    return {slot[1] for form in forms for slot in SLOT.finditer(form)}


@pytest.mark.slow
def test_every_error_has_its_sentences_and_gives_what_they_want():
    for site in sites():
        for key in site.sentences:
            assert key in ERRORS, f"{site.place}: nothing is said of {key}"
            assert wanted(key) <= site.values, f"{site.place}: {key} wants {wanted(key) - site.values}"
    for site in script_sites():
        assert site.code in ERRORS, f"{site.place}: nothing is said of {site.code}"


@pytest.mark.slow
def test_no_error_is_worded_twice_in_english():
    for place, name in worded():
        of_the_contract = name in OF_THE_CONTRACT or place.startswith(CONTRACTS_LANGUAGES)
        assert name in OF_WEIGHTS or of_the_contract, (
            f"{place}: {name} takes its English from the catalogue; `detail` says what that leaves out"
        )


def test_an_error_about_an_engine_names_it():
    nameless = {key for key, said in ERRORS.items() if re.search(r"\b(this|the) engine\b", str(said["fact"]), re.IGNORECASE)}
    assert not nameless


@pytest.mark.slow
def test_no_sentence_is_of_an_error_that_nobody_makes():
    made = {key for site in [*sites(), *script_sites()] for key in site.sentences}
    written = {text for file in (ROOT / "assets/web").rglob("*.js") for text in re.findall(r'"([\w-]+)"', text_of(file))}
    assert set(ERRORS) - made - written == set()


@pytest.mark.slow
def test_the_table_of_errors_is_up_to_date():
    assert text_of(TABLE) == error_table(), "python -m tests.house.errors.error_table"
