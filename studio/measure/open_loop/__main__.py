"""Latency and throughput as strangers measure them: `python -m studio.measure.open_loop --help`.

Requests come by a Poisson process over HTTP, on a connection each, in voices that were cloned from recordings. A server that falls behind
gets no pause: that is what "open loop" means. Three firsts are told, each from the moment when the request was due:

- first packet: the first bytes of sound, whatever is in them; vLLM-Omni's AUDIO_TTFP.
- audible packet: the bytes with the first audible sample (an RMS above -50 dBFS in 10 ms): the "audible TTFA" of sglang-omni's comparisons.
- audible: when a player that starts with the first packet plays that sample: what a person waits for. Silence that an engine puts before
  its first word counts here, and nowhere else.

Underruns are silences of that player above 20 ms. Other servers of the same door are measured by --url, with --body for what they need.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from studio.measure.open_loop.arrivals import CallPlan
from studio.measure.open_loop.drawn_engine import DRAWN, drawn_environment
from studio.measure.server.http_figures import COLD_UPLOADS, ask, upload
from studio.measure.server.machine import describe_machine, load_average, spread
from studio.measure.server.server_process import start_server

__all__ = ["main"]

DEMO = Path(__file__).resolve().parents[3] / "assets" / "voices" / "demo.flac"
TEXTS = (  # 3 to 6 s each, read aloud
    "The north wind and the sun were arguing about which of them was the stronger.",
    "She opened the window, and the smell of rain on warm stones came in.",
    "Please leave the parcel with my neighbor if nobody answers the door.",
    "Our train leaves at half past seven, so we should be there by seven.",
    "I have never seen so many people in this small street before.",
)
OPENING_SECONDS = 300.0  # of a large engine on a busy machine
COLUMNS = (
    "requests/s", "sent", "failed", "first packet p50 / p95 / p99 ms", "audible packet", "audible", "underruns", "longest ms",
    "audio s/s", "caller late p95 ms", "load",
)  # fmt: skip


def main() -> None:
    """Measure at each rate, print a table and write JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rates", type=float, nargs="+", default=[0.0, 1.0, 10.0, 20.0], help="requests a second; 0: one after another")
    parser.add_argument("--requests", type=int, default=100, help="at each rate")
    parser.add_argument("--engine", default="", help="that speaks; the studio's default when left out")
    parser.add_argument("--drawn", default="", metavar="SIZE", help="of --engine, with drawn weights: where no weights are")
    parser.add_argument(
        "--voices", type=Path, nargs="+", default=[DEMO], help="recordings, each a cloned voice; they are asked for in turn"
    )
    parser.add_argument(
        "--url", default="", help="a server that runs, in place of a studio of its own; its voices are asked for as --body says"
    )
    parser.add_argument(
        "--body", type=json.loads, default={}, help="JSON: more fields of each request, such as a voice that the server has"
    )
    parser.add_argument("--key", default="", help="of the server")
    parser.add_argument("--sample-rate", type=int, default=24_000, help="Hz of answers that do not tell it")
    parser.add_argument("--warm", type=int, default=3, help="requests before, in each voice, which nobody counts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=Path("out/open_loop.json"))
    options = parser.parse_args()
    with ExitStack() as stack:
        url, names = (options.url, []) if options.url else stack.enter_context(_studio(options.engine, options.drawn, options.voices))
        model = DRAWN if options.drawn else options.engine
        headers = (("Authorization", f"Bearer {options.key}"),) if options.key else ()
        bodies = tuple(_bodies(model, names, options.body))
        _called(CallPlan(url, bodies, 0.0, options.warm * max(1, len(names)), headers, options.sample_rate))
        print(_row(COLUMNS), _row(["---"] * len(COLUMNS)), sep="\n", flush=True)
        rows = []
        for rate in options.rates:
            plan = CallPlan(url, bodies, rate, options.requests, headers, options.sample_rate, options.seed)
            rows.append({"rate": rate, **_figures(_called(plan)), "load_average": load_average()})
            print(_row(_cells(rows[-1])), flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    told = {
        "machine": describe_machine(),
        "engine": options.engine,
        "drawn": options.drawn,
        "voices": len(options.voices),
        "texts": TEXTS,
        "rows": rows,
    }
    options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(f"\nfigures: {options.json}")


@contextmanager
def _studio(engine: str, drawn: str, recordings: Sequence[Path]) -> Iterator[tuple[str, list[str]]]:
    """(url, names): a studio in a process of its own, with a voice for each recording, which its engine has learned.

    drawn: a size of the engine; "" for real weights.
    """
    environment = COLD_UPLOADS | ({"STUDIO_DEFAULT_ENGINE": engine} if engine else {})
    with ExitStack() as stack:
        if drawn:
            environment |= drawn_environment(Path(stack.enter_context(tempfile.TemporaryDirectory())), engine, drawn)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(start_server(folder, environment=environment, most_seconds=OPENING_SECONDS))
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        names = [f"voice{number}" for number in range(len(recordings))]
        for name, recording in zip(names, recordings, strict=True):
            upload(connection, name, recording.read_bytes())
            ask(connection, "POST", f"/v1/audio/voices/{name}/cache")
        connection.close()
        yield server.url, names


def _bodies(model: str, names: Sequence[str], more: dict) -> Iterator[str]:
    """Each voice with each text."""
    fields = {"response_format": "pcm", "stream": True, "stream_format": "audio"} | ({"model": model} if model else {}) | more
    for number, text in enumerate(TEXTS * max(1, len(names))):
        voice = {"voice": names[number % len(names)]} if names else {}
        yield json.dumps(fields | voice | {"input": text})


def _called(plan: CallPlan) -> list[dict]:
    """By a process of its own."""
    command = [sys.executable, "-m", "studio.measure.open_loop.arrivals"]
    return json.loads(subprocess.run(command, input=json.dumps(asdict(plan)), stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout)


def _figures(calls: Sequence[dict]) -> dict[str, object]:
    heard = [call for call in calls if call["end"] is not None]
    if not heard:
        raise SystemExit(f"No request was answered: {calls[0]['error']}")
    underruns = [seconds for call in heard for seconds in call["underruns"]]
    last = max(call["due"] + call["end"] for call in heard)
    firsts = {name: [call[name] for call in heard if call[name] is not None] for name in ("first_packet", "audible_packet", "audible")}
    return {
        "sent": len(calls),
        "failed": len(calls) - len(heard),
        "errors": sorted({call["error"] for call in calls if call["error"]})[:5],
        **{f"{name}_seconds": spread(seconds) for name, seconds in firsts.items()},
        "underruns": len(underruns),
        "calls_with_underruns": sum(bool(call["underruns"]) for call in heard),
        "longest_underrun_seconds": max(underruns, default=0.0),
        "audio_seconds_per_second": sum(call["audio"] for call in heard) / last,
        "late_seconds": spread([call["late"] for call in calls]),
    }


def _cells(row: dict) -> list[object]:
    firsts = [row[f"{name}_seconds"] for name in ("first_packet", "audible_packet", "audible")]
    return [
        "alone" if not row["rate"] else f"{row['rate']:g}",
        row["sent"],
        row["failed"],
        *(" / ".join(f"{1000 * first[name]:.1f}" for name in ("p50", "p95", "p99")) for first in firsts),
        row["underruns"],
        round(1000 * row["longest_underrun_seconds"]),
        f"{row['audio_seconds_per_second']:.1f}",
        f"{1000 * row['late_seconds']['p95']:.1f}",
        "-" if row["load_average"] is None else f"{row['load_average']:.1f}",
    ]


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
