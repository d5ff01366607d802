"""Cost of uploads of 10 MiB for other listeners: `python -m studio.measure.server.upload_stall`.

A stream of the paced engine, whose frames are 20 ms apart, and requests beside it, one after the other, over each way in: in turns with a
recording of one second and with one of 10 MiB. Of each request the greatest gap between two pieces of the stream counts while it was on its
way; the median of these stands on a machine that others use.
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

from studio.measure.server.http_figures import COLD_UPLOADS, upload
from studio.measure.server.machine import describe_machine
from studio.measure.server.server_process import start_server

__all__ = ["main"]

SPEECH, BATCH = "/v1/audio/speech", "/v1/audio/speech/batch"
PROGRAM = ("-m", "studio.measure.server.paced_server")
TEXT = "One two. " * 40  # 18 s of sound in 4.5 s, less than the 30 s after which the engine would rest
SMALL_SECONDS, LARGE_SECONDS = 1.0, 27.0  # of 48 kHz stereo float: just under the 10 MiB that an upload may have
UNSPOKEN = "<break/>"  # refused once the recording is decoded: another speech would take turns of the engine, 60 ms for a word
PAUSE_SECONDS = 0.2  # between two uploads

Way = Callable[[http.client.HTTPConnection], None]


def main() -> None:
    """Print the greatest gaps beside requests with small and large recordings, median and worst, and what the large ones add."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(json.dumps(describe_machine()))
    small, large = _ways(_recording(SMALL_SECONDS)), _ways(_recording(LARGE_SECONDS))
    with tempfile.TemporaryDirectory() as folder, start_server(Path(folder), environment=COLD_UPLOADS, program=PROGRAM) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        upload(connection, "listener", _recording(SMALL_SECONDS))
        for title in large:
            beside: dict[str, list[float]] = {"small": [], "large": []}
            for _ in range(options.rounds):
                beside["small"] += _greatest_gaps(server.port, small[title])
                beside["large"] += _greatest_gaps(server.port, large[title])
            middle = {size: statistics.median(gaps) for size, gaps in beside.items()}
            rows = [f"{size} {_ms(middle[size])} (worst of {len(gaps)}: {_ms(max(gaps))})" for size, gaps in beside.items()]
            print(f"{title:28} {'   '.join(rows)}   added {_ms(middle['large'] - middle['small'])}", flush=True)


def _recording(seconds: float) -> bytes:
    """A WAV of noise."""
    noise = 0.1 * np.random.default_rng(0).standard_normal((int(seconds * 48_000), 2)).astype(np.float32)
    buffer = io.BytesIO()
    soundfile.write(buffer, noise, 48_000, format="WAV", subtype="FLOAT")
    return buffer.getvalue()


def _ways(recording: bytes) -> dict[str, Way]:
    data_url = "data:audio/wav;base64," + base64.b64encode(recording).decode()
    inline = json.dumps({"input": UNSPOKEN, "ref_audio": data_url}).encode()
    batch = json.dumps({"items": [{"input": UNSPOKEN}] * 4, "ref_audio": data_url}).encode()
    other = json.dumps({"input": UNSPOKEN, "voice": "listener", "ref_text": "x" * len(data_url)}).encode()
    return {
        "upload of a voice": lambda connection: upload(connection, "another", recording),
        "ref_audio as data URL": lambda connection: _post(connection, SPEECH, inline),
        "batch of 4 with ref_audio": lambda connection: _post(connection, BATCH, batch),
        "as much of other JSON": lambda connection: _post(connection, SPEECH, other),
    }


def _post(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    connection.getresponse().read()


def _greatest_gaps(port: int, way: Way) -> list[float]:
    """Seconds, of one stream, for each request beside it."""
    over, times = threading.Event(), []

    def send() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not over.wait(PAUSE_SECONDS):
            started = time.perf_counter()
            way(connection)
            times.append((started, time.perf_counter()))
        connection.close()

    sender = threading.Thread(target=send)
    sender.start()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"input": TEXT, "voice": "listener", "response_format": "pcm", "stream_format": "audio"}).encode()
    connection.request("POST", SPEECH, body, {"Content-Type": "application/json"})
    response, arrivals = connection.getresponse(), []
    while response.read1(1 << 16):
        arrivals.append(time.perf_counter())
    over.set()
    connection.close()
    sender.join()
    at = np.array(arrivals)
    gaps = [np.diff(at)[(at[1:] > started) & (at[:-1] < ended)] for started, ended in times]  # those that the request has a part in
    return [float(gap.max()) for gap in gaps if len(gap)]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


if __name__ == "__main__":
    main()
