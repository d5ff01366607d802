"""DecodeSlots: rows of tensors that stay where they are, and the streams that have them. One step serves all rows at once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["DecodeSlot", "DecodeSlots"]


@dataclass(eq=False, kw_only=True)
class DecodeSlot:
    """One stream's claim to a row.

    row: which one; None while its state lies aside. wants: whether its stream waits for a step that has not been done.
    aside: what was saved of the row, as whoever saves and restores knows it.
    """

    row: int | None = None
    wants: bool = False
    aside: object = field(default=None, repr=False)


S = TypeVar("S", bound=DecodeSlot)


class DecodeSlots(Generic[S]):
    """`width` rows. Up to so many streams keep theirs; beyond it a stream's state is set aside while others have their turn.

    save(slot): what to keep of the slot's row, before another gets it. restore(slot): write `slot.aside` to the row that it has now.
    """

    def __init__(self, width: int, *, save: Callable[[S], object], restore: Callable[[S], None]):
        self.width = width
        self._save, self._restore = save, restore
        self._seated: list[S] = []  # who was used last stands last
        self._without_row: list[S] = []

    @property
    def seated(self) -> tuple[S, ...]:
        """Everybody who has a row."""
        return tuple(self._seated)

    @property
    def set_aside(self) -> tuple[S, ...]:
        """Everybody whose row another has."""
        return tuple(self._without_row)

    def seat(self, slot: S) -> int:
        """The slot's row. Where all are taken, whoever was used least recently makes room; it comes back as it left."""
        if slot.row is None:
            taken = {other.row for other in self._seated}
            if len(taken) == self.width:
                taken.discard(self._make_room(self._seated[0]))
            slot.row = next(row for row in range(self.width) if row not in taken)
            if slot in self._without_row:
                self._restore(slot)
                self._without_row.remove(slot)
                slot.aside = None
        else:
            self._seated.remove(slot)
        self._seated.append(slot)
        return slot.row

    def together(self, slot: S) -> list[S]:
        """Who takes part when the slot's step is done: the slot itself, seated now, and everybody who has a row and wants a step too."""
        self.seat(slot)
        return [other for other in self._seated if other.wants or other is slot]

    def release(self, slot: S) -> None:
        """The stream is over or was dropped. Idempotent."""
        for slots in (self._seated, self._without_row):
            if slot in slots:
                slots.remove(slot)
        slot.row, slot.aside, slot.wants = None, None, False

    def _make_room(self, slot: S) -> int:
        slot.aside, row = self._save(slot), slot.row
        self._seated.remove(slot)
        self._without_row.append(slot)
        slot.row = None
        return row
