"""Workers of fake engines, closed after the test."""

import pytest

from studio.running.worker import EngineWorker
from tests.fake_engine import INFO, FakeEngine


@pytest.fixture
def work():
    workers = []

    def start(engine: FakeEngine, *, most_waiting: int = 64, most_ahead_seconds: float = 30.0) -> EngineWorker:
        worker = EngineWorker(INFO, lambda: engine, most_waiting=most_waiting, most_ahead_seconds=most_ahead_seconds)
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.close()
