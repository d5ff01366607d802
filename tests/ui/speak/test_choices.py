"""Claims about what the composer offers and says about the choice, over the fake engine."""

import threading
from dataclasses import asdict, replace
from typing import get_args

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.errors import EngineUnavailable
from studio.prompts.status import PromptState
from studio.running.lifecycle import EngineState
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Enrollment
from studio.ui.clips.clip_report import engine_rows
from studio.ui.create.creating import show_created
from studio.ui.engines.engine_cards import cards_value
from studio.ui.gradio.news import VerifiedDigests
from studio.ui.gradio.words import words
from studio.ui.speak import speaking
from studio.ui.speak.history import run_again
from studio.ui.speak.speaking import fetch_weights, fill
from studio.ui.voices.voice_acts import make_demo
from studio.ui.voices.voices import speak_with
from tests.api.door import Gate, eventually
from tests.browser.studios.natural_studio import BUILT_IN, NATURAL, natural_studio
from tests.stand_ins.fake_engine import BLENDER, DESIGNER, INFO, INSTRUCTIONS, FakeEngine

FAKE = replace(INFO, preset_languages={"tone": "de"})
OTHER = replace(INFO, id="other", title="Other", presets=("bell",), default_preset=None, sample_rate=16_000, wants_gpu=True)


@pytest.fixture
def studio(open_studio):
    def open_engine(name: str) -> FakeEngine:
        if name == "other":
            raise EngineUnavailable("The weights are not here.", "make weights")
        return FakeEngine(FAKE)

    return open_studio(infos={"fake": FAKE, "other": OTHER}, open_engine=open_engine, warm_uploads=False)


def enroll(studio: Studio, name: str, pitch: float = 200.0) -> None:
    samples = np.sin(np.arange(48_000) * 2 * np.pi * pitch / 24_000).astype(np.float32)
    studio.enroll(Enrollment(name, "own", clip=Clip(samples, 24_000)))


def show(studio: Studio, asked: dict) -> dict:
    """As for a window of which nothing is remembered."""
    return speaking.show_choice(studio, VerifiedDigests(), asked)


def asked(shown: dict) -> dict:
    """What a page says that shows this."""
    return {name: shown[name] for name in ("voice", "engine", "gone", "seen")}


def test_stored_voices_come_newest_first_then_the_engines_own(studio):
    enroll(studio, "Ana")
    enroll(studio, "Ben", 300)
    assert speaking.voice_names(studio, "fake") == ["Ben", "Ana", "tone"]
    assert speaking.voice_names(studio, "other")[-1] == "bell"
    ben, _, tone = speaking.choice_value(studio, "Ben", "fake")["voices"]
    assert (ben["name"], ben["is_stored"], ben["own"], len(ben["print"])) == ("Ben", True, True, 20)
    assert (tone["name"], tone["is_stored"], tone["own"], tone["state"], tone["language"]) == ("tone", False, False, "", "de")


def test_a_blend_is_chosen_by_its_one_text_and_listed_while_it_is(open_studio):
    studio = open_studio(infos={"blender": BLENDER, "fake": FAKE})
    shown = show(studio, {"voice": "Bea:0.4+alma:0.6", "engine": "blender", "owner": ""})
    assert (shown["voice"], shown["blends"], shown["gone"]) == ("alma:3+bea:2", True, "")
    blend, alma, bea, carl, doro = shown["voices"]
    assert (blend["name"], blend["is_stored"], blend["language"], blend["sex"], len(blend["print"])) == ("alma:3+bea:2", False, "", "", 20)
    assert [(voice["language"], voice["sex"]) for voice in (alma, bea, carl, doro)] == [
        ("en-us", "female"), ("en-gb", "female"), ("de", "male"), ("", ""),
    ]  # fmt: skip
    assert len(show(studio, asked(shown) | {"voice": "carl"})["voices"]) == 4
    assert show(studio, asked(shown))["seen"] == shown["seen"]
    elsewhere = show(studio, asked(shown) | {"engine": "fake"})
    assert (elsewhere["voice"], elsewhere["gone"], elsewhere["blends"]) == (None, "alma:3+bea:2", False)
    assert elsewhere["gone_why"] == {"why": "built_in", "voice": "alma:3+bea:2", "engines": ["Blender"], "engine": "Fake"}


def test_what_is_no_blend_is_not_chosen_and_the_page_says_which_part_is_wrong(open_studio):
    shown = show(open_studio(infos={"blender": BLENDER}), {"voice": "alma+beo", "engine": "blender", "owner": ""})
    fact = "“beo” in this blend is no built-in voice of Blender."
    assert (shown["voice"], shown["gone_why"]) == (None, {"why": "blend", "voice": "alma+beo", "fact": fact, "hint": "Did you mean bea?"})


def test_who_comes_anew_finds_a_voice_and_one_that_cannot_be_chosen_gives_way_to_none(studio):
    assert speaking.first_voice(studio, "fake") == "tone" and speaking.first_voice(studio, "other") == "bell"
    assert speaking.chosen_voice(studio, "tone", "other") is speaking.chosen_voice(studio, None, "fake") is None
    enroll(studio, "Ana")
    assert speaking.first_voice(studio, "fake") == "Ana"
    assert speaking.chosen_voice(studio, "tone", "fake") == "tone"
    assert speaking.chosen_voice(studio, "gone", "fake") is None


def test_a_voice_that_has_to_be_described_is_offered_with_what_describes_it_and_chosen_for_nobody(open_studio):
    studio = open_studio(infos={"designer": DESIGNER, "fake": INFO}, default_engine="designer")
    assert speaking.voice_names(studio, "designer") == ["design"] and speaking.first_voice(studio, "designer") is None
    shown = show(studio, {"voice": "design", "engine": "designer", "owner": ""})
    assert shown["voice"] == shown["designed"] == "design"
    assert [option for option in shown["options"] if option["name"] == "instructions"] == [asdict(INSTRUCTIONS)]
    assert show(studio, {"voice": "tone", "engine": "fake", "owner": ""})["designed"] is None


def test_a_voice_that_went_elsewhere_is_named_and_none_is_chosen_in_its_place(studio):
    enroll(studio, "Ana")
    enroll(studio, "Ben", 300)
    shown = show(studio, {"voice": "Ana", "owner": ""})
    studio.forget("Ana")
    shown = show(studio, asked(shown))
    assert (shown["voice"], shown["gone"], shown["gone_why"]) == (None, "Ana", {"why": "deleted", "voice": "Ana"})
    assert [voice["name"] for voice in shown["voices"]] == ["Ben", "tone"]
    assert show(studio, asked(shown) | {"seen": "other"})["gone"] == "Ana"  # until one is chosen
    assert not show(studio, asked(shown) | {"voice": "Ben"})["gone"]
    enroll(studio, "Ana", 250)  # of that name, and perhaps somebody else
    again = show(studio, asked(shown))
    assert (again["voice"], again["gone_why"]["why"]) == (None, "there_again")
    why = show(studio, {"voice": "tone", "engine": "other", "seen": ""})["gone_why"]
    assert why == {"why": "built_in", "voice": "tone", "engines": ["Fake"], "engine": "Other"}


def test_a_choice_is_sent_when_something_of_it_changed(studio, monkeypatch):
    enroll(studio, "Ana")
    shown = show(studio, {"voice": "Ana", "owner": ""})
    assert show(studio, asked(shown)) == {"seen": shown["seen"]}
    checked, looks = VerifiedDigests(), []
    for _ in range(2):
        looks.append(speaking.show_choice(studio, checked, asked(shown)))
        monkeypatch.setattr(speaking, "choice_value", None)  # a second look at the same makes nothing
    monkeypatch.undo()
    assert looks == [{"seen": shown["seen"]}] * 2
    enroll(studio, "Ben", 300)
    assert "Ben" in [voice["name"] for voice in show(studio, asked(shown))["voices"]]
    shown = show(studio, asked(shown))
    studio.load("fake")
    assert show(studio, asked(shown))["engines"][0]["state"] == "ready"
    shown = show(studio, asked(shown))
    studio.warm("Ana", "fake")
    assert [voice["state"] for voice in show(studio, asked(shown))["voices"]] == ["none", "memory", ""]


def test_a_draft_brings_its_choice_back_to_whom_it_belongs(studio):
    for name, pitch in (("Ana", 200), ("Ben", 300)):
        enroll(studio, name, pitch)
    assert show(studio, {"voice": "Ana", "engine": "other", "owner": ""})["voice"] == "Ana"
    assert show(studio, {"voice": "Ana", "engine": "other", "owner": "somebody else"})["voice"] == "Ben"
    assert show(studio, {"voice": "Cid", "owner": ""})["gone"] == "Cid"


def test_an_engine_that_is_not_on_offer_gives_way_to_the_default(studio):
    assert speaking.chosen_engine(studio, None) == "fake"
    assert speaking.chosen_engine(studio, "nonsense") == "fake"
    assert speaking.chosen_engine(studio, "other") == "other"


def test_the_options_are_those_of_the_schema_and_the_language_has_its_own_field(studio):
    value = speaking.choice_value(studio, "tone", "fake")
    assert [option["name"] for option in value["options"]] == ["seed", "speed"]
    assert value["languages"] == ["en", "de"] and value["sample_rate"] == 24_000


def test_an_engine_says_its_figures_and_what_can_be_done_where_it_is_not_there(studio):
    with pytest.raises(EngineUnavailable):
        studio.load("other")
    fake, other = speaking.choice_value(studio, None, "fake")["engines"]
    assert (fake["state"], fake["sample_rate"], fake["n_languages"]) == ("idle", 24_000, 2)
    assert (other["state"], other["command"], other["wants_gpu"], other["can_get"]) == ("absent", "make weights", True, False)
    assert speaking.choice_value(studio, None, "other")["voices"][-1]["name"] == "bell"
    enroll(studio, "Ana")
    assert speaking.choice_value(studio, "Ana", "other")["voices"][0]["state"] == ""  # the engine is to blame, not the voice
    assert fetch_weights(studio, {"engine": "nobody"})["problem"]["code"] == "engine_unknown"


def test_every_state_has_a_word():
    assert all(words(f"speak.engine_{state}") for state in get_args(EngineState))  # a state without any raises KeyError
    assert set(speaking.VOICE_STATES) == set(get_args(PromptState))


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
        assert cards_value(studio)["cards"][0]["standing"] == "unloading"
        assert engine_rows(studio, {})["engines"][0]["state"] == "unloading"
        assert show(studio, {"engine": "fake", "seen": ""})["engines"][0]["state"] == "unloading"
    finally:
        gate.open()
        unloading.join(60)
        studio.close()


def test_other_tabs_fill_the_composer_by_one_value_and_turn_to_it(studio):
    enroll(studio, "Ana")
    composer, tabs = speak_with("Ana")
    assert (composer["fill"], tabs["selected"]) == ({"voice": "Ana"}, "speak")
    assert fill("Ana")["at"] != fill("Ana")["at"]  # the same twice is two fillings
    composer, tabs, message = run_again(studio, "nothing")
    assert "fill" not in composer and "selected" not in tabs and message["kind"] == "problem"


def test_the_new_voice_is_chosen_once_it_exists(studio):
    assert "fill" not in show_created(studio, {"voice": "Ana"})
    assert "fill" not in show_created(studio, None)
    enroll(studio, "Ana")
    assert show_created(studio, {"voice": "Ana"})["fill"] == {"voice": "Ana"}


def test_what_would_make_voices_natural_is_told_where_the_studio_chose_the_default(tmp_path):
    with natural_studio(tmp_path / "here") as opened:
        studio = opened.studio
        shown = show(studio, {"owner": ""})
        assert shown["engine"] == BUILT_IN.id
        assert shown["natural"] == {"engine": "natural", "is_default": False, "has_come": False, "built_in": BUILT_IN.id}
        opened.let_come.set()
        studio.licenses.accept(NATURAL)
        studio.weights.begin("natural")
        assert eventually(lambda: "natural" in show(studio, asked(shown)) and show(studio, asked(shown))["natural"]["is_default"])
        assert studio.default.has_come
        comes = show(studio, {"owner": ""})
        assert (comes["engine"], comes["voice"]) == ("natural", "alma")  # who comes anew finds it chosen
        assert show(studio, asked(shown))["engine"] == BUILT_IN.id  # and whoever was here keeps what is chosen
        made = make_demo(studio, {})
        assert (made["engine"], made["title"]) == ("natural", "Natural")
    with natural_studio(tmp_path / "space", space_id="a/b") as opened:
        owner = opened.studio.within("hub:a", is_owner=True)
        assert show(owner, {"owner": ""})["natural"] and show(opened.studio, {"owner": ""})["natural"] is None  # a visitor does not own it


def test_nothing_is_told_of_natural_voices_where_the_default_was_set(studio):
    assert show(studio, {"owner": ""})["natural"] is None
