"""Claims about Create voice with several recordings, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.driving.studio_page import StudioPage
from tests.stand_ins import patient_http
from tests.ui.clips.clips import wav_bytes

pytestmark = pytest.mark.browser


def choose(page: StudioPage, seconds: float) -> None:
    clip = {"name": f"{seconds:g}.wav", "mimeType": "audio/wav", "buffer": wav_bytes(seconds, 8_000)}
    page.page.set_input_files("#clip-file", clip)
    expect(page.page.locator("#panel-check")).to_be_visible()
    page.wait_for_report()


def add_another(page: StudioPage) -> None:
    page.open_step("clip")
    page.page.get_by_role("button", name="Add another recording").click()
    expect(page.page.locator("#clip")).to_have_attribute("data-state", "empty")


def test_a_voice_is_made_of_several_recordings(creating_page, tone_address):
    page = creating_page.page
    add = page.get_by_role("button", name="Add another recording")
    listed, words = page.locator("#clip-earlier li"), page.locator("#transcript-earlier textarea")
    expect(add).to_be_hidden()
    choose(creating_page, 2.0)
    creating_page.open_step("transcript")
    page.fill("#voice-transcript", "Words of the first one.")
    for seconds in (2.5, 3.0, 1.5):
        add_another(creating_page)
        choose(creating_page, seconds)
    creating_page.open_step("clip")
    expect(listed).to_have_text(["Recording 1, 2 s", "Recording 2, 2.5 s", "Recording 3, 3 s"])
    expect(add).to_be_hidden()  # four are the most
    page.get_by_role("button", name="Remove recording 2").click()
    expect(listed).to_have_text(["Recording 1, 2 s", "Recording 2, 3 s"])
    expect(add).to_be_visible()

    creating_page.fill_draft("Of three")
    creating_page.open_step("extract")
    page.click("#create-button")
    notice = page.locator("#create-message .notice")
    expect(notice).to_contain_text("This voice has 3 recordings, and not each has its words.")
    expect(page.locator("#panel-transcript")).to_be_visible()
    page.get_by_label("Recording 2, 3 s").fill("Words of the second.")
    page.fill("#voice-transcript", "And of the third.")

    again = StudioPage(page, tone_address)  # a reload keeps them
    again.open_tab("Create voice")
    again.wait_for_report()
    expect(words).to_have_count(2)
    again.open_step("transcript")
    for at, said in enumerate(("Words of the first one.", "Words of the second.")):
        expect(words.nth(at)).to_have_value(said)
    expect(page.locator("#transcript-own")).to_have_text("Recording 3")
    again.fill_draft("Of three")
    again.create()
    voice = patient_http.get(f"{tone_address}/v1/audio/voices/Of three").json()
    assert (voice["recordings"], voice["recording_seconds"]) == (3, [2.0, 3.0, 1.5])
    assert voice["ref_text"] == "Words of the first one.\nWords of the second.\nAnd of the third."
    page.click("#create-another")
    expect(listed).to_have_count(0)
