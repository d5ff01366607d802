"""Claims about callers of an open loop: they come when they are due, whatever the server does, and tell when a player would be heard."""

import asyncio
import os
import subprocess
import sys

import numpy as np
import pytest

from studio.measure.open_loop.arrivals import Call, CallPlan, arrival_times, called
from studio.measure.open_loop.drawn_engine import drawn_environment, drawn_package

RATE = 24_000
SILENT_SECONDS = 0.1
SOUND = np.concatenate([np.zeros(round(SILENT_SECONDS * RATE)), 8000 * np.ones(RATE)]).astype("<i2").tobytes()
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Sample-Rate: 24000\r\n\r\n"


def heard(n_calls: int, answer, rate: float = 1000.0) -> list[Call]:
    """Calls to a server that answers each connection by `answer(writer)`."""

    async def run() -> list[Call]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
            await answer(writer)
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1") as server:
            port = server.sockets[0].getsockname()[1]
            return await called(CallPlan(f"http://127.0.0.1:{port}", ("{}",), rate, n_calls))

    return asyncio.run(run())


def test_nobody_waits_for_others_to_be_answered():
    n_here, all_here = [0], asyncio.Event()

    async def answer(writer: asyncio.StreamWriter) -> None:
        n_here[0] += 1
        if n_here[0] == 5:
            all_here.set()
        await all_here.wait()
        writer.write(HEAD + b"0\r\n\r\n")

    assert [call.status for call in heard(5, answer)] == [200] * 5


def test_silence_before_the_first_word_is_waited_for_by_who_listens():
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for part in (SOUND[:1001], SOUND[1001:]):  # samples lie across blocks
            writer.write(b"%x\r\n%b\r\n" % (len(part), part))
        writer.write(b"0\r\n\r\n")

    [call] = heard(1, answer)
    assert call.first_packet is not None and call.audible is not None and not call.underruns
    assert call.audible - call.first_packet == pytest.approx(SILENT_SECONDS, abs=0.011)
    assert call.audio == pytest.approx(len(SOUND) / 2 / RATE)


def test_a_refusal_and_a_broken_answer_are_told():
    async def refuse(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 503 Busy\r\n\r\nfull")

    async def hang_up(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"100\r\nab")

    [refused], [broken] = heard(1, refuse), heard(1, hang_up)
    assert (refused.status, refused.error, refused.end) == (503, "full", None)
    assert broken.status == 200 and "IncompleteRead" in broken.error and broken.end is None


def test_arrivals_are_those_of_a_poisson_process():
    times = np.array(arrival_times(10.0, 4000, seed=1))
    gaps = np.diff(times, prepend=0.0)
    assert gaps.min() > 0 and gaps.mean() == pytest.approx(0.1, rel=0.05) and gaps.std() == pytest.approx(0.1, rel=0.08)


def test_a_process_has_an_engine_with_drawn_weights_where_it_is_told_to(tmp_path):
    """Its catalog finds it as that of any package."""
    told = os.environ | drawn_environment(tmp_path, "qwen3_tts", "0.6B")
    code = "from engines.catalog import engine_info; print(engine_info('drawn').title)"
    title = subprocess.run([sys.executable, "-c", code], env=told, capture_output=True, encoding="utf-8", check=True).stdout.strip()
    assert title == drawn_package("qwen3_tts", "0.6B").info.title
    assert "0.6B" in title and "drawn" in title
