"""Rendezvous hashing: decides which one of many owns a key. When one goes, only its keys move, each to the second in its own order."""

import hashlib
from collections.abc import Sequence

__all__ = ["SPILL_AT", "cascaded", "ranked"]

SPILL_AT = 8  # requests that one has before the next is asked; then what is prepared there is worth less than the wait


def ranked(members: Sequence[str], key: str) -> list[int]:
    """Places in `members`, the first choice for the key first. The same in every process, whatever order members come in.

    After Thaler and Ravishankar (1998), "Using name-based mappings to increase hit rates".
    """
    return sorted(range(len(members)), key=lambda place: (_weight(members[place], key), members[place]))


def cascaded(order: Sequence[int], depths: Sequence[int], spill_at: int) -> list[int]:
    """The order without those that have `spill_at` requests or more, and they behind it, who has fewest first.

    So a key that many ask for spreads over as many as it takes, always the same ones. depths: requests of all members, by place.
    """
    return sorted(order, key=lambda place: max(0, depths[place] - spill_at + 1))


def _weight(member: str, key: str) -> bytes:
    return hashlib.blake2b(f"{member}:{key}".encode(), digest_size=8).digest()
