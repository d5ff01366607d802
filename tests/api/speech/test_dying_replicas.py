"""Replicas that die in the middle of a speech are not heard, whatever a listener takes: streams, events, files, a socket, many texts."""

import numpy as np
import pytest

from studio.audio.decode import decode_clip
from tests.api.door import events_of, wav
from tests.api.socket.socket_client import PCM, conversing
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, SAMPLE_RATE
from tests.stand_ins.mortal_engine import TAKES, MortalEngine

TEXT = "hello there"
N_CHUNKS = -(-int(len(TEXT) * 0.05 * SAMPLE_RATE) // CHUNK_SAMPLES)
RAW = {"stream_format": "audio"}
WAYS = {
    "raw pcm": RAW | {"response_format": "pcm"},
    "raw wav": RAW | {"response_format": "wav"},
    "raw mp3": RAW | {"response_format": "mp3"},
    "raw opus": RAW | {"response_format": "opus"},
    "events": {"stream": True, "response_format": "pcm"},
    **{name: {"response_format": name} for name in ("pcm", "wav", "flac", "mp3", "opus", "aac")},
}


@pytest.fixture
def both(open_door):
    """A door whose replicas live, and one whose replicas die as its engine is told."""
    return open_door(MortalEngine()), open_door(MortalEngine())


def assert_same_sound(way: str, heard: bytes, alike: bytes) -> None:
    if heard != alike:
        assert "opus" in way  # each Ogg has a number of its own
        np.testing.assert_array_equal(decode_clip(heard).samples, decode_clip(alike).samples)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_listening_gets_what_an_undisturbed_one_gets(both, way, each_chunk_alone):
    calm, stormy = both
    fields = WAYS[way] | {"seed": 7, "speed": 0.5}
    alike = calm.speak(TEXT, **fields)
    for deaths in [(3, 5), (2 * N_CHUNKS, 0)]:
        stormy.engine.deaths, stormy.engine.n_takes = deaths, 0
        heard = stormy.speak(TEXT, **fields)
        assert (heard.status_code, stormy.engine.n_takes) == (200, len(deaths) + 1)
        if way == "events":
            audio = [[data.get("audio") for _, data in events_of(answer.text)] for answer in (heard, alike)]
            assert audio[0] == audio[1] != []
        else:
            assert_same_sound(way, heard.content, alike.content)
    assert {tuple(sorted(options.items())) for options in stormy.engine.options} == {tuple(sorted(calm.engine.options[0].items()))}


def test_a_voice_that_was_just_uploaded_is_what_another_replica_speaks_in(both):
    calm, stormy = both
    stormy.engine.deaths = (4,)
    for door in both:
        door.upload("erin", wav(1.5, hz=300))
    heard, alike = (door.speak(TEXT, voice="erin", response_format="pcm") for door in (stormy, calm))
    assert heard.content == alike.content


def test_texts_that_come_while_others_are_spoken_are_each_whole_on_a_socket(both):
    sounds = []
    for door, deaths in zip(both, [(), (3, 6)], strict=True):
        door.engine.deaths = deaths
        with conversing(door, **PCM, split_granularity="sentence") as client:
            client.say("input.text", text="Hello there. How ")
            first = client.hear_until("audio.done")
            client.say("input.text", text="are you? I am ")
            client.say_text("well, thank you.")
            heard = first + client.hear_utterance()
        assert not [message for message in heard if isinstance(message, dict) and message["type"] == "error"]
        sounds.append(b"".join(message for message in heard if isinstance(message, bytes)))
    assert sounds[0] == sounds[1]
    assert both[1].engine.n_takes == 3 * both[0].engine.n_takes
    assert both[1].engine.n_takes == 3 * TAKES
