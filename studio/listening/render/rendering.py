"""Rendering: speaks, reads or fetches all sounds of a plan, one after the other, and prepares them for blind listening."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from engines.errors import EngineError
from studio.audio.decode import decode_clip
from studio.errors import ClipMissing, EngineUnknown
from studio.listening.keep.kept_sounds import TAKES
from studio.listening.plan.design import Item
from studio.listening.plan.plan import Plan, System
from studio.listening.plan.questions import SoundKey
from studio.listening.plan.render_steps import RECORDED, RecordedStep, RenderStep, SpokenStep, label_of, render_steps_of
from studio.listening.render.mastering import Mastering, cut_in_two
from studio.listening.render.speaking_studio import SpeakingStudio
from studio.listening.render.takes import Take, TakeFacts, Takes
from studio.running.delivery import Delivery
from studio.running.jobs.fair_semaphore import FairSemaphore
from studio.settings import OWN_DIALECT
from studio.speakers.speaker import preset_of, speaker_key
from studio.speech.body import read_body
from studio.speech.request import DEFAULT_SPEAKER
from studio.timeline import Timeline

__all__ = ["Renderer"]

OnProgress = Callable[[int, int, str], None]
SEED_STEP = 1009  # from one seed of a text to the next, away from what people choose


class Renderer:
    """Of all renderings of this process one makes a sound at a time, in turns, so that none slows down what another measures, and nobody
    waits for the whole of somebody else's."""

    _turns = FairSemaphore()

    def render(
        self,
        plan: Plan,
        studio: SpeakingStudio,
        uploads: Mapping[tuple[str, int], Path],
        folder: Path,
        *,
        on_progress: OnProgress = lambda done, total, now: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> tuple[Item, ...]:
        """The sounds of a plan, in `folder` as `<item id>.wav`; () where it was stopped, which it is between two sounds.

        uploads: (system or "reference", text) -> file. folder: of this test alone; other WAVs in it stay, since a test may have them until
        it has these. What was made for a job that has not changed is taken again: from before a stop, a failure, or another version of the
        plan.
        on_progress(done, total, now): jobs, and the label of the system that is being made; before the first, and after each.
        Raises what `studio.say`, `evict` and decoding raise, with the values `system` (label) and `text` (from 1) added; OSError.
        """
        work = _Work(plan, studio, uploads, Takes(folder / TAKES))
        if not work.make_all(self._turns, on_progress, is_stopped):
            return ()
        with self._turns.turn(is_stopped) as is_mine:
            items = Mastering(plan, work.take_of).items(folder, is_stopped) if is_mine else ()
            if items:
                work.forget_others()
            return items


class _Work:
    """The jobs of one rendering."""

    def __init__(self, plan: Plan, studio: SpeakingStudio, uploads: Mapping[tuple[str, int], Path], takes: Takes):
        self._plan, self._studio, self._uploads, self._takes = plan, studio, uploads, takes
        self._digests: dict[SoundKey, str] = {}

    def make_all(self, turns: FairSemaphore, on_progress: OnProgress, is_stopped: Callable[[], bool]) -> bool:
        """False where it was stopped. turns: one for each sound."""
        jobs = [job for job in render_steps_of(self._plan) if isinstance(job, RecordedStep | SpokenStep) or self._has_file(job)]
        for job in jobs:
            with self._told(job):
                self._digests[job.key] = self._digest(job)
        waiting = [job for job in jobs if self._digests[job.key] not in self._takes]
        on_progress(len(jobs) - len(waiting), len(jobs), self._label(waiting[0]) if waiting else "")
        for index, job in enumerate(waiting, start=1):
            with turns.turn(is_stopped) as is_mine:
                if is_stopped() or not is_mine:
                    return False
                self._make(job)
            following = self._label(waiting[index]) if index < len(waiting) else ""
            on_progress(len(jobs) - len(waiting) + index, len(jobs), following)
        return not is_stopped()

    def _make(self, job: RenderStep) -> None:
        digest = self._digests[job.key]
        if digest not in self._takes:
            with self._told(job):
                self._takes.keep(digest, self._taken(job))

    def take_of(self, key: SoundKey) -> Take | None:
        digest = self._digests.get(key)
        return self._takes.read(digest) if digest else None

    def forget_others(self) -> None:
        self._takes.keep_only(set(self._digests.values()))

    # --- what a job is

    def _digest(self, job: RenderStep) -> str:
        """Of all that makes the sound what it is."""
        if isinstance(job, RecordedStep):
            told: list[object] = [RECORDED, self._studio.speaker(job.speaker).generation_id, job.part]
        elif not isinstance(job, SpokenStep):
            told = ["file", hashlib.sha256(self._file(job).read_bytes()).hexdigest()]
        else:
            info, system = self._engine(job), job.system
            told = [job.source, info.id, info.hub_id, info.extractor_revision, self._generation(info, system)]
            told += [self._plan.texts[job.key.text], self._plan.language]
            told += [job.key.role, job.key.system, system.speaker, self._seed(job), system.options, system.cold]
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()

    def _generation(self, info: EngineInfo, system: System) -> str:
        """Of the recording that the engine learns from; "" where it learns nothing."""
        learned = _learned(info, system)
        return "" if learned is None else self._studio.speaker(learned).generation_id

    def _engine(self, job: SpokenStep) -> EngineInfo:
        """Raises EngineUnknown; where no engine is embedded, too."""
        if job.source == "speech":
            return self._studio.engine_info(job.system.engine)
        known = [status.info for status in self._studio.engines()]
        embedded = next((info for info in known if not info.weights_command), None)
        if embedded is None:
            raise EngineUnknown("embedded", tuple(info.id for info in known))
        return embedded

    def _label(self, job: RenderStep) -> str:
        return label_of(self._plan, job.key.role, job.key.system)

    # --- how it is done

    def _taken(self, job: RenderStep) -> Take:
        if isinstance(job, RecordedStep):
            return self._recording(job)
        if isinstance(job, SpokenStep):
            return self._spoken(job)
        file = self._file(job)
        clip = decode_clip(file.read_bytes(), filename=file.name)
        return Take(clip.samples, clip.sample_rate)

    def _spoken(self, job: SpokenStep) -> Take:
        info, system = self._engine(job), job.system
        learned = _learned(info, system)
        if system.cold and learned is not None:
            self._studio.evict(learned, info.id)
        body = {
            "input": self._plan.texts[job.key.text],
            "model": info.id,
            "voice": system.speaker,
            "seed": self._seed(job),
            "language": self._plan.language,
            "extra_params": dict(system.options),
        }
        timeline = Timeline()
        with self._studio.say(read_body(body, OWN_DIALECT), timeline, delivery=Delivery(whole=True)) as speech:
            samples = speech.read_all()
        ttfp = timeline.ttfp_seconds
        facts = TakeFacts(
            None if ttfp is None else round(1000 * ttfp, 2), timeline.rtf, timeline.cache or "", f"{info.id} {info.extractor_revision}"
        )
        return Take(samples, speech.sample_rate, facts)

    def _seed(self, job: SpokenStep) -> int | None:
        """Another one each time that the text is said again."""
        n = job.system.again.get(self._plan.texts[job.key.text], 0)
        return ((job.system.seed or 0) + n * SEED_STEP) % 2**31 if n else job.system.seed

    def _recording(self, job: RecordedStep) -> Take:
        """The first that the speaker was learned from; of two parts the first and the second, or the halves of the only one."""
        clip = self._clip(job.speaker)
        recordings = clip.recordings()
        if job.part is None or len(recordings) > 1:
            samples = recordings[job.part or 0].samples
        else:
            samples = cut_in_two(clip.samples, clip.sample_rate)[job.part]
        return Take(np.asarray(samples), clip.sample_rate)

    def _clip(self, name: str) -> Clip:
        """Raises SpeakerUnknown, ClipMissing; for a speaker without a recording, too."""
        try:
            return self._studio.speaker(name).read_clip()
        except LookupError:
            raise ClipMissing(name) from None

    def _has_file(self, job: RenderStep) -> bool:
        return (job.key.system, job.key.text) in self._uploads

    def _file(self, job: RenderStep) -> Path:
        return self._uploads[job.key.system, job.key.text]

    @contextmanager
    def _told(self, job: RenderStep) -> Iterator[None]:
        """What goes wrong says of which system and which text."""
        try:
            yield
        except EngineError as error:
            raise _with_place(error, self._label(job), job.key.text + 1) from error


def _learned(info: EngineInfo, system: System) -> str | None:
    """The speaker, unless the engine has it without learning: one of its own, or whoever speaks where nobody is named."""
    name = system.speaker
    if not name or speaker_key(name) == DEFAULT_SPEAKER or preset_of(name, info) is not None:
        return None
    return name


def _with_place(error: EngineError, system: str, text: int) -> EngineError:
    """Another error of the same kind, since one that an engine raises for ever must not grow."""
    told = type(error).__new__(type(error), *error.args)
    told.__dict__ |= error.__dict__
    told.fact = f"Text {text} of {system}: {error.fact}"
    told.args = (told.fact,)
    told.values = dict(error.values) | {"system": system, "text": text}
    return told
