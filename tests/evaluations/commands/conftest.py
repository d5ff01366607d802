"""A studio over fake engines and without ears, for tests of the command."""

import pytest

from studio.commands import evaluate, evaluate_results
from tests.stand_ins.opened_studio import no_estimators, open_studio

__all__ = ["no_estimators", "no_pauses", "open_studio"]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch) -> None:
    """Between two looks at what is being said."""
    for command in (evaluate, evaluate_results):
        monkeypatch.setattr(command, "LOOK_SECONDS", 0.002)
