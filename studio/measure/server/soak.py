"""The soak test: `python -m studio.measure.server.soak --minutes 60`.

Clients send mixed work to one server; it checks whether the server's memory grows.

After SETTLING_MINUTES all clients leave, and what the server holds at rest is noted; then they come back, and at the end leave again. What
is held at rest must be the same both times: memory within MOST_GROWTH, descriptors and threads exactly. Threads that a pool keeps for its
next work are shown and not counted: the pool's size is their bound. Linux alone.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NotRequired, TypedDict

from studio.measure.server.machine import describe_machine
from studio.measure.server.mixed_work import MixedWorker
from studio.measure.server.observed_server import POOLED
from studio.measure.server.server_process import ServerProcess, start_server

__all__ = ["main", "verdict"]

SETTLING_MINUTES = 10.0  # of an hour; a sixth of what is shorter
REST_SECONDS = 45.0  # of the way back that a deletion leaves, 30 s are the longest that anything here waits to end
SAMPLE_SECONDS = 30.0
MOST_GROWTH = 0.03
TELL_SECONDS = 30.0
WAIT_SECONDS = 0.1  # between two looks at whether the server has had its share
# Small bounds, so that what is bounded is full before anything is compared.
SMALL = {"SPEAKER_CACHE_MAX_ENTRIES": "24", "STUDIO_MAX_HISTORY": "20", "STUDIO_WARM_UPLOADS": "true"}


class Held(TypedDict):
    """What a server holds: bytes, objects, and the others by kind."""

    rss: int
    anonymous: int
    heap_used: NotRequired[int]
    heap_free: NotRequired[int]
    objects: int
    threads: dict[str, int]
    descriptors: dict[str, int]
    tasks: dict[str, int]


class Sample(Held):
    """So many minutes after the start."""

    minutes: float


class Soaked(TypedDict):
    """settled, end: at rest, early and at the end. answers: how many of each act and outcome."""

    samples: list[Sample]
    settled: Sample
    end: Sample
    answers: dict[str, int]


class Server:
    """What one server process holds, asked from outside (/proc) and of itself (observed_server.py)."""

    def __init__(self, server: ServerProcess, tells: Path):
        self.port = server.port
        self.processor_seconds = server.processor_seconds
        self._process = server.process
        self._tells = tells
        self._proc = Path(f"/proc/{server.process.pid}")

    def holds(self, *, with_census: bool = False) -> Held:
        """Bytes resident, in all and by kind; descriptors by kind; and what `holdings` counts inside."""
        if sys.platform == "win32":
            raise RuntimeError("A server is asked by signals that Windows does not have. Run this on Linux.")
        self._tells.unlink(missing_ok=True)
        self._process.send_signal(signal.SIGUSR2 if with_census else signal.SIGUSR1)
        deadline = time.monotonic() + TELL_SECONDS
        while not self._tells.exists():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError("The server does not answer.")
            time.sleep(WAIT_SECONDS)
        return json.loads(self._tells.read_text(encoding="utf-8")) | self._resident() | {"descriptors": self._descriptors()}

    def _resident(self) -> dict[str, int]:
        lines = dict(line.split(":", 1) for line in (self._proc / "status").read_text(encoding="utf-8").splitlines())
        return {name: int(lines[row].split()[0]) * 1024 for name, row in (("rss", "VmRSS"), ("anonymous", "RssAnon"))}

    def _descriptors(self) -> dict[str, int]:
        found: Counter[str] = Counter()
        for link in (self._proc / "fd").iterdir():
            try:
                target = os.readlink(link)
            except FileNotFoundError:  # closed meanwhile
                continue
            found["file" if target.startswith("/") else target.partition(":[")[0]] += 1
        return dict(found)


class CpuShare:
    """Lets clients act as long as server and clients together use less than `share` of one core."""

    def __init__(self, server: Server, share: float):
        self._server = server
        self._share = share
        self._since = (time.monotonic(), self._used())

    def wait(self, until: float) -> bool:
        """Whether it is one's turn before that time (time.monotonic())."""
        started, used = self._since
        while time.monotonic() < until:
            if self._used() - used < self._share * (time.monotonic() - started):
                return True
            time.sleep(WAIT_SECONDS)
        return False

    def _used(self) -> float:
        return self._server.processor_seconds() + time.process_time()


def main() -> None:
    """Run, print a line per sample, the answers and the verdict, and write JSON. Exit status 1 where the verdict is bad."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--share", type=float, default=0.5, help="of one core, for server and clients together")
    parser.add_argument("--headless", action="store_true", help="the API alone, without the page")
    parser.add_argument("--trace", action="store_true", help="count allocations by line (slower, and takes memory of its own)")
    parser.add_argument("--json", type=Path, default=Path("out/soak.json"))
    options = parser.parse_args()
    program = ("-m", "studio.measure.server.observed_server", "--tells")
    environment = SMALL | ({"PYTHONTRACEMALLOC": "1"} if options.trace else {})
    with tempfile.TemporaryDirectory() as folder:
        tells = Path(folder) / "holdings.json"
        with start_server(
            Path(folder) / "speakers", headless=options.headless, environment=environment, program=(*program, str(tells))
        ) as process:
            figures = _soak(Server(process, tells), options)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"machine": describe_machine(), **figures}, indent=1) + "\n", encoding="utf-8")
    lines = verdict(figures["settled"], figures["end"], figures["answers"])
    print("\n".join(f"{'good' if good else 'BAD '}  {line}" for good, line in lines), f"figures: {options.json}", sep="\n")
    raise SystemExit(0 if all(good for good, _ in lines) else 1)


def _soak(server: Server, options: argparse.Namespace) -> Soaked:
    workers = [MixedWorker(number, server.port, page=not options.headless) for number in range(options.clients)]
    samples: list[Sample] = []
    started = time.monotonic()

    def sample(*, with_census: bool = False) -> Sample:
        held: Sample = {**server.holds(with_census=with_census), "minutes": (time.monotonic() - started) / 60}
        print(_row(held, sum(sum(worker.answers.values()) for worker in workers)), flush=True)
        samples.append(held)
        return held

    print("minutes  answers  RSS MB  anonymous  heap used  heap free  objects  threads  descriptors  tasks")
    sample()
    for worker in workers:
        worker.settle_in()
    settling = min(SETTLING_MINUTES, options.minutes / 6)
    at_rest = []
    for minutes in (settling, options.minutes - settling):
        _work(workers, CpuShare(server, options.share), minutes * 60, sample)
        time.sleep(REST_SECONDS)
        at_rest.append(sample(with_census=True))
    answers: Counter[str] = Counter()
    for worker in workers:
        answers.update({f"{act}: {outcome}": n for (act, outcome), n in worker.answers.items()})
    return {"samples": samples, "settled": at_rest[0], "end": at_rest[1], "answers": dict(sorted(answers.items()))}


def _work(workers: list[MixedWorker], share: CpuShare, seconds: float, sample: Callable[[], object]) -> None:
    """All clients for so long, sampled meanwhile; afterwards they are gone."""
    until = time.monotonic() + seconds

    def go_on(worker: MixedWorker) -> None:
        while share.wait(until):
            worker.act()

    threads = [threading.Thread(target=go_on, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(SAMPLE_SECONDS, left))
        sample()
    for thread in threads:
        thread.join()


def verdict(settled: Held, end: Held, answers: Mapping[str, int]) -> list[tuple[bool, str]]:
    """(good, what is so) of memory, threads, descriptors, tasks, and of answers that no client should get."""
    growth = end["rss"] / settled["rss"] - 1
    lines = [(growth <= MOST_GROWTH, f"memory at rest: {settled['rss'] / 1e6:.1f} MB, then {end['rss'] / 1e6:.1f} MB, {growth:+.1%}")]
    for kind in ("threads", "descriptors", "tasks"):
        left = {name: n for name, n in (Counter(end[kind]) - Counter(settled[kind])).items() if not name.startswith(POOLED)}
        more = ", ".join(f"{n} {name}" for name, n in left.items())
        lines.append(
            (not left, f"{kind} at rest: {sum(settled[kind].values())}, then {sum(end[kind].values())}" + (more and f"; more: {more}"))
        )
    broken = {answer: n for answer, n in answers.items() if not answer.rpartition(": ")[2].startswith(("1", "2", "3", "4", "cut"))}
    lines.append((not broken, f"answers: {sum(answers.values())}, of them 5xx or none: {broken or 0}"))
    return lines


def _row(held: Sample, n_answers: int) -> str:
    sizes = "  ".join(f"{held.get(name, 0) / 1e6:9.1f}" for name in ("anonymous", "heap_used", "heap_free"))
    counts = [sum(held[name].values()) for name in ("threads", "descriptors", "tasks")]
    return (
        f"{held['minutes']:7.1f}  {n_answers:7d}  {held['rss'] / 1e6:6.1f}  {sizes}  {held['objects']:7d}"
        f"  {counts[0]:7d}  {counts[1]:11d}  {counts[2]:5d}"
    )


if __name__ == "__main__":
    main()
