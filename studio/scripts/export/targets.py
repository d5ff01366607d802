"""Loudness targets: what each asks for, which gain leads there, and whether a sound meets it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from studio.audio.true_peak import LEAST_DB

__all__ = [
    "TARGETS", "LevelCheck", "Levels", "LoudnessReport", "LoudnessTarget",
    "ceiling_db", "gain_db", "level_checks", "missing_db", "told_loudness",
]  # fmt: skip

LoudnessTarget = Literal["none", "-16", "-19", "acx"]
TARGETS: tuple[LoudnessTarget, ...] = ("-16", "-19", "acx")
Figure = Literal["lufs", "rms", "peak", "noise"]

LUFS_TOLERANCE = 0.5  # our choice, in LU: half of what EBU R 128 leaves to live programs
PEAK_DBTP = -1.0  # EBU R 128, and AES TD1008 for spoken word
# ACX Audio Submission Requirements: RMS -23 to -18 dB, peaks of -3 dB at most, noise floor of -60 dB at most.
ACX_LEAST_RMS_DB, ACX_MOST_RMS_DB, ACX_PEAK_DB, ACX_NOISE_DB = -23.0, -18.0, -3.0, -60.0
ACX_RMS_DB = -20.0  # what is aimed at where peaks leave room; down to the next for those who would be limited
ACX_SOFT_RMS_DB = -22.0
CODEC_ROOM_DB = 0.5  # our choice: so much higher do peaks come out of mp3, opus and aac at the bit rates of sound_file.py
_ROUNDING_DB = 0.05  # a peak at the ceiling, after it was rounded to 16 bits


@dataclass(frozen=True)
class Levels:
    """Of a sound: None where it is too short, or silent. rms_db: 0 is an RMS of 1. noise_db: of what is softest within the takes."""

    lufs: float | None
    rms_db: float | None
    peak_dbtp: float
    noise_db: float | None

    def louder(self, by_db: float) -> "Levels":
        lufs, rms, noise = (None if each is None else each + by_db for each in (self.lufs, self.rms_db, self.noise_db))
        return Levels(lufs, rms, max(LEAST_DB, self.peak_dbtp + by_db), noise)


@dataclass(frozen=True)
class LevelCheck:
    """least, most: what the target leaves; None where it does not say. value: None where the sound has none."""

    figure: Figure
    value: float | None
    least: float | None
    most: float | None

    @property
    def is_met(self) -> bool:
        if self.value is None:
            return self.figure == "noise"  # digital silence
        room = _ROUNDING_DB if self.figure == "peak" else 0.0
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most + room)


@dataclass(frozen=True)
class LoudnessReport:
    """name: of the file, "" where there is one. before, after: the sound as the takes have it, and as it is in the file.

    after: measured, before it is encoded; predicted where nothing was made yet, without what the limiter takes away.
    limited_seconds, limited_db: how long and by how much at most peaks were turned down; None where nothing was made yet.
    noisiest: name in the cast of whom noise_db is; None where it is not known.
    met: all targets that the sound in the file meets.
    """

    name: str
    target: LoudnessTarget
    gain_db: float
    before: Levels
    after: Levels
    limited_seconds: float | None = None
    limited_db: float | None = None
    noisiest: str | None = None

    @property
    def checks(self) -> tuple[LevelCheck, ...]:
        return level_checks(self.target, self.after)

    @property
    def is_met(self) -> bool:
        return all(check.is_met for check in self.checks)

    @property
    def met(self) -> tuple[LoudnessTarget, ...]:
        return tuple(target for target in TARGETS if all(check.is_met for check in level_checks(target, self.after)))


def level_checks(target: LoudnessTarget, levels: Levels) -> tuple[LevelCheck, ...]:
    """All that the target asks for; () of none."""
    if target == "none":
        return ()
    if target == "acx":
        return (
            LevelCheck("rms", levels.rms_db, ACX_LEAST_RMS_DB, ACX_MOST_RMS_DB),
            LevelCheck("peak", levels.peak_dbtp, None, ACX_PEAK_DB),
            LevelCheck("noise", levels.noise_db, None, ACX_NOISE_DB),
        )
    lufs = float(target)
    return (
        LevelCheck("lufs", levels.lufs, lufs - LUFS_TOLERANCE, lufs + LUFS_TOLERANCE),
        LevelCheck("peak", levels.peak_dbtp, None, PEAK_DBTP),
    )


def gain_db(target: LoudnessTarget, levels: Levels) -> float:
    """One gain for the whole sound; 0 where there is nothing to measure."""
    if target == "none" or levels.rms_db is None:
        return 0.0
    if target == "acx":
        without_limiter = ACX_PEAK_DB - CODEC_ROOM_DB - levels.peak_dbtp
        return min(ACX_RMS_DB - levels.rms_db, max(ACX_SOFT_RMS_DB - levels.rms_db, without_limiter))
    return 0.0 if levels.lufs is None else float(target) - levels.lufs


def missing_db(target: LoudnessTarget, levels: Levels) -> float:
    """How much louder a sound would have to be; 0 where it is loud enough, or nothing can be measured."""
    if target == "acx" and levels.rms_db is not None:
        return max(0.0, ACX_SOFT_RMS_DB - levels.rms_db)
    return 0.0 if target in ("none", "acx") or levels.lufs is None else float(target) - levels.lufs


def ceiling_db(target: LoudnessTarget, *, is_lossy: bool) -> float:
    """Above which peaks are limited, dBTP."""
    peak = {"none": 0.0, "acx": ACX_PEAK_DB}.get(target, PEAK_DBTP)
    return peak - (CODEC_ROOM_DB if is_lossy and target != "none" else 0.0)


def told_loudness(report: LoudnessReport) -> Mapping[str, object]:
    """As JSON has it."""
    return {
        "name": report.name,
        "target": report.target,
        "gain_db": round(report.gain_db, 2),
        "before": _told_levels(report.before),
        "after": _told_levels(report.after),
        "limited_seconds": _rounded(report.limited_seconds),
        "limited_db": _rounded(report.limited_db),
        "noisiest": report.noisiest,
        "is_met": report.is_met,
        "met": list(report.met),
        "checks": list(_told_checks(report)),
    }


def _told_checks(report: LoudnessReport) -> Iterator[Mapping[str, object]]:
    for check in report.checks:
        yield {"figure": check.figure, "value": _rounded(check.value), "least": check.least, "most": check.most, "is_met": check.is_met}


def _told_levels(levels: Levels) -> Mapping[str, float | None]:
    return {
        "lufs": _rounded(levels.lufs),
        "rms_db": _rounded(levels.rms_db),
        "peak_dbtp": _rounded(levels.peak_dbtp),
        "noise_db": _rounded(levels.noise_db),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
