"""What the WebSocket refuses, what it bounds, and how a session ends: with an error that says why, and a close code."""

import json
import time

import pytest

from studio.api.socket import session as websocket_session
from studio.api.socket.session import Session
from tests.api.door import Gate, served
from tests.api.socket.socket_client import PCM, connected, conversing
from tests.stand_ins.fake_engine import FakeEngine

# --- messages that are refused


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("{", "Invalid JSON message"),
        ("[" * 100_000, "Invalid JSON message"),
        ("9" * 10_000, "Invalid JSON message"),
        ("[1]", "WebSocket messages must be JSON objects"),
        ('{"type": "zzz"}', "Unknown message type: zzz"),
        ('{"type": ["\\ud800"]}', "Unknown message type: ['\\ud800']"),
        ("{}", "Unknown message type: None"),
        ('{"type": "input.text", "text": 5}', "input.text requires a string value"),
        ('{"type": "input.text"}', "input.text requires a string value"),
        (json.dumps({"type": "input.text", "text": "x" * 128 * 1024}), "input.text message too large"),
        (" " * (4 * 1024 * 1024 + 1), "WebSocket message too large"),
        (b"\x00\x01", "Binary messages are not supported; send JSON objects as text."),
    ],
    ids=range(12),
)
def test_a_refused_message_leaves_a_configured_session_usable(door, message, error):
    with conversing(door, **PCM) as client:
        client.connection.send(message)
        assert client.hear_error() == error
        client.say_text("hello")
        assert not client.hear_utterance()[-2]["error"]


def test_a_config_in_the_middle_of_an_utterance_is_refused(door):
    with conversing(door, **PCM) as client:
        client.say("input.text", text="hel")
        client.say("session.config", response_format="wav")
        assert client.hear_error() == "session.config cannot be applied while an utterance is in progress; send input.done first"
        client.say_text("lo")
        heard = client.hear_utterance()
    assert (heard[0]["sentence_text"], heard[0]["format"]) == ("hello", "pcm")


def test_a_refused_config_leaves_the_one_before_in_force(door):
    with conversing(door, **PCM) as client:
        client.say("session.config", response_format="ogg")
        assert client.hear_error().startswith("Invalid session config: 1 validation error:")
        client.say_text("hello")
        assert client.hear()["format"] == "pcm"


def test_texts_that_wait_are_bounded(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate), most_text_characters=20)
    with conversing(door, **PCM) as client:
        client.say_text("0123456789")
        client.say("input.text", text="abcdefghij")
        client.say("input.text", text="k")
        gate.wait_for_arrival()
        heard = client.hear_until("error")
        assert heard[-1]["message"].startswith("input.text refused: with it 21 characters would wait to be spoken; the limit is 20.")
        gate.open()
        client.hear_utterance()
        client.say_text("klmnopqrst")
        assert client.hear()["sentence_text"] == "abcdefghijklmnopqrst"


def test_utterances_that_wait_are_bounded(open_door, monkeypatch):
    monkeypatch.setattr(websocket_session, "MOST_WAITING_UTTERANCES", 2)
    gate = Gate()
    with conversing(open_door(FakeEngine(before_chunk=gate)), **PCM) as client:
        for text in ("one", "two", "three"):
            client.say_text(text)
        heard = client.hear_until("error")
        assert heard[-1]["message"] == "input.done refused: 2 utterances wait to be spoken. Send it again later."
        gate.open()
        client.hear_utterance(), client.hear_utterance()
        client.say("input.done")
        assert client.hear()["sentence_text"] == "three"


# --- endings


@pytest.mark.parametrize(
    ("message", "error", "code"),
    [
        ('{"type": "input.text", "text": "hello"}', "Expected session.config, got: input.text", 1008),
        ("{", "Invalid JSON message", 1008),
        (b"\x00", "Binary messages are not supported; send JSON objects as text.", 1008),
        (" " * (4 * 1024 * 1024 + 1), "WebSocket message too large", 1009),
        ('{"type": "session.config", "model": "nope"}', "The model `nope` does not exist.", 1008),
        ('{"type": "session.config", "split_granularity": "word"}', "Invalid session config: 1 validation error:", 1008),
        ('{"type": "session.config", "speed": 9}', "Invalid session config: 1 validation error:", 1008),
        (
            '{"type": "session.config", "stream_audio": true}',
            "Value error, WebSocket streaming audio (stream_audio=true) requires response_format='pcm'. Got response_format='wav'.",
            1008,
        ),
        (
            '{"type": "session.config", "ref_audio": "data:audio/wav;base64,", "speaker_embedding": [0.5]}',
            "Value error, 'speaker_embedding' and 'ref_audio' are mutually exclusive",
            1008,
        ),
    ],
    ids=range(9),
)
def test_a_session_that_does_not_begin_with_a_good_config_ends_with_an_error_and_a_code(door, message, error, code):
    with served(door) as url, connected(url) as client:
        client.connection.send(message)
        (last,), closed = client.hear_end()
    assert last["type"] == "error"
    assert error in last["message"]
    assert closed == code


def test_a_frame_that_no_message_could_have_is_too_large(door):
    with served(door) as url, connected(url) as client:
        header = b"\x81\xff" + (16 * 1024 * 1024 + 1).to_bytes(8) + bytes(4)  # final text frame, masked with zeros
        client.connection.socket.sendall(header)
        assert client.hear_end() == ([], 1009)


def test_who_never_configures_is_timed_out(door, monkeypatch):
    monkeypatch.setattr(Session, "config_seconds", 0.01)
    with served(door) as url, connected(url) as client:
        (error,), code = client.hear_end()
    assert (error["message"], code) == ("Timeout waiting for session.config", 1008)


def test_who_is_silent_is_timed_out_but_not_while_listening(open_door, monkeypatch):
    gate = Gate()
    with conversing(open_door(FakeEngine(before_chunk=gate)), **PCM) as client:
        client.say_text("hello")
        assert client.hear()["type"] == "audio.start"
        monkeypatch.setattr(Session, "idle_seconds", 0.4)  # not before: a busy machine may be silent for as long
        client.say("nonsense")  # from which on silence counts
        client.hear_until("error")
        with pytest.raises(TimeoutError):
            client.connection.recv(0.6)
        opened = time.monotonic()
        gate.open()
        client.hear_utterance()
        (error,), code = client.hear_end()
    assert time.monotonic() - opened >= Session.idle_seconds  # silence counts from the end of what was heard
    assert (error["message"], code) == ("Idle timeout: no message received", 1008)


def test_session_close_is_a_normal_end(door):
    with conversing(door, **PCM) as client:
        client.say("session.close")
        assert client.hear_end() == ([], 1000)


def said_at_once(client, config: dict, *messages: tuple[str, dict]) -> None:
    """Everything before anything is heard, as scripts send it."""
    client.say("session.config", **config)
    for kind, members in messages:
        client.say(kind, **members)


@pytest.mark.parametrize("config", [PCM, {"response_format": "wav"}], ids=["stream", "file"])
def test_what_was_said_before_session_close_is_spoken_to_its_end(door, config):
    text = "x" * 40  # 2 s, 25 chunks
    with served(door) as url, connected(url) as client:
        said_at_once(client, config, ("input.text", {"text": text}), ("input.done", {}), ("session.close", {}))
        heard, code = client.hear_end()
    audio = b"".join(part for part in heard if isinstance(part, bytes))
    assert audio == door.speak(text, response_format=config["response_format"]).content
    assert heard[-1] == {"type": "session.done", "utterance_index": 0, "total_sentences": 1}
    assert code == 1000


def test_utterances_that_wait_behind_another_are_spoken_before_the_session_closes(door):
    with served(door) as url, connected(url) as client:
        said = [("input.text", {"text": "one"}), ("input.done", {}), ("input.text", {"text": "two"}), ("input.done", {})]
        said_at_once(client, PCM, *said, ("session.close", {}), ("session.close", {}))
        heard, code = client.hear_end()
    ends = [message["utterance_index"] for message in heard if isinstance(message, dict) and message["type"] == "session.done"]
    assert (ends, code) == ([0, 1], 1000)


def test_text_that_was_not_done_is_taken_back_by_session_close_and_whole_sentences_of_it_are_not(door):
    with served(door) as url, connected(url) as client:
        said_at_once(client, PCM | {"split_granularity": "sentence"}, ("input.text", {"text": "Said. Not do"}), ("session.close", {}))
        heard, code = client.hear_end()
    assert heard[0]["sentence_text"] == "Said."
    assert heard[-1] == {"type": "session.done", "utterance_index": 0, "total_sentences": 1, "cancelled": True}
    assert code == 1000


def test_after_session_close_nothing_more_is_taken_and_nobody_is_timed_out(open_door, monkeypatch):
    gate = Gate()
    with served(open_door(FakeEngine(before_chunk=gate))) as url, connected(url) as client:
        said_at_once(client, PCM, ("input.text", {"text": "hello"}), ("input.done", {}), ("session.close", {}))
        gate.wait_for_arrival()
        monkeypatch.setattr(Session, "idle_seconds", 0.001)  # runs out at once where the client's silence counts
        client.say("input.text", text="more")
        refusal = client.hear_until("error")[-1]["message"]
        gate.open()
        heard, code = client.hear_end()
    assert refusal == "input.text refused: session.close was said. Open another connection to say more."
    assert (heard[-1]["type"], code) == ("session.done", 1000)


def test_a_defect_of_ours_ends_the_session_without_telling_our_insides(door, monkeypatch, caplog):
    def defect(*arguments):
        raise LookupError("secret")

    monkeypatch.setattr(door.studio._opener, "begin", defect)
    with conversing(door, **PCM) as client:
        client.say_text("hello")
        (error,), code = client.hear_end()
    assert (error["message"], code) == ("Internal error", 1011)
    assert "secret" in caplog.text
