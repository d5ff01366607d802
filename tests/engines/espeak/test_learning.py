"""What is learned from a clip: the same every time, different for different speakers, and nearer to the speaker than the source."""

import numpy as np
import pytest
import soxr

from engines.clips.clip import Clip
from engines.contract.prompt import SpeakerPrompt
from engines.kit.phonemes import espeak_library
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import MEL_HZ, SAMPLE_RATE

TEXT = "The weather report says that it will rain tomorrow afternoon."


HOW = ("with the transcript", "without a transcript")


@pytest.fixture(scope="module")
def cloned(learned, say) -> dict[str, np.ndarray]:
    """The text as either prompt speaks it."""
    return {how: say(learned[how], TEXT) for how in HOW}


@pytest.fixture(scope="module")
def presets(engine, say) -> dict[str, np.ndarray]:
    """The text as the built-in speakers speak it."""
    return {name: say(engine.preset(name), TEXT) for name in engine.info.presets}


def timbre(samples: np.ndarray, up_to_hz: float = 8_000, rate: int = SAMPLE_RATE) -> np.ndarray:
    """Mean log spectrum of the speech frames at the mel points up to a frequency, without level."""
    recording = ClipAnalysis.of(Clip(samples, rate))
    mean = recording.log_envelope[recording.speech].mean(0)[up_to_hz > MEL_HZ]
    return mean - mean.mean()


@pytest.mark.parametrize("how", HOW)
def test_extraction_is_deterministic(engine, vocoded, vocoded_words, learned, how):
    again = engine.extract(vocoded, vocoded_words if how == "with the transcript" else None)
    assert again.content_digest == learned[how].content_digest


@pytest.mark.parametrize("how", HOW)
def test_the_prompt_is_small_and_says_what_it_was_learned_from(vocoded, learned, how):
    prompt = learned[how]
    assert prompt.storage_bytes < 150_000
    assert prompt.source_digest == vocoded.digest
    assert prompt.facts["fit"] == how.removeprefix("with the ").replace("without a transcript", "no transcript")
    assert {"snr_db", "speech_seconds", "clipped_share", "bandwidth_hz", "f0_hz", "alignment_cost"} <= set(prompt.facts)


def test_the_words_of_a_clip_move_nothing_but_the_pace(learned):
    """Frames are matched by how they sound: right words that are aligned a little wrong blur a voice."""
    told, untold = (learned[how].tensors for how in HOW)
    assert told["voice"][5] != untold["voice"][5] == 1
    for name in set(told) - {"voice"}:
        assert np.array_equal(told[name], untold[name]), name


def test_two_clips_give_two_prompts(engine, prompt, presets):
    assert engine.extract(Clip(presets["rms"], SAMPLE_RATE)).content_digest != prompt.content_digest


def test_a_saved_prompt_speaks_the_same(prompt, say, cloned):
    assert np.array_equal(say(SpeakerPrompt.from_bytes(prompt.to_bytes()), TEXT), cloned["without a transcript"])


@pytest.mark.parametrize("how", HOW)
def test_the_clone_is_nearer_to_the_speaker_than_the_source_is(vocoded, cloned, how):
    speaker = timbre(vocoded.samples, rate=vocoded.sample_rate)
    unconverted = np.linalg.norm(timbre(espeak_library.speak(TEXT, "en-us").samples) - speaker)
    assert np.linalg.norm(timbre(cloned[how]) - speaker) < 0.35 * unconverted


@pytest.mark.parametrize("how", HOW)
def test_the_clone_is_nearer_to_its_speaker_than_to_others(vocoded, cloned, presets, how):
    clone = timbre(cloned[how])
    others = [np.linalg.norm(timbre(samples) - clone) for samples in presets.values()]
    assert np.linalg.norm(timbre(vocoded.samples, rate=vocoded.sample_rate) - clone) < min(others)


@pytest.mark.parametrize("how", HOW)
def test_the_clone_has_the_speakers_pitch(vocoded, cloned, how):
    spoken, speaker = ClipAnalysis.of(Clip(cloned[how], SAMPLE_RATE)), ClipAnalysis.of(vocoded)
    medians = [np.median(recording.f0[recording.f0 > 0]) for recording in (spoken, speaker)]
    assert abs(np.log2(medians[0] / medians[1])) < 1.5 / 12


@pytest.mark.parametrize(("preset", "tract"), [("heart", 1.0), ("slt", 1.0), ("rms", 0.77), ("nsh", 0.77)])
def test_the_vocal_tract_of_a_man_is_longer_than_of_a_woman(engine, presets, preset, tract):
    assert engine.extract(Clip(presets[preset], SAMPLE_RATE)).facts["tract"] == pytest.approx(tract, abs=0.07)


@pytest.mark.parametrize("rate", [8_000, 16_000, 48_000])
def test_clips_of_any_rate_are_learned_from(engine, vocoded, rate, say):
    prompt = engine.extract(Clip(soxr.resample(vocoded.samples, vocoded.sample_rate, rate), rate))
    cloned = timbre(say(prompt, TEXT), 3_500)
    speaker, unconverted = timbre(vocoded.samples, 3_500, vocoded.sample_rate), timbre(espeak_library.speak(TEXT, "en-us").samples, 3_500)
    assert np.linalg.norm(cloned - speaker) < 0.5 * np.linalg.norm(unconverted - speaker)


def test_a_quiet_clip_and_a_loud_one_give_the_same_voice(engine, vocoded, say):
    quiet, loud = (say(engine.extract(Clip(vocoded.samples * gain, vocoded.sample_rate)), TEXT) for gain in (0.05, 1.5))
    assert np.abs(quiet - loud).max() < 0.1


def test_presets_speak_with_different_voices(engine, presets):
    timbres = [timbre(samples) for samples in presets.values()]
    assert engine.info.default_preset in engine.info.presets
    for k, one in enumerate(timbres):
        assert all(np.linalg.norm(one - other) > 1 for other in timbres[k + 1 :])


def test_a_clip_beyond_full_scale_is_learned_like_its_copy_within_it(engine, vocoded):
    loud = vocoded.samples * np.float32(1.8 / np.abs(vocoded.samples).max())
    beyond, within = (engine.extract(Clip(samples, vocoded.sample_rate)).tensors for samples in (loud, loud / 2))
    for name, values in within.items():
        assert np.allclose(beyond[name].astype(np.float32), values.astype(np.float32), atol=1e-3), name
    assert not np.allclose(engine.extract(Clip(loud.clip(-1, 1), vocoded.sample_rate)).tensors["head"], within["head"], atol=1e-3)
