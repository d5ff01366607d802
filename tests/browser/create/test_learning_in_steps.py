"""Claims about a voice that an engine learns in steps: a person sees that it is getting more alike, and when it is as good as it gets."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from studio.prompts import refiner
from studio.service import Studio
from studio.settings import Settings
from tests.browser.create.test_creating import create_from_file
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import REFINER, FakeEngine
from tests.stand_ins.held_steps import HeldSteps
from tests.ui.clips.clips import wav_bytes

pytestmark = pytest.mark.browser

ON, LEFT, BEST = "Learned; getting more alike.", "Learned; getting more alike, 5 s left.", "Learned as well as it gets."
PHONE = {"width": 360, "height": 740}


@pytest.fixture
def steps(monkeypatch) -> HeldSteps:
    monkeypatch.setattr(refiner, "SETTLE_SECONDS", 0.0)
    return HeldSteps()


@pytest.fixture
def refining_address(tmp_path, steps, chromium_path) -> Iterator[str]:
    engine, settings = FakeEngine(REFINER, before_step=steps), Settings(speakers_dir=tmp_path, default_engine=REFINER.id)
    studio = Studio(settings, infos={REFINER.id: REFINER}, open_engine=lambda name: engine)
    try:
        with served_page(studio) as address:
            yield address
    finally:
        steps.free()
        studio.close()


def test_a_new_voice_is_seen_to_get_more_alike_until_it_is_as_good_as_it_gets(refining_address, open_page, steps):
    visit = open_page(refining_address)
    page = visit.page
    visit.open_tab("Create voice")
    create_from_file(visit, "Ana", wav_bytes(8.0))
    page.set_checked("#extract-refiner", True)
    visit.create()
    row = page.locator("li:has(#extract-refiner)")
    expect(row.locator(".extract-state")).to_have_attribute("data-state", "refining")
    expect(row.locator(".extract-state")).to_contain_text("Ready in")
    expect(row.locator(".note")).to_contain_text(ON)
    steps.wait_for(1)
    page.click("#speak-now")
    expect(page.locator("#voice-learning")).to_have_text(ON)
    steps.let_go(3)
    expect(page.locator("#voice-learning")).to_have_text(LEFT)
    page.set_viewport_size(PHONE)
    visit.expect_no_sideways_scroll()
    visit.open_tab("Cache & models")
    cell = page.locator('#matrix [data-voice="Ana"] .cell[data-engine="refiner"]')
    expect(cell).to_have_attribute("data-state", "refining")
    cell.click()
    expect(page.locator("#cell-card .cell-card-reason")).to_have_text(LEFT)
    expect(page.locator("#cell-card .chip")).to_have_text("Improving")
    steps.free()
    expect(page.locator("#cell-card .cell-card-reason")).to_have_text(BEST)
    expect(cell).to_have_attribute("data-state", "memory")
    page.keyboard.press("Escape")
    visit.open_tab("Speak")
    expect(page.locator("#voice-learning")).to_have_text(BEST)
    visit.open_tab("Create voice")
    expect(row.locator(".note")).to_contain_text(BEST)
    expect(row.locator(".extract-state")).to_have_attribute("data-state", "memory")
