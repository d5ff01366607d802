"""Figures of the fleet: what is measured counts before any roofline, each says which it is, and a plan has two ends."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from studio.measure.fleet import __main__ as command
from studio.measure.fleet import known_figures
from studio.measure.fleet.known_figures import KNOWN, engine_of_figures, known_engines

DIARY = Path(known_figures.__file__).parents[1] / "DIARY.md"
MEASURED = {"Qwen3-TTS 0.6B": 62.8, "VoxCPM2": 49.1, "Fish Audio S2 Pro": 27.4, "Voxtral 4B": 73.0, "OmniVoice (width 4)": 39.5}  # at eight


def diary_table() -> dict[str, dict[str, str]]:
    """What the diary's entry of a real GPU measured, by engine and column."""
    entry = DIARY.read_text(encoding="utf-8").split("**2026-11-28, a real GPU.**")[1].split("**2026-", 1)[0]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in entry.splitlines() if line.startswith("|")]
    return {cells[0]: dict(zip(lines[0][1:], cells[1:], strict=True)) for cells in lines[2:]}


def entries(name: str) -> Mapping[str, list[Mapping]]:
    data = json.loads(KNOWN.read_text(encoding="utf-8"))
    return data["figures"] | data["engines"][name]["figures"]


def changed(tmp_path: Path, change: Callable[[dict], None]) -> Path:
    """The known figures in a file of their own, changed."""
    data = json.loads(KNOWN.read_text(encoding="utf-8"))
    change(data["engines"])
    file = tmp_path / "costs.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_every_engine_that_the_diary_measured_is_planned_by_its_very_figures():
    table, engines = diary_table(), known_engines()
    assert {name: float(table[name]["eight"]) for name in MEASURED} == MEASURED
    for name, measured in table.items():
        (engine,) = [engine for engine in engines.values() if engine.title.startswith(name.split(" (")[0])]
        assert engine.pace.basis == engine.figures["first_audio_seconds"].basis == "measured", name
        assert engine.pace.device == "H100" and "DIARY 2026-11-28, a real GPU" in engine.pace.source
        assert 1 / engine.better.rate(8) == pytest.approx(float(measured["eight"]), abs=1e-9)
        assert 1 / engine.worse.rate(1) == pytest.approx(float(measured["audio, one stream"]), abs=1e-9)
        assert 1000 * engine.worse.first_audio_seconds == pytest.approx(float(measured["first audio"].split()[0]), abs=1e-9)


def test_no_roofline_counts_where_there_is_a_measured_figure():
    for name, engine in known_engines().items():
        known = entries(name)
        assert engine.figures.keys() == known.keys()
        for of_what, figure in engine.figures.items():
            bases = [entry["basis"] for entry in known[of_what]]
            assert set(bases) <= {"measured", "roofline", "estimate"} and len(set(bases)) == len(bases)
            assert all(entry["source"] and entry["device"] for entry in known[of_what])
            assert figure.basis == ("measured" if "measured" in bases else bases[0]), (name, of_what)


def test_a_roofline_counts_once_nothing_else_is_known_whatever_the_order(tmp_path):
    def without(engines: dict) -> None:
        steps = engines["qwen3_tts"]["figures"]["step_seconds"]
        steps[:] = [entry for entry in steps if entry["basis"] == "roofline"]
        engines["voxcpm2"]["figures"]["step_seconds"].reverse()

    engines = known_engines(changed(tmp_path, without))
    assert (engines["qwen3_tts"].pace.basis, engines["voxcpm2"].pace.basis) == ("roofline", "measured")


def test_the_worse_end_of_a_roofline_is_what_gpus_made_of_the_kindest_one(tmp_path):
    """VoxCPM2 was counted at 8 x 0.16 s in 6.5 ms, and measured at 49.1 audio seconds a second."""
    engine = known_engines()["cosyvoice3"]
    assert engine.pace.basis == "roofline" and engine.too_kind == pytest.approx(8 * 0.16 / 0.0065 / 49.1)
    assert engine.worse.step(8) == pytest.approx(engine.pace.worse[8] * engine.too_kind)
    assert engine.better.step(8) == engine.pace.better[8] < engine.pace.worse[8]
    known = known_engines()["qwen3_tts"]
    assert known.worse.step(8) == known.pace.worse[8]  # measured: as it is
    assert known.worse.extract_seconds == pytest.approx(known.figures["extract_seconds"].worse * engine.too_kind)

    def without(engines: dict) -> None:
        for entry in engines.values():
            steps = entry["figures"]["step_seconds"]
            steps[:] = [figure for figure in steps if figure["basis"] != "measured"] or steps

    assert known_engines(changed(tmp_path, without))["cosyvoice3"].too_kind == 1.0  # nothing to hold rooflines against


def test_a_plan_has_two_ends_and_says_what_each_figure_rests_on(capsys):
    assert command.main(["--engine", "omnivoice", "--listeners", "60", "--routing", "affinity"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    (fleet,) = json.loads(last)["fleets"]
    least, enough = fleet["replicas"]
    assert 1 < least < enough and fleet["audio_per_second"] == pytest.approx([39.5, 26.0])
    assert least >= 60 / 39.5 - 1 and enough >= 60 / 26
    assert fleet["basis"] == {
        "disk_seconds": "estimate", "step_seconds": "measured", "first_audio_seconds": "measured", "extract_seconds": "roofline",
    }  # fmt: skip
    assert f"| {least} to {enough} |" in lines[2] and "39.5 to 26, measured" in lines[2]
    assert {re.match(r"omnivoice: (\w+) (\w+),", line).groups() for line in lines[3:]} == set(fleet["basis"].items())


def test_figures_that_somebody_measures_replace_known_ones(capsys, tmp_path):
    name, known = next(iter(known_engines().items()))
    figures = {
        "device": "cpu", "frame_seconds": 0.1, "ttfp_seconds": 0.03, "turns": {"audio_per_second": {"1": 5.0}},
        "batched": {"4": {"audio_per_second": {"1": 4.0, "4": 16.0}}}, "machine": {"processor": "toy", "revision": "1"},
    }  # fmt: skip
    engine = engine_of_figures(figures, known)
    costs = engine.worse
    assert (costs.width, costs.step(1), costs.step(4)) == (4, pytest.approx(0.02), pytest.approx(0.025))
    assert (engine.pace.basis, costs.extract_seconds) == ("measured", known.worse.extract_seconds)
    file = tmp_path / "figures.json"
    file.write_text(f"a table\n{json.dumps(figures)}\n")
    assert command.main(["--engine", name, "--listeners", "3", "--figures", str(file), "--routing", "affinity"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["fleets"][0]["replicas"] == [1, 1]
