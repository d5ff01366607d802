"""Best of several takes beside first takes, in wrong words: `python -m studio.measure.scripts.best_takes [--engine ID] [--takes 3]`.

`--noise 20` tells how much each measure differs of one take that nobody hears a difference in: softer by 6 dB, 0.1 s later, with noise at
-70 dBFS, in 16 bits. studio/scripts/saying/best_take.py has its tolerances from there. It wants ears (`make ears`).
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engines.catalog import engine_ids
from engines.clips.clip import Clip
from studio.analysis.estimates import Measure
from studio.measure.scripts.measured_script import DEMO, demo_script, measured_lines, opened_studio
from studio.scripts.saying.saying import Saying
from studio.scripts.script.line import ScriptLine
from studio.service import Studio

__all__ = ["BestFigures", "best_figures", "measure"]

POLL_SECONDS = 2.0
MEASURES: tuple[Measure, ...] = ("words", "likeness", "distillmos")


@dataclass(frozen=True)
class BestFigures:
    """n_first, n_best: wrong words of first and of chosen takes. n_words: that were to be said. n_lines, n_wrong_first, n_wrong_best:
    lines, and those with a wrong word. reasons: how many lines each decided."""

    n_lines: int
    n_words: int
    n_first: int
    n_best: int
    n_wrong_first: int
    n_wrong_best: int
    reasons: dict[str, int]


def best_figures(lines: Sequence[ScriptLine]) -> BestFigures:
    """Of lines whose takes the ears have heard."""
    first, best, n_words, keys = [], [], 0, Counter[str]()
    for line in lines:
        found = [take.estimates for take in line.takes if take.estimates is not None]
        chosen = line.chosen_take
        if chosen is None or chosen.estimates is None or len(found) < len(line.takes):
            continue
        first.append(found[0].word_errors or 0)
        best.append(chosen.estimates.word_errors or 0)
        n_words += found[0].n_words or 0
        keys[(chosen.reason or {}).get("key", "")] += 1
    n_wrong_first, n_wrong_best = (sum(errors > 0 for errors in some) for some in (first, best))
    return BestFigures(len(first), n_words, sum(first), sum(best), n_wrong_first, n_wrong_best, dict(keys))


def measure(studio: Studio, engine: str, n_lines: int, n_takes: int) -> BestFigures:
    """Says them, has the best chosen, and tells how far it is."""
    script = demo_script(studio, engine, measured_lines(n_lines))
    studio.scripts.say(script, Saying(n_takes=n_takes, best=True))
    while (progress := studio.scripts.progress(script)).is_running:
        print(f"{progress.n_done}/{progress.n_total}", end="\r", flush=True)
        time.sleep(POLL_SECONDS)
    return best_figures(studio.scripts.lines(script))


def noise(studio: Studio, engine: str, n_lines: int) -> Iterator[tuple[str, str, float]]:
    """(measure, what was done, difference) for each line and each thing that nobody hears."""
    script, reference = demo_script(studio, engine, measured_lines(n_lines)), studio.speaker(DEMO).read_clip()
    for line_id, text in zip(studio.scripts.line_ids(script), measured_lines(n_lines), strict=True):
        take = studio.scripts.say_line(script, line_id).takes[0]
        samples, rate = studio.scripts._takes.read(script, take.sha256)
        sound = samples.astype(np.float32) / 32768
        found = {name: _estimates(studio, other, rate, text, reference) for name, other in _alike(sound, rate).items()}
        own = found.pop("itself")
        yield from (
            (measured, name, other[measured] - own[measured]) for name, other in found.items() for measured in own.keys() & other.keys()
        )


def _alike(sound: np.ndarray, rate: int) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(1)
    noisy = sound + chance.normal(0, 10 ** (-70 / 20), len(sound)).astype(np.float32)
    later = np.concatenate([np.zeros(rate // 10, np.float32), sound])
    return {
        "itself": sound,
        "softer": sound / 2,
        "later": later,
        "noisy": noisy,
        "16 bit": np.rint(sound * 32767).astype(np.float32) / 32768,
    }


def _estimates(studio: Studio, sound: np.ndarray, rate: int, text: str, reference: Clip) -> dict[str, float]:
    found = studio.estimators.estimates(sound, rate, text=text, language="en", reference=reference, measures=MEASURES)
    values = zip(MEASURES, (found.word_errors, found.likeness, found.distillmos), strict=True)
    return {measured: value for measured, value in values if value is not None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default=engine_ids()[0])
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--takes", type=int, default=3)
    parser.add_argument("--noise", type=int, default=0, metavar="LINES")
    asked = parser.parse_args()
    with opened_studio(asked.engine) as studio:
        if asked.noise:
            rows = list(noise(studio, asked.engine, asked.noise))
            for measured in MEASURES:
                values = [abs(value) for name, _, value in rows if name == measured]
                print(f"{measured}: at most {max(values):.4f}, mean {statistics.mean(values):.4f}, of {len(values)}")
        else:
            print(measure(studio, asked.engine, asked.lines, asked.takes))


if __name__ == "__main__":
    main()
