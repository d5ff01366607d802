"""What the API tells of a voice that an engine learns in steps, and how a client waits for the best."""

import threading

import pytest

from engines.errors import ClipUnusable
from studio.prompts import prompts, refiner
from tests.api.door import Door, data_url, error_of, eventually, wav
from tests.stand_ins.fake_engine import N_STEPS, REFINER, FakeEngine
from tests.stand_ins.held_steps import HeldSteps

CACHE = "/v1/audio/voices/alice/cache"
DONE = {"step": N_STEPS, "of": N_STEPS, "seconds_left": 0.0}


@pytest.fixture
def steps(monkeypatch):
    monkeypatch.setattr(refiner, "SETTLE_SECONDS", 0.0)
    steps = HeldSteps()
    yield steps
    steps.free()


@pytest.fixture
def door(open_door, steps) -> Door:
    """With a voice."""
    door = open_door(FakeEngine(REFINER, before_step=steps))
    door.upload("alice")
    return door


def test_a_voice_tells_how_alike_it_is_by_now(door, steps):
    assert door.get("/v1/audio/voices/alice").json()["learning"] == {}
    warmed = door.post(CACHE).json()
    assert warmed["learning"] == {"step": 0, "of": N_STEPS, "seconds_left": None}
    steps.wait_for(1)
    steps.let_go(3)
    told = door.get("/v1/audio/voices/alice").json()
    assert told["prompts"] == {"refiner": "memory"}
    assert told["learning"]["refiner"]["step"] == 3 and told["learning"]["refiner"]["seconds_left"] > 0
    steps.free()
    assert eventually(lambda: door.get("/v1/audio/voices/alice").json()["learning"] == {"refiner": DONE})
    text = door.get("/metrics").text
    assert f'studio_refinement_seconds_count{{engine="refiner"}} {N_STEPS}.0' in text


def test_a_client_waits_for_the_best(door, steps):
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(door.post(CACHE, params={"until": "best"}).json()))
    waiting.start()
    steps.wait_for(1)
    assert not answers
    steps.free()
    waiting.join(60)
    assert (answers[0]["cache_status"], answers[0]["learning"]) == ("ready", DONE)
    assert door.post(CACHE, params={"until": "best"}).json()["learning"] == DONE


def test_who_has_waited_long_enough_is_told_that_it_goes_on(door, steps, monkeypatch):
    monkeypatch.setattr(prompts, "MOST_REFINING_SECONDS", 0.01)
    response = door.post(CACHE, params={"until": "best"})
    assert (response.status_code, error_of(response)["reason_code"]) == (503, "learning_unfinished")
    assert "still learning the voice after 10 ms" in error_of(response)["message"]


def test_who_waits_is_told_why_it_gets_no_better_and_speaks_all_the_same(open_door, steps):
    def refuse(step: int) -> None:
        raise ClipUnusable("clip_noisy", "The clip is noise.", "Record again.")

    door = open_door(FakeEngine(REFINER, before_step=refuse))
    door.upload("alice")
    response = door.post(CACHE, params={"until": "best"})
    assert (response.status_code, error_of(response)["reason_code"]) == (400, "clip_noisy")
    assert door.speak(voice="alice").status_code == 200


def test_an_engine_that_learns_all_at_once_is_done_at_once_and_tells_nothing(open_door):
    door = open_door()
    door.upload("alice")
    assert "learning" not in door.post(CACHE, params={"until": "best"}).json()
    assert door.get("/v1/audio/voices/alice").json()["learning"] == {}
    assert door.post(CACHE, params={"until": "worst"}).status_code in (400, 422)


def test_a_recording_of_one_request_is_not_refined(door, steps):
    assert door.speak(ref_audio=data_url(wav(1.5))).status_code == 200
    assert door.engine.refined_words == []
