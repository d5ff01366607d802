"""Claims about people who read from right to left, and about those whose system has colors of its own."""

import pytest

from tests.browser.driving.studio_page import StudioPage

pytestmark = pytest.mark.browser

WRITTEN = "مرحبا، version 2.0 (نص)!"
DIRECTIONS = "(parts) => parts.map((part) => [...document.querySelectorAll(part)].map((one) => getComputedStyle(one).direction).join(' '))"
# What the first of a pair shows by a system color, a border or a pattern, and the second does not.
PAIRS = {
    "the chosen tab": ('#tabs [aria-selected="true"]', '#tabs [aria-selected="false"]'),
    "a pressed switch": ("#way-type", "#way-say"),
    "where the time went": ('.bar [data-part="asking"]', '.bar [data-part="made"]'),
    "who made the sound": ('.bar [data-part="made"]', '.bar [data-part="way"]'),
    "the column of a part": ('.legend [data-part="voice"]::before', '.legend [data-part="way"]::before'),
    "the chosen voice": ('.pick [aria-selected="true"]', '.pick [aria-selected="false"]'),
    "a box that has the keyboard": (".pick .input", "#text"),
}
LOOK = """(pairs) => {
  const seen = (selector) => {
    const [part, pseudo] = selector.split("::");
    const style = getComputedStyle(document.querySelector(part), pseudo && `::${pseudo}`);
    return [style.backgroundColor, style.backgroundImage, style.outlineStyle, style.borderTopStyle].join(" ");
  };
  return Object.entries(pairs).filter(([, [one, other]]) => seen(one) === seen(other)).map(([name]) => name);
}"""


@pytest.fixture
def page(kept_pages, full_address) -> StudioPage:
    """After a speech that was written from right to left."""

    def open_it(page) -> StudioPage:
        opened = StudioPage(page, full_address)
        opened.speak(WRITTEN)
        return opened

    return kept_pages.get("spoken", full_address, open_it)


def test_what_is_written_from_right_to_left_stands_so_where_it_is_written_listed_and_kept(page):
    assert page.page.evaluate(DIRECTIONS, ["#text", "#takes-list .take:first-child .take-text"]) == ["rtl", "rtl"]
    page.open_tab("History")
    page.page.locator("#history-list .take").first.wait_for()
    assert page.page.evaluate(DIRECTIONS, ["#history-list .take:first-child .take-text"]) == ["rtl"]
    page.open_tab("Speak")


def test_forced_colors_show_what_is_chosen_pressed_and_in_which_part_the_time_went(page):
    act = page.page
    act.emulate_media(forced_colors="active")
    act.locator("#result [aria-expanded=false]").click()
    act.click("#voice")
    act.locator('.pick [aria-selected="true"]').wait_for()
    assert act.evaluate(LOOK, PAIRS) == []
