"""A studio server that reports what its process holds: `python -m studio.measure.server.observed_server --tells FILE`. Not on Windows.

SIGUSR1: it writes what is cheap to count into the file, as JSON. SIGUSR2: first it collects garbage, and counts objects by type too.
"""

import argparse
import asyncio
import concurrent.futures.thread
import ctypes
import gc
import json
import logging
import os
import re
import signal
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from anyio._backends._asyncio import WorkerThread

from studio.running.offer.offer import offered_settings
from studio.server import ServedAt, serve

__all__ = ["POOLED", "holdings", "main"]

POOLED = "pool of "

MOST_ROWS = 60  # of a census; what leaks is far up
MALLINFO = (
    "arena",
    "ordblks",
    "smblks",
    "hblks",
    "hblkhd",
    "usmblks",
    "fsmblks",
    "uordblks",
    "fordblks",
    "keepcost",
)  # malloc.h, mallinfo2


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in MALLINFO]


def main() -> None:
    """Serve page and API, or the API alone, until interrupted."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--tells", type=Path, required=True, help="file that a signal has written")
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--headless", action="store_true", help="serve the API alone")
    options = parser.parse_args()
    if sys.platform == "win32":
        sys.exit("The server tells what it holds when a signal asks it, and Windows has no such signals. Run it on Linux or macOS.")
    signal.signal(signal.SIGUSR1, lambda number, frame: _tell(options.tells, holdings()))
    signal.signal(signal.SIGUSR2, lambda number, frame: _tell(options.tells, holdings(with_census=True)))
    logging.basicConfig(level=logging.INFO)  # as app.py: what is logged is part of the work
    settings = offered_settings()
    serve(settings, ServedAt("127.0.0.1", options.port), headless=options.headless)


def holdings(*, with_census: bool = False) -> dict[str, object]:
    """Counts of this process: threads, and tasks of the running loop, by name; objects that the collector knows; the C heap in bytes.

    heap_used: what is allocated, mapped blocks included. heap_free: what the allocator keeps without use.
    """
    if with_census:
        gc.collect()
    objects = gc.get_objects()
    told: dict[str, object] = {
        "threads": _counted(_thread_name(thread) for thread in threading.enumerate()),
        "tasks": _counted(_name_of(task) for task in _tasks()),
        "objects": len(objects),
        **_heap(),
    }
    if with_census:
        told["types"] = dict(Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in objects).most_common(MOST_ROWS))
    if with_census and tracemalloc.is_tracing():
        told["allocations"] = _allocations()
    return told


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names))


def _thread_name(thread: threading.Thread) -> str:
    """With POOLED where it belongs to a pool, which keeps it for the next work, up to the pool's bound."""
    name = re.sub(r"[-_ (]*\d+.*", "", thread.name)
    is_pooled = isinstance(thread, WorkerThread) or getattr(thread, "_target", None) is concurrent.futures.thread._worker
    return POOLED + name if is_pooled else name


def _tasks() -> set[asyncio.Task]:
    try:
        return asyncio.all_tasks()
    except RuntimeError:  # the loop does not run (yet)
        return set()


def _name_of(task: asyncio.Task) -> str:
    return getattr(task.get_coro(), "__qualname__", "") or task.get_name()


def _heap() -> dict[str, int]:
    """{} where the C library is not glibc 2.33 or newer."""
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo2 is None:
        return {}
    mallinfo2.restype = _Mallinfo
    heap = mallinfo2()
    return {"heap_used": heap.uordblks + heap.hblkhd, "heap_free": heap.fordblks}


def _allocations() -> dict[str, int]:
    """Bytes by the line that allocated them, of what Python allocates."""
    top = tracemalloc.take_snapshot().statistics("lineno")[:MOST_ROWS]
    return {f"{row.traceback[0].filename}:{row.traceback[0].lineno}": row.size for row in top}


def _tell(file: Path, told: dict[str, object]) -> None:
    whole = file.with_suffix(".partial")
    whole.write_text(json.dumps(told), encoding="utf-8")
    os.replace(whole, file)


if __name__ == "__main__":
    main()
