"""Claims about what people read when something goes wrong: every code has its sentences, no sentence wants what its error does not give."""

import re

from studio.ui.catalogue import SLOT, catalogue
from tests.house.error_sites import script_sites, sites
from tests.house.source_files import ROOT, text_of

ERRORS = catalogue("en").sections["errors"]


def wanted(key: str) -> set[str]:
    """Values that the sentences of an error are filled with."""
    forms = [form for said in ERRORS[key].values() for form in ([said] if isinstance(said, str) else [*said.values(), "{n}"])]
    return {slot[1] for form in forms for slot in SLOT.finditer(form)}


def test_every_error_has_its_sentences_and_gives_what_they_want():
    for site in sites():
        for key in site.sentences:
            assert key in ERRORS, f"{site.place}: nothing is said of {key}"
            assert wanted(key) <= site.values, f"{site.place}: {key} wants {wanted(key) - site.values}"
    for site in script_sites():
        assert site.code in ERRORS, f"{site.place}: nothing is said of {site.code}"


def test_no_sentence_is_of_an_error_that_nobody_makes():
    made = {key for site in [*sites(), *script_sites()] for key in site.sentences}
    written = {text for file in (ROOT / "assets/web").glob("*.js") for text in re.findall(r'"([\w-]+)"', text_of(file))}
    assert set(ERRORS) - made - written == set()
