"""Conduct: what is known of a listener beside their answers: with what they listened, where, when, and how soon they answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.listening.plan.design import Trial

__all__ = ["Conduct", "conditions_of", "early_seconds"]

DEVICES = ("headphones", "earphones", "loudspeakers")
PLACES = ("quiet", "some noise", "noisy")
CHECK = "headphone check "
CHECKS = ("passed", "failed", "left out")


@dataclass(frozen=True)
class Conduct:
    """asked: how many questions the listener had, practice left out. device, place, check (of the headphones): as they said, "" for not.

    browser: the same for two who came with the same browser from the same address; participant: what a panel calls them; "" where nothing
    is known. begun, seen: seconds since 1970, of the first and the last that was heard of them. early: as `early_seconds` has it.
    """

    asked: int = 0
    device: str = ""
    place: str = ""
    check: str = ""
    browser: str = ""
    participant: str = ""
    begun: float = 0.0
    seen: float = 0.0
    early: Mapping[int, float] = field(default_factory=dict)


def conditions_of(told: str) -> dict[str, str]:
    """device, place and check of words such as "headphones, quiet, headphone check passed"."""
    parts = told.split(", ")
    checks = [part.removeprefix(CHECK) for part in parts if part.startswith(CHECK)]
    return {
        "device": next((part for part in parts if part in DEVICES), ""),
        "place": next((part for part in parts if part in PLACES), ""),
        "check": next((check for check in checks if check in CHECKS), ""),
    }


def early_seconds(
    trials: Sequence[Trial], fetched: Mapping[str, float], answered: Mapping[int, float], least: Mapping[str, float], begun: float
) -> dict[int, float]:
    """By trial: how much sooner it was answered than its sounds can have been heard, seconds on the server's clock; 0 where it was not.

    Whoever is honest hears one trial after the other, each once its sounds are there. So no answer comes before all sounds of its own and
    of earlier trials can have been heard, whenever a line that was lost sends it. fetched: when each sound was first asked for, by name;
    answered: when each answer came, by trial; least: seconds that have to be heard, by item; begun: of the session.
    """
    free, early = begun, {}
    for trial in trials:
        if trial.number not in answered:
            continue
        there = max((fetched.get(slot.sound, begun) for slot in trial.slots), default=begun)
        free = max(free, there) + sum(least.get(slot.item, 0.0) for slot in trial.slots)
        early[trial.number] = max(0.0, free - answered[trial.number])
    return early
