"""What comes through the recorder is what the microphone gave: its level, its rate, and the noise that is in it, as the server sees it.

Chromium's fake microphone has 44.1 kHz, whatever the file has, and plays a file of that rate sample by sample, over and over.
"""

import io
import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
import soundfile
import soxr
from playwright.sync_api import expect

from tests.browser.conftest import DEMO
from tests.browser.driving.studio_page import StudioPage
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

RATE = 44_100
LOOP_SECONDS = 6.0
KNOWN_SNR_DB = 20.0
FRAME = RATE // 50  # 20 ms
# Of a loop, each sought by itself: where the machine is busy Chromium's own microphone loses some milliseconds, which breaks the piece
# where they are missing and no other one. Whatever works on the samples changes all pieces.
N_PIECES, MOST_BROKEN_PIECES = 60, 3
MOST_RECORDINGS = 3  # until one is whole but for these
# What a microphone says of its rate, which the recorder's AudioContext takes over.
SAY_RATE = """rate => {
  const settings = MediaStreamTrack.prototype.getSettings;
  window.sayAsItIs = () => { MediaStreamTrack.prototype.getSettings = settings; };
  MediaStreamTrack.prototype.getSettings = function () { return { ...settings.call(this), sampleRate: rate }; };
}"""


# How often the band of a recording grows, which every picture of it changes.
COUNT_PICTURES = """() => {
  window.nPictures = 0;
  const watch = new MutationObserver(() => { nPictures += 1; });
  watch.observe(document.querySelector("#clip .band .now"), { attributes: true, attributeFilter: ["style"] });
}"""
MOST_PICTURES_A_SECOND = 26  # one in 40 ms, and the last; a microphone of 44.1 kHz gives 43 blocks a second


def decibels(power: float) -> float:
    return 10 * np.log10(power)


def active_power(speech: np.ndarray) -> float:
    """Of speech without noise, as ITU-T P.56 counts it: parts above 15.9 dB under its own level, pauses of up to 200 ms with them."""
    power = np.square(speech[: len(speech) // FRAME * FRAME].reshape(-1, FRAME)).mean(1)
    active = power > power.mean() * 10**-1.59
    for _ in range(10):  # the level that the margin hangs from is that of the active parts
        active = power > power[active].mean() * 10**-1.59
    heard = np.flatnonzero(active)
    for one, other in pairwise(heard):
        if other - one <= 10:
            active[one:other] = True
    return float(power[active].mean())


@pytest.fixture(scope="module")
def noisy_speech() -> np.ndarray:
    """(T,) of LOOP_SECONDS: the demo voice, KNOWN_SNR_DB above white noise."""
    samples, rate = soundfile.read(DEMO)
    speech = soxr.resample(samples, rate, RATE)[: int(LOOP_SECONDS * RATE)] * 0.7
    noise = np.random.default_rng(1).standard_normal(len(speech))
    return speech + noise * np.sqrt(active_power(speech) * 10 ** (-KNOWN_SNR_DB / 10))


@pytest.fixture
def open_recording(creating_page, microphone):
    """open_recording(samples): the page that tests share, whose microphone plays them, over and over: it reads its file as it is opened."""
    usual = microphone.read_bytes()

    def make(samples: np.ndarray) -> StudioPage:
        soundfile.write(microphone, samples, RATE, subtype="PCM_16")
        return creating_page

    yield make
    creating_page.page.evaluate("window.sayAsItIs?.()")
    microphone.write_bytes(usual)


@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_the_servers_clip_has_the_microphones_level_rate_and_noise(open_recording, noisy_speech, tone_address, rate):
    recording_page = open_recording(noisy_speech)
    page = recording_page.page
    page.evaluate(SAY_RATE, rate)
    record_whole(recording_page, noisy_speech)
    settings = page.evaluate("studio.recorder.clip.settings")
    assert [settings[name] for name in ("autoGainControl", "noiseSuppression", "echoCancellation")] == [False] * 3

    recording_page.wait_for_report()
    recording_page.open_step("check")
    shown = page.locator("#quality tbody tr").filter(has_text="Above background").locator("td").first.text_content()
    assert float(re.fullmatch(r"(\d+) dB", shown)[1]) == pytest.approx(KNOWN_SNR_DB, abs=2)

    recording_page.fill_draft(f"Noisy {rate}")
    recording_page.create()
    answer = patient_http.get(f"{tone_address}/v1/audio/voices/Noisy {rate}/audio")
    stored, stored_rate = soundfile.read(io.BytesIO(answer.content))
    assert stored_rate == rate
    one_loop = stored[-int(LOOP_SECONDS * rate) :]  # from wherever the loop was
    assert decibels(np.square(one_loop).mean()) == pytest.approx(decibels(np.square(noisy_speech).mean()), abs=0.5)
    if rate == RATE:
        assert n_broken(one_loop, noisy_speech) <= MOST_BROKEN_PIECES  # nothing was done to a sample


def record_whole(page: StudioPage, source: np.ndarray) -> None:
    """A loop and more; anew where the machine was too busy for Chromium's microphone, at whose rate alone that can be seen."""
    for again in range(MOST_RECORDINGS):
        if again:
            page.open_step("clip")
            page.page.click("#clip-remove")
            expect(page.page.locator("#clip")).to_have_attribute("data-state", "empty")
        page.record(LOOP_SECONDS + 1.0)
        clip, rate = page.recorded()
        if rate != RATE or n_broken(clip[-len(source) :], source) <= MOST_BROKEN_PIECES:
            return


def n_broken(one_loop: np.ndarray, source: np.ndarray) -> int:
    """How many of the loop's pieces are no part of the source."""
    pieces = one_loop.reshape(N_PIECES, -1)
    return sum(np.abs(piece - found).max() >= 2 / 32768 for piece, found in zip(pieces, found_in(source, pieces), strict=True))


def found_in(source: np.ndarray, pieces: np.ndarray) -> Iterator[np.ndarray]:
    """For each the part of the source, which begins again at its end, that is nearest to it: by |s - p|^2 = s^2 - 2 s p + p^2."""
    twice, n_samples = np.concatenate([source, source]), pieces.shape[1]
    sums = np.cumsum(np.square(np.concatenate([[0.0], twice])))
    powers = (sums[n_samples:] - sums[:-n_samples])[: len(source)]
    spectrum = np.fft.rfft(source)
    for piece in pieces:
        products = np.fft.irfft(spectrum * np.conj(np.fft.rfft(piece, len(source))), len(source))
        first = int(np.argmin(powers - 2 * products))
        yield twice[first : first + n_samples]


def test_clipped_samples_are_counted_and_the_way_out_is_said(open_recording, noisy_speech):
    loud = np.clip(noisy_speech * 8, -1, 1)
    page = open_recording(loud)
    page.page.evaluate(COUNT_PICTURES)
    page.record(LOOP_SECONDS + 0.5)
    assert page.page.evaluate("nPictures / studio.recorder.clip.seconds") <= MOST_PICTURES_A_SECOND
    line = page.page.locator("#create-message .notice")
    expect(line).to_have_attribute("data-code", "E-REF-2")
    said = re.match(r"It was too loud in places: ([\d.]+) % of it is distorted. Move back a little", line.inner_text())
    assert float(said[1]) == pytest.approx(100 * np.mean(np.abs(loud) >= 0.999), rel=0.15)
    expect(page.page.locator("#facts")).to_contain_text("Distorted")
