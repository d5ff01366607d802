"""Speech of the packaged weights, as far as numbers tell: when it sounds, how fast and how high, and that learning makes it more alike.

Everything here computes at full size; so each claim has as little speech as it can be seen in.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from engines.clips.clip import Clip
from engines.contract.prompt import SpeakerPrompt
from engines.contract.refinement import refinement_of
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.pitch import track
from engines.kit.signal.spectrum import HOP_SAMPLES
from engines.kit.speaker.speaker_encoder import SpeakerEncoder
from engines.kokoro.learning import learner as learner_module
from engines.kokoro.learning import refinement_loop
from engines.kokoro.learning.matched_sounds import FILE, cepstra_of
from engines.kokoro.network.generator import Timbre
from engines.kokoro.training.packaged_networks import packaged_networks
from engines.kokoro.training.sounds import SENTENCES
from engines.kokoro.training.sounds import spoken as spoken_for_pool
from engines.kokoro.voice import LearnedVoice
from engines.kokoro.weights import sources
from tests.engines.kokoro.opened import RATE_HZ, few_steps, packaged, say, spoken

pytestmark = pytest.mark.skipif(not sources.is_packaged(), reason=f"the weights are not installed: {sources.COMMAND}")

AUDIBLE = 0.003  # -50 dB of full scale
TEXTS = ("Hello there, how are you?", "She sells sea shells.", "What is the time?", "Apples are red.", "Thirty-three thieves.")
TWO_SENTENCES = "The first one is here. And the second is there."
SENTENCE = "The engineer measured the width of the bridge very carefully."
N_STEPS = 6


@cache
def said(text: str = SENTENCE, voice: str = "af_heart", **options: object) -> np.ndarray:
    """(T,), once for all claims."""
    return say(packaged(), text, voice, language="en", **options)


def audible_frames(samples: np.ndarray) -> np.ndarray:
    """Which 10 ms can be heard."""
    return np.abs(samples[: len(samples) // 240 * 240]).reshape(-1, 240).max(1) > AUDIBLE


def first_audible_seconds(blocks: Iterator[np.ndarray]) -> float:
    n_before = 0
    for block in blocks:
        loud = np.flatnonzero(np.abs(block) > AUDIBLE)
        if len(loud):
            return (n_before + int(loud[0])) / RATE_HZ
        n_before += len(block)
    raise AssertionError("nothing is heard")


# --- when it sounds


@pytest.mark.parametrize("voice", ["af_heart", "am_michael", "ef_dora"])
def test_sound_comes_within_60_ms_of_the_first_sample(voice):
    late = {}
    for text in TEXTS:
        stream = spoken(packaged(), text, voice, language="en")
        late[text] = first_audible_seconds(stream)
        stream.close()
    assert max(late.values()) < 0.06, late


@pytest.mark.parametrize("voice", ["af_heart", "am_michael"])
def test_sentences_have_a_pause_between_them_and_little_silence_behind(voice):
    heard = np.flatnonzero(audible_frames(said(TWO_SENTENCES, voice)))
    pauses = np.diff(heard) / 100
    assert 0.2 < pauses.max() < 0.6 and np.sum(pauses > 0.15) == 1
    assert len(said(TWO_SENTENCES, voice)) / RATE_HZ - heard[-1] / 100 < 0.2


# --- how fast, how high


def test_speed_is_the_rate_of_speech():
    text = TEXTS[0]
    for speed in (0.5, 2.0):
        assert len(said(text, speed=speed)) * speed == pytest.approx(len(said(text)), rel=0.15), speed


def test_the_pitch_of_every_moment_is_moved_by_what_was_asked():
    """Compared where both are voiced: it is the same speech at the same times, but for where the first sample is heard."""

    def f0(samples: np.ndarray) -> np.ndarray:
        return track(samples, len(samples) // HOP_SAMPLES + 1)[0]

    plain = f0(said())
    for semitones in (12.0, -3.0):
        moved = f0(said(pitch_semitones=semitones))
        pairs = [pair for pair in zip(plain, moved, strict=False) if min(pair) > 0]
        ratio = np.median([after / before for before, after in pairs])
        assert len(pairs) > 200 and 12 * np.log2(ratio) == pytest.approx(semitones, abs=0.5)


# --- learning


@pytest.fixture(scope="module")
def clip() -> Clip:
    """Three seconds of a built-in voice that nothing below speaks with: of more, a short refinement hears a smaller part."""
    return Clip(said(TWO_SENTENCES, "am_michael"), RATE_HZ)


@pytest.fixture(scope="module")
def prompts(clip) -> tuple[SpeakerPrompt, SpeakerPrompt]:
    """At once, and after a short refinement, whose voices record their norms in one sentence."""
    with pytest.MonkeyPatch.context() as patch, few_steps([N_STEPS]):
        patch.setattr(learner_module, "THOROUGH", learner_module.BRIEF)
        at_once = packaged().extract(clip)
        *_, last = packaged().refine(clip, None, at_once)
    return at_once, last.prompt


def test_a_refined_voice_is_more_like_the_clip_and_says_it_with_less_loss(clip, prompts):
    encoder, learner, generator = SpeakerEncoder.load(), packaged()._learner, packaged()._networks.decoder.generator
    speaker, text = encoder.embedding(clip), "She will come home tomorrow."
    likeness = [float(encoder.embedding(Clip(say(packaged(), text, prompt, strength=1.0), RATE_HZ)) @ speaker) for prompt in prompts]
    assert likeness[1] > likeness[0] + 0.01, likeness
    heard = learner.heard(clip, ClipAnalysis.of(clip))
    with torch.no_grad():
        clip_said = learner._said(heard)
        voices = [LearnedVoice.of(prompt.tensors, generator).learned for prompt in prompts]
        losses = [
            float(refinement_loop._loss(generator, clip_said, Timbre(voice.style, voice.additions), None, (10, 78))) for voice in voices
        ]
    assert losses[1] < 0.98 * losses[0], losses


def test_a_refined_prompt_is_of_the_same_voice_and_says_how_far_it_is(clip, prompts):
    at_once, better = prompts
    for field in ("engine", "extractor_revision", "weights_fingerprint", "numeric_mode", "source_digest"):
        assert getattr(at_once, field) == getattr(better, field)
    assert at_once.source_digest == clip.digest and at_once.tensors.keys() == better.tensors.keys()
    assert (refinement_of(at_once).step, refinement_of(better).step, refinement_of(better).is_complete) == (0, N_STEPS, True)


# --- what is shipped


def test_the_pool_of_sounds_is_what_its_script_makes():
    """One utterance of the file, in float32 as the script computes it. A processor that rounds otherwise hears the voice's phase otherwise:
    cepstra then differ by 0.016 on average, those of another voice by 0.98."""
    stored = load_file(FILE)
    n_symbols = stored["lengths"][:3]
    begin, end = int(n_symbols[:2].sum()), int(n_symbols.sum())
    frames = stored["frames"].astype(int)
    made = spoken_for_pool(packaged_networks(torch.float32), SENTENCES["en-us"][2], "en-us", "af_heart")
    assert np.array_equal(made.symbols, stored["symbols"][begin:end]) and np.array_equal(made.frames, frames[begin:end])
    rows = slice(2 * frames[:begin].sum(), 2 * frames[:end].sum())
    assert np.abs(cepstra_of(made.samples) - stored["cepstra"][rows].astype(np.float32)).mean() < 0.05
