"""The page of a listening test, in a studio that asks everybody else for a key: walks through whole tests, as people take them."""

import re
from contextlib import contextmanager

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, Page, expect

from studio.service import Studio
from studio.settings import Settings
from tests.browser.conftest import KEY, SHARED
from tests.browser.driving.complaints import hear_strangers
from tests.browser.studios.opened_tests import link_of, opened_test, plan_for
from tests.browser.studios.prefix_proxy import prefix_proxy
from tests.browser.studios.seen_part import OPTIONS
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import INFO, FakeEngine

pytestmark = pytest.mark.browser

SECONDS = 0.3  # of each sound
HURRY = """() => {
  window.startAsWritten ??= AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (...when) { this.playbackRate.value = 20; startAsWritten.apply(this, when); };
}"""
NO_HURRY = "() => { AudioBufferSourceNode.prototype.start = startAsWritten; }"
NO_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('none here', 'SecurityError'); } });"
# In one go, since a sound is short.
PLAY_AND_PAUSE = "() => ['x', ' '].forEach((key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))"
ANNOUNCED = """() => {
  window.announced = [];
  new MutationObserver(() => announced.push(said.textContent)).observe(said, { childList: true, characterData: true, subtree: true });
}"""


@contextmanager
def locked_studio(folder):
    settings = Settings(speakers_dir=folder, default_engine="fake", api_keys=(KEY,))
    studio = Studio(settings, infos={"fake": INFO}, open_engine=lambda name: FakeEngine())
    try:
        with served_page(studio) as address:
            yield studio, address
    finally:
        studio.close()


@pytest.fixture
def served(chromium_path, tmp_path_factory):
    """(studio, address)"""
    return SHARED.get("listeners", lambda: locked_studio(tmp_path_factory.mktemp("listeners")))


class Listener:
    """Somebody at the page. Each screen is looked at by axe, once; what it finds is in `wrong`."""

    def __init__(self, page: Page, link: str, complain):
        self.page, self.wrong, self._looked_at = page, [], set()
        hear_strangers(page, link, complain)
        page.goto(link)

    def button(self, name: str | re.Pattern) -> Locator:
        return self.page.get_by_role("button", name=name, exact=isinstance(name, str))

    def sees(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", level=1, name=heading)).to_be_focused()
        if heading not in self._looked_at:
            self.look(heading)
        self._looked_at.add(heading)

    def look(self, state: str) -> None:
        if not self.page.evaluate("Boolean(window.axe)"):
            self.page.evaluate(AXE_SCRIPT)
        for found in self.page.evaluate("options => axe.run(options)", OPTIONS)["violations"]:
            self.wrong.append(f"{state}: {found['id']}: {[node['target'] for node in found['nodes'][:3]]}")
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{state}: wider than the screen"

    def set_volume(self) -> None:
        expect(self.button("The volume is right")).to_be_disabled()
        self.button("Play").click()
        self.button("The volume is right").click()

    def say_where(self) -> None:
        self.page.get_by_label("Headphones").check()
        self.page.get_by_label("Quiet").check()
        self.button("Begin").click()
        self.sees("Your code")
        self.button("Go on").click()

    def come_in(self) -> None:
        """To the first question of a test without a headphone check."""
        self.button("I agree").click()
        self.set_volume()
        self.say_where()


@pytest.fixture
def come(visit, complaints):
    """come(link, **context options) -> Listener"""
    return lambda link, **options: Listener(visit(reduced_motion="reduce", **options), link, complaints.append)


def kept(studio: Studio, test: str) -> list:
    """The answers so far, of the last who came."""
    [*_, (_, answers)] = studio.listening._sessions.all(test)
    return list(answers)


def test_abx_by_keyboard_from_the_invitation_to_the_thanks(come, served):
    studio, address = served
    test = opened_test(studio.listening, plan_for("abx", 1, traps=1), SECONDS)
    link = link_of(studio.listening, test)
    listener = come(f"{address}/listen/{link}", color_scheme="light")
    page, press = listener.page, listener.page.keyboard.press
    listener.sees("Welcome to a listening test")
    expect(page.locator("#screen")).to_contain_text("kept without your name")
    press("Tab")
    press("Enter")
    listener.sees("Set the volume")
    listener.set_volume()
    page.evaluate(HURRY)
    listener.sees("Headphone check, 1 of 3")
    for n in range(3):
        expect(page.get_by_role("heading", name=f"Headphone check, {n + 1} of 3")).to_be_focused()
        expect(listener.button("Tone 1")).to_be_disabled()
        listener.button("Play the tones").press("Enter")
        expect(listener.button("Tone 1")).to_be_enabled()
        listener.button("Tone 1").press("Enter")
    page.evaluate(NO_HURRY)
    if listener.button("Try again").count():  # three lucky guesses are rare, and fine
        listener.sees("This sounds like loudspeakers")
        listener.button("Go on").press("Enter")
    listener.sees("How do you listen?")
    listener.say_where()
    page.evaluate(ANNOUNCED)
    for number in range(3):
        listener.sees("Is X the same as A, or as B?")
        expect(page.locator("#way-words")).to_contain_text("Practice" if number == 0 else f"{number} of 2, about ")
        expect(page.get_by_text("Listen to each of them first.")).to_be_visible()
        press("1")  # not heard yet: it does not count
        for label in "AXB":
            press(label)
            expect(listener.button(re.compile(f"^{label} heard$"))).to_be_visible()
        page.evaluate(PLAY_AND_PAUSE)
        expect(listener.button("X heard twice")).to_have_attribute("aria-pressed", "false")
        press("Space")  # goes on
        expect(page.get_by_role("button", pressed=True)).to_have_count(0)
        asked = page.get_by_text("Attention check")
        answer = asked.inner_text() if asked.count() else "X is B"
        press("1" if "X is A" in answer else "2")
    listener.sees("Thank you")
    expect(page.get_by_text("All your answers have arrived.")).to_be_visible()
    assert page.evaluate("announced.filter((words) => words === 'All heard. You can answer now.').length") >= 1
    assert listener.wrong == []
    [first, *others] = kept(studio, test)
    assert (first.trial, first.plays) == (1, {"A": 1, "X": 2, "B": 1}) and len(others) == 2
    assert first.heard_seconds["X"] > 1.6 * SECONDS  # the second time, too
    assert all(seconds >= 0.8 * SECONDS for seconds in first.heard_seconds.values())
    page.reload()  # what is done stays done
    listener.sees("Thank you")


def test_mushra_by_mouse_below_a_proxys_path_and_no_further_on_a_narrow_screen(come, served):
    studio, address = served
    plan = plan_for("mushra", 1, anchors=["lowpass-3.5"], training=False, headphones=False, comments=True)
    test = opened_test(studio.listening, plan, SECONDS)
    link = link_of(studio.listening, test)
    with prefix_proxy(address, "/studio") as shown:
        listener = come(f"{shown}/listen/{link}", width=700, color_scheme="dark")
        page = listener.page
        expect(page.get_by_role("heading", name="This test wants a wider screen")).to_be_visible()
        assert page.get_by_label("Link").input_value() == f"{shown}/listen/{link}"
        listener.look("narrow")
        page.set_viewport_size({"width": 1280, "height": 800})
        listener.come_in()
        _rate_four(listener)
        page.get_by_label("Comment").fill("3 hums")
        page.set_viewport_size({"width": 700, "height": 800})
        assert re.search(r"#.{20,}$", page.get_by_label("Link").input_value())  # the place is kept
        page.set_viewport_size({"width": 800, "height": 800})
        listener.look("four faders on a tablet")
        listener.button("Next").click()
        listener.sees("Thank you")
        expect(page.get_by_text("All your answers have arrived.")).to_be_visible()
    assert listener.wrong == []
    [answer] = kept(studio, test)
    assert answer.value == {"1": 100, "2": 51, "3": 20, "4": 70} and answer.comment == "3 hums" and answer.plays["R"] >= 1


def _rate_four(listener: Listener) -> None:
    page = listener.page
    listener.sees("How close is each one to the reference?")
    faders = page.get_by_role("slider")
    expect(faders).to_have_count(4)
    expect(page.get_by_text("The reference is not heard yet")).to_be_visible()
    expect(faders.first).to_have_attribute("aria-valuetext", "no score yet")
    faders.first.click(position={"x": 20, "y": 50}, force=True)  # not heard: it does not move
    expect(page.locator(".knob").first).to_have_text("–")
    listener.button("Reference").click()
    expect(page.get_by_text("1 is not heard yet")).to_be_visible()
    for label in "1234":
        expect(page.get_by_role("button", pressed=True)).to_have_count(0)  # or the next begins near its end
        page.keyboard.press(label)
        expect(faders.nth(int(label) - 1)).to_have_attribute("aria-disabled", "false")
    expect(page.get_by_text("1 has no score yet")).to_be_visible()
    faders.nth(0).focus()
    page.keyboard.press("End")
    page.keyboard.press("2")
    page.locator("#screen h1").click()
    page.keyboard.press("ArrowUp")  # of what is heard
    box = faders.nth(2).bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, box["y"] + 10 + 0.8 * 280)
    page.mouse.up()
    expect(faders.nth(2)).to_have_attribute("aria-valuetext", "20, Poor")
    faders.nth(3).focus()
    for key in ("PageUp", "PageUp"):
        page.keyboard.press(key)
    listener.button("Repeat a part").click()
    listener.button("Repeat up to here").click()
    listener.look("four faders")


def test_smos_by_touch_off_and_on_the_line_and_on_elsewhere_by_the_link(come, served, complaints):
    studio, address = served
    test = opened_test(studio.listening, plan_for("smos", 2, headphones=False, training=False), SECONDS)
    link = link_of(studio.listening, test)
    listener = come(f"{address}/listen/{link}", width=390, color_scheme="dark", has_touch=True)
    listener.come_in()
    _judge_speaker(listener, "Surely the same")
    listener.sees("Does the same person speak in A as in R?")
    expect(listener.page.locator("#way-words")).to_contain_text("2 of 4")
    listener.page.wait_for_load_state("networkidle")
    listener.page.context.set_offline(True)
    _judge_speaker(listener, "Perhaps another")
    expect(listener.page.get_by_text("No connection. Your answer is kept in this browser")).to_be_visible()
    listener.look("offline")
    listener.page.context.set_offline(False)
    expect(listener.page.get_by_text("No connection.")).to_be_hidden()
    assert [answer.value for answer in kept(studio, test)] == [5, 2]
    listener.button("Pause").tap()
    listener.sees("Paused")
    link = listener.page.get_by_label("Link").input_value()
    elsewhere = come(link, color_scheme="light", is_new=True)
    elsewhere.page.add_init_script(NO_STORAGE)
    elsewhere.page.goto("about:blank")
    elsewhere.page.goto(link)
    elsewhere.sees("Welcome back")
    assert elsewhere.page.url == link  # where the browser keeps nothing, the address does
    elsewhere.set_volume()
    _judge_speaker(elsewhere, "Cannot tell")
    expect(elsewhere.page.locator("#way-words")).to_contain_text("4 of 4")
    _judge_speaker(elsewhere, "Surely another")
    elsewhere.sees("Thank you")
    listener.button("Go on").tap()  # answered there meanwhile: what is refused here shows the way on
    _judge_speaker(listener, "Perhaps the same")
    listener.sees("Thank you")
    assert [answer.value for answer in kept(studio, test)] == [5, 2, 3, 1]
    assert listener.wrong + elsewhere.wrong == []
    complaints[:] = [said for said in complaints if "ERR_INTERNET_DISCONNECTED" not in said and "400" not in said]


def _judge_speaker(listener: Listener, answer: str) -> None:
    for label in "RA":
        pad = listener.button(re.compile(f"^{label} "))
        pad.click()
        expect(pad).to_contain_text("heard")
    expect(listener.button(answer)).to_be_enabled()
    listener.button(answer).click()


def test_who_comes_too_early_too_late_or_to_nothing_is_told_so(come, served, complaints):
    studio, address = served
    draft = studio.listening.create(plan_for("mos")).link
    listener = come(f"{address}/listen/{draft}?lang=en")
    listener.sees("This test has not begun")
    closed = opened_test(studio.listening, plan_for("mos"), SECONDS)
    studio.listening.close_test(closed)
    for link, heading in ((link_of(studio.listening, closed), "This test is closed"), ("nothing", "There is no such test")):
        listener.page.goto(f"{address}/listen/{link}")
        listener.sees(heading)
    listener.page.goto(f"{address}/listen/nothing?lang=de")
    expect(listener.page.get_by_role("heading", name="Diesen Test gibt es nicht")).to_be_visible()
    assert listener.wrong == []
    complaints[:] = [said for said in complaints if "404" not in said]
