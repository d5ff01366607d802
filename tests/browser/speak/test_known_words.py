"""An engine that says what it knows: words for how to speak, and hundreds of languages that browsers have no name for."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from studio.service import Studio
from studio.settings import Settings
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import ATTRIBUTED, POLYGLOT, TONGUES, FakeEngine

pytestmark = pytest.mark.browser

LEARNED = replace(ATTRIBUTED, languages=POLYGLOT.languages, options=(*POLYGLOT.options, ATTRIBUTED.options[-1]), default_preset="design")


@pytest.fixture
def learned(tmp_path) -> Iterator[tuple[str, FakeEngine]]:
    engine = FakeEngine(LEARNED)
    settings = Settings(speakers_dir=tmp_path, default_engine=LEARNED.id, warm_uploads=False)
    studio = Studio(settings, infos={LEARNED.id: LEARNED}, open_engine=lambda name: engine)
    with served_page(studio) as address:
        yield address, engine
    studio.close()


def test_known_words_are_pressed_and_a_language_is_found_by_the_engines_name(learned, open_page, complaints):
    address, engine = learned
    studio_page = open_page(address, transport="fetch")
    page = studio_page.page
    studio_page.choose("design", LEARNED.title)
    field, known = page.locator("#option-instructions"), page.locator(".known-words")
    expect(field).to_have_attribute("placeholder", "female, young adult, high pitch")
    known.locator("summary").press("Enter")
    for word, said in (("male", "male"), ("elderly", "male, elderly"), ("female", "female, elderly"), ("elderly", "female")):
        known.get_by_role("button", name=word, exact=True).press("Enter")
        expect(field).to_have_value(said)
    field.fill("female, chil")
    expect(known.get_by_role("button", name="female", exact=True)).to_have_attribute("aria-pressed", "true")
    page.click("#speak-button")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#option-instructions-problem")).to_contain_text("child")
    complaints.clear()  # of the 400
    field.fill("female, child")
    expect(page.locator("#option-instructions-problem")).to_be_hidden()

    page.click("#language")
    rows = page.locator('.pick[data-of="language"] [role="option"]')
    expect(rows.filter(has_text="Tongue ab")).to_have_count(1)
    page.get_by_role("combobox", name="Find a language").fill("tongue ab")
    expect(rows).to_have_text(["Tongue ab"])
    page.keyboard.press("Enter")
    expect(page.locator("#language")).to_have_accessible_name("Language: Tongue ab")
    studio_page.speak("One.")
    assert engine.options[-1]["instructions"] == "female, child" and engine.options[-1]["language"] == "qab"
    page.click("#engine")
    expect(page.locator('.pick[data-of="engine"]')).to_contain_text(f"{len(TONGUES)} languages")
    page.reload()
    page.wait_for_function("window.studio?.firstRoom && studio.choice.isSettled")
    expect(page.locator("#language")).to_contain_text("Tongue ab")
    expect(field).to_have_value("female, child")
