"""Scripts of Python programs: read in, cast, said, saved. On a fake engine."""

import pytest
import soundfile

from studio.errors import LinesUnsaid, OutputUnknown
from studio.notebook.notebook import NotebookStudio
from tests.house.source_files import ROOT
from tests.stand_ins.fake_engine import FakeEngine

TEXT = "ANNA: Who is there?\nBEN: Only the wind.\n"


@pytest.fixture
def notebook(open_studio, tmp_path):
    studio = NotebookStudio.over(open_studio(FakeEngine()))
    studio.enroll(ROOT / "assets/voices/demo.flac", name="Ann", consent="mine")
    return studio


@pytest.mark.slow
def test_a_text_is_cast_said_and_saved_and_another_cast_makes_its_lines_alone_stale(notebook, tmp_path):
    script = notebook.script(TEXT, cast={"ANNA": "Ann", "BEN": {"voice": "Ann", "gain_db": -2}}, title="The wind")
    assert (script.title, [(line.who, line.state) for line in script.lines()]) == ("The wind", [("ANNA", "new"), ("BEN", "new")])
    with pytest.raises(LinesUnsaid):
        script.save(tmp_path / "wind.wav")
    seen = []
    script.say(progress=lambda done, total: seen.append((done, total)))
    assert {line.state for line in script.lines()} == {"said"} and all(total == 2 for _, total in seen)
    samples, rate = soundfile.read(script.save(tmp_path / "wind.wav"))
    assert len(samples) / rate > sum(line.seconds for line in script.lines())
    script.recast({"BEN": {"voice": "Ann", "speed": 1.1}})
    assert [line.state for line in script.lines()] == ["said", "stale"] and "2 of 2 lines said" in repr(script)
    with pytest.raises(OutputUnknown):
        script.save(tmp_path / "wind.doc")


def test_a_file_is_read_by_its_name(notebook, tmp_path):
    (tmp_path / "scene.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHello.\n", encoding="utf-8")
    assert [line.text for line in notebook.script(tmp_path / "scene.srt").lines()] == ["Hello."]
