"""Claims about trials of the judges: who is compared with whom, and how an equal error rate is counted."""

import sys

import numpy as np
import pytest
import soundfile

from engines.clips.clip import Clip
from studio.analysis import second_encoder
from studio.measure.quality import judge_trials
from studio.measure.quality.judge_trials import equal_error_rate, error_table, measure_judges
from studio.measure.quality.quality_speakers import ClonedSpeaker
from studio.speakers.demo import demo_recording
from tests.stand_ins.estimators_stand_in import install_ears
from tests.stand_ins.vocoded_speaker import vocoded_speaker

RATE = 16_000


def clip(*levels: float) -> Clip:
    """A recording of each, one sample of that level first, which tells it to the stand-in."""
    samples = np.concatenate([np.full(RATE, level, np.float32) for level in levels])
    return Clip(samples, RATE, tuple(RATE * n for n in range(1, len(levels))))


def test_the_equal_error_rate_is_where_as_many_are_refused_as_accepted():
    assert equal_error_rate(np.array([0.8, 0.9]), np.array([0.1, 0.7])) == 0
    assert equal_error_rate(np.array([0.1, 0.7]), np.array([0.8, 0.9])) == 1
    assert equal_error_rate(np.array([0.2, 0.6, 0.7, 0.8]), np.array([0.0, 0.1, 0.3, 0.65])) == pytest.approx(0.25)


def test_every_recording_meets_every_voice_but_those_of_the_same_person_in_another_language(monkeypatch):
    played = install_ears(monkeypatch)
    monkeypatch.setattr(second_encoder, "is_here", lambda: False)
    monkeypatch.setattr(judge_trials.CepstralStatistics, "of", lambda heard: None)
    angles = {0.1: 0.0, 0.2: 1.0, 0.3: 0.5}
    played.embedding = lambda heard: np.array([np.cos(at := angles[round(float(heard.samples[0]), 1)]), np.sin(at)])
    ada, in_french = (
        ClonedSpeaker("ada", clip(0.1), None, clip(0.1, 0.1), "Ada"),
        ClonedSpeaker("ada fr", clip(0.3), None, clip(0.3), "Ada"),
    )
    bob = ClonedSpeaker("bob", clip(0.2), None, clip(0.2, 0.3, 0.2))
    errors = measure_judges([ada, in_french, bob])[0]
    assert (errors.judge, errors.n_voices, len(errors.same), len(errors.other)) == ("likeness", 3, 2 + 1 + 3, (2 + 1) + 2 * 3)
    assert sorted(errors.same) == pytest.approx(sorted([1] * 5 + [np.cos(0.5)]))
    assert max(errors.other) == pytest.approx(1), "a recording of bob that sounds like ada in French"
    assert equal_error_rate(errors.same, errors.other) > 0


def test_the_command_measures_whom_it_is_told(monkeypatch, tmp_path, capsys):
    for name, sound in (("demo", demo_recording().clip), ("other", vocoded_speaker())):
        soundfile.write(tmp_path / f"{name}.wav", sound.samples, sound.sample_rate)
    voices = [f"{name}={tmp_path / name}.wav" for name in ("demo", "other")]
    monkeypatch.setattr(sys, "argv", ["judge_trials", "--no-demo", "--voices", *voices])
    judge_trials.main()
    lines = capsys.readouterr().out.splitlines()
    judges = ("likeness", "AHS", "cepstral mean")
    assert [line.split(" | ")[:5] for line in lines[2:]] == [[f"| {judge}", "2", "2", "2", "0.0 %"] for judge in judges]
    assert error_table([]).splitlines() == lines[:2]
