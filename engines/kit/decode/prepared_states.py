"""PreparedStates: what the device keeps for known speakers, bounded by bytes. The least recently used goes first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar, cast

__all__ = ["PreparedStates"]


class _Sized(Protocol):
    @property
    def bytes(self) -> int: ...


T = TypeVar("T", bound=_Sized)


class PreparedStates:
    """States by (content digest of the prompt, what it is a state of). Read-only and shared: streams copy them.

    most_bytes: when they are exceeded, the least recently used go. A state larger than all of it is handed out and not kept.
    """

    def __init__(self, most_bytes: int):
        self.most_bytes = most_bytes
        self._states: OrderedDict[tuple[str, Hashable], _Sized] = OrderedDict()
        self._bytes = 0

    @property
    def bytes(self) -> int:
        """Memory held on the device."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._states)

    def get(self, content_digest: str, part: Hashable, make: Callable[[], T]) -> T:
        """The state, made when it is not there."""
        key = (content_digest, part)
        if key in self._states:
            self._states.move_to_end(key)
            return cast("T", self._states[key])  # whoever names a part makes it of one type
        state = make()
        if state.bytes <= self.most_bytes:
            self._states[key] = state
            self._bytes += state.bytes
            while self._bytes > self.most_bytes:
                self._drop(next(iter(self._states)))
        return state

    def known(self, content_digest: str, part: Hashable) -> _Sized | None:
        """The state, where it is there."""
        key = (content_digest, part)
        if key in self._states:
            self._states.move_to_end(key)
        return self._states.get(key)

    def forget(self, content_digest: str) -> None:
        """Drop all states of the prompt. Streams that copied them go on."""
        for key in [key for key in self._states if key[0] == content_digest]:
            self._drop(key)

    def clear(self) -> None:
        """Drop everything."""
        self._states.clear()
        self._bytes = 0

    def _drop(self, key: tuple[str, Hashable]) -> None:
        self._bytes -= self._states.pop(key).bytes
