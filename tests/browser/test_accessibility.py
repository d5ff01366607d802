"""Claims about every tab that a reader with other senses or needs relies on: names, contrast, size of targets, no sideways scrolling."""

import pytest

from tests.browser.take_screenshots import TABS, open_tab

pytestmark = pytest.mark.browser

# Visible text whose contrast with what lies behind it is below WCAG 1.4.3: 4.5, or 3 where it is large.
PALE = """() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, alpha = 1] = parse(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest(":disabled, [aria-disabled=true], .visually-hidden, script, style, option")) continue;
    const style = getComputedStyle(element);
    const [one, other] = [light(parse(style.color)), light(behind(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (isLarge ? 3 : 4.5)) found.push(`${walker.currentNode.textContent.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return found;
}"""
# Controls that can be pressed or filled and have no name.
NAMELESS = """() => [...document.querySelectorAll("button, input, select, textarea, a[href], [role=button], [role=tab], [role=slider]")]
  .filter((control) => control.checkVisibility() && control.type !== "hidden")
  .filter((control) => !(control.getAttribute("aria-label") || control.getAttribute("aria-labelledby") || control.textContent.trim()
    || control.labels?.length || control.title))
  .map((control) => control.outerHTML.slice(0, 120))"""
DOUBLED = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  return ids.filter((id, index) => ids.indexOf(id) !== index && id);
}"""

SELECTED = "name => document.querySelector('[role=tab][aria-selected=true]')?.textContent.trim() === name"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_tab_can_be_read_named_and_seen_without_scrolling_sideways(open_page, tone_address, width, scheme):
    page = open_page(tone_address, width=width, color_scheme=scheme)
    for tab in TABS:
        open_tab(page.page, tab)
        page.page.wait_for_function(
            "name => document.querySelector('[role=tab][aria-selected=true]')?.textContent.trim() === name", arg=tab
        )
        assert page.page.evaluate(NAMELESS) == [], tab
        assert page.page.evaluate(PALE) == [], tab
        assert page.page.evaluate(DOUBLED) == [], tab
        assert page.scroll_width() <= width, tab
