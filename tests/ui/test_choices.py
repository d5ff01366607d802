"""Claims about what the page offers and says about the choice, over the fake engine."""

import threading
from dataclasses import replace
from typing import get_args

import gradio as gr
import numpy as np
import pytest

from engines.clip import Clip
from engines.errors import EngineUnavailable
from studio.running.lifecycle import EngineState
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Recording
from studio.ui import choices
from studio.ui.clip_report import engine_rows
from studio.ui.creating import show_created
from studio.ui.engine_cards import cards_value
from studio.ui.page import show_changed_choices, show_choices, show_first_choices
from studio.ui.speaking import restore_voice, set_voice_aside
from tests.api.door import Gate
from tests.fake_engine import INFO, FakeEngine

OTHER = replace(INFO, id="other", title="Other", presets=("bell",), default_preset=None, transcript="required", sample_rate=16_000)


@pytest.fixture
def studio(open_studio):
    def open_engine(name: str) -> FakeEngine:
        if name == "other":
            raise EngineUnavailable("The weights are not here.", "make weights")
        return FakeEngine()

    return open_studio(infos={"fake": INFO, "other": OTHER}, open_engine=open_engine)


LATER = {"seen": "something"}  # of the facts of a page that has had its first lists


def enroll(studio: Studio, name: str, pitch: float = 200.0) -> None:
    samples = np.sin(np.arange(48_000) * 2 * np.pi * pitch / 24_000).astype(np.float32)
    studio.enroll(Recording(name, "own", clip=Clip(samples, 24_000)))


def test_stored_voices_come_newest_first_then_the_engines_own(studio):
    enroll(studio, "Ana")
    enroll(studio, "Ben", 300)
    assert choices.voice_choices(studio, "fake") == [("Ben", "Ben"), ("Ana", "Ana"), ("tone (built in)", "tone")]
    assert choices.voice_choices(studio, "other")[-1] == ("bell (built in)", "bell")


def test_who_comes_anew_finds_a_voice_and_one_that_cannot_be_chosen_gives_way_to_none(studio):
    assert choices.first_voice(studio, "fake") == "tone" and choices.first_voice(studio, "other") == "bell"
    assert choices.chosen_voice(studio, "tone", "other") is choices.chosen_voice(studio, None, "fake") is None
    enroll(studio, "Ana")
    assert choices.first_voice(studio, "fake") == "Ana"
    assert choices.chosen_voice(studio, "tone", "fake") == "tone"
    assert choices.chosen_voice(studio, "gone", "fake") is None


def test_a_voice_that_went_elsewhere_is_named_and_none_is_chosen_in_its_place(studio):
    enroll(studio, "Ana")
    enroll(studio, "Ben", 300)
    facts = show_choices(studio, "Ana", "fake", LATER)[3]
    studio.forget("Ana")
    voice, _, value, facts, _, delete = show_changed_choices(studio, "Ana", "fake", facts)
    assert voice["value"] is None and ("Ana", "Ana") not in voice["choices"] and delete["interactive"] is False
    assert "“Ana” is gone" in facts["prompt"] and (value["voice"], value["gone"], value["gone_words"]) == (None, "Ana", facts["prompt"])
    assert "“Ana” is gone" in show_choices(studio, None, "fake", facts)[3]["prompt"]  # until one is chosen
    assert facts["gone"] and not show_choices(studio, "Ben", "fake", facts)[3]["gone"]
    enroll(studio, "Ana", 250)  # of that name, and perhaps somebody else
    assert show_choices(studio, None, "fake", facts)[0]["value"] is None
    assert "built into Fake; Other does not" in show_choices(studio, "tone", "other", LATER)[3]["prompt"]


def test_lists_are_sent_when_something_changed_and_what_is_chosen_meanwhile_stays(studio):
    enroll(studio, "Ana")
    facts = show_choices(studio, "Ana", "fake", LATER)[3]
    for known in (facts, {}):  # nothing changed; its first lists are under way
        assert {repr(update) for update in show_changed_choices(studio, "Ana", "fake", known)} == {repr(gr.skip())}
    assert show_choices(studio, None, "fake", {})[0] == gr.skip()
    enroll(studio, "Ben", 300)
    voice, engine, *_ = show_changed_choices(studio, "Ana", "fake", facts)
    assert ("Ben", "Ben") in voice["choices"] and "value" not in voice | engine
    voice, engine, _, held, *_ = show_changed_choices(studio, "Ana", "fake", facts | {"open": True})
    assert voice == engine == gr.skip() and held["prompt"]  # an open list is left alone
    assert show_changed_choices(studio, "Ana", "fake", held | {"open": True})[3] == gr.skip()
    assert ("Ben", "Ben") in show_changed_choices(studio, "Ana", "fake", held)[0]["choices"]
    studio.load("fake")
    labels = show_changed_choices(studio, "Ana", "fake", show_choices(studio, "Ana", "fake", LATER)[3] | {"seen": "before"})[1]["choices"]
    assert ("Fake (ready)", "fake") in labels


def test_a_draft_brings_its_choice_back_to_whom_it_belongs(studio):
    for name, pitch in (("Ana", 200), ("Ben", 300)):
        enroll(studio, name, pitch)
    assert show_first_choices(studio, "Ana", "other", {"owner": ""})[2]["voice"] == "Ana"
    assert show_first_choices(studio, "Ana", "other", {"owner": "somebody else"})[2]["voice"] == "Ben"
    assert "“Cid” is gone" in show_first_choices(studio, "Cid", "fake", {"owner": ""})[2]["gone_words"]


def test_an_engine_that_is_not_on_offer_gives_way_to_the_default(studio):
    assert choices.chosen_engine(studio, None) == "fake"
    assert choices.chosen_engine(studio, "nonsense") == "fake"
    assert choices.chosen_engine(studio, "other") == "other"


def test_the_options_are_those_of_the_schema_and_the_language_has_its_own_field(studio):
    value = choices.choice_value(studio, "tone", "fake")
    assert [option["name"] for option in value["options"]] == ["seed", "speed"]
    assert value["languages"] == ["en", "de"] and value["sample_rate"] == 24_000
    assert value["voice_is_stored"] is False and value["voice_is_own"] is False


def test_the_facts_say_whether_the_next_run_is_cold(studio):
    enroll(studio, "Ana")
    assert "next run is cold" in choices.choice_facts(studio, "Ana", "fake")["prompt"]
    studio.warm("Ana", "fake")
    assert "next run is warm" in choices.choice_facts(studio, "Ana", "fake")["prompt"]
    assert "built into Fake" in choices.choice_facts(studio, "tone", "fake")["prompt"]


def test_an_unavailable_engine_says_why_and_what_mends_it(studio):
    with pytest.raises(EngineUnavailable):
        studio.load("other")
    facts = choices.choice_facts(studio, None, "other")
    assert facts["state"] == "unavailable"
    assert "The weights are not here." in facts["engine"] and "make weights" in facts["engine"]
    assert ("Other (not downloaded)", "other") in choices.engine_choices(studio)


def test_every_state_of_an_engine_has_words_for_the_line_and_the_card():
    assert set(choices.STATE_WORDS) == set(get_args(EngineState))
    assert all(words.line and words.card for words in choices.STATE_WORDS.values())


def test_an_engine_that_is_unloading_is_shown_as_such_in_every_window(tmp_path):
    """Freeing gigabytes takes a while, and every window looks meanwhile."""
    gate, engine = Gate(), FakeEngine()
    engine.close = gate
    studio = Studio(Settings(speakers_dir=tmp_path, default_engine="fake"), infos={"fake": INFO}, open_engine=lambda name: engine)
    studio.load("fake")
    unloading = threading.Thread(target=studio.unload, args=("fake",))
    unloading.start()
    gate.wait_for_arrival()
    try:
        assert choices.choice_facts(studio, None, "fake")["engine"].startswith("Fake is unloading")
        assert cards_value(studio)["cards"][0]["standing"] == "unloading"
        assert engine_rows(studio, {})["engines"][0]["state"] == "unloading"
        assert show_choices(studio, None, "fake", LATER)[3]["state"] == "unloading"
    finally:
        gate.open()
        unloading.join(20)
        studio.close()


def test_the_cache_line_counts_hits_and_misses(studio):
    enroll(studio, "Ana")
    studio.warm("Ana")
    studio.warm("Ana")
    assert "entries 1" in choices.cache_line(studio)
    assert "hits 1, misses 1" in choices.cache_line(studio)


def test_a_deleted_voice_is_gone_and_an_unwanted_deletion_changes_nothing(studio):
    enroll(studio, "Ana")
    nothing, message = set_voice_aside(studio, None)
    assert message["fact"] == "" and "undo" not in nothing
    assert len(studio.speakers()) == 1
    deletion, message = set_voice_aside(studio, "Ana")
    assert deletion["done"] and message["fact"] == ""  # what is offered then says it
    assert studio.speakers() == ()
    assert set_voice_aside(studio, "Ana")[1]["code"] == "speaker_unknown"


def test_a_deletion_in_speak_is_the_librarys_and_brings_the_voice_back_chosen(studio):
    enroll(studio, "Ana")
    made = studio.speaker("Ana")
    deletion, _ = set_voice_aside(studio, "Ana")
    assert (deletion["name"], deletion["undo"], deletion["undo_seconds"]) == ("Ana", made.generation_id, 30.0)
    voice, message = restore_voice(studio, "fake", deletion["undo"])
    assert (voice["value"], message["kind"], message["fact"]) == ("Ana", "done", "Ana is back.")
    assert ("Ana", "Ana") in voice["choices"] and studio.speaker("Ana").clip_digest == made.clip_digest
    voice, message = restore_voice(studio, "fake", deletion["undo"])
    assert "value" not in voice and message["code"] == "undo_too_late"


def test_everything_shown_follows_the_choice(studio):
    enroll(studio, "Ana")
    voice, engine, value, facts, cache, delete = show_choices(studio, "Ana", "fake", LATER)
    assert (voice["value"], engine["value"], value["engine"]) == ("Ana", "fake", "fake")
    assert facts["state"] == "idle" and cache
    assert delete["interactive"] is True
    assert show_choices(studio, "tone", "fake", LATER)[-1]["interactive"] is False


def test_the_new_voice_is_chosen_once_it_exists(studio):
    assert "value" not in show_created(studio, {"voice": "Ana"}, "fake")
    assert "value" not in show_created(studio, None, "fake")
    enroll(studio, "Ana")
    assert show_created(studio, {"voice": "Ana"}, "fake")["value"] == "Ana"
