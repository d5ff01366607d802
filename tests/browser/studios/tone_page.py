"""TonePage: a page of the studio of tone engines; the engine's pace and failures are fields on it."""

import base64
import io

import httpx
import numpy as np
import soundfile
from playwright.sync_api import expect

from tests.api.door import eventually
from tests.browser.driving.studio_page import PATIENCE_MILLISECONDS, StudioPage
from tests.stand_ins import patient_http

SAMPLE_RATE = 24_000
CHOSEN = "[studio.choice.known.voice, studio.choice.known.title]"
WINDOW = {"width": 1280, "height": 844}
AT_REST = "studioPlayer.stop(); studio.options.isSeedKept = true; studio.choice.say('')"
LOOK_SECONDS = 0.05  # between two questions: each costs the studio, which is to do what is waited for


def enroll_tone(address: str, name: str, hz: float, client: httpx.Client | None = None) -> None:
    """A voice that is a sine of `hz`; the tone engine sings it back, the octave engine twice as high. Nothing where it is there."""
    client = client or patient_http
    if name in client.get(f"{address}/v1/audio/voices").json()["voices"]:
        return
    file = io.BytesIO()
    seconds = np.arange(2 * SAMPLE_RATE) / SAMPLE_RATE
    soundfile.write(file, 0.3 * np.sin(2 * np.pi * hz * seconds), SAMPLE_RATE, format="WAV", subtype="PCM_16")
    answer = client.post(
        f"{address}/v1/audio/voices", data={"name": name, "consent": "none needed"}, files={"audio_sample": file.getvalue()}
    )
    assert answer.status_code == httpx.codes.OK, answer.text


def heard_hz(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> float:
    """The strongest line of samples (T,)."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 8 * len(samples)))
    return float(np.argmax(spectrum) * sample_rate / (8 * len(samples)))


def streaming(address: str) -> int:
    """Streams that an engine of the studio is busy with, or has waiting."""
    return sum(model["streaming"] + model["waiting"] for model in patient_http.get(f"{address}/v1/models").json()["data"])


def wait_for_silence(address: str) -> None:
    """Until no engine of the studio is busy."""
    is_silent = eventually(lambda: streaming(address) == 0, seconds=PATIENCE_MILLISECONDS / 1000, pause=LOOK_SECONDS)
    assert is_silent, f"{streaming(address)} streams go on"


class TonePage(StudioPage):
    """transport: "fetch" or "gradio"."""

    def __init__(self, page, url: str, transport: str = "fetch"):
        super().__init__(page, f"{url}/?transport={transport}")
        assert page.evaluate("studio.transport") == transport
        self._sample_text = page.get_by_label("Text", exact=True).input_value()

    def choose(self, voice: str | None = None, engine: str | None = None) -> None:
        """By the names in the lists; returns once the page knows the choice."""
        for picker, known, wanted in (("#engine", "title", engine), ("#voice", "voice", voice)):
            if wanted is None:
                continue
            self.page.click(picker)
            self.page.get_by_role("option").filter(has=self.page.get_by_text(wanted, exact=True)).first.click()
            self.page.wait_for_function("([known, name]) => studio.choice.known[known] === name", arg=[known, wanted])

    def set_pace(self, **options: float | str) -> None:
        """ttfp, rtf, level, fail_at, loop_at, hold_at, seed: fields of the tone engine."""
        self.show_options()
        for name, value in options.items():
            self.page.fill(f"#option-{name}", str(value))

    def settle(self, voice: str = "Ana", engine: str = "Tone") -> None:
        """As whoever comes first finds it: nothing sounds, is said, unfolded or changed. On that voice and engine."""
        if self.page.viewport_size != WINDOW:
            self.page.set_viewport_size(WINDOW)
        if self.page.get_by_role("tab", name="Speak", exact=True).get_attribute("aria-selected") != "true":
            self.open_tab("Speak")
        self.page.evaluate(AT_REST)
        for closing in ("#segments-close", '.player[data-unfolded="true"] #player-unfold'):
            if self.page.locator(closing).is_visible():
                self.page.click(closing)
        self.show_options()
        if self.page.locator("#options-reset").is_visible():
            self.page.click("#options-reset")  # which takes back what is said, as every button here does
        self.page.locator("#options-toggle").click()
        self.page.get_by_label("Text", exact=True).fill(self._sample_text)
        expect(self.page.locator("#speak-message .notice")).to_have_attribute("data-kind", "")
        expect(self.page.locator("#speak-button")).to_have_text("Speak")
        if self.page.evaluate(CHOSEN) != [voice, engine]:
            self.choose(voice, engine)

    def start(self, text: str) -> None:
        self.page.get_by_label("Text", exact=True).fill(text)
        self.page.click("#speak-button")

    def wait_for_state(self, *states: str) -> None:
        self.page.wait_for_function("states => states.includes(studioPlayer.state)", arg=list(states))

    def wait_for_all(self) -> None:
        """Until everything has arrived; it need not have been heard."""
        self.page.wait_for_function("studioPlayer.session?.complete")

    def samples(self) -> np.ndarray:
        """(T,) int16, everything that the player got."""
        script = """async () => {
          const bytes = new Uint8Array(await new Blob(studioPlayer.session.pieces).arrayBuffer());
          let text = "";
          for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
          return btoa(text);
        }"""
        return np.frombuffer(base64.b64decode(self.page.evaluate(script)), "<i2")

    def clipboard_after(self, selector: str = "", more: str = "") -> str:
        """What a press of the button, or of an item of the menu beside Speak, puts into the clipboard."""
        self.page.evaluate("navigator.clipboard.writeText('')")
        if more:
            self.press_more(more)
        else:
            self.page.click(selector)
        self.page.wait_for_function("async () => (await navigator.clipboard.readText()) !== ''")
        return self.page.evaluate("navigator.clipboard.readText()")

    def expect_complaint(self, words: str) -> None:
        expect(self.page.locator("#speak-message .notice")).to_contain_text(words)
