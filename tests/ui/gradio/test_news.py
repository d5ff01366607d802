"""News: what a page asks at each tick, each question for itself; and the event that brings it only where something is new."""

import asyncio
import logging

import gradio as gr
import numpy as np
import pytest
from starlette.testclient import TestClient

from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import SpeakerTensor
from studio.ui.frame.app import page_app
from studio.ui.gradio.news import NEWS_PATH, News
from tests.workspaces.visitor import PageEvents

CHOSEN = {"voice": None, "engine": "fake"}


class Window:
    """A page's side of the tick: what it shows, and what it asks."""

    def __init__(self, client: TestClient):
        self._client = client
        self._events = PageEvents(client.get("/config").json()).events
        self.n_inputs = len(self._event["inputs"])
        self._seen: dict[str, str] = {}

    @property
    def _event(self) -> dict:
        return self._events["news.bring"]

    @property
    def shown(self) -> list[str | None]:
        return [self._seen.get(component) for component in self._event["inputs"]]

    def tick(self, **asked: dict) -> dict:
        answer = self._client.post(NEWS_PATH, json={"shown": self.shown, "asked": asked, "session_hash": "window"})
        assert answer.headers["cache-control"] == "no-store"
        return answer.json()

    def bring(self) -> None:
        body = {"data": self.shown, "event_data": None, "fn_index": self._event["id"], "session_hash": "window", "trigger_id": None}
        told = self._client.post("/gradio_api/run/predict", json=body).json()["data"]
        kept = zip(self._event["outputs"], told, strict=True)
        self._seen |= {component: value for component, value in kept if component.endswith("-seen") and isinstance(value, str)}


@pytest.fixture
def studio(open_studio):
    return open_studio()


@pytest.fixture
def client(studio):
    async def build():  # outside of a running loop Gradio opens loops of its own and leaves them open
        return page_app(studio)

    with TestClient(asyncio.run(build())) as client:
        yield client


def test_what_one_question_raises_is_reported_and_the_others_are_answered(caplog):
    def show_broken(value):
        raise RuntimeError("what only the log tells")

    def show_sum(first, second):
        return first + second, "seen"

    news = News()
    news.bring(show_broken, ["a"], ["a"])
    news.bring(show_sum, ["b", "c"], ["b", "c"])
    with caplog.at_level(logging.WARNING):
        broken, *answers = news.show_news(1, 2, 3)
    assert answers == [5, "seen"]
    assert broken == gr.skip(), "what is shown stays"
    assert "show_broken" in caplog.text


@pytest.mark.slow
def test_a_window_is_told_once_that_something_is_new(client, studio):
    window = Window(client)
    assert window.tick()["is_any"], "it shows nothing yet"
    window.bring()
    assert not window.tick()["is_any"]
    studio.enroll(Enrollment("alice", "own", tensor=SpeakerTensor.of(np.ones(3, np.float32))))
    assert window.tick()["is_any"]
    assert window.tick()["is_any"], "until it was brought"
    window.bring()
    assert not window.tick()["is_any"]


@pytest.mark.slow
def test_a_tick_tells_what_is_otherwise_about_the_choice(client, studio):
    window = Window(client)
    first = window.tick(choice=CHOSEN)["told"]["choice"]
    seen = {"voice": first["voice"], "engine": first["engine"], "gone": "", "seen": first["seen"]}
    assert window.tick(choice=seen)["told"]["choice"] == {"seen": first["seen"]}
    studio.enroll(Enrollment("alice", "own", tensor=SpeakerTensor.of(np.ones(3, np.float32))))
    assert "alice" in [voice["name"] for voice in window.tick(choice=seen)["told"]["choice"]["voices"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    (
        b"",
        b"[]",
        b"\xff",
        b"[" * 60_000,
        b"{}",
        b'{"shown": [], "asked": {}}',
        b'{"shown": "SHOWN", "asked": {}}',
        b'{"shown": SHOWN, "asked": []}',
        b'{"shown": SHOWN, "asked": {"choice": 1}}',
        b'{"shown": SHOWN, "asked": {"voices": {}}}',
        b'{"shown": NUMBERS, "asked": {}}',
    ),
)
def test_what_no_page_of_this_version_asks_is_refused(client, asked):
    n_inputs = Window(client).n_inputs
    body = asked.replace(b"SHOWN", b"[" + b", ".join([b"null"] * n_inputs) + b"]").replace(
        b"NUMBERS", b"[" + b", ".join([b"1"] * n_inputs) + b"]"
    )
    answer = client.post(NEWS_PATH, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["code"] == "schema_invalid"
