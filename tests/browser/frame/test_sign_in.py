"""A studio with keys, as a visitor meets it."""

from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import KEY
from tests.browser.driving.studio_page import StudioPage

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def visitor(browser):
    context = browser.new_context(viewport=PHONE)
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


@dataclass(frozen=True)
class SignedIn:
    """page: of the studio, which was asked for again. refused: what the form said of a wrong key. tab: what the first page showed."""

    page: StudioPage
    refused: str
    tab: str


@pytest.fixture
def signed_in(kept_pages, locked_address, complaints) -> SignedIn:
    """A visitor who had come by a link to History, whom these tests share."""
    seen = kept_pages.get("signed in", locked_address, lambda page: sign_in(page, locked_address))
    complaints[:] = [said for said in complaints if "401" not in said]  # of the form
    return seen


def sign_in(page: Page, address: str) -> SignedIn:
    page.set_viewport_size(PHONE)
    page.goto(f"{address}/#history")
    key = page.get_by_label("Key")
    expect(key).to_be_focused()
    key.fill("guess")
    key.press("Enter")
    refused = page.get_by_role("alert").inner_text()
    page.get_by_label("Key").fill(KEY)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Voice studio")).to_be_visible()
    tab = page.get_by_role("tab", selected=True).inner_text()
    return SignedIn(StudioPage(page, address), refused, tab)


def test_a_visitor_signs_in_once_and_speaks(signed_in):
    assert signed_in.refused == "That is not one of the keys."
    assert signed_in.tab == "History"  # where the address led
    assert signed_in.page.speak("Hello, friends.")["cache"]  # came again, and was not asked again


def test_a_page_whose_session_is_gone_says_so_and_keeps_the_text(signed_in, complaints):
    page = signed_in.page.page
    page.context.clear_cookies()
    page.get_by_label("Text", exact=True).fill("A text worth keeping.")
    page.click("#speak-button")
    expect(page.locator("#speak-message")).to_contain_text("You are signed out. Reload the page and sign in again.")
    assert page.get_by_label("Text", exact=True).input_value() == "A text worth keeping."
    complaints[:] = [said for said in complaints if "401" not in said]
