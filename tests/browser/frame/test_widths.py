"""Claims about every width of a window: in each language every tab and control can be reached, and Speak stays where it is."""

import pytest
from playwright.sync_api import Page

from studio.words.sentences import LANGUAGES, sentences_in
from tests.browser.driving.studio_page import STOPS, TABS

pytestmark = pytest.mark.browser

SIZES = ((320, 640), (390, 844), (768, 1024), (1024, 768), (1280, 800), (1920, 1080))
NARROW_AND_USUAL = (SIZES[0], SIZES[4])
ROOMS = ("speak", "voices", "create", "compare", "tests", "cache", "history", "api")
NAME = "a-very-long-name-of-somebody-who-signed-in"
LENGTHS = ((10, 1), (1_200, 75), (20_000, 1_242))  # characters, and seconds that they take
# In every language, what is wrong with the head, and with the place of Speak while the text grows. The words are set as the page sets them.
AT_THIS_WIDTH = """async (languages) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const box = (part) => part.getBoundingClientRect();
  const wrong = [];
  for (const [language, { rooms, chip, leave, ways, options, counts }] of Object.entries(languages)) {
    const tabs = [...document.querySelectorAll('#tabs [role="tab"]')];
    tabs.forEach((tab, at) => { tab.textContent = rooms[at]; });
    const login = document.querySelector("#login");
    login.hidden = false;
    login.classList.add("quiet");
    login.querySelector(".cut").textContent = leave;
    document.querySelector("#head-engines .chip > span").textContent = chip;
    ways.forEach((way, at) => { document.querySelectorAll("#way button")[at].lastChild.textContent = way; });
    document.querySelector("#options-toggle .word").textContent = options;
    const head = document.querySelector("#masthead"); // it is measured anew whenever its width is another
    head.style.width = head.style.width ? "" : "99.9%";
    await frame();
    const list = box(tabs[0].parentElement);
    const cut = tabs.filter((tab) => box(tab).left < list.left - 1 || box(tab).right > list.right + 1);
    if (innerWidth >= 1024 && cut.length) wrong.push(`${language}: ${cut.map((tab) => tab.textContent)} cut off`);
    if (document.documentElement.scrollWidth > innerWidth) wrong.push(`${language}: ${document.documentElement.scrollWidth} wide`);
    const places = new Set(counts.map((count) => {
      document.querySelector("#text-count").textContent = count;
      const { left, top, width, height } = box(document.querySelector("#speak-button"));
      return [left, top, width, height].map(Math.round).join(" ");
    }));
    if (places.size > 1) wrong.push(`${language}: Speak is at ${[...places].join(", ")}`);
  }
  return wrong;
}"""
# Whatever can be pressed, and is not itself at its middle once it is in sight, or lies beyond an edge.
COVERED = """async (stops) => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const wrong = document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth} wide`] : [];
  for (const part of document.querySelectorAll(stops)) {
    if (!part.checkVisibility({ visibilityProperty: true }) || part.getBoundingClientRect().width < 2) continue;
    part.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, right, top, bottom } = part.getBoundingClientRect();
    const found = document.elementFromPoint((left + right) / 2, (top + Math.min(bottom, innerHeight)) / 2);
    const isSeen = found && (part.contains(found) || found.closest("label")?.control === part);
    if (!isSeen || left < -1 || right > innerWidth + 1) wrong.push(part.id || part.getAttribute("aria-label") || part.textContent.trim());
  }
  scrollTo(0, 0);
  return wrong;
}"""


def words_of(language: str) -> dict[str, object]:
    """What of a language stands in the head and below the text."""
    sentences = sentences_in(language)

    def said(key: str, **values: object) -> str:
        return sentences.words(key, values)

    return {
        "rooms": [said(f"frame.room_{room}") for room in ROOMS],
        "chip": said("speak.engine_fetching_percent", n="100"),
        "leave": NAME,
        "ways": [said("speak.way_type"), said("speak.way_say")],
        "options": said("speak.options"),
        "counts": [said("speak.count_about", n=n, count=sentences.number(n), about=sentences.seconds(about)) for n, about in LENGTHS],
    }


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def test_in_every_window_and_language_all_can_be_reached_and_speak_stays_while_the_text_grows(open_page, full_address):
    """With the player, the options and the parts of the time to the first sound unfolded."""
    visit = open_page(full_address)
    page = visit.page
    visit.speak("Hello.")
    page.click("#options-toggle")
    page.locator("#result [aria-expanded=false]").click()
    wrong = []
    for tab in TABS:
        visit.open_tab(tab)
        for size in NARROW_AND_USUAL:
            resize(page, size)
            wrong += [(tab, size, found) for found in page.evaluate(COVERED, STOPS)]
    visit.open_tab("Speak")
    words = {language: words_of(language) for language in LANGUAGES}
    for size in SIZES:
        resize(page, size)
        wrong += [(size, found) for found in page.evaluate(AT_THIS_WIDTH, words)]
    assert wrong == []
