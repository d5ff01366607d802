"""Claims about a half-made voice: what a reload of the page keeps of it, what it never keeps, and where its sound comes from."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage

pytestmark = pytest.mark.browser


def test_a_draft_survives_a_reload_but_for_the_reason_and_its_sound_comes_from_the_studio(creating_page, tone_address):
    page = creating_page.page
    page.set_input_files("#clip-file", DEMO)
    creating_page.wait_for_report()
    creating_page.open_step("check")
    page.click("#figures summary")
    page.fill("#region-start", "1500")
    page.keyboard.press("Tab")
    creating_page.wait_for_report()
    creating_page.open_step("extract")
    page.check("#extract-octave")
    creating_page.open_step("transcript")
    expect(page.locator("#transcript-write")).to_be_hidden()  # nobody here can write them
    page.fill("#voice-transcript", "Still here.")
    page.click("#clip-language-code")
    page.keyboard.type("german")
    page.keyboard.press("Enter")
    creating_page.fill_draft("Half done")
    creating_page.open_tab("Speak")
    page.get_by_label("Text", exact=True).fill("Typed.")
    page.click("#language")
    page.get_by_role("option", name="German").click()
    creating_page.show_options()
    page.fill("#option-level", "0.5")
    again = StudioPage(page, tone_address)
    assert page.get_by_label("Text", exact=True).input_value() == "Typed."
    assert (page.evaluate("studio.choice.language"), page.evaluate("studio.options.read().level")) == ("de", 0.5)
    again.open_tab("Create voice")
    expect(page.locator("#panel-consent")).to_be_visible()
    again.wait_for_report()
    assert page.input_value("#voice-name") == "Half done"
    assert page.locator("[name=consent-reason]:checked").count() == 0
    assert [page.input_value(f"#{field}") for field in ("voice-transcript", "region-start")] == ["Still here.", "1500"]
    expect(page.locator("#clip-language-code")).to_have_text("German")
    assert page.evaluate("JSON.stringify([localStorage, sessionStorage]).length") < 5000  # words, no sound
    again.open_step("clip")
    page.click("#clip-play")
    again.wait_for_sound()
    again.fill_draft("Half done")
    again.create()
    expect(page.locator("#extract-octave")).to_be_checked()
    assert "create" not in json.loads(page.evaluate("sessionStorage.getItem('studio-draft')"))  # it is a voice now
    kept = {"owner": "somebody else", "speak": {"text": "Private."}, "create": {"name": "Private", "step": "consent"}}
    page.evaluate("kept => sessionStorage.setItem('studio-draft', JSON.stringify(kept))", kept)
    third = StudioPage(page, tone_address)
    third.open_tab("Create voice")
    expect(page.locator("#panel-clip")).to_be_visible()
    assert "Private" not in page.evaluate(
        "document.body.outerHTML + sessionStorage.getItem('studio-draft') + studio.creating._entered.name"
    )


def test_a_draft_whose_clip_the_studio_let_go_of_keeps_its_words(creating_page, tone_address):
    page = creating_page.page
    page.set_input_files("#clip-file", DEMO)
    creating_page.wait_for_report()
    creating_page.fill_draft("Ana too")
    page.evaluate("studio.creating._call('drop_clip', { draft: studio.creating._draft.draft })")
    StudioPage(page, tone_address).open_tab("Create voice")
    expect(page.locator("#create-message .notice")).to_have_text(
        "The studio no longer has the recording of this draft. Record or choose it again; what you typed is kept."
    )
    assert page.input_value("#voice-name") == "Ana too"
    page.click("#create-forget")
    expect(page.locator("#voice-name")).to_have_value("")
    expect(page.locator("#create-forget")).to_be_hidden()
