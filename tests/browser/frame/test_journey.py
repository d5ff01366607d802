"""THE claim: a person records a voice, creates it, types, and hears it, cold and warm. In a real browser against the real process."""

import re

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Page, expect

from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage

pytestmark = pytest.mark.browser

SHORT_TEXT = "Good morning. This is what I sound like."


@pytest.fixture
def studio_page(kept_pages, address) -> StudioPage:
    """The page that these tests share, on Create voice: nothing is recorded, written or chosen there."""

    def opened(page: Page) -> StudioPage:
        page.context.grant_permissions(["microphone"])
        return StudioPage(page, address)

    page = kept_pages.get("journey", address, opened)
    page.begin_voice()
    return page


def milliseconds(cell: str) -> float:
    return float(re.fullmatch(r"([\d.]+) ms", cell)[1])


def decibel(samples: np.ndarray) -> float:
    return 20 * np.log10(np.sqrt(np.mean(samples**2)))


def test_a_voice_is_recorded_created_spoken_and_heard(studio_page, folders, microphone):
    page = studio_page.page
    source, source_rate = soundfile.read(microphone)
    loop_seconds = len(source) / source_rate

    studio_page.record(loop_seconds + 0.4)
    settings = page.evaluate("studio.recorder.clip.settings")
    assert [settings[name] for name in ("echoCancellation", "noiseSuppression", "autoGainControl")] == [False, False, False]
    expect(page.locator("#clip-about")).to_contain_text("its own processing is off")
    clip, rate = studio_page.recorded()
    assert abs(decibel(clip[-int(loop_seconds * rate) :]) - decibel(source)) < 1

    studio_page.fill_draft("Rosa")
    said = studio_page.create()
    assert "Rosa is ready." in said and re.search(r"Ready in \d", said)
    studio_page.open_tab("Speak")
    expect(page.locator("#voice b")).to_have_text("Rosa")
    assert list(folders["uploads"].rglob("*.wav")) == []

    page.get_by_label("Text", exact=True).fill(SHORT_TEXT)
    page.click("#speak-button")
    studio_page.wait_for_sound()
    heard = page.evaluate("studioPlayer.tap()")
    assert heard["contextState"] == "running"
    page.wait_for_function("since => studioPlayer.tap().contextSeconds > since + 0.5", arg=heard["contextSeconds"])
    page.wait_for_function("studioPlayer.state === 'ended'")
    warm = studio_page.newest_run()
    assert (warm["voice"], warm["cache"], warm["start"]) == ("Rosa", "hit", "warm")
    expect(page.locator("#player-status")).to_contain_text("finished")

    cold = studio_page.speak(more="cold")
    assert (cold["cache"], cold["start"]) == ("miss", "cold")
    assert cold["sound"] > cold["ttfp"] > cold["learning"] > 0  # milliseconds
    again = studio_page.speak()
    assert (again["cache"], again["start"]) == ("hit", "warm")


def test_a_refused_creation_keeps_everything_that_was_typed(studio_page):
    page = studio_page.page
    studio_page.record(1.5)
    studio_page.open_step("consent")
    page.fill("#voice-name", "Nobody yet")
    studio_page.open_step("transcript")
    page.fill("#voice-transcript", "Welcome to the studio.")
    studio_page.open_step("extract")
    page.click("#create-button")
    line = page.locator("#create-message .notice")
    expect(line).to_have_attribute("data-kind", "problem")
    expect(line).to_contain_text("Choose why you may use this voice.")
    expect(page.locator("#panel-consent")).to_be_visible()  # where it can be mended
    assert page.input_value("#voice-name") == "Nobody yet"
    studio_page.open_step("transcript")
    assert page.input_value("#voice-transcript") == "Welcome to the studio."
    studio_page.open_step("clip")
    expect(page.locator("#clip-about")).to_contain_text("recording.wav")


def test_a_clip_that_is_removed_takes_the_text_that_was_read_with_it(studio_page):
    studio_page.record(0.5)
    studio_page.page.wait_for_function("studio.creating._draft")
    studio_page.open_step("transcript")
    expect(studio_page.page.locator("#transcript-reading")).to_be_visible()
    studio_page.open_step("clip")
    studio_page.page.click("#clip-remove")
    studio_page.open_step("transcript")
    expect(studio_page.page.locator("#transcript-reading")).to_be_hidden()


def test_a_name_of_markup_is_text_everywhere_and_its_voice_can_be_deleted(studio_page):
    page, name = studio_page.page, "<img src=x onerror=alert(1)>"
    page.set_input_files("#clip-file", DEMO)
    expect(page.locator("#clip-about")).to_contain_text("demo.flac")
    studio_page.fill_draft(name)
    assert name in studio_page.create()
    studio_page.open_tab("Speak")
    expect(page.locator("#voice b")).to_have_text(name)
    assert studio_page.speak(SHORT_TEXT)["voice"] == name
    expect(page.locator("#player-status")).to_contain_text(name)
    assert page.locator("img[src=x]").count() == 0

    studio_page.open_tab("Voices")
    page.get_by_role("button", name=f"Actions for {name}", exact=True).click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(page.locator("#strip")).to_contain_text("is deleted")
    studio_page.open_tab("Speak")
    expect(page.locator("#voice b")).to_have_text(f"{name} is gone")
