"""Claims about engines that are not here: by what they are compared, who may get them, and that lists know them apart from the others."""

from dataclasses import replace
from typing import get_args

import pytest

from engines import catalog
from engines.contract.strengths import Strength
from engines.errors import EngineUnavailable
from studio.running.offer.machine import Verdict
from studio.service import Studio
from studio.ui.clips.clip_report import engine_rows
from studio.ui.engines.engine_cards import cards_value
from studio.ui.engines.engine_state import voice_incompatibility_of
from studio.ui.frame.masthead import head_value
from studio.ui.listening_tests.listening_values import choices_of
from studio.ui.speak.speaking import choice_value
from studio.ui.voices.voices import voices_value
from studio.words.sentences import LANGUAGES, sentences_in
from tests.stand_ins import heavy_package
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.ui.voices.test_voices import enroll

HEAVY = replace(heavy_package.INFO, best_at=("languages", "conversion"), languages=("en", "de"))


@pytest.fixture
def studio(open_studio, tmp_path) -> Studio:
    checkpoint = heavy_package.make_remote(tmp_path / "hub")
    engines = {"fake": FakeEngine, "heavy": lambda: heavy_package.open(checkpoint)}
    infos, weights = {"fake": INFO, "heavy": HEAVY}, {"heavy": heavy_package.source(checkpoint)}
    return open_studio(open_engine=lambda name: engines[name](), infos=infos, weights=weights, warm_uploads=False)


def test_every_list_of_engines_says_which_can_speak_now(studio):
    enroll(studio)
    lists = {
        "cards": cards_value(studio)["cards"],
        "composer": choice_value(studio, None, "fake")["engines"],
        "voice": voices_value(studio)["voices"][0]["engines"],
        "learning": engine_rows(studio, {})["engines"],
        "listening test": choices_of(studio)["engines"],
        "head": head_value(studio)["engines"],
    }
    for name, engines in lists.items():
        assert [(engine["title"], engine["is_here"]) for engine in engines] == [("Fake", True), ("Heavy", False)], name


def test_an_engine_is_compared_while_it_is_not_here_and_not_once_it_is(studio):
    fake, heavy = cards_value(studio)["cards"]
    assert fake["offer"] is None
    assert heavy["offer"] | {"fit": None} == {
        "best_at": ["languages", "conversion"],
        "n_languages": 2,
        "weights_bytes": 10_000,
        "fit": None,
    }
    assert heavy["offer"]["fit"]["verdict"] in get_args(Verdict) and heavy["offer"]["fit"]["needed_bytes"] == 10_000
    studio.weights.bring("heavy")
    assert [card["offer"] for card in cards_value(studio)["cards"]] == [None, None]


def test_a_visitor_compares_engines_and_gets_none(studio):
    heavy = cards_value(studio.within("visitor", is_owner=False))["cards"][1]
    assert heavy["offer"]["best_at"] and heavy["verb"] is None and heavy["command"] == ""


def test_what_stands_in_a_voices_way_is_said_of_an_engine_that_is_here(open_studio):
    def opened(name: str) -> FakeEngine:
        raise EngineUnavailable("The library is not here.")

    away = replace(INFO, id="away", title="Away")
    short = replace(INFO, id="short", title="Short", most_clip_seconds=1.5)
    studio = open_studio(open_engine=opened, infos={"away": away, "short": short}, warm_uploads=False)
    enroll(studio)
    with pytest.raises(EngineUnavailable):
        studio.load("away")
    assert voices_value(studio)["voices"][0]["obstacle"].startswith("Short: ")
    assert voice_incompatibility_of([]) is None


def test_each_strength_and_verdict_has_words_in_every_language():
    keys = [f"best_{name}" for name in get_args(Strength)] + [f"fit_{name}" for name in get_args(Verdict)]
    for language in LANGUAGES:
        said = [sentences_in(language).words(f"engines.{key}", {"n": 2, "needed_bytes": 1, "there_bytes": 2}) for key in keys]
        assert len(set(said)) == len(keys)


def test_every_engine_of_the_catalog_says_what_it_is_best_at_and_no_two_the_same():
    best = [catalog.engine_info(name).best_at for name in catalog.engine_ids()]
    assert all(best) and len(set(best)) == len(best)
