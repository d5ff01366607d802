"""The WebSocket: text in, audio out, in the order of the sentences, with the errors and endings of the contract."""

import base64
from dataclasses import replace

import numpy as np
import pytest

from studio.speech.words import asked_words, word_aligner
from tests.api.door import SAMPLE_RATE, data_url, pcm, samples_of, served, wav
from tests.api.socket.socket_client import PCM, connected, conversing
from tests.stand_ins.fake_engine import INFO, MARKER, FakeEngine, heard_pitch, pitch_of

OTHER_RATE = replace(INFO, id="wide", sample_rate=44_100)


def of_kind(heard, kind: str) -> list[dict]:
    return [message for message in heard if isinstance(message, dict) and message["type"] == kind]


def audio_in(heard) -> bytes:
    return b"".join(message for message in heard if isinstance(message, bytes))


# --- one utterance


def test_streamed_audio_is_what_http_says(door, each_chunk_alone):
    with conversing(door, **PCM) as client:
        client.say_text("hello ", "there")
        heard = client.hear_utterance()
    start, done, end = heard[0], heard[-2], heard[-1]
    assert start == {
        "type": "audio.start", "utterance_index": 0, "sentence_index": 0, "sentence_text": "hello there", "format": "pcm",
        "sample_rate": SAMPLE_RATE,
    }  # fmt: skip
    assert len(heard) > 4
    assert audio_in(heard) == door.speak("hello there", response_format="pcm").content
    assert (done["type"], done["total_bytes"], done["error"]) == ("audio.done", len(audio_in(heard)), False)
    assert (done["speaker_cache"], done["timing"]["cache"]) == ("miss", "miss")
    assert 0 < done["timing"]["first_audio_ms"] <= done["timing"]["total_ms"]
    assert end == {"type": "session.done", "utterance_index": 0, "total_sentences": 1}


@pytest.mark.parametrize("response_format", ["wav", "pcm", "flac", "mp3", "opus"])
def test_without_streaming_each_sentence_is_one_complete_file(door, response_format):
    with conversing(door, response_format=response_format, split_granularity="sentence") as client:
        client.say_text("Hello there. Goodbye now.")
        heard = client.hear_utterance()
    first, second = (message for message in heard if isinstance(message, bytes))
    for file, text in ((first, "Hello there."), (second, "Goodbye now.")):
        alike = door.speak(text, response_format=response_format).content
        assert len(file) == len(alike)
        assert file == alike or np.array_equal(samples_of(file)[0], samples_of(alike)[0])  # each Ogg has a number of its own
    assert [start["sample_rate"] for start in of_kind(heard, "audio.start")] == [SAMPLE_RATE] * 2


def test_a_wav_file_is_the_default(door):
    with conversing(door) as client:
        client.say_text("hello")
        assert client.hear()["format"] == "wav"
        assert samples_of(client.hear())[1] == SAMPLE_RATE


@pytest.mark.parametrize(("config", "rate"), [(PCM, 24_000), ({"response_format": "wav"}, 44_100)])
def test_the_rate_is_the_true_one_in_every_mode(open_door, config, rate):
    with conversing(open_door(FakeEngine(OTHER_RATE)), **config) as client:
        client.say_text("hello")
        heard = client.hear_utterance()
    start, done = heard[0], heard[-2]
    n_samples = len(pcm(audio_in(heard))) if config is PCM else len(samples_of(audio_in(heard))[0])
    assert start["sample_rate"] == rate
    assert n_samples / start["sample_rate"] == pytest.approx(done["timing"]["audio_seconds"], abs=0.001)


def test_another_rate_can_be_asked_for(door):
    with conversing(door, **PCM, sample_rate=8_000) as client:
        client.say_text("hello")
        heard = client.hear_utterance()
    assert heard[0]["sample_rate"] == 8_000
    assert len(audio_in(heard)) == 2 * 8_000 // 4


def test_sentences_are_spoken_one_after_the_other(door):
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say_text("Hello. World!")
        heard = client.hear_utterance()
    shown = [(m["type"], m.get("sentence_index"), m.get("sentence_text")) for m in heard if isinstance(m, dict)]
    assert shown == [
        ("audio.start", 0, "Hello."), ("audio.done", 0, None), ("audio.start", 1, "World!"), ("audio.done", 1, None),
        ("session.done", None, None),
    ]  # fmt: skip
    assert heard[-1]["total_sentences"] == 2
    whole = [door.speak(text, response_format="pcm").content for text in ("Hello.", "World!")]
    assert audio_in(heard) == b"".join(whole)


def test_a_sentence_is_spoken_before_the_utterance_is_done(door):
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say("input.text", text="Hello. Wor")
        assert client.hear_until("audio.done")[0]["sentence_text"] == "Hello."
        client.say_text("ld!")
        heard = client.hear_utterance()
    assert (heard[0]["sentence_text"], heard[0]["sentence_index"]) == ("World!", 1)
    assert heard[-1] == {"type": "session.done", "utterance_index": 0, "total_sentences": 2}


def test_clauses_are_spoken_by_themselves_and_nothing_is_split_by_default(door):
    with served(door) as url:
        for granularity, n_sentences in (({"split_granularity": "clause"}, 3), ({}, 1)):
            with connected(url) as client:
                client.say("session.config", **PCM, **granularity)
                client.say_text("One, two. Three")
                assert client.hear_utterance()[-1]["total_sentences"] == n_sentences


def test_an_empty_utterance_is_done_with_nothing_and_indices_go_on(door):
    with conversing(door, **PCM) as client:
        client.say("input.done")
        assert client.hear() == {"type": "session.done", "utterance_index": 0, "total_sentences": 0}
        client.say_text("  \n ")
        assert client.hear() == {"type": "session.done", "utterance_index": 1, "total_sentences": 0}
        client.say_text("hello")
        heard = client.hear_utterance()
    assert heard[0]["utterance_index"] == heard[-2]["utterance_index"] == heard[-1]["utterance_index"] == 2


def test_utterances_can_be_sent_ahead(door):
    with conversing(door, **PCM) as client:
        for text in ("one", "two", "three"):
            client.say_text(text)
        heard = [client.hear_utterance() for _ in range(3)]
    assert [utterance[0]["sentence_text"] for utterance in heard] == ["one", "two", "three"]
    assert [(utterance[-1]["utterance_index"], utterance[-1]["total_sentences"]) for utterance in heard] == [(0, 1), (1, 1), (2, 1)]


def test_half_a_character_waits_for_the_other_half(door):
    with conversing(door, **PCM) as client:
        client.connection.send('{"type": "input.text", "text": "Hi \\ud842"}')
        client.connection.send('{"type": "input.text", "text": "\\udfb7!"}')
        client.say("input.done")
        assert client.hear_utterance()[0]["sentence_text"] == "Hi \U00020bb7!"
        client.connection.send('{"type": "input.text", "text": "\\ude00"}')
        assert client.hear_error() == "input.text must be valid Unicode text"


# --- whose voice


def test_a_session_speaks_in_the_voice_it_was_configured_with(door):
    door.upload("alice")
    with conversing(door, **PCM, speaker={"id": " ALICE "}) as client:
        client.say_text("hello there")
        named = client.hear_utterance()
        clip = wav(6.0, hz=300)  # more than 128 KiB
        client.say("session.config", **PCM, ref_audio=data_url(clip), ref_text="hm")
        client.say_text("hello there")
        inline = client.hear_utterance()
    assert heard_pitch(pcm(audio_in(named))) == pytest.approx(pitch_of(door.studio.speaker("alice").clip_digest), abs=3)
    assert heard_pitch(pcm(audio_in(inline))) != pytest.approx(heard_pitch(pcm(audio_in(named))), abs=3)


@pytest.mark.parametrize("voice", [{"voice": "Default"}, {"voice": None}, {}])
def test_default_means_no_voice_in_particular(door, voice):
    with conversing(door, **PCM, **voice) as client:
        client.say_text("hello")
        assert audio_in(client.hear_utterance()) == door.speak("hello", response_format="pcm").content


def test_a_model_routes_to_its_engine(open_door):
    with conversing(open_door(FakeEngine(), FakeEngine(OTHER_RATE)), response_format="wav", model="wide") as client:
        client.say_text("hello")
        assert client.hear()["sample_rate"] == 44_100


def test_fields_that_the_engine_cannot_heed_are_named(door):
    with conversing(door, **PCM, instructions="slowly") as client:
        client.say_text("hello")
        assert client.hear_utterance()[-2]["ignored_parameters"] == ["instructions"]


# --- failures


def test_a_failure_on_the_way_discards_the_sentence_and_keeps_the_socket(open_door):
    door = open_door(FakeEngine(fail_at_chunk=2))
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say_text("This fails on its way. So does this.")
        first, second = client.hear_until("audio.done"), client.hear_until("audio.done")
        end = client.hear()
        client.say_text("x")
        later = client.hear_utterance()
    error = of_kind(first, "error")[0]
    assert error["message"] == "Generation failed for utterance 0, sentence 0: The fake engine was told to fail."
    assert (error["partial_audio"], error["action"]) == (True, "discard")
    assert (first[-1]["error"], first[-1]["total_bytes"]) == (True, len(audio_in(first)))
    assert (second[-1]["error"], second[-1]["sentence_index"]) == (True, 1)
    assert end == {"type": "session.done", "utterance_index": 0, "total_sentences": 2}
    assert not later[-2]["error"]


def test_a_failure_before_audio_says_no_word_of_partial_audio(door):
    with conversing(door, **PCM, voice="nobody") as client:
        client.say_text("hello")
        start, error, done, end = client.hear_utterance()
    assert (start["type"], start["sample_rate"]) == ("audio.start", SAMPLE_RATE)
    assert error["message"].startswith("Generation failed for utterance 0, sentence 0: Invalid voice 'nobody'. Supported: default, tone")
    assert "partial_audio" not in error
    assert error["reason_code"] == "speaker_unknown"
    assert (done["error"], done["total_bytes"], end["total_sentences"]) == (True, 0, 1)


def test_chunks_say_when_they_are_heard_and_the_last_has_the_words(open_door):
    with conversing(open_door(FakeEngine(MARKER)), **PCM, word_timestamps=True) as client:
        client.say_text("hello there you")
        start, *chunks, done, _ = client.hear_utterance()
    assert start["word_timestamps"] is True and done["error"] is False
    assert [chunk["chunk_id"] for chunk in chunks] == list(range(len(chunks)))
    assert {"type", "chunk_id", "chunk_start_ms", "chunk_end_ms", "sample_rate", "audio_b64", "timestamps"} == chunks[0].keys()
    assert [chunk["timestamps"] for chunk in chunks[:-1]] == [None] * (len(chunks) - 1) and chunks[-1]["audio_b64"] == ""
    assert [word["word"] for word in chunks[-1]["timestamps"]] == ["hello", "there", "you"]
    assert chunks[-1]["timestamps"][1] == {"word": "there", "start_ms": 300, "end_ms": 550}
    assert chunks[0]["chunk_start_ms"] == 0 and chunks[-1]["chunk_end_ms"] == 750
    assert sum(len(base64.b64decode(chunk["audio_b64"])) for chunk in chunks) == done["total_bytes"]


def test_a_file_is_followed_by_its_words_and_words_that_are_not_found_are_null_with_the_reason(open_door, monkeypatch):
    door = open_door(FakeEngine(MARKER), FakeEngine())
    with conversing(door, response_format="wav", word_timestamps=True, model="marker") as client:
        client.say_text("hello there")
        _, _, words, _, _ = client.hear_utterance()
    assert [word["word"] for word in words["timestamps"]] == ["hello", "there"]
    monkeypatch.setattr(word_aligner, "LEAST_SCORE", 0.0)
    with conversing(door, **PCM, word_timestamps=True, model="fake") as client:
        client.say_text("hello there")
        heard = client.hear_utterance()
    error, last = heard[-4], heard[-3]
    assert (error["type"], error["reason_code"], last["timestamps"]) == ("error", "word_times_unknown", None)


@pytest.mark.parametrize("strict", [False, True])
def test_where_nobody_can_tell_the_words_it_is_an_error(open_door, monkeypatch, strict):
    monkeypatch.setattr(asked_words, "can_align", lambda: False)
    with conversing(open_door(strict_compat=strict), **PCM, word_timestamps=True) as client:
        client.say_text("hello")
        _, error, *_, end = client.hear_utterance()
    message = "word_timestamps=true but the server was launched without --forced-aligner;" if strict else "word_timestamps=true is not"
    assert message in error["message"]
    assert end["type"] == "session.done"


# --- beside that


def test_in_strict_compatibility_a_stream_has_its_own_speed(open_door):
    with served(open_door(strict_compat=True)) as url, connected(url) as client:
        client.say("session.config", **PCM, speed=1.5)
        (error,), _ = client.hear_end()
    assert "WebSocket stream_audio=true currently requires speed=1.0; " in error["message"]


def test_a_speed_that_the_engine_has_is_streamed(door):
    with conversing(door, **PCM, speed=2.0) as client:
        client.say_text("hello there")
        heard = client.hear_utterance()
    assert audio_in(heard) == door.speak("hello there", speed=2.0, response_format="pcm").content


def test_every_sentence_is_written_down(door, caplog):
    with caplog.at_level("INFO", "studio.request"), conversing(door, **PCM, split_granularity="sentence") as client:
        client.say_text("Hello. World!")
        client.hear_utterance()
    lines = [record.getMessage() for record in caplog.records if "delivery=websocket" in record.getMessage()]
    assert len(lines) == 2
    assert all("status=200" in line and "first_audio_ms=" in line and "engine=fake" in line for line in lines)
