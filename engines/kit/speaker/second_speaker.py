"""SecondSpeaker: signs of a second person in a clip, or among the recordings of one voice, by the speaker encoder.

The clip is heard in windows of 1.6 s of speech, none across two recordings. Two signs, each with the most that one voice has: how unlike
the two groups are that the windows fall into (two means on the sphere, begun from the windows that are least alike and from cuts in time),
and how unlike windows are that share no sound. The larger is the `contrast`. A sign is no proof: a person who plays two parts has one, and
two people who are alike have none. studio/measure/quality/two_people.py measures how often.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from engines.clips.clip import FRAMES_PER_SECOND, Clip, ClipSound, Span
from engines.clips.speech_activity import RATE_HZ, SpeechActivity

__all__ = ["SecondSpeaker", "SpeakerWindows", "WindowEncoder"]

WINDOW_FRAMES, HOP_FRAMES = 160, 40  # of 10 ms
HOP_SAMPLES = RATE_HZ // FRAMES_PER_SECOND
MOST_WINDOWS = 48  # of a clip; of a longer one they lie farther apart
LEAST_WINDOWS = 8  # of what can be told: 4.4 s of speech
LEAST_OF_A_GROUP = 3
MOST_ROUNDS = 10
N_UNLIKE = 5  # pairs of windows that groups are begun from
# 1 - cosine, of groups; of pairs of windows, which all but so many percent have more than.
MOST_OF_GROUPS, MOST_OF_PAIRS, PAIRS_PERCENT = 0.21, 0.385, 85


class WindowEncoder(Protocol):
    """SpeakerEncoder, to whoever hears windows."""

    def windows(self, samples: np.ndarray, starts: list[int]) -> np.ndarray:
        """(N, D) of unit length, of so many frames of 10 ms from each start. samples: (T,) at RATE_HZ."""
        ...


@dataclass(frozen=True, eq=False)
class SpeakerWindows:
    """embeddings: (N, D) of unit length. places: (N, 2) first and last frame of what each heard, in speech. spans: (N, 2) its seconds."""

    embeddings: np.ndarray
    places: np.ndarray
    spans: np.ndarray

    @classmethod
    def of(cls, encoder: WindowEncoder, clip: Clip, activity: SpeechActivity | None = None) -> Self:
        """activity: of the clip, where it is known already and the clip is one recording."""
        recordings = clip.recordings()
        heard = [_Spoken.of(each, activity if len(recordings) == 1 else None) for each in recordings]
        n_frames = sum(speech.n_frames for speech in heard)
        hop = max(HOP_FRAMES, n_frames // MOST_WINDOWS)
        embeddings, places, spans = [], [], []
        for speech, first, seconds in zip(
            heard, _before([s.n_frames for s in heard]), _before([r.seconds for r in recordings]), strict=True
        ):
            starts = speech.starts(hop)
            if not starts:
                continue
            embeddings.append(encoder.windows(speech.samples, starts))
            places += [(first + start, first + start + WINDOW_FRAMES) for start in starts]
            spans += [tuple(seconds + at for at in speech.seconds(start)) for start in starts]
        joined = np.concatenate(embeddings) if embeddings else np.zeros((0, 1), np.float32)
        return cls(joined, np.array(places).reshape(-1, 2), np.array(spans).reshape(-1, 2))


@dataclass(frozen=True)
class SecondSpeaker:
    """contrast: above 1 a sign, 0 for what is too short to tell. spans: seconds of the clip in which the rarer voice is heard."""

    contrast: float
    spans: tuple[Span, ...] = ()

    @classmethod
    def among(cls, windows: SpeakerWindows) -> Self:
        """Deterministic. Raises nothing."""
        if len(windows.embeddings) < LEAST_WINDOWS:
            return cls(0.0)
        alike = windows.embeddings @ windows.embeddings.T
        starts = windows.places[:, 0]
        apart = np.triu(np.abs(starts[:, None] - starts) >= WINDOW_FRAMES)
        of_pairs = float(np.percentile(1 - alike[apart], PAIRS_PERCENT)) if apart.any() else 0.0
        of_groups, group = _clearest_groups(windows.embeddings, alike)
        contrast = max(of_groups / MOST_OF_GROUPS, of_pairs / MOST_OF_PAIRS)
        return cls(contrast, _spans_of(windows.spans, group) if contrast > 1 and group is not None else ())

    @property
    def is_a_sign(self) -> bool:
        return self.contrast > 1


@dataclass(frozen=True, eq=False)
class _Spoken:
    """samples: (T,) at RATE_HZ and one level, without pauses. at: (T,) where each is in its recording, in samples at RATE_HZ."""

    samples: np.ndarray
    at: np.ndarray

    @classmethod
    def of(cls, clip: Clip, activity: SpeechActivity | None) -> Self:
        sound = ClipSound.of(clip)
        if sound.is_silent:
            return cls(np.zeros(0, np.float32), np.zeros(0, np.int64))
        activity = activity or SpeechActivity.of(clip, sound)
        kept = np.repeat(activity.speech(sound), HOP_SAMPLES)[: len(activity.samples)]
        at = np.flatnonzero(kept)
        return cls(activity.samples[at], at)

    @property
    def n_frames(self) -> int:
        return len(self.samples) // HOP_SAMPLES

    def starts(self, hop: int) -> list[int]:
        return list(range(0, self.n_frames - WINDOW_FRAMES + 1, hop))

    def seconds(self, start: int) -> Span:
        """Of the recording, that the window from this frame of speech on hears."""
        return float(self.at[start * HOP_SAMPLES]) / RATE_HZ, float(self.at[(start + WINDOW_FRAMES) * HOP_SAMPLES - 1] + 1) / RATE_HZ


def _before(lengths: list) -> list:
    """What lies before each."""
    return [sum(lengths[:number]) for number in range(len(lengths))]


def _clearest_groups(embeddings: np.ndarray, alike: np.ndarray) -> tuple[float, np.ndarray | None]:
    """1 - cosine of the two groups that are least alike, and (N,) bool, which windows are of the rarer; 0 and None without two."""
    n = len(embeddings)
    unlike = [divmod(int(at), n) for at in np.argsort(alike, axis=None)[: 2 * N_UNLIKE : 2]]
    begins = [embeddings[list(pair)] for pair in unlike]
    begins += [_centers(embeddings, np.arange(n) >= cut) for cut in range(2, n - 1)]
    found = [groups for begin in begins if (groups := _settled(embeddings, begin)) is not None]
    if not found:
        return 0.0, None
    unlikeness, group = max(found, key=lambda each: each[0])
    return unlikeness, group if 2 * group.sum() <= n else ~group


def _settled(embeddings: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray] | None:
    """Two means from there on: (1 - cosine of the groups, which windows are of the second); None where one is too small."""
    group = np.zeros(len(embeddings), bool)
    for n_rounds in range(MOST_ROUNDS):
        new = (embeddings @ (centers / np.linalg.norm(centers, axis=1, keepdims=True)).T).argmax(1).astype(bool)
        is_settled = n_rounds and (new == group).all()
        group = new
        if is_settled or group.all() or not group.any():
            break
        centers = _centers(embeddings, group)
    if min(int(group.sum()), int((~group).sum())) < LEAST_OF_A_GROUP:
        return None
    one, other = _centers(embeddings, group)
    return float(1 - one @ other / np.linalg.norm(one) / np.linalg.norm(other)), group


def _centers(embeddings: np.ndarray, group: np.ndarray) -> np.ndarray:
    return np.stack([embeddings[~group].mean(0), embeddings[group].mean(0)])


def _spans_of(spans: np.ndarray, group: np.ndarray) -> tuple[Span, ...]:
    """Where the runs of the group begin and end: midway between the middles of two windows that share sound, which hear both voices."""
    edges = np.flatnonzero(np.diff(group, prepend=False, append=False))
    return tuple((_border(spans, first)[1], _border(spans, end)[0]) for first, end in zip(edges[::2], edges[1::2], strict=True))


def _border(spans: np.ndarray, at: int) -> Span:
    """Seconds at which the windows before window `at` end, and at which it begins."""
    if at == 0 or at == len(spans):
        return float(spans[-1, 1]), float(spans[0, 0])
    before, behind = spans[at - 1], spans[at]
    if before[1] <= behind[0]:  # of another recording
        return float(before[1]), float(behind[0])
    middle = float(before.mean() + behind.mean()) / 2
    return middle, middle
