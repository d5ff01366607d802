"""The command line as a user meets it: say, serve, and mistakes answered in one line."""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from studio.listening.report.votes_csv import votes_csv
from studio.listening.vote.vote import Vote
from studio.server import listen
from tests.api.door import eventually
from tests.api.socket.socket_client import connected
from tests.processes.warm_process import ran
from tests.stand_ins import patient_http
from tests.stand_ins.server_process import child_environment, start_server

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets/voices/demo.flac"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    surroundings = {**child_environment(), **environment}
    return ran([sys.executable, str(ROOT / "app.py"), *arguments], env=surroundings)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with start_server(tmp_path_factory.mktemp("speakers")) as server:
        yield server


@pytest.mark.parametrize(
    "words", [[], ["--language", "English", "--transcript", json.loads(DEMO.with_suffix(".json").read_text())["transcript"]]]
)
def test_say_clones_a_clip_in_one_go(tmp_path, words):
    out = tmp_path / "out.wav"
    told = run(
        "say", "Hello from the command line.", "--clip", str(DEMO), *words, "--out", str(out), SPEAKER_SAMPLES_DIR=str(tmp_path / "s")
    )
    assert told.returncode == 0, told.stderr
    samples, rate = soundfile.read(out)
    assert rate == 24_000
    assert 1.0 < len(samples) / rate < 4.0
    assert -35 < 20 * np.log10(np.sqrt(np.mean(samples**2))) < -12
    figures = json.loads(told.stdout)
    assert figures["engine"] == "espeak"
    assert figures["first_audio_ms"] > 0


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        (["say", "Hi.", "--clip", "nowhere.wav", "--out", "x.wav"], {}, "nowhere.wav"),
        (["say", "Hi.", "--clip", str(ROOT / "README.md"), "--out", "x.wav"], {}, "not a recording"),
        (["say", "Hi.", "--clip", str(DEMO), "--out", "x.wav", "--engine", "nope"], {}, "no engine “nope” here"),
        (["say", "  ", "--clip", str(DEMO), "--out", "x.wav"], {}, "nothing to say"),
        ([], {"STUDIO_ENGINE": "espeak"}, "Unknown setting STUDIO_ENGINE"),
        ([], {"SPEAKER_MAX_UPLOADED": "many"}, "SPEAKER_MAX_UPLOADED"),
        (["--wyoming", "tcp://0.0.0.0:1"], {"STUDIO_API_KEYS": "secret"}, "Wyoming knows no keys"),
    ],
)
def test_a_mistake_is_answered_in_one_line_without_a_traceback(tmp_path, arguments, environment, said):
    told = run(*arguments, **({"SPEAKER_SAMPLES_DIR": str(tmp_path)} | environment))
    assert told.returncode == 2
    assert said in told.stderr
    assert "Traceback" not in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


def test_a_taken_port_is_named_before_anything_is_loaded():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = run("--headless", "--port", str(port))
    assert told.returncode == 2
    assert f"127.0.0.1:{port}" in told.stderr
    assert "--port" in told.stderr


@pytest.mark.parametrize("port", ["99999", "-1", "http"])
def test_a_port_that_is_none_is_refused_with_the_range(port):
    told = run("--port", port)
    assert told.returncode == 2
    assert "0 to 65535" in told.stderr
    assert "Traceback" not in told.stderr


def test_the_ready_line_tells_seconds_url_and_engines(server):
    assert re.fullmatch(r"ready in \d+\.\d s  http://127\.0\.0\.1:\d+  espeak ready(, \w+ \w+)*  0 speakers", server.ready_line)


CUT = pytest.raises(httpx.RemoteProtocolError)


@pytest.mark.parametrize(
    ("end", "stream_format", "ending"),
    [(signal.SIGINT, "audio", CUT), (signal.SIGTERM, "sse", nullcontext()), (signal.SIGHUP, "audio", CUT)],
)
def test_what_is_ended_by_a_signal_leaves_in_order(tmp_path, end, stream_format, ending):
    """Though somebody listens: whoever hears events is told why they end, and of anything else the end is missing."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with start_server(tmp_path / "speakers", environment={"TMPDIR": str(temporary)}) as server:
        assert list(temporary.glob("espeak-*"))
        with listened_to(server.url, stream_format) as parts:
            heard = next(parts)
            server.process.send_signal(end)
            if end == signal.SIGINT:  # and at once for whoever presses the keys again
                assert eventually(lambda: httpx.get(f"{server.url}/health").status_code == httpx.codes.SERVICE_UNAVAILABLE)
                server.process.send_signal(end)
            with ending:
                heard = b"".join(parts)
        assert (b"event: speech.audio.error" in heard and b"The studio is closing." in heard) == (stream_format == "sse")
        assert server.process.wait(60) == 0
        assert "end=cancelled" in server.output() and "Traceback" not in server.output() and "ERROR" not in server.output()
    assert list(temporary.iterdir()) == []


@contextmanager
def listened_to(url: str, stream_format: str) -> Iterator[Iterator[bytes]]:
    """A speech of minutes, part by part."""
    recording = f"data:audio/flac;base64,{base64.b64encode(DEMO.read_bytes()).decode()}"
    wanted = {"input": "A long story. " * 1000, "ref_audio": recording, "response_format": "pcm", "stream_format": stream_format}
    with httpx.stream("POST", f"{url}/v1/audio/speech", json=wanted, timeout=60) as answer:
        yield answer.iter_bytes()


def test_a_console_of_a_narrow_code_page_gets_every_sentence(tmp_path):
    """In Chinese too, of a test of a system with a Chinese name."""
    votes = [Vote("mos", f"L{n}", n, "item", "text", "王", "", score) for n, score in enumerate((4.0, 5.0))]
    (tmp_path / "votes.csv").write_bytes(votes_csv(votes).encode())
    command = ["test", "report", str(tmp_path / "votes.csv"), "--language", "zh", "--out", str(tmp_path / "out")]
    for code_page in ("ascii", "cp437"):
        told = run(*command, PYTHONIOENCODING=code_page, PYTHONUTF8="0")
        assert told.returncode == 0, told.stderr
        assert "\\u738b" in told.stdout


def test_a_home_of_any_name_holds_voices_and_settings(tmp_path):
    """In the C locale, where Python knows file names by their bytes alone."""
    home = tmp_path / "王 Jürgen"
    (home / "tmp").mkdir(parents=True)
    surroundings = {"HOME": str(home), "TMPDIR": str(home / "tmp"), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with start_server(Path("~/voices"), environment=surroundings) as server:
        files = {"audio_sample": DEMO.read_bytes()}
        patient_http.post(f"{server.url}/v1/audio/voices", data={"name": "王", "consent": "mine"}, files=files).raise_for_status()
        said = patient_http.post(f"{server.url}/v1/audio/speech", json={"input": "Hello.", "voice": "王"}).raise_for_status()
    assert said.content[:4] == b"RIFF" and any((home / "voices").iterdir()) and not any((home / "tmp").iterdir())


def test_headless_serves_the_api_and_no_page(server):
    assert patient_http.get(f"{server.url}/health").json() == {"status": "healthy"}
    assert patient_http.get(server.url).status_code == httpx.codes.NOT_FOUND


def test_the_first_byte_does_not_wait_for_a_delayed_acknowledgement():
    """asyncio sets TCP_NODELAY only on sockets that say IPPROTO_TCP; a listener that does not costs 40 ms per answer."""
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_with_the_page_one_port_serves_both_and_the_browser_is_sent_there(tmp_path):
    browser, asked = tmp_path / "browser", tmp_path / "asked"
    browser.write_text(f'#!/bin/sh\necho "$1" > {asked}\n', encoding="utf-8")
    browser.chmod(0o755)
    os.mkfifo(asked)
    by_hand = {"program": (str(ROOT / "app.py"), "--open"), "environment": {"BROWSER": f"{browser} %s"}}
    with start_server(tmp_path / "speakers", headless=False, **by_hand) as server:
        with connected(server.url) as client:
            client.say("session.config")
            client.say("session.close")
            assert client.hear_end() == ([], 1000)
        assert "Voice studio" in patient_http.get(server.url).text
        assert asked.read_text(encoding="utf-8") == f"{server.url}\n"
        assert patient_http.get(f"{server.url}/health").json() == {"status": "healthy"}
        unknown = patient_http.get(f"{server.url}/v1/nothing")
        assert unknown.status_code == httpx.codes.NOT_FOUND
        assert unknown.json()["detail"] == "Not Found"
        wrong = patient_http.put(f"{server.url}/v1/audio/voices")
        assert wrong.status_code == httpx.codes.METHOD_NOT_ALLOWED
        assert "POST" in wrong.headers["Allow"]
