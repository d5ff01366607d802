"""The cepstral distance is the formula of its paper, hears who speaks, and takes a filter for no other person's covariance."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.measure.quality.cepstral_distance import N_CEPSTRA, CepstralStatistics, cepstral_distance
from studio.speakers.demo import demo_recording
from tests.stand_ins.vocoded_speaker import vocoded_speaker


@pytest.fixture(scope="module")
def demo() -> Clip:
    return demo_recording().clip


@pytest.fixture(scope="module")
def of_demo(demo) -> CepstralStatistics:
    return CepstralStatistics.of(demo)


def test_both_figures_are_those_of_the_paper():
    drawn = np.random.default_rng(5)
    voices = [
        CepstralStatistics(
            drawn.normal(size=N_CEPSTRA), np.cov(drawn.normal(size=(N_CEPSTRA, 200)) * drawn.uniform(0.5, 2, (N_CEPSTRA, 1)))
        )
        for _ in range(2)
    ]
    relative = np.linalg.eigvals(np.linalg.inv(voices[0].covariance) @ voices[1].covariance).real
    apart, between = voices[0].mean - voices[1].mean, (voices[0].covariance + voices[1].covariance) / 2
    found = voices[0].distance(voices[1])
    assert found.ahs == pytest.approx(np.log(relative.mean() * (1 / relative).mean()))
    assert found.mean == pytest.approx(np.sqrt(apart @ np.linalg.inv(between) @ apart / N_CEPSTRA))
    assert voices[1].distance(voices[0]) == pytest.approx(found)
    assert voices[0].distance(voices[0]) == pytest.approx((0, 0), abs=1e-9)


def test_a_person_is_nearer_to_herself_than_to_another_voice(demo, of_demo):
    middle = len(demo.samples) // 2
    own = cepstral_distance(*(Clip(half, demo.sample_rate) for half in (demo.samples[:middle], demo.samples[middle:])))
    other = of_demo.distance(CepstralStatistics.of(vocoded_speaker()))
    assert own.ahs < other.ahs and own.mean < other.mean


def test_loudness_and_pauses_change_nothing_and_a_filter_the_means_alone(demo, of_demo):
    def distance(samples: np.ndarray):
        return of_demo.distance(CepstralStatistics.of(Clip(samples.astype(np.float32), demo.sample_rate)))

    assert max(distance(0.3 * demo.samples)) < 0.02
    assert distance(demo.samples * np.geomspace(1, 0.1, len(demo.samples))).ahs < 0.06, "who gets 20 dB quieter"
    hiss = 0.3 * demo.samples.std() * np.random.default_rng(3).standard_normal(3 * demo.sample_rate)
    assert max(distance(np.concatenate([hiss, demo.samples, hiss]))) < 0.05
    filtered = distance(0.3 * np.append(demo.samples[:1], demo.samples[1:] - 0.9 * demo.samples[:-1]))
    assert filtered.ahs < 0.05 and filtered.mean > 0.3


def test_less_than_a_second_of_speech_is_no_voice(demo):
    short = Clip(demo.samples[: demo.sample_rate // 2], demo.sample_rate)
    silent = Clip(np.zeros(demo.sample_rate, np.float32), demo.sample_rate)
    assert cepstral_distance(short, demo) is None and cepstral_distance(demo, silent) is None
