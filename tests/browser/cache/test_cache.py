"""Cache & models in a real browser: two windows, one truth. Over fake engines that a test can hold, and over the embedded one."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from engines.clips.clip import Clip, Transcript
from engines.contract.license import License
from engines.errors import EngineFailed
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Enrollment
from studio.ui.engines.size_words import size_words
from studio.ui.gradio import news
from tests.api.door import Gate, eventually
from tests.browser.studios.served_page import served_page
from tests.browser.studios.tone_page import WINDOW
from tests.stand_ins import heavy_package, patient_http
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.studio.running.test_engine_worker import Gate as StepGate

pytestmark = pytest.mark.browser

# (label, words) of each line of a cell's card.
LABELED = "lines => lines.map((line) => [line.dataset.label, line.querySelector('dd').innerText])"
TICK_SECONDS = 0.5  # between two looks of a window for news; the page itself takes longer
GIGABYTE = 1_000_000_000
LICENSE_URL, CODEC_URL = "https://creativecommons.org/licenses/by-nc/4.0/legalcode", "https://example.org/codec"
LICENSES = (License("CC-BY-NC-4.0", LICENSE_URL, "model"), License("Codec License", CODEC_URL, "codec", most_annual_users=100_000))
BOTH = "CC-BY-NC-4.0 for the model, Codec License for the audio codec"
TERMS = {"licenses": LICENSES, "restriction": "commercial use", "attribution": "Built with Anvils"}
WORDY = replace(INFO, transcript_shapes_prompt=True)  # with other words it learns another prompt
HEAVY = replace(heavy_package.INFO, presets=(), **TERMS)
BIG = replace(INFO, id="big", title="Big", presets=(), default_preset=None, weights_bytes=9 * GIGABYTE)


class Lying(FakeEngine):
    """Says that it holds much memory."""

    def memory_bytes(self) -> int:
        return 6 * GIGABYTE


class Held:
    """Three fake engines behind a page: one that waits at a gate to extract and to speak, one whose weights must be downloaded under a
    license that forbids uses, one that needs the first one's memory, and then fails."""

    def __init__(self, folder):
        self.extracting, self.piece = Gate(is_open=True), Gate(is_open=True)
        self.engine = Lying(WORDY, before_extract=lambda: self.extracting())  # noqa: PLW0108 tests put another gate there
        self.checkpoint = heavy_package.make_remote(folder / "hub")
        self.studio = Studio(
            Settings(speakers_dir=folder / "speakers", default_engine="fake", warm_uploads=False),
            infos={"fake": WORDY, "heavy": HEAVY, "big": BIG},
            open_engine=self._open_engine,
            weights={"heavy": heavy_package.source(self.checkpoint)},
            free_bytes=lambda device: (4 if self.studio.engines()[0].state == "ready" else 10) * GIGABYTE,
        )
        self.studio.load("fake")
        self.address = ""
        self._seed = 0

    def enroll(self, name: str, words: str = "") -> None:
        self._seed += 1  # another recording each time: the cache would know the same one again
        samples = np.random.default_rng(self._seed).uniform(-0.3, 0.3, 48_000).astype(np.float32)
        transcript = Transcript.of(words, "en") if words else None
        self.studio.enroll(Enrollment(name, "own", clip=Clip(samples, 24_000), transcript=transcript))

    def speak(self, voice: str) -> str:
        """Through the API; whether the prompt was a hit, a miss, ..."""
        body = {"input": "hello there", "voice": voice, "model": "fake"}
        answer = patient_http.post(f"{self.address}/v1/audio/speech", json=body, timeout=30)
        assert answer.status_code == 200
        return answer.headers["x-speaker-cache"]

    def before_piece(self, index: int) -> None:
        self.piece(index)

    def _open_engine(self, name: str) -> FakeEngine:
        if name == "big":
            raise EngineFailed("The graph did not fit.", "Choose a smaller checkpoint.")
        return self.engine if name == "fake" else heavy_package.open(self.checkpoint, info=HEAVY)


class Window:
    """One browser window on the tab."""

    def __init__(self, page: Page, address: str):
        self.page = page
        page.goto(address)
        page.get_by_role("tab", name="Cache & models").click()
        page.wait_for_function("document.querySelector('.engine') && studio.matrix")

    def cell(self, voice: str, engine: str = "fake") -> Locator:
        row = self.page.locator("#matrix tbody tr").filter(has=self.page.locator(".name").get_by_text(voice, exact=True))
        return row.locator(f'.cell[data-engine="{engine}"]')

    def expect_state(self, voice: str, state: str) -> None:
        expect(self.cell(voice)).to_have_attribute("data-state", state)

    def answer(self, button: str) -> None:
        """Of the question that is asked in the page."""
        self.page.locator("dialog.question").get_by_role("button", name=button).click()
        expect(self.page.locator("dialog.question")).to_have_count(0)

    def act(self, voice: str, verb: str) -> None:
        self.cell(voice).click()
        self.page.locator("#cell-card").get_by_role("button", name=verb, exact=True).click()
        expect(self.page.locator("#cell-card")).to_be_hidden()

    def facts(self, voice: str, engine: str = "fake") -> dict[str, str]:
        """What the card of a cell says, by its name."""
        self.cell(voice, engine).click()
        said = dict(self.page.locator("#cell-card dl > div").evaluate_all(LABELED))
        self.page.keyboard.press("Escape")
        return said

    def settled(self) -> "Window":
        """As it was opened: nothing asks, nothing lies above the matrix."""
        self.page.set_viewport_size(WINDOW)
        self.page.emulate_media(color_scheme="light")
        self.page.keyboard.press("Escape")
        expect(self.page.locator("dialog[open]")).to_have_count(0)
        expect(self.page.locator("#cell-card")).to_be_hidden()
        return self

    def card(self, engine: str) -> Locator:
        return self.page.locator(f"#engine-card-{engine}")


@pytest.fixture(scope="module")
def held(chromium_path, tmp_path_factory):
    held = Held(tmp_path_factory.mktemp("held"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(heavy_package, "before_piece", held.before_piece)
        patched.setattr(news, "TICK_SECONDS", TICK_SECONDS)
        with served_page(held.studio) as held.address:
            yield held
    held.studio.close()


@pytest.fixture
def window(held, kept_pages) -> Window:
    """The one that tests of this file look into, one after the other."""
    return kept_pages.get("window", held.address, lambda page: Window(page, held.address)).settled()


@pytest.fixture
def other(held, kept_pages) -> Window:
    """Somebody else's. Tests that want it stand behind the others: until then it need not be there."""
    return kept_pages.get("other", held.address, lambda page: Window(page, held.address)).settled()


def test_nothing_scrolls_sideways_and_the_voices_stay_in_sight(window, held):
    held.enroll("Hal")
    window.expect_state("Hal", "none")
    for width in (1280, 390):
        window.page.set_viewport_size({"width": width, "height": 844})
        for scheme in ("light", "dark"):
            window.page.emulate_media(color_scheme=scheme)
            window.page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
            window.page.evaluate("document.querySelector('.matrix-scroll').scrollLeft = 1000")
            assert window.page.locator("#matrix tbody th").first.bounding_box()["x"] >= 0
    expect(window.cell("Hal")).to_be_hidden()  # on phones what is not learned is no chip
    window.page.get_by_role("button", name="Teach Hal to an engine").click()
    window.page.get_by_role("menuitem", name="Fake").click()
    expect(window.cell("Hal")).to_have_text("Fake Ready 4 B")
    expect(window.cell("Hal")).to_be_visible()


def test_hits_of_the_page_and_of_the_api_are_counted_in_every_window(window, held):
    held.enroll("Ben")
    assert held.speak("Ben") == "miss"
    window.expect_state("Ben", "memory")
    window.cell("Ben").click()
    for found in ("1 time", "2 times", "3 times"):
        assert held.speak("Ben") == "hit"
        expect(window.page.locator('#cell-card [data-label="found"] dd')).to_have_text(found)
    window.page.keyboard.press("Escape")
    assert {"warm", "cold", "last", "size", "key"} <= set(window.facts("Ben"))
    expect(window.cell("Ben").locator("b")).to_have_text(re.compile(r"^\d+ ms at the server$"))
    expect(window.page.locator("#cache-totals")).to_contain_text(re.compile(r"Found ready\s*\d+ %\s*of \d+ times"))
    window.cell("Ben").click()
    window.page.get_by_role("button", name="Speak", exact=True).click()
    expect(window.page.get_by_role("tab", name="Speak")).to_have_attribute("aria-selected", "true")
    window.page.wait_for_function("studio.choice.known.voice === 'Ben' && studio.choice.known.engine === 'fake'")
    window.page.get_by_role("tab", name="Cache & models").click()
    patient_http.delete(f"{held.address}/v1/audio/voices/Ben")
    expect(window.cell("Ben")).to_have_count(0)


def test_five_parallel_speeches_of_an_uncached_voice_are_one_extraction(window, held):
    held.enroll("Eva")
    held.extracting = Gate()
    before = held.engine.extractions
    with ThreadPoolExecutor(5) as callers:
        asked = [callers.submit(held.speak, "Eva") for _ in range(5)]
        held.extracting.wait_for_arrival()
        window.expect_state("Eva", "learning")
        assert eventually(lambda: held.studio.stats().joined >= 4)
        held.extracting.open()
        outcomes = sorted(future.result() for future in asked)
    assert outcomes == ["joined"] * 4 + ["miss"]
    assert held.engine.extractions == before + 1
    window.expect_state("Eva", "memory")


def test_a_cell_is_reached_and_used_by_keyboard_alone(window, held):
    held.enroll("Fay")
    window.expect_state("Fay", "none")
    window.page.locator('#matrix [tabindex="0"]').focus()
    expect(window.page.locator("#matrix [tabindex='0']")).to_have_count(1)  # one stop; arrows go on from there
    for key, at in (("Control+Home", 0), ("ArrowRight", 1), ("ArrowRight", 1), ("Home", 0), ("End", 1), ("ArrowLeft", 0)):
        window.page.keyboard.press(key)
        expect(window.page.locator("#matrix tbody tr").first.locator(".cell").nth(at)).to_be_focused()
    while window.page.evaluate("document.activeElement.closest('tr').dataset.voice") != "Fay":
        window.page.keyboard.press("ArrowDown")
    expect(window.cell("Fay")).to_be_focused()
    window.page.keyboard.press("Enter")
    expect(window.page.locator("#cell-card")).to_be_visible()
    expect(window.page.get_by_role("button", name="Teach", exact=True)).to_be_focused()
    window.page.keyboard.press("Escape")
    expect(window.page.locator("#cell-card")).to_be_hidden()
    expect(window.cell("Fay")).to_be_focused()
    window.page.keyboard.press("Enter")
    expect(window.page.get_by_role("button", name="Teach", exact=True)).to_be_focused()
    window.page.keyboard.press("Enter")
    window.expect_state("Fay", "memory")
    expect(window.cell("Fay")).to_have_accessible_name(re.compile("^Fay, Fake: Ready"))


def test_a_name_of_markup_is_text_in_its_row_and_card(window, held):
    held.enroll("<img src=x onerror=alert(1)>")
    window.expect_state("<img src=x onerror=alert(1)>", "none")
    window.cell("<img src=x onerror=alert(1)>").click()
    expect(window.page.locator("#cell-card-title")).to_have_text("<img src=x onerror=alert(1)> for Fake")
    assert window.page.locator("#cache-section img").count() == 0


def test_an_engine_at_work_is_not_unloaded_and_the_line_says_so(window, held):
    held.enroll("Gil")
    held.extracting = Gate()
    window.expect_state("Gil", "none")
    window.act("Gil", "Teach")
    held.extracting.wait_for_arrival()
    window.card("fake").get_by_role("button", name="Unload").click()
    expect(window.page.locator("#engines-message")).to_contain_text("Fake is at work for somebody, so it stays loaded.")
    held.extracting.open()
    window.expect_state("Gil", "memory")
    window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    window.card("big").get_by_role("button", name="Load").click()
    expect(window.page.locator("#engines-message")).to_contain_text(re.compile("Big needs .+ of memory, and .+ are free."))
    window.page.get_by_role("button", name="Unload Fake and load").click()
    expect(window.card("fake").locator(".engine-state")).to_have_text("On disk.")
    expect(window.card("big").locator(".engine-state")).to_have_text("Failed.")
    window.card("big").locator(".engine-name").click()
    window.card("big").get_by_role("button", name="Copy report").click()
    expect(window.page.locator("#engines-message")).to_contain_text("The report is copied.")
    report = window.page.evaluate("navigator.clipboard.readText()")
    assert report.startswith("Engine: Big (big), failed\nReason: The graph did not fit.") and "Versions: studio" in report
    held.studio.load("fake")


def test_a_cell_goes_from_none_over_learning_to_memory_in_two_windows(window, other, held):
    held.enroll("Ana")
    for each in (window, other):
        each.expect_state("Ana", "none")
    held.extracting = Gate()
    window.act("Ana", "Teach")
    for each in (window, other):
        each.expect_state("Ana", "learning")
    held.extracting.open()
    for each in (window, other):
        each.expect_state("Ana", "memory")
        expect(each.cell("Ana")).to_have_text("Fake Ready 4 B")


def test_edited_words_make_a_cell_stale_in_every_window_and_extracting_again_mends_it(window, other, held):
    held.enroll("Edo", words="These words.")
    window.expect_state("Edo", "none")
    window.act("Edo", "Teach")
    for each in (window, other):
        each.expect_state("Edo", "memory")
    window.page.get_by_role("tab", name="Voices").click()
    window.page.get_by_role("button", name="Actions for Edo", exact=True).click()
    window.page.get_by_role("menuitem", name="Edit").click()
    window.page.locator("#voice-edit").get_by_label("What is said in the recording, word for word").fill("Other words.")
    window.page.get_by_role("button", name="Save").click()
    other.expect_state("Edo", "stale")
    window.page.get_by_role("tab", name="Cache & models").click()
    window.cell("Edo").click()
    expect(window.page.locator("#cell-card")).to_contain_text("It was learned with other words. Learn it again.")
    window.page.get_by_role("button", name="Learn again", exact=True).click()
    for each in (window, other):
        each.expect_state("Edo", "memory")


def test_what_is_evicted_is_gone_from_memory_and_disk_and_the_next_speech_is_cold(window, other, held):
    held.enroll("Cleo")
    held.speak("Cleo")
    window.expect_state("Cleo", "memory")
    window.act("Cleo", "Free memory")
    expect(window.page.locator("#strip")).to_contain_text("Cleo is out of memory. Fake reads it from disk")
    for each in (window, other):
        each.expect_state("Cleo", "disk")
    window.act("Cleo", "Forget")
    expect(window.page.locator("#strip")).to_contain_text("Fake has forgotten Cleo")
    for each in (window, other):
        each.expect_state("Cleo", "none")
    assert held.studio.store.prompt_files(held.studio.speaker("Cleo").generation) == ()
    assert held.speak("Cleo") == "miss"


def test_a_pin_is_seen_and_taken_back_and_extracting_again_keeps_it(window, other, held):
    held.enroll("Dan")
    held.speak("Dan")
    window.expect_state("Dan", "memory")
    window.act("Dan", "Keep in memory")
    expect(other.cell("Dan").locator(".icon")).to_be_visible()
    before = held.engine.extractions
    other.act("Dan", "Learn again")
    assert eventually(lambda: held.engine.extractions == before + 1)
    expect(window.cell("Dan").locator(".icon")).to_be_visible()
    for verb in ("Free memory", "Forget"):
        window.act("Dan", verb)
        window.answer("Keep it")
    expect(window.cell("Dan").locator(".icon")).to_be_visible()
    assert held.studio.store.prompt_files(held.studio.speaker("Dan").generation)
    window.act("Dan", "Free memory")
    window.answer("Free memory")
    window.expect_state("Dan", "disk")
    window.act("Dan", "Make ready")
    window.expect_state("Dan", "memory")
    window.act("Dan", "Keep in memory")
    window.act("Dan", "Unpin")
    expect(other.cell("Dan").locator(".icon")).to_have_count(0)


def test_weights_come_in_bytes_stop_resume_and_the_engine_loads_and_unloads(window, other, held):
    card, far = window.card("heavy"), other.card("heavy")
    held.enroll("Ivo")
    expect(window.cell("Ivo")).to_be_visible()
    expect(window.cell("Ivo", "heavy")).to_have_count(0)
    window.page.get_by_role("button", name="1 more").click()
    expect(window.page.get_by_role("heading", name="1 more engine")).to_be_focused()
    card.locator(".engine-name").press("Enter")
    expect(card).to_contain_text(f"{BOTH}, its makers forbid commercial use")
    expect(card).to_contain_text("more than 100,000 active users")
    expect(card.locator(".engine-offer .chip")).to_have_text("Non-commercial")
    assert [link.get_attribute("href") for link in card.locator(".engine-offer a").all()] == [LICENSE_URL, CODEC_URL]
    expect(card.locator("[data-name=machine] dd")).to_contain_text("Needs at least 10.0 kB of memory")
    expect(window.card("fake").locator(".engine-terms")).to_be_empty()
    held.piece = steps = StepGate()
    card.get_by_role("button", name="Get it").click()
    question = window.page.locator("dialog.question")
    expect(question).to_contain_text(f"forbid commercial use. Its weights are under {BOTH}. Do you accept all of that")
    for title, url in {"CC-BY-NC-4.0": LICENSE_URL, "Codec License": CODEC_URL}.items():
        expect(question.get_by_role("link", name=f"Read {title}")).to_have_attribute("href", url)
    expect(question).to_contain_text(re.compile("meant to earn money.*Codec License: whoever had more than 100,000 active users"))
    window.answer("Do not")
    expect(card).to_contain_text("Not installed.")
    card.get_by_role("button", name="Get it").click()
    window.answer("Accept and get it")
    seen = []
    for _ in range(3):
        expect(far).to_contain_text(f"Arriving. {size_words(1_000 * len(seen) * 2)} of 10.0 kB.")
        seen.append(far.locator("progress").evaluate("bar => bar.value"))
        steps.pass_one()
        steps.pass_one()
    assert seen == [0, 0.2, 0.4]
    assert steps.arrived.acquire(timeout=30)
    card.get_by_role("button", name="Pause").click()
    expect(window.page.locator("#engines-message")).to_contain_text("The download of Heavy pauses.")  # it has reached the studio
    steps.go.release()
    expect(far).to_contain_text("Paused. 6.0 kB of 10.0 kB.")
    steps.release()
    far.get_by_role("button", name="Go on").click()
    for each in (card, far):
        expect(each.locator(".engine-state")).to_have_text("On disk.")
    expect(window.cell("Ivo", "heavy")).to_have_attribute("data-state", "none")
    card.get_by_role("button", name="Load").click()
    for each in (card, far):
        expect(each.locator(".engine-state")).to_have_text("Loaded.")
        expect(each.locator(".engine-terms .attribution")).to_have_text("Built with Anvils")
    other.page.get_by_role("tab", name="Speak").click()
    expect(other.page.locator("#engine-attribution")).to_be_empty()
    other.page.locator("#engine").click()
    other.page.get_by_role("option", name="Heavy").click()
    expect(other.page.locator("#engine-attribution")).to_have_text("Built with Anvils")
    other.page.get_by_role("tab", name="Cache & models").click()
    card.get_by_role("button", name="Unload").click()
    for each in (card, far):
        expect(each.locator(".engine-state")).to_have_text("On disk.")
