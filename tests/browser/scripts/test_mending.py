"""Claims about words of a take that are selected and become others."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from tests.api.door import eventually
from tests.browser.studios.edited_studio import edited_studio
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

TEXT = "ANNA: “The old man walks along the river”, she said.\n\nBEN: And home.\n"
OPTIONS = {"resultTypes": ["violations"], "preload": False}
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def edited(chromium_path, tmp_path):
    with edited_studio(tmp_path) as (address, engine):
        yield address, engine


def said_line(address: str) -> tuple[str, str]:
    """(the script's route, the hash of its line), once that is said."""
    scripts = f"{address}/v1/studio/scripts"
    made = patient_http.post(scripts, json={"text": TEXT, "filename": "talk.txt", "title": "A talk"}).json()
    one = f"{scripts}/{made['id']}"
    patient_http.post(f"{one}/say", json={})
    assert eventually(lambda: line_of(one)["state"] == "said", seconds=30)
    return one, f"#scripts/{made['id']}/{line_of(one)['id']}"


def line_of(script: str) -> dict:
    return patient_http.get(f"{script}/lines").json()["lines"][0]


def test_words_are_selected_by_keys_and_presses_and_become_others(edited, open_page):
    address, engine = edited
    one, place = said_line(address)
    page = open_page(address, transport="fetch", reduced_motion="reduce").page
    page.evaluate("hash => { location.hash = hash }", place)
    page.locator(".script-lines [aria-haspopup=menu]").first.click()
    page.get_by_role("menuitem", name="Mend words of the take").click()
    dialog = page.locator("#script-mend")
    words, mend = dialog.get_by_role("listbox").get_by_role("option"), dialog.get_by_role("button", name="Mend", exact=True)
    expect(words).to_have_text(["The", "old", "man", "walks", "along", "the", "river", "she", "said"])
    expect(words.first).to_be_focused()
    expect(mend).to_be_disabled()

    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.keyboard.press("Shift+ArrowRight")
    expect(dialog.get_by_label("New words")).to_have_value("old man")
    page.evaluate(AXE_SCRIPT)
    wrong = "([part, options]) => axe.run(part, options).then(({ violations }) => violations.map(({ id }) => id))"
    assert page.evaluate(wrong, ["#script-mend", OPTIONS]) == []
    dialog.get_by_label("New words").fill("young woman")
    dialog.get_by_label("New words").press("Enter")
    expect(dialog.locator(".notice")).to_contain_text("Mended.")
    expect(words).to_have_text(["The", "young", "woman", "walks", "along", "the", "river", "she", "said"])
    first, second = line_of(one)["takes"]
    assert line_of(one)["text"] == "“The young woman walks along the river”, she said." and line_of(one)["chosen"] == second["id"]
    assert second["mended_from"] == {"take": first["id"], "engine": "editor"}
    dialog.get_by_role("button", name="After").click()
    expect(dialog.get_by_role("button", name="After")).to_have_attribute("aria-pressed", "true")

    page.set_viewport_size(PHONE)
    words.nth(3).click()
    dialog.get_by_label("What changes").select_option("pause")
    dialog.get_by_label("Strength").select_option("3")
    assert page.evaluate(wrong, ["#script-mend", OPTIONS]) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    mend.click()
    assert eventually(lambda: len(line_of(one)["takes"]) == 3 and line_of(one)["state"] == "said", seconds=30)
    operation = engine.changes[-1].operations[0]
    assert (operation.kind, operation.start, operation.values["level"]) == ("pause", len("“The young woman walks"), 3)
    expect(mend).to_be_disabled()  # a new take, of which nothing is selected

    engine._fail_at_chunk = 0
    words.nth(3).click()
    mend.click()
    expect(dialog.locator(".notice")).to_have_attribute("data-kind", "problem")
    dialog.get_by_role("button", name="Close").click()
    expect(page.locator("#script-mend")).to_have_count(0)
