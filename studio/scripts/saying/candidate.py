"""Candidate: by what one take of a line differs from the others of it: its seed, or its pace where the engine draws nothing."""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engines.contract.contract import EngineInfo
from studio.scripts.script.take import LineTake

__all__ = ["PACES", "SEED", "Candidate", "candidate_of"]

SEED = "seed"
MOST_SEED = 1 << 31  # what engines take at least
# Of an engine whose every seed sounds alike (EngineInfo.draws), in the order in which they are said. Its durations come of the pace, so
# that words are joined otherwise; by 5 % nobody hears a hurry: the smallest change of tempo that listeners to speech notice is about that
# (Quene, "On the just noticeable difference for tempo in speech", Journal of Phonetics 35, 2007).
PACES = (1.0, 0.95, 1.05, 0.9, 1.1)


@dataclass(frozen=True)
class Candidate:
    """seed: None for an engine that knows none. pace: faster than the line asks for."""

    seed: int | None = None
    pace: float = 1.0


def candidate_of(
    info: EngineInfo, takes: Sequence[LineTake], *, seed: int | None = None, beside: Collection[Candidate] = (), usual: int | None = None
) -> Candidate:
    """The next of a line. takes: of the same key. beside: those that are being said. usual: the seed of who has no take yet.

    seed: as it is asked for. An engine that draws nothing counts paces by it, from 0.
    """
    used = {take.seed for take in takes} | {other.seed for other in beside}
    if not info.draws:
        n = seed if seed is not None else next((n for n in range(len(PACES)) if n not in used), 0)
        return Candidate(n, PACES[n % len(PACES)])
    if not any(option.name == SEED for option in info.options):
        return Candidate()
    if seed is not None:
        return Candidate(seed)
    return Candidate(usual if usual is not None and not used else secrets.randbelow(MOST_SEED))
