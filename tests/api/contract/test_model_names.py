"""The names of an engine: its id, the hub's id of its weights, and aliases that were set. All doors know all of them."""

import logging
from dataclasses import replace

import pytest

from studio.audio.spoken_sounds import SpokenSounds
from studio.errors import EngineUnknown
from studio.ui.programs.endpoints import Endpoints
from studio.ui.speak.relay import Relays
from tests.api.door import Door, error_of
from tests.api.socket.socket_client import PCM, conversing
from tests.stand_ins.fake_engine import INFO, FakeEngine

HUB_ID = "Maker/Fake-TTS-0.6B"
OTHER = replace(INFO, id="other", hub_id=HUB_ID)
NAMES = ("other", HUB_ID, "tts-1")


@pytest.fixture
def door(open_door):
    """Its default engine is another one."""
    return open_door(FakeEngine(), FakeEngine(OTHER), model_aliases={"tts-1": "other"})


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_an_engine_speaks_with_it(door, name):
    assert door.speak(model=name).status_code == 200
    batch = door.post("/v1/audio/speech/batch", json={"items": [{"input": "hi", "model": name}, {"input": "ho"}], "model": name})
    assert batch.json()["succeeded"] == 2
    assert (len(door.engines["other"].texts), door.engine.texts) == (3, [])


@pytest.mark.parametrize("name", NAMES)
def test_the_pages_endpoint_knows_every_name(door, name, monkeypatch):
    monkeypatch.setattr("studio.ui.programs.endpoints.visited", lambda studio: studio)
    monkeypatch.setattr("studio.ui.programs.endpoints.session_of", lambda: "session")
    *_, last = Endpoints(door.studio, Relays(), SpokenSounds()).speak("hi", engine=name)
    assert last["end"] == "ended"
    assert door.engines["other"].texts == ["hi"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_works_on_what_an_engine_knows_of_a_voice(door, name):
    door.upload("alice")
    for method, said in (("POST", "ready"), ("DELETE", "pending")):
        answer = door.request(method, f"/v1/audio/voices/alice/cache?model={name}").json()
        assert answer["cache_status"] == said, answer
    assert door.studio.prompts.places(door.studio.speaker("alice")) == {}


def test_a_name_of_another_spelling_is_unknown_at_every_door(door):
    for name in ("TTS-1", HUB_ID.lower(), f"{HUB_ID}/", "Other"):
        assert error_of(door.speak(model=name))["message"] == f"The model `{name}` does not exist."
        with pytest.raises(EngineUnknown):
            door.studio.engine_info(name)


def test_answers_log_and_metrics_name_the_engine(door, caplog):
    with caplog.at_level(logging.INFO, "studio.request"):
        for name in NAMES:
            door.speak(model=name)
    engines = [record.getMessage().split("engine=")[1].split()[0] for record in caplog.records if "engine=" in record.getMessage()]
    assert engines == ["other"] * 3
    metrics = door.studio.request_log.metrics.exposition().decode()
    assert 'engine="other"' in metrics
    assert not any(name in metrics for name in NAMES[1:])


def test_models_has_the_engines_and_behind_them_the_aliases(door):
    models = door.get("/v1/models").json()["data"]
    told = [(model["id"], model["root"], model["parent"], model["default"]) for model in models]
    assert told == [("fake", "fake", None, True), ("other", HUB_ID, None, False), ("tts-1", HUB_ID, "other", False)]
    assert len({model["permission"][0]["id"] for model in models}) == 3


@pytest.mark.parametrize("name", NAMES)
def test_one_model_is_read_by_any_of_its_names(door, name):
    model = door.get(f"/v1/models/{name}").json()
    listed = door.get("/v1/models").json()["data"][1]
    assert (model["id"], model["root"], model["parent"]) == (name, HUB_ID, None if name == "other" else "other")
    same = listed.keys() - {"id", "parent", "permission"}
    assert {member: model[member] for member in same} == {member: listed[member] for member in same}


def test_an_unknown_model_is_404_in_openais_form(door):
    answer = door.get("/v1/models/gpt-4o-mini-tts")
    assert answer.status_code == 404
    error = error_of(answer)
    assert (error["message"], error["type"], error["param"]) == ("The model `gpt-4o-mini-tts` does not exist.", "NotFoundError", "model")


def test_models_with_a_slash_behind_them_are_the_list(door):
    assert door.get("/v1/models/").json() == door.get("/v1/models").json()


def test_an_alias_of_no_engine_is_refused_at_the_start(tmp_path):
    with pytest.raises(EngineUnknown):
        Door(tmp_path, model_aliases={"tts-1": "nope"})


def test_a_socket_speaks_with_an_engine_of_another_name(door):
    with conversing(door, **PCM, model=HUB_ID) as client:
        client.say_text("hi")
        assert not client.hear_utterance()[-2]["error"]
    assert door.engines["other"].texts == ["hi"]


def test_the_verbs_of_the_studio_take_every_name(door):
    for name in NAMES:
        assert door.studio.load(name).info.id == door.studio.unload(name).info.id == "other"
