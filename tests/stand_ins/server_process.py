"""Studios and programs of tests in other processes. The embedded engine is their default, whatever this machine would choose by itself.

What a machine chooses, tests/studio/running/test_default_engine.py says. They have no ears, whatever is installed, which would hear every
clip for seconds: tests/analysis/test_real_estimators.py has them.
"""

import os
from contextlib import AbstractContextManager
from pathlib import Path

from studio.measure.server import server_process
from studio.measure.server.server_process import ServerProcess
from studio.settings import Settings

__all__ = ["ServerProcess", "child_environment", "start_server"]

WITHOUT_EARS = Path(__file__).with_name("without_ears")
BY_EMBEDDED = {"STUDIO_DEFAULT_ENGINE": str(Settings.model_fields["default_engine"].default)}


def child_environment() -> dict[str, str]:
    return server_process.child_environment() | _added()


def start_server(speakers_dir: Path, **how) -> AbstractContextManager[ServerProcess]:
    """how: as the one of studio.measure takes it."""
    return server_process.start_server(speakers_dir, **how | {"environment": _added() | dict(how.get("environment") or {})})


def _added() -> dict[str, str]:
    paths = (str(WITHOUT_EARS), server_process.child_environment().get("PYTHONPATH"))
    return BY_EMBEDDED | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
