"""Stand-ins for the ears' networks: they are here, open at the first sound, and answer what they are told to."""

import weakref
from collections.abc import Callable

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.analysis import distillmos, dnsmos, likeness
from studio.analysis.dnsmos import DnsmosScores

__all__ = ["SCORES", "PlayedEars", "install_ears"]

SCORES = DnsmosScores(3.1, 3.2, 4.3, 3.4)


class PlayedEars:
    """answers: by measure, what is given or raised. opened: weak references to what was opened, by measure. heard: arguments, by measure.

    before: runs before each answer; may wait. embedding: of a speaker, by a clip.
    """

    def __init__(self):
        self.answers: dict[str, object] = {"likeness": 0.8, "dnsmos": SCORES, "distillmos": 3.5}
        self.opened: list[tuple[str, weakref.ref]] = []
        self.heard: dict[str, tuple[object, ...]] = {}
        self.before: Callable[[], None] = lambda: None
        self.embedding: Callable[[Clip], np.ndarray | None] = lambda clip: None

    def answer(self, measure: str, *heard: object) -> object:
        self.heard[measure] = heard
        self.before()
        answer = self.answers[measure]
        if isinstance(answer, Exception):
            raise answer
        return answer


def install_ears(monkeypatch: pytest.MonkeyPatch) -> PlayedEars:
    """All three are here, until a test says that one is not."""
    played = PlayedEars()
    for module in (dnsmos, distillmos):
        monkeypatch.setattr(module, "is_here", lambda: True)
    for module, name, method in (
        (likeness, "LikenessEstimator", "likeness"),
        (dnsmos, "DnsmosEstimator", "scores"),
        (distillmos, "DistillmosEstimator", "score"),
    ):
        monkeypatch.setattr(module, name, _ear(played, module.__name__.rpartition(".")[2], method))
    return played


def _ear(played: PlayedEars, measure: str, method: str) -> type:
    def opened(self) -> None:
        played.opened.append((measure, weakref.ref(self)))

    def embedding(self, clip: Clip) -> np.ndarray | None:
        return played.embedding(clip)

    methods = {"__init__": opened, method: lambda self, *heard: played.answer(measure, *heard), "embedding": embedding}
    return type("PlayedEar", (), methods)
