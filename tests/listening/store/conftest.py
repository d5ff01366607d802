"""A Listening without an engine: checks pass, and time stands still until a test moves it."""

import pytest

from studio.listening.listening import Listening
from studio.listening.listening_folder import ListeningFolder
from tests.listening.store.made_tests import Maker


@pytest.fixture
def clock():
    """clock() -> seconds since 1970; `clock.now` is what it says."""

    def now() -> float:
        return now.now

    now.now = 1_800_000_000.0
    return now


@pytest.fixture
def failing():
    """Checks that do not pass; none, unless a test puts some in."""
    return []


@pytest.fixture
def open_listening(tmp_path, clock, failing, monkeypatch):
    """open_listening(workspace, **settings) -> Listening on the test's folder; closed after it."""
    monkeypatch.setattr("studio.listening.render.checks.checks_of", lambda plan, items, folder: tuple(failing))
    made = []

    def make(workspace: str = "", **settings) -> Listening:
        made.append(ListeningFolder(tmp_path / "listening", clock=clock, **settings))
        return Listening(made[-1], Maker(workspace))

    yield make
    for folder in made:
        folder.close()


@pytest.fixture
def listening(open_listening) -> Listening:
    return open_listening()
