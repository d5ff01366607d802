"""Before the first list has come: whatever needs one cannot be pressed yet, and what can be pressed raises nothing."""

import pytest
from playwright.sync_api import expect

from tests.browser.driving.studio_page import TABS, StudioPage
from tests.browser.studios.tone_page import enroll_tone
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

# Whatever the page asks of Python waits.
HOLD = """(() => {
  const gone = new Promise((resolve) => (window.letGo = resolve));
  const { fetch } = window;
  window.fetch = async (address, ...more) => {
    if (/gradio_api\\/(run\\/predict|component_server)/.test(address.url ?? address)) await gone;
    return fetch(address, ...more);
  };
})()"""
NEEDY = {
    "Speak": (*("#speak-button", "#speak-more", "#options-toggle", "#voice", "#engine", "#language"),),
    "History": ("#history-more", "#history-find", "#history-voice", "#history-starred"),
    "Voices": ("#voices-find", "#voices-language", "#voices-engine", "#voices-tag", "#voices-sort"),
    "Create voice": ("#reading-language", "#reading-length", "#clip-language-code"),
}
# Of a section: everything that a person could press now and that neither leads away nor asks for a file or the microphone.
OPEN = """() => {
  for (const button of document.querySelectorAll("#tabs button, #player button")) {
    const leads = button.getAttribute("role") === "tab" || button.id === "clip-toggle";
    if (!leads && !button.disabled && button.checkVisibility()) button.click();
  }
}"""


@pytest.fixture
def held_page(open_page, full_address) -> StudioPage:
    """A page whose scripts are there and whose lists are not, until it evaluates letGo()."""
    visit = open_page(full_address, is_filled=False)
    visit.page.add_init_script(HOLD)
    visit.page.goto(full_address)
    visit.page.wait_for_function("window.studio?.speaking")
    return visit


def test_what_needs_a_list_cannot_be_pressed_before_it_has_come(held_page):
    visit = held_page
    expect(visit.page.locator("#text-count")).to_have_text("50 characters")  # of the sample text
    for tab, needy in NEEDY.items():
        visit.open_tab(tab)
        for control in needy:
            expect(visit.page.locator(control)).to_be_disabled()
    visit.open_tab("Create voice")
    visit.open_step("extract")
    expect(visit.page.locator("#create-button")).to_be_disabled()
    visit.page.evaluate("letGo()")
    expect(visit.page.locator("#create-button")).to_be_enabled()
    visit.open_tab("Speak")
    visit.speak("Hello.")  # into the history
    for tab, needy in NEEDY.items():
        visit.open_tab(tab)
        for control in needy:
            expect(visit.page.locator(control)).to_be_enabled()


def test_whatever_can_be_pressed_before_the_lists_have_come_raises_nothing(held_page):
    """`open_page` fails the test for errors on the console."""
    visit = held_page
    for tab in TABS:
        visit.open_tab(tab)
        visit.page.evaluate(OPEN)
    visit.open_tab("Create voice")
    for step in ("check", "transcript", "consent", "extract", "clip"):
        visit.page.evaluate("step => studio.creating.open(step)", step)
        visit.page.evaluate(OPEN)
    visit.page.keyboard.press("Escape")
    visit.page.evaluate("letGo()")
    visit.page.wait_for_function("studio.choice.known.engine")


def test_the_menu_of_a_voice_that_went_elsewhere_closes(open_page, tone_address):
    enroll_tone(tone_address, "Leaving", 300)
    visit = open_page(tone_address)
    visit.open_tab("Voices")
    visit.page.get_by_role("button", name="Actions for Leaving", exact=True).click()
    expect(visit.page.get_by_role("menu")).to_be_visible()
    patient_http.delete(f"{tone_address}/v1/audio/voices/Leaving")
    expect(visit.page.get_by_role("menu")).to_be_hidden()
