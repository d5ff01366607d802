"""Scripts through the API: from a text to its sound, and what is refused with which status."""

import base64
import io
import json

import numpy as np
import pytest
import soundfile

from tests.api.door import Door, error_of, eventually, wav

ALL = "/v1/studio/scripts"
TEXT = "# The lighthouse\n\nANNA: Is anybody there?\n\nBEN: Only the wind.\n"
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def made(door: Door, text: str = TEXT, **fields) -> str:
    """The path of a script."""
    answer = door.post(ALL, json={"text": text, "filename": "scene.txt", "title": "The lighthouse"} | fields)
    assert answer.status_code == 201, answer.text
    return f"{ALL}/{answer.json()['id']}"


def lines_of(door: Door, one: str) -> list[dict]:
    return door.get(f"{one}/lines").json()["lines"]


def edit(door: Door, one: str, *edits: dict, **fields):
    return door.post(f"{one}/edits", json={"edits": list(edits)} | fields)


def said(door: Door, one: str, **fields) -> list[dict]:
    """The lines, once they are said."""
    answer = door.post(f"{one}/say", json=fields)
    assert answer.status_code == 202, answer.text
    assert eventually(lambda: not door.get(f"{one}/progress").json()["is_running"])
    return lines_of(door, one)


def test_a_text_becomes_a_script_which_is_listed_read_and_deleted(door):
    answer = door.post(ALL, json={"text": TEXT, "filename": "scene.txt", "title": "Mine"})
    told = answer.json()
    assert (answer.status_code, told["taken_for"], told["title"]) == (201, "dialogue", "Mine")
    assert {member["name"] for member in told["cast"]} >= {"ANNA", "BEN"}
    lines = lines_of(door, f"{ALL}/{told['id']}")
    assert [line["who"] for line in lines if line["kind"] == "line"] == ["ANNA", "BEN"]
    assert {line["state"] for line in lines if not line["is_silent"]} == {"new"} and [line["index"] for line in lines] == [
        *range(len(lines))
    ]
    [row] = door.get(ALL).json()["scripts"]
    assert (row["id"], row["n_lines"], row["n_said"]) == (told["id"], len(lines), 0)
    ids = door.get(f"{ALL}/{told['id']}/line_ids").json()["ids"]
    assert ids == [line["id"] for line in lines]
    assert door.delete(f"{ALL}/{told['id']}").json() == {"id": told["id"], "deleted": True}
    gone = door.get(f"{ALL}/{told['id']}")
    assert (gone.status_code, error_of(gone)["reason_code"]) == (404, "script_unknown")


@pytest.mark.parametrize("way", ["json", "form", "body"])
def test_a_text_comes_as_json_as_a_form_or_as_the_body(door, way):
    sent = {
        "json": {"json": {"text": TEXT, "filename": "scene.txt"}},
        "form": {"files": {"file": ("scene.txt", TEXT.encode(), "text/plain")}, "data": {"title": "Mine"}},
        "body": {"content": TEXT.encode(), "params": {"filename": "scene.txt"}, "headers": {"Content-Type": "text/plain"}},
    }[way]
    looked = door.post(f"{ALL}/read", **sent).json()
    assert (looked["taken_for"], looked["cast"][-2:]) == ("dialogue", ["ANNA", "BEN"]) and door.get(ALL).json()["scripts"] == []
    told = door.post(ALL, **sent).json()
    assert told["n_lines"] == looked["n_lines"] and (told["title"] == "Mine") == (way == "form")


@pytest.mark.parametrize(
    ("sent", "param"),
    [
        ({"json": {"filename": "a.txt"}}, "text"),
        ({"json": {"text": "a", "more": 1}}, "more"),
        ({"content": b"{", "headers": {"Content-Type": "application/json"}}, "body"),
        ({"content": b"\xff{", "headers": {"Content-Type": "application/json"}}, "body"),
        ({"files": {"other": (None, "text")}}, "file"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(door, sent, param):
    refused = door.post(ALL, **sent)
    assert (refused.status_code, error_of(refused)["reason_code"]) == (400, "schema_invalid")
    assert param in error_of(refused)["param"]


def test_edits_are_one_step_which_is_undone_and_refused_where_the_script_moved_on(door):
    one = made(door)
    first = lines_of(door, one)[-1]
    put = {"op": "put", "line": first["id"], "written": {"who": "BEN", "text": "Only the sea."}}
    told = edit(door, one, put, {"op": "insert", "after": first["id"], "lines": [{"text": "It is silent."}]}).json()
    assert {line["text"] for line in told["lines"]} == {"Only the sea.", "It is silent."} and told["is_reordered"]
    assert told["script"]["can_undo"] == 1 and told["script"]["revision"] == told["revision"]
    moved = edit(door, one, put, revision=told["revision"] - 1)
    assert (moved.status_code, error_of(moved)["reason_code"]) == (409, "script_moved")
    undone = door.post(f"{one}/undo").json()
    assert (undone["script"]["can_undo"], undone["script"]["can_redo"]) == (0, 1)
    assert lines_of(door, one)[-1]["text"] == "Only the wind."
    assert door.post(f"{one}/redo").json()["script"]["n_lines"] == told["script"]["n_lines"]
    assert door.post(f"{one}/redo").status_code == 409


def test_words_are_found_and_replaced(door):
    one = made(door)
    found = door.post(f"{one}/find", json={"text": "WIND"}).json()
    assert found["n"] == 1 and found["lines"] == [lines_of(door, one)[-1]["id"]]
    assert door.post(f"{one}/find", json={"text": "WIND", "case": True}).json()["n"] == 0
    told = door.post(f"{one}/replace", json={"text": "wind", "by": "sea"}).json()
    assert [line["text"] for line in told["lines"]] == ["Only the sea."] and told["script"]["can_undo"] == 1


def test_a_script_is_said_and_what_is_edited_afterwards_is_stale_and_alone_said_again(door):
    one = made(door)
    lines = said(door, one)
    assert {line["state"] for line in lines if not line["is_silent"]} == {"said"}
    script = door.get(one).json()
    assert script["n_said"] == len(lines) and script["seconds"] > 0 and script["progress"]["done"] == len(lines)
    n_texts = len(door.engine.texts)
    edit(door, one, {"op": "put", "line": lines[-1]["id"], "written": {"who": "BEN", "text": "Only the sea."}})
    assert [line["state"] for line in lines_of(door, one)][-2:] == ["said", "stale"] and door.get(one).json()["n_stale"] == 1
    again = said(door, one)
    assert again[-1]["state"] == "said" and door.engine.texts[n_texts:] == ["Only the sea."]


def test_a_line_is_said_again_heard_chosen_and_its_take_deleted(door):
    one = made(door)
    line = said(door, one)[-1]
    path = f"{one}/lines/{line['id']}"
    assert door.post(f"{path}/takes", json={"takes": 2, "seed": 7}).status_code == 202
    assert eventually(lambda: not door.get(f"{one}/progress").json()["is_running"])
    takes = lines_of(door, one)[-1]["takes"]
    assert len(takes) == 3 and 7 in [take["seed"] for take in takes] and takes[0]["peaks"] and takes[0]["ttfp_ms"] is not None
    heard = door.get(f"{path}/takes/{takes[1]['id']}/audio")
    samples, rate = soundfile.read(io.BytesIO(heard.content), dtype="int16")
    assert (rate, heard.headers["content-type"]) == (24_000, "audio/wav") and len(samples) == round(takes[1]["seconds"] * rate)
    chosen = door.request("PUT", f"{path}/chosen", json={"take": takes[1]["id"]}).json()
    assert chosen["lines"][0]["chosen"] == takes[1]["id"] and chosen["lines"][0]["index"] == line["index"]
    deleted = door.delete(f"{path}/takes/{takes[1]['id']}").json()["lines"][0]
    assert len(deleted["takes"]) == 2 and deleted["chosen"] != takes[1]["id"]
    for gone in (f"{path}/takes/{takes[1]['id']}/audio", f"{path}/takes/{takes[1]['id']}/words", f"{one}/lines/nobody/takes/x/audio"):
        assert door.get(gone).status_code == 404


def test_changes_tell_what_happened_since_and_nothing_where_nothing_did(door):
    one = made(door)
    token = door.get(f"{one}/lines").json()["token"]
    quiet = door.get(f"{one}/changes?since={token}").json()
    assert (quiet["token"], quiet["lines"], quiet["is_reordered"]) == (token, [], False)
    lines = said(door, one)
    told = door.get(f"{one}/changes?since={token}").json()
    assert told["token"] > token and [line["id"] for line in told["lines"]] == [line["id"] for line in lines]
    assert told["lines"] == lines and not told["is_reordered"]
    edit(door, one, {"op": "delete", "lines": [lines[-1]["id"]]})
    assert door.get(f"{one}/changes?since={told['token']}").json()["is_reordered"]


def test_a_script_is_played_as_a_file_and_as_events_while_it_is_said(door):
    one = made(door)
    answer = door.get(f"{one}/play")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")
    heard = np.frombuffer(answer.content[44:], "<i2")
    assert {line["state"] for line in lines_of(door, one) if not line["is_silent"]} == {"said"}
    events = [json.loads(line) for line in door.get(f"{one}/play?events=1").text.splitlines()]
    assert events[-1] == {"end": True}
    told = np.concatenate([np.frombuffer(base64.b64decode(event["audio"]), "<i2") for event in events[:-1]])
    assert len(told) == len(heard) and np.array_equal(told, heard)
    lines = lines_of(door, one)
    assert [*dict.fromkeys(event["line"] for event in events[:-1])] == [line["id"] for line in lines]
    last = door.get(f"{one}/play?from={lines[-1]['id']}&events=1").text.splitlines()
    assert {json.loads(event).get("line") for event in last[:-1]} == {lines[-1]["id"]}
    assert door.get(f"{one}/play?from=nobody").status_code == 404


def test_what_is_not_said_is_not_exported_unless_it_may_be_left_out(door):
    one = made(door)
    check = door.post(f"{one}/export/check", json={"format": "wav"}).json()
    assert not check["is_ready"] and check["unsaid"] == len(lines_of(door, one))
    refused = door.post(f"{one}/export", json={"format": "wav"})
    assert refused.status_code == 409
    said(door, one)
    answer = door.post(f"{one}/export", json={"format": "wav"})
    samples, _ = soundfile.read(io.BytesIO(answer.content))
    told = json.loads(answer.headers["x-script-export"])
    assert len(samples) / 24_000 == pytest.approx(told["seconds"], abs=0.05)
    assert answer.headers["content-disposition"].startswith('attachment; filename="The lighthouse.wav"')
    subtitles = door.post(f"{one}/export", json={"format": "srt"})
    assert "Only the wind." in subtitles.text
    script = door.post(f"{one}/export", json={"format": "script"})
    again = door.post(ALL, content=script.content, params={"filename": "a.json"}, headers={"Content-Type": "application/json; x"})
    assert again.status_code in (201, 400)


def test_a_cover_is_kept_and_taken_away(door):
    one = made(door)
    assert door.get(f"{one}/cover").status_code == 404
    assert door.request("PUT", f"{one}/cover", content=PNG).json()["has_cover"]
    cover = door.get(f"{one}/cover")
    assert (cover.content, cover.headers["content-type"]) == (PNG, "image/png")
    assert not door.delete(f"{one}/cover").json()["has_cover"]
    assert door.request("PUT", f"{one}/cover", content=b"no picture").status_code == 400


def test_a_copy_has_the_lines_and_takes_of_the_script(door):
    one = made(door)
    lines = said(door, one)
    copy = door.post(f"{one}/copy").json()
    copied = lines_of(door, f"{ALL}/{copy['id']}")
    assert [line["text"] for line in copied] == [line["text"] for line in lines] and copy["n_said"] == len(lines)
    door.delete(one)
    assert door.get(f"{ALL}/{copy['id']}/play").status_code == 200


@pytest.mark.parametrize("scripts", ["keep", "delete"])
def test_what_a_voice_said_stays_or_goes_with_it(door, scripts):
    door.upload("Ana")
    one = made(door)
    edit(door, one, {"op": "cast", "cast": [{"name": "ANNA", "voice": "Ana"}, {"name": "BEN"}]})
    said(door, one)
    assert [row["id"] for row in door.get(f"{ALL}?voice=ana").json()["scripts"]] == [one.rpartition("/")[2]]
    assert door.get(f"{ALL}?voice=other").json()["scripts"] == []
    told = door.delete(f"/v1/audio/voices/Ana?scripts={scripts}").json()
    assert told["scripts"] == [{"id": one.rpartition("/")[2], "title": "The lighthouse", "deleted": scripts == "delete"}]
    anna, ben = (line for line in lines_of(door, one) if line["who"])
    assert bool(anna["takes"]) == (scripts == "keep") and ben["takes"]


@pytest.mark.slow
def test_a_blind_test_of_two_casts_has_the_sounds_of_both(door):
    door.upload("Ana", wav(1.5, hz=300.0))
    one = made(door, "ANNA: Is anybody there at all?\n\nBEN: Only the wind and the sea.\n\nANNA: Then we wait until morning.\n")
    refused = door.post(f"{one}/test", json={"cast": [{"name": "ANNA", "gain_db": 3.0}]})
    assert (refused.status_code, error_of(refused)["reason_code"]) == (400, "casts_alike")
    answer = door.post(f"{one}/test", json={"cast": [{"name": "ANNA", "voice": "Ana"}], "method": "ab"})
    assert answer.status_code == 202, answer.text
    assert eventually(lambda: not door.get(f"{one}/test").json()["progress"]["is_running"])
    assert door.get(f"{one}/test").json()["progress"]["failure"] is None
    test = f"/v1/studio/tests/{answer.json()['test']}"
    assert eventually(lambda: not door.get(test).json()["progress"]["running"])
    told = door.get(test).json()
    assert told["plan"]["texts"] == ["Is anybody there at all?", "Then we wait until morning."] and told["sounds"] == 4
    assert [system["label"] for system in told["plan"]["systems"]] == ["ANNA: default", "ANNA: Ana"]
    assert len(door.get(ALL).json()["scripts"]) == 1
