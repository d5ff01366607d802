"""ExportOrder: what is to be made of a script. What comes back: ExportedFile, with a report."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from engines.durable import put_file, sync_directory
from studio.scripts.export.targets import LoudnessReport, LoudnessTarget, told_loudness

__all__ = ["SOUND_FORMATS", "ExportFormat", "ExportOrder", "ExportReport", "ExportedFile", "SoundFormat", "TextFormat"]

SoundFormat = Literal["wav", "flac", "mp3", "opus", "aac", "m4b"]
TextFormat = Literal["srt", "vtt", "karaoke_vtt", "words", "chapters"]
ScriptFormat = Literal["script", "script_with_sounds"]
ExportFormat = SoundFormat | TextFormat | ScriptFormat
SOUND_FORMATS: tuple[str, ...] = get_args(SoundFormat)
MOST_TOLD = 8


class ExportOrder(BaseModel):
    """Lines in order with their chosen takes, as files. Sounds can be parted; all else is one file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: ExportFormat = Field(
        default="m4b", description="aac is an .m4a file, m4b an audiobook; words: JSON of word times; chapters: a text for show notes."
    )
    split: Literal["none", "chapter", "line", "member"] = Field(
        default="none",
        description="A ZIP with a sound for each chapter, line, or member of the cast, which is as long as the whole.",
    )
    loudness: LoudnessTarget = Field(default="none", description="LUFS, or what ACX asks of audiobooks; none: as the takes are.")
    lines: tuple[str, ...] | None = Field(default=None, min_length=1, description="Ids; all where absent.")
    chapters: tuple[int, ...] | None = Field(default=None, min_length=1, description="By number, from 0; all where absent.")
    stale: Literal["refuse", "include"] = Field(default="refuse", description="Lines that changed since they were said.")
    missing: Literal["refuse", "skip"] = Field(default="refuse", description="Lines that were never said.")
    names: bool = Field(default=True, description="Subtitles say who speaks.")

    @field_validator("loudness", mode="before")
    @classmethod
    def _as_word(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @model_validator(mode="after")
    def _check_split(self) -> "ExportOrder":
        if self.split != "none" and not self.is_sound:
            raise ValueError("split parts sounds; leave it out for subtitles and scripts")
        return self

    @property
    def is_sound(self) -> bool:
        return self.format in SOUND_FORMATS


@dataclass(frozen=True)
class ExportReport:
    """n_lines: that are in it. skipped: ids of lines that were never said. n_stale: of those in it. loudness: of each file with sound.

    seconds: of sound. overlaps: lines that begin before the one before them has ended, as (id, seconds). Of a dubbed video: lines that run
    beyond their slot and the pause behind it, as (id, seconds); how far speech goes beyond its end; kinds of streams that are not in it.
    """

    n_lines: int
    seconds: float
    sample_rate: int | None = None
    n_files: int = 1
    skipped: tuple[str, ...] = ()
    n_stale: int = 0
    loudness: tuple[LoudnessReport, ...] = ()
    overlaps: tuple[tuple[str, float], ...] = ()
    over: tuple[tuple[str, float], ...] = ()
    past_end_seconds: float = 0.0
    left_out: tuple[str, ...] = ()

    def told(self, most: int = MOST_TOLD) -> dict[str, object]:
        """As JSON has it; of lists the first `most`, so that it fits into a header."""
        return {
            "lines": self.n_lines,
            "seconds": round(self.seconds, 3),
            "sample_rate": self.sample_rate,
            "files": self.n_files,
            "skipped": len(self.skipped),
            "stale": self.n_stale,
            "is_met": all(report.is_met for report in self.loudness),
            "loudness": [told_loudness(report) for report in self.loudness[:most]],
            "overlaps": [{"line": line_id, "seconds": round(seconds, 3)} for line_id, seconds in self.overlaps[:most]],
            "over": [{"line": line_id, "over_seconds": round(seconds, 3)} for line_id, seconds in self.over[:most]],
            "past_end_seconds": round(self.past_end_seconds, 3),
            "left_out": list(self.left_out),
        }


@dataclass(frozen=True)
class ExportedFile:
    """A temporary file in a folder of its own, which `close` removes. filename: as a person is to find it."""

    path: Path
    media_type: str
    filename: str
    report: ExportReport

    @property
    def n_bytes(self) -> int:
        return self.path.stat().st_size

    def blocks(self, n_bytes: int = 1 << 18) -> Iterator[bytes]:
        """All of it. Raises OSError before the first block."""
        with self.path.open("rb") as file:
            while block := file.read(n_bytes):
                yield block

    def save(self, path: Path) -> None:
        """There, on disk, in place of what was there; then this is closed, also where that fails. Raises OSError."""
        try:
            put_file(path, self.blocks())
        finally:
            self.close()
        sync_directory(path.parent)

    def close(self) -> None:
        """Idempotent."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
