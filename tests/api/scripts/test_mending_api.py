"""Words of a take that are mended through the API: what is asked, what comes of it, and what is refused."""

from tests.api.door import Door, error_of, eventually
from tests.api.scripts.test_scripts_api import lines_of, made, said
from tests.stand_ins.fake_engine import EDITOR, FakeEngine

TEXT = "Is anybody there tonight?"


def mended(door: Door, one: str, line: dict, **asked) -> dict:
    answer = door.post(f"{one}/lines/{line['id']}/mend", json=asked)
    assert answer.status_code == 202, answer.text
    assert eventually(lambda: not door.get(f"{one}/progress").json()["is_running"])
    return lines_of(door, one)[0]


def test_words_and_pauses_of_a_take_are_mended_and_it_tells_of_which(open_door):
    door = open_door(FakeEngine(EDITOR))
    one = made(door, TEXT)
    line = said(door, one)[0]
    told = door.get(f"{one}/lines/{line['id']}/takes/{line['chosen']}/words").json()
    assert told["text"] == TEXT and [word["written"] for word in told["words"]] == ["Is", "anybody", "there", "tonight"]
    other = mended(door, one, line, text="Is somebody there tonight?", seed=5)
    take = other["takes"][1]
    assert (other["text"], other["state"], other["chosen"]) == ("Is somebody there tonight?", "said", take["id"])
    assert (take["mended_from"], take["seed"], take["is_stale"]) == ({"take": line["chosen"], "engine": "editor"}, 5, False)
    assert other["takes"][0]["mended_from"] is None
    paused = mended(door, one, other, operations=[{"kind": "pause", "start": 11, "level": 3}], engine="editor")
    assert paused["seconds"] > other["seconds"] + 0.5 and paused["text"] == other["text"]
    undone = door.post(f"{one}/undo").json()["lines"][0]
    assert undone["chosen"] == take["id"]


def test_what_cannot_be_mended_is_refused_with_the_reason(open_door, door, tmp_path):
    one = made(door, TEXT)
    line = said(door, one)[0]

    def refused(asking: Door, script: str, **asked) -> tuple[int, str]:
        answer = asking.post(f"{script}/lines/{lines_of(asking, script)[0]['id']}/mend", json=asked)
        return answer.status_code, error_of(answer)["reason_code"]

    assert refused(door, one, text="Nobody") == (400, "edit_unsupported")
    assert refused(door, one, text="Nobody", take=line["chosen"], more=1) == (400, "schema_invalid")
    editor = open_door(FakeEngine(EDITOR), speakers_dir=tmp_path / "other")
    other = made(editor, TEXT)
    assert refused(editor, other, text="Nobody") == (404, "script_take_unknown")
    said(editor, other)
    assert refused(editor, other, text=TEXT) == (400, "script_mend_refused")
    assert refused(editor, other, operations=[{"kind": "sing"}]) == (400, "edit_invalid")
