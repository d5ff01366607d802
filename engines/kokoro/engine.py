"""KokoroEngine: the Engine contract on top of the networks. What a prompt holds, which voice speaks, what is kept per voice."""

from collections.abc import Generator, Mapping

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import ChunkStream, Engine, EngineInfo
from engines.contract.options import Value, choice_option, float_option
from engines.contract.preset_blend import PresetBlend
from engines.contract.prompt import SpeakerPrompt, preset_digest, unreadable
from engines.contract.refinement import LEARNED_OF, LEARNED_STEPS, RefinementStep, refinement_of
from engines.errors import BlendInvalid, ClipUnusable, LanguageUnsupported
from engines.kit.decode.prepared_states import PreparedStates
from engines.kit.nn.module_list import module_bytes
from engines.kit.phonemes.ipa import without_phones
from engines.kit.signal.clip_analysis import ClipAnalysis, measure, refuse_unusable
from engines.kokoro.calibration import BRIEF, THOROUGH, Calibration
from engines.kokoro.learning.learner import STEPS, Heard, VoiceLearner, sounds_male
from engines.kokoro.network.generator import Timbre
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.options import CODES, DEFAULT_STRENGTH, FRONT_VOICES, SYMBOL_LANGUAGES, mother_tongue
from engines.kokoro.speech import TIMBRE_SYMBOLS, SpeechParams, SpokenVoice, front_row, stream
from engines.kokoro.voice import LearnedVoice
from engines.kokoro.voices.voice_table import VOICES, is_male
from engines.text.language_guess import guess_language

__all__ = ["KokoroEngine"]

BANDWIDTH, TELEPHONE_HZ = "bandwidth_hz", 4_500  # the fact of a prompt; a clip that holds less is one of a telephone
TELEPHONE_POWER = 2.5  # 0.7 is heard as 0.41: half a point of MOS for 0.01 of likeness (studio/measure/DIARY.md)
BLEND = "blend"  # the one tensor of a built-in voice: what each of VOICES weighs, (54,) float64


class KokoroEngine(Engine):
    """One checkpoint on a CPU. Streams share no step: a generator's window keeps a core busy (studio/measure/DIARY.md)."""

    PREPARED_MOST_BYTES = 32 * 1024 * 1024  # a voice takes 74 kB for each strength
    device = "cpu"

    def __init__(self, info: EngineInfo, networks: KokoroNetworks, fingerprint: str):
        self.info, self.weights_fingerprint = info, fingerprint
        self.numeric_mode = "bf16" if networks.dtype == torch.bfloat16 else "fp32"
        self._networks, self._calibration = networks, Calibration(networks)
        self._learner = VoiceLearner(networks, self._calibration)
        self._prepared, self._weights_bytes = PreparedStates(self.PREPARED_MOST_BYTES), module_bytes([networks])
        self._is_closed = False

    # --- learning

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        heard, facts = self._heard(clip, self._learner)
        voice = self._learner.at_once(heard)
        return self._prompt_of(clip.digest, voice, 0, facts, transcript)

    def refine(self, clip: Clip, transcript: Transcript | None, prompt: SpeakerPrompt) -> Generator[RefinementStep, None, None]:
        if self._is_closed:
            return
        learner, generator = self._learner, self._networks.decoder.generator  # `close` drops the engine's at any time
        self.check_prompt(prompt)
        done = refinement_of(prompt)
        if done is None or done.is_complete:
            return
        heard, _ = self._heard(clip, learner)
        voice = LearnedVoice.of(prompt.tensors, generator)
        for step, better in learner.refined(heard, voice, done.step):
            learned = better and self._prompt_of(clip.digest, better, step, prompt.facts, transcript)
            yield RefinementStep(step, STEPS, learned)
            if self._is_closed:
                return

    def _heard(self, clip: Clip, learner: VoiceLearner) -> tuple[Heard, dict]:
        """What learning takes of a clip, and what people are told of it. Raises ClipUnusable."""
        self.check_clip(clip)
        analysis = ClipAnalysis.of(clip)
        quality = measure(clip, analysis)
        refuse_unusable(quality)
        heard = learner.heard(clip, analysis)
        if heard is None:
            raise ClipUnusable("clip_no_speech")
        return heard, {
            "snr_db": round(quality.snr_db, 1),
            "speech_seconds": round(quality.speech_seconds, 2),
            BANDWIDTH: round(quality.bandwidth_hz),
            "f0_hz": round(heard.median_hz, 1),
        }

    def _prompt_of(
        self, digest: str, voice: LearnedVoice, step: int, facts: Mapping, transcript: Transcript | None
    ) -> SpeakerPrompt:  # fmt: skip
        return self.make_prompt(digest, voice.tensors(), transcript, {**facts, LEARNED_STEPS: step, LEARNED_OF: STEPS})

    # --- built-in voices

    def preset(self, name: str) -> SpeakerPrompt:
        if name in self.info.presets:
            weights, text = {name: 1.0}, name
        else:
            try:
                blend = PresetBlend.of(name, self.info)
            except BlendInvalid:
                if "+" in name:
                    raise
                return super().preset(name)
            weights, text = blend.weights, blend.text
        return self.make_prompt(preset_digest(text), {BLEND: np.array([weights.get(voice, 0.0) for voice in VOICES])})

    # --- speech

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        self.check_prompt(prompt)
        language = _language_of(without_phones(text), choice_option(options, "language"))
        voice = self._voice(prompt, language, float_option(options, "strength"))
        params = SpeechParams(SYMBOL_LANGUAGES[language], float_option(options, "speed"), float_option(options, "pitch_semitones"))
        yield from stream(self._networks, text, voice, params)

    def warmup(self) -> None:
        """Say a word in the default voice, and read what the first clip would wait for."""
        assert self.info.default_preset is not None
        prompt = self.preset(self.info.default_preset)
        options = {"language": CODES[0], "strength": DEFAULT_STRENGTH, "speed": 1.0, "pitch_semitones": 0.0}
        for _ in self.stream("Yes.", prompt, options):
            pass
        self._learner.warmup()

    def prepare(self, prompt: SpeakerPrompt) -> None:
        self.check_prompt(prompt)
        self._voice(prompt, CODES[0], DEFAULT_STRENGTH)

    def forget(self, content_digest: str) -> None:
        self._prepared.forget(content_digest)

    def memory_bytes(self) -> int:
        return self._weights_bytes + self._prepared.bytes

    def close(self) -> None:
        """A refinement that is under way ends behind its step."""
        self._is_closed = True
        self._prepared.clear()
        del self._networks, self._calibration, self._learner

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        try:
            if prompt.is_preset:
                self._weights(prompt)
            else:
                LearnedVoice.of(prompt.tensors, self._networks.decoder.generator)
        except ValueError:
            raise unreadable(prompt) from None

    def _weights(self, prompt: SpeakerPrompt) -> dict[str, float]:
        """Of a built-in voice or blend. Raises ValueError for tensors that are none."""
        shares = prompt.tensors.get(BLEND)
        if shares is None or len(prompt.tensors) > 1 or shares.shape != (len(VOICES),) or shares.dtype != np.float64:
            raise ValueError("no blend")
        if not (np.isfinite(shares).all() and (shares >= 0).all() and np.isclose(shares.sum(), 1)):
            raise ValueError("no shares of a whole")
        return {voice: float(share) for voice, share in zip(VOICES, shares, strict=True) if share}

    def _voice(self, prompt: SpeakerPrompt, language: str, strength: float) -> SpokenVoice:
        """Ready to speak the language at that strength; computed once for both."""
        strength = 0.0 if prompt.is_preset else strength
        return self._prepared.get(prompt.content_digest, (strength, language), lambda: self._prepare(prompt, language, strength))

    @torch.no_grad()
    def _prepare(self, prompt: SpeakerPrompt, language: str, strength: float) -> SpokenVoice:
        """Whose articulation is taken: of a built-in voice its own in its mother tongue, else that of a voice of the language and sex.

        A learned voice brings its norms in English. In other languages, as a built-in voice, it says a sentence for them.
        """
        generator, symbols = self._networks.decoder.generator, SYMBOL_LANGUAGES[language]
        if prompt.is_preset:
            weights = self._weights(prompt)
            is_own = all(_is_plain_same(mother_tongue(voice), language) for voice in weights)
            front = weights if is_own else {FRONT_VOICES[language][is_male(max(weights, key=weights.__getitem__))]: 1.0}
            timbre = Timbre(front_row(weights, TIMBRE_SYMBOLS)[:, : self._networks.config.style], {})
            timbre, _ = self._calibration.of(timbre, SpokenVoice({}, front), symbols, BRIEF)
            return SpokenVoice(generator.scales(timbre), front)
        voice, strength = LearnedVoice.of(prompt.tensors, generator), _followed(prompt, strength)
        timbre, gain = voice.timbre(strength), voice.gain(strength)
        front = {FRONT_VOICES[language][sounds_male(voice.median_hz)]: 1.0}
        if not _is_plain_same(language, CODES[0]):
            done = refinement_of(prompt)
            sentences = BRIEF if done and not done.step else THOROUGH
            spoken = SpokenVoice({}, front, voice.median_hz, timbre.style)
            timbre, gain = self._calibration.of(timbre, spoken, symbols, sentences)
        return SpokenVoice(generator.scales(timbre), front, voice.median_hz, timbre.style, gain)


def _followed(prompt: SpeakerPrompt, strength: float) -> float:
    """Less of a voice that was heard by telephone, between the two ends: it brings the telephone's sound with it."""
    band = prompt.facts.get(BANDWIDTH)
    return strength**TELEPHONE_POWER if isinstance(band, int) and band < TELEPHONE_HZ else strength


def _is_plain_same(language: str, other: str) -> bool:
    """Whether they are one language, whatever their accents."""
    return language.partition("-")[0] == other.partition("-")[0]


def _language_of(text: str, code: str | None) -> str:
    """Raises LanguageUnsupported where nobody named a language and the text seems to be in another than these."""
    found = code or guess_language(text)
    if found not in CODES:
        hint = f"Name the language, one of {', '.join(CODES)}, or choose an engine that speaks it."
        raise LanguageUnsupported(hint=hint, detail="the text seems to be in this language", language=found, n=len(CODES))
    return found
