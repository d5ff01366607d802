"""Which files each of xdist's processes collects: collecting all of them takes 22 seconds of a processor, in each process anew."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

__all__ = ["ALL", "BROWSER", "LONG", "LONG_OF_BROWSER", "PAGES", "files_of_pages", "is_long", "share_of"]

BROWSER = "tests/browser/"
ALL, PAGES = "all", "pages"  # shares: every file; the browser's and the long ones, which whoever has no page left to wait for can take over
# Files that compute for long, the longest first, so that at the end no process waits for one of them.
LONG = (
    *("test_rehearsal.py", "test_contract.py", "test_fuzz.py", "test_decoder_laws.py", "test_packaged_speech.py", "test_parity.py"),
    *("test_app.py", "test_crash_server.py", "test_leaks.py", "test_setup.py", "test_compiled.py", "test_stream.py", "test_crash.py"),
    *("test_fused.py", "test_beside.py", "test_zero_gpu_wheel.py", "test_zero_gpu.py", "test_space.py"),
)
# The same of the browser's: each takes half a minute or more.
LONG_OF_BROWSER = {"test_accessibility.py", "test_library.py", "test_transports.py", "test_creating.py", "test_space.py", "test_cache.py"}
LONG_OF_BROWSER |= {"test_speaking.py", "test_journey.py"}


def is_long(file: str) -> bool:
    """Whether it is one of those that compute for long. file: "tests/engines/test_contract.py"."""
    return not file.startswith(BROWSER) and PurePosixPath(file).name in LONG


def share_of(process: int, n_processes: int) -> str:
    """What that process collects. A process that takes a dead one's place, whose number is none of the first, collects all."""
    return PAGES if n_processes >= 3 and process < n_processes and process % 3 != 2 else ALL


def files_of_pages(tests: Path, files: Iterable[Path]) -> set[Path]:
    """Of these files those of PAGES, with every folder on the way to one. tests: the folder of all tests."""
    wanted = [file for file in files if (name := f"tests/{file.relative_to(tests).as_posix()}").startswith(BROWSER) or is_long(name)]
    return {*wanted, *(folder for file in wanted for folder in file.parents)}
