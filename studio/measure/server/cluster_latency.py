"""Time to first byte of a cluster beside one studio alone: `python -m studio.measure.server.cluster_latency --runs 100`.

The same request in turns at each address, on one connection each and on a new connection each time, in an order that alternates. It needs
Ray (`make cluster`). Milliseconds are of this machine; what counts is the ratio of medians.
"""

import argparse
import http.client
import json
import select
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from studio.measure.server.machine import describe_machine
from studio.measure.server.server_process import APP, start_server
from studio.settings import Settings

__all__ = ["main"]

BODY = {"input": "Good morning. This is a short test of the first packet.", "voice": "default", "response_format": "pcm"}
STREAM = {"stream": True, "stream_format": "audio"}
WARM_RUNS = 5
PAUSE_SECONDS = 0.02
READY_SECONDS = 180.0


@dataclass
class ProbedAddress:
    """One way to an address. first_ms: to the first byte of audio, of each run."""

    name: str
    url: str
    keeps: bool
    first_ms: list[float] = field(default_factory=list)
    connection: http.client.HTTPConnection | None = None

    def ask(self) -> float:
        """Milliseconds from before the connection, where it is new, to the first byte of audio."""
        address = urlsplit(self.url)
        started = time.perf_counter()
        if self.connection is not None and self.keeps and _is_closed(self.connection):
            self.connection = None
        if self.connection is None or not self.keeps:
            self.connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
        self.connection.request("POST", "/v1/audio/speech", json.dumps(BODY | STREAM), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        first = answer.read1(65536)
        taken = (time.perf_counter() - started) * 1000
        if answer.status != 200 or not first:
            raise RuntimeError(f"{self.name} answered {answer.status}: {first[:200]!r}")
        while answer.read1(65536):
            pass
        if not self.keeps:
            self.connection.close()
        return taken


def _is_closed(connection: http.client.HTTPConnection) -> bool:
    """By the server, which keeps none for ever."""
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])


def main() -> None:
    """Measure, print a table, and a line of JSON at the end."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--split", action="store_true", help="an ingress, and the engine as so many replicas of a deployment")
    parser.add_argument("--no-ha-proxy", action="store_true", help="Ray's own proxy instead")
    options = parser.parse_args()
    way = "Ray's proxy" if options.no_ha_proxy else "HAProxy"
    with ExitStack() as kept:
        folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        engine = {"STUDIO_ENGINES": str(Settings.model_fields["default_engine"].default)}
        alone = kept.enter_context(start_server(folder / "one", environment=engine))
        shape = [*(["--no-ha-proxy"] if options.no_ha_proxy else []), *(["--split", *engine.values()] if options.split else [])]
        program = (str(APP), "cluster", "--replicas", str(options.replicas), *shape)
        cluster = kept.enter_context(start_server(folder / "many", environment=engine, program=program, most_seconds=READY_SECONDS))
        ways = (("direct", alone.url), (way, cluster.url))
        asked = [ProbedAddress(f"{name}, {'kept' if keeps else 'new'}", url, keeps) for keeps in (True, False) for name, url in ways]
        _run(asked, options.runs)
    print(
        json.dumps(
            {
                "runs": options.runs,
                "replicas": options.replicas,
                "split": options.split,
                "machine": describe_machine(),
                "ways": _table(asked),
            }
        )
    )


def _run(asked: list[ProbedAddress], n_runs: int) -> None:
    for one in asked * WARM_RUNS:
        one.ask()
    for run in range(n_runs):
        for one in asked if run % 2 == 0 else reversed(asked):
            one.first_ms.append(one.ask())
            time.sleep(PAUSE_SECONDS)


def _table(asked: list[ProbedAddress]) -> dict[str, dict[str, float]]:
    """Each against the direct way with the same kind of connection; the table is printed."""
    direct = {one.keeps: statistics.median(one.first_ms) for one in asked if one.name.startswith("direct")}
    said = {}
    print(f"{'way':24} {'median ms':>10} {'p95 ms':>8} {'ratio':>6}")
    for one in asked:
        median, p95 = statistics.median(one.first_ms), statistics.quantiles(one.first_ms, n=20)[-1]
        said[one.name] = {"median_ms": round(median, 2), "p95_ms": round(p95, 2), "ratio": round(median / direct[one.keeps], 3)}
        print(f"{one.name:24} {median:10.2f} {p95:8.2f} {said[one.name]['ratio']:6.2f}")
    return said


if __name__ == "__main__":
    main()
