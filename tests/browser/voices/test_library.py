"""Voices and History in Chromium: the demo voice at one press, one clip at a time, undo, bundles, and kept speech made again."""

import json
import re
import urllib.request
import zipfile

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.tone_page import WINDOW

pytestmark = pytest.mark.browser

LEARNED = re.compile("memory|disk")
LONG_TEXT = "One sentence follows another, and then another one, until somebody has heard enough of it and presses a button. " * 3
CARD_HEIGHT = 126
# What the button of the empty screen says from now on.
LISTEN = """() => {
  const button = document.querySelector("#voices-demo");
  window.told = [];
  new MutationObserver(() => told.push(button.textContent.trim())).observe(button, { subtree: true, childList: true, characterData: true });
}"""


@pytest.fixture
def address(embedded_address) -> str:
    """Of a studio in this process: nothing is asked of the process itself."""
    return embedded_address


@pytest.fixture
def library(kept_pages, address) -> StudioPage:
    """Voices, on a page that these tests share: nothing sounds, asks or is sought there."""
    studio_page = kept_pages.get("library", address, lambda page: StudioPage(page, address))
    page = studio_page.page
    page.set_viewport_size(WINDOW)
    page.keyboard.press("Escape")
    page.evaluate("studioPlayer.stop()")
    studio_page.open_tab("Voices")
    return studio_page


@pytest.fixture
def with_demo(library, address) -> StudioPage:
    """Beside it nothing but the demo voice, as it comes. Where a test left it so, it is not made again: a second of a processor."""
    if [voice["name"] for voice in uploaded(address) if "ref_text" in voice or voice["name"] != "Demo"] != ["Demo"]:
        delete_all(address)
        expect_no_voice(library)
        use_demo(library)
    expect(chip(library.page, "Demo")).to_have_attribute("data-state", LEARNED)
    return library


@pytest.fixture
def fresh_with_demo(library, address) -> StudioPage:
    """The same, made anew, for tests that forget, delete and undo."""
    delete_all(address)
    expect_no_voice(library)
    use_demo(library)
    return library


def expect_no_voice(studio_page: StudioPage) -> StudioPage:
    studio_page.open_tab("Voices")
    expect(studio_page.page.locator("#voices-empty")).to_be_visible()
    return studio_page


def uploaded(address: str) -> list[dict]:
    return json.load(urllib.request.urlopen(f"{address}/v1/audio/voices"))["uploaded_voices"]


def clear_history(library: StudioPage) -> None:
    """What tests before this one spoke with built-in voices."""
    page = library.page
    library.open_tab("History")
    page.wait_for_function("document.querySelector('#history-list .take') ?? document.querySelector('#history-empty').checkVisibility()")
    if page.locator("#history-list .take").count():
        delete_history(page)


def delete_history(page: Page) -> None:
    page.click("#history-more")
    page.get_by_role("menuitem", name="Delete all").click()
    page.get_by_role("button", name="Delete them").click()
    expect(page.locator("#history-empty")).to_contain_text("Nothing spoken yet")


def delete_all(address: str) -> None:
    for voice in uploaded(address):
        request = urllib.request.Request(f"{address}/v1/audio/voices/{urllib.request.quote(voice['name'])}", method="DELETE")
        urllib.request.urlopen(request).close()


def use_demo(studio_page) -> None:
    studio_page.page.click("#voices-demo")
    expect(card(studio_page.page, "Demo")).to_be_visible()
    studio_page.wait_for_sound()
    studio_page.page.keyboard.press("Escape")


def choose(page, name: str, act: str) -> None:
    page.get_by_role("button", name=f"Actions for {name}", exact=True).click()
    page.get_by_role("menuitem", name=act).click()


def card(page, name: str):
    return page.locator("#voices-cards > li").filter(has=page.get_by_role("button", name=f"Actions for {name}", exact=True))


def chip(page, name: str):
    return card(page, name).locator(".chip").first


def strip(page):
    return page.locator("#strip .notice").first


def extractions(address: str) -> int:
    return json.load(urllib.request.urlopen(f"{address}/v1/audio/cache/stats"))["extractions"]


def test_a_first_visitor_hears_a_clone_at_one_press_and_speaks_with_it_at_the_next(open_page, library, address):
    for transport in ("gradio", "fetch"):
        delete_all(address)
        studio_page = library if transport == "fetch" else open_page(f"{address}/?transport={transport}")
        page = expect_no_voice(studio_page).page
        shown = page.locator("#voices-prints .lead").inner_html()
        page.evaluate(LISTEN)
        page.click("#voices-demo")
        expect(card(page, "Demo")).to_contain_text("English · 11.6 s")
        expect(card(page, "Demo").get_by_role("button", name="Speak with Demo")).to_be_focused()
        assert page.evaluate("studio.transport") == transport
        assert page.evaluate("studioPlayer.session.facts.cache") != "hit"
        assert re.match(r"Learning it, \d+\.\d s", page.evaluate("told")[0])
        studio_page.wait_for_sound()
        studio_page.expect_tab("Voices")
        page.wait_for_function("studio.choice.voice === 'Demo'")
        expect(chip(page, "Demo")).to_have_attribute("data-state", LEARNED)
        expect(card(page, "Demo")).to_contain_text("made by computer · demo")
        assert shown.startswith(card(page, "Demo").locator(".print path").first.evaluate("path => path.outerHTML.slice(0, 40)"))
        assert card(page, "Demo").bounding_box()["height"] == CARD_HEIGHT
        if transport == "gradio":
            page.close()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Speak", exact=True)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#voice b")).to_have_text("Demo")


def test_only_one_recording_sounds_and_its_print_pauses_it(with_demo):
    page = with_demo.page
    page.get_by_role("button", name="Speak with Demo").click()
    expect(page.get_by_label("Text", exact=True)).to_be_focused()  # what was pressed is in a tab that is hidden by now
    page.get_by_label("Text", exact=True).fill(LONG_TEXT)
    expect(page.locator("#voice b")).to_have_text("Demo")
    page.click("#speak-button")
    page.wait_for_function("studioPlayer.state === 'playing'")
    page.evaluate("window.speech = studioPlayer.session")
    with_demo.open_tab("Voices")
    page.get_by_role("button", name="Play the recording of Demo").click()
    page.wait_for_function("studioPlayer.session !== speech && studioPlayer.state === 'playing'")
    assert page.evaluate("speech.stopped") is True
    expect(page.locator("#player-status")).to_contain_text("Recording of Demo")
    with_demo.wait_for_sound()
    page.evaluate("studio.voices._show()")  # as when news arrives meanwhile
    page.get_by_role("button", name="Pause the recording of Demo").click()
    expect(page.get_by_role("button", name="Play the recording of Demo")).to_be_focused()
    page.wait_for_function("studioPlayer.state === 'paused'")
    page.keyboard.press("Enter")
    page.wait_for_function("studioPlayer.state === 'playing'")
    page.keyboard.press("Escape")
    expect(page.locator("#player-status")).to_contain_text("stopped")


def test_a_press_outlives_news_that_come_while_the_button_is_down(with_demo):
    """Rows that say the same stay: a press that begins on one button and ends on another is none."""
    page = with_demo.page
    page.get_by_role("button", name="Play the recording of Demo").hover()
    page.mouse.down()
    page.evaluate("studio.voices._show()")
    page.mouse.up()
    page.wait_for_function("studioPlayer.session.label === 'Recording of Demo'")
    with_demo.open_tab("History")
    entry = page.locator("#history-list .take").first
    entry.get_by_role("button", name=re.compile("^More")).hover()
    page.mouse.down()
    page.evaluate("studio.history._show()")
    page.mouse.up()
    expect(page.get_by_role("menuitem", name="Star it")).to_be_visible()
    page.keyboard.press("Escape")


def choose_of(take: Locator, item: str) -> None:
    """Of a take's menu."""
    take.get_by_role("button", name=re.compile("^More")).click()
    take.page.get_by_role("menuitem", name=item, exact=True).click()


def test_what_was_spoken_is_heard_again_and_made_again_with_the_same_seed(with_demo):
    page = with_demo.page
    clear_history(with_demo)
    with_demo.open_tab("Voices")
    page.get_by_role("button", name="Speak with Demo").click()
    page.get_by_label("Text", exact=True).fill("Say exactly this.")
    with_demo.show_options()
    page.locator("#option-seed").fill("4711")
    page.click("#speak-button")
    page.wait_for_function("studioPlayer.state === 'ended' && studioPlayer.session.facts")
    samples = "studioPlayer.session.pieces.flatMap((piece) => [...piece]).join()"
    spoken = page.evaluate(samples)
    page.locator("#option-seed").fill("1")

    with_demo.open_tab("Voices")
    page.get_by_role("button", name="Play the recording of Demo").click()  # or the player would have what was spoken
    page.wait_for_function("studioPlayer.session.label === 'Recording of Demo' && studioPlayer.state === 'playing'")
    with_demo.open_tab("History")
    entry = page.locator("#history-list .take").filter(has_text="Say exactly this.").first
    expect(entry).to_contain_text("4711")
    entry.get_by_role("button", name=re.compile("^Play")).click()
    page.wait_for_function("studioPlayer.state === 'ended' && studioPlayer.session.label !== 'Recording of Demo'")
    assert page.evaluate(samples) == spoken

    choose_of(entry, "Again, the same variation")
    page.wait_for_function("studioPlayer.state === 'ended' && studioPlayer.session.facts")
    assert page.evaluate(samples) == spoken
    expect(page.locator("#option-seed")).to_have_value("4711")

    with_demo.open_tab("History")
    expect(page.locator("#history-list .take")).to_have_count(2)  # or the newest would come before the one that gets the star
    choose_of(entry, "Star it")
    expect(entry).to_contain_text("With a star")
    page.check("#history-starred")
    expect(page.locator("#history-list .take")).to_have_count(1)
    choose_of(entry, "Delete")
    expect(page.locator("#history-empty")).to_have_text("The one take here is not what you chose.")
    expect(page.locator("#history-empty")).to_be_visible()
    page.uncheck("#history-starred")
    delete_history(page)


def test_neither_tab_scrolls_sideways_on_a_phone(with_demo):
    with_demo.page.set_viewport_size({"width": 390, "height": 844})
    with_demo.expect_no_sideways_scroll()
    choose(with_demo.page, "Demo", "Replace recording")
    expect(with_demo.page.locator("#voice-replace")).to_be_visible()
    with_demo.expect_no_sideways_scroll()
    with_demo.page.keyboard.press("Escape")
    expect(with_demo.page.locator("#voice-replace")).to_be_hidden()


def test_a_replaced_clip_asks_for_consent_and_lies_in_no_folder(with_demo, folders):
    page = with_demo.page
    choose(page, "Demo", "Replace recording")
    dialog = page.locator("#voice-replace")
    dialog.get_by_label("New recording", exact=True).set_input_files(DEMO)
    dialog.get_by_label("Whose voice, and where is the recording from?").fill("the demo speaker")
    page.get_by_role("button", name="Replace it").click()
    expect(dialog).to_be_visible()  # a reason is required
    dialog.get_by_label("Why may you use this voice?").select_option("licensed")
    page.get_by_role("button", name="Replace it").click()
    expect(strip(page)).to_contain_text("Demo has another recording.")
    expect(card(page, "Demo")).to_contain_text("public or licensed")
    assert [path for path in folders["uploads"].rglob("*") if path.is_file()] == []


def test_a_voice_is_edited_found_and_listed_with_its_markup_as_text(with_demo):
    page, name = with_demo.page, "<img src=x onerror=alert(1)>"
    choose(page, "Demo", "Edit")
    page.locator("#voice-edit").get_by_label("Name", exact=True).fill(name)
    page.locator("#voice-edit").get_by_label("Tags").fill("warm, <b>bold</b>")
    page.get_by_role("button", name="Save").click()
    expect(strip(page)).to_contain_text(f"{name} is saved.")  # for some seconds
    expect(card(page, name)).to_contain_text("<b>bold</b>")
    expect(chip(page, name)).to_have_attribute("data-state", LEARNED)
    page.get_by_role("button", name="List", exact=True).click()
    expect(page.locator("#voices-table tbody tr")).to_contain_text("<b>bold</b>")
    page.reload()
    with_demo.open_tab("Voices")
    expect(page.locator("#voices-table tbody tr")).to_contain_text(name)  # the view is kept
    page.get_by_role("button", name="Cards", exact=True).click()
    assert page.locator("img[src=x]").count() == 0
    page.locator("body").press("/")
    expect(page.locator("#voices-find")).to_be_focused()
    page.keyboard.type("zebra")
    expect(page.locator("#voices-none-words")).to_have_text("No voice matches “zebra”.")
    page.locator("#voices-all").click()
    expect(card(page, name)).to_be_visible()
    page.keyboard.type("zebra")
    expect(card(page, name)).to_have_count(0)
    page.keyboard.press("Escape")
    expect(card(page, name)).to_be_visible()
    page.focus("#voices-language")
    page.keyboard.type("engl")  # opens the list, and is sought in it
    page.keyboard.press("Enter")
    expect(page.locator("#voices-language")).to_have_accessible_name("Language English")
    page.select_option("#voices-engine", "learned espeak")
    expect(card(page, name)).to_be_visible()
    page.fill("#voices-find", "zebra")
    expect(page.locator("#voices-number")).to_have_text("0 of 1 voice")
    expect(page.locator("#voices-none-words")).to_have_text(
        "No voice matches all of this: “zebra”, English, Learned by: Embedded (eSpeak NG)."
    )
    page.locator("#voices-all").click()
    expect(card(page, name)).to_be_visible()
    expect(page.locator("#voices-language")).to_have_text("Any language")


def test_an_engine_is_taught_a_voice_and_a_deletion_is_undone_by_keyboard(fresh_with_demo, address):
    page = fresh_with_demo.page
    urllib.request.urlopen(urllib.request.Request(f"{address}/v1/audio/voices/demo/cache", method="DELETE")).close()
    expect(chip(page, "Demo")).to_have_text("No engine has learned it yet")
    choose(page, "Demo", "Teach an engine")
    dialog = page.locator("#voice-teach")
    dialog.get_by_role("button", name="Teach Embedded (eSpeak NG)").press("Enter")
    expect(dialog.locator("li").first).to_contain_text(re.compile(r"ready in [\d.]+ m?s"))
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Enter")
    expect(chip(page, "Demo")).to_have_attribute("data-state", LEARNED)
    choose(page, "Demo", "Delete")
    expect(strip(page)).to_contain_text("Demo is deleted. Bring it back within 30 s.")
    expect(page.get_by_role("button", name="Undo: bring Demo back")).to_be_focused()
    expect(page.locator("#voices-empty")).to_be_visible()
    page.keyboard.press("Enter")
    expect(strip(page)).to_contain_text("Demo is back.")
    expect(card(page, "Demo")).to_be_visible()
    assert urllib.request.urlopen(f"{address}/v1/audio/voices/demo/audio").read(4) == b"RIFF"


def test_a_bundle_goes_out_and_comes_back_as_chosen_and_a_pickle_does_not(fresh_with_demo, address, folders, tmp_path):
    page = fresh_with_demo.page
    learned_once = extractions(address)
    choose(page, "Demo", "Export")
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download", exact=True).click()
    bundle = tmp_path / downloaded.value.suggested_filename
    downloaded.value.save_as(bundle)
    assert bundle.name == "Demo.voice.zip"
    manifest = json.loads(zipfile.ZipFile(bundle).read("manifest.json"))
    assert len(manifest["prompts"]) == 1 and manifest["consent"]["record"]["reason"] == "synthetic"

    page.set_input_files("#voices-import", bundle)
    dialog = page.locator("#voice-import")
    expect(dialog).to_contain_text("There is a voice “Demo” already.")
    dialog.get_by_role("button", name="Import").click()  # keep both is chosen
    expect(chip(page, "Demo (2)")).to_have_attribute("data-state", LEARNED)

    choose(page, "Demo (2)", "Delete")
    expect(card(page, "Demo (2)")).to_have_count(0)
    choose(page, "Demo", "Delete")
    expect(page.locator("#voices-empty")).to_be_visible()
    page.set_input_files("#voices-import-first", bundle)
    expect(dialog).to_contain_text("A synthetic voice")
    dialog.get_by_role("button", name="Import").click()
    expect(chip(page, "Demo")).to_have_attribute("data-state", LEARNED)
    assert extractions(address) == learned_once

    pickled = tmp_path / "bad.zip"
    with zipfile.ZipFile(pickled, "w") as archive:
        archive.writestr("voice.pt", b"\x80\x04.")
    page.set_input_files("#voices-import", pickled)
    expect(page.locator("#voices-message")).to_contain_text("There is a Python pickle in this file (.pt), which could do harm.")
    assert [path for path in folders["uploads"].rglob("*") if path.is_file()] == []
