"""The commands that are tests and linters, on systems with make and without: `python .ci/checks.py lint types test-fast [for pytest]`.

Run by the Python whose environment has requirements-dev.txt. `quick` is what guards the studio itself; `quick ROOM=qwen3_tts` is one
engine's folder, its parity and its rows of what is asked of every engine; `quick ROOM=api` is any one folder of tests.
"""

import os
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SUFFIX = ".exe" if sys.platform == "win32" else ""
LINTERS = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("biome", "check", "--error-on-warnings"),
    ("tsc", "--project", ".ci/tsconfig.json"),
)
TYPES = (("basedpyright",),)  # half a minute to a minute, so that `make check` asks it and no test waits for it
TYPESCRIPT = "7.0.2"  # of npm, since PyPI has none
CHECKS = {"lint": LINTERS, "types": TYPES}
# Half of a browser's test is waiting, so that two processes with browsers and one that computes keep two cores at work (two_kinds.py); a
# fourth has servers and caches of its own, and takes a sixth more processor time.
PYTEST = ("-m", "pytest", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
TESTS = {"test": (), "test-fast": ("-m", "not browser", "--ignore=tests/crash"), "coverage": ("--cov", "--cov-report=html:out/coverage")}
TESTS["coverage"] += ("--cov-report=markdown:out/coverage/table.md",)
TESTS["quick"] = ("-m", "not slow and not again and not browser")
QUICK_ROOMS = ("house", "studio", "api", "ui", "listening")  # the laws of the house stay in one process, and so begin first
CONTRACT = ("tests/engines/test_contract.py", "-k", "not test_contract or espeak or fake")  # of two engines
NOT_QUICK = ("--ignore=tests/studio/measure",)  # what figures are made with
ROOM = "ROOM="
MEMORY = Path("/dev/shm")  # of Linux: files that are memory
ROOM_BYTES = 8 * 1024**3  # tests leave 2.7 GB there until they are over, and what is left serves the machine


def main(words: list[str]) -> int:
    """The exit status of the first that fails."""
    known = {*CHECKS, *TESTS}
    further = [word for word in words if word not in known and not word.startswith(ROOM)]
    for word in [word for word in words if word in known]:
        room = next((other.removeprefix(ROOM) for other in words if other.startswith(ROOM)), "")
        asked = [*_quick(room), *further] if word == "quick" else further
        if status := _check(CHECKS[word]) if word in CHECKS else _test(word, asked):
            return status
    return 0


def _check(programs: tuple[tuple[str, ...], ...]) -> int:
    for name, *arguments in programs:
        if name == "tsc":
            _fetch_tsc()
        program = BIN / f"{name}{SUFFIX}"
        if not program.exists():
            print(f"{name} has no file for this system, so that what it checks is left out here.")  # noqa: T201
        elif status := subprocess.call([program, *arguments], cwd=ROOT):
            return status
    return 0


def _fetch_tsc() -> None:
    """TypeScript into the environment, once for each version. Where there is no npm, or no network, what it checks is left out."""
    npm, at = shutil.which("npm"), BIN.parent / "lib/node_modules/typescript/package.json"
    if npm is None or (at.exists() and f'"version": "{TYPESCRIPT}"' in at.read_text("utf-8")):
        return
    print(f"To fetch: 10 MB, TypeScript {TYPESCRIPT}, which checks the types of the page's scripts; 30 MB on the disk.", flush=True)  # noqa: T201
    quiet = ("--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier", "--fetch-retries=0")
    subprocess.call([npm, "install", "--global", "--prefix", BIN.parent, *quiet, f"typescript@{TYPESCRIPT}"])


def _test(name: str, further: list[str]) -> int:
    """A thread each, or its processes would wait for each other."""
    with _folder_in_memory() as folder:
        surroundings = {**os.environ, "OMP_NUM_THREADS": "1"} | ({"TMPDIR": folder} if folder else {})
        return subprocess.call([sys.executable, *PYTEST, *TESTS[name], *further], cwd=ROOT, env=surroundings)


def _folder_in_memory() -> AbstractContextManager[str | None]:
    """Where tests write; None where there is no room for that in memory, or somebody has said where.

    Files of tests outlive nothing, and some of them wait for a disk at each of their thousand lines.
    """
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ROOM_BYTES:
        return nullcontext()
    return TemporaryDirectory(prefix="studio-tests-", dir=MEMORY, ignore_cleanup_errors=True)


def _quick(room: str = "") -> list[str]:
    """Which tests, in words for pytest. room: a folder below tests/, an engine's name, or "" for what guards the studio."""
    if not room:
        return [*(f"tests/{name}" for name in QUICK_ROOMS), *CONTRACT, *NOT_QUICK]
    if (ROOT / "tests" / room).is_dir():
        return [f"tests/{room}"]
    folders = [f"tests/{layer}/{room}" for layer in ("engines", "parity") if (ROOT / "tests" / layer / room).is_dir()]
    of_all = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/engines").glob("test_*.py"))
    return [*(folders or sys.exit(f"There are no tests of {room!r}.")), *of_all, "-k", room]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
