"""Verdict: rates one number of a clip as good, fair or poor for learning a speaker, with one sentence of advice.

ClipParts: where the speech of a recording is, and which ten seconds of it a voice is best learned from. The rule of the best part: it
begins and ends in a pause and has at most ten seconds (speech that goes on for longer is cut there). Of all such parts that hardly
overlap, the eight with the most speech less other sounds are judged as the quality card judges a clip, by speech, other sounds, a second
voice, silence, level, background, clipping and bandwidth. The best has the fewest poor lines, then the fewest fair ones, then the most
speech; of equals it is the first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.clips.clip import FRAMES_PER_SECOND, Clip, ClipSound, Span
from engines.clips.clip_quality import ClipQuality, measure_clip
from engines.clips.speech_activity import SpeechActivity
from engines.contract.contract import EngineInfo
from engines.text.spoken_length import spoken_seconds

__all__ = ["WORDS_SECONDS", "ClipParts", "Grade", "Verdict", "overall", "verdicts", "wish_verdicts", "words_verdict"]

Grade = Literal["good", "fair", "poor"]
Judgment = tuple[Grade, str, str]  # grade, case and advice of a Verdict
_GRADES: tuple[Grade, ...] = ("good", "fair", "poor")

# The target band of the studio's recorder, and the least that the engines learn a speaker from.
GOOD_SPEECH_SECONDS, LEAST_SPEECH_SECONDS = (6.0, 20.0), 3.0
BEST_SPEECH_SECONDS = (8.0, 15.0)
_BEST = "{:.0f} to {:.0f} s".format(*BEST_SPEECH_SECONDS)
MOST_SILENCE_PERCENT = (40.0, 70.0)  # good, fair; read sentences have 5 to 30
# Where recordings are levelled: the meter's green zone, and 12 dB below and 6 dB above it.
GOOD_LEVEL_DBFS, FAIR_LEVEL_DBFS = (-24.0, -12.0), (-36.0, -6.0)
# Zen et al., "LibriTTS" (2019) take 20 dB for training clean voices; below 10 dB the room is learned with the speaker.
LEAST_SNR_DB = (20.0, 10.0)
MOST_CLIPPING_PERCENT = (0.1, 1.0)  # a peak now and then is not heard; one sample in a hundred is
# ITU-T P.10: wideband speech ends at 7 kHz, telephone speech below 4 kHz.
LEAST_BANDWIDTH_HZ = (7000.0, 5000.0)
# 388 recordings of one person each have 11 in the 99th percentile and 17 at most: breaths, and noise of the room.
MOST_OTHER_PERCENT = (30.0, 70.0)
# Hum never stops, and a model says it again: it has to be farther below than other background.
LEAST_HUM_DB = (30.0, 15.0)
MOST_MUSIC_PERCENT = (35.0, 70.0)  # clean voices have 1 at most, music 15 dB below them at least 80
# Living rooms have 0.4 to 0.6 s, halls more than 1; a voice near the microphone in a furnished room ends within 0.3 s.
MOST_REVERBERATION_SECONDS = (0.4, 0.7)
# How long the words take to say, by estimate, over the seconds of speech. Readers of 90 to 250 words a minute, a fifth of it pauses,
# give 0.7 to 1.9. A clip cut to a third under the same words gives 2 to 5.6, and one with a third of its words mostly less than 0.4.
WORDS_OVER_SPEECH = (0.4, 2.0)
WORDS_SECONDS = "words_seconds"
# Of an engine that takes its pace from the words: case, pace and the next step.
_SLOW = ("words_slow", "slowly", "Write all that is heard, or take a clip that is spoken faster.")
_FAST = ("words_fast", "fast", "Leave out what is not heard, or take a clip that is spoken more slowly.")


@dataclass(frozen=True)
class Verdict:
    """measure: the field of ClipQuality that it is about, or WORDS_SECONDS. advice: one sentence, of the number and the next step.

    case: which sentence that is, for whoever says it in other words. span: of the clip, where it is about a part of it.
    """

    measure: str
    value: float
    grade: Grade
    case: str
    advice: str
    span: Span | None = None


def verdicts(quality: ClipQuality) -> tuple[Verdict, ...]:
    """One line per measure, in the order in which a person would mend them."""
    spans = {"n_speakers": _longest(quality.second_speaker)}
    return tuple(Verdict(measure, getattr(quality, measure), *judge(quality), spans.get(measure)) for measure, judge in _JUDGES.items())


def words_verdict(words: str, speech_seconds: float) -> Verdict:
    """Whether the words can be those of a clip with so many seconds of speech, more than 0. value: the seconds that they take by estimate.

    Engines that speak in context take clip and words as a pair: where a part of either is missing, all that they say comes out too long or
    too short.
    """
    seconds = spoken_seconds(words)
    fact = f"The words take about {seconds:.1f} s to say, and the clip has {speech_seconds:.1f} s of speech"
    low, high = WORDS_OVER_SPEECH
    grade, case, advice = "good", "words_good", f"{fact}, which fits."
    if seconds < low * speech_seconds:
        grade, case = "poor", "words_missing"
        advice = f"{fact}: are words of it missing? Write all that is heard, or cut the clip."
    elif seconds > high * speech_seconds:
        grade, case = "poor", "words_extra"
        advice = f"{fact}: is more written than is heard? Leave out the rest, or take a longer clip."
    return Verdict(WORDS_SECONDS, seconds, grade, case, advice)


def wish_verdicts(info: EngineInfo, seconds: float, words: str, speech_seconds: float) -> tuple[Verdict, ...]:
    """What of its clip_wishes a clip leaves open, of so many seconds and so many of speech; each "fair", since the engine takes it all the
    same. words: "" where there are none.

    Where `words_verdict` finds that the words fit, the engine's sentence says what comes of their pace, not that they are others.
    """
    wishes, lines = info.clip_wishes, []
    if wishes.words_over_speech and words and speech_seconds > 0:
        low, high = wishes.words_over_speech
        said = spoken_seconds(words)
        if not low * speech_seconds <= said <= high * speech_seconds:
            is_slow = said < low * speech_seconds
            case, pace, next_step = _SLOW if is_slow else _FAST
            fact = f"The words take about {said:.1f} s to say, and the clip has {speech_seconds:.1f} s of speech"
            advice = f"{fact}: {info.title} would say everything as {pace} as that. {next_step}"
            lines.append(Verdict(WORDS_SECONDS, said, "fair", case, advice))
    if wishes.best_seconds is not None and wishes.most_seconds is not None and seconds > wishes.most_seconds:
        low, high = wishes.best_seconds
        fact = f"{info.title} is slower with a clip of {seconds:.1f} s, and sounds less like the speaker"
        advice = f"{fact}: {low:.0f} to {high:.0f} s work best; more than {wishes.most_seconds:.0f} s are too many."
        lines.append(Verdict("seconds", seconds, "fair", "clip_long", advice))
    return tuple(lines)


def overall(lines: tuple[Verdict, ...]) -> Grade:
    """The worst of them."""
    return _GRADES[max(_GRADES.index(line.grade) for line in lines)]


def _speech(quality: ClipQuality) -> Judgment:
    seconds = quality.speech_seconds
    low, high = GOOD_SPEECH_SECONDS
    if seconds < LEAST_SPEECH_SECONDS:
        fact = f"Only {seconds:.1f} s of speech found" if seconds else "No speech was found"
        case = "speech_little" if seconds else "speech_none"
        return "poor", case, f"{fact}; record at least {LEAST_SPEECH_SECONDS:.0f} s, {_BEST} work best."
    if seconds < low:
        return "fair", "speech_fair", f"{seconds:.1f} s of speech are enough to begin with; {_BEST} work best."
    if seconds > high:
        return "fair", "speech_much", f"{seconds:.1f} s of speech are more than is learned from; keep the clearest {_BEST}."
    return "good", "speech_good", f"{seconds:.1f} s of speech are a good length."


def _other(quality: ClipQuality) -> Judgment:
    percent = quality.other_percent
    grade = _at_most(percent, MOST_OTHER_PERCENT)
    if _is_silent(quality):
        return "poor", "nothing_heard", "Nothing is heard; check the microphone and record again."
    if grade == "good":
        return grade, "other_good", "What stands out is speech."
    advice = f"{percent:.0f} % of what is heard is music or noise, not speech; choose a part where somebody only speaks."
    return grade, "other_much", advice


def _speakers(quality: ClipQuality) -> Judgment:
    if span := _longest(quality.second_speaker):
        start, end = span
        fact = f"More than one speaker? From {start:.1f} to {end:.1f} s the voice sounds like another person's"
        return "fair", "speakers_part", f"{fact}; listen, and keep parts with one person in them."
    if quality.n_speakers > 1:
        return "fair", "speakers_many", "More than one speaker? The voice changes within the clip; keep a part with one person in it."
    if quality.n_speakers == 1:
        return "good", "speakers_good", "There is no sign of a second voice; people who sound alike are not told apart."
    return "poor", "speakers_none", "No voice is heard; record one person speaking."


def _longest(spans: Sequence[Span]) -> Span | None:
    return max(spans, key=lambda span: span[1] - span[0], default=None)


def _silence(quality: ClipQuality) -> Judgment:
    percent = quality.silence_percent
    grade = _at_most(percent, MOST_SILENCE_PERCENT)
    if quality.speech_seconds == 0 and percent in (0, 100):
        if percent:
            return "poor", "silence_all", "All of the clip is silence."
        return "poor", "silence_none", "It sounds the same throughout; speech has pauses."
    if grade == "good":
        return grade, "silence_good", f"{percent:.0f} % of the clip is silence, which is right."
    return grade, "silence_much", f"{percent:.0f} % of the clip is silence; cut it off at both ends."


def _level(quality: ClipQuality) -> Judgment:
    level = quality.level_dbfs
    grade = "good" if _within(level, GOOD_LEVEL_DBFS) else "fair" if _within(level, FAIR_LEVEL_DBFS) else "poor"
    if grade == "good":
        return grade, "level_good", f"The level of {level:.0f} dBFS is right."
    direction = ("quiet", "raise the input or move closer") if level < GOOD_LEVEL_DBFS[0] else ("loud", "lower the input or move back")
    low, high = GOOD_LEVEL_DBFS
    advice = f"The level of {level:.0f} dBFS is {direction[0]}; {direction[1]}, to {low:.0f} to {high:.0f} dBFS."
    return grade, f"level_{direction[0]}", advice


def _snr(quality: ClipQuality) -> Judgment:
    snr = quality.snr_db
    grade = _at_least(snr, LEAST_SNR_DB)
    if quality.sound_seconds == 0:
        return "poor", "snr_nothing", "Nothing stands out from the background; speak with short pauses, close to the microphone."
    if quality.speech_seconds == 0:
        return "poor", "snr_no_speech", "What stands out from the background is no speech; speak close to the microphone."
    if grade == "good":
        return grade, "snr_good", f"The background is {snr:.0f} dB below the speech."
    advice = f"The background is only {snr:.0f} dB below the speech; record in a quiet room, close to the microphone."
    return grade, "snr_low", advice


def _hum(quality: ClipQuality) -> Judgment:
    grade = _at_least(quality.hum_db, LEAST_HUM_DB)
    if grade == "good":
        return grade, "hum_good", "There is no hum of the mains."
    advice = f"The mains hum at {quality.hum_hz} Hz, only {quality.hum_db:.0f} dB below the speech; unplug the charger, or have it cleaned."
    return grade, "hum_much", advice


def _hiss(quality: ClipQuality) -> Judgment:
    grade = _at_least(quality.hiss_db, LEAST_SNR_DB)
    if grade == "good":
        return grade, "hiss_good", "There is little hiss."
    advice = f"Hiss is only {quality.hiss_db:.0f} dB below the speech; turn off fans, move closer, or have it cleaned."
    return grade, "hiss_much", advice


def _music(quality: ClipQuality) -> Judgment:
    grade = _at_most(quality.music_percent, MOST_MUSIC_PERCENT)
    if grade == "good":
        return grade, "music_good", "There is no music under the speech."
    advice = f"Music goes on in {quality.music_percent:.0f} % of the pauses; record without it, or have it cleaned."
    return grade, "music_much", advice


def _room(quality: ClipQuality) -> Judgment:
    seconds = quality.reverberation_seconds
    grade = _at_most(seconds, MOST_REVERBERATION_SECONDS)
    if not seconds:
        return grade, "room_unknown", "How much the room echoes cannot be told from this clip."
    if grade == "good":
        return grade, "room_good", f"Sounds die away within {seconds:.2f} s, as they do in a dry room."
    advice = f"The room echoes for {seconds:.1f} s; move closer, or record in a room with carpet, curtains or clothes."
    return grade, "room_much", advice


def _clipping(quality: ClipQuality) -> Judgment:
    percent = quality.clipping_percent
    grade = _at_most(percent, MOST_CLIPPING_PERCENT)
    if grade == "good":
        return grade, "clipping_good", "The recording is not clipped."
    return grade, "clipping_much", f"{percent:.1f} % of the samples are clipped; move back or lower the input, then record again."


def _bandwidth(quality: ClipQuality) -> Judgment:
    kilohertz = quality.bandwidth_hz / 1000
    grade = _at_least(quality.bandwidth_hz, LEAST_BANDWIDTH_HZ)
    if _is_silent(quality):
        return grade, "bandwidth_silent", "Nothing is heard at any pitch."
    what = "Speech" if quality.speech_seconds else "Sound"
    if grade == "good":
        return grade, "bandwidth_good", f"{what} is heard up to {kilohertz:.1f} kHz."
    advice = f"{what} is heard up to {kilohertz:.1f} kHz only; use a microphone at 16 kHz or more, no telephone or headset call."
    return grade, "bandwidth_low", advice


# By the field of ClipQuality that each looks at, in the order in which a person would mend them.
_JUDGES: Mapping[str, Callable[[ClipQuality], Judgment]] = {
    "speech_seconds": _speech,
    "other_percent": _other,
    "n_speakers": _speakers,
    "silence_percent": _silence,
    "level_dbfs": _level,
    "snr_db": _snr,
    "hum_db": _hum,
    "hiss_db": _hiss,
    "music_percent": _music,
    "reverberation_seconds": _room,
    "clipping_percent": _clipping,
    "bandwidth_hz": _bandwidth,
}


def _is_silent(quality: ClipQuality) -> bool:
    return quality.sound_seconds == 0 and quality.silence_percent == 100


def _within(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def _at_most(value: float, bounds: tuple[float, float]) -> Grade:
    return "good" if value <= bounds[0] else "fair" if value <= bounds[1] else "poor"


def _at_least(value: float, bounds: tuple[float, float]) -> Grade:
    return "good" if value >= bounds[0] else "fair" if value >= bounds[1] else "poor"


# --- the best part


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
