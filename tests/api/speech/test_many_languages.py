"""An engine of hundreds of languages, with names of its own for them: what doors and page tell of it, and how a language is asked for."""

import json

import pytest

from studio.reading.language import language_code
from studio.ui.engines.engine_cards import cards_value
from studio.ui.speak.speaking import choice_value, name_languages
from tests.api.door import Door, error_of
from tests.stand_ins.fake_engine import POLYGLOT, TONGUES, FakeEngine


@pytest.fixture
def polyglot(open_door) -> Door:
    return open_door(FakeEngine(POLYGLOT), FakeEngine())


def test_a_language_goes_by_its_code_or_the_engines_name_for_it(polyglot):
    for said in ("qab", "QAB", "Tongue AB", "tongue ab"):
        assert polyglot.speak(language=said).status_code == 200
        assert polyglot.engine.options[-1]["language"] == "qab"
    assert polyglot.upload("alice", ref_text="words", language="Fanti").status_code == 200
    assert polyglot.studio.speaker("alice").transcript.language == "fat"


def test_who_asks_for_another_one_is_told_the_nearest_and_not_hundreds(polyglot):
    error = error_of(polyglot.speak(language="tong ab"))
    assert error["param"] == "language" and f"{len(TONGUES)} languages, such as tongue ab" in error["message"]
    assert len(json.dumps(error)) < 1000


@pytest.mark.parametrize(("asked", "known"), [("ar", "arb"), ("Arabic", "arb"), ("cmn", "zh"), ("Mandarin", "zh"), ("tl", "fil")])
def test_a_language_of_two_codes_goes_by_both(asked, known):
    assert language_code(asked, ("de", known)) == known


def test_what_languages_are_called_is_told_of_one_engine_alone(polyglot):
    models = {model["id"]: model for model in polyglot.get("/v1/models").json()["data"]}
    alone = polyglot.get("/v1/models/polyglot").json()

    def language(model: dict) -> dict:
        return next(option for option in model["options"] if option["name"] == "language")

    assert language(models["polyglot"])["labels"] == [] and alone["languages"] == models["polyglot"]["languages"] == list(TONGUES)
    assert dict(zip(language(alone)["choices"], language(alone)["labels"], strict=True)) == TONGUES


def test_the_page_lists_codes_and_is_told_what_they_are_called_when_it_asks(polyglot):
    studio = polyglot.studio
    value = choice_value(studio, "tone", "polyglot")
    assert value["languages"] == list(TONGUES)
    assert len(json.dumps(value)) < len(json.dumps(choice_value(studio, "tone", "fake"))) + 8 * len(TONGUES)
    told = name_languages(studio, {})
    assert told["english"] == {} and told["names"].items() >= {"qab": "Tongue ab", "fat": "Fanti", "de": "German"}.items()
    [facts, few] = [card["facts"] for card in cards_value(studio)["cards"]]
    assert (facts["languages"], facts["n_languages"], few["languages"]) == (["en", "de"], len(TONGUES), ["en", "de"])


@pytest.mark.parametrize("fields", [{"language": "tong ab"}, {"extra_params": {"language": "qabb"}}])
def test_a_mistake_is_answered_with_the_nearest_and_never_with_all_of_them(polyglot, fields):
    error = error_of(polyglot.speak(**fields))
    assert error["param"] == "language" and 1 <= len(error["values"]["nearest"]) <= 3
    assert error["values"]["n"] == len(TONGUES) and "choices" not in error["values"] and len(json.dumps(error)) < 1000
