"""Workers of fake engines, closed after the test."""

import pytest

from studio.running.limits import Limits
from studio.running.worker import EngineWorker
from tests.stand_ins.fake_engine import INFO, FakeEngine


@pytest.fixture
def work():
    workers = []

    def start(engine: FakeEngine, **limits) -> EngineWorker:
        worker = EngineWorker(INFO, lambda: engine, limits=Limits(**limits))
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.close()
