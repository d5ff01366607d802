"""Health, models and routing."""

import re
from dataclasses import replace

import pytest

from engines.contract.contract import Engine
from engines.contract.license import License
from engines.errors import EngineUnavailable
from tests.api.door import CLONE_ONLY, Gate, error_of
from tests.stand_ins.fake_engine import INFO, FakeEngine


def test_a_ready_engine_is_plain_healthy(door):
    door.studio.load()
    response = door.get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "healthy"})


def test_nothing_loaded_is_unhealthy_and_says_so(door):
    response = door.get("/health")
    assert response.status_code == 503
    assert response.json() == {"status": "unhealthy", "reason": "No engine initialized", "engines": {"fake": {"state": "idle"}}}


def test_a_failed_engine_is_unhealthy_with_its_reason_and_the_command_that_mends_it(door):
    def unavailable(name):
        raise EngineUnavailable("The weights are not in /secret/models/fake.", "make weights")

    door.before_opening = unavailable
    assert error_of(door.speak())["hint"] == "Choose another engine, or ask whoever runs this machine to run: make weights"
    response = door.get("/health")
    assert response.status_code == 503
    assert response.json() == {
        "status": "unhealthy",
        "engines": {"fake": {"state": "unavailable", "reason": "The weights are not in <path>.", "command": "make weights"}},
    }


def test_health_and_models_answer_while_weights_load(door):
    gate = Gate()
    door.before_opening = lambda name: gate()
    door.studio.begin_loading()
    gate.wait_for_arrival()
    response, models = door.get("/health"), door.get("/v1/models")
    gate.open()
    assert response.status_code == 503
    assert response.json()["reason"] == "engine loading: fake"
    assert int(response.headers["retry-after"]) > 0
    assert models.json()["data"][0]["state"] == "loading"


def test_models_lists_every_engine_in_the_openai_shape(open_door):
    door = open_door(FakeEngine(), FakeEngine(CLONE_ONLY))
    body = door.get("/v1/models").json()
    assert body["object"] == "list"
    assert [entry["id"] for entry in body["data"]] == ["fake", "clone"]
    for entry in body["data"]:
        assert entry["object"] == "model"
        assert isinstance(entry["created"], int)
        assert {"owned_by", "root", "parent", "max_model_len"} <= set(entry)
        assert re.fullmatch("modelperm-[0-9a-f]{32}", entry["permission"][0]["id"])


def test_models_tells_of_a_device_that_nobody_has_tried_an_engine_on(door, monkeypatch):
    door.studio.load()
    told = lambda: door.get("/v1/models").json()["data"][0]["device_is_tested"]  # noqa: E731
    assert told() is True
    monkeypatch.setattr(Engine, "device_is_tested", False)
    assert told() is False


def test_models_tells_how_many_streams_one_step_of_an_open_engine_serves(door, monkeypatch):
    told = lambda: door.get("/v1/models").json()["data"][0]["width"]  # noqa: E731
    assert told() is None
    monkeypatch.setattr(Engine, "width", 16)
    door.studio.load()
    assert told() == 16


def test_models_tells_what_an_engine_can_do(door):
    door.studio.load()
    entry = door.get("/v1/models").json()["data"][0]
    assert entry["licence"] == "Apache-2.0"
    assert (entry["state"], entry["device"], entry["sample_rate"], entry["languages"]) == ("ready", "cpu", 24_000, ["en", "de"])
    assert {option["name"] for option in entry["options"]} == {"seed", "speed", "language"}


def test_models_tell_where_the_license_is_and_what_it_wants_shown(open_door):
    terms = {"restriction": "commercial use", "attribution": "Built with Fakes"}
    licenses = License("Research", "https://example.org/l", "model"), License("Codec License", covers="codec", most_annual_users=7)
    bound = replace(CLONE_ONLY, licenses=licenses, **terms)
    plain, strict = open_door(FakeEngine(), FakeEngine(bound)).get("/v1/models").json()["data"]
    assert {name: strict[name] for name in terms} == terms
    assert (strict["licence"], strict["licence_url"]) == ("Research for the model, Codec License for the codec", "https://example.org/l")
    assert strict["licences"] == [
        {"title": "Research", "url": "https://example.org/l", "covers": "model", "most_annual_users": None},
        {"title": "Codec License", "url": None, "covers": "codec", "most_annual_users": 7},
    ]
    assert plain["restriction"] is plain["licence_url"] is plain["attribution"] is None
    assert plain["licences"] == [{"title": "Apache-2.0", "url": None, "covers": None, "most_annual_users": None}]


def test_created_of_a_model_does_not_move(door, monkeypatch):
    first = door.get("/v1/models").json()
    monkeypatch.setattr("time.time", lambda: 4e9)
    assert door.get("/v1/models").json() == first


def test_unknown_routes_carry_detail_and_envelope(door):
    response = door.get("/v1/nothing")
    assert response.status_code == 404
    assert response.json()["detail"] == "Not Found"
    assert response.json()["error"] | {"hint": ""} == {
        "message": "Not Found",
        "type": "Not Found",
        "param": None,
        "code": 404,
        "reason_code": "not_found",
        "hint": "",
    }


def test_wrong_methods_carry_allow_detail_and_envelope(door):
    response = door.request("PUT", "/v1/audio/voices")
    assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD, POST")
    assert response.json()["detail"] == "Method Not Allowed"
    assert response.json()["error"]["code"] == 405
    assert door.request("HEAD", "/v1/audio/speech").status_code == 405


def test_a_trailing_slash_is_redirected(door):
    response = door.get("/v1/audio/voices/")
    assert response.status_code == 307
    assert response.headers["location"].endswith("/v1/audio/voices")


@pytest.mark.slow
def test_the_documentation_shows_400_and_examples(door):
    document = door.get("/openapi.json").json()
    speech = document["paths"]["/v1/audio/speech"]["post"]
    assert "422" not in speech["responses"]
    assert "400" in speech["responses"]
    assert document["components"]["schemas"]["SpeechBody"]["examples"]
    assert door.get("/docs").status_code == 200


def test_a_model_routes_to_its_engine(open_door):
    door = open_door(FakeEngine(), FakeEngine(replace(INFO, id="other")))
    assert door.speak(model="other").status_code == 200
    assert (door.engines["other"].chunks_made > 0, door.engine.chunks_made) == (True, 0)
    assert door.speak(model="nope").status_code == 404


def test_every_answer_carries_the_requests_id(door):
    door.upload("alice")
    for path in ("/health", "/v1/models", "/v1/audio/voices", "/v1/audio/voices/alice/audio", "/v1/nowhere", "/docs"):
        assert door.get(path, headers={"X-Request-Id": "mine-1"}).headers.get_list("x-request-id") == ["mine-1"], path
    assert door.speak().headers.get_list("x-request-id")[0].startswith("speech-")
    assert len(door.speak().headers.get_list("x-request-id")) == 1


def test_every_request_has_one_line_in_the_log_and_no_name_of_a_voice(door, caplog):
    caplog.set_level("INFO", logger="studio.request")
    door.upload("Alice Secret")
    door.get("/v1/audio/voices/Alice Secret")
    door.speak(voice="Alice Secret", response_format="pcm")
    door.speak("")
    door.get("/nowhere")
    lines = [record.getMessage() for record in caplog.records if record.name == "studio.request"]
    assert len(lines) == 5
    assert "Secret" not in " ".join(lines)
    assert "method=POST route=/v1/audio/voices total_ms=" in lines[0]
    assert "status=200 method=GET route=/v1/audio/voices/{name} total_ms=" in lines[1]
    assert "status=200 delivery=whole format=pcm engine=fake" in lines[2]
    assert "first_audio_ms=" in lines[2]
    assert "status=400" in lines[3]
    assert "status=404 method=GET route=- " in lines[4]
