"""The studio as a Hugging Face Space: launched by Gradio, page and API on one app, on a bare CPU."""

import base64
import hashlib
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
import soundfile
from itsdangerous import TimestampSigner
from websockets.sync.client import connect

from studio.settings import Settings, read_settings
from tests.stand_ins import patient_http
from tests.stand_ins.server_process import start_server

ROOT = Path(__file__).parents[2]
TONES = ("-m", "tests.browser.studios.tone_server")
SPACE = {"SPACE_ID": "someone/voices"}
MOST_CONNECTIONS = 30


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """The real program with the embedded engine."""
    settings = {**SPACE, "STUDIO_MAX_CONNECTIONS": str(MOST_CONNECTIONS)}
    with start_server(tmp_path_factory.mktemp("space"), headless=False, environment=settings) as server:
        yield server


def test_page_and_api_are_on_one_port(space):
    assert "espeak ready" in space.ready_line
    assert "Voice studio" in patient_http.get(space.url).text
    assert patient_http.get(f"{space.url}/health").json() == {"status": "healthy"}
    assert patient_http.get(f"{space.url}/docs").status_code == httpx.codes.OK
    assert patient_http.get(f"{space.url}/v1/nothing").json()["detail"] == "Not Found"


def test_a_space_has_the_guards_of_every_studio(space):
    """Gradio has made the server; it is told of them afterwards."""
    for path in ("/", "/v1/models", "/config"):
        assert patient_http.get(f"{space.url}{path}", headers={"Host": "voices.example"}).is_success
        known = patient_http.get(f"{space.url}{path}", headers={"Host": "someone-voices.hf.space"})
        assert known.status_code == httpx.codes.OK and known.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'self' https://huggingface.co" in known.headers["content-security-policy"]
    with ExitStack() as crowd:
        for _ in range(MOST_CONNECTIONS):
            crowd.enter_context(socket.create_connection(("127.0.0.1", space.port)))
        refused = patient_http.get(f"{space.url}/v1/models")
        assert (refused.status_code, refused.json()["error"]["reason_code"]) == (503, "connections_full")
        assert patient_http.get(f"{space.url}/health").status_code == httpx.codes.OK


def test_the_api_speaks_on_a_space(space, tmp_path):
    about = {"name": "Demo", "consent": "demo-licence"}
    clip = (ROOT / "assets/voices/demo.flac").read_bytes()
    refused = httpx.post(f"{space.url}/v1/audio/voices", data=about, files={"audio_sample": clip}, timeout=30)
    assert refused.status_code == httpx.codes.FORBIDDEN and refused.json()["error"]["reason_code"] == "workspace_required"
    with httpx.Client(base_url=space.url, timeout=30) as visitor:
        visitor.get("/")  # and has a cookie from here on
        made = visitor.post("/v1/audio/voices", data=about, files={"audio_sample": clip})
        assert made.status_code == httpx.codes.OK, made.text
        answer = visitor.post("/v1/audio/speech", json={"input": "Hello from a Space.", "voice": "Demo"})
    assert patient_http.get(f"{space.url}/v1/audio/voices").json()["uploaded_voices"] == []
    (tmp_path / "said.wav").write_bytes(answer.content)
    assert soundfile.info(tmp_path / "said.wav").duration > 0.5


def test_the_page_of_a_space_takes_the_transport_of_gradio_and_tells_visitors_what_vanishes(space):
    config = patient_http.get(f"{space.url}/config").json()
    relay = next(component for component in config["components"] if component["props"].get("elem_id") == "relay")
    assert relay["props"]["value"] == {"transport": "gradio"}
    values = [component["props"].get("value") for component in config["components"]]
    told = {"kind": "care", "icon": "warning", "fact": "vanishing", "hint": "vanishing_keep_hours", "values": {"hours": 24}}
    assert values.count(told) == 2 and "apart" not in [value.get("fact") for value in values if isinstance(value, dict)]
    assert config["run_history"] is False and config["analytics_enabled"] is False


def test_a_space_with_storage_keeps_its_voices_there(tmp_path):
    storage = tmp_path / "data"
    storage.mkdir()
    settings = read_settings({**SPACE, "STUDIO_SPACE_STORAGE": str(storage)})
    assert settings.speakers_dir == storage / "speakers" and settings.is_lasting
    without = read_settings({**SPACE, "STUDIO_SPACE_STORAGE": str(tmp_path / "nowhere")})
    assert without.speakers_dir == Settings().speakers_dir.expanduser() and not without.is_lasting
    assert read_settings({}).is_lasting


def test_a_space_starts_without_the_network_and_writes_nowhere_but_in_its_storage(tmp_path):
    """In a network of its own that leads nowhere, over a repository that cannot be written to."""
    alone = ["unshare", "--map-root-user", "--net", "--mount", "sh", "-ec"]
    closed = 'ip link set lo up; mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; cd "$0"; exec "$@"'
    if shutil.which("unshare") is None or subprocess.run([*alone, closed, ROOT, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets no process have a network of its own")
    visit = [sys.executable, "-m", "tests.stand_ins.space_visit", tmp_path]
    told = subprocess.run([*alone, closed, ROOT, *visit], capture_output=True, text=True, timeout=120, check=False)
    assert told.returncode == 0, told.stderr[-2000:]


def test_who_signs_in_on_a_space_finds_the_same_voices_everywhere(tmp_path):
    """With hf_oauth Gradio keeps the login in a session that it signs; which is made here, since the Hub is not at hand."""
    login = {"OAUTH_CLIENT_ID": "id", "OAUTH_CLIENT_SECRET": "secret", "OAUTH_SCOPES": "openid profile", "SYSTEM": "spaces"}
    environment = {**SPACE, **login, "OPENID_PROVIDER_URL": "https://hub.example"}
    with start_server(tmp_path, headless=False, environment=environment, program=TONES) as server:
        about = {"data": {"name": "Ana", "consent": "mine"}, "files": {"audio_sample": (ROOT / "assets/voices/demo.flac").read_bytes()}}
        assert httpx.post(f"{server.url}/v1/audio/voices", headers=_signed_in("ana"), timeout=30, **about).status_code == httpx.codes.OK
        for headers, seen in ((_signed_in("ana"), ["Ana"]), (_signed_in("ben"), []), ({}, [])):
            voices = patient_http.get(f"{server.url}/v1/audio/voices", headers=headers).json()["uploaded_voices"]
            assert [voice["name"] for voice in voices] == seen
        config = patient_http.get(f"{server.url}/config").json()
    assert any(component["props"].get("elem_id") == "login-routes" for component in config["components"])
    public = {event["api_name"] for event in config["dependencies"] if event["api_visibility"] != "private"}
    assert public == {"speak", "convert", "compare", "voices", "create_voice", "delete_voice"}  # and not the event behind the login button


def _signed_in(subject: str) -> dict[str, str]:
    """As gradio/oauth.py of 6.31.0 keeps who has signed in."""
    told = {"oauth_info": {"userinfo": {"sub": subject, "name": subject, "preferred_username": subject}}}
    signer = TimestampSigner(hashlib.sha256(b"secret-v4").hexdigest())
    return {"Cookie": f"session={signer.sign(base64.b64encode(json.dumps(told).encode())).decode()}"}


def test_a_space_with_keys_is_closed_and_leaves_in_order_when_it_is_ended(tmp_path):
    with start_server(tmp_path, headless=False, environment={**SPACE, "STUDIO_API_KEYS": "k"}, program=TONES) as server:
        assert 'name="key"' in patient_http.get(server.url, headers={"Accept": "text/html"}).text
        assert patient_http.get(f"{server.url}/config").status_code == httpx.codes.UNAUTHORIZED
        assert patient_http.get(f"{server.url}/v1/models").status_code == httpx.codes.UNAUTHORIZED
        assert patient_http.get(f"{server.url}/v1/models", headers={"Authorization": "Bearer k"}).status_code == httpx.codes.OK
        address = f"{server.url.replace('http', 'ws')}/v1/audio/speech/stream"
        with connect(address, additional_headers={"Authorization": "Bearer k"}, proxy=None, open_timeout=60) as listener:
            server.process.send_signal(signal.SIGTERM)
            assert json.loads(listener.recv(60)) == {"type": "error", "message": "The studio is closing."}
        assert listener.close_code == 1012
        assert server.process.wait(60) == 0 and "Traceback" not in server.output()


def test_the_readme_tells_the_space_what_is_installed():
    """Its front matter: a Space takes the version of Gradio from there, not from requirements.txt."""
    front = re.match(r"---\n(.*?)\n---\n", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert (fields["sdk"], fields["app_file"], fields["license"]) == ("gradio", "app.py", "apache-2.0")
    assert f"gradio=={fields['sdk_version']}" in (ROOT / "requirements.txt").read_text().splitlines()
    assert len(fields["short_description"]) <= 60  # the Hub's limit
    assert fields["python_version"] in ('"3.12.12"', '"3.10.13"')  # those that ZeroGPU has; the second is older than the studio runs on


def test_what_a_space_installs_can_be_resolved():
    """The line that the Hub's builder runs, resolved and not installed. Its `mcp` extra bounds pydantic from above."""
    front = (ROOT / "README.md").read_text()
    version = re.search(r"^sdk_version: (.+)$", front, re.MULTILINE)[1]
    wanted = [f"gradio[oauth,mcp]=={version}", "uvicorn>=0.14.0", "websockets>=10.4", "spaces"]
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--disable-pip-version-check", "--no-input"]
    answer = subprocess.run([*pip, "-r", ROOT / "requirements.txt", *wanted], capture_output=True, text=True, timeout=300, check=False)
    if answer.returncode and ("NewConnectionError" in answer.stderr or "No matching distribution found for spaces" in answer.stderr):
        pytest.skip("no package registry answers here")
    assert answer.returncode == 0, answer.stderr


def test_a_space_is_not_given_what_only_tests_need():
    run = {line.partition("==")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()}
    assert not run & {"pytest", "playwright", "ruff", "hypothesis", "schemathesis", "openai"}


def test_the_hub_takes_every_file_of_a_push():
    """It refuses binary files that are not in its large-file storage."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    binary = [name for name in names if b"\0" in (ROOT / name).read_bytes()[:8192]]
    told = subprocess.run(["git", "check-attr", "filter", "--", *binary], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert binary and [line for line in told.splitlines() if not line.endswith(": filter: lfs")] == []
