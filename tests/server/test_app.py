"""The command line as a user meets it: say, serve, and mistakes answered in one line."""

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from studio.server import listen
from tests.api.socket.socket_client import connected
from tests.stand_ins import patient_http
from tests.stand_ins.server_process import child_environment, start_server

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets/voices/demo.wav"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    surroundings = {**child_environment(), **environment}
    command = [sys.executable, str(ROOT / "app.py"), *arguments]
    return subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with start_server(tmp_path_factory.mktemp("speakers")) as server:
        yield server


@pytest.mark.parametrize(
    "words", [[], ["--language", "English", "--transcript", json.loads(DEMO.with_suffix(".json").read_text())["transcript"]]]
)
def test_say_clones_a_clip_in_one_go(tmp_path, words):
    out = tmp_path / "out.wav"
    ran = run(
        "say", "Hello from the command line.", "--clip", str(DEMO), *words, "--out", str(out), SPEAKER_SAMPLES_DIR=str(tmp_path / "s")
    )
    assert ran.returncode == 0, ran.stderr
    samples, rate = soundfile.read(out)
    assert rate == 24_000
    assert 1.0 < len(samples) / rate < 4.0
    assert -35 < 20 * np.log10(np.sqrt(np.mean(samples**2))) < -12
    figures = json.loads(ran.stdout)
    assert figures["engine"] == "espeak"
    assert figures["first_audio_ms"] > 0


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        (["say", "Hi.", "--clip", "nowhere.wav", "--out", "x.wav"], {}, "nowhere.wav"),
        (["say", "Hi.", "--clip", str(ROOT / "README.md"), "--out", "x.wav"], {}, "not audio"),
        (["say", "Hi.", "--clip", str(DEMO), "--out", "x.wav", "--engine", "nope"], {}, "no engine 'nope'"),
        (["say", "  ", "--clip", str(DEMO), "--out", "x.wav"], {}, "nothing to say"),
        ([], {"STUDIO_ENGINE": "espeak"}, "Unknown setting STUDIO_ENGINE"),
        ([], {"SPEAKER_MAX_UPLOADED": "many"}, "SPEAKER_MAX_UPLOADED"),
    ],
)
def test_a_mistake_is_answered_in_one_line_without_a_traceback(tmp_path, arguments, environment, said):
    ran = run(*arguments, **({"SPEAKER_SAMPLES_DIR": str(tmp_path)} | environment))
    assert ran.returncode == 2
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1


def test_a_taken_port_is_named_before_anything_is_loaded():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = run("--headless", "--port", str(port))
    assert ran.returncode == 2
    assert f"127.0.0.1:{port}" in ran.stderr
    assert "--port" in ran.stderr


@pytest.mark.parametrize("port", ["99999", "-1", "http"])
def test_a_port_that_is_none_is_refused_with_the_range(port):
    ran = run("--port", port)
    assert ran.returncode == 2
    assert "0 to 65535" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_ready_line_tells_seconds_url_and_engines(server):
    assert re.fullmatch(r"ready in \d+\.\d s  http://127\.0\.0\.1:\d+  espeak ready(, \w+ \w+)*  0 speakers", server.ready_line)


def test_what_is_ended_by_a_signal_leaves_in_order(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with start_server(tmp_path / "speakers", environment={"TMPDIR": str(temporary)}) as server:
        assert list(temporary.glob("espeak-*"))
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
    assert list(temporary.iterdir()) == []


def test_headless_serves_the_api_and_no_page(server):
    assert patient_http.get(f"{server.url}/health").json() == {"status": "healthy"}
    assert patient_http.get(server.url).status_code == httpx.codes.NOT_FOUND


def test_the_first_byte_does_not_wait_for_a_delayed_acknowledgement():
    """asyncio sets TCP_NODELAY only on sockets that say IPPROTO_TCP; a listener that does not costs 40 ms per answer."""
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_with_the_page_one_port_serves_both(tmp_path):
    with start_server(tmp_path, headless=False) as server:
        with connected(server.url) as client:
            client.say("session.config")
            client.say("session.close")
            assert client.hear_end() == ([], 1000)
        assert "Voice studio" in patient_http.get(server.url).text
        assert patient_http.get(f"{server.url}/health").json() == {"status": "healthy"}
        unknown = patient_http.get(f"{server.url}/v1/nothing")
        assert unknown.status_code == httpx.codes.NOT_FOUND
        assert unknown.json()["detail"] == "Not Found"
        wrong = patient_http.put(f"{server.url}/v1/audio/voices")
        assert wrong.status_code == httpx.codes.METHOD_NOT_ALLOWED
        assert "POST" in wrong.headers["Allow"]
