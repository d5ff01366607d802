"""Claims about the spectrogram beside the waveform of the region: the same time, no freeze, and words for whoever does not see it."""

import io
import re

import numpy as np
import pytest
import soundfile
from playwright.sync_api import expect

from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage

pytestmark = pytest.mark.browser

MINUTE_RATE = 48_000
LEAST_FRAMES = 20  # of 6 ms each; all of it at once takes some 400 ms and leaves room for 6
# The share of the canvas's width, and of its height from the bottom, at which each of `n` slices of time has its strongest row.
STRONGEST = """(n) => {
  const canvas = document.querySelector("#region-spectrogram");
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  return Array.from({ length: n }, (_, slice) => {
    const x = Math.floor(((slice + 0.5) * width) / n);
    const levels = Array.from({ length: height }, (_, y) => data[4 * (y * width + x) + 3]);
    const strongest = Math.max(...levels);
    return strongest < 40 ? null : 1 - levels.indexOf(strongest) / height;
  });
}"""
WATCH = """() => {
  window.nFrames = 0;
  const tick = () => { nFrames += 1; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""


def wav(samples: np.ndarray, rate: int) -> dict:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    return {"name": "clip.wav", "mimeType": "audio/wav", "buffer": file.getvalue()}


def tones(seconds_each: float, rate: int, *pitches: float) -> np.ndarray:
    time = np.arange(int(seconds_each * rate)) / rate
    return np.concatenate([0.4 * np.sin(2 * np.pi * hz * time) for hz in pitches])


@pytest.fixture
def checked(kept_pages, empty_address):
    """checked(file, width) -> the page that these tests share, on which that file and nothing else was chosen."""

    def open_with(file: dict, width: int = 1280) -> StudioPage:
        page = kept_pages.get("checked", empty_address, lambda page: StudioPage(page, empty_address))
        page.page.set_viewport_size({"width": width, "height": 844})
        page.begin_voice()
        expect(page.page.locator("#reading-text")).not_to_be_empty()
        page.page.set_input_files("#clip-file", file)
        page.wait_for_report()
        page.page.evaluate(WATCH)
        page.open_step("check")
        page.page.click("#figures summary")
        page.page.wait_for_function("!studio.creating.region._spectrogram.behind")
        return page

    return open_with


@pytest.mark.parametrize("width", [1280, 390])
def test_the_spectrogram_has_the_time_of_the_waveform_and_the_pitch_of_the_sound(checked, width):
    page = checked(wav(tones(0.5, 24_000, 1000, 2000, 4000, 6000), 24_000), width=width)  # 2 s: shorter than what the player shows at least
    wave, spectrogram = (page.page.locator(f"#region-{name}").bounding_box() for name in ("wave", "spectrogram"))
    assert (wave["x"], wave["width"]) == (spectrogram["x"], spectrogram["width"])
    assert page.page.evaluate(STRONGEST, 4) == pytest.approx([hz / 8000 for hz in (1000, 2000, 4000, 6000)], abs=0.03)
    page.expect_no_sideways_scroll()


def test_the_region_lies_over_the_wave_and_both_shade_what_is_cut(checked):
    page = checked(wav(tones(1, 24_000, 500, 3000), 24_000))
    page.page.fill("#region-start", "500")
    page.page.locator("#region-start").blur()
    page.page.fill("#region-end", "1500")
    page.page.locator("#region-end").blur()
    names = ("region", "region-before", "region-after", "region-start-handle", "region-wave")
    whole, before, after, handle, wave = (page.page.locator(f"#{name}").bounding_box() for name in names)
    assert before["width"] == pytest.approx(whole["width"] / 4, abs=1)
    assert after["x"] == pytest.approx(whole["x"] + 0.75 * whole["width"], abs=1)
    for lies in (before, after, handle):
        assert lies["y"] <= wave["y"] and lies["y"] + lies["height"] >= wave["y"] + wave["height"]
    for edge, of_the_wave in (("before", before), ("after", after)):
        shade = page.page.locator(f".seen .shade.{edge}").bounding_box()
        assert (shade["x"], shade["width"]) == pytest.approx((of_the_wave["x"], of_the_wave["width"]), abs=1)


def test_a_minute_at_48_khz_freezes_nothing_and_is_drawn_to_its_end(checked):
    rng = np.random.default_rng(1)
    noise = 0.1 * rng.standard_normal(59 * MINUTE_RATE)
    page = checked(wav(np.concatenate([noise, tones(1, MINUTE_RATE, 3000)]), MINUTE_RATE))
    assert page.page.evaluate("nFrames") > LEAST_FRAMES
    assert page.page.evaluate(STRONGEST, 60)[-1] == pytest.approx(3000 / 8000, abs=0.03)


def test_it_is_hidden_from_assistive_tech_and_told_in_words(checked):
    speech, rate = soundfile.read(DEMO)
    page = checked(wav(np.concatenate([np.zeros(2 * rate), speech, np.zeros(2 * rate)]), rate)).page
    for name in ("wave", "spectrogram", "before", "after"):
        expect(page.locator(f"#region-{name}")).to_have_attribute("aria-hidden", "true")
    expect(page.locator("#region-heard")).to_have_text(
        re.compile(
            r"^Speech was found from 2.\d s to 13.\d s, the best part of it from 4.\d s to 13.\d s. The spectrogram goes from 0 to 8 kHz.$"
        )
    )
