"""Expiry: deletes visitors' voices, speeches, dictionaries and listening tests when their time is over. Only in a studio that is set so."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from engines.errors import EngineError
from studio.settings import Settings
from studio.speakers.speaker import Generation
from studio.speakers.store import SpeakerStore
from studio.workspace import EVERYBODY, is_of_a_session

__all__ = ["Expiry"]

MOST_BETWEEN_SECONDS = 600.0
SESSION_HOURS = 24.0  # at most, of what belongs to a Gradio session, which nobody can come back to

log = logging.getLogger("studio.store")


class Forgetting(Protocol):
    """What keeps something of workspaces."""

    def forget_old(self, is_old: Callable[[str, float], bool]) -> None:
        """Delete that of which is_old(workspace, seconds since 1970 when it was made) says so."""


class Expiry:
    """Looks from time to time, from a thread of its own, which begins at the first workspace that there can be.

    forgetting: what else there is of workspaces.
    let_go(generation): what a speaker leaves in memory. clock: seconds since 1970.
    """

    def __init__(
        self,
        settings: Settings,
        store: SpeakerStore,
        forgetting: Sequence[Forgetting],
        let_go: Callable[[Generation], None],
        clock: Callable[[], float] = time.time,
    ):
        self._hours = settings.workspace_hours
        self._store = store
        self._forgetting = forgetting
        self._forget_generation = let_go
        self._clock = clock
        self._closed = threading.Event()
        if settings.workspaces == "private":
            threading.Thread(target=self._look_from_time_to_time, name="expiry", daemon=True).start()

    def sweep(self) -> None:
        """Delete for good what is too old."""
        for speaker in self._store.speakers():
            if self._is_old(speaker.workspace, speaker.created_at):
                try:
                    self._store.remove(speaker.name, speaker.workspace)
                except (EngineError, OSError) as error:
                    log.warning("a voice whose time is over stays until the next look: %s", error)
                    continue
                self._forget_generation(speaker.generation)
        for part in self._forgetting:
            part.forget_old(self._is_old)

    def close(self) -> None:
        self._closed.set()

    def _is_old(self, workspace: str, at: float) -> bool:
        """at: seconds since 1970 when it was made."""
        hours = min(SESSION_HOURS, self._hours or SESSION_HOURS) if is_of_a_session(workspace) else self._hours
        return workspace != EVERYBODY and bool(hours) and self._clock() - at > hours * 3600

    def _look_from_time_to_time(self) -> None:
        between = min(MOST_BETWEEN_SECONDS, (self._hours or SESSION_HOURS) * 360)  # a tenth of their time
        while not self._closed.wait(between):
            try:
                self.sweep()
            except Exception:
                log.exception("what is too old was not deleted")
