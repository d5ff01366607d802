"""Claims about the keyboard: every tab in sight, focus always seen and never lost, Esc gives it back to what opened a dialog."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving.studio_page import TABS, StudioPage
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

WIDE, NARROW = {"width": 1280, "height": 844}, {"width": 390, "height": 844}
MOST_STOPS = 120
# What has the focus: its id or words, "" on no element; whether it is a tab; what is wrong where it cannot be seen, "" where all is well.
FOCUSED = """() => {
  const focused = document.activeElement;
  if (focused === document.body) return ["", false, ""];
  return [focused.id || focused.className, focused.getAttribute("role") === "tab", hidden(focused)];
  function hidden(focused) {
    const about = `${focused.outerHTML.slice(0, 90)}`;
    if (focused.matches("[type=file]") && focused.closest(".file").matches(":focus-within")) return "";
    const marked = (element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    };
    const framed = focused.closest(".wrap:focus-within, .file:focus-within");
    if (!marked(focused) && !(framed && marked(framed))) return `no mark: ${about}`;
    const { left, right, top, bottom, width, height } = focused.getBoundingClientRect();
    if (!width || !height || bottom <= 0 || right <= 0 || left >= innerWidth || top >= innerHeight) return `out of sight: ${about}`;
    const player = document.querySelector("#player");
    const covered = !player.contains(focused) && top >= player.getBoundingClientRect().top;
    return covered ? `under the player: ${about}` : "";
  }
}"""


@pytest.fixture
def kept_page(kept_pages, full_address) -> StudioPage:
    """The page that these tests share: on Speak, wide, and nothing sounds."""
    page = kept_pages.get("full", full_address, lambda page: StudioPage(page, full_address))
    page.page.set_viewport_size(WIDE)
    page.open_tab("Speak")
    page.page.evaluate("studioPlayer.stop()")
    return page


def walk(page: Page) -> tuple[list[str], list[str]]:
    """Tab from the chosen tab until it comes round: ids or words of the stops, and what was wrong at them."""
    page.get_by_role("tab", selected=True).focus()
    stops, wrong = [], []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        where, is_tab, hidden = page.evaluate(FOCUSED)
        if is_tab:
            return stops, wrong
        if not where:
            continue  # the browser's own bar lies between the end and the beginning
        stops.append(where)
        wrong += filter(None, [hidden])
    raise AssertionError(f"the keyboard does not come round: {stops[-5:]}")


def test_arrows_choose_a_tab_and_the_tab_key_goes_into_it(kept_page):
    page = kept_page.page
    page.set_viewport_size(NARROW)
    page.get_by_role("tab", name="Speak", exact=True).focus()
    keys = (
        ("ArrowRight", "Voices"),
        ("End", "API"),
        ("ArrowRight", "Speak"),
        ("ArrowLeft", "API"),
        ("Home", "Speak"),
        ("ArrowRight", "Voices"),
    )
    for key, name in keys:
        page.keyboard.press(key)
        tab = page.get_by_role("tab", name=name, exact=True)
        expect(tab).to_be_focused()
        expect(tab).to_have_attribute("aria-selected", "true")
    expect(page.locator("#voices-find")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#voices-import")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("tab", name="Voices", exact=True)).to_be_focused()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "390"])
def test_focus_is_seen_at_every_stop_of_every_tab(kept_page, size):
    page = kept_page
    page.page.set_viewport_size(size)
    page.speak("Hello.")
    for name in TABS:
        page.open_tab(name)
        stops, wrong = walk(page.page)
        assert wrong == [], name
        assert len(stops) > 3, (name, stops)


def test_focus_stays_on_a_cell_while_the_matrix_is_drawn_again(kept_page):
    page = kept_page
    page.open_tab("Cache & models")
    cell = page.page.locator('tr[data-voice="Ben"] .cell[data-engine="echo"]')
    expect(cell).to_have_attribute("data-state", re.compile("none|memory|disk"))
    cell.focus()
    page.page.evaluate("studio.matrix.drawn = document.activeElement")
    verbs = {"none": ("Teach", "memory"), "memory": ("Free memory", "disk"), "disk": ("Make ready", "memory")}
    verb, state = verbs[cell.get_attribute("data-state")]
    page.page.keyboard.press("Enter")
    page.page.get_by_role("button", name=verb, exact=True).press("Enter")
    expect(cell).to_have_attribute("data-state", state)
    expect(cell).to_be_focused()


def test_focus_and_a_press_stay_on_the_timing_card_while_it_is_drawn_again(kept_page):
    page = kept_page
    _speak_long(page)
    page.page.locator("#result [aria-expanded]").hover()
    page.page.mouse.down()
    page.page.evaluate("studioPlayer.dispatchEvent(new Event('change')); new Promise(requestAnimationFrame)")
    page.page.mouse.up()  # a press outlives it, too
    page.page.click("#result .stages summary")
    copy = page.page.get_by_role("button", name="Copy as JSON")
    copy.focus()
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("studioPlayer.state === 'stopped'")
    page.page.evaluate("new Promise(requestAnimationFrame)")
    expect(copy).to_be_focused()


def test_escape_closes_a_dialog_and_gives_the_focus_back(kept_page):
    page = kept_page
    page.speak("Hello.")
    page.open_tab("Voices")
    opener = page.page.get_by_role("button", name="Actions for Ana")
    for act, dialog in (("Edit", "voice-edit"), ("Replace recording", "voice-replace"), ("Export", "voice-export")):
        opener.focus()
        page.page.keyboard.press("Enter")
        expect(page.page.get_by_role("menuitem", name=act)).to_be_visible()
        opener.evaluate("button => button.replaceWith(button.cloneNode(true))")  # as when its row is drawn again below the menu
        page.page.get_by_role("menuitem", name=act).press("Enter")
        expect(page.page.locator(f"#{dialog}")).to_be_visible()
        page.page.evaluate("studio.voices._show()")  # as when news arrives meanwhile: the rows are drawn again
        page.page.keyboard.press("Escape")
        expect(page.page.locator(f"#{dialog}")).to_be_hidden()
        expect(opener).to_be_focused()
    opener.press("Enter")
    page.page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    page.open_tab("History")
    page.page.locator("#history-more").press("Enter")
    page.page.get_by_role("menuitem", name="Delete all").press("Enter")
    expect(page.page.get_by_role("button", name="Keep it")).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(page.page.locator("#history-more")).to_be_focused()


def test_escape_in_a_dialog_stops_no_speech(kept_page):
    page = kept_page
    _speak_long(page)
    page.open_tab("Voices")
    page.page.get_by_role("button", name="Actions for Ana").press("Enter")
    page.page.get_by_role("menuitem", name="Edit").press("Enter")
    page.page.keyboard.press("Escape")
    expect(page.page.locator("#voice-edit")).to_be_hidden()
    assert page.page.evaluate("studioPlayer.state") == "playing"
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("studioPlayer.state === 'stopped'")


def test_who_deletes_an_entry_is_at_the_way_back(kept_page):
    page = kept_page
    for text in ("One.", "Two.", "Three."):
        page.speak(text)
    page.open_tab("History")
    rows = page.page.locator("#history-list .take")
    expect(rows.first).to_contain_text("Three.")
    page.page.get_by_role("button", name="More about this take: Three.").first.press("Enter")
    page.page.get_by_role("menuitem", name="Delete", exact=True).press("Enter")
    expect(rows.first).to_contain_text("Two.")
    expect(page.page.get_by_role("button", name="Undo: bring the take back")).to_be_focused()


def test_a_newer_entry_takes_the_focus_away_from_nobody(kept_page, full_address):
    """Rows are drawn anew below the open menu; those beside the composer, which nobody sees now, have the same buttons."""
    page = kept_page
    for text in ("Five.", "Six."):
        page.speak(text)
    page.open_tab("History")
    rows = page.page.locator("#history-list .take")
    expect(rows.first).to_contain_text("Six.")
    page.page.get_by_role("button", name="More about this take: Six.").first.press("Enter")
    body = {"input": "Seven.", **page.page.evaluate("({ voice: studio.choice.known.voice, model: studio.choice.known.engine })")}
    kept = patient_http.post(f"{full_address}/v1/audio/speech", json=body, headers={"X-Studio-Keep": "1"})
    assert kept.status_code == httpx.codes.OK
    expect(rows.first).to_contain_text("Seven.")
    page.page.get_by_role("menuitem", name="Delete", exact=True).press("Enter")
    expect(rows.nth(1)).to_contain_text("Five.")
    expect(page.page.get_by_role("button", name="Undo: bring the take back")).to_be_focused()


def _speak_long(page: StudioPage) -> None:
    page.page.wait_for_function("studio.choice.voiceKnown?.is_stored")
    page.page.get_by_role("textbox", name="Text", exact=True).fill("One sentence follows another until somebody presses a button. " * 6)
    page.page.click("#speak-button")
    page.page.wait_for_function("studioPlayer.state === 'playing'")
