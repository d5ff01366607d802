"""Claims about the line that says what would make voices natural: where a first visit begins, until it is so, and never in the way."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.studios.natural_studio import BUILT_IN, NATURAL, NaturalStudio, natural_studio
from tests.browser.studios.served_page import served_page

pytestmark = pytest.mark.browser

AWAY = "Voices sound synthetic with the built-in engine. Natural (219 MB) would make them natural on this computer."
PHONE = {"width": 360, "height": 740}


@pytest.fixture
def natural(tmp_path) -> Iterator[tuple[NaturalStudio, str]]:
    with natural_studio(tmp_path) as opened, served_page(opened.studio) as address:
        yield opened, address


def test_a_first_visit_is_told_what_would_make_voices_natural_until_it_does(natural, open_page):
    opened, address = natural
    visit = open_page(address)
    page, line = visit.page, visit.page.locator("#speak-natural")
    expect(line.get_by_role("status")).to_have_text(AWAY)
    assert line.bounding_box()["y"] > page.locator("#speak-button").bounding_box()["y"]  # below all that is written and pressed
    page.get_by_role("tab", name="Voices", exact=True).click()
    expect(page.locator("#voices-natural").get_by_role("status")).to_have_text(AWAY)  # where somebody without a voice begins
    page.set_viewport_size(PHONE)
    visit.expect_no_sideways_scroll()
    visit.open_tab("Speak")
    visit.expect_no_sideways_scroll()
    page.get_by_role("button", name="Get it: Natural").press("Enter")
    row = page.locator(f"#engine-card-{NATURAL.id}")
    expect(row.locator(".engine-verb")).to_be_focused()  # since its terms are accepted there
    page.keyboard.press("Enter")
    opened.is_refused.set()
    page.get_by_role("button", name="Accept and get it").press("Enter")
    visit.open_tab("Speak")
    expect(line.get_by_role("status")).to_contain_text("Natural could not be got. The makers ask who you are.")
    opened.is_refused.clear()
    page.get_by_role("button", name="Try again: Natural").press("Enter")
    expect(line.get_by_role("status")).to_have_text("Natural is on its way. You can speak with the built-in engine meanwhile.")
    expect(line.get_by_role("progressbar")).to_have_attribute("title", "Getting it, 25 %")
    assert visit.speak("One.")["engine"] == BUILT_IN.title
    opened.let_come.set()
    line.get_by_role("button", name="Use Natural").click()
    expect(line.locator(".notice")).to_have_text("")
    page.wait_for_function("studio.choice.known.engine === 'natural'")
    assert "temperature" not in page.evaluate("studio.options.read()")  # what nobody chose is the model's to choose
    page.click("#engine")
    expect(page.locator(".pick-note")).to_have_text("Natural is the default here: its voices sound natural without a GPU.")
    page.get_by_role("option", name=BUILT_IN.title).click()
    line.get_by_role("button", name="Close").click()
    expect(page.locator("#engine")).to_be_focused()
    page.reload()
    page.wait_for_function("window.studio?.firstRoom && studio.choice.isSettled")
    assert page.evaluate("studio.choice.known.natural.engine") == NATURAL.id
    assert page.locator(".natural button").count() == 0  # nobody is told again who closed it
