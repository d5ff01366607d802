"""How a voice's spectrum moves with its pitch: found in a recording, and heard in what is spoken."""

from dataclasses import replace

import numpy as np
import pytest

from engines.espeak.prior.prior import Prior
from engines.espeak.speaker import enrollment
from engines.espeak.speaker.speaker_model import SpeakerModel, pitch_slope
from engines.espeak.synthesis import TimbreMapping, TimbreParams, VocoderFrames
from engines.kit.phonemes.languages import language_of
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import FRAMES_PER_SECOND, N_CEPSTRA, N_MELS, envelope_of, level_db

N_FRAMES = round(8 * FRAMES_PER_SECOND)
SLOPE = np.zeros(N_CEPSTRA, np.float32)
SLOPE[[0, 1, 2, 6]] = 30, -12, 8, 5
TEXT = "The weather report says that it will rain tomorrow afternoon."


def _recording(log_f0: np.ndarray) -> ClipAnalysis:
    """Of a voice with that melody (F,), nan where unvoiced, whose cepstra follow SLOPE and are random else."""
    cepstra = np.random.default_rng(3).standard_normal((len(log_f0), N_CEPSTRA)).astype(np.float32)
    away = np.nan_to_num(log_f0 - np.nanmedian(log_f0), nan=0.5)
    cepstra += away[:, None].astype(np.float32) * SLOPE + np.float32(40) * (np.arange(N_CEPSTRA) == 0)
    f0 = np.nan_to_num(np.exp(log_f0), nan=0.0)
    return ClipAnalysis(np.zeros(0), f0, np.ones(len(f0)), envelope_of(cepstra), np.zeros((len(f0), 1)))


def _melody(n_frames: int) -> np.ndarray:
    melody = np.log(180) + 0.25 * np.sin(np.arange(n_frames) / 17)
    return np.where(np.arange(n_frames) % 50 < 10, np.nan, melody)


def test_the_slope_of_a_recording_is_found(monkeypatch):
    monkeypatch.setattr(ClipAnalysis, "speech", np.ones(N_FRAMES, bool))
    found = pitch_slope(_recording(_melody(N_FRAMES)))
    assert found[[1, 2, 6]] == pytest.approx(SLOPE[[1, 2, 6]], rel=0.15)
    assert 20 < found[0] < 32  # its quietest frames are left out
    assert np.abs(found[7:]).max() < 1


def test_of_a_second_half_of_it_is_believed(monkeypatch):
    monkeypatch.setattr(ClipAnalysis, "speech", np.ones(200, bool))
    found = pitch_slope(_recording(_melody(200)))
    assert 0.3 < found[1] / SLOPE[1] < 0.7


def test_a_voice_that_is_never_voiced_has_none(monkeypatch):
    monkeypatch.setattr(ClipAnalysis, "speech", np.ones(N_FRAMES, bool))
    recording = _recording(_melody(N_FRAMES))
    assert not pitch_slope(replace(recording, f0=np.zeros(N_FRAMES))).any()


def test_a_clone_gets_louder_with_its_melody_as_the_slope_says(prior, prompt):
    """One unit of log power for one of log F0: 4.3 dB, below the ceiling of loudness."""
    slope = np.zeros(N_CEPSTRA, np.float32)
    slope[0] = np.sqrt(N_MELS)
    voice = prompt.tensors["voice"].copy()
    voice[3] = np.inf
    free = prompt.tensors | {"voice": voice}
    plain, louder = (_spoken(prior, free | {"pitch_slope": slope}) for slope in (np.zeros_like(slope), slope))
    voiced = plain.f0 > 0
    gained = (level_db(louder.log_power) - level_db(plain.log_power))[voiced]
    near = np.abs(np.log(plain.f0[voiced]) - SpeakerModel.of(prompt.tensors).log_f0) < 0.25
    assert np.polyfit(np.log(plain.f0[voiced])[near], gained[near], 1)[0] == pytest.approx(10 / np.log(10), rel=0.15)
    np.testing.assert_array_equal(louder.f0, plain.f0)


def test_a_voice_whose_loudness_follows_its_melody_is_no_louder_than_others(engine, vocoded, prompt, say, monkeypatch):
    steep = pitch_slope(ClipAnalysis.of(vocoded))
    steep[0] += 20 * np.sqrt(N_MELS)  # 8 dB for what the clip moves by
    monkeypatch.setattr(enrollment, "pitch_slope", lambda recording: steep)
    again = engine.extract(vocoded)
    power = [np.mean(np.square(say(one, TEXT, language="en"))) for one in (prompt, again)]
    assert abs(10 * np.log10(power[1] / power[0])) < 2


def test_who_moves_a_voices_pitch_does_not_move_its_spectrum(prior, prompt):
    low, high = (_spoken(prior, prompt.tensors, semitones) for semitones in (0.0, 6.0))
    np.testing.assert_array_equal(low.log_power, high.log_power)


def _spoken(prior: Prior, tensors: dict[str, np.ndarray], semitones: float = 0.0) -> VocoderFrames:
    params = TimbreParams(SpeakerModel.of(tensors), language_of(TEXT, "en"), 1.0, semitones)
    return TimbreMapping(TEXT, params, prior, end_pause=False, hurried=False).frames(0, 10_000)
