"""Claims about saying it oneself: a recording is said again in the chosen voice, nothing loses it, its limits are told."""

import io
import shutil
import subprocess

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Page, expect

from tests.browser.conftest import DEMO
from tests.browser.studios.tone_page import SAMPLE_RATE, TonePage, enroll_tone, heard_hz

pytestmark = pytest.mark.browser

HZ = {"Ana": 300, "Ben": 200}  # the octave engine sings twice as high
RECORDED = "seconds => parseFloat(document.querySelector('#said-seconds').textContent) >= seconds"
NOTHING_SAID = """() => {
  const { saying } = studio.composer;
  studioPlayer.stop();
  saying.recorder?.clear();
  saying.turn(false);
  saying._told = "";
}"""
DRAFT = "studio.composer.saying.kept.draft"


@pytest.fixture
def saying_page(kept_pages, tone_address) -> TonePage:
    """On which nobody has recorded, on a page that these tests share."""
    for name, hz in HZ.items():
        enroll_tone(tone_address, name, hz)
    page = kept_pages.get("saying", tone_address, lambda page: opened(page, tone_address))
    page.page.evaluate(NOTHING_SAID)
    page.settle(engine="Octave")
    return page


def opened(page: Page, address: str) -> TonePage:
    page.context.grant_permissions(["microphone", "clipboard-read", "clipboard-write"])
    return TonePage(page, address)


def speak(page: TonePage) -> dict:
    """Press Speak; the figures of the run once it has come whole."""
    before = page.page.evaluate("studio.runs.newest?.id ?? ''")
    page.page.click("#speak-button")
    page.page.wait_for_function("before => studio.runs.newest?.id !== before", arg=before or "")
    page.wait_for_all()
    figures = page.newest_run()
    page.page.keyboard.press("Escape")
    return figures


def sung(page: TonePage) -> float:
    return heard_hz(page.samples()[:SAMPLE_RATE])


def upload(page: TonePage, seconds: float) -> None:
    file = io.BytesIO()
    soundfile.write(file, 0.3 * np.sin(np.arange(int(seconds * 8000)) * 0.3), 8000, format="WAV", subtype="PCM_16")
    page.page.set_input_files("#said-file", {"name": f"{seconds} s.wav", "mimeType": "audio/wav", "buffer": file.getvalue()})
    page.page.wait_for_function("name => studio.composer.saying.recorder.clip?.file.name === name", arg=f"{seconds} s.wav")
    page.page.wait_for_function(DRAFT)


def test_a_recording_is_said_in_one_voice_and_then_another_and_nothing_loses_it(saying_page, tmp_path):
    page = saying_page.page
    saying_page.choose("Ana", "Octave")
    page.click("#way-say")
    expect(page.locator("#text")).to_be_hidden()
    page.keyboard.press("r")
    page.wait_for_function(RECORDED, arg=1.2)
    expect(page.locator("#said-level")).not_to_be_empty()
    page.keyboard.press("Control+Enter")  # ends the recording, and has it said
    saying_page.wait_for_state("playing", "ended")
    saying_page.wait_for_all()
    first, recorded = saying_page.newest_run(), page.evaluate("studio.composer.saying.recorder.clip.seconds")
    assert sung(saying_page) == pytest.approx(600, abs=3) and first["seconds"] == pytest.approx(recorded, abs=0.01)
    assert (first["voice"], first["engine"]) == ("Ana", "Octave") and first["ttfp"] > 0 and first["sound"] >= first["ttfp"]
    expect(page.locator(".result-lines > .ttfp")).to_contain_text("to first sound")
    expect(page.locator("#takes-list .take-text").first).to_contain_text("A recording of")

    page.keyboard.press("Escape")
    saying_page.choose("Ben")  # and one press
    assert speak(saying_page)["voice"] == "Ben" and sung(saying_page) == pytest.approx(400, abs=3)

    command = saying_page.clipboard_after(more="curl")
    shutil.copy(DEMO, tmp_path / "recording.wav")
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True, timeout=60)
    copied, rate = soundfile.read(tmp_path / "speech.wav")
    assert heard_hz(copied[:rate], rate) == pytest.approx(400, abs=3)

    saying_page.set_pace(fail_at=0)
    page.click("#speak-button")
    saying_page.expect_complaint("The tone engine was told to fail.")
    saying_page.set_pace(fail_at="")
    page.evaluate(f"studio.choice.ask('drop_clip', {{ draft: {DRAFT} }})")  # as the studio does after an hour
    assert speak(saying_page)["seconds"] == pytest.approx(recorded, abs=0.01)

    page.reload()
    page.wait_for_function("window.studio?.composer?.saying.recorder?.clip")
    expect(page.locator("#way-say")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#said-play")).to_be_enabled()
    assert speak(saying_page)["seconds"] == pytest.approx(recorded, abs=0.01)
    page.locator("#takes-list [data-act=menu]").first.click()
    expect(page.get_by_role("menuitem", name="Again, the same variation")).to_be_disabled()


def test_an_engine_that_takes_no_recording_names_one_and_lengths_are_told_before_anything_is_sent(saying_page):
    page, notice = saying_page.page, saying_page.page.locator("#speak-message .notice")
    saying_page.choose("Ana", "Tone")
    page.get_by_label("Text", exact=True).fill("Typed before.")
    page.click("#way-say")
    expect(notice).to_contain_text("Tone speaks typed text only. Octave can say a recording again.")
    expect(page.locator("#way-type")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Use Octave").click()
    expect(page.locator("#said-toggle")).to_be_visible()
    expect(page.locator("#language")).to_be_disabled()
    page.click("#speak-button")
    saying_page.expect_complaint("Nothing is recorded yet.")
    upload(saying_page, 0.5)
    page.click("#speak-button")
    saying_page.expect_complaint("The recording has only 500 ms; 1 s are needed.")
    upload(saying_page, 31)
    saying_page.expect_complaint("The recording has 31 s, and Octave takes 30 s.")
    page.get_by_role("button", name="Say the first 30 s").click()
    saying_page.wait_for_state("playing", "ended")
    saying_page.wait_for_all()
    assert saying_page.newest_run()["seconds"] == 30.0
    page.keyboard.press("Escape")

    saying_page.choose(engine="Tone")
    expect(notice).to_contain_text("Tone speaks typed text only.")
    page.click("#speak-button")
    expect(notice).to_contain_text("Tone speaks typed text only.")
    page.get_by_role("button", name="Type instead").click()
    expect(page.get_by_label("Text", exact=True)).to_be_focused()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Typed before.")
    assert speak(saying_page)["engine"] == "Tone"
