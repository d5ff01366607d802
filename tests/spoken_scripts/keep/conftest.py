"""A Scripts without an engine; time stands still until a test moves it."""

import pytest

from studio.scripts.scripts import Scripts
from studio.scripts.scripts_folder import ScriptsFolder
from tests.spoken_scripts.keep.made_scripts import Maker
from tests.stand_ins.opened_studio import no_estimators, open_studio

__all__ = ["no_estimators", "open_studio"]


@pytest.fixture
def clock():
    """clock() -> seconds since 1970; `clock.now` is what it says."""

    def now() -> float:
        return now.now

    now.now = 1_800_000_000.0
    return now


@pytest.fixture
def open_scripts(tmp_path, clock):
    """open_scripts(workspace, **settings) -> Scripts on the test's folder; closed after it."""
    made = []

    def make(workspace: str = "", **settings) -> Scripts:
        made.append(ScriptsFolder(tmp_path / "scripts", clock=clock, **settings))
        return Scripts(made[-1], Maker(workspace))

    yield make
    for folder in made:
        folder.close()


@pytest.fixture
def scripts(open_scripts) -> Scripts:
    return open_scripts()
