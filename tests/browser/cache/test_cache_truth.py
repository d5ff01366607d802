"""What the matrix says is what is so: bytes as they are on disk, over a restart, and out of date once the words are others."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from engines.clips.clip import Clip, Transcript
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Enrollment
from studio.ui.engines.size_words import size_words
from tests.browser.cache.test_cache import LABELED
from tests.browser.driving.studio_page import StudioPage
from tests.browser.speak.test_transports import ONE_SECOND, spoken_by_the_api
from tests.browser.studios.served_page import served_page
from tests.browser.studios.tone_page import TonePage, enroll_tone, heard_hz
from tests.browser.studios.tone_server import served_tones
from tests.stand_ins.fake_engine import INFO, FakeEngine

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
    with served_tones(tmp_path, warm_uploads=False) as tones:
        enroll_tone(tones.address, VOICE, 300)
        page = open_page(tones.address, transport="fetch")
        page.open_tab("Cache & models")
        cell = cell_of(page, VOICE, "tone")
        expect(cell).to_have_attribute("data-state", "none")
        assert [speak_as(page), speak_as(page)] == ["miss", "hit"]
        expect(cell).to_have_attribute("data-state", "memory")
        cell.click()
        found = page.page.locator('#cell-card [data-label="found"] dd')
        expect(found).to_have_text("1 time")
        spoken_by_the_api(tones.address, input="A word.", voice=VOICE, model="tone")
        expect(found).to_have_text("2 times")
        page.page.keyboard.press("Escape")
        (stored,) = [path for path in tmp_path.rglob("*.safetensors") if b"pitch_hz" in path.read_bytes()]
        assert facts_of(page, cell)["size"].endswith(f"on disk {size_words(stored.stat().st_size)}")
        page.page.close()

    with served_tones(tmp_path) as tones:
        page = open_page(tones.address, transport="fetch")
        page.open_tab("Cache & models")
        cell = cell_of(page, VOICE, "tone")
        expect(cell).to_have_attribute("data-state", "disk")
        assert speak_as(page) == "disk"
        expect(cell).to_have_attribute("data-state", "memory")
        assert speak_as(page) == "hit"
        page.page.close()


@pytest.fixture
def wordy(tmp_path):
    """A studio whose engine learns another prompt with other words, with one voice."""
    info = replace(INFO, transcript_shapes_prompt=True)
    studio = Studio(
        Settings(speakers_dir=tmp_path, default_engine="fake", warm_uploads=False),
        infos={"fake": info},
        open_engine=lambda name: FakeEngine(info),
    )
    studio.load("fake")
    samples = np.random.default_rng(1).uniform(-0.3, 0.3, 48_000).astype(np.float32)
    studio.enroll(Enrollment(VOICE, "own", clip=Clip(samples, 24_000), transcript=Transcript.of("These words.", "en")))
    with served_page(studio) as address:
        yield address
    studio.close()


def test_edited_words_make_a_cell_stale_in_every_window_and_extracting_again_mends_it(wordy, open_page):
    mine, other = open_page(wordy), open_page(wordy)
    for page in (mine, other):
        page.open_tab("Cache & models")
    cell, far = cell_of(mine, VOICE, "fake"), cell_of(other, VOICE, "fake")
    cell.click()
    mine.page.get_by_role("button", name="Teach", exact=True).click()
    for each in (cell, far):
        expect(each).to_have_attribute("data-state", "memory")

    mine.open_tab("Voices")
    mine.page.get_by_role("button", name=f"Actions for {VOICE}", exact=True).click()
    mine.page.get_by_role("menuitem", name="Edit").click()
    mine.page.locator("#voice-edit").get_by_label("What is said in the recording, word for word").fill("Other words.")
    mine.page.get_by_role("button", name="Save").click()
    expect(far).to_have_attribute("data-state", "stale")
    mine.open_tab("Cache & models")
    cell.click()
    expect(mine.page.locator("#cell-card")).to_contain_text("It was learned with other words. Learn it again.")
    mine.page.get_by_role("button", name="Learn again", exact=True).click()
    for each in (cell, far):
        expect(each).to_have_attribute("data-state", "memory")


def test_eight_voices_at_once_by_both_transports_and_the_api_keep_their_pitch(open_page, tone_address):
    pitches = {f"Choir {number}": 330.0 + 70 * number for number in range(8)}
    for name, hz in pitches.items():
        enroll_tone(tone_address, name, hz)
    pages = {"Choir 2": open_page(tone_address, transport="fetch"), "Choir 6": open_page(tone_address, transport="gradio")}
    for name, page in pages.items():
        page.choose(name, "Tone")
        page.set_pace(rtf=0.3)
        page.page.get_by_label("Text", exact=True).fill(ONE_SECOND)
    with ThreadPoolExecutor(len(pitches)) as singers:
        body = {"input": ONE_SECOND, "model": "tone", "extra_params": {"rtf": 0.3}}
        asked = {name: singers.submit(spoken_by_the_api, tone_address, voice=name, **body) for name in pitches if name not in pages}
        for page in pages.values():
            page.page.click("#speak-button")
        for page in pages.values():
            page.wait_for_all()
        heard = {name: future.result() for name, future in asked.items()} | {name: page.samples() for name, page in pages.items()}
    assert len(heard) == 8
    for name, samples in heard.items():
        assert heard_hz(samples) == pytest.approx(pitches[name], abs=2), name
        assert len(samples) == 24_000
