"""Claims about files of several channels: the page names, draws and plays what the studio took of them."""

import io

import numpy as np
import pytest
import soundfile
from playwright.sync_api import expect

from tests.ui.clips.clips import speech_like

pytestmark = pytest.mark.browser

RATE = 8_000
# The most, of full scale, of the recorder's own sound, which it draws and plays.
HEARD = "studio.recorder.clip.pieces[0].reduce((most, word) => Math.max(most, Math.abs(word)), 0) / 32768"


def wav(*channels: np.ndarray) -> dict:
    file = io.BytesIO()
    soundfile.write(file, np.stack(channels, axis=1), RATE, format="WAV", subtype="PCM_16")
    return {"name": "clip.wav", "mimeType": "audio/wav", "buffer": file.getvalue()}


def test_the_channel_that_the_studio_took_is_named_drawn_and_played(open_page, empty_address):
    speech = speech_like(3.0, RATE)
    silence, turn = np.zeros_like(speech), np.arange(len(speech)) // RATE % 2 == 0
    opened = open_page(empty_address)
    opened.open_tab("Create voice")
    page = opened.page
    for channels, told in (
        ([silence, speech], "right channel"),
        ([speech, -speech], "left channel"),
        ([speech, speech], "both channels"),
        ([silence, silence, speech], "channel 3 of 3"),
    ):
        page.set_input_files("#clip-file", wav(*channels))
        expect(page.locator("#clip-about")).to_have_text(f"clip.wav · {told}")
        opened.wait_for_report()
        assert page.evaluate(HEARD) == pytest.approx(0.5, abs=0.1), told
        assert max(page.evaluate("studio.creating._draft.peaks")) == pytest.approx(50, abs=2), told
        opened.open_step("clip")
    page.set_input_files("#clip-file", wav(speech * turn, 0.5 * np.roll(speech, 3 * RATE // 2) * ~turn))
    expect(page.locator("#create-message")).to_contain_text("Somebody else speaks in another channel of this file.", timeout=20_000)
