"""Claims about addresses: back and forward, a page that is loaded again, links, and what stands over the page of a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driving.studio_page import StudioPage

pytestmark = pytest.mark.browser

READY = "window.studio?.firstRoom && studio.choice.known.engine"
IDS = "Object.fromEntries(studio.choice.known.voices.map(({ id, name }) => [name, id]))"


def load(visit: StudioPage, address: str, hash: str) -> None:
    visit.page.goto("about:blank")  # or another hash would load nothing
    visit.page.goto(f"{address}/{hash}")
    visit.page.wait_for_function(READY)


def test_back_forward_reload_and_links_lead_where_one_was(open_page, full_address):
    visit = open_page(full_address)
    page = visit.page
    visit.open_tab("Voices")
    page.get_by_role("button", name="Actions for Ana", exact=True).click()
    page.get_by_role("menuitem", name="Compare").click()
    visit.expect_tab("Compare")
    expect(page).to_have_url(re.compile(r"#compare/text="))
    compared = page.evaluate("location.hash")
    ana = page.evaluate(IDS)["Ana"]
    assert ana in compared and "Ana" not in compared  # a name is in no address
    page.go_back()
    visit.expect_tab("Voices")
    expect(page).to_have_title("Voices · Voice studio")
    expect(page.get_by_role("button", name="Actions for Ana", exact=True)).to_be_focused()
    page.go_back()
    visit.expect_tab("Speak")
    page.go_forward()
    page.go_forward()
    visit.expect_tab("Compare")
    page.reload()
    page.wait_for_function(READY)
    visit.expect_tab("Compare")
    page.wait_for_function("studio.comparison?.lanes[0]?.voice === 'Ana'")
    assert page.evaluate("location.hash") == compared

    load(visit, full_address, f"#voices/{ana}")
    expect(page.get_by_role("button", name="Play the recording of Ana")).to_be_focused()
    expect(page).to_have_title("Ana · Voices · Voice studio")
    load(visit, full_address, "#voices/0f0f")
    expect(page.locator("#voices-message")).to_contain_text("This voice is not here, or is not yours to see.")
    load(visit, full_address, "#history/0f0f")
    expect(page.locator("#history-message")).to_contain_text("This take is not here, or is not yours to see.")
    page.evaluate("location.hash = '#nowhere'")
    visit.expect_tab("Speak")
    expect(page.locator("#player")).to_contain_text("There is nothing at this address.")


def test_back_takes_away_what_stands_over_the_page_of_a_phone_and_nothing_else(open_page, full_address):
    visit = open_page(full_address, width=390)
    page = visit.page
    visit.open_tab("Voices")
    menu, edit = page.locator(".menu"), page.locator("#voice-edit")
    actions = page.get_by_role("button", name="Actions for Ana", exact=True)
    actions.click()
    page.go_back()
    expect(menu).to_be_hidden()
    actions.click()
    page.get_by_role("menuitem", name="Edit").click()
    expect(edit).to_be_visible()
    page.go_back()
    expect(edit).to_be_hidden()
    visit.expect_tab("Voices")
    actions.click()
    page.keyboard.press("Escape")  # leaves no entry behind
    expect(menu).to_be_hidden()
    page.wait_for_function("!history.state.covers")
    page.go_back()
    visit.expect_tab("Speak")
    assert page.evaluate("location.hash") == ""
