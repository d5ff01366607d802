"""How alike a voice is by now, where the page shows it: in the matrix, in Voices, in Speak, and in the last step of creating a voice."""

import pytest

from engines.errors import ClipUnusable
from studio.prompts import refiner
from studio.prompts.refiner import Learning
from studio.prompts.status import PromptStatus
from studio.service import Studio
from studio.ui.cache.cache_tab import act_on_prompt, matrix_value
from studio.ui.clips.extracting import extraction_states
from studio.ui.engines.engine_state import learning_words
from studio.ui.speak.speaking import choice_value
from studio.ui.voices.voices import voices_value
from tests.api.door import eventually
from tests.stand_ins.fake_engine import REFINER, FakeEngine
from tests.stand_ins.held_steps import HeldSteps
from tests.studio.test_service import recording

BEST = "Learned as well as it gets."


@pytest.fixture(autouse=True)
def no_settling(monkeypatch):
    monkeypatch.setattr(refiner, "SETTLE_SECONDS", 0.0)


def shown(studio: Studio) -> dict[str, tuple[str, str]]:
    """Place -> (state, what is said of Alice)."""
    [row] = matrix_value(studio)["rows"]
    [voice] = voices_value(studio)["voices"]
    chosen = choice_value(studio, "Alice", "refiner")["voices"][0]
    places = {"matrix": row["cells"][0], "voices": voice["engines"][0]}
    told = {place: (value["state"], value.get("reason", "")) for place, value in places.items()}
    return told | {"speak": (chosen["state"], chosen["learning"])}


def following(studio: Studio) -> tuple[str, bool]:
    learning = extraction_states(studio, {"voice": "alice"})["learning"]["refiner"]
    return learning["said"], learning["goes_on"]


def test_the_page_says_that_a_voice_is_getting_more_alike_and_then_that_it_is_as_good_as_it_gets(open_studio):
    steps = HeldSteps()
    studio = open_studio(FakeEngine(REFINER, before_step=steps), warm_uploads=False)
    studio.enroll(recording())
    assert extraction_states(studio, {"voice": "Alice"})["learning"] == {}
    studio.warm("alice")
    steps.wait_for(1)
    said = "Learned; getting more alike."
    assert set(shown(studio).values()) == {("refining", said)} and following(studio) == (said, True)
    steps.let_go(1)
    assert {state for state, _ in shown(studio).values()} == {"refining"}
    assert following(studio) == ("Learned; getting more alike, 5 s left.", True), "in steps of 5 s"
    verbs = [verb for verb, _ in matrix_value(studio)["rows"][0]["cells"][0]["verbs"]]
    assert verbs == ["speak", "pin", "extract-again", "forget", "delete-file"]
    steps.free()
    assert eventually(lambda: set(shown(studio).values()) == {("memory", BEST)})
    assert following(studio) == (BEST, False)


def test_why_it_gets_no_more_alike_is_said_where_that_is_known(open_studio):
    def refuse(step: int) -> None:
        raise ClipUnusable("clip_noisy", "The clip is noise.", "Record again.")

    studio = open_studio(FakeEngine(REFINER, before_step=refuse), warm_uploads=False)
    studio.enroll(recording())
    assert act_on_prompt(studio, {"voice": "Alice", "engine": "refiner", "verb": "extract"})["kind"] == "note"
    said = ("memory", "The clip is noise. Record again.")
    assert eventually(lambda: shown(studio) == {"matrix": said, "voices": said, "speak": ("memory", "")})
    assert following(studio) == ("", False)


def test_an_engine_that_learns_all_at_once_says_nothing_of_it():
    def said(learning: Learning | None) -> str:
        return learning_words(PromptStatus("fake", "memory", learning=learning))

    assert said(None) == said(Learning(8, 48)) == ""
    assert said(Learning(8, 48, 41.2, is_under_way=True)) == "Learned; getting more alike, 45 s left."
    assert said(Learning(30, 48, 0.0)) == BEST
