"""A sentence that is over as far as can be told is spoken without more text, after a short silence."""

import pytest

from studio.api.socket.session import Session
from tests.api.door import served
from tests.api.socket.socket_client import PCM, SocketClient, connected, conversing

SENTENCES = PCM | {"split_granularity": "sentence"}


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(Session, "settle_seconds", 0.001)


@pytest.fixture
def never(monkeypatch):
    monkeypatch.setattr(Session, "settle_seconds", 1000.0)


def hear_sentence(client: SocketClient) -> str:
    return client.hear_until("audio.done")[0]["sentence_text"]


def sentences_in(heard: list[dict | bytes]) -> list[str]:
    return [message["sentence_text"] for message in heard if isinstance(message, dict) and message["type"] == "audio.start"]


@pytest.mark.parametrize("text", ["Hello world. ", "Hello world.", "Really?", "你好。"])
def test_a_sentence_is_spoken_without_more_text(door, at_once, text):
    with conversing(door, **SENTENCES) as client:
        client.say("input.text", text=text)
        assert hear_sentence(client) == text.strip()
        client.say("input.done")
        assert client.hear() == {"type": "session.done", "utterance_index": 0, "total_sentences": 1}


def test_what_follows_is_the_next_sentence_whatever_it_is_and_nothing_is_said_twice(door, at_once):
    with conversing(door, **SENTENCES) as client:
        for text in ("Hello world. ", "then more. ", 'He said "Go. ', '" Then? '):
            client.say("input.text", text=text)
            assert hear_sentence(client) == text.strip()
        client.say_text(" And", " an end")
        assert sentences_in(client.hear_utterance()) == ["And an end"]


def test_before_the_silence_is_over_more_text_decides(door, never):
    with conversing(door, **SENTENCES) as client:
        client.say_text("It works. ", "approximately. ", "Yes")
        assert sentences_in(client.hear_utterance()) == ["It works. approximately.", "Yes"]


@pytest.mark.parametrize(
    ("text", "more", "sentence"), [("See No. ", "5 now", "See number five now"), ("It is 3.", "14", "It is three point one four")]
)
def test_what_may_go_on_waits(door, at_once, text, more, sentence):
    with conversing(door, **SENTENCES) as client:
        client.say("input.text", text="Said. " + text)
        assert hear_sentence(client) == "Said."  # the silence is over long before the engine is
        client.say_text(more)
        assert sentences_in(client.hear_utterance()) == [sentence]


def test_without_splitting_only_the_end_speaks(door, at_once):
    with conversing(door, **PCM) as client:
        client.say("input.text", text="Hello world. ")
        client.connection.ping().wait()
        client.say_text("More.")
        assert sentences_in(client.hear_utterance()) == ["Hello world. More."]


def test_in_strict_compatibility_white_space_ends_a_sentence_at_once(open_door, never):
    with served(open_door(strict_compat=True)) as url, connected(url) as client:
        client.say("session.config", **SENTENCES)
        client.say("input.text", text="Hello world. ")
        assert hear_sentence(client) == "Hello world."
        client.say_text("See example.", "com")
        assert sentences_in(client.hear_utterance()) == ["See example.com"]


def test_a_canceled_sentence_is_not_spoken_by_the_silence(door, at_once):
    with conversing(door, **SENTENCES) as client:
        client.say("input.text", text="See No. ")
        client.say("input.cancel")
        assert client.hear()["cancelled"]
        client.say_text("Then.")
        assert sentences_in(client.hear_utterance()) == ["Then."]


def test_a_whole_sentence_is_spoken_before_the_session_ends(door, never):
    with conversing(door, **SENTENCES) as client:
        client.say("input.text", text="Said. ")
        client.say("session.close")
        heard, code = client.hear_end()
    assert (sentences_in(heard), code) == (["Said."], 1000)
