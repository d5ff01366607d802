"""The command `evaluate`: engines, voices and texts become figures in one line; it goes on where it was ended, and tells what it did."""

from dataclasses import replace

import numpy as np
import pytest
import soundfile

from app import _parser
from studio.commands.evaluate import EvaluateCommand
from studio.commands.evaluate_results import GATE_NOT_PASSED
from studio.errors import (
    EngineUnknown,
    EvaluationIncomplete,
    EvaluationLanguageUnknown,
    EvaluationNotBegun,
    EvaluationSystemUnreadable,
    SpeakerUnknown,
)
from studio.words.sentences import sentences_in
from tests.stand_ins.fake_engine import INFO, FakeEngine

WORDS = sentences_in("en").words
OTHER = replace(INFO, id="other", title="Other")
TEXTS = "one two three\nfour five six\n"


def say(key: str, values) -> str:
    return WORDS(f"evaluations.{key}", values)


@pytest.fixture
def engines():
    """Two of them, by id."""
    return {"fake": FakeEngine(), "other": FakeEngine(OTHER)}


@pytest.fixture
def studio(open_studio, engines):
    return open_studio(infos={"fake": INFO, "other": OTHER}, open_engine=engines.__getitem__)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts.txt").write_text(TEXTS, encoding="utf-8")
    return tmp_path


def command(studio, folder, *arguments: str) -> EvaluateCommand:
    words = [word.replace("@", f"{folder}/") for word in arguments]
    return EvaluateCommand(_parser().parse_args(["evaluate", *words]), studio, say)


TWO = ("--engines", "fake", "other", "--voices", "tone", "--texts", "@texts.txt", "--measures", "loudness", "signal", "speed")


def test_one_line_says_measures_and_reports(studio, engines, folder, capsys):
    assert command(studio, folder, *TWO, "--out", "@report", "--markdown").run() == 0
    assert all(set(TEXTS.splitlines()) <= set(engine.texts) for engine in engines.values())
    told = capsys.readouterr()
    assert "2 systems × 1 voices × 2 texts: 4 sounds" in told.out and "report.html" in told.out and "| fake |" in told.out
    assert "Measuring: 4 of 4, 100 %" in told.err
    page = (folder / "report/report.html").read_text(encoding="utf-8")
    assert "four five six" in page and len(list((folder / "report/sounds").rglob("*.flac"))) == 4
    [one] = studio.evaluations.evaluations()
    assert (one.state, one.n_measured) == ("done", 4)
    assert command(studio, folder, "--list").list() == 0 and one.id in capsys.readouterr().out


def test_the_same_command_goes_on_and_says_nothing_twice(studio, engines, folder, capsys):
    command(studio, folder, *TWO).run()
    n_texts = len(engines["fake"].texts)
    capsys.readouterr()
    assert command(studio, folder, *TWO, "--report-only").run() == 0
    assert command(studio, folder, *TWO).run() == 0
    assert "goes on: 4 of 4 are said" in capsys.readouterr().out
    assert len(engines["fake"].texts) == n_texts and len(studio.evaluations.evaluations()) == 1


def test_what_is_wrong_is_told_before_anything_is_kept(studio, folder):
    wrong = {
        ("--engines", "fak", "--voices", "tone"): EngineUnknown,
        ("--engines", "fake", "--voices", "tonne"): SpeakerUnknown,
        ("--engines", "fake:a:b", "--voices", "tone"): EvaluationSystemUnreadable,
        ("--engines", "fake", "--voices", "tone", "--languages", "tlh"): EvaluationLanguageUnknown,
        ("--engines", "fake"): EvaluationIncomplete,
        (): EvaluationIncomplete,
        ("--files", "@nowhere"): FileNotFoundError,
        ("--engines", "fake", "--voices", "tone", "--gate", "@no.yaml"): FileNotFoundError,
        ("--engines", "fake", "--voices", "tone", "--report-only"): EvaluationNotBegun,
    }
    for arguments, error in wrong.items():
        with pytest.raises(error):
            command(studio, folder, *arguments).run()
    with pytest.raises(SpeakerUnknown, match="tonne") as raised:
        command(studio, folder, "--engines", "fake", "--voices", "tonne").run()
    assert raised.value.nearest == ("tone",) and studio.evaluations.evaluations() == ()


def test_the_demo_voice_is_there_without_being_stored(studio, folder, capsys):
    command(studio, folder, "--engines", "fake", "--voices", "demo", *TWO[5:]).run()
    [one] = studio.evaluations.evaluations()
    assert [(voice.id, voice.name, bool(voice.clip)) for voice in one.plan.voices] == [("Demo", None, True)]
    assert studio.speakers() == ()


def test_one_engine_with_two_settings_is_two_systems(studio, folder):
    systems = ("--engines", "fake", "fake:slow:speed=0.5", "fake:language=de")
    command(studio, folder, *systems, "--voices", "tone", *TWO[5:]).run()
    [one] = studio.evaluations.evaluations()
    assert [(system.label, system.options) for system in one.plan.systems] == [
        ("fake", {}),
        ("slow", {"speed": 0.5}),
        ("fake, language de", {"language": "de"}),
    ]


def test_what_cannot_be_measured_here_is_told_once_at_the_beginning(studio, folder, capsys):
    command(studio, folder, *TWO[:-3], "words", "distillmos", "loudness").run()
    told = capsys.readouterr().err
    assert told.count("make ears") == 1 and "words, Distill-MOS" in told.splitlines()[0]


def test_a_voice_that_an_engine_has_not_is_told_and_the_rest_goes_on(open_studio, folder, capsys):
    other = replace(OTHER, presets=("chime",), default_preset="chime")
    engines = {"fake": FakeEngine(), "other": FakeEngine(other)}
    studio = open_studio(infos={"fake": INFO, "other": other}, open_engine=engines.__getitem__)
    assert command(studio, folder, *TWO).run() == 0
    assert "other: tone is built into another engine." in capsys.readouterr().err
    [one] = studio.evaluations.evaluations()
    cells = studio.evaluations.data(one.id).cells
    assert [(cell.key.system, cell.said.sound is not None) for cell in cells] == [("fake", True)] * 2 + [("other", False)] * 2


def test_sounds_of_another_system_are_compared_without_saying_anything(studio, engines, folder, capsys):
    (folder / "theirs").mkdir()
    for number in (1, 2, 3):
        soundfile.write(folder / f"theirs/{number}.wav", 0.1 * np.sin(np.arange(24_000) / 20), 24_000)
    plan = ("--engines", "fake", "--files", "theirs=@theirs", *TWO[3:])
    assert command(studio, folder, *plan).run() == 0
    told = capsys.readouterr().out
    assert "2 sounds were taken in" in told and "3.wav" in told
    [one] = studio.evaluations.evaluations()
    theirs = [cell for cell in studio.evaluations.data(one.id).cells if cell.key.system == "theirs"]
    assert all(cell.said.sound and cell.said.rtf is None for cell in theirs) and len(theirs) == 2
    assert command(studio, folder, *plan).run() == 0 and "taken in" not in capsys.readouterr().out


@pytest.mark.parametrize(("most", "status"), [(1e9, 0), (-1e9, GATE_NOT_PASSED)])
def test_a_gate_gives_the_exit_status(studio, folder, capsys, most, status):
    (folder / "limits.yaml").write_text(f"systems: {{fake: {{lufs: {{most: {most}}}}}}}\n")
    assert command(studio, folder, *TWO, "--gate", "@limits.yaml").run() == status
    assert ("All limits are kept." in capsys.readouterr().out) is (status == 0)


def test_what_is_new_since_an_earlier_one_is_told(studio, folder, capsys):
    command(studio, folder, *TWO, "--out", "@first").run()
    capsys.readouterr()
    assert command(studio, folder, *TWO, "--seeds", "2", "--since", "@first/evaluation.json").run() == 0
    assert "Beside the earlier one:" in capsys.readouterr().out


def test_a_listening_test_is_made_of_the_sounds_that_are_there(studio, engines, folder, capsys):
    command(studio, folder, *TWO).run()
    n_texts = len(engines["fake"].texts)
    assert command(studio, folder, *TWO, "--report-only", "--test", "2").run() == 0
    [test] = studio.listening.tests()
    assert (test.plan.method, [system.label for system in test.plan.systems]) == ("ab", ["fake", "other"])
    assert test.items and len(engines["fake"].texts) == n_texts and test.id in capsys.readouterr().out


def test_a_stop_tells_how_far_it_is(studio, folder, capsys, monkeypatch):
    run = command(studio, folder, *TWO)

    def interrupted(evaluation_id):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "_wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert "The same command goes on." in capsys.readouterr().err
