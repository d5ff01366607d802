"""Claims about what the page tells of a text before it is spoken and afterwards, and about words that are said otherwise."""

import pytest
from playwright.sync_api import expect

from tests.browser.studios.tone_page import enroll_tone

pytestmark = pytest.mark.browser

PASTED = """The **soup**: $5.

[whisper] Nguyen 😀.
"""
SELECT = """word => {
  const field = document.querySelector("#text");
  const at = field.value.indexOf(word);
  field.focus();
  field.setSelectionRange(at, at + word.length);
}"""


def test_what_is_not_heard_as_it_is_written_is_told_before_and_after_and_a_word_is_mended(open_page, tone_address):
    enroll_tone(tone_address, "Ana", 300)
    tone_page = open_page(tone_address, transport="fetch")
    page = tone_page.page
    told, details, dialog = page.locator("#text-told"), page.locator(".segments-told"), page.locator("#say-as")
    expect(told).to_be_hidden()  # of a plain text
    page.get_by_label("Text", exact=True).fill(PASTED)
    expect(told).to_contain_text("1 said otherwise · 1 left out")
    expect(told).to_contain_text("A direction, followed and not said: [whisper]")
    page.evaluate(SELECT, "Nguyen")
    page.get_by_role("button", name="Say “Nguyen” as …").press("Enter")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator(".notice")).to_contain_text("It is not told how “Nguyen” is said.")
    dialog.get_by_label("Said as").fill("nwin")
    dialog.get_by_role("button", name="Hear it").click()
    page.wait_for_function("studioPlayer.state === 'ended'")
    assert page.evaluate("[studioPlayer.session.seconds, studio.runs.list.length]") == [pytest.approx(4 * 0.05, abs=0.01), 0]
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator("#speak-message .notice")).to_contain_text("“Nguyen” is said as you wrote, from now on.")
    expect(page.get_by_label("Text", exact=True)).to_be_focused()
    page.click("#told-toggle")
    expect(details).to_have_text("Said otherwise$5 → five dollarsNguyen → nwinLeft out: pictures😀")
    expect(page.locator("#segments-list .silence")).to_have_text("700 ms of silence")
    tone_page.speak()
    for words in ("Left out, not said: 😀.", "Followed as a direction, not said: [whisper]."):
        tone_page.expect_complaint(words)
    page.get_by_label("Say it as words").check()
    expect(told).to_contain_text("Said as words: [whisper]")
    with page.expect_request("**/v1/audio/speech") as asked:
        page.click("#speak-button")
    assert asked.value.post_data_json["directions"] is False
    tone_page.press_more("dictionary")
    page.get_by_role("button", name="Delete “Nguyen”").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.locator("#dictionary-count")).to_contain_text("No words yet.")
