"""An engine that has too much to do: what the page says to those who wait, and to those who cannot."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from playwright.sync_api import expect

from studio.measure.server_process import start_server
from tests.api.door import eventually
from tests.browser.conftest import TONES
from tests.browser.tone_page import TonePage, enroll_tone, streaming

pytestmark = pytest.mark.browser

SLOW_SECONDS = 20.0
ASKED = {"input": "A text.", "model": "tone", "stream_format": "audio", "response_format": "pcm", "extra_params": {"ttfp": SLOW_SECONDS}}


@pytest.fixture(scope="module")
def narrow_address(chromium_path, tmp_path_factory):
    """A studio in which one request may wait."""
    with start_server(tmp_path_factory.mktemp("narrow"), headless=False, program=TONES, environment={"STUDIO_MAX_WAITING": "1"}) as server:
        enroll_tone(server.url, "Ana", 300)
        yield server.url


@pytest.mark.parametrize("transport", ["fetch", "gradio"])
def test_who_waits_is_told_for_how_many_and_who_cannot_is_told_when_to_come_back(open_page, narrow_address, complaints, transport):
    """The tone engine sleeps until its first chunk, so whoever comes second waits for its turn."""
    page, other = (TonePage(open_page(narrow_address).page, narrow_address, transport) for _ in range(2))
    with ThreadPoolExecutor(1) as caller, httpx.Client(timeout=60) as client:
        first = caller.submit(_hang_up_when_told, client, narrow_address)
        assert eventually(lambda: streaming(narrow_address) == 1)
        page.start("This waits.")
        expect(page.page.locator("#speak-stage")).to_have_text(
            "Waiting: the engine has one other to serve. You can keep editing.", timeout=10_000
        )
        page.page.get_by_label("Text", exact=True).fill("It is edited meanwhile.")
        other.start("This cannot wait.")
        other.expect_complaint("tone has 1 requests waiting, its limit. Try again in")
        assert other.page.get_by_label("Text", exact=True).input_value() == "This cannot wait."
        page.page.keyboard.press("Escape")
        first.result()
    page.wait_for_silence_at(narrow_address, 30_000)
    assert streaming(narrow_address) == 0
    complaints[:] = [said for said in complaints if "Failed to load resource" not in said]  # the browser's own words about the refusal


def _hang_up_when_told(client: httpx.Client, address: str) -> None:
    """Begins a speech that says nothing for a while, and leaves after half of it."""
    try:
        client.post(f"{address}/v1/audio/speech", json=ASKED, timeout=SLOW_SECONDS / 2)
    except httpx.ReadTimeout:
        return
