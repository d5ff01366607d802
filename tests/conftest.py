"""How all tests are collected and ordered. Fixtures stand with the rooms that use them: a test of a tensor imports no studio."""

import contextlib
import gc
import importlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stand_ins.kept_folder import remove_kept_folders
from tests.windows_files.windows_files import windows_files

pytest.register_assert_rewrite("engines.contract_suite")  # before any of the files that import it, in whatever order they are
BROWSER = "tests/browser/"
# Files begun first of those that compute, so that at the end no process waits for one of them.
LONG = {"test_rehearsal.py", "test_contract.py", "test_app.py", "test_crash_server.py", "test_space.py", "test_leaks.py", "test_fuzz.py"}
LONG |= {
    "test_packaged_speech.py",
    "test_stream.py",
    "test_crash.py",
    "test_fused.py",
    "test_setup.py",
    "test_parity.py",
    "test_compiled.py",
}
LONG |= {"test_decoder_laws.py", "test_beside.py", "test_zero_gpu_wheel.py", "test_zero_gpu.py"}
# The same of the browser's: each takes half a minute or more.
LONG_OF_BROWSER = {"test_accessibility.py", "test_library.py", "test_transports.py", "test_creating.py", "test_space.py", "test_cache.py"}
LONG_OF_BROWSER |= {"test_speaking.py", "test_journey.py"}

# What is imported and collected stays until the end: looking through all of it again and again for rubbish is 40 % of the time that
# collecting takes, and a part of each test's. Tests are searched as ever, since they begin after `gc.freeze`.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Of xdist's processes each begins with other files: what pytest makes of an `assert` is made once, and not by all at the same time.

    It is kept on disk; in a fresh clone that is half of the time that collecting takes.
    """
    process, n = os.environ.get("PYTEST_XDIST_WORKER"), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if process is None or session.config.getoption("file_or_dir"):
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
    """Two files of the browser, then what computes, then the browser's others; long files first."""
    browsers = list(dict.fromkeys(item.path for item in items if item.nodeid.startswith(BROWSER)))
    browsers.sort(key=lambda path: path.name not in LONG_OF_BROWSER)
    rank = {path: number if number < 2 else 2 + number for number, path in enumerate(browsers)}
    items.sort(key=lambda item: rank.get(item.path, 2 if item.path.name in LONG else 3))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Where files stay whole. It is xdist that asks, so that it is there."""
    from tests.processes.two_kinds import TwoKinds

    return TwoKinds(config, log) if config.getoption("dist") == "loadfile" else None


# --- the rules of another system's files

# Rooms whose tests run a second time under Windows' file rules.
UNDER_WINDOWS_FILES = (
    *("crash/", "studio/storage/", "studio/prompts/", "studio/library/", "studio/speech/test_history.py", "studio/web/test_disk_errors.py"),
    *("studio/speakers/test_store", "studio/speakers/test_speaker_edit.py", "studio/web/test_access.py", "engines/remote/test_ledger.py"),
    *(f"listening/store/test_{name}.py" for name in ("database", "rendering_jobs", "sessions", "tests_kept", "uploads")),
    *("spoken_scripts/keep/test_takes.py", "spoken_scripts/keep/test_shared_file.py"),
    *("studio/running/offer/test_weights.py", "studio/running/offer/test_licenses.py", "studio/running/test_remotes.py"),
    *(f"engines/kit/weights/test_{name}.py" for name in ("checkpoint", "torch_file", "hub_snapshot", "weights", "weights_fetch")),
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    place = metafunc.definition.path.relative_to(Path(__file__).parent).as_posix()
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    if "windows_files" in marks:
        metafunc.parametrize("file_rules", ["windows"], ids=[pytest.HIDDEN_PARAM], indirect=True)
    elif place.startswith(UNDER_WINDOWS_FILES) and "posix_files" not in marks:
        windows = pytest.param("windows", id="windows", marks=pytest.mark.again)
        metafunc.parametrize("file_rules", [pytest.param(None, id=pytest.HIDDEN_PARAM), windows], indirect=True)


@pytest.fixture(autouse=True)
def file_rules(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whose rules files follow: those of this system, or Windows'."""
    with windows_files(tmp_path_factory.getbasetemp()) if getattr(request, "param", None) else contextlib.nullcontext():
        yield
