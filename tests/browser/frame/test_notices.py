"""Claims about what the page says: it is in sight when it is said, covers nothing, and goes as it should."""

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

SIZES = ((1280, 800), (390, 844))
PLACES = {
    "Speak": "speak-message",
    "Create voice": "create-message",
    "Voices": "voices-message",
    "Cache & models": "cache-message",
    "History": "history-message",
}
# As a handler's answer to a press, at the top of the page: with all that a notice can have.
SAY = """async (place) => {
  const acts = [{ words: "Get it", asked: {} }, { words: "Use Embedded", asked: {} }];
  window.scrollTo(0, 0);
  const hint = "It needs 2.3 GB once. Your text is kept.";
  studio.say(place, { kind: "problem", fact: "Qwen3-TTS is not on this computer yet.", hint, acts });
}"""
OFFER = """async () => {
  studio.offerUndo({ undo: "7", name: "Mira", undo_seconds: 30 }, (undo) => (window.undone = undo));
}"""
# What comes late, above the notices.
GROW = """() => {
  const late = document.createElement("div");
  late.id = "late";
  late.style.height = "900px";
  document.querySelector("#tabs").prepend(late);
}"""
DENY = """() => {
  navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", "NotAllowedError"); };
}"""


def notice_of(page: Page, place: str) -> Locator:
    """Of a component that is a place and nothing else, or an element of a screen."""
    return page.locator(f"#{place}.notice, #{place} .notice")


def expect_in_sight(page: Page, place: str) -> None:
    """Between head and dock, as a whole; after the next frame, in which the dock may have become higher."""
    notice = notice_of(page, place)
    expect(notice).to_have_attribute("data-kind", "problem")
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    box, dock = notice.bounding_box(), page.locator("#player").bounding_box()
    head = page.locator("#tabs > .tab-wrapper").bounding_box()
    assert box["y"] >= max(0, head["y"] + head["height"]) - 1, (place, box, head)
    assert box["y"] + box["height"] <= dock["y"] + 1, (place, box, dock)
    assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]


def test_what_is_said_is_in_sight_beside_player_and_strip_until_the_next_press(open_page, full_address):
    visit = open_page(full_address)
    page = visit.page
    page.evaluate(DENY)
    visit.speak("Hello.")
    expect(page.locator(".player")).to_be_visible()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for tab, place in PLACES.items():
            visit.open_tab(tab)
            page.evaluate(SAY, place)
            expect_in_sight(page, place)
            expect(notice_of(page, place).get_by_role("alert")).to_have_text(
                "Qwen3-TTS is not on this computer yet. It needs 2.3 GB once. Your text is kept."
            )
        page.evaluate(GROW)
        expect_in_sight(page, "history-message")
        page.evaluate("document.querySelector('#late').remove()")
        visit.open_tab("Speak")
        page.evaluate(SAY, "speak-message")
        page.evaluate(OFFER)  # the strip makes the dock higher
        expect(page.get_by_role("button", name="Undo: bring Mira back")).to_be_focused()
        expect_in_sight(page, "speak-message")
        page.keyboard.press("Enter")
        expect(page.locator("#strip")).to_have_text("")
        assert page.evaluate("undone") == "7"
        page.get_by_label("Text", exact=True).fill("")
        page.click("#speak-button")
        expect(page.locator("#speak-message .notice")).not_to_contain_text("Qwen3-TTS")  # gone with the next press
        expect_in_sight(page, "speak-message")
        page.locator("#speak-message").get_by_role("button", name="Close").click()
        expect(page.locator("#speak-message .notice")).to_have_text("")
        assert page.locator("#speak-message .notice").bounding_box()["height"] == 0
        visit.open_tab("Create voice")
        page.click("#clip-toggle")
        expect(page.locator("#create-message .notice")).to_have_attribute("data-code", "E-MIC-2")
        expect_in_sight(page, "create-message")
