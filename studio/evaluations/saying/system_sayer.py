"""SystemSayer: says the cells of one system, voice by voice, one at a time; what it takes is timed as a listener would wait for it."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from engines.contract.contract import EngineInfo
from engines.errors import (
    CallerMistake,
    ClipsUnsupported,
    ClipUnusable,
    EngineError,
    EngineUnavailable,
    EngineUnreachable,
    PresetUnknown,
    PromptInvalid,
    TranscriptMismatch,
    TranscriptRequired,
)
from studio.audio.pcm16 import int16_of
from studio.errors import (
    DiskError,
    EngineBusy,
    EvaluationRecordingUnknown,
    LearningUnfinished,
    SpeechCancelled,
    TranscriberBusy,
)
from studio.evaluations.keep.kept_files import KeptFiles
from studio.evaluations.keep.store import EvaluationStore
from studio.evaluations.plan.cell import CellKey, SaidCell, VoiceRun
from studio.evaluations.plan.plan import EvaluationPlan, EvaluationSystem, EvaluationText, EvaluationVoice
from studio.evaluations.plan.refusal import refusal_of
from studio.evaluations.saying.evaluating_studio import EvaluatingStudio
from studio.evaluations.saying.paces import Paces
from studio.evaluations.saying.progress import CellStep
from studio.evaluations.saying.voice_copies import VoiceCopies
from studio.running.jobs.stop_signal import StopSignal
from studio.running.offer.memory_check import InsufficientMemory
from studio.settings import OWN_DIALECT
from studio.speakers.speaker import preset_of
from studio.speech.body import read_body
from studio.speech.speech import Speech
from studio.timeline import Timeline

__all__ = ["OF_ENGINE", "SayerParts", "Stopped", "SystemSayer"]

BUSY_SECONDS = 1.0  # before an engine that others keep busy is asked again
MOST_FAILURES = 3  # cells in a row that an engine fails to say before it counts as broken
LEARNED_SECONDS = "learned_seconds"  # of a prompt's facts: what was spent on refining it (studio/prompts/refiner.py)
# What is wrong with a voice, whatever it says.
OF_VOICE = (
    ClipUnusable,
    ClipsUnsupported,
    EvaluationRecordingUnknown,
    PresetUnknown,
    PromptInvalid,
    TranscriptMismatch,
    TranscriptRequired,
)
# What keeps an engine from saying anything, until somebody mends it.
OF_ENGINE = (EngineUnavailable, EngineUnreachable, InsufficientMemory)


class Stopped(Exception):
    """Somebody wants no more, or the studio closes."""


@dataclass(frozen=True)
class SayerParts:
    """What the systems of one evaluation are said with. on_cell: told of each before it is said, and once it is kept."""

    store: EvaluationStore
    files: KeptFiles
    copies: VoiceCopies
    paces: Paces
    stop: StopSignal
    evaluation_id: str
    plan: EvaluationPlan
    on_cell: Callable[[CellKey, CellStep], None]

    @property
    def studio(self) -> EvaluatingStudio:
        """As nobody sees it but the evaluation."""
        return self.copies.studio


class SystemSayer:
    """system: of the plan, with an engine. Raises Stopped, EvaluationUnknown, DiskError, OSError, and an EngineError where the engine
    cannot be used; what one cell or voice does not allow is kept as its refusal."""

    def __init__(self, parts: SayerParts, system: EvaluationSystem, info: EngineInfo):
        self._parts, self._system, self._info = parts, system, info
        self._voices = {voice.id: voice for voice in parts.plan.voices}
        self._texts = {text.id: text for text in parts.plan.texts}
        self._failed: list[tuple[CellKey, EngineError]] = []

    def say(self, keys: Sequence[CellKey], on_first: Callable[[], None]) -> None:
        """keys: unsaid cells, in the plan's order. on_first: called once the engine has spoken."""
        self._on_first = on_first
        for voice_id, cells in groupby(keys, lambda key: key.voice):
            self._say_voice(self._voices[voice_id], list(cells))
        self._give_up_failed()

    # --- one voice

    def _say_voice(self, voice: EvaluationVoice, keys: list[CellKey]) -> None:
        try:
            with self._voice(voice) as name:
                self._begin_voice(voice, name, keys)
                self._say_cells(voice, name, keys)
        except OF_VOICE as error:
            for key in keys:
                self._refuse(key, error)

    def _say_cells(self, voice: EvaluationVoice, name: str, keys: list[CellKey]) -> None:
        """All in the same prompt; what is said leaves `keys`."""
        with self._parts.studio.unrefined():
            while keys:
                self._check_recording(voice)
                self._say_cell(keys[0], name)
                keys.pop(0)

    @contextmanager
    def _voice(self, voice: EvaluationVoice) -> Iterator[str]:
        """The name by which its engine is asked for the voice."""
        preset = preset_of(voice.name, self._info) if voice.name else None
        if voice.clip is None or (preset is not None and not self._info.clones_clips):
            if preset is None:
                raise PresetUnknown(hint="Leave the voice out.", name=voice.name or voice.label, engine=self._info.title)
            yield preset
            return
        parts = self._parts
        with ExitStack() as stack:
            if parts.plan.learn == "now":
                stack.enter_context(parts.studio.unrefined())
            parts.copies.forget(self._system.id, voice.id)  # of a run that died
            clip = parts.store.recording(parts.evaluation_id, voice.clip)
            stack.callback(parts.copies.forget, self._system.id, voice.id)
            yield parts.copies.add(self._system.id, voice, clip).name

    def _begin_voice(self, voice: EvaluationVoice, name: str, keys: list[CellKey]) -> None:
        """Speak once, which nobody keeps: so the engine learns the voice. Texts that it refuses are refused as cells, and leave `keys`."""
        started, speech = time.perf_counter(), None
        while speech is None:
            if not keys:
                return
            self._parts.on_cell(keys[0], "begin" if voice.clip is None else "learn")
            spoken = self._attempt(keys[0], name, beginning=True)
            if spoken is None:
                keys.pop(0)
            else:
                speech = spoken[0]
        self._on_first()
        if voice.clip is None:
            return
        timeline, refined_seconds = speech.timeline, 0.0
        if self._parts.plan.learn == "best" and self._info.refines:
            self._refine(name)
            learned = self._spoken(keys[0], name, beginning=True)[0].prompt_facts.get(LEARNED_SECONDS)
            refined_seconds = float(learned) if isinstance(learned, int | float) else 0.0
        extract_seconds = timeline.span_seconds("extract")
        run = VoiceRun(
            self._system.id,
            voice.id,
            None if timeline.cache != "miss" or "load" in timeline.stages() else timeline.ttfp_seconds,
            None if extract_seconds is None else extract_seconds + refined_seconds,
        )
        self._parts.store.put_voice_run(self._parts.evaluation_id, run)
        self._parts.paces.learned(self._info.id, time.perf_counter() - started)

    def _refine(self, name: str) -> None:
        """Until it is as alike as it gets; one that takes longer than anybody waits for speaks as it is by then."""
        self._check()
        try:
            self._parts.studio.warm(name, self._info.id, until="best")
        except LearningUnfinished:
            self._check()

    def _check_recording(self, voice: EvaluationVoice) -> None:
        """Raises EvaluationRecordingUnknown where its owner has deleted it meanwhile."""
        if voice.clip is not None:
            self._parts.store.check_recording(self._parts.evaluation_id, voice.clip)

    # --- one cell

    def _say_cell(self, key: CellKey, name: str) -> None:
        self._parts.on_cell(key, "begin")
        started = time.perf_counter()
        spoken = self._attempt(key, name)
        if spoken is not None and spoken[0].timeline.start != "warm":  # it was unloaded meanwhile, or what it learned left the memory
            spoken = self._attempt(key, name)
        if spoken is not None:
            self._keep(key, *spoken)
            self._parts.paces.said(self._info.id, len(self._texts[key.text].text), time.perf_counter() - started)

    def _attempt(self, key: CellKey, name: str, *, beginning: bool = False) -> tuple[Speech, np.ndarray] | None:
        """What `_spoken` gives; None where it is refused, or the engine fails at it: then it is noted."""
        try:
            spoken = self._spoken(key, name, beginning=beginning)
        except (*OF_VOICE, *OF_ENGINE, DiskError):
            raise
        except CallerMistake as error:
            return self._refuse(key, error)
        except EngineError as error:
            self._failed.append((key, error))
            if len(self._failed) >= MOST_FAILURES:
                raise
            return None
        self._give_up_failed()
        return spoken

    def _keep(self, key: CellKey, speech: Speech, samples: np.ndarray) -> None:
        parts, timeline = self._parts, speech.timeline
        sound = parts.files.keep(parts.evaluation_id, int16_of(samples), speech.sample_rate)
        ttfp_seconds = timeline.ttfp_seconds if timeline.start == "warm" else None
        rtf = timeline.rtf if timeline.compute_seconds else None  # of engines that run elsewhere nobody knows it
        parts.store.put_said(parts.evaluation_id, SaidCell(key, sound, ttfp_seconds, rtf, _warning(speech)))
        parts.on_cell(key, "keep")

    def _refuse(self, key: CellKey, error: EngineError) -> None:
        self._parts.store.put_said(self._parts.evaluation_id, SaidCell(key, refused=refusal_of(error)))
        self._parts.on_cell(key, "keep")

    def _give_up_failed(self) -> None:
        """The engine says others: it is these that it fails to say."""
        for key, error in self._failed:
            self._refuse(key, error)
        self._failed.clear()

    def _spoken(self, key: CellKey, name: str, *, beginning: bool = False) -> tuple[Speech, np.ndarray]:
        """(a speech that is over, its samples (T,) float32). beginning: only until it is heard. Waits where the engine is busy.

        What an engine fails to say is tried once more, since it may have been a moment's.
        """
        body = read_body(_fields(self._system, self._texts[key.text], name, key.seed), OWN_DIALECT)
        n_failures = 0
        while True:
            self._check()
            try:
                with self._parts.stop.closing(self._parts.studio.say(body, Timeline())) as speech:
                    chunks = [next(speech)] if beginning else list(speech)
                    self._check()
                    return speech, np.concatenate(chunks)
            except (EngineBusy, TranscriberBusy):
                self._parts.stop.wait(BUSY_SECONDS)
            except SpeechCancelled:
                raise Stopped from None
            except (CallerMistake, DiskError, *OF_ENGINE):
                raise
            except EngineError:
                n_failures += 1
                if n_failures > 1:
                    raise

    def _check(self) -> None:
        if self._parts.stop.is_given():
            raise Stopped


def _fields(system: EvaluationSystem, text: EvaluationText, name: str, seed: int) -> dict[str, object]:
    return {
        "input": text.text,
        "model": system.engine,
        "voice": name,
        "language": text.language,
        "speed": system.speed,
        "instructions": system.instructions,
        "seed": seed,
        "extra_params": dict(system.options) or None,
    }


def _warning(speech: Speech) -> str:
    """What is to be known of a sound though it is there."""
    ignored = ", ".join(name for name in speech.request.ignored if name != "ref_text")
    told = (speech.warning, f"{speech.engine.title} cannot heed: {ignored}." if ignored else "")
    return " ".join(filter(None, told))
