"""Playing a script whose lines were never said: `python -m studio.measure.scripts.play_figures [--engine ID] [--lines 20] [--runs 10]`.

TTFP of the first line beside that of a plain request for the same text, in turn; and silence that a listener hears between lines beyond the
pauses that are written, in samples.
"""

import argparse
import statistics
import time
from dataclasses import dataclass

from engines.catalog import engine_ids
from studio.measure.scripts.measured_script import DEMO, demo_script, measured_lines, opened_studio
from studio.scripts.saying.play import PLAY_HZ, ScriptPlay
from studio.service import Studio
from studio.settings import OWN_DIALECT
from studio.speech.body import read_body
from studio.timeline import Timeline

__all__ = ["PlayFigures", "measure"]


@dataclass(frozen=True)
class PlayFigures:
    """ms to the first sound, medians: plain_ms of a request, play_ms of a play. gaps: samples of silence that came because a line was late,
    for each line behind the first. rtf: engine's and all else's time per second of sound, of the whole play."""

    plain_ms: float
    play_ms: float
    gaps: tuple[int, ...]
    rtf: float


def measure(studio: Studio, engine: str, n_lines: int, n_runs: int) -> PlayFigures:
    """n_lines: of the script whose gaps are counted. n_runs: first sounds of each kind, in turn."""
    plain, play = [], []
    for text in measured_lines(n_runs + 1):
        plain.append(_plain_seconds(studio, engine, text))
        play.append(_play_seconds(studio, demo_script(studio, engine, (text,))))
    gaps, rtf = _gaps(studio, demo_script(studio, engine, measured_lines(n_lines)))
    return PlayFigures(1000 * statistics.median(plain[1:]), 1000 * statistics.median(play[1:]), gaps, rtf)  # the first ones are cold


def _plain_seconds(studio: Studio, engine: str, text: str) -> float:
    body = read_body({"input": text, "voice": DEMO, "model": engine, "language": "en", "sample_rate": PLAY_HZ}, OWN_DIALECT)
    began = time.perf_counter()
    with studio.say(body, Timeline(began)) as speech:
        next(speech)
        return time.perf_counter() - began


def _play_seconds(studio: Studio, script: str) -> float:
    began = time.perf_counter()
    with studio.scripts.play(script, received=began) as play:
        next(play)
        return time.perf_counter() - began


def _gaps(studio: Studio, script: str) -> tuple[tuple[int, ...], float]:
    """By a listener who hears the first sound when it is there, and goes on from there."""
    began, dry_at, seconds, gaps = time.perf_counter(), 0.0, 0.0, {}
    with ScriptPlay(studio.scripts._folder.saying.parts, studio, script, most_ahead_seconds=1e6) as play:
        for sound in play:
            now = time.perf_counter()
            dry_at = dry_at or now
            gaps[sound.line_id] = gaps.get(sound.line_id, 0) + round(max(0.0, now - dry_at) * PLAY_HZ) * (len(sound.samples) > 0)
            dry_at = max(dry_at, now) + len(sound.samples) / PLAY_HZ
            seconds += len(sound.samples) / PLAY_HZ
    return tuple(gaps.values())[1:], (time.perf_counter() - began) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default=engine_ids()[0])
    parser.add_argument("--lines", type=int, default=20)
    parser.add_argument("--runs", type=int, default=10)
    asked = parser.parse_args()
    with opened_studio(asked.engine) as studio:
        found = measure(studio, asked.engine, asked.lines, asked.runs)
    print(f"plain {found.plain_ms:.1f} ms, play {found.play_ms:.1f} ms, ratio {found.play_ms / found.plain_ms:.2f}, RTF {found.rtf:.2f}")
    print(f"gaps: {sum(gap > 0 for gap in found.gaps)} of {len(found.gaps)} lines, at most {max(found.gaps, default=0)} samples")


if __name__ == "__main__":
    main()
