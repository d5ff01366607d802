"""POST /v1/studio/compare: one text in several ways, each as if asked alone, with what was measured of it."""

import csv
import io
import json
import zipfile
from collections import namedtuple
from dataclasses import replace
from types import SimpleNamespace

import pytest

from studio.listening.render import comparison
from tests.api.door import SAMPLE_RATE, error_of, samples_of
from tests.api.speech.batches import audio_of, in_flight
from tests.stand_ins.fake_engine import INFO, FakeEngine

PATH = "/v1/studio/compare"
OTHER = replace(INFO, id="other", title="Other")
LACK = SimpleNamespace(case="missing", fact="It is not here.", hint="Run it.", values={})
Scores = namedtuple("Scores", "overall signal background")


class EarsDouble:
    """Of `studio.ears`: keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def estimates(self, samples, sample_rate, *, text, language, reference):
        self.asked.append((len(samples) / sample_rate, text, language, reference and reference.seconds))
        known = {"likeness": 0.87654 if reference else None, "dnsmos": Scores(3.456, 3.5, 4.0), "distillmos": None}
        return SimpleNamespace(heard="hello", word_errors=1, n_words=2, word_floor=0.05, lacking={"distillmos": LACK}, **known)


@pytest.fixture
def door(open_door):
    return open_door(FakeEngine(), FakeEngine(OTHER))


@pytest.fixture
def heard(door, monkeypatch) -> list:
    """What the ears were asked to estimate."""
    double = EarsDouble()
    monkeypatch.setattr(door.studio.estimators, "estimates", double.estimates)
    return double.asked


def compared(door, *lanes, **fields) -> dict:
    response = door.post(PATH, json={"input": "hello there", "lanes": list(lanes), "loudness": False} | fields)
    assert response.status_code == 200, response.text
    return response.json()


def test_each_lane_is_what_it_would_be_alone_in_its_order_with_its_times(door):
    door.upload("ana")
    lanes = [{"voice": "ana", "label": "A"}, {"voice": "ana", "model": "other", "speed": 2.0}, {"voice": "ana", "seed": 5}]
    answer = compared(door, *lanes)
    assert answer["id"].startswith("compare-") and [answer[name] for name in ("total", "succeeded", "failed")] == [3, 3, 0]
    for index, (lane, result) in enumerate(zip(lanes, answer["results"], strict=True)):
        alone = {name: value for name, value in lane.items() if name != "label"}
        assert audio_of(result) == door.speak("hello there", **alone).content
        assert result["index"] == index and result["ttfp_ms"] > 0 and result["rtf"] > 0
    assert [result.get("label") for result in answer["results"]] == ["A", None, None]
    assert [result["cache"] for result in answer["results"]] == ["miss", "miss", "hit"]
    assert answer["results"][1]["duration_ms"] * 2 == answer["results"][0]["duration_ms"]


def test_lanes_of_one_engine_take_turns(open_door):
    seen = []
    door = open_door(FakeEngine(before_chunk=lambda index: seen.append(in_flight(door))))
    assert compared(door, {}, {}, {})["succeeded"] == 3
    assert set(seen) == {1}


def test_what_fails_in_one_lane_is_told_there_and_the_others_are_heard(door):
    lanes = [{}, {"voice": "nobody"}, {"model": "nope"}, {"stream": True, "extra_params": {"tempo": 2}}, {"stream": True}]
    answer = compared(door, *lanes)
    assert [answer[name] for name in ("total", "succeeded", "failed")] == [5, 2, 3]
    told = [(result["status"], result.get("reason_code")) for result in answer["results"]]
    assert told[:3] == [("success", None), ("error", "speaker_unknown"), ("error", "engine_unknown")] and told[3][0] == "error"
    assert answer["results"][1]["error"] == error_of(door.speak(voice="nobody"))["message"]
    assert answer["results"][4]["warning"] == "Not heeded by a comparison: stream."
    assert all(result["reason_code"] == "text_unspeakable" for result in compared(door, {}, {}, input=" ")["results"])


def test_the_whole_is_refused_where_it_is_no_comparison(door):
    for lanes in ([], [{}], [{}] * 7):
        response = door.post(PATH, json={"input": "hello", "lanes": lanes})
        assert response.status_code == 400 and "lanes" in error_of(response)["message"]
    assert door.post(PATH, content=b"{}", headers={"content-type": "text/plain"}).status_code == 400
    assert door.post(PATH, json={"lanes": [{}, {}]}).status_code == 400


def test_language_and_format_are_those_of_all_lanes_that_say_no_other(door):
    results = compared(door, {}, {"language": "en", "response_format": "wav"}, language="de", response_format="flac")["results"]
    assert [result["media_type"] for result in results] == ["audio/flac", "audio/wav"]
    assert [options["language"] for options in door.engine.options] == ["de", "en"]


def test_estimates_are_of_the_lane_its_text_and_the_voice_s_recording(door, heard):
    door.upload("ana")
    first, second = compared(door, {"voice": "ana"}, {"language": "de"}, measures=True)["results"]
    seconds = first["duration_ms"] / 1000
    assert heard == [(seconds, "hello there", None, 1.5), (seconds, "hello there", "de", None)]
    assert first["estimates"] == {
        "likeness": 0.877,
        "word_errors": 1,
        "n_words": 2,
        "word_floor": 0.05,
        "heard": "hello",
        "dnsmos": {"overall": 3.46, "signal": 3.5, "background": 4.0},
        "distillmos": None,
        "lacking": {"distillmos": {"reason_code": "missing", "message": "It is not here.", "hint": "Run it.", "values": {}}},
    }
    assert second["estimates"]["likeness"] is None and "lufs" not in first
    assert "estimates" not in compared(door, {}, {})["results"][0] and len(heard) == 2


def test_loudness_is_that_of_the_sound(door):
    results = compared(door, {}, {"response_format": "pcm", "sample_rate": 16_000}, input="x" * 20, loudness=True)["results"]
    samples = samples_of(audio_of(results[0]))[0]
    assert results[0]["lufs"] == pytest.approx(comparison.loudness_of(samples, SAMPLE_RATE), abs=0.01)
    assert results[1]["lufs"] == pytest.approx(results[0]["lufs"], abs=0.1)  # which is measured at another rate


def test_of_what_is_longer_than_is_measured_nothing_is_kept(door, heard, monkeypatch):
    monkeypatch.setattr("studio.api.routes.compare.MOST_MEASURED_SECONDS", 0.2)
    first, second = compared(door, {}, {"speed": 4.0}, measures=True)["results"]
    assert "estimates" not in first and second["estimates"]["heard"] == "hello"


def test_a_comparison_is_one_archive_of_sounds_and_of_what_made_them(door, heard):
    door.upload("ana")
    lanes = [{"voice": "ana", "seed": 5, "label": "=1+1"}, {"voice": "nobody"}, {"voice": "ana", "model": "other", "speed": 2.0}]
    asked = {"input": "hello there", "lanes": lanes, "measures": True, "archive": True}
    answer = door.post(PATH, json=asked)
    assert answer.headers["content-type"] == "application/zip" and int(answer.headers["content-length"]) == len(answer.content)
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None and archive.namelist() == ["figures.json", "figures.csv", "A.wav", "C.wav"]
    alone = door.speak("hello there", voice="ana", model="other", speed=2.0).content
    assert archive.read("C.wav") == alone
    told = json.loads(archive.read("figures.json"))
    first, failed, fast = told["lanes"]
    assert told["text"] == "hello there" and (first["voice"], first["engine"], first["seed"]) == ("ana", "fake", 5)
    assert fast["options"]["speed"] == 2.0 and fast["ttfp_ms"] > 0 and fast["rtf"] > 0 and fast["word_errors"] == 1
    assert failed["file"] is None and failed["error"] == error_of(door.speak(voice="nobody"))["message"]
    rows = list(csv.DictReader(io.StringIO(archive.read("figures.csv").decode())))
    assert [row["file"] for row in rows] == ["A.wav", "", "C.wav"] and rows[0]["label"] == "'=1+1"
    assert float(rows[0]["length_seconds"]) == 2 * float(rows[2]["length_seconds"])


def test_each_lane_has_a_line_in_the_request_log(door, caplog):
    with caplog.at_level("INFO", "studio.request"):
        compared_id = compared(door, {}, {"voice": "nobody"})["id"]
    lines = sorted(record.getMessage() for record in caplog.records if "delivery=" in record.getMessage())
    assert [line.split(" ")[:2] for line in lines] == [[f"id={compared_id}-0", "status=200"], [f"id={compared_id}-1", "status=400"]]
