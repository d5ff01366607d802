"""An engine that works for long before anything can be heard: who listens to events is told that it lives, and nobody is given up."""

import threading

import pytest

from engines.contract.contract import YIELD_POINT
from engines.errors import EngineFailed
from studio.api.answers.answer import SseAnswer
from studio.api.socket.session import Session
from tests.api.door import events_of, eventually, served
from tests.api.socket.socket_client import PCM, connected
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import INFO, FakeEngine

TEXT = "hello there"
EVENTS = {"input": TEXT, "stream": True, "response_format": "pcm"}
MANY = 200


class Laborious(FakeEngine):
    """Takes steps without sound until it is let go, then speaks, or fails where it was told to."""

    def __init__(self, **how):
        super().__init__(INFO, **how)
        self.let_go = threading.Event()
        self.steps = 0

    def stream(self, text, prompt, options):
        try:
            while not self.let_go.is_set() or self.steps < MANY:
                self.steps += 1
                yield YIELD_POINT
        finally:
            self.streams_closed += 1
        yield from super().stream(text, prompt, options)


def told_before_sound(url: str, engine: Laborious) -> str:
    """All that a listener to events got; the engine is let go once there was a comment and after many of its steps."""
    text = ""
    with patient_http.stream("POST", f"{url}/v1/audio/speech", json=EVENTS, timeout=60) as response:
        assert response.status_code == 200 and "first_audio" not in response.headers["server-timing"]
        for part in response.iter_text():
            text += part
            if ": ping" in text:
                engine.let_go.set()
    assert text.startswith(": ping") and engine.steps >= MANY
    return text.replace(": ping\n\n", "")


def test_events_are_open_before_the_first_sound_and_all_of_it_comes(open_door, monkeypatch):
    monkeypatch.setattr(SseAnswer, "quiet_seconds", 0.02)
    engine = Laborious()
    with served(open_door(engine)) as url:
        events = events_of(told_before_sound(url, engine))
    deltas, (last, done) = events[:-1], events[-1]
    assert len(deltas) >= 1 and last == "speech.audio.done" and done["end"] == "ended"
    assert done["timing"]["audio_seconds"] == pytest.approx(0.05 * len(TEXT), abs=0.001) and done["timing"]["underrun_ms"] == 0


def test_a_failure_after_they_are_open_is_an_event_with_nothing_to_throw_away(open_door, monkeypatch):
    monkeypatch.setattr(SseAnswer, "quiet_seconds", 0.02)
    engine = Laborious(fail_at_chunk=0)
    with served(open_door(engine)) as url:
        [(kind, event)] = events_of(told_before_sound(url, engine))
    assert kind == "speech.audio.error" and "partial_audio" not in event["error"]
    assert event["error"]["reason_code"] == EngineFailed.code


def test_a_failure_before_that_has_its_status(open_door):
    engine = Laborious(fail_at_chunk=0)
    engine.let_go.set()
    assert open_door(engine).post("/v1/audio/speech", json=EVENTS).status_code == 500


def test_a_socket_waits_for_the_first_sound_and_stops_between_two_steps(open_door, monkeypatch):
    engine = Laborious()
    with served(open_door(engine)) as url, connected(url) as client:
        client.say("session.config", **PCM)
        client.say_text(TEXT)
        assert client.hear()["type"] == "audio.start"
        monkeypatch.setattr(Session, "idle_seconds", 0.001)  # runs out at once where the client's silence counts
        before = engine.steps
        assert eventually(lambda: engine.steps >= before + MANY)
        client.say("input.cancel")
        cancelled = client.hear_until("audio.done")[-1]
        assert cancelled["cancelled"] and cancelled["total_bytes"] == 0
        assert eventually(lambda: engine.streams_closed == 1)
