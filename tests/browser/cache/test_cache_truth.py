"""What the matrix says is what is so: bytes as they are on disk, and over a restart."""

import pytest
from playwright.sync_api import Locator, expect

from studio.ui.engines.size_words import size_words
from tests.browser.cache.test_cache import LABELED
from tests.browser.driving.studio_page import StudioPage
from tests.browser.speak.test_transports import spoken_by_the_api
from tests.browser.studios.tone_page import TonePage, enroll_tone
from tests.browser.studios.tone_server import served_tones

pytestmark = pytest.mark.browser

VOICE = "Kept"


def cell_of(page: StudioPage, voice: str, engine: str) -> Locator:
    row = page.page.locator("#matrix tbody tr").filter(has=page.page.locator(".name").get_by_text(voice, exact=True))
    return row.locator(f'.cell[data-engine="{engine}"]')


def facts_of(page: StudioPage, cell: Locator) -> dict[str, str]:
    """What the cell's card says, by label."""
    cell.click()
    said = dict(page.page.locator("#cell-card dl > div").evaluate_all(LABELED))
    page.page.keyboard.press("Escape")
    return said


def speak_as(page: TonePage) -> str:
    """Chooses the voice and speaks; whether its prompt was a hit, a miss, or read from disk."""
    page.open_tab("Speak")
    page.choose(VOICE, "Tone")
    found = page.speak("A word.")["cache"]
    page.open_tab("Cache & models")
    return found


def test_a_cells_bytes_are_its_files_and_a_restart_finds_them_on_disk(open_page, tmp_path):
    with served_tones(tmp_path) as tones:
        enroll_tone(tones.address, VOICE, 300)
        spoken_by_the_api(tones.address, input="A word.", voice=VOICE, model="tone")

    (stored,) = [path for path in tmp_path.rglob("*.safetensors") if b"pitch_hz" in path.read_bytes()]
    with served_tones(tmp_path) as tones:
        page = open_page(tones.address, transport="fetch")
        page.open_tab("Cache & models")
        cell = cell_of(page, VOICE, "tone")
        expect(cell).to_have_attribute("data-state", "disk")
        assert facts_of(page, cell)["size"] == f"{size_words(stored.stat().st_size)} on disk"
        assert speak_as(page) == "disk"
        expect(cell).to_have_attribute("data-state", "memory")
        assert facts_of(page, cell)["size"].endswith(f"on disk {size_words(stored.stat().st_size)}")
        assert speak_as(page) == "hit"
        cell.click()
        found = page.page.locator('#cell-card [data-label="found"] dd')
        expect(found).to_have_text("1 time")
        spoken_by_the_api(tones.address, input="A word.", voice=VOICE, model="tone")
        expect(found).to_have_text("2 times")
        page.page.close()
