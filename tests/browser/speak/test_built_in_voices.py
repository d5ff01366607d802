"""An engine with built-in voices of several languages, which it blends: they are listed by language, and a blend is typed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from studio.service import Studio
from studio.settings import Settings
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import BLENDER, FakeEngine

pytestmark = pytest.mark.browser


@pytest.fixture
def blending(tmp_path) -> Iterator[str]:
    settings = Settings(speakers_dir=tmp_path, default_engine=BLENDER.id, warm_uploads=False)
    studio = Studio(settings, infos={BLENDER.id: BLENDER}, open_engine=lambda name: FakeEngine(BLENDER))
    with served_page(studio) as address:
        yield address
    studio.close()


def test_voices_stand_by_language_are_found_by_sex_and_blended_by_what_is_typed(blending, open_page):
    studio_page = open_page(blending, transport="fetch")
    page, voice = studio_page.page, studio_page.page.locator("#voice")
    voice.click()
    panel = page.locator('.pick[data-of="voice"]')
    rows, search = panel.get_by_role("option"), panel.get_by_role("combobox")
    expect(panel.locator(".menu-group")).to_have_text(["American English", "British English", "German", "Any language"])
    assert [row.get_attribute("aria-label") for row in rows.all()] == [
        "alma, Built in · Female", "bea, Built in · Female", "carl, Built in · Male", "doro, Built in",
    ]  # fmt: skip
    expect(panel.locator(".pick-note")).to_have_text("Built-in voices can be blended: type alma:0.6+bea:0.4")
    search.fill("male")
    expect(rows).to_have_text(["carl Built in · Male · German"])
    search.fill("english fem")
    expect(rows).to_have_text(["alma Built in · Female", "bea Built in · Female"])
    search.fill("alma+beo")
    page.keyboard.press("Enter")
    expect(voice).to_have_accessible_name("Voice: alma+beo is no blend")
    page.locator("#text").fill("One.")
    page.click("#speak-button")
    expect(page.locator("#speak-message")).to_contain_text("“beo” in this blend is no built-in voice of Blender. Did you mean bea?")
    voice.click()
    search.fill("alma:0.6+bea:0.4")
    expect(rows).to_have_count(1)
    page.keyboard.press("Enter")
    expect(voice).to_have_accessible_name("Voice: alma:3+bea:2")
    assert studio_page.speak("One.")["voice"] == "alma:3+bea:2"
    page.get_by_role("button", name="Show where the time goes").click()
    expect(page.locator("#result")).to_contain_text("alma:3+bea:2 is built into Blender.")
    for typed in ("alm", "alma"):  # the blend has that name in it, was used last, and stands first
        voice.click()
        search.press_sequentially(typed)
        page.keyboard.press("Enter")
        expect(voice).to_have_accessible_name(f"Voice: {'alma:3+bea:2' if typed == 'alm' else typed}")
    assert studio_page.speak("One.")["voice"] == "alma"
    voice.click()
    search.fill("alma:3+bea:2")
    page.keyboard.press("Enter")
    page.wait_for_function("studio.choice.known.voice === 'alma:3+bea:2'")
    page.reload()
    page.wait_for_function("window.studio?.firstRoom && studio.choice.isSettled")
    expect(voice).to_contain_text("alma:3+bea:2")
