"""The load report: `python -m studio.measure.load`. TTFP and underruns at 1, 4, 8 and 16 streams, and what an upload costs a listener.

Two ways of loading. "listeners": each hears its speech to the end before it asks again, as people do. "without pause": each asks again as
soon as the last byte has come, which is as much as that many clients can do. Clients are threads of this process, on the same machine.
"""

import argparse
import http.client
import io
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from engines.catalog import engine_ids
from studio.measure.http_figures import COLD_UPLOADS, ask, upload
from studio.measure.machine import describe_machine, spread
from studio.measure.server_process import ServerProcess, start_server
from studio.running.playback import Playback

__all__ = ["main"]

N_STREAMS = (1, 4, 8, 16)
SENTENCE = "The north wind and the sun were arguing about which of them was stronger, when a traveller came along. "
DEMO = Path(__file__).resolve().parents[2] / "assets/voices/demo.wav"
NAME = "bench"  # as `upload` calls it
UNDERRUN_SECONDS = 0.001  # less is the resolution of the clocks
LARGE_UPLOAD_SECONDS = 27.0  # of 48 kHz stereo float: just under the 10 MiB that an upload may have


@dataclass(frozen=True)
class Heard:
    """One speech as a listener met it, in seconds. own_share: first byte minus the engine's first chunk and its queue."""

    first_byte: float
    own_share: float
    underrun: float
    audio: float
    greatest_gap: float


def main() -> None:
    """Measure the embedded engine and the paced one, print a table and write JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="speeches per stream and figure")
    parser.add_argument("--json", type=Path, default=Path("out/load.json"))
    options = parser.parse_args()
    figures: dict[str, object] = {"machine": describe_machine(), "text_characters": len(SENTENCE), "rounds": options.rounds}
    for engine, program in {engine_ids()[0]: None, "paced": ("-m", "studio.measure.paced_server")}.items():
        with _server(program) as server:
            figures[engine] = {
                way: [_load(server, n, options.rounds, listening=way == "listeners") for n in N_STREAMS]
                for way in ("listeners", "without pause")
            }
            figures[engine]["upload"] = _upload_beside_a_stream(server)
            print(_table(engine, figures[engine]), flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"\nfigures: {options.json}")


@contextmanager
def _server(program: tuple[str, ...] | None) -> Iterator[ServerProcess]:
    more = {} if program is None else {"program": program}
    with tempfile.TemporaryDirectory() as folder, start_server(Path(folder), environment=COLD_UPLOADS, **more) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        upload(connection, NAME, DEMO.read_bytes())
        ask(connection, "POST", f"/v1/audio/voices/{NAME}/cache")
        connection.close()
        yield server


def _load(server: ServerProcess, n_streams: int, n_rounds: int, *, listening: bool) -> dict[str, object]:
    heard: list[Heard] = []
    failures: list[BaseException] = []
    together = threading.Barrier(n_streams)

    def listen(number: int) -> None:
        try:
            together.wait()
            if listening:  # nobody presses the button in the same millisecond as fifteen others
                time.sleep(number * 0.1)
            for _ in range(n_rounds):
                heard.append(_listen(server.port, SENTENCE, listening=listening))
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=listen, args=(number,)) for number in range(n_streams)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    seconds = time.perf_counter() - started
    return {
        "streams": n_streams,
        "first_byte_seconds": spread([speech.first_byte for speech in heard]),
        "own_share_seconds": spread([speech.own_share for speech in heard]),
        "underrun_share": sum(speech.underrun > UNDERRUN_SECONDS for speech in heard) / len(heard),
        "underrun_seconds": spread([speech.underrun for speech in heard]),
        "audio_seconds_per_second": sum(speech.audio for speech in heard) / seconds,
    }


def _listen(port: int, text: str, *, listening: bool) -> Heard:
    """One speech on a connection of its own, as raw PCM."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.connect()
    body = json.dumps({"input": text, "voice": NAME, "response_format": "pcm", "stream_format": "audio"}).encode()
    started = time.perf_counter()
    connection.request("POST", "/v1/audio/speech", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    if response.status != http.client.OK:
        raise RuntimeError(f"speech answered {response.status}: {response.read()[:500]!r}")
    timing = dict(entry.split(";dur=") for entry in response.getheader("Server-Timing").replace(';desc="hit"', "").split(", "))
    playback = Playback(int(response.getheader("X-Sample-Rate")))
    arrivals, odd = [], b""
    while data := response.read1(1 << 16):
        arrivals.append(time.perf_counter())
        data = odd + data
        odd = data[len(data) & ~1 :]
        playback.receive(np.frombuffer(data[: len(data) & ~1], "<i2").astype(np.float32) / 32768, arrivals[-1])
    connection.close()
    if listening:
        time.sleep(max(0.0, playback.dry_at - time.perf_counter()))
    first_byte = arrivals[0] - started
    engine_seconds = (float(timing["first_chunk"]) + float(timing["queue"])) / 1000
    gap = max(np.diff(arrivals), default=0.0)
    return Heard(first_byte, first_byte - engine_seconds, playback.underrun_seconds, playback.audio_seconds, float(gap))


def _upload_beside_a_stream(server: ServerProcess, n_uploads: int = 5) -> dict[str, object]:
    """Greatest gap between two pieces of one stream, with nothing beside it and with 10 MiB uploads one after the other."""
    data = _large_recording()
    text = SENTENCE * 8
    alone = _listen(server.port, text, listening=False)
    took: list[float] = []

    def send() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        for _ in range(n_uploads):
            started = time.perf_counter()
            upload(connection, "large", data)
            took.append(time.perf_counter() - started)
        connection.close()

    sender = threading.Thread(target=send)
    sender.start()
    beside = _listen(server.port, text, listening=False)
    sender.join()
    return {
        "upload_bytes": len(data),
        "upload_seconds": spread(took),
        "greatest_gap_alone_seconds": alone.greatest_gap,
        "greatest_gap_beside_uploads_seconds": beside.greatest_gap,
        "underrun_beside_uploads_seconds": beside.underrun,
    }


def _large_recording() -> bytes:
    n_samples = int(LARGE_UPLOAD_SECONDS * 48_000)
    noise = 0.1 * np.random.default_rng(0).standard_normal((n_samples, 2)).astype(np.float32)
    buffer = io.BytesIO()
    soundfile.write(buffer, noise, 48_000, format="WAV", subtype="FLOAT")
    return buffer.getvalue()


def _table(engine: str, figures: dict) -> str:
    lines = [engine]
    for way in ("listeners", "without pause"):
        for row in figures[way]:
            first, own, dry = row["first_byte_seconds"], row["own_share_seconds"], row["underrun_seconds"]
            lines.append(
                f"  {way:<14} {row['streams']:>2} streams   first byte p50 {first['p50'] * 1000:7.1f}  p95 {first['p95'] * 1000:7.1f} ms"
                f"   own share p50 {own['p50'] * 1000:5.1f} ms   underruns {row['underrun_share']:4.0%}  p95 {dry['p95'] * 1000:6.0f} ms"
                f"   {row['audio_seconds_per_second']:6.1f} s of audio per s"
            )
    beside = figures["upload"]
    lines.append(
        f"  10 MiB uploads ({beside['upload_seconds']['p50'] * 1000:.0f} ms each) beside a stream: greatest gap "
        f"{beside['greatest_gap_alone_seconds'] * 1000:.0f} ms alone, {beside['greatest_gap_beside_uploads_seconds'] * 1000:.0f} ms beside"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
