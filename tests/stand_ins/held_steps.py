"""HeldSteps: holds a fake engine that refines before each of its steps, until the test lets it go."""

import threading


class HeldSteps:
    """To be freed before the studio is closed, which waits for the step under way."""

    def __init__(self):
        self._arrived, self._allowed = threading.Semaphore(0), threading.Semaphore(0)
        self.is_free = False

    def __call__(self, step: int) -> None:
        self._arrived.release()
        assert self.is_free or self._allowed.acquire(timeout=60)

    def wait_for(self, n: int) -> None:
        """Until so many more were begun."""
        for _ in range(n):
            assert self._arrived.acquire(timeout=60)

    def let_go(self, n: int) -> None:
        """Of so many, and wait until another is begun."""
        self._allowed.release(n)
        self.wait_for(n)

    def free(self) -> None:
        self.is_free = True
        self._allowed.release(1_000)
