"""Evaluations through the API: from a plan to results, sounds and files; and what is refused with which status."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from tests.api.door import Door, error_of, eventually, samples_of, wav
from tests.stand_ins.fake_engine import INFO, FakeEngine

ALL = "/v1/studio/evaluations"
OTHER = replace(INFO, id="other", title="Other")
PLAN = {
    "title": "Mine",
    "systems": [{"engine": "fake"}, {"engine": "other", "speed": 0.5, "label": "slow"}],
    "voices": ["tone"],
    "texts": {"lines": ["one two three", "four five six"]},
    "measures": ["loudness", "signal", "speed"],
}


@pytest.fixture
def door(open_door) -> Door:
    return open_door(FakeEngine(), FakeEngine(OTHER))


def begun(door: Door, **fields):
    return door.post(ALL, json=PLAN | fields)


def done(door: Door, **fields) -> str:
    """The path of an evaluation that has ended."""
    answer = begun(door, **fields)
    assert answer.status_code == 201, answer.text
    one = f"{ALL}/{answer.json()['id']}"
    assert eventually(lambda: not door.get(f"{one}/progress").json()["is_running"])
    assert door.get(one).json()["state"] == "done", door.get(one).json()
    return one


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def sent(door: Door, archive: bytes):
    """A plan with the sounds of another system."""
    plan = PLAN | {"systems": [{"engine": "fake"}, {"files": "theirs"}], "begin": False}
    return door.post(ALL, files={"plan": (None, json.dumps(plan)), "files:theirs": ("theirs.zip", archive)})


@pytest.mark.slow
def test_a_plan_becomes_results_cells_and_sounds(door):
    one = done(door)
    row = door.get(ALL).json()["evaluations"][0]
    assert (row["title"], row["n_cells"], row["n_measured"], row["systems"]) == ("Mine", 4, 4, ["fake", "slow"])
    told = door.get(one).json()
    assert told["plan"]["systems"][1]["speed"] == 0.5 and [text["text"] for text in told["plan"]["texts"]] == PLAN["texts"]["lines"]
    results = door.get(f"{one}/results?lang=de").json()
    assert [system["label"] for system in results["systems"]] == ["fake", "slow"] and "lufs" in results["systems"][0]["means"]
    assert next(figure for figure in results["figures"] if figure["name"] == "rtf")["better"] == "less"
    assert {pair["figure"] for pair in results["pairs"]} == {"ttfp_ms", "rtf"}
    cells = door.get(f"{one}/cells?figure=lufs&order=worst&system=fake&count=1").json()
    [cell] = cells["cells"]
    assert (cells["n"], cell["system"], [beside["system"] for beside in cell["beside"]]) == (2, "fake", ["slow"])
    sound = door.get(f"{one}/sounds/{cell['sound']}")
    assert sound.headers["content-type"] == "audio/flac" and len(samples_of(sound.content)[0]) / 24_000 == pytest.approx(cell["seconds"])


@pytest.mark.slow
def test_answers_have_tags_and_sounds_have_ranges(door):
    one = done(door)
    for rest in ("/results", "/cells?count=1"):
        tag = door.get(one + rest).headers["etag"]
        assert door.get(one + rest, headers={"If-None-Match": tag}).status_code == 304
    sound = f"{one}/sounds/{door.get(one + '/cells').json()['cells'][0]['sound']}"
    part = door.get(sound, headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"fLaC")
    assert door.get(sound, headers={"If-None-Match": door.get(sound).headers["etag"]}).status_code == 304


@pytest.mark.slow
def test_the_same_plan_is_the_same_evaluation_and_is_said_once(door):
    first = begun(door, begin=False)
    again = begun(door, begin=False)
    assert (first.status_code, again.status_code) == (201, 200) and first.json()["id"] == again.json()["id"]
    one = f"{ALL}/{first.json()['id']}"
    assert door.post(f"{one}/run").status_code == 202
    assert eventually(lambda: door.get(one).json()["state"] == "done")
    n_texts = len(door.engine.texts)
    assert door.post(f"{one}/run").status_code == 202 and eventually(lambda: not door.get(one).json()["is_running"])
    assert len(door.engine.texts) == n_texts
    assert door.delete(f"{one}/run").json()["progress"]["is_running"] is False
    assert door.delete(one).json()["deleted"] and error_of(door.get(one))["reason_code"] == "evaluation_unknown"


def test_what_it_would_be_is_told_and_nothing_is_kept(door):
    told = door.post(f"{ALL}/expect", json=PLAN | {"texts": {"builtin": {"languages": ["en", "fr"], "n": 2}}}).json()
    assert (told["n_cells"], told["n_texts"]) == (8, 4)
    assert [(one["system"], one["language"]) for one in told["refusals"]] == [("fake", "fr"), ("slow", "fr")]
    assert door.get(ALL).json()["evaluations"] == []


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"systems": [{"engine": "fak"}]}, 404, "engine_unknown"),
        ({"systems": [{}]}, 400, None),
        ({"systems": [{"engine": "fake", "options": {"x": 1}}]}, 400, "option_invalid"),
        ({"voices": ["tonne"]}, 404, "speaker_unknown"),
        ({"voices": []}, 400, "evaluation_incomplete"),
        ({"voices": [{"file": "a.wav"}]}, 400, "evaluation_file_unknown"),
        ({"texts": {"builtin": {"languages": ["tlh"]}}}, 400, "evaluation_language_unknown"),
        ({"texts": None}, 400, "evaluation_incomplete"),
        ({"measures": ["wrods"]}, 400, "evaluation_measure_unknown"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused_whole(door, wrong, status, code):
    answer = begun(door, **wrong)
    assert (answer.status_code, error_of(answer).get("reason_code") if code else None) == (status, code), answer.text
    assert door.get(ALL).json()["evaluations"] == []


def test_recordings_and_sounds_of_others_come_as_a_form(door):
    plan = PLAN | {"systems": [{"engine": "fake"}, {"files": "theirs"}], "voices": [{"file": "anna.wav", "label": "Anna"}], "begin": False}
    archive = zipped(**{"1.wav": wav(1.0), "2.wav": wav(1.5), "notes.txt": b"x"})
    files = {"plan": (None, json.dumps(plan)), "clips": ("anna.wav", wav(3.0)), "files:theirs": ("theirs.zip", archive)}
    answer = door.post(ALL, files=files)
    assert answer.status_code == 201, answer.text
    told = answer.json()
    assert [(voice["label"], voice["has_clip"]) for voice in told["plan"]["voices"]] == [("Anna", True)] and told["n_said"] == 2
    cells = door.get(f"{ALL}/{told['id']}/cells?system=theirs").json()["cells"]
    assert [cell["seconds"] for cell in cells] == [1.0, 1.5]


@pytest.mark.parametrize(
    "archive",
    [
        b"PK no zip at all",
        zipped(**{"../1.wav": wav(1.0)}),
        zipped(**{"/1.wav": wav(1.0)}),
        zipped(**{"a\\..\\1.wav": wav(1.0)}),
        zipped(**{"1.wav": bytes(2_000_000)}),
        zipped(**{"1.wav": wav(1.0), "1.WAV": wav(1.0)}),
    ],
    ids=["no-zip", "up", "root", "backslash", "bomb", "twice"],
)
def test_an_archive_that_could_do_harm_is_refused(door, archive):
    answer = sent(door, archive)
    assert (answer.status_code, error_of(answer)["reason_code"]) == (400, "evaluation_archive_unusable"), answer.text
    assert door.get(ALL).json()["evaluations"] == []


@pytest.mark.slow
def test_it_is_taken_away_as_files_and_held_to_limits(door):
    one = done(door)
    assert door.get(f"{one}/export").json() and door.get(f"{one}/export?format=csv").text.count("\n") == 5
    assert "| slow |" in door.get(f"{one}/export?format=markdown").text
    with zipfile.ZipFile(io.BytesIO(door.get(f"{one}/export?format=zip").content)) as archive:
        assert any(name.endswith("report.html") for name in archive.namelist())
    assert "four five six" in door.get(f"{one}/report?lang=fr").text
    kept = door.post(f"{one}/gate", json={"refused": {"most": 0}}).json()
    broken = door.post(f"{one}/gate", json={"systems": {"slow": {"lufs": {"most": -200}}}}).json()
    assert (kept["passed"], broken["passed"]) == (True, False) and "slow" in broken["lines"][0]["said"]
    refused = door.post(f"{one}/gate", json={"wrods": {"most": 0}})
    assert (refused.status_code, error_of(refused)["reason_code"]) == (400, "evaluation_limits_unusable")
    again = done(door, seeds=[0, 1])
    assert door.get(f"{again}/since/{one.rsplit('/', 1)[1]}").json()["comparison"]["n_cells"] == 2


@pytest.mark.slow
def test_a_listening_test_is_made_of_it(door):
    one = done(door)
    made = door.post(f"{one}/test", json={"n": 1})
    assert made.status_code == 201, made.text
    test = door.get(f"/v1/studio/tests/{made.json()['test']}").json()
    assert (made.json()["n"], test["plan"]["method"], [system["label"] for system in test["plan"]["systems"]]) == (
        1,
        "ab",
        ["fake", "slow"],
    )
    alone = door.post(f"{one}/test", json={"systems": ["fake", "fake"]})
    assert (alone.status_code, error_of(alone)["reason_code"]) == (400, "evaluation_system_unknown")


def test_only_the_owner_begins_one_where_visitors_are_kept_apart(open_door):
    door = open_door(FakeEngine(), workspaces="private", api_keys=("ann:key-of-ann", "key-of-the-owner"))
    ann, owner = ({"Authorization": f"Bearer {key}"} for key in ("key-of-ann", "key-of-the-owner"))
    plan = PLAN | {"systems": PLAN["systems"][:1]}
    refused = door.post(ALL, json=plan, headers=ann)
    assert (refused.status_code, error_of(refused)["reason_code"]) == (403, "owner_only")
    listed = door.get(ALL, headers=ann).json()
    assert (listed["evaluations"], listed["may_begin"]) == ([], False) and listed["why_not"]["reason_code"] == "owner_only"
    own = door.post(ALL, json=plan | {"begin": False}, headers=ann).json()["id"]
    assert door.post(f"{ALL}/{own}/run", headers=ann).status_code == 403
    assert door.get(ALL, headers=owner).json()["may_begin"] is True
    assert door.get(f"{ALL}/{own}", headers=owner).status_code == 404
