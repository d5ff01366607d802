"""What uploads of 10 MiB cost who listens: `python -m studio.measure.upload_stall`.

A stream of the paced engine, whose frames are 20 ms apart, and uploads beside it, one after the other, over each way in. Of each way the
greatest gap between two pieces of the stream, less the greatest with nothing beside it, which is measured in turns with it.
"""

import argparse
import base64
import http.client
import io
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile

from studio.measure.http_figures import COLD_UPLOADS, upload
from studio.measure.machine import describe_machine
from studio.measure.server_process import start_server

__all__ = ["large_recording", "main"]

SPEECH, BATCH = "/v1/audio/speech", "/v1/audio/speech/batch"
PROGRAM = ("-m", "studio.measure.paced_server")
DEMO = Path(__file__).resolve().parents[2] / "assets/voices/demo.wav"
TEXT = "One two. " * 40  # 18 s of sound in 4.5 s, less than the 30 s after which the engine would rest
SPOKEN_SECONDS = 4.5
LARGE_UPLOAD_SECONDS = 27.0  # of 48 kHz stereo float: just under the 10 MiB that an upload may have
PAUSE_SECONDS = 0.2  # between two uploads

Way = Callable[[http.client.HTTPConnection], None]


def main() -> None:
    """Print milliseconds: median and worst of the greatest gaps, alone and beside each way in."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(json.dumps(describe_machine()))
    with tempfile.TemporaryDirectory() as folder, start_server(Path(folder), environment=COLD_UPLOADS, program=PROGRAM) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        upload(connection, "listener", DEMO.read_bytes())
        for title, way in _ways().items():
            alone, beside, took = [], [], []
            for _ in range(options.rounds):
                alone.append(_greatest_gap(server.port, None, took))
                beside.append(_greatest_gap(server.port, way, took))
            print(
                f"{title:28} alone {_spread(alone)}   beside {_spread(beside)}   added {_ms(statistics.median(beside) - statistics.median(alone))}"
                f"   each took {_ms(statistics.median(took))}",
                flush=True,
            )


def large_recording() -> bytes:
    """A WAV of noise, just under 10 MiB."""
    n_samples = int(LARGE_UPLOAD_SECONDS * 48_000)
    noise = 0.1 * np.random.default_rng(0).standard_normal((n_samples, 2)).astype(np.float32)
    buffer = io.BytesIO()
    soundfile.write(buffer, noise, 48_000, format="WAV", subtype="FLOAT")
    return buffer.getvalue()


def _ways() -> dict[str, Way]:
    recording = large_recording()
    data_url = "data:audio/wav;base64," + base64.b64encode(recording).decode()
    inline = json.dumps({"input": "Yes.", "ref_audio": data_url}).encode()
    batch = json.dumps({"items": [{"input": "Yes."}] * 4, "ref_audio": data_url}).encode()
    too_long = json.dumps({"input": "Yes.", "ref_text": "x" * len(data_url)}).encode()
    return {
        "upload of a voice": lambda connection: upload(connection, "large", recording),
        "ref_audio as data URL": lambda connection: _post(connection, SPEECH, inline),
        "batch of 4 with ref_audio": lambda connection: _post(connection, BATCH, batch),
        "14 MB of other JSON": lambda connection: _post(connection, SPEECH, too_long),
    }


def _post(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    connection.getresponse().read()


def _greatest_gap(port: int, way: Way | None, took: list[float]) -> float:
    """Seconds, of one stream. took: how long each upload beside it was on the way."""
    over = threading.Event()

    def send() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not over.wait(PAUSE_SECONDS):
            started = time.perf_counter()
            way(connection)
            took.append(time.perf_counter() - started)
        connection.close()

    sender = threading.Thread(target=send)
    if way is not None:
        sender.start()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"input": TEXT, "voice": "listener", "response_format": "pcm", "stream_format": "audio"}).encode()
    connection.request("POST", SPEECH, body, {"Content-Type": "application/json"})
    response, arrivals = connection.getresponse(), []
    while response.read1(1 << 16):
        arrivals.append(time.perf_counter())
    over.set()
    connection.close()
    if way is not None:
        sender.join()
    return float(max(np.diff(arrivals)))


def _spread(seconds: list[float]) -> str:
    return f"{_ms(statistics.median(seconds))} (worst {_ms(max(seconds))})"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


if __name__ == "__main__":
    main()
