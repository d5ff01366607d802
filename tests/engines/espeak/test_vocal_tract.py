"""The length of a vocal tract: found where it is known, by frames that the training voice speaks again."""

from importlib.util import find_spec

import numpy as np
import pytest
import safetensors.numpy

from engines.clips.clip import Clip
from engines.errors import CheckpointInvalid
from engines.espeak.speaker.vocal_tract import ASSET, TractFrames, find_tract, tract_matrix
from engines.espeak.training.tract_frames import tract_frames, trimmed
from engines.espeak.vocoder import Vocoder
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import HOP_SAMPLES, N_BANDS, SAMPLE_RATE, envelope_of

N_FRAMES = 600  # every second one: six seconds
PITCH_HZ = 220.0
MOST_DIFFERENCE = 0.02  # of cepstra, by which another processor may round apart


@pytest.fixture(scope="module")
def known() -> TractFrames:
    return TractFrames.load()


@pytest.mark.parametrize("tract", [0.86, 1.0, 1.08])
def test_the_tract_of_a_speaker_is_found(known, tract):
    power = np.repeat(envelope_of(known.cepstra[:N_FRAMES]) @ tract_matrix(tract), 2, 0)
    f0 = PITCH_HZ * np.exp(0.1 * np.sin(np.arange(len(power)) / 30))
    samples = Vocoder(0).push(f0, power, np.full((len(power), N_BANDS), 0.2, np.float32))
    recording = ClipAnalysis.of(Clip(0.1 * samples / samples.std(), SAMPLE_RATE))
    assert find_tract(known, recording) == pytest.approx(tract, abs=0.04)


def test_other_frames_are_refused(tmp_path):
    with pytest.raises(CheckpointInvalid, match="missing"):
        TractFrames.load(tmp_path / ASSET.name)
    safetensors.numpy.save_file({"cepstra": np.zeros((3, 60), np.float16)}, tmp_path / ASSET.name)
    with pytest.raises(CheckpointInvalid, match="other tensors"):
        TractFrames.load(tmp_path / ASSET.name)


def test_of_a_sentence_the_silence_is_left_out_and_the_pitch_lies_on_our_frames():
    hop = 300  # as the network has it
    f0 = np.repeat([0.0, 200.0, 0.0], 80)
    samples = np.repeat((f0 > 0).astype(np.float32), hop)
    kept, ours = trimmed(samples, f0, hop)
    assert len(kept) % HOP_SAMPLES == 0 and len(ours) == len(kept) // HOP_SAMPLES + 1
    assert len(kept) / SAMPLE_RATE == pytest.approx(1.0 + 0.08 + 0.1, abs=0.01)
    voiced = np.repeat(ours > 0, HOP_SAMPLES)[: len(kept)]
    assert np.mean(voiced == (kept > 0)) > 0.98 and np.median(ours[ours > 0]) == 200


@pytest.mark.skipif(not all(map(find_spec, ("hibari", "onnxruntime"))), reason="PyPI's hibari-tts is not installed")
def test_the_frames_are_what_the_training_voice_says():
    made, kept = tract_frames(), safetensors.numpy.load_file(ASSET)
    assert np.array_equal(made["segment"], kept["segment"])
    assert np.abs(made["cepstra"].astype(np.float32) - kept["cepstra"]).max() < MOST_DIFFERENCE
