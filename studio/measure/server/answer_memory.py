"""Memory that long answers take: `python -m studio.measure.server.answer_memory`.

A server of its own for each request, so that nothing is left of another one: resident memory when it has answered a short one, and the most
that it had while it made and sent the long one.
"""

import argparse
import http.client
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from studio.measure.server.machine import describe_machine
from studio.measure.server.server_process import ServerProcess, start_server

__all__ = ["main"]

SENTENCE = "The north wind and the sun were arguing about which of them was stronger, when a traveller came along. "
SPEECH, BATCH = "/v1/audio/speech", "/v1/audio/speech/batch"
BLOCK_BYTES = 1 << 16


@dataclass(frozen=True)
class Case:
    """A request: `fields` beside the text of so many characters, in so many items where it is a batch."""

    title: str
    n_characters: int
    fields: dict[str, object]
    n_items: int = 0
    headers: dict[str, str] = field(default_factory=dict)


CASES = (
    Case("20,000 characters as wav", 20_000, {}),
    Case("20,000 characters as wav at 48 kHz", 20_000, {"sample_rate": 48_000}),
    Case("20,000 characters as mp3", 20_000, {"response_format": "mp3"}),
    Case("2,494 characters at speed 0.25, wav at 48 kHz", 2_494, {"speed": 0.25, "sample_rate": 48_000}),
    Case("batch of 8 x 2,500 characters as wav", 2_500, {}, n_items=8),
    Case(
        "20,000 characters streamed and kept", 20_000, {"stream_format": "audio", "response_format": "pcm"}, headers={"X-Studio-Keep": "1"}
    ),
)


def main() -> None:
    """Print a table of memory in MB and of seconds of audio."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--only", default="", help="cases whose title has this in it")
    options = parser.parse_args()
    print(json.dumps(describe_machine()))
    print(f"{'request':48} {'idle':>8} {'peak':>8} {'above':>8} {'answer':>8}  status")
    for case in CASES:
        if options.only in case.title:
            with tempfile.TemporaryDirectory() as folder, start_server(Path(folder)) as server:
                _measure(server, case)


def _measure(server: ServerProcess, case: Case) -> None:
    _ask(server, Case("a short one", len(SENTENCE), case.fields, min(1, case.n_items), case.headers))
    idle_bytes = server.held_bytes()
    Path(f"/proc/{server.process.pid}/clear_refs").write_text("5", encoding="utf-8")  # proc(5): the peak begins anew
    status, n_bytes = _ask(server, case)
    status_file = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    peak_bytes = 1024 * int(next(line for line in status_file.splitlines() if line.startswith("VmHWM")).split()[1])
    figures = (idle_bytes, peak_bytes, peak_bytes - idle_bytes, n_bytes)
    print(f"{case.title:48} " + " ".join(f"{value / 1e6:8.1f}" for value in figures) + f"  {status}", flush=True)


def _ask(server: ServerProcess, case: Case) -> tuple[int, int]:
    """(status, bytes of the answer), read as they come and thrown away."""
    text = (SENTENCE * (case.n_characters // len(SENTENCE) + 1))[: case.n_characters]
    body = case.fields | ({"items": [{"input": text}] * case.n_items} if case.n_items else {"input": text})
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    headers = {"Content-Type": "application/json"} | case.headers
    connection.request("POST", BATCH if case.n_items else SPEECH, json.dumps(body), headers)
    answer, n_bytes = connection.getresponse(), 0
    while block := answer.read(BLOCK_BYTES):
        n_bytes += len(block)
    connection.close()
    return answer.status, n_bytes


if __name__ == "__main__":
    main()
