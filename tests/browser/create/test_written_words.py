"""Claims about the words that the studio writes, in Create voice of a real browser, over a stand-in that hears what it is told."""

import pytest
from playwright.sync_api import expect

from tests.api.door import Gate
from tests.browser.studios.tone_server import served_tones
from tests.stand_ins.estimators_stand_in import install_ears
from tests.stand_ins.whisper_stand_in import WORDS, install
from tests.ui.clips.clips import wav_bytes

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
        expect(page.locator("#clip-language-code")).to_have_text("English")
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


def test_estimates_come_by_themselves_and_words_that_are_not_heard_are_asked_about(open_page, monkeypatch, tmp_path):
    whisper, played = install(monkeypatch, tmp_path / "weights"), install_ears(monkeypatch)
    played.before = gate = Gate()
    whisper.sentences = ("the words of two seconds",)
    with served_tones(tmp_path / "speakers", transcriber=whisper.checkpoint) as tones:
        creating = open_page(tones.address)
        page = creating.page
        creating.open_tab("Create voice")
        page.set_input_files("#clip-file", CLIP)
        creating.wait_for_report()
        gate.wait_for_arrival()
        rows = page.locator("#quality-estimates tr")
        expect(page.locator("#facts li")).to_have_count(3)
        expect(rows).to_have_count(0)  # the report does not wait for them
        gate.open()
        expect(rows).to_have_count(4)
        page.locator("#figures summary").click()
        for row in rows.all():
            expect(row).to_contain_text("Estimate")
        expect(rows.first).to_contain_text("3.5 of 5")
        creating.open_step("transcript")
        page.locator("#voice-transcript").fill("Nobody had seen the keys.")
        creating.fill_draft("Ada")
        creating.open_step("extract")
        page.click("#create-button")
        dialog = page.locator("dialog[open]")
        expect(dialog).to_contain_text("Nobody had seen the keys.")
        expect(dialog).to_contain_text("the words of two seconds")
        dialog.get_by_role("button", name="Correct them").click()
        expect(page.locator("#panel-transcript")).to_be_visible()
        creating.open_step("extract")
        page.click("#create-button")
        dialog.get_by_role("button", name="Keep mine all the same").click()
        expect(page.locator("#create-message .notice")).to_have_attribute("data-kind", "done")
        creating.open_step("extract")
        n_asked = len(whisper.asked)
        with page.expect_request(lambda request: "extract_voice" in (request.post_data or "")):  # what was kept is not asked about again
            page.click("#create-button")
        assert len(whisper.asked) == n_asked
        page.goto("about:blank")
