"""Gate: holds a fake engine at a place until the test lets it go on."""

import threading

__all__ = ["Gate"]


class Gate:
    """Holds the engine before each chunk until the test lets one through, and counts arrivals."""

    def __init__(self):
        self.arrived = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.open = False

    def __call__(self, index: int) -> None:
        if not self.open:
            self.arrived.release()
            assert self.go.acquire(timeout=60)

    def pass_one(self) -> None:
        assert self.arrived.acquire(timeout=60)
        self.go.release()

    def release(self) -> None:
        self.open = True
        for _ in range(100):
            self.go.release()
