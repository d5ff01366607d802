"""The design of a frozen test: its sounds, and the trials in which one listener hears them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from studio.listening.plan.plan import Method

__all__ = ["Answer", "Check", "Item", "Mend", "RightAnswer", "Role", "Slot", "Trial", "TrialKind"]

Role = Literal["system", "reference", "lowpass-3.5", "lowpass-7", "other-voice", "embedded", "recording", "gold"]
TrialKind = Literal["training", "item", "gold", "trap"]
RightAnswer = str | int | dict[str, int]  # by scale


@dataclass(frozen=True)
class Item:
    """One sound: 48 kHz, 16 bit, mono, in `<folder>/<id>.wav`. id: random, and never said to a browser.

    system: the id of a system of the plan; of anything else its role. text: index into the plan's texts. seconds: without the padding
    that makes all sounds of a text equally long, `padded_seconds`. gain_db: what matching the loudness took; lufs: what it came to.
    bandwidth_hz: of the sound. ttfp_ms, rtf, cache: how it was made, None or "" of what was not made here. build: engine and revision.
    """

    id: str
    system: str
    role: Role
    text: int
    sha256: str
    seconds: float
    padded_seconds: float
    gain_db: float
    lufs: float | None
    bandwidth_hz: float
    ttfp_ms: float | None = None
    rtf: float | None = None
    cache: str = ""
    build: str = ""


@dataclass(frozen=True)
class Mend:
    """A change that mends a check. key: sentence `tests.mend_<key>` with values. remakes: whether sounds are to be made then.

    patch: fields of the plan, as JSON has them, which take the place of its own; none where the sounds alone are made anew.
    """

    key: str
    patch: Mapping[str, object] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    remakes: bool = False


@dataclass(frozen=True)
class Check:
    """A condition of blindness or of sense. key: sentence `tests.check_<key>` with values. needed: freezing waits for it; others warn.

    mends: of one that fails, the smallest change first.
    """

    key: str
    passed: bool
    needed: bool = True
    values: Mapping[str, object] = field(default_factory=dict)
    mends: tuple[Mend, ...] = ()


@dataclass(frozen=True)
class Slot:
    """A pad of a trial. label: "A", "B", "C", "X", "R" (the open reference), or "1" to "12". item: what sounds. sound: its name for this
    listener, in this trial, in this slot alone; the same sound in another slot is called otherwise."""

    label: str
    item: str
    sound: str


@dataclass(frozen=True)
class Trial:
    """One question to one listener. right: of ABX the slot that X is ("A" or "B"); of gold and traps what a listener who heard or read
    says, as the answer has it (of MUSHRA and BS.1116 a slot's label); else None. asked: of traps, the answer that is asked for, which is
    shown. scales: what is asked, in that order, where the method does not say it."""

    number: int
    kind: TrialKind
    method: Method
    text: int
    slots: tuple[Slot, ...]
    right: RightAnswer | None = None
    asked: RightAnswer | None = None
    scales: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a listener said of one trial. value: ABX and AB "A", "B" or "none"; CMOS and CCR -3 to 3, above 0 for B better than A; MOS, SMOS
    and DCR 1 to 5; of scales points by scale; MUSHRA scores 0 to 100 by slot; BS.1116 grades 1 to 5 by slot. plays, heard_seconds: by slot.
    seconds: from the question to the answer."""

    trial: int
    value: str | int | dict[str, float]
    plays: dict[str, int] = field(default_factory=dict)
    heard_seconds: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    comment: str = ""
