"""A studio over fake engines, for every folder of tests."""

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis.internal.conjecture import providers

from engines.contract.contract import Engine, EngineInfo
from studio.hearing import packages
from studio.service import Studio
from studio.settings import Settings
from studio.ui.gradio import gradio_stubs  # noqa: F401 makes Gradio lighter, for whoever imports it from here on
from tests.fake_engine import FakeEngine
from tests.kept_folder import remove_kept_folders

# Folders and files begun first, so that at the end no process waits for one of them.
LONG = {"browser", "crash", "test_app.py", "test_space.py", "test_leaks.py", "test_rehearsal.py", "test_fused.py", "test_contract.py"}
LONG |= {"test_beside.py", "test_zero_gpu_wheel.py", "test_zero_gpu.py"}  # and those that wait for other processes
OPENED_BY_STUDIO = ("weights", "free_bytes", "gpu_host")  # what Studio takes beside its settings

# What is imported and collected stays until the end: looking through all of it again and again for rubbish is 40 % of the time that
# collecting takes, and a part of each test's. Tests are searched as ever, since they begin after `gc.freeze`.
gc.disable()

# Of what Hypothesis makes up, some would be words and numbers out of the product's source: with each edit others, and others again with
# each file that the process has imported by then. To search all modules for them takes seconds, in each process.
providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Of xdist's processes each begins with other files: what pytest makes of an `assert` is made once, and not by all at the same time.

    It is kept on disk; in a fresh clone that is half of the time that collecting takes.
    """
    process, n = os.environ.get("PYTEST_XDIST_WORKER"), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if process is None or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    here = Path(__file__).parent
    for path in sorted(here.rglob("test_*.py"))[int(process.removeprefix("gw")) :: n]:
        name = ".".join(path.relative_to(here.parent).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):  # which collecting tells
            importlib.import_module(name)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Whatever is there by now is not looked through again. Of xdist's processes the one that collects nothing comes here too."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    remove_kept_folders()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first."""
    here = Path(__file__).parent
    items.sort(key=lambda item: LONG.isdisjoint(item.path.relative_to(here).parts))


@pytest.fixture(autouse=True)
def deaf(monkeypatch) -> None:
    """No ears but stand-ins', whatever is installed: tests/hearing/test_real_ears.py has them."""
    monkeypatch.setattr(packages, "find_spec", lambda name: getattr(sys.modules.get(name), "__spec__", None))


@pytest.fixture
def open_studio(tmp_path) -> Iterator[Callable[..., Studio]]:
    """open_studio(engine, folder, **settings) -> Studio; all are closed after the test.

    infos, open_engine: several engines, instead of the one. weights, free_bytes: as Studio takes them.
    """
    opened = []

    def start(
        engine: Engine | None = None,
        folder: str | Path = "",
        *,
        infos: Mapping[str, EngineInfo] | None = None,
        open_engine: Callable[[str], Engine] | None = None,
        **settings,
    ) -> Studio:
        engine = engine or FakeEngine()
        infos = infos or {engine.info.id: engine.info}
        handed = {name: settings.pop(name) for name in OPENED_BY_STUDIO if name in settings}
        chosen = Settings(**({"speakers_dir": tmp_path / folder, "default_engine": next(iter(infos))} | settings))
        opened.append(Studio(chosen, infos=infos, open_engine=open_engine or (lambda name: engine), **handed))
        return opened[-1]

    yield start
    for studio in opened:
        studio.close()
