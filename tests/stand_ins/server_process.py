"""Studios and programs of tests in other processes. The embedded engine is their default, whatever this machine would choose by itself.

What a machine chooses, tests/studio/running/test_default_engine.py says.
"""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from studio.measure.server import server_process
from studio.measure.server.server_process import ServerProcess
from studio.settings import Settings
from tests.processes.warm_process import HEADLESS, PAGE, process_of

__all__ = ["ServerProcess", "child_environment", "start_server"]

BY_EMBEDDED = {"STUDIO_DEFAULT_ENGINE": str(Settings.model_fields["default_engine"].default)}


def child_environment() -> dict[str, str]:
    return server_process.child_environment() | BY_EMBEDDED


def start_server(
    speakers_dir: Path, *, warm: Sequence[str] = (), python: str = sys.executable, **how
) -> AbstractContextManager[ServerProcess]:
    """warm: modules that it will import when it is asked for something. python: which one. how: as the one of studio.measure takes it."""
    imported = (*(HEADLESS if how.get("headless", True) else PAGE), *warm)

    def begin(words: Sequence[str], **files) -> subprocess.Popen:
        return process_of([python, *words], warm=imported, **files)

    surroundings = BY_EMBEDDED | dict(how.get("environment") or {})
    return server_process.start_server(speakers_dir, **how | {"begin": begin, "environment": surroundings})
