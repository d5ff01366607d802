"""Judge: asks the estimators about every engine's clone of every speaker with every text, and about sounds beside them."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.errors import EngineError
from studio.analysis.estimates import MEASURES, Measure
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber
from studio.evaluations.measures.cell_judge import CellJudge
from studio.evaluations.measures.known_speakers import JudgedVoice, in_fours, mean_cosine
from studio.evaluations.plan.plan import EvaluationText
from studio.measure.quality.quality_bounds import copied, unconverted
from studio.measure.quality.quality_rows import COPY, RECORDING, SOURCE, QualityRow, RowFigures, mean_row
from studio.measure.quality.quality_speakers import ClonedSpeaker
from studio.measure.quality.second_judges import SecondJudges

__all__ = ["AT_ONCE", "BESIDE", "Judging", "TextUtterance", "measure_quality"]

BESIDE = (RECORDING, COPY, SOURCE)
AT_ONCE = " at once"  # behind the name of an engine that goes on learning: what it knows at first
MOST_KEPT = 10  # speeches of a voice
TextUtterance = tuple[str, str, str]  # name (language and number), language, text


@dataclass(frozen=True)
class Judging:
    """How clones are judged.

    transcriber: weights that hear, as STUDIO_TRANSCRIBER has them. measures: which are taken. words: whether clips without words are
    written down by the transcriber, as the studio does, instead of being learned without. beside: of BESIDE. others: who is nobody's
    clone, and an impostor only. keep: a folder for the speeches, MOST_KEPT of each voice.
    """

    transcriber: str | None = None
    measures: tuple[Measure, ...] = MEASURES
    words: bool = False
    beside: tuple[str, ...] = ()
    others: tuple[ClonedSpeaker, ...] = ()
    keep: Path | None = None


@dataclass(frozen=True)
class _Judge:
    """What hears: that of evaluations, and the second judges, None where likeness is not measured."""

    judging: Judging
    estimators: Estimators
    transcriber: Transcriber
    cells: CellJudge
    second: SecondJudges | None

    @classmethod
    def opened(cls, judging: Judging, speakers: Sequence[ClonedSpeaker]) -> "_Judge":
        transcriber, everybody = Transcriber(judging.transcriber), [*speakers, *judging.others]
        estimators = Estimators(transcriber)
        voices = {speaker.name: JudgedVoice(speaker.other, person=speaker.person) for speaker in everybody}
        cells = CellJudge.opened(estimators, transcriber, voices, families=judging.measures)
        second = SecondJudges.of(cells.second, everybody) if "likeness" in judging.measures else None
        return cls(judging, estimators, transcriber, cells, second)

    def embeddings(self, clips: Sequence[Clip]) -> list[np.ndarray]:
        """None where likeness is not measured."""
        return self.cells.known.heard(clips) if self.second else []

    def likenesses(self, heard: Sequence[np.ndarray], name: str) -> RowFigures:
        """Of embeddings of single clips, by the names of a row's fields."""
        found = self.cells.known.likenesses(heard, name) if heard else None
        return {"likeness": found.own, "impostor": found.impostor, "impostor_name": found.impostor_name} if found else {}

    def together(self, clips: Sequence[Clip], heard: Sequence[np.ndarray], name: str) -> RowFigures:
        """By all judges, of clips of several speeches each and their embeddings."""
        found = self.likenesses(heard, name)
        figures = self.second.judged(clips, name) if self.second else RowFigures()
        if found:
            figures |= {"likeness_of_four": found.get("likeness"), "impostor_of_four": found.get("impostor")}
        return figures

    def estimates(self, clip: Clip, text: str | None = None, language: str | None = None) -> RowFigures:
        """All but likeness, by the names of a row's fields."""
        said = text and EvaluationText(id="text", text=text, language=language)
        measured = self.cells.measures(clip.samples, clip.sample_rate, said or None, "")
        assert measured is not None  # nobody stops it
        found = measured.values
        wrong = found.get("wrong_words")
        return {
            "distillmos": found.get("distillmos"),
            "dnsmos": found.get("dnsmos"),
            "word_error_rate": None if wrong is None else wrong / 100,
            "lufs": found.get("lufs"),
            "heard": measured.heard,
        }

    def words_of(self, speaker: ClonedSpeaker, engine: Engine) -> Transcript | None:
        wanted = engine.info.transcript == "required" or (self.judging.words and engine.info.transcript == "optional")
        return self.transcriber.certain_words(speaker.clip) if speaker.words is None and wanted else speaker.words

    def keep(self, clip: Clip, *name: str) -> None:
        if self.judging.keep is not None:
            self.judging.keep.mkdir(parents=True, exist_ok=True)
            file = self.judging.keep / f"{'-'.join(name).replace(' ', '-').replace('/', '-')}.wav"
            soundfile.write(file, clip.samples, clip.sample_rate, subtype="PCM_16")

    def close(self) -> None:
        for part in (self.cells, self.estimators, self.transcriber):
            part.close()


def measure_quality(
    engines: Mapping[str, Engine], speakers: Sequence[ClonedSpeaker], texts: Sequence[TextUtterance], judging: Judging | None = None
) -> list[QualityRow]:
    """Rows of what stands beside the clones, then of every engine, speaker and text, the mean of each engine and speaker behind them."""
    judge = _Judge.opened(judging or Judging(), speakers)
    rows: list[QualityRow] = []
    try:
        rows += _beside(judge, speakers, texts)
        for name, engine in engines.items():
            engine.warmup()
            for speaker in speakers:
                rows += _of_speaker(judge, name, engine, speaker, texts)
    finally:
        judge.close()
    return rows


def _beside(judge: _Judge, speakers: Sequence[ClonedSpeaker], texts: Sequence[TextUtterance]) -> Iterator[QualityRow]:
    wanted = judge.judging.beside
    for name, changed in ((RECORDING, lambda clip: clip), (COPY, copied)):
        for speaker in speakers if name in wanted else ():
            yield _of_recordings(judge, name, speaker, [changed(clip) for clip in (speaker.clip, *speaker.other.recordings())])
    for label, language, text in texts if SOURCE in wanted else ():
        clip = unconverted(text, language)
        judge.keep(clip, SOURCE, label)
        yield QualityRow(SOURCE, "eSpeak", label, language, **judge.estimates(clip, text, language))


def _of_recordings(judge: _Judge, name: str, speaker: ClonedSpeaker, clips: Sequence[Clip]) -> QualityRow:
    """clips: what is learned from, and the others, which are judged one by one. Their likeness is that to what is learned from."""
    learned, *others = clips
    judge.keep(learned, name, speaker.name)
    rows = [QualityRow(name, speaker.name, "", **judge.estimates(other)) for other in others]
    own, known = judge.embeddings((learned,)), judge.embeddings(others)
    found = judge.likenesses(own, speaker.name) | judge.together((learned,), own, speaker.name)
    if own and known:
        found |= {"likeness": mean_cosine(own, known)}
    return replace(mean_row(rows, text="others"), **found)


def _of_speaker(judge: _Judge, name: str, engine: Engine, speaker: ClonedSpeaker, texts: Sequence[TextUtterance]) -> list[QualityRow]:
    """Of an engine that refines what it learned, the rows of its first prompt, and then those of its best."""
    try:
        words = judge.words_of(speaker, engine)
        started = time.perf_counter()
        prompt = engine.extract(speaker.clip, words)
        seconds = time.perf_counter() - started
        if not engine.info.refines:
            return _of_prompt(judge, (name, engine), (speaker, prompt), texts, seconds)
        rows = _of_prompt(judge, (name + AT_ONCE, engine), (speaker, prompt), texts, seconds)
        started = time.perf_counter()
        better = [step.prompt for step in engine.refine(speaker.clip, words, prompt) if step.prompt]
        seconds += time.perf_counter() - started
    except EngineError as refusal:
        return [QualityRow(name, speaker.name, "", refused=refusal.fact)]
    return rows + _of_prompt(judge, (name, engine), (speaker, better[-1]), texts, seconds)


def _of_prompt(
    judge: _Judge, named: tuple[str, Engine], cloned: tuple[ClonedSpeaker, SpeakerPrompt], texts: Sequence[TextUtterance], seconds: float
) -> list[QualityRow]:  # fmt: skip
    """seconds: that it took to learn."""
    (_, engine), (speaker, prompt) = named, cloned
    engine.prepare(prompt)
    every = -(-len(texts) // MOST_KEPT)
    rows: list[QualityRow] = []
    said: dict[str, list[Clip]] = {}
    for number, text in enumerate(texts):
        row, clip = _of_text(judge, named, cloned, text, keep=number % every == 0)
        rows.append(row)
        said.setdefault(row.language, []).append(clip)
    joined = {language: in_fours(clips) for language, clips in said.items()}
    of_four = {language: judge.together(clips, judge.embeddings(clips), speaker.name) for language, clips in joined.items()}
    rows = [replace(row, extraction_seconds=seconds, **of_four[row.language]) for row in rows]
    return [*rows, mean_row(rows)]


def _of_text(
    judge: _Judge, named: tuple[str, Engine], cloned: tuple[ClonedSpeaker, SpeakerPrompt], said: TextUtterance, *, keep: bool
) -> tuple[QualityRow, Clip]:
    """And what was said."""
    (name, engine), (speaker, prompt), (label, language, text) = named, cloned, said
    samples, ttfp_seconds, rtf = _spoken(engine, prompt, text, language)
    clip = Clip(samples, engine.info.sample_rate)
    if keep:
        judge.keep(clip, name, speaker.name, label)
    heard = judge.estimates(clip, text, language) | judge.likenesses(judge.embeddings((clip,)), speaker.name)
    return QualityRow(name, speaker.name, label, language, **heard, ttfp_seconds=ttfp_seconds, rtf=rtf), clip


def _spoken(engine: Engine, prompt: SpeakerPrompt, text: str, language: str) -> tuple[np.ndarray, float, float]:
    """(T,) samples, seconds until the first of them, and computing time over audio."""
    wanted = {"language": language} if language in engine.info.languages else {}
    options = resolve_options(engine.info.options, wanted)
    started = time.perf_counter()
    stream = engine.stream(text, prompt, options)
    chunks = [next(filter(len, stream))]
    first = time.perf_counter() - started
    samples = np.concatenate([*chunks, *stream])
    return samples, first, (time.perf_counter() - started) * engine.info.sample_rate / len(samples)
