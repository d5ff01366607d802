"""Kill -9 of a whole studio at random moments during uploads, extractions and deletes, then a start: is everything acknowledged there?

`python -m tests.crash.crash_server --rounds 50`. One client per voice works over HTTP until the server is killed. After each restart every
voice must be in its last acknowledged state, or in that of the request that was under way; what is listed must give back exactly the
recording that was acknowledged, and speak.
"""

import argparse
import io
import json
import random
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import httpx
import numpy as np
import soundfile

from tests.api.door import eventually
from tests.stand_ins import patient_http
from tests.stand_ins.server_process import ServerProcess, start_server

ROOT = Path(__file__).parents[2]
N_VOICES = 4
# What the demo voice says first. With its words a recording is learned at once; without them each studio would first learn what speech is.
CLIP_SECONDS, WORDS = 3.6, "Welcome to the studio. This is a voice that nobody was born with."
MOST_ANSWERS = 12  # of a round, after which it is killed: counted, since a busy machine answers nobody within any number of seconds
LONGEST_REQUEST_SECONDS = 0.05  # so that kills fall between any two answers
PATIENCE_SECONDS = 60.0
GONE = None  # the state of a voice that is not there; otherwise the gain of its recording


@dataclass
class Voice:
    """acknowledged: its state after the last answered request. under_way: the state a request without an answer would give.

    extracts: whether its client asks for extractions too, behind which it waits most of the time; the others only upload and delete.
    """

    name: str
    extracts: bool
    acknowledged: int | None = GONE
    under_way: list[int | None] = field(default_factory=list)
    requests: int = 0
    interrupted: str = ""


@dataclass
class Report:
    """What the rounds met: how many requests were answered, and which kinds were under way at a kill."""

    rounds: int = 0
    answered: int = 0
    interrupted: dict[str, int] = field(default_factory=dict)
    slowest_start_seconds: float = 0.0


# What a studio imports at its first recording.
LEARNING = ("torch", "scipy.fft")


def recording(gain: int) -> np.ndarray:
    """The first seconds of the demo voice at gain / 1000, (T,) int16: one recording per gain, all of them speech."""
    samples, _ = _demo()
    return np.round(samples * (gain / 1000)).astype(np.int16)


@cache
def _demo() -> tuple[np.ndarray, int]:
    samples, rate = soundfile.read(ROOT / "assets/voices/demo.flac", dtype="int16")
    return samples[: round(CLIP_SECONDS * rate)].astype(np.float64), rate


def wav_bytes(samples: np.ndarray) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, _demo()[1], format="WAV", subtype="PCM_16")
    return file.getvalue()


def work(voice: Voice, url: str, dice: random.Random) -> None:
    """Upload, extract, speak and delete until the server is gone."""
    with patient_http.Client(base_url=url, timeout=30) as client:
        try:
            while True:
                _one_request(voice, client, dice)
        except httpx.TransportError:
            return


def _one_request(voice: Voice, client: httpx.Client, dice: random.Random) -> None:
    path = f"/v1/audio/voices/{voice.name}"
    kinds = ["upload", "upload", "delete"] + ["extract", "extract"] * voice.extracts
    kind = dice.choice(kinds) if voice.acknowledged is not GONE else "upload"
    voice.interrupted = kind
    if kind == "upload":
        gain = dice.randrange(300, 1000)
        voice.under_way = [gain]
        files = {"audio_sample": ("clip.wav", wav_bytes(recording(gain)), "audio/wav")}
        answer = client.post("/v1/audio/voices", data={"name": voice.name, "consent": "crash test", "ref_text": WORDS}, files=files)
        state = gain
    elif kind == "extract":
        answer, state = client.post(f"{path}/cache", params={"force": "true"}), voice.acknowledged
    else:
        voice.under_way = [GONE]
        answer, state = client.delete(path), GONE
    assert answer.status_code == httpx.codes.OK, f"{kind} answered {answer.status_code}: {answer.text}"
    voice.acknowledged, voice.under_way, voice.interrupted = state, [], ""
    voice.requests += 1


def check(voice: Voice, client: httpx.Client) -> None:
    """The voice after a restart: an allowed state, the exact recording of that state, and speech."""
    allowed = {voice.acknowledged, *voice.under_way}
    answer = client.get(f"/v1/audio/voices/{voice.name}/audio")
    if answer.status_code == httpx.codes.NOT_FOUND:
        assert GONE in allowed, f"{voice.name} is lost; it was acknowledged as {allowed}"
        voice.acknowledged = GONE
    else:
        samples, _ = soundfile.read(io.BytesIO(answer.content), dtype="int16")
        matching = [gain for gain in allowed if gain is not GONE and np.array_equal(samples, recording(gain))]
        assert matching, f"{voice.name} is none of the recordings {allowed}"
        voice.acknowledged = matching[0]
        speech = client.post("/v1/audio/speech", json={"input": "Still here.", "voice": voice.name})
        assert speech.status_code == httpx.codes.OK, speech.text
    voice.under_way, voice.interrupted = [], ""


def one_round(server: ServerProcess, voices: list[Voice], dice: random.Random, report: Report) -> None:
    with patient_http.Client(base_url=server.url, timeout=30) as client:
        for voice in voices:
            check(voice, client)
    before = sum(voice.requests for voice in voices)
    clients = [threading.Thread(target=work, args=(voice, server.url, random.Random(dice.random()))) for voice in voices]
    for thread in clients:
        thread.start()
    wanted = before + dice.randrange(1, MOST_ANSWERS)
    answered = eventually(lambda: sum(voice.requests for voice in voices) >= wanted, seconds=PATIENCE_SECONDS)
    time.sleep(dice.uniform(0, LONGEST_REQUEST_SECONDS))
    server.kill()
    for thread in clients:
        thread.join()
    assert answered, "the studio answers no more"
    report.rounds += 1
    report.answered += sum(voice.requests for voice in voices) - before
    report.slowest_start_seconds = max(report.slowest_start_seconds, server.seconds)
    for voice in voices:
        if voice.interrupted:
            report.interrupted[voice.interrupted] = report.interrupted.get(voice.interrupted, 0) + 1


def run(n_rounds: int, seed: int) -> Report:
    """Raises AssertionError when something acknowledged is lost or another voice served, RuntimeError when the server does not start."""
    dice, report = random.Random(seed), Report()
    voices = [Voice(f"voice{index}", extracts=index % 2 == 0) for index in range(N_VOICES)]
    with tempfile.TemporaryDirectory() as folder:
        speakers_dir = Path(folder) / "speakers"
        for _ in range(n_rounds):
            with start_server(speakers_dir, warm=LEARNING) as server:
                one_round(server, voices, dice, report)
        with start_server(speakers_dir, warm=LEARNING) as server, patient_http.Client(base_url=server.url, timeout=30) as client:
            for voice in voices:
                check(voice, client)
        quarantined = [str(file.name) for file in (speakers_dir / "quarantine").glob("*")]
        assert not quarantined, f"half-written files: {quarantined}"
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(json.dumps(vars(run(arguments.rounds, arguments.seed))))
    sys.exit(0)
