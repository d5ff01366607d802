"""Callers: they ask when their time has come, whether or not others are answered: `python -m studio.measure.open_loop.arrivals`.

A process of its own, so that the measure takes as little as can be from the server beside it. It reads a plan from the standard input,
JSON of `CallPlan`, and writes every call as JSON to the standard output.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

import numpy as np

from studio.audio.pcm16 import float32_of
from studio.measure.server.listeners import MOST_SECONDS, UNDERRUN_SECONDS, read_chunks, read_head
from studio.running.stream import Playback

__all__ = ["Call", "CallPlan", "arrival_times", "called"]


@dataclass(frozen=True)
class CallPlan:
    """url: of the server. bodies: JSON of POST /v1/audio/speech with raw PCM as the answer, asked for in turn. headers: of each request.

    rate: calls a second; 0: each begins when the one before has ended. n_calls: so many. sample_rate: Hz of the answers, where their
    header x-sample-rate does not say it. seed: of the times of arrival.
    """

    url: str
    bodies: tuple[str, ...]
    rate: float
    n_calls: int
    headers: tuple[tuple[str, str], ...] = ()
    sample_rate: int = 24_000
    seed: int = 0


@dataclass
class Call:
    """One request, in seconds from when it was due. status: 0 where the connection broke, and what it said in `error`.

    late: by which it left the caller later than it was due. first_packet: its first sound has come. audible_packet: the sound has come in
    which something can be heard. audible: a player that starts with the first packet plays it. end: all has come. underruns: silences of
    such a player, each. audio: seconds of sound.
    """

    due: float
    late: float = 0.0
    status: int = 0
    first_packet: float | None = None
    audible_packet: float | None = None
    audible: float | None = None
    end: float | None = None
    audio: float = 0.0
    underruns: list[float] = field(default_factory=list)
    error: str = ""


def arrival_times(rate: float, n_calls: int, seed: int) -> list[float]:
    """Seconds from the beginning, by a Poisson process: what lies between two is exponential, of mean 1 / rate."""
    chance, at, times = random.Random(seed), 0.0, []
    for _ in range(n_calls):
        at += chance.expovariate(rate)
        times.append(at)
    return times


class _Listener:
    """Hears one answer with a player that starts with the first sound. began: the clock time when the call was due."""

    def __init__(self, call: Call, began: float, sample_rate: int):
        self._call, self._began, self._odd = call, began, b""
        self._playback = Playback(sample_rate)

    def receive(self, block: bytes) -> None:
        """16-bit samples, as they came."""
        call, playback, now = self._call, self._playback, time.perf_counter() - self._began
        block, whole = self._odd + block, (len(self._odd) + len(block)) & ~1
        self._odd = block[whole:]
        samples = float32_of(np.frombuffer(block[:whole], "<i2"))
        if not len(samples):
            return
        call.first_packet = now if call.first_packet is None else call.first_packet
        silent_seconds = playback.underrun_seconds
        playback.receive(samples, now)
        if (underrun := playback.underrun_seconds - silent_seconds) > UNDERRUN_SECONDS:
            call.underruns.append(underrun)
        if call.audible is None and playback.audible_at is not None:
            call.audible_packet, call.audible = now, playback.audible_at
        call.audio = playback.audio_seconds


async def called(plan: CallPlan) -> list[Call]:
    """Every call of the plan, in the order in which they were due."""
    began = time.perf_counter()
    if not plan.rate:
        calls = []
        for number in range(plan.n_calls):
            calls.append(Call(time.perf_counter() - began))
            await _call(calls[-1], plan, number, began)
        return calls
    calls = [Call(due) for due in arrival_times(plan.rate, plan.n_calls, plan.seed)]
    await asyncio.gather(*(_call(call, plan, number, began) for number, call in enumerate(calls)))
    return calls


async def _call(call: Call, plan: CallPlan, number: int, began: float) -> None:
    due = began + call.due
    await asyncio.sleep(max(0.0, due - time.perf_counter()))
    call.late = time.perf_counter() - due
    try:
        async with asyncio.timeout(MOST_SECONDS):
            await _hear(call, plan, plan.bodies[number % len(plan.bodies)].encode(), due)
    except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError) as error:
        call.error = call.error or repr(error)


async def _hear(call: Call, plan: CallPlan, body: bytes, due: float) -> None:
    address = urlsplit(plan.url)
    port = address.port or (443 if address.scheme == "https" else 80)
    reader, writer = await asyncio.open_connection(address.hostname, port, limit=1 << 22, ssl=address.scheme == "https" or None)
    try:
        own = {"Host": address.netloc, "Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
        lines = [f"POST {address.path.rstrip('/')}/v1/audio/speech HTTP/1.1", *(f"{k}: {v}" for k, v in (own | dict(plan.headers)).items())]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        call.status, headers = await read_head(reader)
        if call.status != 200:
            call.error = (await reader.read()).decode(errors="replace")[:300]
            return
        listener = _Listener(call, due, int(headers.get("x-sample-rate", plan.sample_rate)))
        async for block in _blocks(reader, is_chunked=headers.get("transfer-encoding") == "chunked"):
            listener.receive(block)
        call.end = time.perf_counter() - due
    finally:
        writer.close()


async def _blocks(reader: asyncio.StreamReader, *, is_chunked: bool) -> AsyncIterator[bytes]:
    """What the body brings, as it comes. Raises IncompleteReadError where a chunked one breaks off."""
    if not is_chunked:
        while block := await reader.read(1 << 16):
            yield block
        return
    async for chunk in read_chunks(reader):
        yield chunk


def main() -> None:
    """Call as planned."""
    fields = json.load(sys.stdin)
    plan = CallPlan(**{**fields, "bodies": tuple(fields["bodies"]), "headers": tuple(map(tuple, fields["headers"]))})
    json.dump([asdict(call) for call in asyncio.run(called(plan))], sys.stdout)


if __name__ == "__main__":
    main()
