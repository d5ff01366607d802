"""Claims about every tab and state for readers with other senses or needs: WCAG 2.2 AA by axe, words that are spoken, no motion."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.seen_part import BOTH, OPTIONS, SCHEMES, show

pytestmark = pytest.mark.browser

WIDE, NARROW = SCHEMES
COLORS = BOTH | {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
EMPTY = {"Voices": "#voices-empty", "Cache & models": "#cache-note", "History": "#history-empty", "Speak": "#takes-empty"}
LONG_TEXT = "One sentence follows another until somebody has heard enough of it and presses a button. " * 3
# What every live region says from now on, in its order.
LISTEN = """() => {
  window.announced = [];
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const region = (target.closest ? target : target.parentElement)?.closest("[aria-live], [role=status], [role=alert]");
      const words = region?.textContent.trim();
      if (words && announced.at(-1) !== words) announced.push(words);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
# What is wrong within a part of the page, and whether there were colors. opened: a selector, such as axe knows, of that whose colors are
# judged, and of no other; or null.
RUN = """([within, options, opened]) => {
  axe.configure({ rules: [{ id: "color-contrast", selector: opened ? `${opened}, ${opened} *` : "*" }] });
  const areJudged = (rules) => rules.some(({ id, nodes }) => id === "color-contrast" && nodes.length);
  return axe.run(within, options).then(({ violations, passes }) => [violations, [violations, passes].some(areJudged)]);
}"""
# What the colors of every element follow from, by itself.
NOTE_COLORS = """() => {
  window.colorsOf = (part) => {
    if (!part.checkVisibility({ visibilityProperty: true })) return "";
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight } = getComputedStyle(part);
    const isLarge = parseFloat(fontSize) >= (fontWeight >= 700 ? 14 : 18) * 96 / 72;
    return [color, backgroundColor, backgroundImage, opacity, isLarge].join(" ");
  };
  window.noted = new Map([...document.querySelectorAll("*")].map((part) => [part, colorsOf(part)]));
}"""
# Of those that were not there or otherwise when that was noted, what is wrong with their colors.
JUDGE_OTHERS = """(options) => {
  const others = [...document.querySelectorAll("*")].filter((part) => !["", noted.get(part)].includes(colorsOf(part)));
  return others.length ? axe.run({ include: others }, options).then(({ violations }) => violations) : [];
}"""
MOVING = "() => document.getAnimations().map((animation) => animation.animationName ?? animation.transitionProperty)"


class Inspected:
    """A page, and what axe has found wrong in the states that were looked at. A person does everything on the narrow page.

    Wide pages are looked at by all rules in the light, narrow ones in the dark: between them every rule sees both widths in every state,
    and colors both schemes. Of wide pages in the dark the colors of every tab are looked at, where no narrow page shows them.
    """

    def __init__(self, page: StudioPage):
        self._page = page
        self._page.page.evaluate(AXE_SCRIPT)
        self.wrong: list[str] = []
        show(self._page.page, NARROW, SCHEMES[NARROW])

    def look(self, state: str, within: str = "html", opened: str | None = None, is_tab: bool = False) -> None:
        """is_tab: it shows as much as it does by itself. The others: see `RUN`."""
        for width in (NARROW, WIDE):
            if is_tab and width == WIDE:
                self._look_at_others(state)
            show(self._page.page, width, SCHEMES[width])
            found, are_colors_judged = self._page.page.evaluate(RUN, [within, OPTIONS, opened])
            assert are_colors_judged, state
            self._complain(f"{state}, {width}, {SCHEMES[width]}", found)
        show(self._page.page, NARROW, SCHEMES[NARROW])

    def look_within(self, state: str, room: str) -> None:
        """At a room that was looked at with all of the page around it, which has not changed. room: its id."""
        self.look(state, within=f"#{room}-section")

    def look_at_what_opened(self, state: str, opened: str) -> None:
        """Above what was looked at before, whose colors it does not change: they are most of what a look costs. opened: its selector."""
        expect(self._page.page.locator(opened)).to_be_visible()
        self.look(state, opened=opened)

    def look_at_tab(self, state: str) -> None:
        """With as much on it as it shows by itself."""
        self.look(state, is_tab=True)

    def _look_at_others(self, state: str) -> None:
        """At colors in the dark that are there, or as they are, on a wide page alone."""
        self._page.page.evaluate(NOTE_COLORS)
        show(self._page.page, WIDE, SCHEMES[NARROW])
        self._complain(f"{state}, {WIDE}, {SCHEMES[NARROW]}", self._page.page.evaluate(JUDGE_OTHERS, COLORS))

    def _complain(self, seen: str, violations: list[dict]) -> None:
        for found in violations:
            nodes = "; ".join(f"{node['target'][-1]} ({' '.join(node['failureSummary'].split())[:160]})" for node in found["nodes"][:3])
            self.wrong.append(f"{seen}: {found['id']} [{found['impact']}] x{len(found['nodes'])}: {nodes}")
        self._page.expect_no_sideways_scroll()


@pytest.fixture
def full_page(kept_pages, full_address) -> StudioPage:
    """The page that tests of a full studio share: wide, light, still, on Speak, and nothing sounds."""
    page = kept_pages.get("full", full_address, lambda page: StudioPage(page, full_address))
    show(page.page, WIDE, SCHEMES[WIDE])
    page.open_tab("Speak")
    page.page.evaluate("studioPlayer.stop()")
    return page


@pytest.fixture
def empty_page(kept_pages, empty_address) -> StudioPage:
    """The page that tests of an empty studio share."""
    return kept_pages.get("empty", empty_address, lambda page: StudioPage(page, empty_address))


def test_the_tabs_of_a_full_studio_have_no_violation(full_page):
    page = full_page
    seen = Inspected(page)
    _look_at_speak(page, seen)
    _look_at_voices(page, seen)
    _look_at_create(page, seen)
    page.open_tab("Cache & models")
    expect(page.page.locator('.cell[data-state="learning"]').first).to_be_visible()
    seen.look_at_tab("cache")
    page.page.locator('.cell[data-state="stale"]').click()
    seen.look_at_what_opened("cache, a cell's card", "#cell-card")
    page.page.keyboard.press("Escape")
    page.open_tab("History")
    expect(page.page.locator("#history-list .take").first).to_be_visible()
    seen.look_at_tab("history")
    page.page.click("#history-more")
    page.page.get_by_role("menuitem", name="Delete all").click()
    seen.look_at_what_opened("history, a question", "dialog.question")
    page.page.keyboard.press("Escape")
    page.open_tab("API")
    seen.look_at_tab("api")
    assert seen.wrong == []


def _look_at_speak(page: StudioPage, seen: Inspected) -> None:
    page.page.wait_for_function("studio.choice.voiceKnown?.is_stored")
    page.page.click("#voice")
    seen.look_at_what_opened("speak, the voices", ".pick")
    page.page.get_by_role("option", name="Ana").click()
    page.page.wait_for_function("studio.choice.known.voice === 'Ana'")
    seen.look("speak, idle")
    page.page.click("#way-say")
    seen.look_within("speak, say it yourself", "speak")
    page.page.set_input_files("#said-file", DEMO)
    page.page.wait_for_function("studio.composer.saying.kept.draft")
    seen.look_within("speak, what was said", "speak")
    page.page.click("#way-type")
    page.page.get_by_label("Text", exact=True).fill("")
    page.page.click("#speak-button")
    expect(page.page.locator("#speak-message .notice")).to_have_attribute("data-kind", "problem")
    seen.look_within("speak, an error", "speak")
    page.press_more("dictionary")
    page.page.click("#dictionary-new")
    expect(page.page.locator("#say-as")).to_be_visible()
    seen.look_at_what_opened("speak, how a word is said", "#say-as")
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("Escape")
    page.speak("Hello [laugh] from Ana.")
    page.unfold_player()
    page.page.click("#player-download")
    expect(page.page.get_by_role("menuitem", name="FLAC")).to_be_visible()
    seen.look("speak, the whole player and its menu")
    page.page.keyboard.press("Escape")
    page.press_more("parts")
    expect(page.page.locator(".segments-told")).to_be_visible()
    page.page.click("#options-toggle")
    page.page.get_by_role("button", name="Show where the time goes").click()
    seen.look_at_tab("speak, after a run")


def _look_at_voices(page: StudioPage, seen: Inspected) -> None:
    page.open_tab("Voices")
    expect(page.page.get_by_role("button", name="Actions for Ana")).to_be_visible()
    seen.look_at_tab("voices")
    for act, dialog in (("Edit", "voice-edit"), ("Replace recording", "voice-replace"), ("Export", "voice-export")):
        page.page.get_by_role("button", name="Actions for Ana").click()
        if act == "Edit":
            seen.look_at_what_opened("voices, the menu", ".menu")
        page.page.get_by_role("menuitem", name=act).click()
        expect(page.page.locator(f"#{dialog}")).to_be_visible()
        seen.look_at_what_opened(f"voices, {dialog}", f"#{dialog}")
        page.page.keyboard.press("Escape")


def _look_at_create(page: StudioPage, seen: Inspected) -> None:
    page.open_tab("Create voice")
    expect(page.page.locator("#reading-text")).not_to_be_empty()
    seen.look("create, empty")
    page.page.set_input_files("#clip-file", DEMO)
    page.wait_for_report()
    seen.look_at_tab("create, clip")
    for step in ("check", "transcript", "consent", "extract"):
        page.open_step(step)
        if step == "extract":
            expect(page.page.locator("#extract-rows li").first).to_be_visible()
        seen.look_within(f"create, {step}", "create")
    page.page.click("#step-consent")
    page.page.click("#next-consent")
    seen.look_within("create, an error", "create")


def test_the_tabs_of_an_empty_studio_have_no_violation(empty_page):
    page = empty_page
    seen = Inspected(page)
    for tab, empty in EMPTY.items():
        page.open_tab(tab)
        expect(page.page.locator(empty)).not_to_be_empty()
        seen.look_at_tab(tab)
    page.open_tab("Create voice")
    page.open_step("check")
    seen.look("create, no clip to check")
    assert seen.wrong == []


def test_the_live_region_says_that_it_waits_plays_stops_and_fails(full_page):
    page = full_page
    page.page.wait_for_function("studio.choice.voiceKnown?.is_stored")
    page.page.evaluate(LISTEN)
    page.page.get_by_label("Text", exact=True).fill(LONG_TEXT)
    page.page.click("#speak-button")
    page.page.wait_for_function("announced.some((words) => words.endsWith(': playing.'))")
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("announced.some((words) => words.includes(': stopped after'))")
    page.page.get_by_label("Text", exact=True).fill("")
    page.page.click("#speak-button")
    page.page.wait_for_function("announced.some((words) => words.startsWith('There is nothing to say'))")


def test_nothing_moves_for_whoever_asked_for_less_motion(full_page):
    """By style sheets alone, so that the page follows whoever asks while it is open."""
    page = full_page
    page.open_tab("Cache & models")
    expect(page.page.locator('.cell[data-state="learning"]').first).to_be_visible()
    for asked, moves in (("no-preference", True), ("reduce", False)):
        page.page.emulate_media(reduced_motion=asked)
        assert bool(page.page.evaluate(MOVING)) is moves, asked


def test_what_is_said_before_there_is_anything(empty_page, empty_address):
    """A first visit: every tab has its words, and nothing is asked of another host (`kept_pages` sees to that)."""
    page = empty_page
    said = {
        "Voices": ("#voices-empty", "Hear a cloned voice in one press"),
        "Create voice": ("#clip-toggle", "Record"),
        "Speak": ("#text-count", "50 characters"),
        "Cache & models": ("#cache-section", "No voice yet. What the engines learn"),
        "History": ("#history-empty", "Nothing spoken yet"),
        "API": ("#api-section", f"{empty_address}/v1"),
    }
    for tab, (place, words) in said.items():
        page.open_tab(tab)
        expect(page.page.locator(place)).to_contain_text(words)
