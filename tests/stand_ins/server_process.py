"""Studios and programs of tests in other processes. The embedded engine is their default, whatever this machine would choose by itself.

What a machine chooses, tests/studio/running/test_default_engine.py says.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from studio.measure.server import server_process
from studio.measure.server.server_process import ServerProcess
from studio.settings import Settings
from tests.processes.warm_process import HEADLESS, PAGE, process_of

__all__ = ["ServerProcess", "child_environment", "start_server"]

BY_EMBEDDED = {"STUDIO_DEFAULT_ENGINE": str(Settings.model_fields["default_engine"].default)}


def child_environment() -> dict[str, str]:
    return server_process.child_environment() | BY_EMBEDDED


def start_server(speakers_dir: Path, *, warm: Sequence[str] = (), **how) -> AbstractContextManager[ServerProcess]:
    """warm: modules that it will import when it is asked for something. how: as the one of studio.measure takes it."""
    begin = partial(process_of, warm=(*(HEADLESS if how.get("headless", True) else PAGE), *warm))
    return server_process.start_server(
        speakers_dir, **how | {"begin": begin, "environment": BY_EMBEDDED | dict(how.get("environment") or {})}
    )
