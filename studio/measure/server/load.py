"""The load report for 1 to 64 listeners at once: `python -m studio.measure.server.load`.

Each listener hears a sentence to the end before asking for it again, as people do, and whoever is refused comes back when told
(listeners.py, in a process of its own). Two servers, one for each STUDIO_ADMIT, take turns at every number of listeners, so
that what else the machine does meets both.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from engines.catalog import engine_ids
from studio.measure.server.http_figures import COLD_UPLOADS, ask, upload
from studio.measure.server.machine import describe_machine, load_average, spread
from studio.measure.server.server_process import SERVER, ServerProcess, start_server

__all__ = ["main"]

N_OFFERED = (1, 2, 4, 8, 16, 32, 64)
WAYS = ("sustainable", "all")  # of STUDIO_ADMIT
PROGRAMS = {engine_ids()[0]: None, "paced": ("-m", "studio.measure.server.paced_server")}
SENTENCE = "The north wind and the sun were arguing about which of them was stronger, when a traveller came along. "
DEMO = Path(__file__).resolve().parents[3] / "assets/voices/demo.flac"
NAME = "bench"  # as `upload` calls it
COLUMNS = (
    "engine", "admit", "offered", "admitted", "refused", "Retry-After s", "errors", "waiting p50 / p95 s", "TTFP p50 / p95 s",
    "underruns", "longest ms", "server, cores", "waited for a core", "load",
)  # fmt: skip


def main() -> None:
    """Measure the embedded engine and the paced one, print a table and write JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="after which no listener asks again")
    parser.add_argument("--offered", type=_numbers, default=N_OFFERED, help="how many listeners at once, comma separated")
    parser.add_argument("--engines", type=lambda text: text.split(","), default=list(PROGRAMS), help="comma separated")
    parser.add_argument("--max-wait", type=float, help="STUDIO_MAX_WAIT_SECONDS of the servers")
    parser.add_argument("--json", type=Path, default=Path("out/load.json"))
    options = parser.parse_args()
    figures: dict[str, object] = {"machine": describe_machine(), "text_characters": len(SENTENCE), "seconds": options.seconds}
    print(_row(COLUMNS), _row(["---"] * len(COLUMNS)), sep="\n", flush=True)
    for engine in options.engines:
        with ExitStack() as stack:
            servers = {way: stack.enter_context(_server(PROGRAMS[engine], way, options.max_wait)) for way in WAYS}
            figures[engine] = [_told(engine, row) for row in _rows(servers, options.offered, options.seconds)]
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"\nfigures: {options.json}")


def _rows(servers: dict[str, ServerProcess], numbers: Sequence[int], seconds: float) -> Iterator[dict[str, object]]:
    for offered in numbers:
        for way, server in servers.items():
            yield {"admit": way} | _load(server, offered, seconds)


def _told(engine: str, row: dict[str, object]) -> dict[str, object]:
    print(_row([engine, *_cells(row)]), flush=True)
    return row


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


@contextmanager
def _server(program: tuple[str, ...] | None, way: str, max_wait: float | None) -> Iterator[ServerProcess]:
    environment = COLD_UPLOADS | {"STUDIO_ADMIT": way} | ({} if max_wait is None else {"STUDIO_MAX_WAIT_SECONDS": str(max_wait)})
    with tempfile.TemporaryDirectory() as folder, start_server(Path(folder), environment=environment, program=program or SERVER) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        upload(connection, NAME, DEMO.read_bytes())
        ask(connection, "POST", f"/v1/audio/voices/{NAME}/cache")
        ask(connection, "POST", "/v1/audio/speech", _body(SENTENCE))  # what the engine takes is known from its first speech on
        connection.close()
        yield server


def _load(server: ServerProcess, offered: int, seconds: float) -> dict[str, object]:
    started, used = time.perf_counter(), _processor_seconds(server.process.pid)
    command = [sys.executable, "-m", "studio.measure.server.listeners", "--port", str(server.port)]
    command += ["--listeners", str(offered), "--seconds", str(seconds)]
    speeches = json.loads(subprocess.run(command, input=_body(SENTENCE), stdout=subprocess.PIPE, check=True).stdout)
    took = time.perf_counter() - started
    share = [(after - before) / took for before, after in zip(used, _processor_seconds(server.process.pid), strict=True)]
    admitted = [speech for speech in speeches if speech["status"] == http.client.OK]
    refused = [speech for speech in speeches if speech["status"] == http.client.SERVICE_UNAVAILABLE]
    underruns = [seconds for speech in admitted for seconds in speech["underruns"]]
    return {
        "offered": offered,
        "admitted": len(admitted),
        "refused": len(refused),
        "retry_after_seconds": spread([speech["retry_after"] for speech in refused]) if refused else None,
        "errors": sum(bool(speech["error"]) for speech in speeches) - len(refused),
        "waiting_seconds": spread([speech["queue"] for speech in admitted]),
        "first_byte_seconds": spread([speech["first_byte"] for speech in admitted]),
        "underruns": len(underruns),
        "longest_underrun_seconds": max(underruns, default=0.0),
        "audio_seconds_per_second": sum(speech["audio"] for speech in admitted) / took,
        "processor_share": share[0],
        "waited_for_processor_share": share[1],
        "load_average": load_average(),
    }


def _processor_seconds(pid: int) -> tuple[float, float]:
    """That the threads of a process were on a core so far, and that they were ready and waited for one (proc(5), schedstat)."""
    both = [file.read_text(encoding="utf-8").split()[:2] for file in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(int(on) for on, _ in both) / 1e9, sum(int(waited) for _, waited in both) / 1e9


def _body(text: str) -> bytes:
    return json.dumps({"input": text, "voice": NAME, "response_format": "pcm", "stream_format": "audio"}).encode()


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _cells(row: dict) -> list[object]:
    told, waiting, first = row["retry_after_seconds"], row["waiting_seconds"], row["first_byte_seconds"]
    return [
        row["admit"],
        row["offered"],
        row["admitted"],
        row["refused"],
        "" if told is None else f"{told['least']:.0f} to {told['greatest']:.0f}",
        row["errors"],
        f"{waiting['p50']:.2f} / {waiting['p95']:.2f}",
        f"{first['p50']:.3f} / {first['p95']:.3f}",
        row["underruns"],
        round(row["longest_underrun_seconds"] * 1000),
        f"{row['processor_share']:.2f}",
        f"{row['waited_for_processor_share']:.2f}",
        f"{row['load_average']:.1f}" if row["load_average"] is not None else "-",
    ]


if __name__ == "__main__":
    main()
