"""Two studios on one folder: `python -m tests.crash.two_studios --turns 50 --race-seconds 20`. What one did, the other says at once.

In turns: after an upload, a replacement or a deletion was answered by one, the other is asked the next moment. Raced: one voice is uploaded
anew and deleted at both while many ask both for it; every answer must be of a recording that the name stood for at some moment between
question and answer, which a sine of the recording's own pitch tells.
"""

import argparse
import io
import json
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import soundfile

from engines.clips.clip import Clip
from tests.browser.studios.tone_engine import pitch_of
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import heard_pitch
from tests.stand_ins.server_process import start_server

PROGRAM = ("-m", "tests.browser.studios.tone_server")
NAME = "alice"
GONE = 0.0  # the pitch of nobody
CUT_OFF = -1.0  # of a voice that went between its name and its recording: said, and nobody is heard
RATE = 24_000
REFUSED = {"speaker_unknown": GONE, "clip_missing": CUT_OFF}  # by reason code
TEXT = "long enough to hear"
MOST_HZ_OFF = 5.0  # a second of a sine; recordings differ by 40 Hz
N_ASKERS = 6
PAUSE_SECONDS = 0.1  # between two changes, or no voice would live to answer


@dataclass(frozen=True)
class Recorded:
    """A recording and the pitch in which the tone engine speaks as whoever recorded it."""

    wav: bytes
    pitch: float


@dataclass
class Stood:
    """For what the name stood, and between which moments at most: from its request to the answer that ended it."""

    pitch: float
    since: float
    until: float = float("inf")


def recordings(n: int) -> list[Recorded]:
    """Sines, each of another pitch."""
    made = []
    for number in range(n):
        hz = 200.0 + 40.0 * number
        samples = 9_000 * np.sin(2 * np.pi * hz * np.arange(int(1.1 * RATE)) / RATE)
        file = io.BytesIO()
        soundfile.write(file, samples.astype(np.int16), RATE, format="WAV", subtype="PCM_16")
        clip = Clip(samples.astype(np.int16).astype(np.float32) / 32768, RATE)
        made.append(Recorded(file.getvalue(), pitch_of(clip)))
    return made


def upload(client: httpx.Client, recorded: Recorded) -> None:
    files = {"audio_sample": ("a.wav", recorded.wav, "audio/wav")}
    client.post("/v1/audio/voices", data={"name": NAME, "consent": "c1"}, files=files).raise_for_status()


def spoken(client: httpx.Client) -> float:
    """Hz of the voice that answers, GONE where there is none, CUT_OFF where it went meanwhile."""
    answer = client.post("/v1/audio/speech", json={"input": TEXT, "voice": NAME, "response_format": "pcm"})
    if answer.status_code == httpx.codes.BAD_REQUEST:
        return REFUSED[answer.json()["error"]["reason_code"]]
    answer.raise_for_status()
    return heard_pitch(np.frombuffer(answer.content, "<i2").astype(np.float32))


def in_turns(a: httpx.Client, b: httpx.Client, n_turns: int) -> Counter[str]:
    """Answers at b that were not what a had acknowledged, by what a had done."""
    wrong: Counter[str] = Counter({"refused after upload": 0, "old after replacement": 0, "spoken after deletion": 0})
    made = recordings(12)
    for turn in range(n_turns):
        first, second = made[turn % 12], made[(turn + 1) % 12]
        upload(a, first)
        wrong["refused after upload"] += not _is(spoken(b), first.pitch)
        upload(a, second)
        wrong["old after replacement"] += not _is(spoken(b), second.pitch)
        a.delete(f"/v1/audio/voices/{NAME}").raise_for_status()
        wrong["spoken after deletion"] += spoken(b) != GONE
    return wrong


def raced(urls: list[str], seconds: float) -> dict[str, int]:
    """answers: of voices; refused: while the name stood for nobody; cut off: that went meanwhile; wrong: of what it did not stand for."""
    over, lock = threading.Event(), threading.Lock()
    stood = [Stood(GONE, 0.0)]
    heard: list[tuple[float, float, float]] = []  # begun, answered, pitch

    def ask(url: str) -> None:
        with patient_http.Client(base_url=url, timeout=30) as client:
            while not over.is_set():
                begun = time.perf_counter()
                pitch = spoken(client)
                with lock:
                    heard.append((begun, time.perf_counter(), pitch))

    with ThreadPoolExecutor(N_ASKERS) as pool:
        asking = [pool.submit(ask, urls[n % 2]) for n in range(N_ASKERS)]
        try:
            _change(urls, stood, time.perf_counter() + seconds)
        finally:
            over.set()
        for asker in asking:
            asker.result()
    met = dict.fromkeys(("answers", "refused", "cut off", "wrong"), 0) | {"changes": len(stood) - 1}
    return met | Counter(_told(stood, *one) for one in heard)


def _change(urls: list[str], stood: list[Stood], until: float) -> None:
    """Upload, replace and delete at both in turn; notes when each recording can have been the voice."""
    made, n = recordings(12), 0
    with ExitStack() as opened:
        clients = [opened.enter_context(patient_http.Client(base_url=url, timeout=30)) for url in urls]
        while time.perf_counter() < until:
            client, is_gone = clients[(n // 5) % 2], n % 5 == 4
            now = Stood(GONE if is_gone else made[n % 12].pitch, time.perf_counter())
            stood.append(now)
            if is_gone:
                client.delete(f"/v1/audio/voices/{NAME}").raise_for_status()
            else:
                upload(client, made[n % 12])
            stood[-2].until = time.perf_counter()
            n += 1
            time.sleep(PAUSE_SECONDS)


def _told(stood: list[Stood], begun: float, answered: float, pitch: float) -> str:
    if pitch == CUT_OFF:
        return "cut off"
    if not any(_is(pitch, one.pitch) and one.since <= answered and begun <= one.until for one in stood):
        return "wrong"
    return "refused" if pitch == GONE else "answers"


def _is(pitch: float, wanted: float) -> bool:
    return abs(pitch - wanted) <= MOST_HZ_OFF


def run(n_turns: int, race_seconds: float) -> dict[str, int]:
    """What was met, by two servers in processes of their own."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        environment = {"STUDIO_WARM_UPLOADS": "0"}
        starts = [start_server(Path(folder), program=PROGRAM, environment=environment) for _ in range(2)]
        urls = [opened.enter_context(start).url for start in starts]
        a, b = (opened.enter_context(patient_http.Client(base_url=url, timeout=30)) for url in urls)
        return {"turns": n_turns} | in_turns(a, b, n_turns) | (raced(urls, race_seconds) if race_seconds else {})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--race-seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    print(json.dumps(run(arguments.turns, arguments.race_seconds)))
