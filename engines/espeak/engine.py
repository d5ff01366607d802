"""The embedded engine: converts eSpeak NG speech to a speaker's voice, on a bare CPU and without downloaded weights."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from threadpoolctl import ThreadpoolController

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import ChunkStream, Engine, EngineInfo
from engines.contract.options import Value, choice_option, float_option, int_option
from engines.contract.prompt import SpeakerPrompt, preset_digest
from engines.espeak.prior.prior import Prior
from engines.espeak.speaker.enrollment import Pool, fit_speaker, speaker_base, speaker_tensors
from engines.espeak.speaker.speaker_model import SpeakerModel
from engines.espeak.speaker.vocal_tract import TractFrames, find_tract
from engines.espeak.synthesis import SynthesisParams, stream
from engines.espeak.transcript_fit import fit_transcript
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.ipa import PHONEME, without_phones
from engines.kit.phonemes.languages import language_of
from engines.kit.signal.clip_analysis import ClipAnalysis, measure, refuse_unusable

__all__ = ["EspeakEngine"]


class EspeakEngine(Engine):
    """NumPy: a speech on one CPU thread, learning on two; eSpeak itself is process-wide and behind a lock."""

    numeric_mode = "fp32"
    device = "cpu"

    def __init__(self, info: EngineInfo, asset: Path):
        espeak_library.load()
        self.info = info
        self._prior = Prior.load(asset)
        self.weights_fingerprint = self._prior.fingerprint
        self._prior_bytes = sum(tensor.nbytes for tensor in self._prior.tensors.values())
        self._pool: Pool | None = None
        self._tract_frames: TractFrames | None = None
        # The matrices are small: a second BLAS thread gains a tenth on an idle machine and costs a factor of ten on a busy one, where
        # OpenBLAS spins while its other thread waits for a core (studio/measure/DIARY.md).
        self._one_thread = ThreadpoolController().select(internal_api="openblas").limit(limits=1)

    def warmup(self) -> None:
        self._sentence_pool()

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        recording = ClipAnalysis.of(clip)
        quality = measure(clip, recording)
        refuse_unusable(quality)
        tract = find_tract(self._known_tract(), recording)
        base = speaker_base(self._prior, self._sentence_pool(), recording, tract)
        with ThreadPoolExecutor(1, "espeak-extract") as beside:  # neither waits for the other
            words = None if transcript is None else beside.submit(fit_transcript, self._prior, recording, transcript, base)
            fit = fit_speaker(self._prior, self._sentence_pool(), recording, base)
        spoken = None if words is None else words.result()
        facts = {
            "fit": "no transcript" if spoken is None else "transcript",
            "alignment_cost": round(fit.cost if spoken is None else spoken.cost, 4),
            "tract": round(tract, 2),
            "snr_db": round(quality.snr_db, 1),
            "speech_seconds": round(quality.speech_seconds, 2),
            "clipped_share": round(quality.clipped_share, 4),
            "bandwidth_hz": round(quality.bandwidth_hz),
            "level_dbfs": round(quality.level_dbfs, 1),
            "f0_hz": round(quality.f0_hz, 1),
        }
        tensors = speaker_tensors(self._prior, recording, fit, 1.0 if spoken is None else spoken.rate)
        return self.make_prompt(clip.digest, tensors, transcript, facts)

    def preset(self, name: str) -> SpeakerPrompt:
        if name not in self._prior.presets:
            return super().preset(name)
        return self.make_prompt(preset_digest(name), self._prior.presets[name])

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        self.check_prompt(prompt)
        delivery = SynthesisParams(
            language=language_of(without_phones(text) if PHONEME in text else text, choice_option(options, "language")),
            speed=float_option(options, "speed"),
            pitch_semitones=float_option(options, "pitch_semitones"),
            seed=int_option(options, "seed"),
            first_block_seconds=float_option(options, "first_block_seconds"),
            block_seconds=float_option(options, "block_seconds"),
        )
        yield from stream(text, SpeakerModel.of(prompt.tensors), delivery, self._prior)

    def close(self) -> None:
        """Free what learning needs, and give NumPy its threads back; eSpeak itself stays for the process."""
        self._pool = self._tract_frames = None
        self._one_thread.restore_original_limits()

    def memory_bytes(self) -> int:
        pool = 0 if self._pool is None else self._pool.hidden.nbytes
        frames = 0 if self._tract_frames is None else self._tract_frames.cepstra.nbytes
        return pool + frames + self._prior_bytes

    def _sentence_pool(self) -> Pool:
        if self._pool is None:
            self._pool = Pool.of(self._prior)
        return self._pool

    def _known_tract(self) -> TractFrames:
        if self._tract_frames is None:
            self._tract_frames = TractFrames.load()
        return self._tract_frames
