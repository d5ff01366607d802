"""A studio with keys, as a visitor meets it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import KEY
from tests.browser.driving.studio_page import StudioPage

pytestmark = pytest.mark.browser


@pytest.fixture
def visitor(browser):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    yield context.new_page()
    context.close()


def test_the_form_complains_of_nothing_but_that_nobody_is_signed_in(visitor, locked_address):
    """Browsers that are told of no icon ask the host for one, which has none."""
    complaints = []
    visitor.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    visitor.goto(locked_address)
    expect(visitor.get_by_label("Key")).to_be_focused()
    visitor.wait_for_load_state("networkidle")
    assert [said for said in complaints if "401" not in said] == [] and len(complaints) <= 1


def test_a_visitor_signs_in_once_and_speaks(visitor, locked_address):
    visitor.goto(f"{locked_address}/#history")
    key = visitor.get_by_label("Key")
    expect(key).to_be_focused()
    key.fill("guess")
    key.press("Enter")
    expect(visitor.get_by_role("alert")).to_have_text("That is not one of the keys.")
    visitor.get_by_label("Key").fill(KEY)
    visitor.get_by_role("button", name="Sign in").click()
    expect(visitor.get_by_role("heading", name="Voice studio")).to_be_visible()
    expect(visitor.get_by_role("tab", name="History")).to_have_attribute("aria-selected", "true")  # where the address led
    page = StudioPage(visitor, locked_address)  # comes again, and is not asked again
    assert page.speak("Hello, friends.")["cache"]


def test_a_page_whose_session_is_gone_says_so_and_keeps_the_text(visitor, locked_address):
    visitor.goto(locked_address)
    visitor.get_by_label("Key").fill(KEY)
    visitor.get_by_role("button", name="Sign in").click()
    expect(visitor.get_by_role("heading", name="Voice studio")).to_be_visible()
    page = StudioPage(visitor, locked_address)
    visitor.context.clear_cookies()
    visitor.get_by_label("Text", exact=True).fill("A text worth keeping.")
    visitor.click("#speak-button")
    expect(visitor.locator("#speak-message")).to_contain_text("You are signed out. Reload the page and sign in again.")
    assert visitor.get_by_label("Text", exact=True).input_value() == "A text worth keeping."
    assert page.page is visitor
