"""ClipParts: where the speech of a recording is, and which ten seconds of it a voice is best learned from.

The rule of the best part: it begins and ends in a pause and has at most ten seconds (speech that goes on for longer is cut there). Of all
such parts that hardly overlap, the eight with the most speech less other sounds are judged as the quality card judges a clip, by speech,
other sounds, a second voice, silence, level, background, clipping and bandwidth. The best has the fewest poor lines, then the fewest fair
ones, then the most speech; of equals it is the first.
"""

from dataclasses import dataclass

import numpy as np

from engines.advice.clip_advice import verdicts
from engines.clips.clip import Clip
from engines.clips.clip_quality import measure_clip
from engines.clips.clip_sound import FRAMES_PER_SECOND, ClipSound
from engines.clips.speech_activity import SpeechActivity

__all__ = ["ClipParts", "Span"]

Span = tuple[float, float]  # seconds: start and end

MARGIN_SECONDS = 0.15  # left before and after the speech; onsets begin softly
MOST_SECONDS = 10.0
_MOST_FRAMES = round((MOST_SECONDS - 2 * MARGIN_SECONDS) * FRAMES_PER_SECOND) - 1  # a frame is two hops
_MOST_JUDGED = 8
_MOST_OVERLAP = 0.5


@dataclass(frozen=True)
class ClipParts:
    """speech: from the first to the last of it. best: within that. With a little room at both ends; both None without speech."""

    speech: Span | None
    best: Span | None

    @classmethod
    def of(cls, clip: Clip) -> "ClipParts":
        """For worker threads: of ten minutes it takes about two seconds."""
        sound = ClipSound.of(clip)
        if sound.is_silent:
            return cls(None, None)
        activity = SpeechActivity.of(clip, sound)
        speech = activity.speech(sound)
        edges = np.flatnonzero(np.diff(speech, prepend=False, append=False))
        if not len(edges):
            return cls(None, None)
        spans = [_with_margins(span, clip) for span in _most_spoken(edges, speech, sound.active)]
        return cls(_with_margins((edges[0], edges[-1]), clip), min(spans, key=lambda span: _rank(clip, activity, span)))


def _most_spoken(edges: np.ndarray, speech: np.ndarray, active: np.ndarray) -> list[tuple[int, int]]:
    """Parts from pause to pause, in frames, at most _MOST_FRAMES long; the first has the most speech."""
    worth = np.concatenate([[0], np.cumsum(speech.astype(np.int64) - (active & ~speech))])
    starts, ends = _pieces(edges)
    parts = [(start, int(ends[np.searchsorted(ends, start + _MOST_FRAMES, "right") - 1])) for start in starts]
    chosen: list[tuple[int, int]] = []
    for start, end in sorted(parts, key=lambda part: worth[part[0]] - worth[part[1]]):
        shared = [min(end, other_end) - max(start, other_start) for other_start, other_end in chosen]
        if max(shared, default=0) <= _MOST_OVERLAP * (end - start):
            chosen.append((start, end))
        if len(chosen) == _MOST_JUDGED:
            break
    return chosen


def _pieces(edges: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Where speech begins and where it ends, cut where it goes on for longer than a part may."""
    starts, ends = [], []
    for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        cuts = list(range(first, last, _MOST_FRAMES))
        starts += cuts
        ends += [*cuts[1:], last]
    return starts, np.array(ends)


def _rank(clip: Clip, activity: SpeechActivity, span: Span) -> tuple[int, int, float]:
    """The smallest is the best."""
    first, last = (round(seconds * clip.sample_rate) for seconds in span)
    quality = measure_clip(Clip(clip.samples[first:last], clip.sample_rate), activity.between(*span))
    grades = [verdict.grade for verdict in verdicts(quality)]
    return grades.count("poor"), grades.count("fair"), -quality.speech_seconds


def _with_margins(frames: tuple[int, int], clip: Clip) -> Span:
    """frames: (first, the one behind the last)."""
    start, end = float(frames[0]) / FRAMES_PER_SECOND, float(frames[1] + 1) / FRAMES_PER_SECOND
    return max(0.0, start - MARGIN_SECONDS), min(clip.seconds, end + MARGIN_SECONDS)
