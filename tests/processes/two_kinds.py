"""Whole files to xdist's processes, so that at any time somebody computes while others wait for pages."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.processes.shares import BROWSER, is_long

__all__ = ["TwoKinds"]


class TwoKinds(LoadFileScheduling):
    """Of three processes two take the browser's files as long as there are any, and the third computes as long as there is anything else.

    A test of the browser waits half of its time, so that two and one keep two cores at work. A process that stays with one kind opens the
    browser and its servers once. A process gets no file that it did not collect (shares.py), and whoever has collected begins.
    """

    def __init__(self, config: pytest.Config, log: object = None):
        super().__init__(config, log)
        self._indices: dict[WorkerController, dict[str, int]] = {}
        self._known: dict[str, None] = {}  # tests that any process collected
        self.collection = []

    @property
    def collection_is_completed(self) -> bool:
        """Whether tests can be handed out; whether all processes are there is `_are_all_there`."""
        return bool(self.registered_collections)

    @property
    def tests_finished(self) -> bool:
        return self._are_all_there and super().tests_finished

    @property
    def _are_all_there(self) -> bool:
        return len(self.registered_collections) >= self.numnodes

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """What of it no process has collected before is to be run."""
        self.registered_collections[node] = list(collection)
        self._indices[node] = {test: index for index, test in enumerate(collection)}
        for test in collection:
            if test not in self._known:
                self.workqueue.setdefault(self._split_scope(test), {})[test] = False
        self._known |= dict.fromkeys(collection)
        self.collection = list(self._known)

    def schedule(self) -> None:
        """Called whenever a process has collected."""
        if session := self.config.pluginmanager.get_plugin("session"):
            session.testscollected = len(self.collection)  # or it is what the last process collected
        for node in self.nodes:
            while node in self._indices and not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
                if not self._hand_out(node):
                    break

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        test = self.registered_collections[node][item_index]
        self.assigned_work[node][self._split_scope(test)][test] = True
        self._reschedule(node)

    def _reschedule(self, node: WorkerController) -> None:
        """Another file, once it has two tests left; the end, where nothing is left for it."""
        if node in self._indices and not node.shutting_down and self._pending_of(self.assigned_work[node]) <= 2:
            self._hand_out(node)

    def _hand_out(self, node: WorkerController) -> bool:
        """Whether there was a file for it."""
        file = next(self._files_for(node), None)
        if file is None:
            if self._are_all_there:
                node.shutdown()
            return False
        work = self.workqueue.pop(file)
        self.assigned_work[node][file] = work
        node.send_runtest_some([self._indices[node][test] for test, is_done in work.items() if not is_done])
        return True

    def _files_for(self, node: WorkerController) -> Iterator[str]:
        """What it can be given, what it is to have next first."""
        own = self._indices[node]
        files = OrderedDict((file, None) for file, work in self.workqueue.items() if all(test in own for test in work))
        if self.nodes.index(node) % 3 == 2:  # what it alone has collected, then what others can take over from it
            kinds = (lambda file: not file.startswith(BROWSER) and not is_long(file), lambda file: not file.startswith(BROWSER))
        else:
            kinds = (lambda file: file.startswith(BROWSER), is_long)
        for is_kind in kinds:
            yield from filter(is_kind, files)
        yield from files
