"""Claims about the words that the studio writes, in Create voice of a real browser, over a stand-in that hears what it is told."""

import pytest
from playwright.sync_api import expect

from tests.api.door import Gate
from tests.browser.tone_server import served_tones
from tests.ui.clips import wav_bytes
from tests.whisper_stand_in import WORDS, install

pytestmark = pytest.mark.browser

CLIP = {"name": "clip.wav", "mimeType": "audio/wav", "buffer": wav_bytes(2.0, 16_000)}


def test_words_are_written_at_a_press_and_marked_until_somebody_changes_them(open_page, monkeypatch, tmp_path):
    whisper = install(monkeypatch, tmp_path / "weights")
    whisper.before_segment = gate = Gate()
    with served_tones(tmp_path / "speakers", transcriber=whisper.checkpoint) as tones:
        creating = open_page(tones.address)
        page = creating.page
        creating.open_tab("Create voice")
        write, field, mark = page.locator("#transcript-write"), page.locator("#voice-transcript"), page.locator("#transcript-written")
        creating.open_step("transcript")
        write.click()
        expect(page.locator("#create-message .notice")).to_have_attribute("data-code", "clip_absent")
        page.set_input_files("#clip-file", CLIP)
        creating.wait_for_report()
        creating.open_step("transcript")
        write.click()
        gate.wait_for_arrival()
        expect(write).to_have_text("Writing the words …")
        expect(write).to_be_focused()
        gate.open()
        expect(field).to_have_value(WORDS)
        expect(write).to_have_text("Write the words for me")
        expect(page.locator("#clip-language-code")).to_have_value("en")
        expect(mark).to_contain_text("Written by the machine")
        field.press_sequentially("!")
        expect(mark).to_be_empty()
        field.fill("My own words.")
        write.click()
        page.get_by_role("button", name="Keep mine").click()
        expect(field).to_have_value("My own words.")
        write.click()
        page.get_by_role("button", name="Replace them").click()
        expect(field).to_have_value(WORDS)
        expect(mark).to_contain_text("Written by the machine")
        creating.open_step("clip")
        page.click("#clip-another")
        creating.open_step("transcript")
        earlier = page.locator("#transcript-earlier textarea")
        earlier.fill("")
        write.click()
        expect(earlier).to_have_value(WORDS)
        page.goto("about:blank")
