"""Evaluations in a notebook: run one, look at rows, write files, make a blind test."""

from dataclasses import replace

import pytest

from studio.errors import OutputUnknown, SpeakerUnknown
from studio.notebook.notebook import NotebookStudio
from tests.api.door import wav
from tests.stand_ins.fake_engine import INFO, FakeEngine

OTHER = replace(INFO, id="other", title="Other")
TEXTS = ["one two three", "four five six"]
MEASURES = ["loudness", "speed"]


@pytest.fixture
def notebook(open_studio) -> NotebookStudio:
    engines = {"fake": FakeEngine(), "other": FakeEngine(OTHER)}
    return NotebookStudio.over(open_studio(infos={"fake": INFO, "other": OTHER}, open_engine=engines.__getitem__))


@pytest.mark.slow
def test_one_is_run_read_and_written(notebook, tmp_path):
    told = []
    one = notebook.evaluate(["fake", {"engine": "other", "label": "B"}], ["tone"], TEXTS, languages="en", measures=MEASURES)
    one.run(progress=lambda phase, done, total: told.append(phase))
    assert {(row["system"], row["figure"]) for row in one.findings} >= {("fake", "lufs"), ("B", "rtf")}
    assert {pair["other"] for pair in one.pairs} == {"B"} and all(isinstance(line, str) for line in one.verdict)
    assert [(row["system"], row["written"]) for row in one.cells][:2] == [("fake", text) for text in TEXTS]
    assert one.report(tmp_path / "report").read_text(encoding="utf-8").count("four five six")
    for name in ("all.json", "cells.csv", "table.md", "all.zip"):
        assert one.save(tmp_path / name).stat().st_size > 0
    with pytest.raises(OutputUnknown):
        one.save(tmp_path / "all.xlsx")
    assert notebook.evaluate(["fake", {"engine": "other", "label": "B"}], ["tone"], TEXTS, languages="en", measures=MEASURES).id == one.id
    assert one.test(1)
    one.delete()


def test_recordings_are_voices_and_a_wrong_name_is_told(notebook, tmp_path):
    one = notebook.evaluate("fake", {"Anna": wav(2.0)}, TEXTS, measures=MEASURES)
    assert "0 of 2 said" in repr(one)
    with pytest.raises(SpeakerUnknown, match="tone"):
        notebook.evaluate("fake", ["tonne"], TEXTS)
