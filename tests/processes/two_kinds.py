"""Whole files to xdist's processes, so that at any time somebody computes while others wait for pages."""

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

__all__ = ["TwoKinds"]

BROWSER = "tests/browser/"
HOUSE = "tests/house/"  # whose files look at what all others have parsed


class TwoKinds(LoadFileScheduling):
    """Of three processes two take the browser's files as long as there are any, and the third computes as long as there is anything else.

    A test of the browser waits half of its time, so that two and one keep two cores at work. A process that stays with one kind opens the
    browser and its servers once.
    """

    def _split_scope(self, nodeid: str) -> str:
        """What stays together: a file, or the house's laws."""
        return HOUSE if nodeid.startswith(HOUSE) else super()._split_scope(nodeid)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """What the process is to have next goes first, in case it is given a file now."""
        computes = self.nodes.index(node) % 3 == 2
        ours = (file for file in self.workqueue if file.startswith(BROWSER) != computes)
        if (file := next(ours, None)) is not None:
            self.workqueue.move_to_end(file, last=False)
        super().mark_test_complete(node, item_index, duration)
