"""Rendezvous hashing: who of many has a key. When one goes, only its keys go elsewhere, each to the second of its own order."""

import hashlib
from collections.abc import Sequence

__all__ = ["SPILL_AT", "ranked", "spilled"]

SPILL_AT = 8  # requests that the first choice has more than the second; then what is prepared there is worth less than the wait


def ranked(members: Sequence[str], key: str) -> list[int]:
    """Places in `members`, the first choice for the key first. The same in every process, whatever order members come in.

    After Thaler and Ravishankar (1998), "Using name-based mappings to increase hit rates".
    """
    return sorted(range(len(members)), key=lambda place: (_weight(members[place], key), members[place]))


def spilled(order: Sequence[int], depths: Sequence[int], spill_at: int) -> list[int]:
    """The order; the second first where the first one's queue is longer by `spill_at` or more. depths: of all members, by place."""
    order = list(order)
    if len(order) > 1 and depths[order[0]] - depths[order[1]] >= spill_at:
        order[:2] = order[1], order[0]
    return order


def _weight(member: str, key: str) -> bytes:
    return hashlib.blake2b(f"{member}:{key}".encode(), digest_size=8).digest()
