"""Claims about `python app.py test`: from a plan file to a report, on the tests of a studio."""

import argparse
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app import main
from engines.errors import EngineError
from studio.commands import listening_tests
from studio.commands.arguments import FORMATS, add_test_commands
from studio.commands.listening_tests import COMMANDS
from studio.listening.plan.plan import METHODS
from studio.listening.report.unreadable import FormatUnfit, PlanFileUnreadable
from studio.listening.report.votes_csv import read_votes_csv, votes_csv
from studio.listening.vote.vote import Vote
from tests.listening.report.sample_tests import say

PLAN = """
screening: {}
name: Low or high
method: ab
texts: [One two., Three four., Five six?, Seven 8., Nine ten., Once more.]
training: false
headphones: false
systems:
  - {id: low, voice: tone, engine: fake}
  - {id: high, label: '=High', source: files}
files:
  high: [1.wav, 1.wav, 1.wav, 1.wav, 1.wav, sub/2.wav]
"""


def options_of(*arguments: object) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_test_commands(parser.add_subparsers())
    return parser.parse_args(["test", *map(str, arguments)])


class Walk:
    """Runs commands on the tests of one studio, as app.py does; `told` is what they printed."""

    def __init__(self, listening):
        self.listening, self.told = listening, []

    def run(self, *arguments: object) -> int:
        options = options_of(*arguments)
        self.told = []
        return COMMANDS[options.part](options, self.listening, say, self.told.append)


@pytest.fixture
def walk(open_studio, monkeypatch) -> Walk:
    monkeypatch.setattr(listening_tests, "LOOK_SECONDS", 0.01)
    return Walk(open_studio().listening)


@pytest.fixture
def folder(tmp_path) -> Path:
    """A plan and its recordings."""
    (tmp_path / "plan/sub").mkdir(parents=True)
    (tmp_path / "plan/plan.yaml").write_text(PLAN, encoding="utf-8")
    for number, name in enumerate(("1.wav", "sub/2.wav"), start=1):
        tone = np.sin(np.arange(24_000) * 0.05 * number).astype(np.float32) * 0.3
        soundfile.write(tmp_path / "plan" / name, tone, 24_000)
    return tmp_path / "plan"


def listen(listening, test_id: str) -> None:
    """Three listeners who always prefer what was uploaded."""
    from studio.listening.plan.design import Answer

    items = {item.id: item for item in listening.test(test_id).items}
    for _ in range(3):
        session = listening.begin(test_id)
        for trial in session.trials:
            labels = [slot.label for slot in trial.slots]
            for slot in trial.slots:
                listening.sound(test_id, slot.sound)
            better = next(slot.label for slot in trial.slots if items[slot.item].system == "high")
            answer = Answer(trial.number, better, dict.fromkeys(labels, 1), dict.fromkeys(labels, 5.0), 3.0)
            listening.answer(test_id, session.token, answer)


@pytest.mark.slow
def test_a_plan_becomes_a_test_that_is_rendered_opened_answered_and_reported(walk, folder, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert walk.run("create", folder / "plan.yaml") == 0
    (test,) = walk.listening.tests()
    assert test.id in walk.told[0] and test.plan.name == "Low or high"
    assert walk.run("open", test.id) == 2 and len(walk.told) > 1, "nothing is rendered yet"
    assert walk.listening.test(test.id).state == "draft"
    assert walk.run("render", test.id) == 0
    assert walk.run("open", test.id) == 0, walk.told
    assert f"/listen/{test.link}" in walk.told[0]
    listen(walk.listening, test.id)
    for hidden in (("report", test.id), *(("export", test.id, "--format", form) for form in FORMATS)):
        with pytest.raises(EngineError, match="hidden"):
            walk.run(*hidden)
    assert not list(Path().iterdir())
    assert walk.run("close", test.id) == 0
    assert walk.run("report", test.id, "--out", "r.html") == 0
    assert "=High" in walk.told[0] and "r.html" in walk.told[-1]
    assert walk.told[0] in Path("r.html").read_text(encoding="utf-8").replace("&#x27;", "'")
    check_exports(walk, test.id)
    assert walk.run("listener", test.id, "L02", "--out", "l.json") == 0
    assert json.loads(Path("l.json").read_text(encoding="utf-8"))["listener"] == "L02"
    assert walk.run("withdraw", test.id, "L02") == 0
    assert {vote.listener for vote in walk.listening.votes(test.id)} == {"L01", "L03"}


def check_exports(walk: Walk, test_id: str) -> None:
    with pytest.raises(FormatUnfit, match=r"P\.808"):
        walk.run("export", test_id, "--format", "p808")
    for form in sorted({*FORMATS} - {"p808"}):
        assert walk.run("export", test_id, "--format", form, "--out", f"out.{form}") == 0
    assert Path("out.tidy").read_text(encoding="utf-8").startswith("listener,system,other,text,score\n")
    votes = read_votes_csv(Path("out.csv").read_bytes().decode())
    assert len(votes) == 18 and votes == walk.listening.votes(test_id) and {vote.score for vote in votes} == {0.0}
    assert json.loads(Path("out.json").read_text(encoding="utf-8"))["test"]["link"] == walk.listening.test(test_id).link
    assert Path("out.webmushra").read_text(encoding="utf-8").count(",incorrect,") == 18
    assert Path("out.pymushra").read_text(encoding="utf-8").count("paired_comparison") == 18
    with zipfile.ZipFile(io.BytesIO(Path("out.zip").read_bytes())) as archive:
        assert len(archive.namelist()) == len(walk.listening.test(test_id).items) + 2
    assert Path("out.listeners").read_text(encoding="utf-8").count("L0") == 3
    assert [file.suffix for file in Path("out.svg").iterdir()] and [file.suffix for file in Path("out.png").iterdir()]


def test_a_webmushra_configuration_becomes_tests_and_says_what_it_loses(walk, folder):
    config = folder / "configs/trains.yaml"
    config.parent.mkdir()
    pages = "[{type: mushra, id: tea, reference: 1.wav, content: Hear, stimuli: {C1: sub/2.wav}}, {type: paired_comparison, id: p,"
    config.write_text(f"testname: Trains\npages: {pages} reference: 1.wav, stimuli: {{C1: sub/2.wav}}}}]", encoding="utf-8")
    assert walk.run("create", config) == 0
    assert sorted(test.plan.method for test in walk.listening.tests()) == ["abx", "mushra"]
    assert any("content" in line for line in walk.told)
    assert {len(walk.listening.uploads(test.id)) for test in walk.listening.tests()} == {2}


def test_a_plan_with_a_recording_that_is_not_there_or_is_none_makes_no_test(walk, folder):
    (folder / "sub/2.wav").write_bytes(b"no sound")
    with pytest.raises(EngineError):
        walk.run("create", folder / "plan.yaml")
    (folder / "sub/2.wav").unlink()
    with pytest.raises(PlanFileUnreadable, match=r"sub/2\.wav"):
        walk.run("create", folder / "plan.yaml")
    assert walk.listening.tests() == ()


def test_a_report_of_votes_alone_needs_no_studio(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("studio.service.Studio", None)
    votes = [
        Vote("abx", f"L{number % 4}", number // 4, "item", "t", "one", "two", 1.0 if number % 8 else 0.0, seconds=3.0)
        for number in range(32)
    ]
    Path("votes.csv").write_bytes(votes_csv(votes).encode())
    assert main(["test", "report", "votes.csv", "--language", "de"]) == 0
    told = capsys.readouterr().out
    assert "28" in told and "32" in told and "report.html" in told
    assert '<html lang="de">' in Path("report.html").read_text(encoding="utf-8")
    mixed = [*votes, Vote("mos", "L0", 9, "item", "t", "one", "", 3.0)]
    Path("mixed.csv").write_bytes(votes_csv(mixed).encode())
    assert main(["test", "report", "mixed.csv"]) == 2
    assert "abx, mos" in capsys.readouterr().err
    assert main(["test", "report", "mixed.csv", "--method", "abx", "--out", "abx.html"]) == 0
    assert main(["test", "report", "nowhere.csv"]) == 2
    assert "nowhere.csv" in capsys.readouterr().err


@pytest.mark.slow
def test_votes_of_a_file_are_screened_by_the_rules_of_a_plan_or_by_a_limit(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scores = {"a": (1, 2, 2, 1, 2), "b": (5, 4, 5, 4, 4)}
    votes = [
        Vote("mos", f"L{listener}", 10 * text + place, "item", f"t{text}", system, "", float(6 - score if listener == 6 else score))
        for listener in range(7)
        for text in range(5)
        for place, system in enumerate(scores)
        for score in [min(5, max(1, scores[system][text] + (listener + text) % 2 * (1 if listener % 2 else -1)))]
    ]
    Path("votes.csv").write_bytes(votes_csv(votes).encode())
    (tmp_path / "plan.yaml").write_text("name: x\nmethod: mos\nscreening: {least_agreement: 0.2}\n", encoding="utf-8")
    (tmp_path / "rules.json").write_text('{"most_quiet": 3}', encoding="utf-8")
    without = main(["test", "report", "votes.csv"]), capsys.readouterr().out
    by_limit = main(["test", "report", "votes.csv", "--exclude-below-agreement", ".3"]), capsys.readouterr().out
    by_plan = main(["test", "report", "votes.csv", "--screening", "plan.yaml"]), capsys.readouterr().out
    assert "With everybody" not in without[1] and {without[0], by_limit[0], by_plan[0]} == {0}
    assert "by 0.3 at least" in by_limit[1] and "by 0.2 at least" in by_plan[1]
    assert by_limit[1].count("With everybody: ") == by_plan[1].count("With everybody: ") == 1
    page = Path("report.html").read_text(encoding="utf-8")
    assert "<h2>With everybody</h2>" in page and "agreement -" in page.replace("−", "-")
    assert main(["test", "report", "votes.csv", "--screening", "rules.json"]) == 2
    assert "most_quiet" in capsys.readouterr().err


def test_the_command_line_knows_every_method():
    for method in METHODS:
        assert options_of("report", "v.csv", "--method", method).method == method
