"""Conversion: recorded speech said again in another voice, by the same ways as a text. Who speaks is heard by pitch."""

import numpy as np
import pytest

from engines.clip import Clip
from studio.speech.conversion import ConversionRequest
from tests.fake_engine import CONVERTER, FakeEngine, heard_pitch, pitch_of
from tests.studio.test_service import recording


def said(seconds: float = 1.0) -> Clip:
    return Clip((0.25 * np.sin(np.arange(int(seconds * 16_000)) / 10)).astype(np.float32), 16_000)


def test_what_is_said_is_said_again_in_the_voice_and_kept_with_its_length_alone(open_studio):
    studio = open_studio(FakeEngine(CONVERTER))
    speaker = studio.enroll(recording())
    with studio.convert(ConversionRequest(said(), speaker="Alice", keep=True)) as speech:
        samples = speech.read_all()
    assert heard_pitch(samples) == pytest.approx(pitch_of(speaker.clip_digest), abs=1)
    studio.history.settle()
    (entry,) = studio.history.entries()
    assert (entry.text, entry.source_seconds, entry.seconds) == ("", 1.0, 1.0)
