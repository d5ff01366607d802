"""How often a second person in a clip is found, and one person taken for two: `python -m studio.measure.quality.two_people --help`.

Clips of ten seconds are spliced from recordings of speakers (speaker_options.py): of one person, as recorded, and with the second half at
another pitch and effort; of two people in halves, in turns of 2.5 s, and with 2.5 s of the second at the end. As they are, in a
telephone's band, and in noise 15 dB below. Beside the encoder's sign stands that of `count_speakers`, which needs no weights. Speakers are
split in two sets by the CRC of the person's name: thresholds are chosen on "tuning", and what counts is "held-out".
"""

import argparse
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import soxr
from scipy.signal import butter, sosfilt

from engines.clips.clip import Clip, ClipSound
from engines.clips.clip_quality import MOST_CONTRAST_OF_ONE, speaker_contrast
from engines.clips.speech_activity import RATE_HZ, SpeechActivity
from engines.kit.speaker.second_speaker import SecondSpeaker, SpeakerWindows
from engines.kit.speaker.speaker_encoder import SpeakerEncoder
from studio.measure.quality.quality_speakers import ClonedSpeaker
from studio.measure.quality.speaker_options import add_speaker_options, chosen_speakers

__all__ = ["CONDITIONS", "KINDS", "SplicedTrial", "main", "of_set", "table", "trials"]

ONE_PERSON = ("one", "one, other effort")
KINDS = (*ONE_PERSON, "halves", "turns", "short end")
HALF_SECONDS, SHORT_SECONDS = 5.0, 2.5
LEVEL = 0.06  # RMS of every voice before its gain
MOST_GAIN_DB, MOST_SEMITONES, MOST_TILT = 4.0, 1.0, 0.4
NOISE_DB = -15.0
TELEPHONE_HZ = (300.0, 3400.0)
TELEPHONE_RATE_HZ = 8_000
MU = 255.0  # of ITU-T G.711's law


@dataclass(frozen=True)
class SplicedTrial:
    """contrast: of SecondSpeaker, a sign above 1. plain: of `count_speakers`, as a share of its limit."""

    kind: str
    condition: str
    names: tuple[str, str]
    contrast: float
    plain: float


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    add_speaker_options(parser)
    parser.add_argument("--set", choices=("tuning", "held-out", "all"), default="held-out", help="of speakers")
    parser.add_argument("--trials", type=int, default=40, help="of each kind in each condition")
    parser.set_defaults(seconds=2 * HALF_SECONDS)
    asked = parser.parse_args()
    speakers = of_set(chosen_speakers(asked, "en"), asked.set)
    print(f"{len(speakers)} speakers, {asked.set}")
    print(table(list(trials(speakers, asked.trials))))


def of_set(speakers: Sequence[ClonedSpeaker], wanted: str) -> list[ClonedSpeaker]:
    """Those of "tuning", "held-out" or "all"."""
    parity = {"tuning": 0, "held-out": 1}
    return [one for one in speakers if wanted == "all" or zlib.crc32(_person(one).encode()) % 2 == parity[wanted]]


def trials(speakers: Sequence[ClonedSpeaker], n_trials: int, seed: int = 0) -> Iterator[SplicedTrial]:
    """So many of each kind in each condition, the same for the same speakers. Raises ValueError for fewer than two people."""
    if len({_person(speaker) for speaker in speakers}) < 2:
        raise ValueError("there must be speakers of two people")
    random, encoder = np.random.default_rng(seed), SpeakerEncoder.shared()
    for condition, change in CONDITIONS.items():
        for kind in KINDS:
            for number in range(n_trials):
                first = speakers[number % len(speakers)]
                others = [speaker for speaker in speakers if _person(speaker) != _person(first)]
                second = first if kind in ONE_PERSON else others[random.integers(len(others))]
                clip = Clip(change(_spliced(kind, first, second, random), random).astype(np.float32), RATE_HZ)
                yield SplicedTrial(kind, condition, (first.name, second.name), *_contrasts(encoder, clip))


def table(found: Sequence[SplicedTrial]) -> str:
    """Percent of the trials with a sign: false alarms of one person, recall of two."""
    rows = ["| condition | kind | trials | encoder | without weights | either |", "|---|---|---|---|---|---|"]
    for condition in CONDITIONS:
        for kind in KINDS:
            these = [trial for trial in found if (trial.condition, trial.kind) == (condition, kind)]
            if not these:
                continue
            signs = np.array([(trial.contrast > 1, trial.plain > 1) for trial in these]).reshape(-1, 2)
            shares = 100 * np.column_stack([signs, signs.any(1)]).mean(0)
            rows.append(f"| {condition} | {kind} | {len(these)} | {shares[0]:.0f} % | {shares[1]:.0f} % | {shares[2]:.0f} % |")
    return "\n".join(rows)


def _contrasts(encoder: SpeakerEncoder, clip: Clip) -> tuple[float, float]:
    sound = ClipSound.of(clip)
    activity = SpeechActivity.of(clip, sound)
    plain = speaker_contrast(activity.samples, activity.speech(sound)) / MOST_CONTRAST_OF_ONE
    return SecondSpeaker.among(SpeakerWindows.of(encoder, clip, activity)).contrast, plain


def _person(speaker: ClonedSpeaker) -> str:
    return speaker.person or speaker.name


def _spliced(kind: str, first: ClonedSpeaker, second: ClonedSpeaker, random: np.random.Generator) -> np.ndarray:
    """(T,) at RATE_HZ: the first from its clip, the second from its other recordings, at another gain."""
    gain = 10 ** (random.uniform(-MOST_GAIN_DB, MOST_GAIN_DB) / 20)
    one, other = _voice(first.clip, random), gain * _voice(second.other, random)
    if kind == "one, other effort":
        other = _other_effort(other, random)
    half, short = round(HALF_SECONDS * RATE_HZ), round(SHORT_SECONDS * RATE_HZ)
    if kind == "short end":
        return np.concatenate([one[: 2 * half - short], other[:short]])
    if kind == "turns":
        return np.concatenate([one[:short], other[:short], one[short:half], other[short:half]])
    return np.concatenate([one[:half], other[:half]])


def _voice(clip: Clip, random: np.random.Generator) -> np.ndarray:
    """(T,) at RATE_HZ and LEVEL, its recordings in any order."""
    recordings = clip.recordings()
    samples = np.concatenate([recordings[number].samples for number in random.permutation(len(recordings))])
    heard = soxr.resample(samples, clip.sample_rate, RATE_HZ)
    return heard * (LEVEL / max(1e-6, float(np.sqrt(np.mean(np.square(heard))))))


def _other_effort(samples: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Up to a semitone higher or lower, brighter or duller."""
    moved = soxr.resample(samples, RATE_HZ, RATE_HZ * 2 ** (random.uniform(-MOST_SEMITONES, MOST_SEMITONES) / 12))
    return np.convolve(moved, [1.0, random.uniform(-MOST_TILT, MOST_TILT)])[: len(moved)]


def _as_it_is(samples: np.ndarray, _random: np.random.Generator) -> np.ndarray:
    return samples


def _by_telephone(samples: np.ndarray, _random: np.random.Generator) -> np.ndarray:
    """Its band, its rate, eight bits by the law of G.711."""
    band = np.asarray(sosfilt(butter(4, TELEPHONE_HZ, "band", fs=RATE_HZ, output="sos"), samples))
    slow = soxr.resample(band / max(1e-6, float(np.abs(band).max())), RATE_HZ, TELEPHONE_RATE_HZ).clip(-1, 1)
    coded = np.rint(127 * np.sign(slow) * np.log1p(MU * np.abs(slow)) / np.log1p(MU)) / 127
    return soxr.resample(np.sign(coded) * np.expm1(np.abs(coded) * np.log1p(MU)) / MU, TELEPHONE_RATE_HZ, RATE_HZ)


def _in_noise(samples: np.ndarray, random: np.random.Generator) -> np.ndarray:
    noise = np.convolve(random.standard_normal(len(samples)), [1.0, 0.7, 0.4], "same")
    return samples + noise / noise.std() * float(np.sqrt(np.mean(np.square(samples)))) * 10 ** (NOISE_DB / 20)


CONDITIONS: Mapping[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "as recorded": _as_it_is,
    "telephone": _by_telephone,
    "noise": _in_noise,
}


if __name__ == "__main__":
    main()
