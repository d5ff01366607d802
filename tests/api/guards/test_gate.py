"""Keys and origins: who may enter, by HTTP and by WebSocket."""

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from studio.web.access import MOST_WRONG, SESSION_COOKIE, Access
from tests.api.door import Door, error_of, served

PATHS = ("/v1/models", "/v1/audio/voices", "/v1/audio/cache/stats", "/v1/no-such-route")


@pytest.fixture
def locked(tmp_path):
    door = Door(tmp_path, api_keys=("first", "second"))
    yield door
    door.close()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize("path", PATHS)
def test_without_a_key_every_path_below_v1_is_401_in_vllms_words(locked, path):
    for headers in ({}, bearer("third"), bearer(""), {"Authorization": "first"}):
        response = locked.get(path, headers=headers)
        assert (response.status_code, response.json()) == (401, {"error": "Unauthorized"})


@pytest.mark.slow
def test_any_key_opens_and_health_metrics_and_documentation_need_none(locked):
    assert locked.get("/v1/models", headers=bearer("first")).status_code == 200
    spoken = locked.post("/v1/audio/speech", json={"input": "hello"}, headers=bearer("second"))
    assert spoken.status_code == 200
    for path in ("/health", "/metrics", "/docs", "/openapi.json"):
        assert locked.get(path).status_code == 200, path


def test_the_session_of_a_signed_in_page_opens_too(locked):
    session = Access(("second",)).open_session("second")
    assert locked.get("/v1/models", headers={"Cookie": f"{SESSION_COOKIE}={session}"}).status_code == 200
    assert locked.get("/v1/models", headers={"Cookie": f"{SESSION_COOKIE}=1.2"}).status_code == 401


def test_a_locked_studio_speaks_for_nobody_without_a_key(locked):
    assert locked.speak().status_code == 401
    assert locked.engine.chunks_made == 0


def test_a_socket_without_a_key_is_refused_before_its_upgrade(locked):
    with served(locked) as url:
        for headers in ({}, bearer("third")):
            with pytest.raises(InvalidStatus) as refused:
                connect(url.replace("http", "ws") + "/v1/audio/speech/stream", additional_headers=headers, proxy=None)
            assert refused.value.response.status_code == 401


FOREIGN = {"Origin": "https://evil.example", "Host": "studio.example"}


@pytest.mark.parametrize("extra", [{}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}])
def test_a_foreign_page_can_neither_upload_nor_delete_nor_speak(tmp_path, extra):
    door = Door(tmp_path)
    door.upload("alice")
    assert door.delete("/v1/audio/voices/alice", headers=FOREIGN | extra).status_code == 403
    refused = door.post("/v1/audio/speech", json={"input": "hello"}, headers=FOREIGN | extra)
    assert (refused.status_code, error_of(refused)["reason_code"]) == (403, "origin_refused")
    assert door.get("/v1/audio/voices/alice").status_code == 200
    door.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://studio.example", "Host": "studio.example"},
        {"Origin": "https://studio.example", "Host": "127.0.0.1:7860", "X-Forwarded-Host": "studio.example"},
        {"Origin": "https://studio.example", "Host": "127.0.0.1:7860", "Sec-Fetch-Site": "same-origin"},
        {"Host": "studio.example"},
    ],
)
def test_the_studios_own_page_and_programs_pass(tmp_path, headers):
    door = Door(tmp_path)
    assert door.post("/v1/audio/speech", json={"input": "hello"}, headers=headers).status_code == 200
    door.close()


def test_a_foreign_page_cannot_open_a_socket(tmp_path):
    door = Door(tmp_path)
    with served(door) as url, pytest.raises(InvalidStatus) as refused:
        connect(url.replace("http", "ws") + "/v1/audio/speech/stream", origin="https://evil.example", proxy=None)
    assert refused.value.response.status_code == 403
    door.close()


def test_an_allowed_origin_is_welcome_and_may_read_our_headers(tmp_path):
    door = Door(tmp_path, cors_origins=("https://friend.example",))
    friend = {"Origin": "https://friend.example"}
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type, authorization"}
    preflight = door.request("OPTIONS", "/v1/audio/speech", headers=friend | asked)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, "https://friend.example")
    spoken = door.post("/v1/audio/speech", json={"input": "hello"}, headers=friend)
    assert spoken.status_code == 200
    assert "X-Speaker-Cache" in spoken.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in door.get("/v1/models", headers={"Origin": "https://evil.example"}).headers
    door.close()


def test_no_origin_is_allowed_unless_set_and_strictly_compatible_all_are(tmp_path):
    door = Door(tmp_path / "ours")
    assert "access-control-allow-origin" not in door.get("/v1/models", headers=FOREIGN).headers
    door.close()
    strict = Door(tmp_path / "strict", strict_compat=True)
    assert strict.get("/v1/models", headers=FOREIGN).headers["access-control-allow-origin"] == "*"
    strict.close()


def test_a_browser_reads_the_refusal_of_a_missing_key(tmp_path):
    door = Door(tmp_path, api_keys=("first",), cors_origins=("https://friend.example",))
    refused = door.get("/v1/models", headers={"Origin": "https://friend.example"})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, "https://friend.example")
    door.close()


def test_who_guesses_keys_on_and_on_has_to_wait_wherever_a_key_tells(locked):
    assert locked.get("/v1/models", headers=bearer("second")).status_code == 200
    for i in range(MOST_WRONG):
        assert locked.get(("/v1/models", "/metrics")[i % 2], headers=bearer(f"guess {i}")).status_code == (401, 200)[i % 2]
    for path in ("/v1/models", "/metrics"):
        slowed = locked.get(path, headers=bearer("first"))
        assert (slowed.status_code, error_of(slowed)["reason_code"], slowed.headers["retry-after"]) == (429, "wrong_keys", "30")
    assert locked.get("/v1/models", headers=bearer("second")).status_code == 200
    assert locked.get("/v1/models").status_code == 401
    locked.studio.load()
    assert locked.get("/health", headers=bearer("stale")).status_code == 200  # or whoever watches the studio would end it
