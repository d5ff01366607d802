"""Claims about the tab of listening tests in Chromium: one is built, rendered, frozen, listened to by three, and read."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from engines.clips.clip import Clip
from studio.listening.plan.design import Answer
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Enrollment
from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.seen_part import OPTIONS, SCHEMES, show
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import INFO, FakeEngine

pytestmark = pytest.mark.browser

INFOS = {name: replace(INFO, id=name, title=name.title(), presets=(), default_preset=None) for name in ("fake", "tone")}
TEXTS = ("The train leaves at 9.", "Who left it open?")
PREFERRED = "b"  # the second system, which the engine Tone speaks


@pytest.fixture
def served(chromium_path, tmp_path) -> Iterator[tuple[Studio, str]]:
    """A studio with two engines and the voice Rosa, and its address."""
    engines = {name: FakeEngine(info, seconds_per_character=0.02) for name, info in INFOS.items()}
    settings = Settings(speakers_dir=tmp_path, default_engine="fake", warm_uploads=False)
    studio = Studio(settings, infos=INFOS, open_engine=lambda name: engines[name])
    times = np.arange(3 * 24_000) / 24_000
    studio.enroll(Enrollment("Rosa", "own", clip=Clip((0.3 * np.sin(2 * np.pi * 150 * times)).astype(np.float32), 24_000)))
    try:
        with served_page(studio) as address:
            yield studio, address
    finally:
        studio.close()


class Inspected:
    """A page, and what axe finds in its states, wide and light, narrow and dark."""

    def __init__(self, page: StudioPage):
        self._page, self.wrong = page, []
        page.page.evaluate(AXE_SCRIPT)

    def look(self, state: str) -> None:
        page = self._page.page
        for width, scheme in SCHEMES.items():
            show(page, width, scheme)
            self._page.expect_no_sideways_scroll()
            for found in page.evaluate("options => axe.run(options)", OPTIONS)["violations"]:
                self.wrong.append(f"{state}, {width}: {found['id']} {[node['target'][-1] for node in found['nodes'][:3]]}")
        page.set_viewport_size({"width": 1280, "height": 844})


def listen(studio: Studio, test: str) -> None:
    """One listener, who prefers PREFERRED whenever it is to be heard."""
    listening = studio.listening
    session = listening.begin(test)
    items = {item.id: item for item in listening.test(test).items}
    for trial in session.trials:
        for slot in trial.slots:
            listening.sound(test, slot.sound)
        liked = next(slot.label for slot in trial.slots if items[slot.item].system == PREFERRED)
        heard = {slot.label: items[slot.item].padded_seconds for slot in trial.slots}
        listening.answer(test, session.token, Answer(trial.number, liked, dict.fromkeys(heard, 1), heard, 5.0))


def agree(page: Page, button: str) -> None:
    page.locator("dialog.question").get_by_role("button", name=button).click()


def test_a_test_is_built_frozen_listened_to_and_its_verdict_is_what_was_preferred(served, open_page):
    studio, address = served
    studio_page = open_page(address, reduced_motion="reduce")
    page = studio_page.page
    studio_page.open_tab("Listening tests")
    seen = Inspected(studio_page)
    _build(page)
    _choose_files_and_take_them_back(page, seen)
    test = _render_and_freeze(page, studio)
    for _ in range(3):
        listen(studio, test)
    expect(page.locator("#found-listeners")).to_contain_text("3 of 12")
    assert page.locator("#found-link").input_value() == f"{address}/listen/{studio.listening.test(test).link}"
    assert page.locator("#found-results").is_hidden()
    page.click("#found-close")
    agree(page, "Close it")
    _read(page, seen)
    _delete_the_voice(studio_page, studio)
    assert seen.wrong == []


# As on a busy machine: what a draft may be made of is known late.
KNOWN_LATE = """() => {
  const { builder } = studio.listeningTests;
  const ask = builder._ask;
  builder._ask = async (name, ...more) => {
    const answer = await ask(name, ...more);
    if (name === "draft_choices") await new Promise((resolve) => setTimeout(resolve, 500));
    return answer;
  };
}"""


def _build(page: Page) -> None:
    page.click("#tests-first")
    expect(page.locator("#builder-systems .system")).to_have_count(2)
    page.fill("#builder-name", "Fake against Tone")
    page.fill("#builder-texts", "\n".join(TEXTS))
    page.locator("#builder-listeners").fill("12")
    expect(page.locator("#builder-saved")).to_have_text("Draft, saved")
    expect(page.locator("#builder-freeze")).to_be_disabled()
    expect(page.locator("#builder-power")).to_contain_text("24 votes")
    page.click("#builder-back")
    expect(page.locator("#tests-rows .test-row")).to_have_count(1)
    page.evaluate(KNOWN_LATE)
    page.get_by_role("button", name="Fake against Tone", exact=True).click()  # what is pressed next must not be of the draft before
    assert page.locator("#builder-texts").input_value() == "\n".join(TEXTS), "what was typed was kept"
    expect(page.locator("#builder-power")).to_contain_text("24 votes")


def _choose_files_and_take_them_back(page: Page, seen: Inspected) -> None:
    page.click('.test-kind[data-method="mushra"]')
    page.click("#builder-add-files")
    page.set_input_files("#files-c", [DEMO, DEMO])
    expect(page.locator(".system .files-drop")).to_contain_text("2 of 2 files are here")
    page.click('.system:first-child [data-part="options"]')
    page.locator("#builder .builder-more").evaluate("fold => { fold.open = true; }")
    expect(page.locator("#builder-reference")).to_be_visible()
    seen.look("a draft with all there is")
    page.locator("#builder-screening").evaluate("fold => { fold.open = true; fold.querySelector('details').open = true; }")
    expect(page.get_by_label("Each sound is heard to its end once")).to_be_checked()
    page.get_by_label("Answered sooner than can be heard").fill("")  # as those do who listen here
    page.keyboard.press("Tab")
    page.fill("#builder-texts", "\n".join(f"{n}" for n in range(101)))
    expect(page.locator("#builder-texts-problem")).to_contain_text("101 texts")
    expect(page.locator("#builder-texts")).to_have_attribute("aria-invalid", "true")
    page.fill("#builder-texts", "\n".join(TEXTS))
    expect(page.locator("#builder-texts-problem")).to_be_empty()
    page.click('.test-kind[data-method="ab"]')
    expect(page.locator("#builder-between")).to_have_text("Among which?")
    page.click('.system:nth-child(3) [data-part="remove"]')
    expect(page.locator("#builder-between")).to_have_text("Between which two?")
    page.locator("#builder-more").get_by_label("One question to try first").uncheck()
    expect(page.locator("#builder-saved")).to_have_text("Draft, saved")


def _render_and_freeze(page: Page, studio: Studio) -> str:
    page.click("#builder-render")
    expect(page.locator("#builder-freeze")).to_be_enabled()
    expect(page.locator("#builder-checks li[data-state='failed']")).to_have_count(0)
    assert page.locator(".builder-side").evaluate("side => side.scrollHeight <= side.clientHeight"), "no check lies under the button"
    expect(page.locator(".system-made").first).to_have_text("2 texts, ready")
    [test] = studio.listening.tests()
    assert page.locator("#builder-try").get_attribute("href").endswith(f"/listen/{test.link}?experimenter=1")
    page.click("#builder-freeze")
    agree(page, "Freeze it")
    expect(page.locator("#found-link")).to_be_visible()
    return test.id


def _read(page: Page, seen: Inspected) -> None:
    expect(page.locator("#found-verdict .claim").first).to_contain_text("Tone is preferred: 6 of 6")
    expect(page.locator("#found-chips")).to_contain_text("3 listeners counted")
    expect(page.locator("#found-plots").get_by_role("img", name="How often the first was preferred, in %")).to_be_visible()
    seen.look("results")
    page.get_by_label("Count L02").uncheck()
    expect(page.locator("#found-chips")).to_contain_text("1 left out: by hand")
    page.click("#found-export")
    with page.expect_download() as started:
        page.locator('.menu [data-act="votes"]').click()
    assert started.value.suggested_filename == "fake-against-tone-votes.csv"
    page.get_by_label("Count L01").uncheck()
    expect(page.locator("#found-chips")).to_contain_text("2 left out: by hand")
    expect(page.locator("#found-figures")).to_be_visible()
    page.get_by_label("Count L03").uncheck()
    expect(page.locator("#found-verdict")).to_have_text("There is no vote that counts.")
    expect(page.locator("#found-figures")).to_be_hidden()
    expect(page.locator("#found-plots")).to_be_hidden()
    assert not page.locator("#found-chips [data-state='good']").count()
    page.click("#found-back")
    expect(page.locator("#tests-rows .test-row")).to_contain_text("Closed")


def _delete_the_voice(studio_page: StudioPage, studio: Studio) -> None:
    page = studio_page.page
    studio_page.open_tab("Voices")
    page.locator('#voices-cards [data-act="menu"]').click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(page.locator("#voice-delete")).to_contain_text("Fake against Tone (Closed)")
    page.get_by_role("button", name="Delete the voice").click()
    expect(page.locator("#strip")).to_contain_text("Rosa is deleted")
    [test] = studio.listening.tests()
    assert test.state == "closed", "kept with its sounds"
