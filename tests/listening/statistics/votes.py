"""Votes for tests: short to write, heard and answered as they should be."""

import random
from collections.abc import Mapping

from studio.listening.statistics.findings import Findings
from studio.listening.vote.vote import Vote

__all__ = ["keys", "line", "ratings", "vote"]


def vote(method: str, listener: int, text: int, systems: tuple[str, str], score: float, **more) -> Vote:
    """An answer after 6 seconds, of which 4 were listened to. systems: ("a", "") of ratings."""
    trial = more.pop("trial", 100 * listener + text)
    defaults = {"kind": "item", "heard_seconds": 4.0, "seconds": 6.0, "first": (listener + text) % 2 == 0}
    return Vote(method, f"L{listener:02}", trial, text=f"t{text}", system=systems[0], other=systems[1], score=score, **{**defaults, **more})


def ratings(method: str, means: Mapping[str, float], *, listeners: int = 10, texts: int = 8, spread: float = 1.0) -> list[Vote]:
    """Of every listener, text and system, around its mean; the same ones each time."""
    rng, most = random.Random(0), 100 if method.startswith("mushra") else 5
    step = 1.0 if most == 5 else 0.1
    return [
        vote(method, listener, text, (system, ""), min(max(round(rng.gauss(mean, spread) / step) * step, most == 5), most))
        for listener in range(listeners)
        for text in range(texts)
        for system, mean in means.items()
    ]


def keys(findings: Findings) -> list[str]:
    """Of the verdict."""
    return [line.key for line in findings.verdict]


def line(findings: Findings, key: str) -> Mapping[str, object] | None:
    """The values of a sentence of verdict or notes; None where it is not said."""
    return next((line.values for line in (*findings.verdict, *findings.notes) if line.key == key), None)
