"""ToneEngine: the voice is a sine with the speaker's pitch; first packet, pace, level, failures and halts are options of each request.

The octave engine says recordings again as well, in a sine as long.
"""

import threading
import time
from collections.abc import Generator, Mapping
from dataclasses import replace

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Option, Value
from engines.contract.prompt import SpeakerPrompt, adopted_digest
from engines.contract.prompt_form import PromptForm
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import EngineFailed, TranscriptMismatch

SAMPLE_RATE = 24_000
CHUNK_SAMPLES = 1_920  # 80 ms, the frame of most neural codecs
SECONDS_PER_CHARACTER = 0.05
EXTRACT_SECONDS = 0.15
NOT_SAID = "never said"  # words in a transcript, from which it learns nothing
MOST_HELD_SECONDS = 120  # or a test that fails would leave the engine held

OPTIONS = (
    Option("ttfp", "float", 0.0, "Time until the first chunk.", minimum=0.0, maximum=20.0, unit="s"),
    Option("rtf", "float", 0.0, "Computing per second of audio after the first chunk.", minimum=0.0, maximum=4.0),
    Option("level", "float", 0.25, "Amplitude of the sine.", minimum=0.0, maximum=1.0),
    Option("fail_at", "int", None, "Chunk at which the engine fails.", minimum=0, maximum=10_000),
    Option("loop_at", "int", None, "Chunk at which the engine ends for a loop.", minimum=0, maximum=10_000),
    Option("hold_at", "int", None, "Chunk before which the engine waits to be let go.", minimum=0, maximum=10_000),
    Option("seed", "int", 0, "Phase of the sine, degrees.", minimum=0, maximum=2**63 - 1),
)

TONE = EngineInfo(
    id="tone",
    title="Tone",
    summary="Sines for tests.",
    licenses=(License("Apache-2.0"),),
    sample_rate=SAMPLE_RATE,
    streams="frame",
    transcript="optional",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=("en", "de"),
    options=OPTIONS,
    presets=("hum",),
    default_preset="hum",
    prompt_forms=(PromptForm("embeddings", (None, 6), most_frames=50),),
    markup=(r"\[whisper\]",),
)
# Twice the pitch for the same voice, so that a sound tells which engine made it.
# And thirteen options, with the studio's own speed: as many as any engine has.
MORE_OPTIONS = (
    Option("pitch_semitones", "float", 0.0, "Changes nothing.", minimum=-12.0, maximum=12.0, unit="semitones"),
    Option("first_block_seconds", "float", 0.1, "Changes nothing.", minimum=0.05, maximum=2.0, unit="s"),
    Option("block_seconds", "float", 0.3, "Changes nothing.", minimum=0.05, maximum=2.0, unit="s"),
    Option("top_k", "int", 50, "Changes nothing.", minimum=0, maximum=3072),
    Option("careful", "bool", True, "Changes nothing."),
)
OCTAVE = replace(
    TONE, id="octave", title="Octave", presets=(), default_preset=None, prompt_forms=(), options=OPTIONS + MORE_OPTIONS, converts=True
)
BROKEN = replace(TONE, id="broken", title="Broken", presets=(), default_preset=None, prompt_forms=(), weights_command="make broken")


def pitch_of(clip: Clip) -> float:
    """Hz of the strongest line of a recording, which the tone engine sings back."""
    spectrum = np.abs(np.fft.rfft(clip.samples * np.hanning(len(clip.samples))))
    return float(np.argmax(spectrum) * clip.sample_rate / len(clip.samples))


class ToneEngine(Engine):
    """factor: by which it sings higher than the speaker. let_go: what a speech with `hold_at` waits for; without it nothing does."""

    def __init__(self, info: EngineInfo, factor: float = 1.0, let_go: threading.Event | None = None):
        self.info = info
        self._forget_generation = let_go
        self.weights_fingerprint = info.id
        self.numeric_mode = "fp32"
        self.device = "cpu"
        self._factor = factor

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        if transcript is not None and NOT_SAID in transcript.text:
            raise TranscriptMismatch("The words are not those of the clip.", "Correct them, or leave them out.")
        time.sleep(EXTRACT_SECONDS)
        return self._learned(clip.digest, pitch_of(clip))

    def adopt(self, name: str, tensor: np.ndarray) -> SpeakerPrompt:
        """Its pitch is the mean of the numbers, in Hz."""
        return self._learned(adopted_digest(name, tensor), float(tensor.mean())) if self.info.prompt_forms else super().adopt(name, tensor)

    def preset(self, name: str) -> SpeakerPrompt:
        return self._learned(f"preset:{name}", 220.0) if name in self.info.presets else super().preset(name)

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        return (yield from self._sung(max(CHUNK_SAMPLES, int(len(text) * SECONDS_PER_CHARACTER * SAMPLE_RATE)), prompt, options))

    def convert(self, clip: Clip, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        if not self.info.converts:
            yield from super().convert(clip, prompt, options)
        return (yield from self._sung(round(clip.seconds * SAMPLE_RATE), prompt, options))

    def _sung(self, n_samples: int, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        pitch = float(prompt.tensors["pitch_hz"][0]) * self._factor
        phase = 2 * np.pi * (options["seed"] % 360) / 360
        due = time.perf_counter() + options["ttfp"]
        for index, start in enumerate(range(0, n_samples, CHUNK_SAMPLES)):
            if index == options["fail_at"]:
                raise EngineFailed("The tone engine was told to fail.", "Take the number out of “Fail at”.")
            if index == options["loop_at"]:
                return SpeechEnd.repeating(3.0)
            if index == options["hold_at"] and self._forget_generation:
                assert self._forget_generation.wait(MOST_HELD_SECONDS)
            seconds = np.arange(start, min(start + CHUNK_SAMPLES, n_samples)) / SAMPLE_RATE
            time.sleep(max(0.0, due - time.perf_counter()))
            due += CHUNK_SAMPLES / SAMPLE_RATE * options["rtf"]
            yield (options["level"] * np.sin(2 * np.pi * pitch * seconds + phase)).astype(np.float32)
        return ENDED

    def close(self) -> None:
        """Nothing to free."""

    def _learned(self, digest: str, pitch_hz: float) -> SpeakerPrompt:
        return self.make_prompt(digest, {"pitch_hz": np.array([pitch_hz], np.float32)})
