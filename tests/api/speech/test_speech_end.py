"""How this door tells why a speech ended: in a header, in the last event or message, in a result, in the log and in the metrics."""

import asyncio
import json
import logging

import pytest

from engines.contract.speech_end import SpeechEnd
from tests.api.door import events_of
from tests.api.socket.socket_client import PCM, conversing
from tests.api.speech.batches import results_of
from tests.api.speech.test_metrics import value
from tests.stand_ins.fake_engine import FakeEngine

CAPPED = SpeechEnd.capped_by_text(13.1)


class Runaway(FakeEngine):
    """Runs away from texts that say so."""

    def stream(self, text, prompt, options):
        yield from super().stream(text, prompt, options)
        return CAPPED if "run away" in text else None


@pytest.fixture
def door(open_door):
    return open_door(Runaway())


def test_a_whole_answer_says_it_in_its_headers(door):
    plain, cut = door.speak("hello").headers, door.speak("run away").headers
    assert (plain["x-speech-end"], cut["x-speech-end"]) == ("ended", "capped")
    assert "x-speech-warning" not in plain and cut["x-speech-warning"] == CAPPED.warning


def test_a_stream_of_events_says_it_in_its_last_one(door):
    (_, plain), (_, cut) = (events_of(door.speak(text, stream=True, response_format="pcm").text)[-1] for text in ("hello", "run away"))
    assert plain["end"] == "ended" and "warning" not in plain
    assert (cut["end"], cut["warning"]) == ("capped", CAPPED.warning)


@pytest.mark.parametrize("extensions", [{"http.response.trailers": {}}, {}])
def test_a_raw_stream_says_it_in_trailers_where_the_server_has_them(door, extensions):
    fields = {"input": "run away", "response_format": "pcm", "stream_format": "audio"}
    sent = messages_of(door, fields, extensions)
    start, end = sent[0], [message for message in sent if message["type"] == "http.response.trailers"]
    assert start["trailers"] == bool(extensions) == ((b"trailer", b"x-speech-end, x-speech-warning") in start["headers"])
    expected = [(b"x-speech-end", b"capped"), (b"x-speech-warning", CAPPED.warning.encode())]
    assert [message["headers"] for message in end] == ([expected] if extensions else [])
    assert not extensions or sent[-1] == end[0]


def messages_of(door, fields: dict, extensions: dict) -> list[dict]:
    """What the app sends for a speech to a server with these extensions of ASGI."""
    sent: list[dict] = []
    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/v1/audio/speech", "raw_path": b"",
        "root_path": "", "query_string": b"", "headers": [(b"content-type", b"application/json")], "client": None, "server": None,
        "extensions": extensions,
    }  # fmt: skip
    asked = iter([{"type": "http.request", "body": json.dumps(fields).encode(), "more_body": False}])

    async def receive() -> dict:
        message = next(asked, None)
        return message if message is not None else await asyncio.Future()  # the client stays

    async def send(message: dict) -> None:
        sent.append(message)

    asyncio.run(door.app(scope, receive, send))
    return sent


def test_the_socket_says_it_with_every_sentence(door):
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say_text("Hello there. Now run away.")
        done = [one for one in client.hear_utterance() if isinstance(one, dict) and one["type"] == "audio.done"]
    assert [one["end"] for one in done] == ["ended", "capped"]
    assert [one.get("warning") for one in done] == [None, CAPPED.warning]


def test_a_batch_says_it_with_every_result_beside_what_was_not_heeded(door):
    plain, cut = results_of(door, {"input": "hello"}, {"input": "run away", "instructions": "softly"})
    assert (plain["end"], cut["end"]) == ("ended", "capped")
    assert "warning" not in plain and cut["warning"] == f"Not heeded by Fake: instructions. {CAPPED.warning}"


@pytest.mark.parametrize("fields", [{}, {"stream_format": "audio", "response_format": "pcm"}])
def test_log_and_metrics_count_it_by_engine_and_reason(door, caplog, fields):
    with caplog.at_level(logging.INFO, "studio.request"):
        door.speak("hello", **fields)
        door.speak("run away", **fields)
    assert [record.getMessage().count("end=ended") for record in caplog.records] == [1, 0]
    assert "end=capped" in caplog.records[-1].getMessage()
    for reason in ("ended", "capped"):
        assert value(door, "studio_speech_ends_total", engine="fake", reason=reason) == 1


def test_a_failure_on_the_way_is_counted_as_one(open_door):
    door = open_door(FakeEngine(fail_at_chunk=3))
    door.speak("hello there, my friend", stream=True)
    assert value(door, "studio_speech_ends_total", engine="fake", reason="failed") == 1
