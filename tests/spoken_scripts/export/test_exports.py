"""Exports as doors ask for them, of a script that is kept and said."""

import av
import pytest

from studio.errors import LinesStale, LineUnknown, ScriptUnknown
from studio.scripts.dubbing.order import DubOrder
from studio.scripts.export import exports
from studio.scripts.export.order import ExportOrder
from studio.scripts.script.line import LineText, TimeSlot
from tests.spoken_scripts.dubbing.conftest import film
from tests.spoken_scripts.saying.said_scripts import made, put, say_all
from tests.stand_ins.fake_engine import FakeEngine
from tests.stand_ins.opened_studio import no_estimators, open_studio

__all__ = ["film", "no_estimators", "open_studio"]


def test_a_script_is_said_exported_and_refused_once_a_line_has_changed(open_studio, monkeypatch):
    monkeypatch.setattr(exports, "PAGE_LINES", 2)  # several pages
    studio = open_studio(FakeEngine())
    script = made(studio, LineText(text="One", kind="heading"), "First.", "Second.", title="A play")
    say_all(studio, script)
    shares = []
    file = studio.scripts.export(script, ExportOrder(format="m4b"), shares.append)
    with av.open(str(file.path)) as container:
        assert [mark["metadata"]["title"] for mark in container.chapters()] == ["One"]
        assert container.duration / 1e6 == pytest.approx(file.report.seconds, abs=0.01)
    assert (shares[-1], file.report.n_lines, file.report.told()["lines"]) == (1.0, 3, 3)
    file.close()
    put(studio, script, 2, text="Another second.")
    check = studio.scripts.check_export(script, ExportOrder())
    assert (check.is_ready, check.stale) == (False, (studio.scripts.line_ids(script)[2],))
    with pytest.raises(LinesStale):
        studio.scripts.export(script, ExportOrder())
    studio.scripts.export(script, ExportOrder(format="script_with_sounds")).close()
    with pytest.raises(LineUnknown):
        studio.scripts.export(script, ExportOrder(lines=("nobody",)))
    with pytest.raises(ScriptUnknown):
        studio.scripts.export("nobody", ExportOrder())


def test_a_video_is_dubbed_with_the_lines_of_its_subtitles(open_studio, film):
    studio = open_studio(FakeEngine())
    script = made(
        studio,
        LineText(text="First.", slot=TimeSlot(start=0.5, end=1.5)),
        LineText(text="Second.", slot=TimeSlot(start=2.0, end=2.9)),
        title="My film, dubbed",
    )
    say_all(studio, script)
    file = studio.scripts.dub(script, film("mp4"), DubOrder(subtitles=True, loudness="-16"))
    assert (file.filename, file.media_type) == ("My film, dubbed.mp4", "video/mp4")
    with av.open(str(file.path)) as container:
        assert [stream.type for stream in container.streams] == ["video", "audio", "audio", "subtitle"]
        assert container.duration / 1e6 == pytest.approx(3.0, abs=0.01)
    assert file.report.past_end_seconds == 0
    file.close()
