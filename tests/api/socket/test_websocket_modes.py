"""Modes of a session: text that the client commits, and text that is spoken while it comes."""

import numpy as np
import pytest

from studio.api.socket.session import Session
from tests.api.door import SAMPLE_RATE, Gate, pcm, served
from tests.api.socket.socket_client import PCM, SocketClient, connected, conversing
from tests.stand_ins.fake_engine import READER, FakeEngine

COMMIT = PCM | {"streaming_mode": "sentence_commit"}
TOKENS = PCM | {"streaming_mode": "token_level"}


@pytest.fixture
def reader(open_door):
    return open_door(FakeEngine(READER))


@pytest.fixture(autouse=True)
def never(monkeypatch):
    monkeypatch.setattr(Session, "settle_seconds", 1000.0)


def told(heard: list[dict | bytes], kind: str, member: str) -> list:
    return [message[member] for message in heard if isinstance(message, dict) and message["type"] == kind]


def hear_sound(client: SocketClient) -> None:
    while not isinstance(client.hear(), bytes):
        pass


# --- sentence_commit


def test_what_is_committed_is_spoken_at_once_and_the_utterance_goes_on(door):
    with conversing(door, **COMMIT) as client:
        client.say("input.text", text="One. Two")
        client.say("input.text", text=" and three")
        client.say("input.commit")
        heard = client.hear_until("audio.done")
        committed = {"utterance_index": 0, "segment_index": 0, "segment_sentences": 1, "total_sentences": 1}
        assert heard[0] == {"type": "input.committed"} | committed
        assert told(heard, "audio.start", "sentence_text") == ["One. Two and three"]
        client.say_text(" The rest")
        heard = client.hear_utterance()
    assert told(heard, "audio.start", "sentence_index") == [1]
    assert told(heard, "session.done", "total_sentences") == [2]


def test_an_empty_commit_is_told_and_what_nobody_committed_is_spoken_at_the_end(door):
    with conversing(door, **COMMIT) as client:
        for _ in range(2):
            client.say("input.commit")
            assert client.hear()["segment_sentences"] == 0
        client.say_text("Never committed. And done.")
        assert told(client.hear_utterance(), "audio.start", "sentence_text") == ["Never committed. And done."]
        client.say("input.commit")
        assert (client.hear().items()) >= {"utterance_index": 1, "segment_index": 0, "total_sentences": 0}.items()


def test_a_commit_ends_the_sentence_in_any_mode_and_several_are_counted(door):
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say("input.text", text="It is No. ")
        client.say("input.commit")
        client.say_text("One. Two.")
        heard = client.hear_utterance()
        assert told(heard, "audio.start", "sentence_text") == ["It is No.", "One.", "Two."]
    with conversing(door, **COMMIT, split_granularity="sentence") as client:
        client.say("input.text", text="One. Two.")
        client.say("input.commit")
        assert client.hear()["segment_sentences"] == 2


def test_a_canceled_utterance_takes_its_commits_with_it(open_door):
    gate = Gate()
    with conversing(open_door(FakeEngine(before_chunk=gate)), **COMMIT) as client:
        client.say("input.text", text="Hello there")
        client.say("input.commit")
        gate.wait_for_arrival()
        client.say("input.cancel")
        gate.open()
        assert client.hear_utterance()[-1]["cancelled"] is True
        client.say_text("again")
        assert told(client.hear_utterance(), "audio.start", "utterance_index") == [1]


# --- what can be asked for


def test_an_unknown_mode_is_told_with_those_there_are(door):
    with served(door) as url, connected(url) as client:
        client.say("session.config", streaming_mode="word_level")
        assert "Input should be 'sentence_commit' or 'token_level'" in client.hear_error()


def test_an_engine_that_wants_whole_texts_says_so_and_who_does_not(open_door):
    with served(open_door(FakeEngine(), FakeEngine(READER))) as url, connected(url) as client:
        client.say("session.config", **TOKENS)
        assert client.hear_error() == (
            "streaming_mode='token_level' needs an engine that reads a text while it comes; Fake does not. "
            "Engines that do: reader. Or use streaming_mode='sentence_commit'."
        )


def test_a_strictly_compatible_session_knows_no_modes_as_its_like(open_door):
    with conversing(open_door(strict_compat=True), **PCM, streaming_mode="word_level") as client:
        client.say("input.commit")
        assert client.hear_error() == "Unknown message type: input.commit"


# --- token_level


def test_words_are_spoken_before_their_sentence_has_come(reader):
    with conversing(reader, **TOKENS) as client:
        for word in ("Hello ", "there ", "my "):
            client.say("input.text", text=word)
        hear_sound(client)
        client.say_text("friend. Good", "bye.")
        heard = client.hear_utterance()
    assert reader.engine.texts == ["Hello there my friend. Goodbye."]
    assert told(heard, "audio.done", "sentence_text") == ["Hello there my friend. Goodbye."]
    assert told(heard, "audio.done", "end") == ["ended"]
    assert told(heard, "session.done", "total_sentences") == [1]


def test_what_is_heard_is_the_whole_text_however_it_was_cut_and_as_long(reader):
    text = "Dr. Smith paid $5 on May 5, didn't he? Well, I think so."
    with conversing(reader, **TOKENS) as client:
        client.say_text(*text)
        heard = client.hear_utterance()
        client.say_text(text)
        whole = client.hear_utterance()
    assert reader.engine.texts[0] == reader.engine.texts[1] == "Dr. Smith paid five dollars on May fifth, didn't he? Well, I think so."
    lengths = [len(b"".join(part for part in parts if isinstance(part, bytes))) for parts in (heard, whole)]
    assert np.ptp(lengths) <= 2 * len(text)  # a sample for each piece


def test_a_silence_in_the_text_is_one_between_two_streams(reader):
    with conversing(reader, **TOKENS) as client:
        client.say_text("Hello there. [pause 2s] And", " goodbye.")
        heard = client.hear_utterance()
    assert [text.strip() for text in reader.engine.texts] == ["Hello there.", "And goodbye."]
    samples = pcm(b"".join(part for part in heard if isinstance(part, bytes)))
    assert np.diff(np.flatnonzero(np.abs(samples) > 1e-3)).max() == pytest.approx(2 * SAMPLE_RATE, rel=0.01)


def test_a_sentence_that_nothing_follows_is_spoken_to_its_end(reader, monkeypatch):
    monkeypatch.setattr(Session, "settle_seconds", 0.001)
    with conversing(reader, **TOKENS) as client:
        client.say("input.text", text="Hello world. ")
        assert told(client.hear_until("audio.done"), "audio.done", "sentence_text") == ["Hello world."]
        client.say_text("More.")
        assert told(client.hear_utterance(), "audio.start", "sentence_index") == [1]


def test_a_commit_ends_the_stream_and_what_follows_is_another(reader):
    with conversing(reader, **TOKENS) as client:
        client.say("input.text", text="Hello there my")
        client.say("input.commit")
        assert client.hear()["type"] == "input.committed"
        client.hear_until("audio.done")
        client.say_text("friend")
        client.hear_utterance()
    assert reader.engine.texts == ["Hello there my", "friend"]


def test_who_says_no_more_in_the_middle_is_timed_out_and_the_engine_is_free(reader, monkeypatch):
    monkeypatch.setattr(Session, "idle_seconds", 0.05)
    with conversing(reader, **TOKENS) as client:
        client.say("input.text", text="Hello there my ")
        heard, code = client.hear_end()
    assert (heard[-1], code) == ({"type": "error", "message": "Idle timeout: no message received"}, 1008)
    assert reader.speak("next").status_code == 200


def test_cancel_ends_a_stream_that_waits_for_text(reader):
    with conversing(reader, **TOKENS) as client:
        client.say("input.text", text="Hello there my ")
        hear_sound(client)
        client.say("input.cancel")
        assert client.hear_utterance()[-1]["cancelled"] is True
        client.say_text("again")
        client.hear_utterance()
    assert reader.engine.texts[-1] == "again"
