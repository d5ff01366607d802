"""How a speech went, asked for afterwards by the id of its request, or while it is under way."""

import httpx
import pytest

from studio.speech import outcomes
from studio.speech.outcomes import KEPT_SECONDS, SpeechOutcomes
from studio.speech.request_log import RequestEntry
from studio.timeline import Timeline
from studio.workspace import EVERYBODY, NOBODY
from tests.api.door import Gate, eventually, served
from tests.api.socket.socket_client import PCM, connected
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import FakeEngine

RAW = {"stream_format": "audio", "response_format": "pcm"}


def outcome(door, request_id: str) -> dict:
    response = door.get(f"/v1/audio/speech/{request_id}")
    assert response.status_code == 200, response.text
    return response.json()


def test_of_each_answer_it_is_known_how_it_ended(door):
    for fields in (RAW, {"stream": True, "response_format": "pcm"}, {"response_format": "pcm"}, RAW | {"response_format": "mp3"}):
        answer = door.speak("hello there", voice="tone", **fields)
        told = outcome(door, answer.headers["x-request-id"])
        assert (told["status"], told["finish_reason"], told["end"]) == ("complete", "stop", "ended")
        assert (told["model"], told["voice"], told["response_format"]) == ("fake", "tone", fields["response_format"])
        assert told["seconds"] == pytest.approx(0.55)
        assert told["usage"]["input_token_details"]["text_tokens"] == len("hello there")
        assert 0 < told["timing"]["first_audio_ms"] <= told["timing"]["total_ms"]
        if fields.get("stream_format"):
            assert told["bytes"] == len(answer.content)
        elif fields["response_format"] == "pcm":
            assert told["bytes"] == 26_400
        assert "error" not in told


def test_the_clients_own_id_names_it_and_the_last_of_that_name_counts(door):
    for text in ("hello", "hello there"):
        door.post("/v1/audio/speech", json={"input": text} | RAW, headers={"X-Request-Id": "mine.1"})
    assert outcome(door, "mine.1")["usage"]["input_token_details"]["text_tokens"] == len("hello there")


def test_a_failure_on_the_way_has_its_code_and_sentence(open_door):
    door = open_door(FakeEngine(fail_at_chunk=3))
    headers = {"X-Request-Id": "broken"}
    with served(door) as url, pytest.raises(httpx.RemoteProtocolError):
        patient_http.post(f"{url}/v1/audio/speech", json={"input": "hello there, my friend"} | RAW, headers=headers)
    told = outcome(door, "broken")
    assert (told["status"], told["finish_reason"], told["end"]) == ("failed", "error", "failed")
    assert told["error"] == {"code": "engine_failed", "message": "Speech generation failed: The fake engine was told to fail."}
    assert told["bytes"] == 3 * 2 * 1920


def test_a_refusal_is_known_as_well_and_what_nobody_asked_is_not(door):
    answer = door.speak(voice="nobody", **RAW)
    assert outcome(door, answer.headers["x-request-id"])["error"]["code"] == "speaker_unknown"
    response = door.get("/v1/audio/speech/never")
    assert (response.status_code, response.json()["error"]["param"]) == (404, "request_id")
    assert response.json()["error"]["message"].startswith("No speech with the request id 'never' is known here;")


def test_while_it_is_under_way_it_is_running_and_a_hang_up_cancels_it(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: gate(index) if index == 2 else None))
    with served(door) as url:
        ask = {"json": {"input": "hello there, my friend"} | RAW, "headers": {"X-Request-Id": "live"}, "timeout": 60}
        with patient_http.stream("POST", f"{url}/v1/audio/speech", **ask) as response:
            parts = response.iter_raw()
            next(parts)
            told = outcome(door, "live")
            assert (told["status"], told["finish_reason"], told["end"]) == ("running", None, None)
            response.close()
        eventually(lambda: outcome(door, "live")["status"] == "cancelled")
        assert outcome(door, "live")["finish_reason"] == "abort"
        gate.open()


def test_items_of_a_batch_and_sentences_of_a_socket_have_ids_of_their_own(door):
    batch = door.post("/v1/audio/speech/batch", json={"items": [{"input": "one"}, {"input": "two", "voice": "nobody"}]}).json()["id"]
    assert [outcome(door, f"{batch}-{index}")["status"] for index in range(2)] == ["complete", "failed"]
    with served(door) as url, connected(url, {"X-Request-Id": "talk"}) as client:
        client.say("session.config", **PCM)
        client.say_text("hello")
        sent = sum(len(part) for part in client.hear_utterance() if isinstance(part, bytes))
    told = outcome(door, "talk-0-0")
    assert (told["delivery"], told["bytes"], told["end"]) == ("websocket", sent, "ended")


def entry(request_id: str, workspace: str = EVERYBODY) -> RequestEntry:
    return RequestEntry(request_id, "raw", Timeline(), "pcm", workspace=workspace)


def test_they_are_bounded_forgotten_and_nobodys_but_ones_own(monkeypatch):
    monkeypatch.setattr(outcomes, "MOST_OF_A_WORKSPACE", 2)
    monkeypatch.setattr(outcomes, "MOST_WORKSPACES", 2)
    now = [0.0]
    kept = SpeechOutcomes(lambda: now[0])
    for name in ("a", "b", "c"):
        kept.begin(entry(name))
        kept.end(entry(name))
    known = lambda workspace: [name for name in "abc" if kept.get(workspace, name)]  # noqa: E731
    assert known(EVERYBODY) == ["b", "c"]
    assert known("other") == []
    kept.end(entry("a", NOBODY))
    assert known(NOBODY) == []
    for workspace in ("first", EVERYBODY, "second"):
        kept.end(entry("b", workspace))
    assert (known("first"), known("second")) == ([], ["b"])
    now[0] = KEPT_SECONDS
    assert known("second") == []
