"""CellKey: one sound of an evaluation; what it took to say it, and what was measured of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["CellKey", "CellMeasures", "EvaluatedCell", "KeptSound", "SaidCell", "SystemRun", "VoiceRun"]


class CellKey(NamedTuple):
    """Ids of the plan. A seed is one of the plan's, also where the engine draws nothing."""

    system: str
    voice: str
    text: str
    seed: int


@dataclass(frozen=True)
class KeptSound:
    """A file of the evaluation's folder, by its content: mono FLAC of 16 bits at sample_rate, Hz."""

    sha256: str
    n_bytes: int
    sample_rate: int
    seconds: float


@dataclass(frozen=True)
class SaidCell:
    """sound: None where it was refused; then refused is {"message", "hint", "reason_code"}.

    ttfp_seconds: from the request to the first sound, of a voice that is known already. rtf: the engine's time over that of the sound. None
    of sounds that were brought. warning: what is to be known of a sound that is there, such as words left out.
    """

    key: CellKey
    sound: KeptSound | None = None
    ttfp_seconds: float | None = None
    rtf: float | None = None
    warning: str = ""
    refused: Mapping[str, str] | None = None


@dataclass(frozen=True)
class CellMeasures:
    """values: figure -> value, by the names of FIGURES; those that could not be had are not in it. lacking: family -> why.

    heard: the words that the recognizer heard; None where nobody listened. n_words: that should be heard, in characters where the language
    is written without spaces.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    heard: str | None = None
    n_words: int | None = None
    lacking: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class EvaluatedCell:
    """measures: None until it was measured."""

    said: SaidCell
    measures: CellMeasures | None = None

    @property
    def key(self) -> CellKey:
        return self.said.key


@dataclass(frozen=True)
class VoiceRun:
    """What a system did with a voice before its texts. cold_ttfp_seconds: from a request in a voice that nobody knew to the first sound.

    learn_seconds: of work, until it knew the voice, refinement included. None of built-in voices and of sounds that were brought.
    """

    system: str
    voice: str
    cold_ttfp_seconds: float | None = None
    learn_seconds: float | None = None


@dataclass(frozen=True)
class SystemRun:
    """build: what engine, weights and revision it was. memory_bytes: that the process took more once it was open and had spoken, None where
    nobody can tell; device_bytes: of its GPU. open_seconds: until it was loaded. is_toy: its weights are random, and say nothing of the
    engine. licence: of the weights, as the engine declares it."""

    system: str
    build: str = ""
    memory_bytes: int | None = None
    device_bytes: int | None = None
    open_seconds: float | None = None
    is_toy: bool = False
    licence: str = ""
