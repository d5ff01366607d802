"""VoiceLearner: a clip becomes a LearnedVoice, at once and then step by step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.speaker.speaker_encoder import SpeakerEncoder
from engines.kokoro.calibration import BRIEF, THOROUGH, Calibration
from engines.kokoro.learning.clip_measures import HALF_SAMPLES, energy, half_frame_f0, leveled
from engines.kokoro.learning.matched_sounds import SoundPool, matched_frames, sound_features
from engines.kokoro.learning.refinement_loop import ClipTarget, moved_timbres
from engines.kokoro.learning.voice_start import voice_start
from engines.kokoro.network.generator import Timbre
from engines.kokoro.network.networks import KokoroNetworks, KokoroPlan
from engines.kokoro.options import CODES, FRONT_VOICES, SYMBOL_LANGUAGES
from engines.kokoro.speech import TIMBRE_SYMBOLS, VOICED_HZ, SpokenVoice, front_of, front_row
from engines.kokoro.voice import LearnedVoice

__all__ = ["STEPS", "Heard", "VoiceLearner", "sounds_male"]

STEPS = 32  # of refinement: 48 are no more alike to a judge that the loss does not know, and less natural
BETTER_AFTER = (8, 16, STEPS)  # steps: when there is a voice to speak with
FRONTS = ("af_heart", "am_michael")  # a woman's, a man's, that say the clip while it is learned
TOP_SHARE, MOST_BAND_HZ = 0.875, 12_000.0  # of the clip's band is compared
MALE_BELOW_HZ = 165.0  # median F0 between those of men and of women (Hollien and Shipp 1972; Stoicheff 1981)


@dataclass(frozen=True, eq=False)
class Heard:
    """A clip as learning takes it. samples: (T,), whole frames, leveled. embedding: (256,). f0: (1, 2 F) Hz.

    sounds: (F, D), what is compared with the pool.
    """

    samples: np.ndarray
    embedding: np.ndarray
    f0: Tensor
    sounds: np.ndarray
    median_hz: float
    top_hz: float


def sounds_male(median_hz: float) -> bool:
    """By the pitch of the voice."""
    return median_hz < MALE_BELOW_HZ


class VoiceLearner:
    """Reads weights and changes nothing, so that it may learn beside speech. For one thread at a time, of each kind of work."""

    def __init__(self, networks: KokoroNetworks, calibration: Calibration):
        self._networks, self._calibration = networks, calibration

    @cached_property
    def _encoder(self) -> SpeakerEncoder:
        return SpeakerEncoder.load()

    @cached_property
    def _pool(self) -> SoundPool:
        return SoundPool.of(self._networks)

    def warmup(self) -> None:
        """Load what the first clip would wait for."""
        self._encoder, self._pool  # noqa: B018 both are computed when they are first looked at

    def heard(self, clip: Clip, analysis: ClipAnalysis) -> Heard | None:
        """None where the speaker encoder finds no speech."""
        embedding = self._encoder.embedding(clip)
        if embedding is None:
            return None
        samples = leveled(analysis.samples)
        f0 = half_frame_f0(analysis.f0, len(samples) // HALF_SAMPLES)
        voiced = f0[f0 > VOICED_HZ]
        median = float(voiced.median()) if len(voiced) else 2 * MALE_BELOW_HZ
        return Heard(samples, embedding, f0, sound_features(samples), median, TOP_SHARE * min(analysis.bandwidth_hz, MOST_BAND_HZ))

    def at_once(self, heard: Heard) -> LearnedVoice:
        """Some 0.2 CPU seconds."""
        timbre, gain = self._calibrated(heard, Timbre(voice_start().style(heard.embedding), {}), BRIEF)
        return LearnedVoice(timbre, timbre, heard.median_hz, (gain, gain))

    def refined(self, heard: Heard, voice: LearnedVoice, first: int) -> Iterator[tuple[int, LearnedVoice | None]]:
        """(steps done, a better voice where there is one) from step `first` on. A step takes a CPU second or two."""
        with torch.no_grad():
            said = self._said(heard)
            speaker = torch.from_numpy(heard.embedding)
            start, gain = self._calibrated(heard, voice.start, THOROUGH)

        def unlikeness(spoken: Tensor) -> Tensor:
            return 1 - (self._encoder.heard(spoken) @ speaker).mean()

        generator, begin = self._networks.decoder.generator, replace(voice.learned, norms=None)
        for step, timbre in enumerate(moved_timbres(generator, said, begin, unlikeness, steps=STEPS, first=first), first + 1):
            if step not in BETTER_AFTER:
                yield step, None
                continue
            learned, learned_gain = self._calibrated(heard, timbre, THOROUGH)
            yield step, LearnedVoice(start, learned, voice.median_hz, (gain, learned_gain))

    def _calibrated(self, heard: Heard, timbre: Timbre, sentences: Mapping[str, str]) -> tuple[Timbre, float]:
        """With its norms in English, and its gain."""
        front = FRONT_VOICES[CODES[0]][sounds_male(heard.median_hz)]
        voice = SpokenVoice({}, {front: 1.0}, heard.median_hz, timbre.style)
        return self._calibration.of(timbre, voice, SYMBOL_LANGUAGES[CODES[0]], sentences)

    def _said(self, heard: Heard) -> ClipTarget:
        """What the generator takes to say the clip: its sounds, its pitch, its energy."""
        networks = self._networks
        text = self._pool.text[torch.from_numpy(matched_frames(heard.sounds, self._pool))][None]
        samples = torch.from_numpy(heard.samples)
        plan = KokoroPlan(text, heard.f0, energy(samples))
        style = front_row({FRONTS[sounds_male(heard.median_hz)]: 1.0}, TIMBRE_SYMBOLS)[:, : networks.config.style]
        source = networks.decoder.generator.source(plan.f0).to(networks.dtype)
        return ClipTarget(samples, lambda timbre: networks.features(plan, front_of(style, timbre)), source, heard.top_hz)
