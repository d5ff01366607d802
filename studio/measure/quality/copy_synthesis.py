"""Cost of analysis and vocoder: `python -m studio.measure.quality.copy_synthesis FILES`. It speaks recordings again from their own frames.

Of each recording and of its copy Distill-MOS and DNSMOS, and how like the copy is; the copy is the upper line of what clones can sound
like. Both are heard at one level of speech. Wants `make ears`; what is lacking is "-".
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from engines.clips.clip import Clip
from engines.espeak.vocoder import DELAY_SAMPLES, Vocoder
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import SAMPLE_RATE, cepstra_of, envelope_of
from studio.analysis.estimates import Estimates
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber

__all__ = ["CopyRow", "copy_table", "measure_copies", "spoken_again"]

COLUMNS = ("recording", "s", "DistillMOS", "of the copy", "DNSMOS", "of the copy", "likeness", "analysis RTF", "vocoder RTF")
SPEECH_POWER = 10 ** (-26 / 10)  # mean of all samples above a hundredth of the loudest
SUFFIXES = (".wav", ".flac", ".g722")
MEAN = "mean"


@dataclass(frozen=True)
class CopyRow:
    """One recording, or the mean of all. Scores are None where estimators are not here. rtf: computing time over audio, one thread."""

    recording: str
    seconds: float
    distillmos: tuple[float | None, float | None]
    dnsmos: tuple[float | None, float | None]
    likeness: float | None
    analysis_rtf: float
    vocoder_rtf: float

    def as_cells(self) -> tuple[str, ...]:
        """In the order of COLUMNS."""
        scores = [_shown(value, 2) for value in (*self.distillmos, *self.dnsmos)]
        rtfs = (_shown(self.analysis_rtf, 4), _shown(self.vocoder_rtf, 4))
        return (self.recording, f"{self.seconds:.1f}", *scores, _shown(self.likeness, 3), *rtfs)


def spoken_again(clip: Clip) -> tuple[Clip, float, float]:
    """The clip as our vocoder speaks its own frames; processor seconds of the analysis and of the vocoder. Half a minute at most."""
    started = time.process_time()
    recording = ClipAnalysis.of(clip)
    analyzed = time.process_time()
    vocoder = Vocoder(0)
    blocks = [vocoder.push(recording.f0, envelope_of(cepstra_of(recording.log_envelope)), recording.aperiodicity), vocoder.finish()]
    spoken = time.process_time()
    samples = np.concatenate(blocks)[DELAY_SAMPLES:][: len(recording.samples)]
    return Clip(samples, SAMPLE_RATE), analyzed - started, spoken - analyzed


def measure_copies(recordings: Sequence[tuple[str, Clip]]) -> list[CopyRow]:
    """A row of each (name, recording), and their mean behind them."""
    estimators = Estimators(Transcriber(None))
    rows = []
    try:
        for name, clip in recordings:
            with threadpool_limits(1):
                copy, analysis_seconds, vocoder_seconds = spoken_again(clip)
            original = _levelled(clip)
            heard = [estimators.estimates(original.samples, original.sample_rate)]
            copied = _levelled(copy)
            heard.append(estimators.estimates(copied.samples, copied.sample_rate, reference=original))
            distillmos, dnsmos = zip(*map(_scores, heard), strict=True)
            seconds = copy.seconds
            rtfs = (analysis_seconds / seconds, vocoder_seconds / seconds)
            rows.append(CopyRow(name, seconds, distillmos, dnsmos, heard[1].likeness, *rtfs))
    finally:
        estimators.close()
    return [*rows, _mean_of(rows)]


def copy_table(rows: Sequence[CopyRow]) -> str:
    """Markdown."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (COLUMNS, ("---",) * len(COLUMNS), *(row.as_cells() for row in rows)))


def read_recording(path: Path) -> Clip:
    """A WAV file or another that PyAV reads; raw G.722, which names no format, by its suffix. Raises OSError."""
    import av

    with av.open(str(path), format="g722" if path.suffix == ".g722" else None) as container:
        stream = container.streams.audio[0]
        resampler = av.AudioResampler("flt", "mono", stream.rate)
        frames = [mono for frame in (*container.decode(stream), None) for mono in resampler.resample(frame)]
    return Clip(np.concatenate([frame.to_ndarray()[0] for frame in frames]), stream.rate)


def _levelled(clip: Clip) -> Clip:
    loud = clip.samples[np.abs(clip.samples) > 0.01 * np.abs(clip.samples).max()]
    return Clip(clip.samples * np.float32(np.sqrt(SPEECH_POWER / np.mean(np.square(loud, dtype=np.float64)))), clip.sample_rate)


def _scores(heard: Estimates) -> tuple[float | None, float | None]:
    return heard.distillmos, heard.dnsmos.overall if heard.dnsmos else None


def _mean_of(rows: Sequence[CopyRow]) -> CopyRow:
    def mean(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if known else None

    def means(pairs: Sequence[tuple[float | None, float | None]]) -> tuple[float | None, float | None]:
        return mean([first for first, _ in pairs]), mean([second for _, second in pairs])

    return CopyRow(
        MEAN,
        sum(row.seconds for row in rows),
        means([row.distillmos for row in rows]),
        means([row.dnsmos for row in rows]),
        mean([row.likeness for row in rows]),
        float(np.mean([row.analysis_rtf for row in rows])),
        float(np.mean([row.vocoder_rtf for row in rows])),
    )


def _shown(value: float | None, decimals: int) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="+", type=Path, metavar="PLACE", help="recordings (WAV, FLAC, raw G.722) or folders of them")
    parser.add_argument("--most", type=int, default=20, help="recordings of a folder, the first by name")
    arguments = parser.parse_args()
    paths = []
    for place in arguments.places:
        found = sorted(path for path in place.iterdir() if path.suffix in SUFFIXES)[: arguments.most] if place.is_dir() else [place]
        paths += found
    print(copy_table(measure_copies([(path.stem, read_recording(path)) for path in paths])))


if __name__ == "__main__":
    main()
