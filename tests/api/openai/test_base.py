"""The door at /openai/v1 as a whole: its guards are those of /v1, and who comes to a wrong address is told the right one."""

import pytest

from tests.api.door import error_of, wav

KEY = {"Authorization": "Bearer secret"}


@pytest.mark.parametrize("path", ["/openai/v1/v1/audio/speech", "/openai", "/openai/audio/voices", "/openai/v1/chat/completions"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_wrong_path_is_told_the_base_to_set(open_door, path, method):
    answer = open_door(root_path="/studio").request(method, path)
    assert (
        answer.status_code == 404
        and "Set http://door/studio/openai/v1 as base address: it has models, audio/voices, " in error_of(answer)["hint"]
    )


def test_a_wrong_method_and_other_wrong_paths_are_told_as_before(door):
    answer = door.get("/openai/v1/audio/speech")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "hint" not in error_of(door.get("/v1/audio/nothing"))


def test_keys_are_asked_for_in_openais_envelope(open_door):
    door = open_door(api_keys="secret")
    for path in ("/openai/v1/models", "/openai/v1/audio/voices", "/openai"):
        refused = door.get(path)
        assert refused.status_code == 401 and refused.headers["www-authenticate"] == "Bearer"
        assert error_of(refused)["code"] == 401 and "API key" in error_of(refused)["hint"]
    assert door.get("/openai/v1/models", headers=KEY).status_code == 200
    assert door.request("OPTIONS", "/openai/v1/models").status_code == 405
    assert door.get("/v1/models").json() == {"error": "Unauthorized"}


def test_head_and_pages_of_other_origins_are_as_elsewhere(open_door):
    door = open_door(cors_origins="https://a.example")
    assert door.request("HEAD", "/openai/v1/audio/voices").status_code == 200
    asked = {"json": {"input": "x"}, "headers": {"Origin": "https://a.example"}}
    answer = door.post("/openai/v1/audio/speech", **asked)
    assert "X-Voice-Alias" in answer.headers["access-control-expose-headers"]
    assert door.post("/openai/v1/audio/speech", json={"input": "x"}, headers={"Origin": "https://b.example"}).status_code == 403


def test_recordings_are_written_down_by_the_route_of_v1(door):
    form = {"files": {"file": ("a.wav", wav(1.5), "audio/wav")}, "data": {"model": "whisper-1"}}
    one, other = (door.post(f"{base}/v1/audio/transcriptions", **form) for base in ("", "/openai"))
    assert one.status_code == other.status_code == 404 and one.json() == other.json()
    assert error_of(one)["reason_code"] == "transcriber_missing"
