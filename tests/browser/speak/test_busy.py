"""An engine that has too much to do: what the page says to those who wait, and to those who cannot."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import httpx
import pytest
from playwright.sync_api import expect

from tests.api.door import eventually
from tests.browser.studios.tone_page import TonePage, streaming, wait_for_silence
from tests.browser.studios.tone_server import served_tones
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

HELD = {"input": "A text.", "model": "tone", "stream_format": "audio", "response_format": "pcm", "extra_params": {"hold_at": 0}}


@pytest.fixture(scope="module")
def narrow(chromium_path, tmp_path_factory):
    """A studio in which one request may wait."""
    with served_tones(tmp_path_factory.mktemp("narrow"), most_waiting=1) as tones:
        yield tones


@pytest.fixture
def windows(open_page, narrow) -> dict[str, TonePage]:
    """One by each transport."""
    return {transport: open_page(narrow.address, transport=transport) for transport in ("fetch", "gradio")}


def test_who_waits_is_told_for_how_many_and_who_cannot_is_told_when_to_come_back(windows, narrow, complaints):
    """The engine is held before its first chunk, so whoever comes second waits for its turn."""
    for page, other in permutations(windows.values()):
        narrow.let_go.clear()
        with ThreadPoolExecutor(1) as caller, patient_http.Client(timeout=60) as client:
            first = caller.submit(client.post, f"{narrow.address}/v1/audio/speech", json=HELD)
            assert eventually(lambda: streaming(narrow.address) == 1)
            page.start("This waits.")
            expect(page.page.locator("#speak-stage")).to_have_text("Waiting, 1 before you. You can keep typing.")
            page.page.get_by_label("Text", exact=True).fill("It is edited meanwhile.")
            other.start("This cannot wait.")
            other.expect_complaint("1 other waits for Tone, and no more can. Try again in")
            assert other.page.get_by_label("Text", exact=True).input_value() == "This cannot wait."
            page.page.keyboard.press("Escape")
            narrow.let_go.set()
            assert first.result().status_code == httpx.codes.OK
        wait_for_silence(narrow.address)
    complaints[:] = [said for said in complaints if "Failed to load resource" not in said]  # the browser's own words about the refusal
