"""Line: a sentence that is put into words later, by its key. Say: what puts it into words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

__all__ = ["Line", "Say"]

# A sentence of one section of assets/words by its key and values.
Say = Callable[[str, Mapping[str, object]], str]


@dataclass(frozen=True)
class Line:
    """A sentence: `<section>.<key>` of assets/words with values. Section `tests` of listening tests, `evaluations` of evaluations."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)
