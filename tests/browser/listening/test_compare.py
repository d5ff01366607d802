"""Compare: lanes are spoken, and switched while they are heard, at the same place and as loud as each other."""

import json

import numpy as np
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, Route, expect

from tests.browser.studios.seen_part import OPTIONS, show
from tests.browser.studios.tone_page import TonePage, enroll_tone

pytestmark = pytest.mark.browser

TEXT = "A text that is long enough to switch in it."
LONG_TEXT = " ".join([TEXT] * 3)  # where somebody may be late by five seconds
ANA_HZ = 330.0
LANES = [{"voice": "Ana", "engine": "tone"}, {"voice": "Ana", "engine": "octave", "options": {"speed": 2.0, "level": 0.05, "ttfp": 0.0}}]
ESTIMATES = {"word_errors": 0, "n_words": 10, "heard": "a text", "dnsmos": {"overall": 3.5}, "distillmos": None, "lacking": {}}
FADE_SECONDS = 0.005
BLOCK_SECONDS = 0.003  # of the audio thread, at most
SILENT = 0.002
N_BLOCKS = 20  # of sound, beyond those in which it fades in
# Between the page and the loudspeaker: of every block of the audio thread its time, its length, its level and how often it crosses zero.
TAP = """() => {
  window.tapped = [];
  const code = `registerProcessor("ear", class extends AudioWorkletProcessor {
    process([[samples]], [[output]]) {
      if (!samples) return true;
      output.set(samples);
      const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
      const crossings = samples.filter((sample, at) => at && sample * samples[at - 1] < 0).length;
      this.port.postMessage([currentTime, samples.length / sampleRate, level, crossings]);
      return true;
    }
  });`;
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { connect } = AudioNode.prototype;
  const ears = new WeakMap();
  AudioNode.prototype.connect = function (to, ...more) {
    if (!(to instanceof AudioDestinationNode)) return connect.call(this, to, ...more);
    const ear = ears.get(to.context);
    if (ear) return connect.call(this, ear);
    to.context.audioWorklet.addModule(address).then(() => {
      const made = new AudioWorkletNode(to.context, "ear");
      made.port.onmessage = ({ data }) => tapped.push(data);
      connect.call(made, to);
      ears.set(to.context, made);
      window.isTapped = true;
    });
    return connect.call(this, to, ...more);
  };
}"""
STATE = """(({ lanes, player }) => ({ playing: lanes.findIndex(({ id }) => id === player.playing), at: player.position }))
  (studio.comparison)"""


class ComparePage(TonePage):
    """Compare, whose lanes are what a program would estimate of them."""

    def __init__(self, page: Page, url: str):
        page.add_init_script(f"({TAP})()")
        page.route("**/component_server/", self._answer)
        self._likeness = iter((0.6, 0.9, 0.8, 0.8, 0.8))
        super().__init__(page, url)
        self.open_tab("Compare")
        page.wait_for_function("studio.comparison?.lanes.length === 2")

    def _answer(self, route: Route) -> None:
        """What the ears say does not depend on what is installed here."""
        function = json.loads(route.request.post_data or "{}").get("fn_name")
        if function == "lane_choices":
            route.fulfill(json=route.fetch().json() | {"missing": {}})
        elif function == "measure_lane":
            route.fulfill(json={"estimates": ESTIMATES | {"likeness": next(self._likeness)}})
        else:
            route.fallback()

    def press(self, key: str) -> None:
        self.page.locator("#compare-title").click()  # nobody types
        self.page.keyboard.press(key)

    def wait_until(self, claim: str) -> None:
        """claim: of {playing, at}: the place of the lane that sounds, -1 for none, and the share of its length."""
        self.page.wait_for_function(f"() => {{ const {{ playing, at }} = {STATE}; return {claim}; }}")

    def heard(self) -> np.ndarray:
        """(blocks, 4): time, seconds, level, Hz; since it was asked last."""
        blocks = np.array(self.page.evaluate("tapped.splice(0)"))
        return np.column_stack([blocks[:, :3], blocks[:, 3] / blocks[:, 1] / 2])

    def wrong(self, scheme: str) -> list[str]:
        show(self.page, self.page.viewport_size["width"], scheme)
        return [found["id"] for found in self.page.evaluate("options => axe.run(options)", OPTIONS)["violations"]]


@pytest.fixture
def compare(visit, tone_address) -> ComparePage:
    enroll_tone(tone_address, "Ana", ANA_HZ)
    return ComparePage(visit(), tone_address)


def test_lanes_are_switched_while_they_are_heard_at_the_same_place_and_as_loud_as_each_other(compare):
    page = compare.page
    page.evaluate("asked => studio.comparison.open(asked)", {"text": LONG_TEXT, "lanes": LANES})
    page.click("#compare-speak")
    page.wait_for_function("studio.comparison.lanes.every(({ isHeard }) => isHeard) && !studio.comparison.isSpeaking")
    expect(page.locator("#compare-speak")).to_have_text("Speak all")
    seconds = page.evaluate("studio.comparison.lanes.map(({ seconds }) => seconds)")
    assert seconds[0] == pytest.approx(2 * seconds[1], rel=0.02)
    expect(page.locator(".lane-who .note").nth(1)).to_have_text("Octave · Level 0.05 · Speed 2")  # not what is as the engine has it
    _expect_figures(page)
    compare.press("1")  # the first sound of a context opens the tap
    page.wait_for_function("window.isTapped")
    compare.press("Escape")
    compare.wait_until("playing === -1 && at === 0")
    page.evaluate("tapped.splice(0)")

    compare.press("1")
    compare.wait_until("playing === 0 && at > 0.15")
    compare.press("2")
    expect(page.locator('.lane[aria-current="true"] .letter')).to_have_text("B")
    compare.wait_until("playing === -1")
    _expect_one_switch(compare.heard(), seconds)

    page.check("#compare-repeat")  # so that nothing here is a matter of time
    compare.press("1")
    compare.wait_until("playing === 0 && at > 0.15")
    page.wait_for_function(f"tapped.filter((block) => block[2] > {SILENT}).length > {N_BLOCKS}")  # what is played is tapped a little later
    as_quiet = compare.heard()[:, 2]
    page.uncheck("#compare-loudness")
    compare.wait_until("at > 0.7")
    compare.wait_until("at < 0.5")
    compare.press(" ")
    compare.wait_until("playing === -1 && at > 0.2")
    assert compare.heard()[:, 2].max() > 3 * np.median(as_quiet[as_quiet > SILENT])  # as loud as the quiet one before, as it is then


def _expect_figures(page: Page) -> None:
    expect(page.locator("#compare-status")).to_have_text("2 of 2 lanes are spoken")
    expect(page.locator("#compare-table tbody tr").nth(1).locator('[data-key="likeness"] b')).to_have_text("0.90")
    cells = {name: page.locator(f'#compare-table [data-key="{name}"]') for name in ("words", "quality", "firstSound", "loudness")}
    expect(cells["words"]).to_have_text(["0 of 10"] * 2)
    expect(cells["quality"].locator("b")).to_have_count(0)  # their difference says nothing
    expect(cells["firstSound"].first).to_contain_text("ms")
    expect(page.locator("#compare-table thead")).to_contain_text("estimate")
    expect(page.locator(".lane-time").first).to_contain_text("ms")


def _expect_one_switch(heard: np.ndarray, seconds: list[float]) -> None:
    """From Ana's pitch to its octave, without a gap, at the same share of the length, and as loud."""
    begin, end = np.flatnonzero(heard[:, 2] > SILENT)[[0, -1]]
    sound = heard[begin : end + 1]
    switch = begin + int(np.argmax(sound[:, 3] > 1.5 * ANA_HZ))
    times = heard[:, 0]
    share = (times[switch] - times[begin]) / seconds[0]
    rest = times[end] + heard[end, 1] - times[switch]
    assert rest / seconds[1] == pytest.approx(1 - share, abs=0.03)
    around = heard[switch - 4 : switch + 4, 2]
    assert around.min() > SILENT
    before, after = np.median(heard[begin + 9 : switch - 4, 2]), np.median(heard[switch + 5 : end - 4, 2])
    changing = np.flatnonzero(np.abs(sound[:, 2] / before - 1) > 0.2)
    inner = changing[(changing > 3) & (changing < len(sound) - 4)]
    assert not len(inner) or np.ptp(times[begin + inner]) <= FADE_SECONDS + 2 * BLOCK_SECONDS
    assert after == pytest.approx(before, rel=0.12)


def test_one_thing_sounds_and_a_comparison_becomes_a_blind_test(compare):
    page = compare.page
    compare.open_tab("Voices")
    page.locator('[data-voice="Ana"] [data-act="menu"]').click()
    page.click('.menu [data-act="compare"]')
    compare.expect_tab("Compare")
    expect(page.locator(".lane-who .strong")).to_have_text(["Ana", "Ana"])
    page.click("#compare-add")
    page.select_option("#compare-lane [name=voice]", "Ana")
    page.get_by_role("button", name="Done").click()
    page.fill("#compare-text", TEXT)
    page.click("#compare-speak")
    page.wait_for_function("studio.comparison.lanes.every(({ isHeard }) => isHeard) && !studio.comparison.isSpeaking")
    expect(page.locator("#compare-add")).to_be_enabled()
    page.check("#compare-blind")
    shown = page.locator("section.compare").evaluate("element => element.outerHTML")
    assert not [name for name in ("Ana", "Tone", "tone") if name in shown]
    page.get_by_role("button", name="No difference").click()
    expect(page.locator(".lane-who .strong")).to_have_text(["Ana"] * 3)
    compare.press("3")
    compare.wait_until("playing === 2 && at > 0")
    page.evaluate("studio.speaking.press()")
    page.wait_for_function("studioPlayer.state === 'playing'")
    compare.wait_until("playing === -1 && at > 0")
    page.locator('.lane[data-lane="B"] .letter').click()
    compare.wait_until("playing === 1")
    assert page.evaluate("studioPlayer.state") == "stopped"
    compare.press(" ")

    page.evaluate(AXE_SCRIPT)
    assert [compare.wrong(scheme) for scheme in ("light", "dark")] == [[], []]
    page.set_viewport_size({"width": 390, "height": 844})
    page.check("#compare-spectrograms")
    page.check("#compare-repeat")
    compare.expect_no_sideways_scroll()
    assert compare.wrong("dark") == []
    page.locator('.lane[data-lane="C"] [aria-haspopup]').click()
    page.click('.menu [data-act="remove"]')
    expect(page.locator(".lane")).to_have_count(2)
    page.click("#compare-test")
    expect(page.locator("#builder-name")).to_have_value("Comparison")
