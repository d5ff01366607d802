"""OpenPairs: blind pairs that wait for a vote, in memory: two sounds each, in an order that chance decides."""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from studio.errors import PairUnheard, PairUnknown, PairUnusable, PairVoted
from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.plan.materials import SAMPLE_RATE, Level, as_heard, lowered_db, shaped, wav_bytes
from studio.listening.plan.plan import Plan

__all__ = ["MOST_SECONDS", "SLOTS", "BlindPair", "OpenPairs", "Side"]

SLOTS = ("a", "b")
MOST_SECONDS = 60.0  # of a sound
KEPT_SECONDS = 30 * 60.0
MOST_OF_WORKSPACE = 4  # pairs; the oldest goes
MOST_BYTES = 96 << 20  # of all workspaces: a minute of both sounds takes 11.5 MB
ENOUGH_SECONDS = 2.0  # of a sound, or all of a shorter one, has to be heard before a vote
PREPARED = Plan(name="pair", method="ab")  # -23 LUFS, the same silence at both ends


@dataclass(frozen=True, eq=False)
class Side:
    """One way to say the text. samples: (T,) float32 at sample_rate. seed: of its variation, None where there is none.

    generation_id: of the stored voice that speaks, None of a built-in one.
    """

    system: HeardSystem
    samples: np.ndarray
    sample_rate: int
    generation_id: str | None = None
    seed: int | None = None


@dataclass(eq=False)
class BlindPair:
    """sides, sounds: by slot; a sound is a whole WAV, as loud and as long as the other. heard_from: slot -> when it was first handed out.

    asked: as its vote keeps it. made_at, heard_from: seconds of a clock that only goes forward.
    """

    id: str
    sides: dict[str, Side]
    sounds: dict[str, bytes]
    seconds: float
    made_at: float
    asked: str = ""
    heard_from: dict[str, float] = field(default_factory=dict)
    is_voted: bool = False

    @property
    def n_bytes(self) -> int:
        return sum(map(len, self.sounds.values()))

    @property
    def generation_ids(self) -> set[str]:
        """Of the stored voices in it."""
        return {side.generation_id for side in self.sides.values() if side.generation_id is not None}


class OpenPairs:
    """Thread-safe. One process knows them, and none outlives it. clock: seconds, only forward. draw(n): a whole number below n.

    workspace: whose a pair is; in an open arena the voter.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, draw: Callable[[int], int] = secrets.randbelow):
        self._clock, self._draw = clock, draw
        self._lock = threading.Lock()
        self._pairs: dict[tuple[str, str], BlindPair] = {}  # by workspace and id; oldest first

    def add(self, workspace: str, sides: Sequence[Side], asked: str = "") -> BlindPair:
        """Of two sides. Raises PairUnusable where one is too long or has no sound. Blocks while both are prepared."""
        sounds, seconds = _blind_sounds(sides)
        first = self._draw(2)
        order = dict(zip(SLOTS, (first, 1 - first), strict=True))
        pair = BlindPair(
            secrets.token_hex(16),
            {slot: sides[index] for slot, index in order.items()},
            {slot: sounds[index] for slot, index in order.items()},
            seconds,
            self._clock(),
            asked,
        )
        with self._lock:
            self._pairs[workspace, pair.id] = pair
            self._make_room(workspace)
        return pair

    def get(self, workspace: str, pair_id: str) -> BlindPair:
        """Raises PairUnknown."""
        with self._lock:
            self._drop_old()
            if (pair := self._pairs.get((workspace, pair_id))) is None:
                raise PairUnknown
            return pair

    def drop(self, workspace: str, pair_id: str) -> None:
        with self._lock:
            self._pairs.pop((workspace, pair_id), None)

    def sound(self, pair: BlindPair, slot: str) -> bytes:
        """A whole WAV; from now on it is being heard. slot: of SLOTS, or PairUnknown."""
        if slot not in pair.sounds:
            raise PairUnknown
        with self._lock:
            pair.heard_from.setdefault(slot, self._clock())
        return pair.sounds[slot]

    def take_vote(self, pair: BlindPair) -> None:
        """From now on it has its vote. Raises PairVoted, PairUnheard."""
        enough = min(ENOUGH_SECONDS, pair.seconds)
        with self._lock:
            if pair.is_voted:
                raise PairVoted
            for slot in SLOTS:
                since = pair.heard_from.get(slot)
                if since is None or self._clock() - since < enough:
                    raise PairUnheard(slot)
            pair.is_voted = True

    def give_vote_back(self, pair: BlindPair) -> None:
        """It could not be kept."""
        with self._lock:
            pair.is_voted = False

    def _make_room(self, workspace: str) -> None:
        self._drop_old()
        own = [key for key in self._pairs if key[0] == workspace]
        for key in own[: max(0, len(own) - MOST_OF_WORKSPACE)]:
            del self._pairs[key]
        n_bytes = sum(pair.n_bytes for pair in self._pairs.values())
        for key in list(self._pairs)[:-1]:
            if n_bytes <= MOST_BYTES:
                break
            n_bytes -= self._pairs.pop(key).n_bytes

    def _drop_old(self) -> None:
        oldest = self._clock() - KEPT_SECONDS
        for key in [key for key, pair in self._pairs.items() if pair.made_at < oldest]:
            del self._pairs[key]


def _blind_sounds(sides: Sequence[Side]) -> tuple[tuple[bytes, ...], float]:
    """WAVs of one rate, loudness and length, and that length in seconds, so that no file tells which engine made it."""
    if any(len(side.samples) > MOST_SECONDS * side.sample_rate for side in sides):
        raise PairUnusable("input", sentence="pair_too_long", seconds=MOST_SECONDS)
    made = [shaped(side.samples, side.sample_rate, PREPARED) for side in sides]
    levels = [Level.of(samples) for samples in made]
    if any(level.lufs is None for level in levels):
        raise PairUnusable("input", sentence="pair_silent")
    lowered, longest = lowered_db(levels, PREPARED), max(map(len, made))
    heard = [as_heard(samples, level, PREPARED, lowered).samples for samples, level in zip(made, levels, strict=True)]
    return tuple(wav_bytes(np.pad(samples, (0, longest - len(samples)))) for samples in heard), longest / SAMPLE_RATE
