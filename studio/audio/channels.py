"""Channels: which of a recording's channels is the voice. No decoding here; the arrays of the channels are given.

Averaging them all would silence a channel beside its inverse, halve a voice that is in one alone, and mix two people who have one each.

* Channels without sound are left out.
* Alike: the same samples at lag 0, but for a little noise. They are averaged, which is a little clearer than either.
* Of others one is taken, by what speech is in it: how long, how far above the background, how loud. A delayed, filtered or inverted copy
  is as good as the original alone; their sum is worse.
* Other speech: what is loud in the one channel and what is loud in the other come at other times. It is two people, also where each
  microphone hears a little of the other. A copy that comes up to a second later is none.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import soxr

from engines.clips.clip import FRAMES_PER_SECOND, Clip, ClipSound, decibels
from engines.clips.speech_activity import RATE_HZ, SpeechActivity

__all__ = ["SoundSource", "choose_channels", "speech_seconds"]

# Of a longer recording so many stretches are heard, evenly spread: two minutes tell as much as ten, and take a fifth of the time.
_MOST_HEARD_SECONDS = 120
_STRETCH_SECONDS = 10
_MOST_HEARD_CHANNELS = 8  # the loudest; each takes 0.1 s of computing for half a minute

_ALIKE = 0.9  # correlation at lag 0 of what changes from sample to sample, where hum and DC count for little
_ALIKE_DB = 6.0  # between channels that are averaged; the louder would lose more than noise does
_ALIKE_DC = 0.01
_NO_SIGN = 0.1  # correlation of what has nothing to do with each other

_LEAST_SPEECH_SECONDS, _LEAST_SPEECH_SHARE = 0.3, 0.1  # of the channel with the most
_MUCH_SPEECH_SHARE = 0.8
_MOST_BELOW_DB = 12.0  # the loudest; what is quieter is what a microphone hears of somebody farther away
_SAME_SNR_DB = 3.0

# Loudness over time, 100 ms smooth. Of one voice in two channels, through whatever rooms and microphones, it correlates by 0.7 to 1, of two
# voices by -0.9 to 0.3, also where each microphone hears the other voice 12 dB below its own.
_SMOOTH_FRAMES = 10
_SAME_SPEECH = 0.4
_SHIFT_FRAMES = 12  # 120 ms: echoes, and channels that are a little apart
_OWN_DB = 6.0
_FLOOR = 0.01  # of a channel's loud speech, -20 dB: what is below is silence
_LOUD_PERCENT = 90
_LEAST_OWN_FRAMES = 20  # of a second voice, which is more than a cough
_WHY = {  # by SoundSource.why
    "only": "There is one channel.",
    "alike": "They sound alike, and are averaged.",
    "sound": "The others are silent.",
    "speech": "Nobody speaks in the others.",
    "clearest": "The same speech is in others, less clear or not in step.",
    "other_speech": "Somebody else speaks in another.",
    "no_speech": "No speech is found in any channel.",
}
_DELAYED = 0.5  # correlation of a delayed copy; that of other speech is below 0.2
_MOST_DELAY_SECONDS = 1.0  # of channels that are far apart


@dataclass(frozen=True)
class SoundSource:
    """Where in a file its sound was taken from.

    channels: numbers from 0 of those that were taken, averaged where there are several; of n_channels.
    why: "only" of one channel, "alike" (averaged), "sound" (the others are silent), "speech" (nobody speaks in the others), "clearest" of
    the same speech, "other_speech" (somebody else speaks in another), or "no_speech" (nobody speaks in any).
    track: counts from 1, of the n_tracks with sound of a file.
    """

    channels: tuple[int, ...] = (0,)
    n_channels: int = 1
    why: str = "only"
    track: int = 1
    n_tracks: int = 1

    @property
    def channel(self) -> str:
        """ "mono", "left", "right", "both", or numbers from 1."""
        if self.n_channels == 1:
            return "mono"
        if self.n_channels == 2:
            return "both" if len(self.channels) == 2 else ("left", "right")[self.channels[0]]
        return ", ".join(str(number + 1) for number in self.channels)

    @property
    def because(self) -> str:
        """Why it is this track and this channel, for people."""
        skipped = f"The {self.track - 1} before it {'has' if self.track == 2 else 'have'} no speech. " if self.track > 1 else ""
        return skipped + _WHY[self.why]

    @property
    def told(self) -> str:
        """What was taken of a file, for people; "" where that is all of its sound."""
        is_whole = self.track == 1 and len(self.channels) == self.n_channels
        track = f", track {self.track} of {self.n_tracks}" if self.n_tracks > 1 else ""
        return "" if is_whole else f"Taken: channel {self.channel} of {self.n_channels}{track}. {self.because}"

    def of_track(self, track: int, n_tracks: int) -> "SoundSource":
        return replace(self, track=track, n_tracks=n_tracks)


def choose_channels(samples_of: Callable[[int], np.ndarray], n_channels: int, sample_rate: int) -> SoundSource:
    """samples_of: (T,) float32, finite, of a channel by its number from 0. For worker threads: unlike channels take 0.1 s each."""
    if n_channels == 1:
        return SoundSource()
    heard = [_Channel.of(samples_of(number), sample_rate, number) for number in range(n_channels)]
    sounding = [channel for channel in heard if not channel.sound.is_silent]
    if not sounding:
        return SoundSource(tuple(range(n_channels)), n_channels, "no_speech")
    taken, why = _chosen(sounding)
    return SoundSource(tuple(channel.number for channel in taken), n_channels, why)


def speech_seconds(clip: Clip) -> float:
    """Of its beginning, where it is long."""
    return _Channel.of(clip.samples, clip.sample_rate, 0).speech_seconds


@dataclass(eq=False)
class _Channel:
    """samples: (T,) float32 without DC, at 16 kHz or the recording's own lower rate. changes: from sample to sample, of length 1."""

    number: int
    samples: np.ndarray
    sample_rate: int
    sound: ClipSound
    changes: np.ndarray
    dc: float
    _speech: np.ndarray | None = None

    @classmethod
    def of(cls, samples: np.ndarray, sample_rate: int, number: int) -> "_Channel":
        known = _excerpt(samples, sample_rate)
        dc = float(known.mean(dtype=np.float64)) if len(known) else 0.0
        rate, known = min(sample_rate, RATE_HZ), known - np.float32(dc)  # first: a resampler makes a sound of where it begins
        known = known if rate == sample_rate else soxr.resample(known, sample_rate, rate, quality="MQ")
        changes = np.diff(known)
        changes /= max(float(np.linalg.norm(changes)), 1e-12)
        return cls(number, known, rate, ClipSound.of(Clip(known, rate)), changes, dc)

    @property
    def speech(self) -> np.ndarray:
        """(F,) bool, per frame of its sound."""
        if self._speech is None:
            self._speech = SpeechActivity.of(Clip(self.samples, self.sample_rate), self.sound).speech(self.sound)
        return self._speech

    @property
    def speech_seconds(self) -> float:
        return float(self.speech.sum()) / FRAMES_PER_SECOND

    @property
    def level_db(self) -> float:
        """Of what stands out of the background."""
        return decibels(self.sound.power_of(self.sound.active))

    def is_alike(self, other: "_Channel") -> bool:
        is_level = abs(self.level_db - other.level_db) <= _ALIKE_DB and abs(self.dc - other.dc) <= _ALIKE_DC
        return is_level and float(self.changes @ other.changes) >= _ALIKE


def _excerpt(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    most, stretch = _MOST_HEARD_SECONDS * sample_rate, _STRETCH_SECONDS * sample_rate
    if len(samples) <= most:
        return samples
    starts = np.linspace(0, len(samples) - stretch, most // stretch).astype(np.int64)
    return np.concatenate([samples[start : start + stretch] for start in starts])


def _chosen(sounding: list[_Channel]) -> tuple[list[_Channel], str]:
    """Those that are taken, and why. sounding: one at least."""
    if len(sounding) == 1:
        return sounding, "sound"
    by_level = sorted(sounding, key=lambda channel: -channel.level_db)
    alike = [channel for channel in sounding if channel.is_alike(by_level[0])]
    if len(alike) == len(sounding):
        return alike, "alike"
    most = max(channel.speech_seconds for channel in by_level[:_MOST_HEARD_CHANNELS])
    least = max(_LEAST_SPEECH_SECONDS, _LEAST_SPEECH_SHARE * most)
    speaking = [channel for channel in by_level[:_MOST_HEARD_CHANNELS] if channel.speech_seconds >= least]
    if not speaking:
        return (alike, "alike") if len(alike) > 1 else _of_no_speech(by_level)
    best = _clearest(speaking)
    others = [channel for channel in speaking if channel is not best]
    for other in others:
        if _is_other_speech(best, other):
            own, others_own = _own_frames(best, other)
            return [best if own >= others_own else other], "other_speech"
    taken = sorted([best, *(other for other in others if other.is_alike(best))], key=lambda channel: channel.number)
    if not others:
        return taken, "speech"
    return taken, "alike" if len(taken) > 1 else "clearest"


def _of_no_speech(by_level: list[_Channel]) -> tuple[list[_Channel], str]:
    """All that are about as loud, where none takes away from the loudest; else that one."""
    loudest = by_level[0]
    near = [channel for channel in by_level if channel.level_db >= loudest.level_db - _ALIKE_DB]
    if any(float(channel.changes @ loudest.changes) < -_NO_SIGN for channel in near):
        near = [loudest]
    return sorted(near, key=lambda channel: channel.number), "no_speech"


def _clearest(speaking: list[_Channel]) -> _Channel:
    """speaking: the loudest first."""
    loudest = max(channel.level_db for channel in speaking)
    near = [channel for channel in speaking if channel.level_db >= loudest - _MOST_BELOW_DB]
    most = max(channel.speech_seconds for channel in near)
    full = [channel for channel in near if channel.speech_seconds >= _MUCH_SPEECH_SHARE * most]
    best_snr = max(channel.sound.snr_db(channel.speech) for channel in full)
    clear = [channel for channel in full if channel.sound.snr_db(channel.speech) >= best_snr - _SAME_SNR_DB]
    return min(clear, key=lambda channel: (round(abs(channel.dc), 2), -round(channel.level_db), channel.number))


def _is_other_speech(one: _Channel, other: _Channel) -> bool:
    if min(_own_frames(one, other)) < _LEAST_OWN_FRAMES:
        return False
    one_db, other_db = _loudness_db(one), _loudness_db(other)
    is_speech = one.speech | other.speech
    shifts = range(-_SHIFT_FRAMES, _SHIFT_FRAMES + 1)
    return max(_correlation(one_db, other_db, is_speech, shift) for shift in shifts) < _SAME_SPEECH and not _is_delayed(one, other)


def _own_frames(one: _Channel, other: _Channel) -> tuple[int, int]:
    """In how many frames of speech each is the louder by far."""
    difference_db = (_loudness_db(one) - _loudness_db(other))[one.speech | other.speech]
    return int((difference_db > _OWN_DB).sum()), int((difference_db < -_OWN_DB).sum())


def _loudness_db(channel: _Channel) -> np.ndarray:
    """(F,) of what stands out of the background, smooth, under that of its loud speech; at least -20."""
    power = np.maximum(channel.sound.power - channel.sound.noise, 0.0)
    smooth = np.convolve(power, np.ones(_SMOOTH_FRAMES) / _SMOOTH_FRAMES)[_SMOOTH_FRAMES // 2 :][: len(power)]
    loud = max(float(np.percentile(smooth[channel.speech], _LOUD_PERCENT)), 1e-30)
    return 10 * np.log10(np.maximum(smooth / loud, _FLOOR))


def _correlation(one: np.ndarray, other: np.ndarray, is_counted: np.ndarray, shift: int) -> float:
    """Of one and other, so many frames later, where frames of one count. 0 where one stands still."""
    first, last = max(0, -shift), len(one) - max(0, shift)
    counted = is_counted[first:last]
    pair = np.stack([one[first:last][counted], other[first + shift : last + shift][counted]])
    pair -= pair.mean(1, keepdims=True)
    return float((pair[0] @ pair[1]) / max(np.linalg.norm(pair[0]) * np.linalg.norm(pair[1]), 1e-9))


def _is_delayed(one: _Channel, other: _Channel) -> bool:
    """Whether either is the other one later; both directions, and upside down, too."""
    n_fft = 1 << (2 * len(one.changes) - 1).bit_length()
    spectra = [np.fft.rfft(channel.changes, n_fft) for channel in (one, other)]
    repeats = np.abs(np.fft.irfft(spectra[0] * spectra[1].conj(), n_fft))
    last = round(_MOST_DELAY_SECONDS * one.sample_rate)
    first = round(_SHIFT_FRAMES / FRAMES_PER_SECOND * one.sample_rate)  # below it, what a microphone hears of a person at another
    return max(repeats[first : last + 1].max(initial=0.0), repeats[-last : n_fft - first + 1].max(initial=0.0)) >= _DELAYED
