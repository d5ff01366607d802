"""StudioPage: what a person does on the page, by the ids that studio/ui/README.md lists."""

import base64
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

# Figures of the newest run, as the page has them; None where there are none.
NEWEST_RUN = """() => {
  const { voice, engineTitle: engine, start, facts, session } = studio.runs.newest;
  const { firstSoundMilliseconds: sound, seconds, stopped, underruns } = session ?? {};
  const { cache, ttfpMilliseconds: ttfp, stages } = facts ?? {};
  const learning = stages?.get("prompt")?.milliseconds;
  const figures = { voice, engine, start, cache, ttfp, learning, sound, seconds, stopped, underruns };
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value ?? null]));
}"""
NEWEST_ID = "studio.runs.newest?.id ?? ''"
TABS = ("Speak", "Voices", "Create voice", "Compare", "Listening tests", "Cache & models", "History", "API")  # as they stand in the head
PATIENCE_MILLISECONDS = 120_000  # until a claim is false: nothing here is a matter of time, and a machine may be busy
# `ear` has every session of which something audible has left the player: RMS of 2048 samples, full scale 1. A short one may be over before
# anybody asks for it.
EAR = """(() => {
  window.ear ??= new WeakSet();
  const listen = ({ session, heardSeconds }) => session && heardSeconds > 0.1 && studioPlayer.tap().rms > 0.01 && ear.add(session);
  setInterval(() => window.studioPlayer?.state === "playing" && listen(studioPlayer), 20);
})()"""
# As the buttons "Start again" and "Another voice" do, and what they leave.
BEGIN_VOICE = """async () => {
  const { creating } = studio;
  studioPlayer.stop();
  creating._another();
  creating._learn.rows._rows.clear();
  await creating._showEngines();
  for (const fold of document.querySelectorAll("#create-section details[open]")) fold.open = false;
  document.querySelector('[role="tab"][aria-selected="true"]').focus();
}"""
# What the Tab key stops at.
STOPS = ":is(a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0'])"


class StudioPage:
    """A page that is loaded and filled, and shows Speak, when this returns; is_filled=False: a tab that is not there yet."""

    def __init__(self, page: Page, url: str, *, is_filled: bool = True):
        self.page = page
        self._is_filled = is_filled
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.add_init_script(EAR)
        if is_filled:
            self._visit(url)

    def _visit(self, url: str) -> None:
        page = self.page
        page.goto(url)
        page.wait_for_function("window.studio?.firstRoom && studio.speaking && studio.choice.known.engine")
        self.open_tab("Speak")

    def open_tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()
        self.expect_tab(name)

    def expect_tab(self, name: str) -> None:
        """It is chosen, and what it shows is there, which Gradio makes only then: on a page that is filled, something to press."""
        expect(self.page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
        panel = self.page.get_by_role("tabpanel", name=name, exact=True)
        if self._is_filled:
            expect(panel.locator(STOPS).filter(visible=True).first).to_be_visible()
        else:
            expect(panel.locator(".block *").first).to_be_attached()

    def text(self, selector: str) -> str:
        """Words as they are shown."""
        return self.page.locator(selector).inner_text()

    def record(self, seconds: float) -> None:
        self.open_tab("Create voice")
        self.page.click("#clip-toggle")
        self.page.wait_for_function("seconds => parseFloat(document.querySelector('#clip-seconds').textContent) >= seconds", arg=seconds)
        self.page.click("#clip-toggle")
        expect(self.page.locator("#clip-toggle")).to_have_attribute("aria-pressed", "false")

    def open_step(self, name: str) -> None:
        """Of Create voice: clip, check, transcript, consent or extract."""
        self.page.click(f"#step-{name}")
        expect(self.page.locator(f"#panel-{name}")).to_be_visible()

    def begin_voice(self) -> None:
        """Create voice as whoever comes first finds it: without a clip and words, nothing ticked but what always is, nothing unfolded."""
        self.page.keyboard.press("Escape")
        self.open_tab("Create voice")
        self.page.evaluate(BEGIN_VOICE)
        expect(self.page.locator("#clip")).to_have_attribute("data-state", "empty")
        expect(self.page.locator("#create-message .notice")).to_have_attribute("data-kind", "")

    def wait_for_report(self) -> None:
        """Until the server has looked at the region as it is now."""
        self.page.wait_for_function("studio.creating?.isChecked")

    def fill_draft(self, name: str) -> None:
        self.open_step("consent")
        self.page.fill("#voice-name", name)
        self.page.get_by_label("Public domain or licensed").check()
        self.page.fill("#consent-who", "the demo speaker, whom nobody is")

    def create(self) -> str:
        """Presses Create; what the page and the engines' rows say then."""
        self.wait_for_report()
        self.open_step("extract")
        self.page.click("#create-button")
        line = self.page.locator("#create-message .notice")
        expect(line).to_have_attribute("data-kind", "done")
        return f"{line.inner_text()} {self.text('#extract-rows')}"

    def speak(self, text: str | None = None, more: str = "") -> dict[str, object]:
        """One run to its end; its figures. more: an item of the menu beside Speak, in place of the button."""
        if text is not None:
            self.page.get_by_role("textbox", name="Text", exact=True).fill(text)
        before = self.page.evaluate(NEWEST_ID)
        if more:
            self.press_more(more)
        else:
            self.page.click("#speak-button")
        self.page.wait_for_function(f"before => ({NEWEST_ID}) !== before", arg=before)
        self.page.wait_for_function("studioPlayer.state === 'ended'")
        return self.newest_run()

    def press_more(self, item: str) -> None:
        """In the menu beside Speak: cold, compare, parts, say_as, dictionary, curl, python or forget."""
        self.page.click("#speak-more")
        self.page.click(f'.menu [data-act="{item}"]')

    def wait_to_stop(self) -> None:
        """Until a press of the button is one of Stop: a second one soon after Speak is not."""
        self.page.wait_for_function("performance.now() - studio.speaking.pressedAt >= 400")

    def newest_run(self) -> dict[str, object]:
        return self.page.evaluate(NEWEST_RUN)

    def show_options(self) -> None:
        """All options of the engine, unfolded."""
        if self.page.locator("#options").is_hidden():
            self.page.click("#options-toggle")
        fold = self.page.locator("#options .fold")
        if fold.is_visible():
            fold.evaluate("fold => { fold.open = true; }")

    def wait_for_sound(self) -> None:
        """Until something audible has left the player, of what is in it now."""
        self.page.wait_for_function("ear.has(studioPlayer.session)")

    def unfold_player(self) -> None:
        """Until it is shown whole."""
        if self.page.locator(".player").get_attribute("data-unfolded") != "true":
            self.page.click("#player-unfold")

    def download(self, format: str, path: Path) -> str:
        """What was heard, as a file; the name that the browser would give it."""
        self.unfold_player()
        self.page.click("#player-download")
        with self.page.expect_download() as started:
            self.page.locator(".menu").get_by_role("menuitem", name=format).click()
        started.value.save_as(path)
        return started.value.suggested_filename

    def recorded(self) -> tuple[np.ndarray, int]:
        """The recorder's clip: (T,) float64 in [-1, 1], and its rate in Hz."""
        script = """async () => {
          const { pieces, sampleRate } = studio.recorder.clip;
          const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
          let text = "";
          for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
          return [btoa(text), sampleRate];
        }"""
        encoded, sample_rate = self.page.evaluate(script)
        return np.frombuffer(base64.b64decode(encoded), "<i2") / 32768, sample_rate

    def expect_no_sideways_scroll(self) -> None:
        """Once everything has followed the window's width."""
        self.page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=self.page.viewport_size["width"])

    def photograph(self, path: Path) -> None:
        """The whole page, with the player at its place in the window."""
        self.page.screenshot(path=path)
