"""What the scripts of Compare ask: who may speak in a lane, what is measured of its sound, and its star."""

import base64
from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.analysis.dnsmos import DnsmosScores
from studio.analysis.estimates import Estimates, EstimateUnavailable, EstimatorStatus
from studio.listening.render.comparison import MOST_LANES, MOST_MEASURED_SECONDS
from studio.speakers.speaker import Enrollment
from studio.speech.request import SpeechRequest
from studio.ui.programs.compare_tab import lane_choices, measure_lane, star_take
from tests.stand_ins.fake_engine import INFO, FakeEngine

RATE = 24_000
LACK = EstimateUnavailable("missing", "It is not here.", "Run it.", {"command": "make ears"})
TOLD = {"reason_code": "missing", "message": "It is not here.", "hint": "Run it.", "values": {"command": "make ears"}}
OTHER = replace(INFO, id="other", title="Other", presets=(), default_preset=None)
INFOS = {info.id: info for info in (INFO, OTHER)}


class EarsDouble:
    """Of `studio.ears`: keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def statuses(self) -> tuple[EstimatorStatus, ...]:
        return EstimatorStatus("words", LACK), EstimatorStatus("likeness"), EstimatorStatus("loudness", LACK)

    def estimates(self, samples, sample_rate, **about) -> Estimates:
        self.asked.append((len(samples), float(samples.max()), sample_rate, about))
        return Estimates(likeness=0.5, dnsmos=DnsmosScores(3.0, 3.5, 4.0, 3.2), lacking={"words": LACK})

    def close(self) -> None:
        """Nothing to free."""


@pytest.fixture
def studio(open_studio):
    studio = open_studio(infos=INFOS, open_engine=lambda name: FakeEngine(INFOS[name]), warm_uploads=False)
    studio.estimators.close()
    studio.estimators = EarsDouble()
    return studio


def enroll(studio, name: str) -> None:
    tone = 0.3 * np.sin(np.arange(2 * RATE, dtype=np.float32) * 0.05)
    studio.enroll(Enrollment(name, "own", clip=Clip(tone, RATE)))


def lanes_of(studio, *lanes) -> list[tuple]:
    asked = [dict(zip(("voice", "engine"), lane, strict=True)) for lane in lanes]
    return [(lane["voice"], lane["engine"]) for lane in lane_choices(studio, {"lanes": asked})["lanes"]]


def test_there_are_two_lanes_whatever_the_studio_has(studio):
    assert lanes_of(studio) == [("tone", "fake"), ("tone", "fake")]
    enroll(studio, "Ana")
    assert lanes_of(studio) == [("Ana", "fake"), ("Ana", "other")]
    assert lanes_of(studio, ("Ana", "other")) == [("Ana", "other"), ("Ana", "fake")]
    assert lanes_of(studio, ("tone", "fake")) == [("tone", "fake"), ("Ana", "fake")]
    assert lanes_of(studio, (None, None), ("Ana", None)) == [("Ana", "fake"), ("Ana", "fake")]


def test_a_lane_says_what_there_is_to_choose_and_a_voice_that_is_gone_is_named(studio):
    enroll(studio, "Ana")
    first, second = lane_choices(studio, {"lanes": [{"voice": "Ana", "engine": "other"}, {"voice": "Ben", "engine": "fake"}]})["lanes"]
    assert [voice["name"] for voice in first["voices"]] == ["Ana"] and first["title"] == "Other"
    assert {option["name"] for option in first["options"]} == {"seed", "speed"}
    assert (second["voice"], second["gone"]) == (None, "Ben") and [voice["name"] for voice in second["voices"]] == ["Ana", "tone"]


def test_there_are_six_lanes_at_most_and_what_cannot_be_estimated_is_told(studio):
    known = lane_choices(studio, {"lanes": [{}] * 9})
    assert len(known["lanes"]) == known["most_lanes"] == MOST_LANES
    assert known["missing"] == {"words": TOLD}


def test_estimates_are_of_the_samples_and_of_the_voice_s_recording(studio):
    enroll(studio, "Ana")
    samples = np.array([0, 16_384, -32_768], "<i2")
    asked = {"pcm": base64.b64encode(samples.tobytes()).decode(), "sample_rate": RATE, "text": "hello", "voice": "Ana", "language": ""}
    estimates = measure_lane(studio, asked)["estimates"]
    assert estimates["likeness"] == 0.5 and estimates["dnsmos"] == {"overall": 3.0, "signal": 3.5, "background": 4.0}
    assert estimates["distillmos"] is None and estimates["lacking"] == {"words": TOLD}
    (n, peak, rate, about), *_ = studio.estimators.asked
    assert (n, peak, rate) == (3, 0.5, RATE) and about.pop("reference").seconds == 2.0 and about == {"text": "hello", "language": None}
    measure_lane(studio, asked | {"voice": "tone", "language": "de"})
    assert studio.estimators.asked[-1][3] == {"text": "hello", "language": "de", "reference": None}


def test_what_is_no_sound_or_too_long_is_not_listened_to(studio):
    asked = {"sample_rate": 8000, "text": "hello"}
    too_long = base64.b64encode(bytes(2 * int(MOST_MEASURED_SECONDS * 8000) + 2)).decode()
    for more in ({"pcm": ""}, {"pcm": "no base64!"}, {"pcm": "AAAA", "sample_rate": 7}, {"pcm": too_long}):
        assert measure_lane(studio, asked | more) == {"estimates": None}
    assert studio.estimators.asked == []


def test_a_lane_s_take_becomes_a_favorite_and_one_that_went_is_told(studio):
    with studio.speak(SpeechRequest("Hello.", speaker="tone", keep=True)) as speech:
        speech.read_all()
    studio.history.settle()
    entry = studio.history.entries()[0].id
    assert star_take(studio, {"entry": entry, "starred": True}) == {"starred": True} and studio.history.entry(entry).starred
    assert star_take(studio, {"entry": "nothing", "starred": True})["problem"]["code"] == "entry_unknown"
