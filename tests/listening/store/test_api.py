"""Claims about listening tests through the API: from a plan to a report, and what is refused with which status."""

import io
import json
import zipfile

import pytest

from studio.api.app import build_api
from tests.api.door import Door, error_of, eventually, wav
from tests.listening.store.made_tests import finish

ALL = "/v1/studio/tests"
PLAN = {
    "name": "Two files",
    "method": "ab",
    "systems": [{"id": "theirs", "source": "files"}, {"id": "ours", "source": "files", "label": "Ours"}],
    "texts": ["The bus leaves at ten past seven.", "Who told you that?"],
    "language": "en",
    "headphones": False,
}
SOUNDS = [wav(0.8, rate=8000, hz=hz) for hz in (300.0, 500.0)]


def sent(door, plan: dict) -> str:
    """The path of a draft to which all its files have been sent."""
    one = f"{ALL}/{door.post(ALL, json=plan).json()['id']}"
    for system, sound in zip(("theirs", "ours"), SOUNDS, strict=True):
        for text in range(2):
            answer = door.request("PUT", f"{one}/sounds/{system}/{text}", content=sound)
            assert answer.status_code == 200, answer.text
    return one


def rendered(door, one: str) -> dict:
    assert door.post(f"{one}/render").status_code == 200
    assert eventually(lambda: not door.get(one).json()["progress"]["running"])
    return door.get(one).json()


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    door = Door(tmp_path_factory.mktemp("tests"))
    door.app = build_api(door.studio, sentences=lambda language: (language, lambda key, values: f"{language}:{key}"))
    yield door
    door.close()


@pytest.fixture(scope="module")
def closed(door):
    """A test that one listener has heard, who likes the second system; with what the API said on the way."""
    one = sent(door, PLAN | {"training": False, "screening": {}})
    draft = rendered(door, one)
    opened = door.post(f"{one}/freeze").json()
    hidden = [door.get(f"{one}/{part}") for part in ("votes", "findings", "report", "sounds")]
    listening = door.studio.listening
    items = {item.id: item.system for item in listening.test(draft["id"]).items}
    session = listening.begin(draft["id"])
    for trial in session.trials:
        mine = next(slot.label for slot in trial.slots if items[slot.item] == "ours")
        finish(listening, draft["id"], type(session)(session.token, "", 1, (trial,)), mine)
    return {"path": one, "draft": draft, "opened": opened, "hidden": hidden, "closed": door.post(f"{one}/close").json()}


@pytest.mark.slow
def test_a_program_takes_a_test_from_plan_to_results(door, closed):
    draft, opened = closed["draft"], closed["opened"]
    assert (draft["state"], draft["sounds"], draft["progress"]["failure"], draft["frozen_hash"]) == ("draft", 4, None, "")
    assert {(upload["system"], upload["text"]) for upload in draft["uploads"]} == {(s, t) for s in ("theirs", "ours") for t in (0, 1)}
    assert draft["checks"] and draft["plan"]["systems"][1]["label"] == "Ours"
    assert (opened["state"], len(opened["frozen_hash"]), opened["listen"]) == ("open", 64, draft["listen"])
    assert [entry["event"] for entry in closed["closed"]["log"]] == ["created", "frozen", "opened", "closed"]
    assert (closed["closed"]["listeners_begun"], closed["closed"]["listeners_done"]) == (1, 1)
    [row] = [test for test in door.get(ALL).json()["tests"] if test["id"] == draft["id"]]
    assert row.items() <= closed["closed"].items()


def test_results_are_hidden_while_the_test_is_open(closed):
    for answer in closed["hidden"]:
        assert (answer.status_code, error_of(answer)["reason_code"]) == (409, "results_hidden")


def test_votes_come_as_json_and_as_csv(door, closed):
    votes = door.get(f"{closed['path']}/votes").json()["votes"]
    assert [(vote["listener"], vote["system"], vote["other"], vote["score"]) for vote in votes] == [("L01", "theirs", "ours", 0.0)] * 2
    csv = door.get(f"{closed['path']}/votes?format=csv")
    assert csv.headers["content-type"].startswith("text/csv") and csv.text.count("\r\n") == 3


def test_findings_report_and_sounds_are_handed_out(door, closed):
    told = door.get(f"{closed['path']}/findings").json()
    assert told["n_votes"] == 2 and told["findings"]["pairs"][0]["wins"] == 0.0
    report = door.get(f"{closed['path']}/report?language=de")
    assert report.headers["content-type"].startswith("text/html") and "de:report_results" in report.text
    answer = door.get(f"{closed['path']}/sounds")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert sorted(name.rpartition(".")[2] for name in archive.namelist()) == ["csv", "txt", "wav", "wav", "wav", "wav"]
    assert not any(name in str(answer.headers) for name in ("theirs", "Two files"))


def test_each_refusal_has_its_status_and_says_why(door, closed):
    one, draft = closed["path"], f"{ALL}/{door.post(ALL, json=PLAN).json()['id']}"
    asked = [
        ("GET", f"{ALL}/nothing", {}, 404, "test_unknown"),
        ("DELETE", f"{ALL}/nothing", {}, 404, "test_unknown"),
        ("PUT", one, {"json": PLAN}, 409, "test_frozen"),
        ("POST", f"{one}/render", {}, 409, "test_frozen"),
        ("POST", f"{one}/freeze", {}, 409, "test_frozen"),
        ("PUT", f"{one}/sounds/ours/0", {"content": SOUNDS[0]}, 409, "test_frozen"),
        ("POST", f"{draft}/freeze", {}, 409, "test_not_ready"),
        ("POST", f"{draft}/close", {}, 409, "test_not_open"),
        ("PUT", f"{draft}/sounds/nobody/0", {"content": SOUNDS[0]}, 400, "sound_unusable"),
        ("PUT", f"{draft}/sounds/ours/0", {"content": b"no sound"}, 400, "audio_undecodable"),
        ("PUT", draft, {"json": PLAN | {"colour": "red"}}, 400, "schema_invalid"),
        ("POST", ALL, {"json": PLAN | {"name": "x" * 121}}, 400, "schema_invalid"),
        ("POST", ALL, {"json": PLAN | {"systems": [{"id": f"s{n}"} for n in range(25)]}}, 400, "plan_unusable"),
    ]
    for method, path, content, status, code in asked:
        answer = door.request(method, path, **content)
        assert (answer.status_code, error_of(answer)["reason_code"]) == (status, code), (method, path, answer.text)
        assert error_of(answer).get("hint") or code == "schema_invalid"


@pytest.mark.slow
def test_a_draft_is_changed_stopped_unblinded_and_deleted(door):
    one = sent(door, PLAN)
    assert rendered(door, one)["sounds"] == 4
    changed = door.request("PUT", one, json=PLAN | {"name": "Three", "texts": PLAN["texts"][:1]}).json()
    assert (changed["name"], changed["sounds"]) == ("Three", 0)
    assert door.delete(f"{one}/render").status_code == 200
    rendered(door, one)
    assert door.post(f"{one}/freeze").status_code == 200
    unblinded = door.post(f"{one}/unblind?who=Ann").json()
    assert unblinded["unblinded"] and unblinded["log"][-1]["details"] == {"who": "Ann"}
    assert door.delete(one).json()["deleted"] and door.get(one).status_code == 404


def test_a_test_is_copied_as_a_draft_and_a_check_says_what_mends_it(door, closed):
    copy = door.post(f"{closed['path']}/copy").json()
    assert (copy["state"], copy["sounds"], copy["listeners_begun"]) == ("draft", 4, 0) and copy["id"] not in closed["path"]
    assert len(copy["uploads"]) == 4 and copy["plan"]["texts"] == PLAN["texts"]
    alone = door.request("PUT", f"{ALL}/{copy['id']}", json=copy["plan"] | {"systems": copy["plan"]["systems"][:1]}).json()
    [check] = [check for check in alone["checks"] if check["key"] == "systems"]
    assert check["mends"][0] == {"key": "rate_alone", "patch": {"method": "mos"}, "values": {}, "remakes": True}
    one = f"{ALL}/{copy['id']}"
    assert door.request("PUT", one, json=alone["plan"] | check["mends"][0]["patch"]).status_code == 200
    rendered(door, one)
    assert door.post(f"{one}/freeze").json()["state"] == "open"


def test_a_rendering_that_fails_says_which_system_and_which_text(door):
    plan = PLAN | {"systems": [{"id": "a", "voice": "Nobody", "label": "Mine"}, {"id": "b", "voice": "tone"}]}
    failure = rendered(door, f"{ALL}/{door.post(ALL, json=plan).json()['id']}")["progress"]["failure"]
    assert failure["reason_code"] == "speaker_unknown" and failure["values"].items() >= {"system": "Mine", "text": 1}.items()


@pytest.mark.slow
def test_who_deletes_a_voice_is_told_which_tests_name_it_and_may_delete_them(door):
    plan = PLAN | {"systems": [{"id": "a", "voice": "Alice"}, {"id": "b", "voice": "tone"}]}
    for choice, remains in (("", True), ("?tests=keep", True), ("?tests=delete", False)):
        door.upload("alice")
        one = door.post(ALL, json=plan).json()
        answer = door.delete(f"/v1/audio/voices/Alice{choice}").json()
        [told] = [test for test in answer["tests"] if test["id"] == one["id"]]
        assert (told["name"], told["state"], told["deleted"]) == ("Two files", "draft", not remains)
        assert (door.get(f"{ALL}/{one['id']}").status_code == 200) is remains
    door.upload("carol")
    assert "tests" not in door.delete("/v1/audio/voices/carol").json()
    assert door.delete("/v1/audio/voices/carol?tests=maybe").status_code == 400


def test_a_voice_goes_whatever_became_of_the_file_of_tests(tmp_path):
    door = Door(tmp_path)
    (tmp_path / "listening").mkdir()
    (tmp_path / "listening" / "tests.sqlite").write_bytes(b"no database" * 100)
    door.upload("alice"), door.upload("bob")
    assert door.delete("/v1/audio/voices/alice").json()["deleted"]
    refused = door.delete("/v1/audio/voices/bob?tests=delete")
    assert (refused.status_code, error_of(refused)["reason_code"]) == (503, "tests_unreadable")
    assert door.get("/v1/audio/voices").json()["uploaded_voices"] == []
    assert door.get(ALL).status_code == 503
    door.close()


@pytest.mark.slow
def test_strictly_compatible_answers_stay_as_they_are(tmp_path):
    door = Door(tmp_path, strict_compat=True)
    door.upload("alice")
    door.post(ALL, json=PLAN | {"systems": [{"id": "a", "voice": "alice"}]})
    assert set(door.delete("/v1/audio/voices/alice").json()) == {"success", "message"}
    door.close()


@pytest.mark.slow
def test_the_document_says_what_a_plan_is_and_what_comes_back(door):
    document = door.get("/openapi.json").json()
    operations = {(method, path) for path, methods in document["paths"].items() for method in methods if path.startswith(ALL)}
    assert len(operations) == 20
    assert set(document["components"]["schemas"]["PlanBody"]["properties"]) >= {"method", "systems", "texts", "other_voice"}
    for method, path in operations:
        responses = document["paths"][path][method]["responses"]
        assert {"200", "401"} <= set(responses) and next(iter(responses["200"]["content"].values()))["schema"] not in ({}, None)
    assert json.dumps(document)
