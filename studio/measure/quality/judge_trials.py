"""How often the judges of likeness err: `python -m studio.measure.quality.judge_trials --prompts --flite slt rms awb`.

A trial is a recording of some seconds against the clip of a voice, which is the same person's or another's; trials of one person in two
languages are left out. The equal error rate is that of the threshold at which as many of the same are refused as others are accepted.
What is lacking (`make judge`) is left out.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from engines.clips.clip import Clip
from studio.analysis import likeness, second_encoder
from studio.measure.quality.cepstral_distance import CepstralStatistics
from studio.measure.quality.quality_speakers import ClonedSpeaker
from studio.measure.quality.speaker_options import add_speaker_options, chosen_speakers

__all__ = ["JudgeErrors", "equal_error_rate", "error_table", "measure_judges"]

COLUMNS = ("judge", "voices", "trials of the same", "of others", "equal error rate", "same: least, median", "others: median, most")


Heard = TypeVar("Heard")


@dataclass(frozen=True, eq=False)
class JudgeErrors:
    """same, other: scores of the trials of each kind; more is more alike."""

    judge: str
    n_voices: int
    same: np.ndarray
    other: np.ndarray

    def as_cells(self) -> tuple[str, ...]:
        """In the order of COLUMNS."""
        rate = f"{100 * equal_error_rate(self.same, self.other):.1f} %"
        same = f"{self.same.min():.2f}, {np.median(self.same):.2f}"
        other = f"{np.median(self.other):.2f}, {self.other.max():.2f}"
        return (self.judge, str(self.n_voices), str(len(self.same)), str(len(self.other)), rate, same, other)


@dataclass(frozen=True)
class _JudgeOfPairs(Generic[Heard]):
    """heard: what it makes of a clip, None of silence. alike: two of these; more is more alike."""

    name: str
    heard: Callable[[Clip], Heard | None]
    alike: Callable[[Heard, Heard], float]


def equal_error_rate(same: np.ndarray, other: np.ndarray) -> float:
    """0 to 1: the mean of both errors at the score where they are nearest to each other."""
    errors = [(float(np.mean(same < score)), float(np.mean(other >= score))) for score in np.unique([*same, *other, np.inf])]
    return sum(min(errors, key=lambda both: abs(both[0] - both[1]))) / 2


def measure_judges(speakers: Sequence[ClonedSpeaker]) -> list[JudgeErrors]:
    """Of every judge that is here. speakers: two people at least."""
    return [_errors(judge, speakers) for judge in _judges()]


def error_table(rows: Sequence[JudgeErrors]) -> str:
    """Markdown."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (COLUMNS, ("---",) * len(COLUMNS), *(row.as_cells() for row in rows)))


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    """Of two of unit length."""
    return float(np.dot(one, other))


def _judges() -> Iterator[_JudgeOfPairs]:
    yield _JudgeOfPairs("likeness", likeness.LikenessEstimator().embedding, _cosine)
    if second_encoder.is_here():
        yield _JudgeOfPairs("second", second_encoder.SecondEncoder().embedding, _cosine)
    yield _JudgeOfPairs("AHS", CepstralStatistics.of, lambda one, other: -one.distance(other).ahs)
    yield _JudgeOfPairs("cepstral mean", CepstralStatistics.of, lambda one, other: -one.distance(other).mean)


def _errors(judge: _JudgeOfPairs, speakers: Sequence[ClonedSpeaker]) -> JudgeErrors:
    known = [(speaker, judge.heard(speaker.clip)) for speaker in speakers]
    same, other = [], []
    for speaker in speakers:
        heard = [one for recording in speaker.other.recordings() if (one := judge.heard(recording)) is not None]
        for claimed, voice in known:
            scores = [judge.alike(one, voice) for one in heard if voice is not None]
            if claimed is speaker:
                same += scores
            elif (claimed.person or claimed.name) != (speaker.person or speaker.name):
                other += scores
    return JudgeErrors(judge.name, len(speakers), np.array(same), np.array(other))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_speaker_options(parser)
    print(error_table(measure_judges(chosen_speakers(parser.parse_args(), "en"))))


if __name__ == "__main__":
    main()
