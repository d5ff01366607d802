"""Claims about what stands around every screen: the head, the line of tabs, the dock, the sheet of help."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.browser.driving.studio_page import TABS, StudioPage

pytestmark = pytest.mark.browser

NARROW = ((760, 700), (390, 844), (320, 700))
LOW = {"width": 1280, "height": 500}  # still high enough for a head that stays
ZOOMED = {"width": 640, "height": 400}  # 1280 x 800 at 200 %, in CSS px
LINE_END = 48 + 44  # of the line of the name and that of the tabs, where the page is at its beginning
LEAST_FREE = 2 / 3  # of the height, for what a tab shows
# At the end of the page, in CSS px: where the tabs' line begins and ends, where the dock does, where what the chosen tab shows ends.
AT_THE_END = """async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))); // what follows the window's size has done so
  window.scrollTo(0, document.documentElement.scrollHeight);
  const edges = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [line, dock] = ["#tabs > .tab-wrapper", "#player"].map(edges);
  const shown = [...document.querySelectorAll(".section")].find((section) => section.checkVisibility());
  const end = shown.getBoundingClientRect().top + shown.scrollHeight;
  const said = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--dock"));
  return { line: [line.top, line.bottom], dock: [dock.top, dock.bottom], end, said, scrolled: scrollY };
}"""
CUT = """(tab) => {
  const [box, list] = [tab, tab.parentElement].map((part) => part.getBoundingClientRect());
  return box.left < Math.max(0, list.left) - 1 || box.right > Math.min(innerWidth, list.right) + 1;
}"""


@pytest.fixture
def frame(kept_pages, full_address) -> StudioPage:
    """The page that these tests share."""
    return kept_pages.get("frame", full_address, lambda page: StudioPage(page, full_address))


def at_the_end(page: Page) -> dict:
    found = page.evaluate(AT_THE_END)
    assert found["dock"][1] == pytest.approx(page.viewport_size["height"], abs=1)  # at the window's lower edge
    assert found["end"] <= found["dock"][0] + 1  # and over nothing
    assert found["said"] == pytest.approx(found["dock"][1] - found["dock"][0], abs=1)
    return found


def test_head_and_dock_stay_where_there_is_room_and_cover_nothing(frame):
    visit, page = frame, frame.page
    visit.speak("Hello.")  # or there is no player to be in the way
    page.set_viewport_size(LOW)
    scrolled = 0
    for tab in TABS:
        visit.open_tab(tab)
        found = at_the_end(page)
        assert found["line"][0] == 0
        scrolled = max(scrolled, found["scrolled"])
    assert scrolled > 100  # or nothing was asked of the head
    page.set_viewport_size(ZOOMED)
    for tab in TABS:
        visit.open_tab(tab)
        found = at_the_end(page)
        assert found["line"][1] + found["scrolled"] <= LINE_END, (tab, found)  # it went as far as the page did
        assert found["dock"][0] >= LEAST_FREE * ZOOMED["height"], (tab, found)


def test_every_tab_is_in_sight_once_it_is_chosen_and_no_page_scrolls_sideways(frame):
    visit, page = frame, frame.page
    for width, height in NARROW:
        page.set_viewport_size({"width": width, "height": height})
        for name in TABS:
            tab = page.get_by_role("tab", name=name, exact=True)
            tab.evaluate("tab => tab.click()")  # a mouse would have it scrolled there first
            visit.expect_tab(name)
            assert not tab.evaluate(CUT), (name, width)
            visit.expect_no_sideways_scroll()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.click("#head-engines")
    expect(page.get_by_role("tab", name="Cache & models", exact=True)).to_have_attribute("aria-selected", "true")
    page.click("#help-open")
    sheet = page.get_by_role("dialog", name="Keys and help")
    expect(sheet.get_by_text("Voice studio")).to_be_visible()
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate("axe.run('#help', { resultTypes: ['violations'] })")["violations"] == []
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(page.locator("#help-open")).to_be_focused()
