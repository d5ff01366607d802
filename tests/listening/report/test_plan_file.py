"""Claims about plan files: what they say, what they may not name, and how what is wrong is told."""

import json

import pytest

from studio.listening.report import plan_file
from studio.listening.report.plan_file import MOST_PLAN_BYTES, PlannedSound, read_plan, recording_of
from studio.listening.report.unreadable import PlanFileUnreadable

# The example of the module itself.
EXAMPLE = "\n".join(line[4:] for line in plan_file.__doc__.splitlines() if line.startswith("    "))
HEAD = "name: x\nmethod: ab\n"
UPLOADED = HEAD + "texts: [a]\nsystems: [{id: s, source: files}]\n"


def written(tmp_path, text: str):
    file = tmp_path / "plan.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_example_is_a_plan_with_its_recordings(tmp_path):
    found = read_plan(written(tmp_path, EXAMPLE))
    assert [system.id for system in found.plan.systems] == ["ours", "theirs"]
    assert found.plan.texts[1] == "The train leaves at 7:45."
    assert found.uploads == (PlannedSound("theirs", 0, "theirs/1.wav"), PlannedSound("theirs", 1, "theirs/2.wav"))


def test_json_is_read_too_with_tabs_in_it(tmp_path):
    told = {"name": "x", "method": "mos", "systems": [{"id": "s", "voice": "Rosa"}], "texts": ["a"]}
    assert read_plan(written(tmp_path, json.dumps(told, indent="\t"))).plan.systems[0].speaker == "Rosa"


def test_a_reference_of_files_brings_its_recordings(tmp_path):
    text = HEAD.replace("ab", "mushra") + "texts: [a, b]\nreference: {source: files}\nfiles: {reference: [1.wav, 2.wav]}"
    assert read_plan(written(tmp_path, text)).uploads == (PlannedSound("reference", 0, "1.wav"), PlannedSound("reference", 1, "2.wav"))


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("name: x\nmethod: best", "method", "'best'"),
        (HEAD + "systems: [{id: a}, {id: B}]", "systems.1.id", "'B'"),
        (HEAD + "listeners: 0", "listeners", "greater than or equal to 1"),
        (HEAD + "listener: 3", "listener", "not permitted"),
        ("name: [x\nmethod: ab", "line 2, column 7", "YAML"),
        ("- name: x", "name", "names and values"),
        ("a: &a [x]\nb: *a", None, "reference"),
        (UPLOADED, "files", "its uploaded systems: s: they are nothing"),
        (UPLOADED + "files: {s: [1.wav], other: [1.wav]}", "files", "other"),
        (UPLOADED + "files: {s: [1.wav, 2.wav]}", "files.s", "recordings (2) than there are texts (1)"),
        *((UPLOADED + f"files: {{s: [{path!r}]}}", "files.s.0", "no path below") for path in ("../a.wav", "/a.wav", "a/../../b.wav")),
        *((UPLOADED + f"files: {{s: ['{path}']}}", "files.s.0", "no path below") for path in ("C:\\a.wav", "http://a/b.wav", "a\\..\\b")),
        (UPLOADED + "files: {s: [3]}", "files.s.0", "no path below"),
        *(("[" * n + "]" * n, None, "20 deep") for n in (65, 600, 2_000, 100_000)),
        ("#" * (MOST_PLAN_BYTES + 1), None, "1.0 MB are the limit"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, place, told):
    with pytest.raises(PlanFileUnreadable) as raised:
        read_plan(written(tmp_path, text))
    assert raised.value.parameter == place
    assert told in raised.value.fact and raised.value.hint


def test_a_recording_is_found_in_the_folder_and_nowhere_else(tmp_path):
    folder = tmp_path / "plan"
    (folder / "a").mkdir(parents=True)
    (folder / "a/1.wav").write_bytes(b"x")
    (tmp_path / "secret.wav").write_bytes(b"x")
    (folder / "out.wav").symlink_to(tmp_path / "secret.wav")
    assert recording_of(PlannedSound("s", 0, "a/1.wav"), folder).read_bytes() == b"x"
    for path in ("out.wav", "../secret.wav", "a", "b.wav"):
        with pytest.raises(PlanFileUnreadable, match="no recording"):
            recording_of(PlannedSound("s", 0, path), folder)
