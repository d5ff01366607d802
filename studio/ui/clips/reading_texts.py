"""Texts to read aloud during a recording, in assets/texts/reading/. Each language has three lengths."""

from pathlib import Path

from studio.ui.gradio.messages import answered

__all__ = ["LENGTHS", "reading_texts", "texts_by_language"]

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "texts" / "reading"
# About how many seconds each takes at 2.5 words, or 4.5 Chinese or Japanese syllables, per second.
LENGTHS = {"short": 6, "medium": 12, "long": 25}


@answered
def reading_texts(asked: object = None) -> dict[str, object]:
    """{lengths: [[name, seconds]], texts: {language: [short, medium, long]}}. A file holds its texts in lines, shortest first."""
    return {"lengths": list(LENGTHS.items()), "texts": texts_by_language()}


def texts_by_language() -> dict[str, list[str]]:
    """A short, a medium and a long one of each."""
    return {file.stem: file.read_text(encoding="utf-8").splitlines() for file in sorted(FOLDER.glob("*.txt"))}
