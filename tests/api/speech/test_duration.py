"""An engine with a speed and a duration of its own: every door hands both on as they are, and what is expected of a speech goes by them."""

from dataclasses import replace

import pytest

from engines.text.spoken_length import asked_seconds, estimated_seconds, shared_out
from studio.running.zero_gpu.zero_gpu_engine import speaking_seconds
from tests.api.door import Door, Gate, error_of
from tests.api.socket.socket_client import PCM, conversing
from tests.api.speech.batches import results_of
from tests.stand_ins.fake_engine import DURATION, INFO, SAMPLE_RATE, FakeEngine

BOTH = replace(INFO, options=(*INFO.options, DURATION))
STRETCHED = replace(BOTH, options=tuple(option for option in BOTH.options if option.name != "speed"))
TEXT = "hello there"  # 0.55 s of the fake engine
ASKED = {"speed": 2.0, "extra_params": {"duration": 3.0}}


@pytest.fixture
def timed(open_door) -> Door:
    return open_door(FakeEngine(BOTH))


def told(door: Door) -> list[tuple[object, object]]:
    """(speed, duration) of each text since the last call."""
    options, door.engine.options = door.engine.options, []
    return [(one["speed"], one["duration"]) for one in options]


@pytest.mark.usefixtures("gradio_agrees")
@pytest.mark.parametrize("strict", [False, True])
def test_a_native_speed_and_a_duration_go_through_every_door(open_door, strict):
    door = open_door(FakeEngine(BOTH), strict_compat=strict)
    streams = ({}, {"stream_format": "audio"}, {"stream": True})
    answers = [door.speak(TEXT, response_format="pcm", **ASKED, **stream) for stream in streams]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert [len(answer.content) for answer in answers[:2]] == [3 * 2 * SAMPLE_RATE] * 2
    if not strict:  # else a stream of it has no speed, as vLLM-Omni's
        with conversing(door, **PCM, **ASKED) as client:
            client.say_text(TEXT)
            assert sum(len(part) for part in client.hear_utterance() if isinstance(part, bytes)) == 3 * 2 * SAMPLE_RATE
        results_of(door, TEXT, **ASKED)
    assert set(told(door)) == {(2.0, 3.0)}


def test_the_field_of_vllm_omni_means_the_option(timed):
    assert len(timed.speak(TEXT, response_format="pcm", duration_seconds=2).content) == 2 * 2 * SAMPLE_RATE
    assert told(timed) == [(1.0, 2.0)]
    assert error_of(timed.speak(TEXT, duration_seconds=601))["param"] == "duration"


def test_parts_of_a_text_share_the_duration_by_their_length(open_door):
    door = open_door(FakeEngine(replace(BOTH, most_text_characters=20)))
    answer = door.speak("A short one. And one that is longer.", response_format="pcm", extra_params={"duration": 6.0})
    durations = [duration for _, duration in told(door)]
    assert len(durations) > 1 and sum(durations) == pytest.approx(6.0) and durations[0] < durations[1]
    assert len(answer.content) == pytest.approx(6 * 2 * SAMPLE_RATE, abs=8)


def test_a_whole_answer_that_was_asked_to_be_too_long_is_refused_and_a_long_text_may_be_asked_to_be_short(open_door):
    gate = Gate()
    door = open_door(FakeEngine(BOTH, before_chunk=gate), most_audio_seconds=2.0)
    try:  # before its first chunk is awaited
        assert error_of(door.speak(TEXT, extra_params={"duration": 2.5}))["reason_code"] == "answer_too_long"
    finally:
        gate.open()
    assert error_of(door.speak("x" * 60))["reason_code"] == "answer_too_long"
    assert door.speak("x" * 60, extra_params={"duration": 1.0}).status_code == 200


def test_what_is_expected_is_what_was_asked_for_else_goes_by_text_and_speed():
    own = {option.name for option in BOTH.options}
    assert asked_seconds({"duration": 0.0, "speed": 2.0}, own) is None
    assert asked_seconds({"duration": 3, "speed": 2.0}, own) == 3.0  # which a native speed does not change
    assert asked_seconds({"duration": 3, "speed": 2.0}, {option.name for option in STRETCHED.options}) == 1.5
    assert asked_seconds({"duration": 3}, {"seed"}) is None
    assert estimated_seconds(TEXT, {"speed": 2.0}, own) == estimated_seconds(TEXT, {}, own) / 2
    assert speaking_seconds(TEXT, {"duration": 40.0, "speed": 2.0}) == 40
    assert shared_out(4.0, ("...", "..")) == pytest.approx([2.4, 1.6]) and sum(shared_out(4.0, ("", ""))) == 4.0
