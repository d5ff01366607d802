"""Claims about the terms of an engine's weights: what the page tells of them, and in whose words."""

import re
from dataclasses import replace

from gradio.context import LocalContext

from engines import catalog
from engines.contract.license import License
from studio.ui.engines.engine_cards import cards_value
from studio.ui.engines.engine_state import FORBIDDEN, terms_value
from studio.ui.frame.masthead import head_value
from studio.ui.speak.speaking import choice_value
from studio.words.sentences import LANGUAGES, sentences_in
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.ui.gradio.test_words import visit

URL = "https://example.org/licence"
TERMS = {"restriction": "commercial use", "attribution": "Built with Fakes"}
BOUND = replace(INFO, licenses=(License("Research License", URL),), **TERMS)
CODEC = License("Codec License", f"{URL}/codec", covers="codec", most_annual_users=100_000)
SHARED = replace(INFO, licenses=(License("CC-BY-NC", URL, covers="model"), CODEC), **TERMS)


def test_cards_composer_and_head_tell_the_same_terms(open_studio):
    studio = open_studio(FakeEngine(BOUND), infos={"fake": BOUND})
    terms = terms_value(BOUND)
    assert (terms["licence"], terms["attribution"]) == ("Research License", "Built with Fakes")
    assert terms["licences"] == [{"title": "Research License", "named": "Research License", "url": URL, "limit": ""}]
    assert terms["is_non_commercial"] and "earn money" in terms["meaning"]
    assert cards_value(studio)["cards"][0]["terms"] == terms
    assert choice_value(studio, None, "fake")["engines"][0]["terms"] == terms == head_value(studio)["engines"][0]["terms"]


def test_of_several_licenses_each_is_named_with_what_it_covers_and_whom_it_limits():
    terms = terms_value(SHARED)
    assert terms["licence"] == "CC-BY-NC for the model, Codec License for the audio codec"
    assert [(each["title"], each["url"]) for each in terms["licences"]] == [("CC-BY-NC", URL), ("Codec License", f"{URL}/codec")]
    free, limited = (each["limit"] for each in terms["licences"])
    assert free == "" and limited.startswith("Codec License: whoever had more than 100,000 active users in the last year")


def test_what_is_forbidden_is_said_in_the_language_of_the_page_or_as_the_engine_says_it():
    others = [terms_value(replace(BOUND, restriction=restriction)) for restriction in ("", "any use but research")]
    assert [(terms["forbids"], terms["meaning"]) for terms in others] == [("", ""), ("any use but research", "")]
    assert not any(terms["is_non_commercial"] for terms in others)
    for language in LANGUAGES:
        token = LocalContext.request.set(visit(f"https://studio.example/?lang={language}"))
        try:
            assert terms_value(BOUND)["forbids"] == sentences_in(language).words("engines.commercial_use", {})
        finally:
            LocalContext.request.reset(token)


def test_the_page_has_words_for_all_that_the_engines_here_forbid():
    forbidden = {catalog.engine_info(name).restriction for name in catalog.engine_ids()}
    assert len(forbidden) > 1 and forbidden - {""} <= FORBIDDEN.keys()
    assert all(sentences_in(language).words(f"engines.{key}", {}) for language in LANGUAGES for key in FORBIDDEN.values())


def test_no_license_is_said_to_forbid_what_its_makers_ask_beside_it():
    bound = [info for name in catalog.engine_ids() if (info := catalog.engine_info(name)).restriction]
    assert any("CC-BY-4.0" in terms_value(info)["licence"] for info in bound), "which forbids no use"
    for key in ("engines.accept", "engines.accept_several", "engines.terms", "engines.forbids", "errors.licence_not_accepted.fact"):
        said = sentences_in("en").sentence(key)
        assert "akers" in said and not re.search(r"licence\}?\)?,? (which|that)? ?(together )?forbid", said), key


def test_how_many_languages_an_engine_has_is_counted_and_not_written():
    for name in catalog.engine_ids():
        summary = catalog.engine_info(name).summary
        assert not re.search(r"\b(\d+|t?w\w+|three|four|five|six|seven|eight|nine|ten|thirty) languages", summary), summary


def test_one_size_of_an_engine_stands_in_card_and_choice(open_studio):
    sized = replace(INFO, weights_bytes=262_970_344)
    studio = open_studio(FakeEngine(sized), infos={"fake": sized})
    card = cards_value(studio)["cards"][0]
    assert card["facts"]["weights_bytes"] == choice_value(studio, None, "fake")["engines"][0]["bytes"] == 262_970_344
    assert sentences_in("en").bytes(262_970_344) == "263 MB" and sentences_in("en").bytes(4_960_000_000) == "5.0 GB"
