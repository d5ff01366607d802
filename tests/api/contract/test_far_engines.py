"""Claims about engines that run elsewhere, at every door: out of reach is 503 with a time to come back, and their health is told."""

import shutil
from dataclasses import replace

import pytest

import app
from engines.contract.health import EngineHealth
from engines.contract.speech_end import SpeechEnd
from engines.contract.stream_figures import FAR_TTFP, state
from engines.errors import EngineUnreachable
from studio.server import wait_for_default_engine
from tests.api.door import Gate, error_of, eventually, wav
from tests.api.socket.socket_client import PCM, conversing
from tests.api.speech.batches import results_of
from tests.api.through_gradio import _relayed
from tests.stand_ins.fake_engine import INFO, FakeEngine

FAR = replace(INFO, runs="elsewhere", is_deterministic=False)
HERE = replace(INFO, id="here", title="Here")
FACT = "Fake cannot be reached: its server is gone."


class FarEngine(FakeEngine):
    """is_up: whether anybody answers there."""

    def __init__(self):
        super().__init__(FAR)
        self.is_up = True
        self.told = EngineHealth()

    def health(self):
        return self.told

    def stream(self, text, prompt, options):
        if not self.is_up:
            raise EngineUnreachable(FACT, "Try again in 7 s.", retry_after_seconds=7, engine="Fake")
        state(FAR_TTFP, 0.125)
        yield from super().stream(text, prompt, options)
        return SpeechEnd("ended")


@pytest.fixture
def far(open_door):
    return open_door(FarEngine(), FakeEngine(HERE))


@pytest.mark.parametrize("strict", [False, True])
def test_out_of_reach_is_503_with_a_time_to_come_back_before_anything_is_sent(open_door, strict):
    far = open_door(FarEngine(), strict_compat=strict)
    far.engine.is_up = False
    for more in ({}, {"stream": True}, {"stream": True, "stream_format": "sse"}, {"response_format": "mp3"}):
        response = far.speak(**{"response_format": "pcm"} | more)
        assert (response.status_code, response.headers.get("retry-after")) == (503, "7"), more
        error = error_of(response)
        assert (error["message"], error["hint"], error["reason_code"]) == (FACT, "Try again in 7 s.", "engine_unreachable")
        assert error["values"] == {"engine": "Fake"}


def test_doors_that_have_no_status_say_the_same_and_go_on(far):
    far.engine.is_up = False
    (unreachable, spoken) = results_of(far, "one", {"input": "two", "model": "here"}, model="fake")
    assert (unreachable["error"], unreachable["reason_code"], unreachable["hint"]) == (FACT, "engine_unreachable", "Try again in 7 s.")
    assert spoken["status"] == "success"
    samples, refusal = _relayed(far, {"input": "Hello.", "model": "fake"})
    assert not len(samples) and (refusal["code"], refusal["fact"], refusal["values"]) == ("engine_unreachable", FACT, {"engine": "Fake"})
    with conversing(far, model="fake", **PCM) as client:
        client.say_text("One.")
        (error,) = [one for one in client.hear_utterance() if not isinstance(one, bytes) and one["type"] == "error"]
        assert error["message"].endswith(FACT) and error["reason_code"] == "engine_unreachable"
        far.engine.is_up = True
        client.say_text("Two.")
        assert [one for one in client.hear_utterance() if isinstance(one, bytes)]


def test_an_extraction_out_of_reach_is_no_failure_of_the_voice(far):
    far.upload("alice")
    extract = far.engine.extract

    def unreachable(clip, transcript=None):
        raise EngineUnreachable(FACT)

    far.engine.extract = unreachable
    assert far.speak(voice="alice").status_code == 503
    (row,) = far.studio.matrix.rows().rows
    assert row.statuses[0].state == "none"
    far.engine.extract = extract
    assert far.speak(voice="alice").status_code == 200


def test_the_command_line_says_it_in_one_line(monkeypatch, tmp_path, capsys):
    def unreachable(settings, name):
        raise EngineUnreachable(FACT, "Try again in 7 s.")

    monkeypatch.setattr("studio.assembly.open_from_catalog", unreachable)
    monkeypatch.setenv("SPEAKERS_DIR", str(tmp_path))
    monkeypatch.setenv("STUDIO_DEFAULT_ENGINE", "espeak")
    (tmp_path / "clip.wav").write_bytes(wav(2.0))
    assert app.main(["say", "Hello.", "--clip", str(tmp_path / "clip.wav"), "--out", str(tmp_path / "out.wav")]) == 2
    assert capsys.readouterr().err.strip() == f"{FACT} Try again in 7 s."
    shutil.rmtree(tmp_path / "trash", ignore_errors=True)


def test_what_the_far_side_took_is_a_stage_of_the_answer_and_a_metric(far):
    response = far.speak()
    assert "far;dur=125.00" in response.headers["server-timing"]
    assert 'studio_far_first_audio_seconds_sum{engine="fake"} 0.125' in far.get("/metrics").text


def test_health_and_models_tell_how_well_the_far_side_is(far):
    def told() -> tuple[int, dict]:
        response = far.get("/health")
        return response.status_code, response.json()

    far.studio.load("here")
    assert told()[0] == 503  # the default engine is not open
    far.studio.load()
    assert told() == (200, {"status": "healthy"})
    far.engine.told = EngineHealth("degraded", "One of 2 servers is gone.")
    assert told()[0] == 200
    for path in ("/v1/models/fake", "/v1/models"):
        models = far.get(path).json()
        model = models["data"][0] if "data" in models else models
        assert (model["runs"], model["deterministic"], model["health"], model["reason"]) == (
            "elsewhere",
            False,
            "degraded",
            "One of 2 servers is gone.",
        )
    far.engine.told = EngineHealth("down", "Both servers are gone.")
    status, body = told()
    assert (status, body["reason"]) == (503, "Both servers are gone.")
    assert body["engines"] == {
        "fake": {"state": "ready", "health": "down", "reason": "Both servers are gone."},
        "here": {"state": "ready"},
    }
    assert 'studio_engine_health{engine="fake"} 0.0' in far.get("/metrics").text
    here = far.get("/v1/models/here").json()
    assert (here["runs"], here["deterministic"]) == ("here", True) and "health" not in here


def test_a_default_engine_that_could_not_be_opened_is_unhealthy_though_another_is_ready(far):
    def unreachable(name):
        if name == "fake":
            raise EngineUnreachable(FACT)

    far.before_opening = unreachable
    far.studio.begin_loading()
    far.studio.load("here")
    assert eventually(lambda: far.studio.engines()[0].state == "failed")
    response = far.get("/health")
    assert (response.status_code, response.json()["reason"], response.headers["x-reason-code"]) == (503, FACT, "engine_unreachable")
    assert int(response.headers["retry-after"]) >= 1
    far.before_opening = lambda name: None
    assert far.speak().status_code == 200  # it is tried again for who asks
    assert far.get("/health").status_code == 200


def test_a_studio_starts_without_waiting_for_what_may_be_out_of_reach(far):
    gate = Gate()
    far.before_opening = lambda name: gate()
    far.studio.begin_loading()
    gate.wait_for_arrival()
    wait_for_default_engine(far.studio)
    assert [status.state for status in far.studio.engines()] == ["loading", "idle"]
    gate.open()


def test_the_first_request_is_held_against_what_the_engine_says_when_it_is_open(open_door):
    engine = FarEngine()
    door = open_door(engine)
    language = next(option for option in FAR.options if option.name == "language")
    options = tuple(replace(option, choices=("en", "fr")) if option is language else option for option in FAR.options)
    engine.info = replace(FAR, presets=("tone", "Far Away"), languages=("en", "fr"), options=options)
    assert door.speak(voice="far away", language="fr").status_code == 200
    assert "far away" in [name.casefold() for name in door.get("/v1/audio/voices").json()["voices"]]
