"""How good clones sound, as the studio's ears estimate it: engines x voices x texts in one table. See `--help` of this module.

Distill-MOS and DNSMOS predict what listeners would say of 1 to 5; likeness is the cosine with other recordings of the speaker, beside
the cosine with whom it is most like of all others (the impostor); WER is what Whisper hears against the text; LUFS is loudness; TTFP and
RTF are of the engine alone, warm. All but the last three are estimates: listening tests decide. Wants `make ears`; what is lacking is "-".
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from engines.catalog import engine_ids, open_engine
from engines.clip import Clip
from engines.contract import Engine
from engines.errors import EngineError
from engines.options import resolve_options
from engines.prompt import SpeakerPrompt
from studio.hearing import likeness
from studio.hearing.ears import Ears
from studio.hearing.estimates import MEASURES, Estimates
from studio.hearing.transcriber import Transcriber
from studio.measure.machine import describe_machine
from studio.measure.quality_speakers import ClonedSpeaker, demo_speaker, flite_speaker, recorded_speaker

__all__ = ["QualityRow", "measure_quality", "quality_table"]

TEXTS = Path(__file__).parents[2] / "assets" / "texts"
COLUMNS = ("engine", "voice", "text", "DistillMOS", "DNSMOS", "likeness", "impostor", "WER", "LUFS", "TTFP ms", "RTF")
MEAN = "mean"


@dataclass(frozen=True)
class QualityRow:
    """One speech; of a whole voice where `text` is "mean". Fields are None where they cannot be had.

    text: language and number. impostor: likeness to the other speaker whom it is most like, who is impostor_name. ttfp_seconds: until the
    first samples. rtf: computing time over audio. refused: why the engine would not learn the voice.
    """

    engine: str
    voice: str
    text: str
    distillmos: float | None = None
    dnsmos: float | None = None
    likeness: float | None = None
    impostor: float | None = None
    impostor_name: str = ""
    word_error_rate: float | None = None
    lufs: float | None = None
    ttfp_seconds: float | None = None
    rtf: float | None = None
    heard: str | None = None
    refused: str = ""

    def as_cells(self) -> tuple[str, ...]:
        """In the order of COLUMNS."""
        impostor = f"{_shown(self.impostor, 2)} ({self.impostor_name})" if self.impostor_name else "-"
        milliseconds = None if self.ttfp_seconds is None else 1000 * self.ttfp_seconds
        figures = (
            _shown(self.distillmos, 2), _shown(self.dnsmos, 2), _shown(self.likeness, 2), impostor, _shown(self.word_error_rate, 2),
            _shown(self.lufs, 1), _shown(milliseconds, 0), _shown(self.rtf, 3),
        )  # fmt: skip
        return (self.engine, self.voice, f"refused: {self.refused}" if self.refused else self.text, *figures)


@dataclass
class _Judge:
    """What hears; embeddings of the speakers by name."""

    ears: Ears
    transcriber: Transcriber
    encoder: likeness.LikenessEar | None
    speakers: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def opened(cls, checkpoint: str | None, speakers: Sequence[ClonedSpeaker]) -> "_Judge":
        transcriber = Transcriber(checkpoint)
        encoder = likeness.LikenessEar() if likeness.is_here() else None
        found = {speaker.name: encoder.embedding(speaker.other) for speaker in speakers} if encoder else {}
        return cls(Ears(transcriber), transcriber, encoder, {name: known for name, known in found.items() if known is not None})

    def likenesses(self, clip: Clip, name: str) -> dict[str, object]:
        heard = self.encoder.embedding(clip) if self.encoder else None
        if heard is None or name not in self.speakers:
            return {}
        cosines = {other: float(heard @ known) for other, known in self.speakers.items()}
        own, impostor = cosines.pop(name), max(cosines, key=cosines.get, default="")
        return {"likeness": own, "impostor": cosines.get(impostor), "impostor_name": impostor}

    def close(self) -> None:
        self.ears.close()
        self.transcriber.close()


def measure_quality(
    engines: Mapping[str, Engine],
    speakers: Sequence[ClonedSpeaker],
    texts: Sequence[tuple[str, str, str]],
    *,
    transcriber: str | None = None,
) -> list[QualityRow]:
    """Rows of every engine, speaker and text, and the mean of each engine and speaker behind them.

    texts: (name, language, text). transcriber: weights that hear, as STUDIO_TRANSCRIBER has them.
    """
    judge = _Judge.opened(transcriber, speakers)
    rows = []
    try:
        for name, engine in engines.items():
            engine.warmup()
            for speaker in speakers:
                rows += _of_speaker(judge, name, engine, speaker, texts)
    finally:
        judge.close()
    return rows


def quality_table(rows: Sequence[QualityRow]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (COLUMNS, ("---",) * len(COLUMNS), *(row.as_cells() for row in rows))]
    return "\n".join(lines)


def _of_speaker(
    judge: _Judge, name: str, engine: Engine, speaker: ClonedSpeaker, texts: Sequence[tuple[str, str, str]]
) -> list[QualityRow]:
    words = speaker.words
    try:
        if words is None and engine.info.transcript == "required":
            words = judge.transcriber.certain_words(speaker.clip)
        prompt = engine.extract(speaker.clip, words)
        engine.prepare(prompt)
    except EngineError as refusal:
        return [QualityRow(name, speaker.name, "", refused=refusal.fact)]
    rows = [_of_text(judge, (name, engine), (speaker, prompt), text) for text in texts]
    return [*rows, _mean_of(rows)]


def _of_text(
    judge: _Judge, named: tuple[str, Engine], cloned: tuple[ClonedSpeaker, SpeakerPrompt], said: tuple[str, str, str]
) -> QualityRow:
    (name, engine), (speaker, prompt), (label, language, text) = named, cloned, said
    samples, ttfp_seconds, rtf = _spoken(engine, prompt, text, language)
    clip = Clip(samples, engine.info.sample_rate)
    found: Estimates = judge.ears.estimates(samples, clip.sample_rate, text=text, language=language)
    return QualityRow(
        name,
        speaker.name,
        label,
        distillmos=found.distillmos,
        dnsmos=found.dnsmos.overall if found.dnsmos else None,
        word_error_rate=found.word_error_rate,
        lufs=found.lufs,
        ttfp_seconds=ttfp_seconds,
        rtf=rtf,
        heard=found.heard,
        **judge.likenesses(clip, speaker.name),
    )


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


def _mean_of(rows: Sequence[QualityRow]) -> QualityRow:
    """Of what there is; the impostor is whoever it is most often."""
    figures = ("distillmos", "dnsmos", "likeness", "impostor", "word_error_rate", "lufs", "ttfp_seconds", "rtf")
    means = {}
    for figure in figures:
        known = [value for row in rows if (value := getattr(row, figure)) is not None]
        means[figure] = float(np.mean(known)) if known else None
    names = [row.impostor_name for row in rows]
    return QualityRow(rows[0].engine, rows[0].voice, MEAN, impostor_name=max(set(names), key=names.count), **means)


def _shown(value: float | None, decimals: int) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def _texts(languages: Sequence[str], most: int) -> list[tuple[str, str, str]]:
    found = []
    for language in languages:
        lines = (TEXTS / f"{language}.txt").read_text(encoding="utf-8").splitlines()[:most]
        found += [(f"{language} {number}", language, line) for number, line in enumerate(lines, 1)]
    return found


def main() -> None:
    """Measure, print, and write JSON where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", choices=engine_ids(), default=engine_ids()[:1], metavar="ENGINE")
    parser.add_argument("--checkpoint", nargs="*", default=[], metavar="ENGINE=PLACE", help="weights, where they are not the engine's own")
    parser.add_argument("--voices", nargs="*", default=[], metavar="NAME=PLACE", help="WAV files, or folders of them, of one speaker each")
    parser.add_argument("--flite", nargs="*", default=[], metavar="VOICE", help="voices of flite, such as slt rms awb kal16")
    parser.add_argument("--seconds", type=float, default=10.0, help="of recording that is cloned from")
    parser.add_argument("--languages", nargs="+", default=["en"], choices=["en", "de", "es", "fr", "zh"])
    parser.add_argument("--texts", type=int, default=4, help="of each language, at most")
    parser.add_argument("--transcriber", help="weights that hear, a folder or a hub's id; those of `make ears` when left out")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    checkpoints = dict(item.split("=", 1) for item in arguments.checkpoint)
    speakers = [demo_speaker(), *(flite_speaker(voice, arguments.seconds) for voice in arguments.flite)]
    for name, _, place in (item.partition("=") for item in arguments.voices):
        speakers.append(recorded_speaker(name, Path(place), arguments.seconds, arguments.languages[0]))
    engines = {name: open_engine(name, checkpoint=checkpoints.get(name)) for name in arguments.engines}
    started = time.perf_counter()
    try:
        rows = measure_quality(engines, speakers, _texts(arguments.languages, arguments.texts), transcriber=arguments.transcriber)
    finally:
        for engine in engines.values():
            engine.close()
    seconds = time.perf_counter() - started
    print(quality_table(rows))
    print(f"\nEstimates, except for LUFS, TTFP and RTF; {len(rows)} rows in {seconds:.0f} s.")
    for status in Ears(Transcriber(arguments.transcriber)).statuses():
        if status.lacking:
            print(f"No {status.measure}: {status.lacking}")
    if arguments.json:
        told = {"machine": describe_machine(), "measures": MEASURES, "seconds": seconds, "rows": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
