"""The order of lines: places as whole numbers with gaps, so that a line that is inserted or moved leaves the others where they are."""

from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = ["GAP", "places_of", "rearranged"]

GAP = 1 << 20  # between two neighbors at first: room for 20 lines one by one at the same spot, or a million at once


def rearranged(order: Iterable[str], moved: Collection[str], behind: Iterable[tuple[str, str | None]]) -> list[str]:
    """The order without `moved`, and with the lines of `behind` put in: (line, the line before it), None for the beginning.

    Each line before is one that stays, or one of `behind`; no two lines have the same.
    """
    leaving = frozenset(moved)
    followers = {before: line for line, before in behind}
    result: list[str] = []
    for line in (None, *(line for line in order if line not in leaving)):
        if line is not None:
            result.append(line)
        while (line := followers.get(line)) is not None:
            result.append(line)
    return result


def places_of(order: Sequence[str], known: Mapping[str, int], moved: Collection[str]) -> dict[str, int]:
    """Places for the moved lines of an order, spread between those that stay; for all lines where there is no room left.

    known: places of the lines that stay, at least.
    """
    moving = frozenset(moved)
    places: dict[str, int] = {}
    at, low = 0, None
    while at < len(order):
        if order[at] not in moving:
            low = known[order[at]]
            at += 1
            continue
        end = at
        while end < len(order) and order[end] in moving:
            end += 1
        spread = _spread(end - at, low, known[order[end]] if end < len(order) else None)
        if spread is None:
            return {line: n * GAP for n, line in enumerate(order)}
        places.update(zip(order[at:end], spread, strict=True))
        low, at = spread[-1], end
    return places


def _spread(n: int, low: int | None, high: int | None) -> list[int] | None:
    """n places above low and below high, which may be absent; None where fewer than n lie between."""
    if low is not None and high is not None:
        room = high - low
        return [low + room * (k + 1) // (n + 1) for k in range(n)] if room > n else None
    if low is not None:
        return [low + GAP * (k + 1) for k in range(n)]
    return [(high or 0) - GAP * (n - k) for k in range(n)]
