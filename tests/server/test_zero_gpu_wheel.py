"""ZeroGPU with the package `spaces` itself: a whole Space over a fake engine, and in place of ZeroGPU's service one of ours. No GPU."""

import base64
import importlib.util
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from websockets.sync.client import connect

from studio.measure.server.server_process import start_server
from studio.running.zero_gpu.zero_gpu_engine import LEARNING_SECONDS, speaking_seconds, start_seconds
from tests.api.socket.socket_client import SocketClient
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import CHUNK_SAMPLES
from tests.stand_ins.zero_gpu_device import DeviceService, Reply
from tests.stand_ins.zero_gpu_space import DEADLY, ENDLESS

pytestmark = pytest.mark.skipif(importlib.util.find_spec("spaces") is None, reason="the package spaces is not installed")

TEXT = "A sentence to say."
TOKEN = f"head.{base64.urlsafe_b64encode(b'{}').decode().rstrip('=')}.signature"


@pytest.fixture(scope="module")
def device() -> Iterator[DeviceService]:
    with DeviceService() as device:
        yield device


@pytest.fixture(scope="module")
def space(tmp_path_factory, device) -> Iterator[str]:
    """Its address."""
    environment = {"SPACE_ID": "someone/voices", "SPACES_ZERO_GPU": "true", "SPACES_ZERO_DEVICE_API_URL": device.url}
    program = ("-m", "tests.stand_ins.zero_gpu_space")
    with start_server(tmp_path_factory.mktemp("zero"), headless=False, environment=environment, program=program) as server:
        yield server.url


@contextmanager
def visit(space: str, text: str) -> Iterator[Iterator[dict]]:
    """The messages of a speech, as the page gets them; leaving the block is leaving the page."""
    config = patient_http.get(f"{space}/config").json()
    relay = next(part["id"] for part in config["components"] if part["props"].get("elem_id") == "relay")
    number = next(event["id"] for event in config["dependencies"] if [relay, "ask"] in [list(target) for target in event["targets"]])
    asked = {"run": "1", "request": {"input": text, "voice": "tone", "model": "fake"}}
    body = {"data": [], "event_data": asked, "fn_index": number, "session_hash": "visit.relay"}
    joined = patient_http.post(f"{space}/gradio_api/queue/join", json=body, headers={"X-IP-Token": TOKEN, "X-Gradio-User": "app"})
    assert joined.status_code == httpx.codes.OK, joined.text
    with patient_http.stream("GET", f"{space}/gradio_api/queue/data?session_hash=visit.relay", timeout=60) as response:
        yield said(response)


def said(response: httpx.Response) -> Iterator[dict]:
    """What the event yields, each as it is; Gradio sends the first text whole and the next ones as differences."""
    for line in response.iter_lines():
        message = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
        if message.get("msg") == "process_completed":
            return
        if message.get("msg") == "process_generating":
            [output] = message["output"]["data"]
            yield json.loads(output if isinstance(output, str) else output[0][2])


def refusal(space: str, text: str = TEXT) -> dict:
    with visit(space, text) as messages:
        return list(messages)[-1]["refusal"]


def test_a_visitor_hears_speech_that_was_made_on_a_gpu_lent_to_them(space, device):
    with visit(space, TEXT) as messages:
        *pieces, last = messages
    assert last == {"over": True, "end": {"reason": "ended", "warning": "", "values": {}}}
    n_samples = sum(len(base64.b64decode(piece["samples"])) // 2 for piece in pieces)
    assert n_samples == int(len(TEXT) * 0.05 * 24_000)
    assert device.of("/startup-report") == [{}]  # the page was launched, and functions were there that want a GPU
    asked = [(wish["token"], int(wish["durationSeconds"])) for wish in device.of("/schedule")]
    start = start_seconds(0)
    assert asked == [(TOKEN, math.ceil(start + LEARNING_SECONDS)), (TOKEN, math.ceil(start + speaking_seconds(TEXT, {})))]
    assert {wish["gpuSize"] for wish in device.of("/schedule")} == {"large"}
    assert [given["fail"] for given in device.of("/release")] == ["false", "false"]


def test_the_http_api_speaks_on_its_callers_gpu_time_and_tells_when_that_is_used_up(space, device):
    body = {"input": TEXT, "model": "fake", "voice": "tone", "response_format": "pcm"}
    before, other = len(device.of("/schedule")), f"{TOKEN}s"
    answer = patient_http.post(f"{space}/v1/audio/speech", json=body, headers={"X-IP-Token": other})
    assert answer.status_code == httpx.codes.OK, answer.text
    assert len(answer.content) // 2 == int(len(TEXT) * 0.05 * 24_000)
    assert {wish["token"] for wish in device.of("/schedule")[before:]} == {other}
    device.next = Reply(429, json.dumps({"left": 7, "wait": 11_527}))
    refused = patient_http.post(f"{space}/v1/audio/speech", json=body, headers={"X-IP-Token": other})
    assert (refused.status_code, refused.json()["error"]["reason_code"]) == (httpx.codes.TOO_MANY_REQUESTS, "gpu_quota_exceeded")
    assert "and you have 7 s left" in refused.json()["error"]["message"]


def test_a_request_that_nobody_signed_is_lent_nothing(space, device):
    before = len(device.of("/schedule"))
    answer = patient_http.post(f"{space}/v1/audio/speech", json={"input": TEXT, "model": "fake", "voice": "tone"})
    assert (answer.status_code, answer.json()["error"]["reason_code"]) == (httpx.codes.BAD_REQUEST, "gpu_without_visitor")
    assert "which visitor asks" in answer.json()["error"]["message"] and len(device.of("/schedule")) == before


def test_a_websocket_speaks_on_its_callers_gpu_time(space, device):
    before = len(device.of("/schedule"))
    address = f"ws{space.removeprefix('http')}/v1/audio/speech/stream"
    with connect(address, additional_headers={"X-IP-Token": TOKEN}, proxy=None, open_timeout=60) as connection:
        client = SocketClient(connection)
        client.say("session.config", model="fake", voice="tone")
        client.say_text(TEXT)
        said = [heard["type"] for heard in client.hear_utterance() if isinstance(heard, dict)]
    assert "audio.done" in said and "error" not in said
    assert {wish["token"] for wish in device.of("/schedule")[before:]} == {TOKEN}


def test_what_the_package_raises_is_told_in_plain_words(space, device):
    quota = json.dumps({"left": 7, "wait": 11_527})
    device.next = Reply(429, quota)
    told = refusal(space)
    assert "and you have 7 s left" in told["fact"] and "Try again in 3:12:07" in told["hint"]
    device.next = Reply(429, json.dumps({"left": 7, "wait": -1}))
    assert "more GPU time than is lent at once" in refusal(space)["fact"]
    device.next = Reply(200, "event: failed", "text/event-stream")
    assert "No GPU became free" in refusal(space)["fact"]
    device.next = Reply(503, "")
    assert "No GPU became free" in refusal(space)["fact"]
    device.next = Reply(500, "")
    assert "did not lend" in refusal(space)["fact"]
    assert "taken back" in refusal(space, DEADLY)["fact"]


def test_who_leaves_the_page_gives_the_gpu_back(space, device):
    before = len(device.of("/release"))
    for _ in range(before):
        device.released.acquire(timeout=0)
    with visit(space, ENDLESS) as messages:
        assert len(base64.b64decode(next(messages)["samples"])) >= 2 * CHUNK_SAMPLES
    assert device.released.acquire(timeout=60)
    assert len(device.of("/release")) == before + 1
