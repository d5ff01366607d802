"""The script of a GPU's few minutes: every part is a command, none ends the others, and what was measured is written at once."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from studio.measure.gpu_script import __main__ as script
from studio.measure.gpu_script.plan import GpuPart, gpu_plan
from studio.measure.gpu_script.report import last_json

PRINTS = "import json, sys; print('| a |\\n| --- |\\n| ' + sys.argv[1] + ' |'); print(json.dumps({'told': sys.argv[1]}))"


@pytest.fixture
def commands(tmp_path, monkeypatch) -> Path:
    """A folder whose modules are parts: one that prints a table and JSON, one that fails, one that never ends."""
    for name, text in {"prints": PRINTS, "fails": "raise SystemExit('no such card')", "hangs": "import time; time.sleep(600)"}.items():
        tmp_path.joinpath(f"part_that_{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(script, "_card", lambda: "A card, driver 1")
    return tmp_path


def run(monkeypatch, folder: Path, parts: list[GpuPart], *arguments: str) -> tuple[int, dict, str]:
    """(exit status, report.json, report.md)."""
    monkeypatch.setattr(script, "gpu_plan", lambda *_: tuple(parts))
    monkeypatch.setattr(sys, "argv", ["gpu_script", "qwen3_tts:0.6B", "--out", str(folder / "out"), *arguments])
    status = script.main()
    out = folder / "out"
    return (
        status,
        json.loads(out.joinpath("report.json").read_text(encoding="utf-8")),
        out.joinpath("report.md").read_text(encoding="utf-8"),
    )


def test_a_part_that_fails_is_told_and_the_next_one_runs_and_rows_of_one_table_stand_together(commands, monkeypatch):
    parts = [
        GpuPart("first", "part_that_prints", ("one",), 60),
        GpuPart("second", "part_that_fails", (), 60),
        GpuPart("third", "part_that_prints", ("two",), 60),
    ]
    status, told, page = run(monkeypatch, commands, parts)
    assert status == 0
    assert [part["outcome"] for part in told["parts"]] == ["done", "ended with 1", "done"]
    assert [part["figures"] for part in told["parts"]] == [{"told": "one"}, None, {"told": "two"}]
    assert "| a |\n| --- |\n| one |\n| two |" in page
    assert "A card, driver 1" in page and "* second: ended with 1." in page and "no such card" in page


def test_a_part_that_takes_too_long_is_stopped_and_what_has_no_time_left_is_not_begun(commands, monkeypatch):
    monkeypatch.setattr(script, "LEAST_SECONDS", 0.05)
    status, told, _ = run(monkeypatch, commands, [GpuPart("hangs", "part_that_hangs", (), 0.1)])
    assert (status, told["parts"][0]["outcome"]) == (1, "stopped after 0 s")
    _, told, _ = run(monkeypatch, commands, [GpuPart("late", "part_that_prints", ("x",), 60)], "--seconds", "0")
    assert told["parts"][0]["outcome"] == "left out: no time is left"


def test_without_a_gpu_it_says_so_and_the_counts_are_of_the_same_plan(commands, monkeypatch, capsys):
    monkeypatch.setattr(script, "_card", lambda: "")
    part = GpuPart("counted", "part_that_fails", (), 60, rehearsal=("part_that_prints", "counts"))
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, commands, [part])
    assert ended.value.code == 2 and "No NVIDIA GPU" in capsys.readouterr().err
    _, told, _ = run(monkeypatch, commands, [part, GpuPart("timed", "part_that_prints", ("x",), 60)], "--rehearse")
    assert [one["outcome"] for one in told["parts"]] == ["done", "has no counts on a fake GPU"]
    assert told["parts"][0]["figures"] == {"told": "counts"}


def test_every_command_of_the_plan_is_there(tmp_path, monkeypatch, capsys):
    plan = gpu_plan(tmp_path, [("qwen3_tts", "0.6B"), ("qwen3_tts", "1.7B")], [("voxcpm2", "2B"), ("omnivoice", "0.6B")])
    assert all(find_spec(part.module) for part in plan)
    assert all(find_spec(part.rehearsal[0]) for part in plan if part.rehearsal)
    assert len({part.name for part in plan}) == len(plan)
    monkeypatch.setattr(
        sys, "argv", ["gpu_script", "qwen3_tts:0.6B", "qwen3_tts:1.7B", "--others", "voxcpm2:2B", "omnivoice:0.6B", "--list"]
    )
    assert script.main() == 0
    assert len(capsys.readouterr().out.splitlines()) == len(plan) + 1


def test_figures_are_the_last_line_or_the_whole_file():
    assert last_json('table\n{"a": 1}\n') == {"a": 1}
    assert last_json('{\n "a": 1\n}\n') == {"a": 1}
    assert last_json("no figures") is None
