"""Guesser: what a script gets that hears nothing, but sees slots, orders, bytes and levels, in the trials that a panel really gets.

A check for each kind of page. Which kinds there are follows from the slots: what X is; which of a pair is chosen; what a lone sound is;
which slot of a page is the hidden reference, or one of the systems; which page has an obviously bad sound.

What is measured in the waveform itself (where it begins, how far it reaches) has a check of its own, and none of X: X is one of the two, so
whoever compares waveforms by a program knows it, whatever is done.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from studio.listening.keep.sound_files import SoundFile
from studio.listening.plan.design import Check, Item, Slot, Trial
from studio.listening.plan.materials import SAMPLE_RATE
from studio.listening.plan.plan import Plan
from studio.listening.plan.questions import OPEN, question_count
from studio.listening.plan.trials import trials_of
from studio.listening.render.slot_sound import SlotShape

__all__ = ["guesser_checks"]

MOST_TRIED = 600  # trials of a panel that are guessed at; of larger panels those of the first listeners
SURE = 4.0  # standard deviations beyond chance: of some dozens of ways to guess none gets there by chance
KINDS = ("abx", "pair", "single", "page")
SEEN, MEASURED = ("bytes", "level"), ("start", "reach")


@dataclass(frozen=True)
class _Guesses:
    """Of one way to guess: how many of n were right, or went to the same system; chance: the share that is to be expected."""

    hits: int
    n: int
    chance: float

    @classmethod
    def of(cls, systems: Iterable[str], chance: float) -> "_Guesses":
        """systems: that were chosen."""
        chosen = Counter(systems)
        return cls(max(chosen.values(), default=0), chosen.total(), chance)

    @property
    def excess(self) -> float:
        """Above 0 where chance does not explain it."""
        return self.hits / self.n - self.chance - SURE * math.sqrt(self.chance * (1 - self.chance) / self.n)

    @property
    def values(self) -> dict[str, object]:
        """For a sentence."""
        return {"share": round(100 * self.hits / self.n), "chance": round(100 * self.chance), "n": self.n}


@dataclass(frozen=True)
class _Asked:
    """A trial with its place among the items of its listener, from 0."""

    place: int
    trial: Trial

    @property
    def rated(self) -> list[Slot]:
        return [slot for slot in self.trial.slots if slot.label != OPEN]

    @property
    def kind(self) -> str:
        labels = [slot.label for slot in self.rated]
        if "X" in labels:
            return "abx"
        return "pair" if labels in (["A", "B"], ["B", "C"]) else "single" if len(labels) == 1 else "page"


def guesser_checks(plan: Plan, items: Sequence[Item], files: Mapping[str, SoundFile]) -> list[Check]:
    """files: by item. Nothing where a sound is missing or nothing is asked."""
    per_listener = question_count(plan)
    n = min(plan.listeners, max(2, MOST_TRIED // max(1, per_listener)))
    try:
        panel = [trials_of(plan, items, listener, b"") for listener in range(1, n + 1)] if per_listener else []
    except KeyError:  # a sound is missing
        return []
    of_items = [[trial for trial in trials if trial.kind == "item"] for trials in panel]
    asked = [_Asked(place, trial) for trials in of_items for place, trial in enumerate(trials)]
    if any(slot.item not in files for one in asked for slot in one.trial.slots):
        return []
    guesser = _Guesser({item.id: item for item in items}, files)
    by_kind = {kind: found for kind in KINDS if (found := [one for one in asked if one.kind == kind])}
    checks = [_check(f"guess_{kind}", ways) for kind, found in by_kind.items() if (ways := list(guesser.ways(kind, found)))]
    measured = [way for kind, found in by_kind.items() if kind != "abx" for way in guesser.by_facts(kind, found, MEASURED)]
    return [*checks, *_gold(panel), *([_check("guess_measured", measured)] if measured else [])]


def _check(key: str, ways: Iterable[_Guesses]) -> Check:
    best = max(ways, key=lambda guesses: guesses.excess)
    return Check(key, best.excess <= 0, needed=False, values=best.values)


def _gold(panel: Sequence[Sequence[Trial]]) -> list[Check]:
    """Whether pages with gold have the slots of all others."""
    gold = [_labels(trial) for trials in panel for trial in trials if trial.kind == "gold"]
    usual = {_labels(trial) for trials in panel for trial in trials if trial.kind == "item"}
    odd = sum(labels not in usual for labels in gold)
    return [Check("guess_gold", not odd, needed=False, values={"n": odd, "of": len(gold)})] if gold else []


def _labels(trial: Trial) -> tuple[str, ...]:
    return tuple(slot.label for slot in trial.slots)


def _alone(pages: Sequence[Sequence[tuple[float, str]]], best: Callable[[Iterable[float]], float]) -> list[str]:
    """Of each page (fact, system) the system that alone has the best."""
    found = []
    for page in pages:
        first = [system for value, system in page if value == best(value for value, _ in page)]
        found += first if len(first) == 1 else []
    return found


class _Guesser:
    def __init__(self, items: Mapping[str, Item], files: Mapping[str, SoundFile]):
        self._items, self._files = items, files
        self._known: dict[str, dict[str, float]] = {}  # by slot

    def ways(self, kind: str, asked: Sequence[_Asked]) -> Iterator[_Guesses]:
        """All that a script has which does not open the sounds."""
        yield from self._about_x(asked) if kind == "abx" else self._by_place(kind, asked)
        if kind != "abx":
            yield from self.by_facts(kind, asked, SEEN)

    def by_facts(self, kind: str, asked: Sequence[_Asked], facts: Sequence[str]) -> Iterator[_Guesses]:
        """The slot with the most of it, and with the least; of a lone sound: which system has much of it, and which little."""
        for compared, alike in self._alike(kind, asked).items():
            for fact in facts:
                pages = [[(self._seen(slot)[fact], self._system(slot)) for slot in one.rated] for one in alike]
                if kind == "single":
                    middle = median(page[0][0] for page in pages)
                    chosen = ([page[0][1] for page in pages if (page[0][0] > middle) == above] for above in (True, False))
                else:
                    chosen = (_alone(pages, best) for best in (min, max))
                yield from (_Guesses.of(systems, 1 / len(compared)) for systems in chosen if systems)

    def _about_x(self, asked: Sequence[_Asked]) -> Iterator[_Guesses]:
        """Always the same, in turns, and whichever is nearest to X."""
        rights = [one.trial.right for one in asked]
        for guess in (["A"], ["B"], ["A", "B"]):
            yield _Guesses(sum(right == guess[one.place % len(guess)] for one, right in zip(asked, rights, strict=True)), len(asked), 0.5)
        for fact in SEEN:
            hits = []
            for one, right in zip(asked, rights, strict=True):
                seen = {slot.label: self._seen(slot)[fact] for slot in one.rated}
                nearer = abs(seen["X"] - seen["B"]) - abs(seen["X"] - seen["A"])
                hits += [right == ("A" if nearer > 0 else "B")] if nearer else []
            if hits:
                yield _Guesses(sum(hits), len(hits), 0.5)

    def _by_place(self, kind: str, asked: Sequence[_Asked]) -> Iterator[_Guesses]:
        """Always the same slot; of lone sounds those that come first, second, ... of each round through the systems."""
        for compared, alike in self._alike(kind, asked).items():
            for place in range(len(compared)):
                if kind == "single":
                    systems = [self._system(one.rated[0]) for one in alike if one.place % len(compared) == place]
                else:
                    systems = [self._system(one.rated[place]) for one in alike]
                yield from [_Guesses.of(systems, 1 / len(compared))] if systems else []

    def _alike(self, kind: str, asked: Sequence[_Asked]) -> dict[frozenset[str], list[_Asked]]:
        """By what is compared: on a page; of lone sounds all of them are. Where that is one thing, there is nothing to guess."""
        found: dict[frozenset[str], list[_Asked]] = {}
        everything = frozenset(self._system(slot) for one in asked for slot in one.rated)
        for one in asked:
            compared = everything if kind == "single" else frozenset(map(self._system, one.rated))
            found.setdefault(compared, []).append(one)
        return {compared: alike for compared, alike in found.items() if len(compared) > 1}

    def _system(self, slot: Slot) -> str:
        return self._items[slot.item].system

    def _seen(self, slot: Slot) -> dict[str, float]:
        """Facts of that slot as it is served."""
        if slot.sound not in self._known:
            item, file, shape = self._items[slot.item], self._files[slot.item], SlotShape(slot.item, slot.sound)
            self._known[slot.sound] = {
                "bytes": file.n_bytes,
                "level": round((item.lufs or 0.0) + shape.gain_db, 3),
                "start": round((file.before or 0.0) + shape.shift_samples / SAMPLE_RATE, 3),
                "reach": item.bandwidth_hz,
            }
        return self._known[slot.sound]
