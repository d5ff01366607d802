"""Remote servers, with the studio and without: `python -m studio.measure.server.remote_figures --servers URL URL`.

Ways to the same speech take turns: the recording with each request, as a client without the studio does; by the name of a voice that
was registered before; by our remote engine; by a whole studio in front of that. The first and the third once more over a link that carries
LINK_MBIT towards the servers. Then what a dead server costs, and what is sent.
Servers are vLLM-Omni's: real ones, or those of tones that tests/parity/remote/official.py starts, which have first audio after 50 ms.
"""

import argparse
import base64
import http.client
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict
from urllib.parse import urlsplit

from engines.catalog import open_engine
from engines.clips.clip import Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.contract.stream_figures import FAR_TTFP, listening_to
from studio.audio.decode import decode_clip
from studio.measure.server.cut_relay import CutRelay
from studio.measure.server.http_figures import ask, upload
from studio.measure.server.machine import describe_machine, spread
from studio.measure.server.server_process import start_server

__all__ = ["main"]

CLIP = Path(__file__).resolve().parents[3] / "assets/voices/demo.flac"  # 11.6 s
ENGINE, NAME = "remote_measured", "bench"  # the name as `upload` calls it
TEXT = "Hello there."
HEADER_BYTES = 44
WARM_UPS = 3
LINK_MBIT = 20.0  # of a good line from a house to the net


@dataclass(frozen=True)
class TimedAnswer:
    """seconds: from asking to the first audio. n_bytes: sent, where that is counted. far_seconds: as the engine states it."""

    seconds: float
    n_bytes: int = 0
    far_seconds: float = 0.0


Way = Callable[[], TimedAnswer]


def main() -> None:
    """Print a table, and all figures as JSON on the last line."""
    asked = _arguments()
    clip, transcript = CLIP.read_bytes(), Transcript(json.loads(CLIP.with_suffix(".json").read_text(encoding="utf-8"))["transcript"], "en")
    figures: dict[str, object] = {"machine": describe_machine(), "runs": asked.runs, "servers": len(asked.servers)}
    with _ways(asked.servers, clip, transcript) as ways:
        for n_at_once in asked.at_once:
            measured = _measured(ways, asked.runs, n_at_once)
            figures[f"at_once_{n_at_once}"] = measured
            _tell(measured, n_at_once)
    if len(asked.servers) > 1:
        figures["failover"] = _failovers(asked.servers, clip, transcript, max(3, asked.runs // 5))
        print(f"failover: {figures['failover']}")
    figures["bytes_by_engine"] = _bytes_by_engine(asked.servers[0], clip, transcript)
    print(f"sent for a speech by the engine, headers included: {figures['bytes_by_engine']} bytes")
    print(json.dumps(figures))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--servers", nargs="+", required=True, metavar="URL", help="base addresses; the first is asked directly, too")
    parser.add_argument("--runs", type=int, default=30, help="of each way, in turn")
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 8], metavar="N", help="listeners who ask at the same moment")
    return parser.parse_args()


@contextmanager
def _ways(servers: Sequence[str], clip: bytes, transcript: Transcript) -> Iterator[Mapping[str, Way]]:
    """By name, each with what it needs prepared."""
    inline = {"ref_audio": f"data:audio/wav;base64,{base64.b64encode(clip).decode()}", "ref_text": transcript.text}
    direct = _connection(servers[0])
    with closing(direct):
        upload(direct, NAME, clip, transcript)
    environment = {"STUDIO_REMOTES": f"{ENGINE.partition('_')[2]}={' '.join(servers)}"}
    link = CutRelay(servers[0], LINK_MBIT * 1e6 / 8)
    with (
        tempfile.TemporaryDirectory() as folder,
        start_server(Path(folder), environment=environment) as studio,
        _engine(servers) as engine,
        _engine([link.url]) as far,
    ):
        with closing(_connection(studio.url)) as connection:
            upload(connection, NAME, clip, transcript)
        prompt, far_prompt = _prompt(engine, clip, transcript), _prompt(far, clip, transcript)
        try:
            yield {
                "inline": lambda: _direct(servers[0], inline),
                "name": lambda: _direct(servers[0], {"voice": NAME}),
                "engine": lambda: _by_engine(engine, prompt),
                "studio": lambda: _direct(studio.url, {"voice": NAME, "model": ENGINE}),
                "inline over a link": lambda: _direct(link.url, inline),
                "engine over a link": lambda: _by_engine(far, far_prompt),
            }
        finally:
            for each in (engine, far):
                each.keep_only([])
            for url in (servers[0], studio.url):
                _delete(url)
            link.cut()


class _WayFigures(TypedDict):
    """By way, but for the far part, which is the engine's alone."""

    ttfp_seconds: dict[str, dict[str, float]]
    far_ttfp_seconds: dict[str, float]
    ratio_to_inline: dict[str, float]
    sent_bytes: dict[str, int]


def _measured(ways: Mapping[str, Way], n_runs: int, n_at_once: int) -> _WayFigures:
    """Seconds to the first audio, by way, and their ratios to the way of a client without the studio."""
    said: dict[str, list[TimedAnswer]] = {name: [] for name in ways}
    with ThreadPoolExecutor(n_at_once) as pool:
        for run in range(WARM_UPS + n_runs):
            for name, way in ways.items():
                answers = [answer.result() for answer in [pool.submit(copy_context().run, way) for _ in range(n_at_once)]]
                said[name] += answers if run >= WARM_UPS else []
    medians = {name: statistics.median(one.seconds for one in answers) for name, answers in said.items()}
    return {
        "ttfp_seconds": {name: spread([one.seconds for one in answers]) for name, answers in said.items()},
        "far_ttfp_seconds": spread([one.far_seconds for one in said["engine"]]),
        "ratio_to_inline": {name: round(median / medians["inline"], 3) for name, median in medians.items()},
        "sent_bytes": {name: answers[0].n_bytes for name, answers in said.items() if answers[0].n_bytes},
    }


def _tell(measured: _WayFigures, n_at_once: int) -> None:
    print(f"{n_at_once} at once | p50 ms | p95 ms | of inline | sent bytes")
    for name, seconds in measured["ttfp_seconds"].items():
        ratio, sent = measured["ratio_to_inline"][name], measured["sent_bytes"].get(name, "")
        print(f"{name} | {1e3 * seconds['p50']:.1f} | {1e3 * seconds['p95']:.1f} | {ratio:.2f} | {sent}")
    print(f"far part of the engine's | {1e3 * measured['far_ttfp_seconds']['p50']:.1f} |", flush=True)


def _failovers(servers: Sequence[str], clip: bytes, transcript: Transcript, n_runs: int) -> dict[str, dict[str, float]]:
    """Seconds to the first audio: where all is well, where the server that was asked dies when it has the request, and once it is gone."""
    well, dying, gone = [], [], []
    for _ in range(n_runs):
        relays = [CutRelay(server) for server in servers]
        with _engine([relay.url for relay in relays]) as engine:
            prompt = _prompt(engine, clip, transcript)
            _by_engine(engine, prompt)
            before = [relay.n_bytes for relay in relays]
            well.append(_by_engine(engine, prompt).seconds)
            asked = next(relay for relay, n_bytes in zip(relays, before, strict=True) if relay.n_bytes > n_bytes)
            asked.is_armed = True
            dying.append(_by_engine(engine, prompt).seconds)
            if not asked.is_cut:
                raise RuntimeError("another server was asked than the one before")
            gone.append(_by_engine(engine, prompt).seconds)
            asked.mend()  # or the voice would be left behind at its server
            engine.keep_only([])
        for relay in relays:
            relay.cut()
    return {"well_seconds": spread(well), "dies_before_audio_seconds": spread(dying), "is_gone_seconds": spread(gone)}


def _bytes_by_engine(server: str, clip: bytes, transcript: Transcript) -> int:
    """Sent to a server for one speech by the name of a voice that it has."""
    relay = CutRelay(server)
    with _engine([relay.url]) as engine:
        prompt = _prompt(engine, clip, transcript)
        _by_engine(engine, prompt)
        before = relay.n_bytes
        _by_engine(engine, prompt)
        n_bytes = relay.n_bytes - before
        engine.keep_only([])
    relay.cut()
    return n_bytes


@contextmanager
def _engine(servers: Sequence[str]) -> Iterator[Engine]:
    with closing(open_engine(ENGINE, checkpoint=" ".join(servers))) as engine:
        yield engine


def _prompt(engine: Engine, clip: bytes, transcript: Transcript) -> SpeakerPrompt:
    """Of the clip, registered where it will be asked for."""
    prompt = engine.extract(decode_clip(clip, filename=CLIP.name), transcript)
    engine.prepare(prompt)
    return prompt


def _by_engine(engine: Engine, prompt: SpeakerPrompt) -> TimedAnswer:
    stated: dict[str, float] = {}
    listening_to(stated.__setitem__)
    started, first = time.perf_counter(), 0.0
    with closing(engine.stream(TEXT, prompt, resolve_options(engine.info.options, {}))) as stream:
        for chunk in stream:
            first = first or (time.perf_counter() - started if len(chunk) else 0.0)
    return TimedAnswer(first, far_seconds=stated[FAR_TTFP])


def _direct(url: str, said: Mapping[str, str]) -> TimedAnswer:
    """A request for a stream on a connection that is open already. Raises RuntimeError where it is refused."""
    body = json.dumps({"input": TEXT, "response_format": "wav", "stream_format": "audio"} | dict(said)).encode()
    with closing(_connection(url)) as connection:
        connection.connect()
        started = time.perf_counter()
        connection.request("POST", "/v1/audio/speech", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != http.client.OK:
            raise RuntimeError(f"{url} answered {response.status}: {response.read()[:500]!r}")
        response.read(HEADER_BYTES + 1)
        first = time.perf_counter() - started
        response.read()
    return TimedAnswer(first, connection.n_bytes)


class _CountingConnection(http.client.HTTPConnection):
    """n_bytes: sent so far, headers included."""

    n_bytes = 0

    def send(self, data: object) -> None:
        assert isinstance(data, bytes)  # headers, and bodies of `_direct`
        self.n_bytes += len(data)
        super().send(data)


def _connection(url: str) -> _CountingConnection:
    parts = urlsplit(url)
    return _CountingConnection(parts.hostname or "", parts.port or 80, timeout=60)


def _delete(url: str) -> None:
    with closing(_connection(url)) as connection:
        ask(connection, "DELETE", f"/v1/audio/voices/{NAME}")


if __name__ == "__main__":
    main()
