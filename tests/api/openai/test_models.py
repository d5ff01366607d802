"""Models as programs of OpenAI's kind list and name them."""

from dataclasses import replace

import pytest

from tests.stand_ins.fake_engine import INFO, FakeEngine

OTHER = FakeEngine(replace(INFO, id="other", title="Other"))
OPENAI = ["tts-1", "tts-1-hd", "gpt-4o-mini-tts"]


def ids(answer) -> list[str]:
    return [model["id"] for model in answer.json()["data"]]


def test_engines_come_first_and_openais_names_behind_them(open_door):
    door = open_door(FakeEngine(), OTHER)
    listed = door.get("/openai/v1/models").json()
    assert listed["object"] == "list"
    assert [model["id"] for model in listed["data"]] == ["fake", "other", *OPENAI]
    assert all(set(model) == {"id", "object", "created", "owned_by"} and model["object"] == "model" for model in listed["data"])


def test_an_engine_that_cannot_speak_is_not_listed(open_door):
    door = open_door(FakeEngine(), OTHER)

    def fail(name: str) -> None:
        raise RuntimeError("broken")

    door.before_opening = fail
    with pytest.raises(Exception, match="broken"):
        door.studio.load("other")
    assert ids(door.get("/openai/v1/models")) == ["fake", *OPENAI]


def test_names_that_were_set_are_listed_and_win(open_door):
    door = open_door(FakeEngine(), OTHER, model_aliases="tts-1-hd=other,voice=other")
    answer = door.get("/openai/v1/audio/models").json()
    names = {model["id"]: model["name"] for model in answer["models"]}
    assert names["tts-1-hd"] == "tts-1-hd (Other)" and names["tts-1"].endswith(f"({INFO.title})") and "voice" in names


@pytest.mark.parametrize("name", [*OPENAI, "tts-1-1106", "gpt-4o-mini-tts-2025-12-15", "fake"])
def test_a_model_is_read_by_any_name_that_means_one(door, name):
    assert door.get(f"/openai/v1/models/{name}").json()["id"] == name


@pytest.mark.parametrize("name", ["gpt-4o", "tts-2", "tts-1-", "gpt-4o-mini-tts-latest"])
def test_other_names_are_refused(door, name):
    answer = door.get(f"/openai/v1/models/{name}")
    assert answer.status_code == 404 and answer.json()["error"]["reason_code"] == "engine_unknown"
