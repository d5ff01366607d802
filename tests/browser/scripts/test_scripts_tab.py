"""Claims about the tab of scripts in Chromium: from a paste to a file by keys alone, and nothing is lost on the way."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from studio.service import Studio
from studio.settings import Settings
from tests.browser.studios.seen_part import wrong_in_sight
from tests.browser.studios.served_page import served_page
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import INFO, FakeEngine

pytestmark = pytest.mark.browser

PART = "#scripts-section"

DIALOGUE = "# The lighthouse\n\nANNA: Is anybody there?\n\nBEN: Only the wind.\n\nThe lamp turned slowly."
TEXTS = ["The lighthouse", "Is anybody there?", "Only the wind.", "The lamp turned slowly."]
LINES = "lines => lines.filter((line) => !line.dataset.aside).map((line) => line.querySelector('.line-text').value)"
FOCUS = "document.activeElement.closest('.line')?.getAttribute('aria-posinset') + ' ' + document.activeElement.className"
PLAYING = "document.querySelector('.line[data-playing]')?.getAttribute('aria-posinset')"


@pytest.fixture
def address(chromium_path, tmp_path) -> Iterator[str]:
    engine = FakeEngine(INFO, seconds_per_character=0.02)
    settings = Settings(speakers_dir=tmp_path, default_engine=INFO.id, warm_uploads=False)
    studio = Studio(settings, infos={INFO.id: INFO}, open_engine=lambda name: engine)
    try:
        with served_page(studio) as served:
            yield served
    finally:
        studio.close()


def texts(page: Page) -> list[str]:
    return page.locator(".script-lines > .line").evaluate_all(LINES)


def expect_texts(page: Page, wanted: list[str]) -> None:
    expect(page.locator(".script-lines > .line:not([data-aside])")).to_have_count(len(wanted))
    for at, text in enumerate(wanted):
        expect(page.locator(".script-lines > .line:not([data-aside]) .line-text").nth(at)).to_have_value(text)


def test_a_paste_becomes_a_file_by_keys_alone(address, open_page):
    visit = open_page(address)
    visit.open_tab("Scripts")
    page, press = visit.page, visit.page.keyboard.press
    page.locator(".scripts-list .empty .button").focus()
    page.evaluate(AXE_SCRIPT)
    wrong = wrong_in_sight(page, PART, "empty")
    press("Enter")
    page.keyboard.insert_text(DIALOGUE)
    expect(page.locator(".script-read")).to_contain_text("ANNA, BEN")
    wrong += wrong_in_sight(page, PART, "new")
    press("Control+Enter")
    expect(page.locator(".script-lines > .line:not([data-loading])")).to_have_count(4)
    assert texts(page) == TEXTS and page.evaluate(FOCUS) == "1 line"

    press("j")  # a line is split, and its end is another's
    press("Enter")
    press("Enter")
    page.keyboard.insert_text("Who is it?")
    press("Shift+Tab")
    page.keyboard.insert_text("CARA")
    press("Enter")
    expect_texts(page, [*TEXTS[:2], "Who is it?", *TEXTS[2:]])
    press("Control+Home")
    press("Backspace")  # at the beginning of a line: it joins the one before
    expect_texts(page, [TEXTS[0], "Is anybody there? Who is it?", *TEXTS[2:]])
    press("Control+z")
    expect(page.locator("#strip")).to_contain_text("Undone: line 2 joined")
    expect_texts(page, [*TEXTS[:2], "Who is it?", *TEXTS[2:]])
    expect(page.locator(".line-who").nth(2)).to_have_value("CARA")

    press("Escape")
    press("Control+Shift+Enter")  # all that is new is said
    expect(page.locator('.line[data-state="said"]')).to_have_count(5)
    expect(page.locator(".script-told")).to_contain_text("5 said")
    wrong += wrong_in_sight(page, PART, "said")
    page.locator(".line").first.focus()  # on the narrow page the cast was in the lines' place
    press("Space")
    page.wait_for_function(f"{PLAYING} === '1'")
    page.wait_for_function(f"Number({PLAYING}) > 1")  # the line that is heard is lit
    press("Space")
    page.wait_for_function("studioPlayer.state === 'paused'")
    expect(page.locator(".script-told")).to_contain_text("5 said")
    with page.expect_response("**/export/check"):
        press("Control+e")
    expect(page.locator("dialog[open] .button.primary")).to_be_enabled()
    with page.expect_download() as download:
        page.locator("dialog[open] .button.primary").press("Enter")
    assert download.value.suggested_filename.startswith("The lighthouse")
    assert not wrong


def test_a_line_of_a_script_has_an_address_and_many_are_not_drawn(address, open_page):
    scripts = f"{address}/v1/studio/scripts"
    script = patient_http.post(scripts, json={"text": "\n\n".join(f"Line of number {n}." for n in range(1, 801))}).json()
    ids = patient_http.get(f"{scripts}/{script['id']}/line_ids").json()["ids"]
    page = open_page(address).page
    page.evaluate("thing => { location.hash = `#scripts/${thing}`; }", f"{script['id']}/{ids[600]}")
    page.wait_for_function("document.activeElement.getAttribute('aria-posinset') === '601' && !document.activeElement.dataset.loading")
    expect(page.locator(".line:focus .line-text")).to_have_value("Line of number 601.")
    assert page.locator(".line").count() < 60 and page.locator(".line:focus").get_attribute("aria-setsize") == "800"
    page.keyboard.press("Home")
    expect(page.locator(".line:focus .line-text")).to_have_value("Line of number 1.")
    page.wait_for_function("thing => location.hash === `#scripts/${thing}`", arg=f"{script['id']}/{ids[0]}")
