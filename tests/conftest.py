"""How all tests are collected and ordered. Fixtures stand with the rooms that use them: a test of a tensor imports no studio."""

import contextlib
import gc
import importlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes.shares import ALL, BROWSER, LONG, LONG_OF_BROWSER, PAGES, files_of_pages, is_long, share_of
from tests.stand_ins.kept_folder import remove_kept_folders
from tests.windows_files.windows_files import windows_files

pytest.register_assert_rewrite("engines.contract_suite")  # before any of the files that import it, in whatever order they are

# What is imported and collected stays until the end: looking through all of it again and again for rubbish is 40 % of the time that
# collecting takes, and a part of each test's. Tests are searched as ever, since they begin after `gc.freeze`.
gc.disable()


HERE = Path(__file__).parent
COLLECTED = pytest.StashKey[set[Path]]()  # files and folders that this process collects, where these are not all
SHARE = "share"  # of what there is to collect, as xdist's processes are told it


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Before one of xdist's processes starts. Where a part of the tests was asked for, each collects all of it."""
    is_whole = node.config.getoption("dist") == "loadfile" and not any(map(node.config.getoption, ("file_or_dir", "keyword", "markexpr")))
    number = int(node.gateway.id.removeprefix("gw"))
    node.workerinput[SHARE] = share_of(number, node.workerinput["workercount"]) if is_whole else ALL


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Of xdist's processes each begins with other files: what pytest makes of an `assert` is made once, and not by all at the same time.

    It is kept on disk; in a fresh clone that is half of the time that collecting takes.
    """
    process, n = os.environ.get("PYTEST_XDIST_WORKER"), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if process is None or session.config.getoption("file_or_dir"):
        return
    files, number = sorted(HERE.rglob("test_*.py")), int(process.removeprefix("gw"))
    if _share(session.config) == PAGES:
        session.config.stash[COLLECTED] = of_pages = files_of_pages(HERE, files)
        files = [file for file in files if file in of_pages]
    for path in files[number::n]:
        name = ".".join(path.relative_to(HERE.parent).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):  # which collecting tells
            importlib.import_module(name)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether it is of no share of this process."""
    of_share = config.stash.get(COLLECTED, None)
    return True if of_share is not None and collection_path.is_relative_to(HERE) and collection_path not in of_share else None


def _share(config: pytest.Config) -> str:
    return getattr(config, "workerinput", {}).get(SHARE, ALL)


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
    rank = {path: number if number < 2 else 2 + len(LONG) + number for number, path in enumerate(browsers)}
    items.sort(key=lambda item: rank.get(item.path, 2 + (LONG.index(item.path.name) if is_long(item.nodeid.split("::")[0]) else len(LONG))))


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
        metafunc.parametrize("file_rules", [None, "windows"], ids=[pytest.HIDDEN_PARAM, "windows"], indirect=True)


@pytest.fixture(autouse=True)
def file_rules(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whose rules files follow: those of this system, or Windows'."""
    with windows_files(tmp_path_factory.getbasetemp()) if getattr(request, "param", None) else contextlib.nullcontext():
        yield
