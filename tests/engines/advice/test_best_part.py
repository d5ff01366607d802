"""Which part of a longer recording is the best: claims about recordings whose best part is known."""

from itertools import pairwise

import numpy as np
import pytest
import soxr

from engines.advice.clip_advice import MOST_SECONDS, ClipParts
from engines.clips.clip import Clip
from tests.ui.clips.clips import speech_like

RATE = 16_000


def hush(seconds: float) -> np.ndarray:
    return 1e-4 * np.random.default_rng(1).standard_normal(round(seconds * RATE))


def noise(seconds: float, level: float) -> np.ndarray:
    return level * np.random.default_rng(2).standard_normal(round(seconds * RATE))


def parts_of(*samples: np.ndarray) -> ClipParts:
    return ClipParts.of(Clip(np.concatenate(samples).astype(np.float32), RATE))


def test_the_speech_is_found_between_the_silences():
    parts = parts_of(hush(1), speech_like(3.0, RATE), hush(2))
    assert parts.speech == pytest.approx((0.85, 4.15), abs=0.1)
    assert parts.best == parts.speech


@pytest.mark.parametrize("samples", [np.zeros(RATE), noise(4, 0.1)], ids=["silence", "noise"])
def test_without_speech_there_is_no_part(samples):
    assert parts_of(samples) == ClipParts(None, None)


def test_the_best_part_begins_and_ends_in_pauses_and_is_as_long_as_they_allow():
    sentence = [speech_like(4.0, RATE), hush(1)]
    parts = parts_of(hush(1), *sentence * 6)
    start, end = parts.best
    assert end - start == pytest.approx(9.3, abs=0.2) and end - start <= MOST_SECONDS  # two sentences of four seconds, and the pause
    assert (start - 0.75) % 5 < 0.2


def test_speech_without_a_pause_is_cut_where_it_is_too_long():
    start, end = parts_of(hush(1), speech_like(24.0, RATE), hush(1)).best
    assert 9 < end - start <= MOST_SECONDS


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda speech: np.clip(6 * speech, -0.5, 0.5),
        lambda speech: 0.01 * speech,
        lambda speech: speech + noise(len(speech) / RATE, 0.05),
        lambda speech: np.concatenate([speech[: len(speech) // 2], soxr.resample(speech[: len(speech) * 5 // 8], RATE, RATE * 0.8)]),
    ],
    ids=["clipped", "quiet", "noisy", "two voices"],
)
def test_a_part_that_the_card_would_blame_is_not_the_best(spoiled):
    speech = speech_like(9.0, RATE)
    parts = parts_of(hush(1), spoiled(speech), hush(1), 0.9 * speech, hush(1), spoiled(speech), hush(1))
    assert parts.best == pytest.approx((10.85, 20.15), abs=0.2)


def test_ten_minutes_are_looked_at_in_parts_that_hardly_overlap(monkeypatch):
    judged = []
    monkeypatch.setattr("engines.advice.clip_advice._rank", lambda clip, activity, span: judged.append(span) or span)
    parts_of(*[speech_like(4.0, RATE), hush(1)] * 12)
    assert 4 <= len(judged) <= 8
    judged.sort()
    assert all(later[0] >= earlier[0] + 4 for earlier, later in pairwise(judged))
