"""LiveGenerations: which recording every name stands for now. Made before store, cache and history, so that none of them needs another."""

from collections.abc import Callable, Mapping

from studio.speakers.speaker import Generation

__all__ = ["LiveGenerations"]


class LiveGenerations:
    """The store publishes; whoever keeps something of a generation asks before keeping it, and is told when it is gone.

    Thread-safe: what is published is one mapping that replaces another, so that asking takes no lock and may be done under any.
    """

    def __init__(self):
        self._ids: Mapping[str, str] = {}  # generation id by speaker key; replaced, never changed
        self._listeners: tuple[Callable[[Generation], None], ...] = ()

    def __contains__(self, generation: Generation) -> bool:
        """Whether this is what the name stands for now."""
        return self._ids.get(generation.key) == generation.id

    def holds(self, generation_id: str) -> bool:
        """Whether a speaker of whatever name is this generation."""
        return generation_id in self._ids.values()

    def publish(self, ids: Mapping[str, str]) -> None:
        """Say what is live: generation ids by speaker key. The mapping must not change afterwards."""
        self._ids = ids

    def when_gone(self, listener: Callable[[Generation], None]) -> None:
        """Tell `listener` of every generation that went without the knowledge of whoever keeps something of it."""
        self._listeners = (*self._listeners, listener)

    def tell_gone(self, generation: Generation) -> None:
        """Called with no lock held: listeners take their own."""
        for listener in self._listeners:
            listener(generation)
