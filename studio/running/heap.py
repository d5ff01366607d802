"""The C heap of this process: few arenas, and free memory goes back while nobody listens. It is set by glibc's own controls.

Every thread that allocates gets an arena of its own otherwise, eight per core, each of which keeps what was once used in it: recordings
that are decoded and encoded on a pool's threads leave hundreds of megabytes free, and resident. Elsewhere than on glibc nothing is done.
"""

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["few_arenas", "trimmed_heap"]

M_ARENA_MAX = -8  # malloc.h
MOST_ARENAS = 2
TRIM_SECONDS = 30.0


def few_arenas() -> None:
    """Before threads begin to allocate; arenas that are there already stay."""
    mallopt = _of_libc("mallopt")
    if mallopt is not None:
        mallopt(M_ARENA_MAX, MOST_ARENAS)


@contextmanager
def trimmed_heap(
    is_quiet: Callable[[], bool], *, trim: Callable[[], object] | None = None, wait: Callable[[float], bool] | None = None
) -> Iterator[None]:
    """Give back what is free, now and then, when is_quiet: it takes some 10 ms during which no thread allocates.

    trim, wait(seconds): other ones than the C library's and the clock's; `wait` returns whether it is over.
    """
    over = threading.Event()
    trim = trim or _malloc_trim()
    if trim is None:
        yield
        return
    thread = threading.Thread(target=_keep_trimmed, args=(is_quiet, trim, wait or over.wait), name="heap-trimmer", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


def _keep_trimmed(is_quiet: Callable[[], bool], trim: Callable[[], object], wait: Callable[[float], bool]) -> None:
    while not wait(TRIM_SECONDS):
        if is_quiet():
            trim()


def _malloc_trim() -> Callable[[], object] | None:
    malloc_trim = _of_libc("malloc_trim")
    return None if malloc_trim is None else lambda: malloc_trim(ctypes.c_size_t(0))


def _of_libc(name: str) -> Callable | None:
    try:
        return getattr(ctypes.CDLL("libc.so.6"), name, None)
    except OSError:  # no glibc
        return None
