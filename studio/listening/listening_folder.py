"""ListeningFolder: the listening tests of all workspaces, in one folder: database, sounds, sessions, and the renderings under way."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from studio.errors import DiskFull, RenderFailed, TestNotOpen
from studio.listening.keep.database import listening_database
from studio.listening.keep.kept_sounds import KeptSounds
from studio.listening.keep.store import ListeningStore
from studio.listening.keep.test import ListeningTest
from studio.listening.plan.design import Check, Trial
from studio.listening.plan.trials import asked_by, trials_of
from studio.listening.planning.tastes import Tastes
from studio.listening.statistics.findings import Findings
from studio.listening.vote.sessions import Sessions
from studio.running.jobs.background_jobs import BackgroundJobs
from studio.workspace import EVERYBODY

__all__ = ["ListeningFolder", "kept"]

T = TypeVar("T")

MOST_TESTS = 200
MOST_KNOWN = 32  # findings, checks, and what earlier tests say of tastes
MOST_WORKSPACE_TESTS = 20  # of one visitor, where they are kept apart


class ListeningFolder:
    """Thread-safe. Raises TestsUnreadable, TestsNewer, DiskError and OSError.

    folder: of the database and of a folder of sounds for each test; made at the first test. most_tests: of who is kept apart from nobody;
    most_workspace_tests: of each visitor who is.
    has_shared_memory: whether the folder is on a real disk (studio/storage/database.py). clock: seconds since 1970.
    """

    def __init__(
        self,
        folder: Path,
        *,
        most_tests: int = MOST_TESTS,
        most_workspace_tests: int = MOST_WORKSPACE_TESTS,
        has_shared_memory: bool = True,
        clock: Callable[[], float] = time.time,
    ):
        self.sounds = KeptSounds(folder)
        self.database = listening_database((folder / "tests").with_suffix(".sqlite"), has_shared_memory=has_shared_memory)
        self.store = ListeningStore(self.database, clock)
        self.sessions = Sessions(self.database, _deal, clock=clock)
        self.jobs = BackgroundJobs("sounds of a listening test", RenderFailed)
        self.hearings = BackgroundJobs("the words of a listening test's sounds", RenderFailed)
        self.known_findings: OrderedDict[object, Findings] = OrderedDict()
        self.known_tastes: OrderedDict[object, Tastes] = OrderedDict()
        self.known_checks: OrderedDict[object, tuple[Check, ...]] = OrderedDict()
        self._most_tests, self._most_workspace_tests = most_tests, most_workspace_tests
        self._is_swept = False

    def most_tests(self, workspace: str) -> int:
        """That it may have."""
        return self._most_tests if workspace == EVERYBODY else self._most_workspace_tests

    def close(self) -> None:
        """Stop rendering, which goes on where it was at the next start."""
        self.jobs.close()
        self.hearings.close()
        self.database.close()

    def forget_old(self, is_old: Callable[[str, float], bool]) -> None:
        """Delete the tests of all workspaces of which is_old(workspace, when they were made) says so."""
        for test_id in self.store.old(is_old):
            self.delete(test_id)

    def delete(self, test_id: str) -> None:
        """From the database first, so that nobody asks for what goes; on a full disk files make room. A rendering takes along its own."""
        self.jobs.stop(test_id)
        self.hearings.stop(test_id)
        try:
            self.store.delete(test_id)
        except DiskFull:
            self.sounds.remove(test_id)
            self.store.delete(test_id)
        self.sweep(again=True)

    def sweep(self, *, again: bool = False) -> None:
        """Files of deleted tests that are there still, since a process died or somebody had them open: once per process, and again where
        another test goes."""
        if again or not self._is_swept:
            self._is_swept = True
            for test_id in self.store.leaving():
                self.remove_files(test_id)

    def remove_files(self, test_id: str) -> None:
        """Of a deleted test; what somebody has open is tried again."""
        if self.sounds.remove(test_id):
            self.store.left(test_id)


def kept(known: OrderedDict[object, T], key: object, make: Callable[[], T]) -> T:
    """What was made of the same before; the first of MOST_KNOWN goes. Two who ask at once may both make it."""
    found = known.get(key)
    if found is None:
        found = known[key] = make()
        if len(known) > MOST_KNOWN:
            known.popitem(last=False)
    return found


def _deal(test: ListeningTest, seat: int, secret: bytes, others: Iterable[Trial]) -> tuple[Trial, ...]:
    try:
        asked = {} if test.plan.questions_per_listener is None else asked_by(test.plan, test.items, others)
        return trials_of(test.plan, test.items, seat, secret, asked)
    except KeyError:  # a draft of which something is missing
        raise TestNotOpen from None
