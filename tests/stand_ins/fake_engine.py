"""FakeEngine: a deterministic engine without a model. Its voice is a sine with the clip's pitch, so a test can hear who speaks."""

import difflib
import re
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import YIELD_POINT, Engine, EngineInfo
from engines.contract.editing import EditedWords, EditKind, RecordingEdit, edited_words
from engines.contract.license import License
from engines.contract.options import Option, Value
from engines.contract.preset_blend import ADDS, PresetBlend
from engines.contract.prompt import Fact, SpeakerPrompt, adopted_digest, embedding_digest, preset_digest
from engines.contract.prompt_form import PromptForm
from engines.contract.refinement import LEARNED_OF, LEARNED_STEPS, RefinementStep, refinement_of
from engines.contract.text_feed import TextFeed
from engines.contract.word_marks import WordMark, mark
from engines.errors import ClipUnusable, EngineFailed, OptionInvalid

SAMPLE_RATE = 24_000
ALPHABET = "abcdefghijklmnopqrst"
TONE_PEAK = 0.5
CHUNK_SAMPLES = 1_920  # 80 ms, the frame of most neural codecs

INFO = EngineInfo(
    id="fake",
    title="Fake",
    summary="Sines for tests.",
    licenses=(License("Apache-2.0"),),
    sample_rate=SAMPLE_RATE,
    streams="frame",
    transcript="optional",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=("en", "de"),
    options=(
        Option("seed", "int", 0, "Phase of the sine.", minimum=0, maximum=2**63 - 1),
        Option("speed", "float", 1.0, "Speaking rate.", minimum=0.25, maximum=4.0),
        Option("language", "choice", None, "Language of the text.", choices=("en", "de")),
    ),
    presets=("tone",),
    default_preset="tone",
    embedding_size=8,
)

INSTRUCTIONS = Option("instructions", "text", "", "How to speak; with the built-in speaker “design”, who.", maximum=500)
# It has no voice but those of clips, and the one that is described to it.
DESIGNER = replace(
    INFO,
    id="designer",
    title="Designer",
    options=(*INFO.options, INSTRUCTIONS),
    presets=("design",),
    default_preset=None,
    designed_preset="design",
    embedding_size=None,
)
# It takes what other tools made: tables of floats, and of codes, with a row for each book.
FORMS = (PromptForm("embeddings", (None, 6), most_frames=50), PromptForm("codes", (3, None), 50, is_codes=True, sizes=(8, 4, 4)))
ADOPTER = replace(INFO, id="adopter", title="Adopter", prompt_forms=FORMS)
# It says recorded speech again as well, in a tone as long.
CONVERTER = replace(INFO, id="converter", title="Converter", converts=True)
# It speaks a text while it comes: of each piece a tone.
READER = replace(INFO, id="reader", title="Reader", reads_along=True)
# It says where each word of its text is: each character takes as long.
MARKER = replace(INFO, id="marker", title="Marker", marks_words=True)
# It changes what is said in a recording. Each letter sounds as long, and what is none is silent; what changed sounds CHANGED_RATIO higher.
EMOTION_TYPE = Option("type", "choice", "", "What the words sound like.", choices=("", "happy", "sad"))
LEVEL = Option("level", "int", 2, "How much.", minimum=1, maximum=3)
EDITS = (
    EditKind("replace", "stretch", "Says other words there.", takes_text=True, changes_words=True),
    EditKind("remove", "stretch", "Leaves words out.", changes_words=True),
    EditKind("insert", "point", "Says more words.", takes_text=True, changes_words=True),
    EditKind("pause", "point", "Makes a pause.", options=(LEVEL,)),
    EditKind("emotion", "stretch", "Says words with a feeling.", options=(EMOTION_TYPE, LEVEL)),
    EditKind("denoise", "whole", "Takes noise away."),
)
EDITOR = replace(INFO, id="editor", title="Editor", edits=EDITS, marks_words=True)
CHANGED_RATIO, PAUSE_SECONDS = 1.5, 0.2
# It goes on learning: after some of its steps it speaks so much higher than after the one before.
REFINER = replace(INFO, id="refiner", title="Refiner", refines=True)
N_STEPS, BETTER_AFTER, STEP_HZ = 6, (2, 4, 6), 10.0
DURATION = Option("duration", "float", 0.0, "Seconds of the speech; 0 where the text decides.", minimum=0.0, maximum=600.0, unit="s")
# It takes no words but these, of each group one.
KNOWN_WORDS = (("male", "female"), ("child", "young adult", "elderly"), ("low pitch", "high pitch"))
ATTRIBUTED = replace(
    DESIGNER,
    id="attributed",
    title="Attributed",
    options=(*INFO.options, replace(INSTRUCTIONS, suggestions=KNOWN_WORDS)),
)
# It has several built-in speakers, each of a language, and blends them.
BLENDER = replace(
    INFO,
    id="blender",
    title="Blender",
    presets=("alma", "bea", "carl", "doro"),
    default_preset="alma",
    preset_languages={"alma": "en-us", "bea": "en-gb", "carl": "de"},
    preset_sexes={"alma": "female", "bea": "female", "carl": "male"},
    blends_presets=True,
)
# It speaks hundreds of languages, of which browsers know few by name.
TONGUES = {"en": "English", "de": "German", "tw": "twi", "fat": "fanti"} | {
    f"q{a}{b}": f"tongue {a}{b}" for a in ALPHABET for b in ALPHABET
}
POLYGLOT = replace(
    INFO,
    id="polyglot",
    title="Polyglot",
    languages=tuple(TONGUES),
    options=tuple(
        replace(option, choices=tuple(TONGUES), labels=tuple(TONGUES.values())) if option.name == "language" else option
        for option in INFO.options
    ),
)


def pitch_of(source_digest: str) -> float:
    """Hz, 200..1200 in steps of 5, from the first digits of a hexadecimal digest."""
    return 200.0 + 5.0 * (int(source_digest[:8], 16) % 200)


def heard_pitch(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> float:
    """Hz of the strongest line in samples (T,), to 1 / duration; for tests that ask who spoke."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 8 * len(samples)))
    return float(np.argmax(spectrum) * sample_rate / (8 * len(samples)))


class FakeEngine(Engine):
    """Counts what it does; `before_...` run at the named moments (wait on an event there to hold the engine)."""

    def __init__(
        self,
        info: EngineInfo = INFO,
        *,
        before_extract: Callable[[], None] = lambda: None,
        before_chunk: Callable[[int], None] = lambda index: None,
        before_step: Callable[[int], None] = lambda step: None,
        fail_at_chunk: int | None = None,
        seconds_per_character: float = 0.05,
    ):
        self.info = info
        self.weights_fingerprint = "fake-weights"
        self.numeric_mode = "fp32"
        self.device = "cpu"
        self.extractions = 0
        self.prepared: set[str] = set()
        self.chunks_made = 0
        self.steps: list[tuple[str, int]] = []  # of refining: the clip's digest, and which
        self.refined_words: list[Transcript | None] = []
        self.texts: list[str] = []
        self.converted: list[Clip] = []
        self.changes: list[RecordingEdit] = []  # of recordings
        self.options: list[dict[str, Value]] = []  # of each text
        self.streams_closed = 0
        self.closed = False
        self.warmed_up = False
        self.threads: set[int] = set()
        self._before_extract = before_extract
        self._before_chunk = before_chunk
        self._before_step = before_step
        self._fail_at_chunk = fail_at_chunk
        self._seconds_per_character = seconds_per_character

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.threads.add(threading.get_ident())
        if not self.info.clones_clips:
            self.check_clip(clip)
        if clip.seconds < self.info.least_clip_seconds:
            raise ClipUnusable("clip_too_short", f"The clip has {clip.seconds:.1f} s; at least 1 s is needed.", "Record 3-15 s.")
        self.extractions += 1
        self._before_extract()
        return self._learned(clip.digest, pitch_of(clip.digest), {LEARNED_STEPS: 0, LEARNED_OF: N_STEPS} if self.info.refines else {})

    def refine(self, clip: Clip, transcript: Transcript | None, prompt: SpeakerPrompt) -> Generator[RefinementStep, None, None]:
        if not self.info.refines:
            return
        self.check_prompt(prompt)
        self.refined_words.append(transcript)
        for step in range(refinement_of(prompt).step + 1, N_STEPS + 1):
            self._before_step(step)
            if self.closed:
                return
            self.steps.append((clip.digest, step))
            better = None
            if step in BETTER_AFTER:
                facts = dict(prompt.facts) | {LEARNED_STEPS: step, LEARNED_OF: N_STEPS}
                better = self._learned(clip.digest, pitch_of(clip.digest) + STEP_HZ * step, facts)
            yield RefinementStep(step, N_STEPS, better)

    def embed(self, embedding: np.ndarray) -> SpeakerPrompt:
        return self._learned(embedding_digest(embedding), 300.0 + float(np.sum(embedding)))

    def adopt(self, name: str, tensor: np.ndarray) -> SpeakerPrompt:
        if not any(form.name == name and form.fits(tensor) for form in self.info.prompt_forms):
            return super().adopt(name, tensor)
        return self._learned(adopted_digest(name, tensor), 300.0 + float(np.sum(tensor)))

    def preset(self, name: str) -> SpeakerPrompt:
        """440 Hz, and of each further one 100 more; of a blend the mean."""
        if self.info.blends_presets and ADDS in name:
            weights = PresetBlend.of(name, self.info).weights
        elif name in self.info.presets:
            weights = {name: 1.0}
        else:
            return super().preset(name)
        pitch_hz = sum(weight * (440.0 + 100.0 * self.info.presets.index(preset)) for preset, weight in weights.items())
        return self._learned(preset_digest(name), pitch_hz)

    def warmup(self) -> None:
        self.warmed_up = True

    def prepare(self, prompt: SpeakerPrompt) -> None:
        super().prepare(prompt)
        self.prepared.add(prompt.content_digest)

    def forget(self, content_digest: str) -> None:
        self.prepared.discard(content_digest)

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        self.texts.append(text)
        self.options.append(dict(options))
        self._check_words(options)
        seconds = options.get("duration") or len(text) * self._seconds_per_character / options.get("speed", 1.0)
        if self.info.marks_words:
            per_character = seconds * SAMPLE_RATE / len(text)
            for word in re.finditer(r"\S+", text):
                mark(WordMark(*word.span(), round(word.start() * per_character), round(word.end() * per_character)))
        yield from self._tone(seconds, prompt, options)

    def stream_along(self, text: TextFeed, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        if not self.info.reads_along:
            return (yield from super().stream_along(text, prompt, options))
        self.texts.append("")
        index, is_over = len(self.texts) - 1, False
        while not is_over:
            piece, is_over = text.take()
            self.texts[index] += piece
            yield from self._tone(len(piece) * self._seconds_per_character, prompt, options)
            if not is_over:
                text.want()
                yield YIELD_POINT
        return None

    def convert(self, clip: Clip, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        """As long as the clip, and as loud as its loudest sample."""
        if not self.info.converts:
            yield from super().convert(clip, prompt, options)
        self.converted.append(clip)
        peak = float(np.abs(clip.samples).max())
        for chunk in self._tone(clip.seconds / options.get("speed", 1.0), prompt, options):
            yield chunk * (peak / TONE_PEAK)

    def edit(self, clip: Clip, change: RecordingEdit, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        """What does not change sounds as the recording's loudest tone; what does, as the voice, CHANGED_RATIO higher."""
        if not self.info.edits:
            yield from super().edit(clip, change, prompt, options)
        self.changes.append(change)
        said = edited_words(change, self.info.edits)
        n_before = self._pauses(change, said)
        sound = self._letters(said, n_before, heard_pitch(clip.samples, clip.sample_rate), float(prompt.tensors["pitch_hz"][0]))
        if self.info.marks_words:
            each = round(self._seconds_per_character * SAMPLE_RATE)
            for word in re.finditer(r"\w+", said.text):
                start, end = word.span()
                mark(WordMark(start, end, start * each + int(n_before[start]), end * each + int(n_before[start])))
        for index, start in enumerate(range(0, len(sound), CHUNK_SAMPLES)):
            self._before_chunk(index)
            if index == self._fail_at_chunk:
                raise EngineFailed("The fake engine was told to fail.")
            self.chunks_made += 1
            yield sound[start : start + CHUNK_SAMPLES]

    def _pauses(self, change: RecordingEdit, said: EditedWords) -> np.ndarray:
        """(characters + 1,) samples of asked silence before each character."""
        n_before = np.zeros(len(said.text) + 1, int)
        for one, span in zip((one for one in change.operations if one.kind != "denoise"), said.spans, strict=True):
            if one.kind == "pause":
                n_before[span.other_start :] += round(PAUSE_SECONDS * int(one.values["level"] or 0) * SAMPLE_RATE)
        return n_before

    def _letters(self, said: EditedWords, n_before: np.ndarray, kept_hz: float, voice_hz: float) -> np.ndarray:
        """(T,) float32: a tone where a letter is."""
        each = round(self._seconds_per_character * SAMPLE_RATE)
        sound = np.zeros(len(said.text) * each + int(n_before[-1]), np.float32)
        for at, letter in enumerate(said.text):
            if letter.isalnum():
                is_changed = any(span.other_start <= at < span.other_end for span in said.spans)
                start = at * each + int(n_before[at])
                turn = 2 * np.pi * (CHANGED_RATIO * voice_hz if is_changed else kept_hz) / SAMPLE_RATE
                sound[start : start + each] = TONE_PEAK / 2 * np.sin(turn * np.arange(start, start + each))
        return sound

    def _tone(self, seconds: float, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        self.prepare(prompt)
        self.threads.add(threading.get_ident())
        n_samples = int(seconds * SAMPLE_RATE)
        phase = 2 * np.pi * (options["seed"] % 360) / 360
        pitch = float(prompt.tensors["pitch_hz"][0])
        try:
            for index, start in enumerate(range(0, n_samples, CHUNK_SAMPLES)):
                self._before_chunk(index)
                if index == self._fail_at_chunk:
                    raise EngineFailed("The fake engine was told to fail.")
                time_seconds = np.arange(start, min(start + CHUNK_SAMPLES, n_samples)) / SAMPLE_RATE
                self.chunks_made += 1
                yield (TONE_PEAK * np.sin(2 * np.pi * pitch * time_seconds + phase)).astype(np.float32)
        finally:
            self.streams_closed += 1

    def close(self) -> None:
        self.closed = True

    def _check_words(self, options: Mapping[str, Value]) -> None:
        known = {word for option in self.info.options for group in option.suggestions for word in group}
        for word in filter(None, str(options.get("instructions", "")).split(", ") if known else ()):
            if word not in known:
                fact, near = f"{word!r} is no word that this engine knows.", tuple(difflib.get_close_matches(word, known, n=1))
                raise OptionInvalid(INSTRUCTIONS.name, fact, "Say another.", sentence="option_no_choice", value=word, choices=near)

    def _learned(self, source_digest: str, pitch: float, facts: Mapping[str, Fact] | None = None) -> SpeakerPrompt:
        return self.make_prompt(source_digest, {"pitch_hz": np.array([pitch], np.float32)}, facts=facts)
