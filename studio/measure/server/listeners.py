"""Listeners: people who hear speech over HTTP, simulated in a process of their own: `python -m studio.measure.server.listeners --help`.

Each asks, plays what comes as it comes, hears it to the end and asks again, on a connection of its own. Whoever is refused comes back when
Retry-After says. What arrives late is counted against a player that starts with the first byte and holds nothing back. Nothing is decoded
here and nothing is imported that is heavy, so that the measure takes as little as can be from the server beside it.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field

__all__ = ["MOST_SECONDS", "UNDERRUN_SECONDS", "HeardSpeech", "Listener", "main", "read_chunks", "read_head"]

UNDERRUN_SECONDS = 0.020  # shorter silences pass for the pauses of speech
BYTES_PER_SAMPLE = 2
MOST_SECONDS = 300.0  # of one answer


@dataclass
class HeardSpeech:
    """One that was asked for, in seconds. status: of the answer; 0 where the connection broke, and what it said in `error`.

    queue: what it waited for its turn, by Server-Timing. underruns: silences of more than UNDERRUN_SECONDS, each.
    retry_after: None where it was not refused, or not told when to come back.
    """

    asked: float
    status: int = 0
    first_byte: float | None = None
    queue: float | None = None
    audio: float = 0.0
    underruns: list[float] = field(default_factory=list)
    retry_after: float | None = None
    error: str = ""


class Listener:
    """One person. body: what is asked for, JSON of POST /v1/audio/speech with raw PCM as the answer."""

    def __init__(self, port: int, body: bytes):
        self._port = port
        self._request = (
            b"POST /v1/audio/speech HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n"
            + f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        self.speeches: list[HeardSpeech] = []

    async def listen(self, *, since: float, until: float) -> None:
        """Speech after speech, the first at `since`, none begun after `until`, both of time.perf_counter()."""
        await asyncio.sleep(max(0.0, since - time.perf_counter()))
        while time.perf_counter() < until:
            speech = HeardSpeech(time.perf_counter())
            self.speeches.append(speech)
            try:
                async with asyncio.timeout(MOST_SECONDS):
                    await self._hear(speech)
            except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError) as error:
                speech.error = speech.error or repr(error)
                return
            if speech.retry_after is not None:
                await asyncio.sleep(speech.retry_after)

    async def _hear(self, speech: HeardSpeech) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22)
        try:
            writer.write(self._request)
            speech.status, headers = await read_head(reader)
            if speech.status != 200:
                speech.retry_after = float(headers["retry-after"]) if "retry-after" in headers else None
                speech.error = (await reader.read()).decode(errors="replace")[:300]
                return
            timing = dict(entry.split(";dur=") for entry in headers["server-timing"].split(", ") if ";desc" not in entry)
            speech.queue = float(timing["queue"]) / 1000
            bytes_per_second = BYTES_PER_SAMPLE * int(headers["x-sample-rate"])
            dry_at = 0.0
            async for chunk in read_chunks(reader):
                n_bytes, now = len(chunk), time.perf_counter()
                if speech.first_byte is None:
                    speech.first_byte, dry_at = now - speech.asked, now
                elif now - dry_at > UNDERRUN_SECONDS:
                    speech.underruns.append(now - dry_at)
                dry_at = max(dry_at, now) + n_bytes / bytes_per_second
                speech.audio += n_bytes / bytes_per_second
            await asyncio.sleep(dry_at - time.perf_counter())
        finally:
            writer.close()


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Status and headers of an answer, their names in small letters."""
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = dict(line.split(":", 1) for line in lines[1:] if line)
    return int(lines[0].split()[1]), {name.lower(): value.strip() for name, value in headers.items()}


async def read_chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """What a chunked body brings, as it comes. Raises IncompleteReadError where it breaks off."""
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        yield (await reader.readexactly(size + 2))[:-2]


async def _listen_all(options: argparse.Namespace, body: bytes) -> list[HeardSpeech]:
    listeners = [Listener(options.port, body) for _ in range(options.listeners)]
    chance, now = random.Random(0), time.perf_counter()
    starts = [now + chance.uniform(0, options.spread) for _ in listeners]
    await asyncio.gather(
        *(listener.listen(since=start, until=now + options.seconds) for listener, start in zip(listeners, starts, strict=True))
    )
    return [speech for listener in listeners for speech in listener.speeches]


def main() -> None:
    """Listen for a while, and write every speech as JSON to the standard output. The request's body comes from the standard input."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--listeners", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=20.0, help="after which nobody asks again")
    parser.add_argument("--spread", type=float, default=1.0, help="seconds within which the listeners come, by a fixed chance")
    options = parser.parse_args()
    speeches = asyncio.run(_listen_all(options, sys.stdin.buffer.read()))
    json.dump([asdict(speech) for speech in speeches], sys.stdout)


if __name__ == "__main__":
    main()
