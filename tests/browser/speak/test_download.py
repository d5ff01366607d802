"""What is downloaded is the file that the API would have sent, byte by byte, by either transport."""

import numpy as np
import pytest
import soundfile

from tests.browser.speak.test_transports import ONE_SECOND, both
from tests.browser.studios.tone_page import enroll_tone
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

QUIET = 0.01  # -40 dBFS


@both
def test_the_download_is_the_apis_wav_of_the_same_seed_and_as_quiet(open_page, tone_address, tmp_path, transport):
    enroll_tone(tone_address, "Ana", 300)
    page = open_page(tone_address, transport=transport)
    page.choose("Ana", "Tone")
    page.set_pace(level=QUIET, seed=77)
    page.start(ONE_SECOND)
    page.wait_for_all()
    page.download("WAV", tmp_path / "heard.wav")
    body = {"input": ONE_SECOND, "voice": "Ana", "model": "tone", "seed": 77, "response_format": "wav", "extra_params": {"level": QUIET}}
    told = patient_http.post(f"{tone_address}/v1/audio/speech", json=body, timeout=60)
    assert (tmp_path / "heard.wav").read_bytes() == told.content
    samples, _ = soundfile.read(tmp_path / "heard.wav")
    assert 20 * np.log10(np.abs(samples).max()) == pytest.approx(-40, abs=0.1)
