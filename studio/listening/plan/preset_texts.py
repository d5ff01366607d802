"""Preset texts: sentences to begin a listening test with, by language."""

from pathlib import Path

__all__ = ["listening_texts"]

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "texts" / "listening"


def listening_texts() -> dict[str, list[str]]:
    """Texts by language; each is said in some 3 to 6 seconds, since MUSHRA wants 12 at most (BS.1534-3, 5.2)."""
    return {file.stem: file.read_text(encoding="utf-8").splitlines() for file in sorted(FOLDER.glob("*.txt"))}
