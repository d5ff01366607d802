"""A studio with one script of lines to measure with: of a built-in voice, or of the demo voice, which is cloned."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.demo import demo_recording

__all__ = ["LINES", "demo_script", "measured_lines", "opened_studio"]

LINES = Path(__file__).with_name("lines.txt")
DEMO = "Demo"  # what the demo voice is called


def measured_lines(n: int) -> tuple[str, ...]:
    """The first n of 200 English lines of stories."""
    return tuple(LINES.read_text("utf-8").splitlines()[:n])


@contextmanager
def opened_studio(engine: str) -> Iterator[Studio]:
    """With the demo voice, warm in that engine; its folder goes behind it."""
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(Settings.model_validate({"speakers_dir": Path(folder)}))
        try:
            studio.enroll(demo_recording())
            studio.load(engine)
            studio.warm(DEMO, engine)
            yield studio
        finally:
            studio.close()


def demo_script(studio: Studio, engine: str, lines: tuple[str, ...], *, pause_seconds: float = 0.4) -> str:
    """The id of a new script, said by the demo voice."""
    head = ScriptHead.model_validate({"language": "en", "pause_seconds": pause_seconds})
    member = CastMember.model_validate({"voice": DEMO, "model": engine})
    return studio.scripts.create(ReadScript(head, tuple(LineText.model_validate({"text": text}) for text in lines), (member,), "text")).id
