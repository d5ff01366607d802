"""The real process, a real Chromium with a fake microphone, and pages that fail a test when the console or the network complains."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import soundfile
from playwright.sync_api import sync_playwright

from studio.measure.chromium import FLAGS, find_chromium
from studio.measure.server_process import start_server
from tests.browser.every_state import empty_studio, every_state
from tests.browser.served_page import served_page
from tests.browser.studio_page import StudioPage

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "voices" / "demo.wav"
MICROPHONE_SECONDS = 5.0
START_SECONDS = 60
TONES = ("-m", "tests.browser.tone_server")
INSECURE_HOST = "studio.test"  # plain http and no localhost: browsers withhold the microphone there
MICROPHONE_FLAGS = (
    *FLAGS,
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    f"--host-resolver-rules=MAP {INSECURE_HOST} 127.0.0.1",
)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    return find_chromium() or pytest.skip("there is no Chromium on PATH; `make browser` installs one")


@pytest.fixture(scope="session")
def microphone(tmp_path_factory) -> Path:
    """What the fake microphone plays, over and over."""
    samples, sample_rate = soundfile.read(DEMO)
    path = tmp_path_factory.mktemp("microphone") / "speech.wav"
    soundfile.write(path, samples[: int(MICROPHONE_SECONDS * sample_rate)], sample_rate, subtype="PCM_16")
    return path


@pytest.fixture(scope="session")
def folders(tmp_path_factory) -> dict[str, Path]:
    return {name: tmp_path_factory.mktemp(name) for name in ("speakers", "uploads", "shots")}


@pytest.fixture(scope="session")
def address(folders, chromium_path) -> str:
    """http://127.0.0.1:PORT of `python app.py`, with folders of its own; ended after the tests."""
    environment = {**os.environ, "SPEAKER_SAMPLES_DIR": str(folders["speakers"]), "GRADIO_TEMP_DIR": str(folders["uploads"])}
    command = [sys.executable, str(ROOT / "app.py"), "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        watchdog = threading.Timer(START_SECONDS, process.kill)
        watchdog.start()
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("ready in "):
                break
        watchdog.cancel()
        assert said and said[-1].startswith("ready in "), "".join(said)
        threading.Thread(target=process.stdout.read, daemon=True).start()  # or the process stops at a full pipe
        yield next(word for word in said[-1].split() if word.startswith("http://"))
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="session")
def tone_address(tmp_path_factory, chromium_path) -> str:
    """http://127.0.0.1:PORT of a studio whose engines are tones with a settable pace (tone_engine.py)."""
    with start_server(tmp_path_factory.mktemp("tones"), headless=False, program=TONES) as server:
        yield server.url


@pytest.fixture(scope="module")
def full_address(chromium_path, tmp_path_factory) -> str:
    """http://127.0.0.1:PORT of a studio that shows every state there is (every_state.py)."""
    with every_state(tmp_path_factory.mktemp("full")) as studio, served_page(studio) as address:
        yield address


@pytest.fixture(scope="module")
def empty_address(chromium_path, tmp_path_factory) -> str:
    """The same of a studio without voices and history."""
    with empty_studio(tmp_path_factory.mktemp("empty")) as studio, served_page(studio) as address:
        yield address


@pytest.fixture(scope="module")  # not longer: while Playwright lives, its event loop counts as running, and other tests run their own
def browser(chromium_path, microphone):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path, args=[*MICROPHONE_FLAGS, f"--use-file-for-fake-audio-capture={microphone}"]
        )
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """Errors on the console, requests to foreign hosts, dialogs of the browser. A test that provokes one takes it out."""
    return []


@pytest.fixture
def open_page(browser, address, complaints):
    """open_page(**context options) -> StudioPage. What is left in `complaints` at the end fails the test."""
    contexts = []

    def make(url: str = address, width: int = 1280, **options) -> StudioPage:
        context = browser.new_context(viewport={"width": width, "height": 844}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: complaints.extend(_foreign(request.url, url)))
        return StudioPage(page, url)

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def studio_page(open_page) -> StudioPage:
    return open_page(permissions=["microphone"])


def _foreign(url: str, own: str) -> list[str]:
    parts = urlsplit(url)
    return [] if parts.scheme in ("data", "blob") or parts.netloc == urlsplit(own).netloc else [f"request to {url}"]
