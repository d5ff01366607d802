"""Claims about likeness, which needs nothing but the studio: it is of who speaks and not of how loud."""

import numpy as np
import pytest
import soxr

from engines.clips.clip import Clip
from engines.kit.speaker.mel import RATE_HZ
from studio.analysis.estimators import Estimators
from studio.analysis.likeness import LikenessEstimator
from studio.analysis.transcriber import Transcriber
from tests.stand_ins.vocoded_speaker import vocoded_speaker


def test_likeness_is_of_the_voice_whatever_the_level():
    vocoded = soxr.resample(vocoded_speaker().samples, vocoded_speaker().sample_rate, RATE_HZ)
    first, second = Clip(vocoded[: 4 * RATE_HZ], RATE_HZ), Clip(vocoded[5 * RATE_HZ :] / 8, RATE_HZ)
    higher = Clip(vocoded[5 * RATE_HZ :], RATE_HZ * 4 // 3)  # as if somebody else spoke, a fourth higher
    ear = LikenessEstimator()
    same, other = ear.likeness(first, second), ear.likeness(first, higher)
    assert same > 0.75 and other < same - 0.1, (same, other)
    assert ear.likeness(first, Clip(np.zeros(RATE_HZ, np.float32), RATE_HZ)) is None
    estimators = Estimators(Transcriber(None))
    assert estimators.estimates(first.samples, RATE_HZ, reference=second).likeness == pytest.approx(same, abs=1e-5)
    estimators.close()
