"""PageMiddleware: what of Gradio this page answers, and how much it takes, against the page as it is served."""

import asyncio
import io
import json
import threading

import numpy as np
import pytest
import soundfile
from fastapi.testclient import TestClient

from studio.service import Studio
from studio.settings import Settings
from studio.ui.clips.encoded import ENCODED, MOST_SOUND_BYTES
from studio.ui.frame.app import page_app
from studio.ui.frame.page_middleware import MOST_EVENT_BYTES, MOST_OTHER_BYTES
from studio.ui.programs.endpoints import ENDPOINTS
from studio.web import body_limit
from tests.stand_ins.fake_engine import INFO, FakeEngine

EVENTS = ["/gradio_api/run/predict", "/gradio_api/queue/join", "/gradio_api/component_server", "/gradio_api/component_server/"]
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def uploads(tmp_path_factory):
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="module")
def client(tmp_path_factory, uploads):
    settings = Settings(speakers_dir=tmp_path_factory.mktemp("speakers"), default_engine="fake")
    studio = Studio(settings, infos={"fake": INFO}, open_engine=lambda name: FakeEngine())

    async def build():  # outside of a running loop Gradio opens loops of its own and leaves them open
        return page_app(studio)

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GRADIO_TEMP_DIR", str(uploads))
        with TestClient(asyncio.run(build())) as client:
            yield client
    studio.close()


@pytest.mark.parametrize("path", EVENTS)
def test_an_event_that_declares_too_much_is_refused_with_the_limit(client, path):
    answer = client.post(path, content=b"x" * (MOST_EVENT_BYTES + 1), headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")
    assert answer.json()["error"]["message"] == "The request is larger than 34.4 MB, the limit."
    assert "25 MB" in answer.json()["error"]["hint"]


@pytest.mark.parametrize("path", EVENTS)
def test_an_event_that_declares_nothing_is_refused_while_it_is_read(client, path):
    sent = 0

    def pieces():
        nonlocal sent
        while sent < 2 * MOST_EVENT_BYTES:
            sent += 1 << 20
            yield b"x" * (1 << 20)

    answer = client.post(path, content=pieces(), headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")


def test_a_large_clip_is_parsed_beside_the_event_loop(client, monkeypatch):
    parse, threads = body_limit._parsed, []
    monkeypatch.setattr(body_limit, "_parsed", lambda body: (threads.append(threading.current_thread().name), parse(body))[1])
    for path in ("/gradio_api/component_server", "/gradio_api/component_server/"):
        clip = {"data": "A" * body_limit.LARGE_BYTES}
        client.post(path, json={"session_hash": "s", "component_id": 1, "fn_name": "take_clip", "data": clip})
    assert threads == ["AnyIO worker thread"] * 2


def test_what_takes_no_file_takes_little(client):
    answer = client.post("/gradio_api/cancel", content=b"x" * (MOST_OTHER_BYTES + 1), headers=JSON)
    assert answer.status_code == 413
    assert client.post("/gradio_api/cancel", json={"session_hash": "s", "fn_index": 0, "event_id": "e"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "upload", "upload_progress?upload_id=x", "file=README.md", "file/README.md", "proxy=http://example.com/", "process_recording",
        "vibe-code", "vibe-edit", "run/other", "api/predict", "call/show_choices", "call/v2/show_choices", "openapi.json", "runs",
        "run-history/connect", "run-history/records", "queue/status", "stream/x", "deep_link", "user", "token", "dev/reload",
        "profiling/summary", "custom_component/a/b/c/d",
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_what_the_page_does_not_use_is_not_there(client, method, path):
    assert client.request(method, f"/gradio_api/{path}").status_code == 404


def test_what_was_heard_comes_back_in_another_format_and_nothing_else_does(client):
    samples = (8000 * np.sin(np.arange(24_000) / 8)).astype("<i2")
    sound = {"Content-Type": "audio/pcm"}
    for format, media_type in ENCODED.items():
        answer = client.post(f"/studio/encoded?format={format}&rate=24000", content=samples.tobytes(), headers=sound)
        assert (answer.status_code, answer.headers["content-type"], answer.headers["cache-control"]) == (200, media_type, "no-store")
        heard, rate = soundfile.read(io.BytesIO(answer.content), dtype="int16")
        assert rate == 24_000 and len(heard) >= len(samples)
        assert format != "flac" or np.array_equal(heard, samples)
    path = "/studio/encoded?format=flac&rate=24000"
    wrong = [path.replace("flac", "exe"), path.replace("24000", "9"), path.replace("24000", "-1"), "/studio/encoded"]
    refused = [client.post(other, content=b"ab", headers=sound) for other in wrong] + [client.post(path, content=b"abc", headers=sound)]
    assert [(answer.status_code, bool(answer.json()["error"]["code"])) for answer in refused] == [(400, True)] * 5
    assert client.post(path, content=b"x" * (MOST_SOUND_BYTES + 1), headers=sound).status_code == 413
    assert client.post(path, json={"a": 1}).status_code == 415 and client.get(path).status_code in (404, 405)
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert client.post(path, content=b"ab", headers=sound | foreign).status_code == 403


def test_nobody_can_put_a_file_into_a_folder_of_gradios(client, uploads):
    for path in ("/gradio_api/upload", "/gradio_api/upload/", "/upload", "/gradio_api//upload", "/gradio_api/component_server"):
        assert client.post(path, files={"files": ("clip.wav", b"RIFF" * 100)}).status_code in (404, 405, 415)
    assert [path for path in uploads.rglob("*") if path.is_file()] == []


def test_the_list_of_public_endpoints_holds_what_is_meant_to_be_called(client):
    listed = client.get("/gradio_api/info").json()
    assert set(listed["named_endpoints"]) == {f"/{name}" for name in ENDPOINTS} and listed["unnamed_endpoints"] == {}
    assert client.post("/gradio_api/call/voices", json={"data": []}).status_code == 200


def test_another_sites_page_cannot_act_through_a_visitors_browser(client):
    body = json.dumps({"data": [], "fn_index": 0, "session_hash": "s"})
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}):
        for path in EVENTS:
            answer = client.post(path, content=body, headers={"Content-Type": "text/plain", **headers})
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "origin_refused")
    own = {"Origin": "https://studio.example", "Sec-Fetch-Site": "same-origin"}
    assert client.post(EVENTS[0], content=body, headers=JSON | own).status_code != 403
