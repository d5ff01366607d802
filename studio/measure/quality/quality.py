"""Quality of clones, as the estimators judge it: engines x voices x texts in one table. See `--help` of this module.

Distill-MOS and DNSMOS predict what listeners would say of 1 to 5; likeness is the cosine with other recordings of the speaker, beside
the largest of the cosines with those of other people (the impostor), of each speech and of four speeches heard as one. An engine may learn
to please that encoder. So second is the same by another one, which no loss knows, and AHS and cepstral mean are distances without a
network (cepstral_distance.py). WER is what Whisper hears against the text; LUFS is loudness; TTFP and RTF are of the engine alone, warm,
and so are the seconds that it learned the voice in. All but the last four are estimates: listening tests decide. Wants `make judge`; what
is lacking is "-".

Beside the clones stand recordings of the same people (their likeness is that to what is learned from), these through the embedded
engine's vocoder, and what eSpeak says before it is anybody's voice. The embedded engine's figures on people whom it was never trained on:

    python -m studio.measure.quality.quality --prompts --no-demo --impostors slt rms kal16 --languages en it --texts 10 --keep out/quality
"""

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from engines.catalog import engine_ids, open_engine
from studio.analysis import second_encoder
from studio.analysis.estimates import MEASURES
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber
from studio.measure.quality.quality_judge import AT_ONCE, BESIDE, Judging, TextUtterance, measure_quality
from studio.measure.quality.quality_rows import SOURCE, QualityRow, quality_summary, quality_table
from studio.measure.quality.quality_speakers import ClonedSpeaker, flite_speaker
from studio.measure.quality.speaker_options import add_speaker_options, chosen_speakers
from studio.measure.server.machine import describe_machine

__all__ = ["QualityRun", "languages_with_texts"]

TEXTS = Path(__file__).parents[3] / "assets" / "texts"


@dataclass(frozen=True)
class QualityRun:
    """What one process measures. engines: ids with the place of their weights, None for their own."""

    engines: tuple[tuple[str, str | None], ...]
    speakers: tuple[ClonedSpeaker, ...]
    texts: tuple[TextUtterance, ...]
    judging: Judging

    def measured(self) -> list[QualityRow]:
        engines = {name: open_engine(name, checkpoint=checkpoint) for name, checkpoint in self.engines}
        try:
            return measure_quality(engines, self.speakers, self.texts, self.judging)
        finally:
            for engine in engines.values():
                engine.close()

    def parts(self, n: int) -> "list[QualityRun]":
        """At most n of about as many speakers, who are impostors of each other. The source is spoken in the last, which has the fewest."""
        shares = [share for k in range(n) if (share := self.speakers[k::n])]
        parts = []
        for share in shares:
            others = tuple(speaker for speaker in self.speakers if speaker not in share)
            beside = tuple(row for row in self.judging.beside if row != SOURCE or share is shares[-1])
            parts.append(replace(self, speakers=share, judging=replace(self.judging, beside=beside, others=self.judging.others + others)))
        return parts

    def measured_by(self, n_processes: int) -> list[QualityRow]:
        """The same by several processes, grouped by engine."""
        parts = self.parts(n_processes)
        if len(parts) == 1:
            return parts[0].measured()
        with ProcessPoolExecutor(len(parts), mp_context=get_context("spawn")) as pool:
            rows = [row for found in pool.map(QualityRun.measured, parts) for row in found]
        order = [*BESIDE, *(name + ending for name, _ in self.engines for ending in (AT_ONCE, ""))]
        return sorted(rows, key=lambda row: order.index(row.engine))


def languages_with_texts() -> list[str]:
    """Codes of what clones can be told to say."""
    return sorted(file.stem for file in TEXTS.glob("*.txt"))


def _texts(languages: Sequence[str], most: int) -> tuple[TextUtterance, ...]:
    found = []
    for language in languages:
        lines = (TEXTS / f"{language}.txt").read_text(encoding="utf-8").splitlines()[:most]
        found += [(f"{language} {number}", language, line) for number, line in enumerate(lines, 1)]
    return tuple(found)


def _run(arguments: argparse.Namespace) -> QualityRun:
    checkpoints = dict(item.split("=", 1) for item in arguments.checkpoint)
    judging = Judging(
        arguments.transcriber,
        tuple(measure for measure in MEASURES if measure not in arguments.without),
        arguments.words,
        tuple(arguments.beside),
        tuple(flite_speaker(voice, arguments.seconds) for voice in arguments.impostors),
        arguments.keep,
    )
    engines = tuple((name, checkpoints.get(name)) for name in arguments.engines)
    return QualityRun(engines, chosen_speakers(arguments, arguments.languages[0]), _texts(arguments.languages, arguments.texts), judging)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", choices=engine_ids(), default=engine_ids()[:1], metavar="ENGINE")
    parser.add_argument("--checkpoint", nargs="*", default=[], metavar="ENGINE=PLACE", help="weights, where they are not the engine's own")
    add_speaker_options(parser)
    parser.add_argument("--impostors", nargs="*", default=[], metavar="VOICE", help="voices of flite that nothing is cloned from")
    parser.add_argument("--words", action="store_true", help="let the transcriber write down clips whose words nobody knows")
    parser.add_argument("--languages", nargs="+", default=["en"], choices=languages_with_texts(), help="of the texts, for every voice")
    parser.add_argument("--texts", type=int, default=4, help="of each language, at most")
    parser.add_argument("--beside", nargs="*", default=list(BESIDE), choices=BESIDE, help="what else is in the table; all when left out")
    parser.add_argument("--without", nargs="*", default=[], choices=MEASURES, help="measures that are not taken; words are the slowest")
    parser.add_argument("--transcriber", help="weights that hear, a folder or a hub's id; those of `make ears` when left out")
    parser.add_argument("--processes", type=int, default=1, help="among whom the voices are divided; timings suffer")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where to write speeches as WAV, ten of each voice")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser


def main() -> None:
    """Measure, print, and write JSON where it is asked for."""
    arguments = _parser().parse_args()
    run = _run(arguments)
    started = time.perf_counter()
    rows = run.measured_by(arguments.processes)
    seconds = time.perf_counter() - started
    print(quality_table(rows))
    print(f"\nMeans over voices and texts.\n\n{quality_summary(rows)}")
    print(f"\nEstimates, except for LUFS, TTFP, RTF and seconds; {len(rows)} rows in {seconds:.0f} s.")
    for status in Estimators(Transcriber(arguments.transcriber)).statuses():
        if status.lacking and status.measure in run.judging.measures:
            print(f"No {status.measure}: {status.lacking}")
    if "likeness" in run.judging.measures and not second_encoder.is_here():
        print("No second likeness: make judge")
    if arguments.json:
        told = {"machine": describe_machine(), "measures": run.judging.measures, "seconds": seconds, "rows": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
