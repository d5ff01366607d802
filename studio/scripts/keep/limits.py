"""ScriptLimits: how much of scripts a workspace may have. NearLimits: which of them it comes near."""

from dataclasses import dataclass

from studio.workspace import EVERYBODY

__all__ = ["LIMITS", "NEAR", "VISITOR_LIMITS", "ScriptLimits", "ScriptUse", "WorkspaceLimits", "near_limits"]

NEAR = 0.9  # of a limit: from there on it is told


@dataclass(frozen=True)
class ScriptLimits:
    """scripts, n_bytes (of sound): of one workspace. lines, characters: of one script."""

    scripts: int = 200
    lines: int = 5_000
    characters: int = 500_000  # some 9 hours of speech
    n_bytes: int = 10 << 30  # some 110 hours of speech: FLAC of 24 kHz speech takes about 25 kB per second


@dataclass(frozen=True)
class ScriptUse:
    """What a workspace has. n_lines, n_characters: of its longest script."""

    n_scripts: int
    n_lines: int
    n_characters: int
    n_bytes: int


LIMITS = ScriptLimits()
VISITOR_LIMITS = ScriptLimits(scripts=20, n_bytes=1 << 30)


@dataclass(frozen=True)
class WorkspaceLimits:
    """own: of who is kept apart from nobody. visitors: of each visitor who is."""

    own: ScriptLimits = LIMITS
    visitors: ScriptLimits = VISITOR_LIMITS

    def of(self, workspace: str) -> ScriptLimits:
        return self.own if workspace == EVERYBODY else self.visitors


def near_limits(use: ScriptUse, limits: ScriptLimits) -> tuple[str, ...]:
    """Which limits are near or reached: of "scripts", "lines", "characters", "bytes"."""
    pairs = {
        "scripts": (use.n_scripts, limits.scripts),
        "lines": (use.n_lines, limits.lines),
        "characters": (use.n_characters, limits.characters),
        "bytes": (use.n_bytes, limits.n_bytes),
    }
    return tuple(name for name, (used, most) in pairs.items() if used > NEAR * most)
