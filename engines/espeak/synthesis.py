"""Turns text into samples in a speaker's voice, block by block.

The samples do not depend on the block sizes: pieces of text, analysis windows and noise stand at fixed places, every frame is
converted from a bounded window around it, and the vocoder's blocks join exactly.
A piece of text becomes frames of the speaker's voice by TimbreMapping: eSpeak speech through the prior network and the speaker's head, at
any speed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engines.contract.word_marks import WordMark, are_heard, mark
from engines.espeak.prior.espeak_frames import SOURCE_LEVEL_DB, PacedFrames
from engines.espeak.prior.hidden_stream import LOOK_AHEAD_FRAMES
from engines.espeak.prior.prior import N_OUTPUTS, VOICING, Prior
from engines.espeak.reading.ipa_mnemonics import phone_places, read_phones
from engines.espeak.speaker.enrollment import SMOOTHING_FRAMES
from engines.espeak.speaker.speaker_model import PULL_SMOOTHING_FRAMES, SpeakerModel
from engines.espeak.vocoder import DELAY_SAMPLES, Vocoder
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.espeak_words import heard_stretches
from engines.kit.phonemes.ipa import PHONEME
from engines.kit.phonemes.languages import Language
from engines.kit.signal import pitch
from engines.kit.signal.spectrum import (
    FRAMES_PER_SECOND,
    HALF_WINDOW_SAMPLES,
    HOP_SAMPLES,
    N_BANDS,
    N_CEPSTRA,
    N_MELS,
    SAMPLE_RATE,
    smooth,
)
from engines.text.spoken_pieces import pieces, speakable
from engines.text.text_places import TextPlaces, said_places

__all__ = [
    "SynthesisParams",
    "TimbreMapping",
    "TimbreParams",
    "VocoderFrames",
    "soft_limit",
    "stream",
]

# --- frames of a piece


_F0_DEVIATIONS = (0.04, 0.25)  # of the speaker's log F0
_VOICED = 0.75  # of the predicted voicing: what is less sure is more like people as noise (studio/measure/DIARY.md)
_F0_RANGE_HZ = (50.0, 600.0)
_SILENT_DB = 45.0  # a pause of the source is that far below its loud speech
_BATCH_FRAMES = 20
_MOST_SHRUNK = 1.2  # how much longer the beginning of a text may be in eSpeak's time, before the whole must be said
# what a source frame waits for: the network's context, smoothing, pitch segment and look-ahead, envelope window, phones for the prosody
_AHEAD_FRAMES = LOOK_AHEAD_FRAMES + PULL_SMOOTHING_FRAMES + 2
_AHEAD_SAMPLES = (
    (2 * pitch.SEGMENT_STEPS + pitch.LOOK_AHEAD_STEPS) * pitch.STEP_FRAMES * HOP_SAMPLES + HALF_WINDOW_SAMPLES + SAMPLE_RATE // 2
)


@dataclass(frozen=True, eq=False)
class VocoderFrames:
    """What the vocoder is fed. f0: (F,) Hz, 0 where unvoiced. log_power: (F, N_MELS). noise_share: (F, N_BANDS)."""

    f0: np.ndarray
    log_power: np.ndarray
    noise_share: np.ndarray

    def __len__(self) -> int:
        return len(self.f0)

    def __getitem__(self, part: slice) -> "VocoderFrames":
        return VocoderFrames(self.f0[part], self.log_power[part], self.noise_share[part])

    @staticmethod
    def joined(parts: list["VocoderFrames"]) -> "VocoderFrames":
        return VocoderFrames(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("f0", "log_power", "noise_share")))


@dataclass(frozen=True)
class TimbreParams:
    """How a speaker speaks a text. speed: source frames per output frame. semitones: added to the speaker's pitch."""

    speaker: SpeakerModel
    language: Language
    speed: float
    semitones: float


class TimbreMapping:
    """The frames of one piece of text. text: of the piece.

    end_pause: whether the pause after the last punctuation mark belongs to the piece. hurried: speak the beginning first, since
    someone is waiting for it; the whole follows when more is asked for.
    """

    def __init__(self, text: str, params: TimbreParams, prior: Prior, *, end_pause: bool, hurried: bool):
        self.text, self._end_pause, self._hurried = text, end_pause, hurried
        self._params, self._prior, self._speed = params, prior, params.speed
        self._heard: _HeardFrames | None = None

    def frames(self, first: int, count: int) -> VocoderFrames:
        """Output frames from `first` on: count of them, fewer only where the piece ends."""
        heard = self._listen(first + count)
        if heard.is_complete:
            count = max(0, min(count, max(1, round(heard.n_frames / self._speed)) - first))
        position = np.minimum((first + np.arange(count)) * self._speed, heard.n_frames - 1)
        if not count:
            return VocoderFrames(np.zeros(0), np.zeros((0, N_MELS), np.float32), np.zeros((0, N_BANDS), np.float32))
        left = position.astype(np.int64)
        start, stop = int(left[0]), min(int(left[-1]) + 2, heard.n_frames)
        return _between(heard.converted(start, stop), left - start, position - left)

    def words(self, first_sample: int) -> list[WordMark] | None:
        """Where each stretch of the piece is heard in a stream in which the piece begins with that sample; None while that is not known."""
        heard = self._heard
        if heard is None or not heard.is_complete:
            return None
        last = first_sample + max(1, round(heard.n_frames / self._speed)) * HOP_SAMPLES
        found = []
        for word in heard_stretches(heard.speech):
            bounds = (
                first_sample + round(heard.source.place(at) / self._speed * HOP_SAMPLES) for at in (word.start_samples, word.end_samples)
            )
            start, end = (min(bound, last) for bound in bounds)
            if end > start:
                found.append(WordMark(word.start, word.end, start, end))
        return found

    def _listen(self, n_frames: int) -> "_HeardFrames":
        """What reaches far enough for the first n_frames output frames."""
        needed = int(n_frames * self._speed) + _AHEAD_FRAMES
        if self._heard is None and self._hurried:
            self._heard = self._speak(int(needed * HOP_SAMPLES * _MOST_SHRUNK) + _AHEAD_SAMPLES)
        if self._heard is None or (not self._heard.is_complete and self._heard.n_frames < needed):
            self._heard = self._speak(None)
        return self._heard

    def _speak(self, most_samples: int | None) -> "_HeardFrames":
        voice = self._params.language.voice
        speech = espeak_library.speak(self.text, voice, most_samples=most_samples, end_pause=self._end_pause)
        return _HeardFrames(speech, self._params, self._prior)


class _HeardFrames:
    """What eSpeak said of a piece, or of its beginning, as frames that are converted where they are asked for."""

    def __init__(self, speech: espeak_library.EspeakSpeech, params: TimbreParams, prior: Prior):
        self.speech, self.source = speech, PacedFrames.of(speech, prior, params.language)
        self.n_frames, self.is_complete = self.source.n_frames, speech.complete
        self._speaker, self._prior, self._is_tonal = params.speaker, prior, params.language.is_tonal
        self._log_f0 = params.speaker.log_f0 + params.semitones * np.log(2) / 12
        self._deviation = float(np.clip(params.speaker.log_f0_deviation, *_F0_DEVIATIONS))
        self._outputs = np.zeros((self.n_frames, N_OUTPUTS), np.float32)
        self._pulls = np.zeros((self.n_frames, N_CEPSTRA), np.float32)
        self._n_outputs = 0

    def converted(self, first: int, last: int) -> VocoderFrames:
        """Source frames [first, last) in the speaker's voice."""
        speaker, source = self._speaker, self.source
        self._predict(min(self.n_frames, last + PULL_SMOOTHING_FRAMES))
        outputs = self._smooth(self._outputs, SMOOTHING_FRAMES, first, last)
        cepstra = outputs[:, :N_CEPSTRA] + self._smooth(self._pulls, PULL_SMOOTHING_FRAMES, first, last)
        silent = source.phones.silent[first:last] & (source.level(first, last) < SOURCE_LEVEL_DB - _SILENT_DB)
        cepstra[silent, 0] = np.minimum(cepstra[silent, 0], speaker.floor)
        share = outputs[:, N_CEPSTRA : N_CEPSTRA + N_BANDS].clip(0, 1)
        away = source.melody(first, last) * self._deviation
        f0 = np.where(silent, 0, self._f0(first, last, away, outputs[:, VOICING]))
        shift = speaker.shift_at(away, np.where(silent, 0, outputs[:, VOICING]))
        return VocoderFrames(f0, speaker.log_power(cepstra, shift), share)

    def _smooth(self, rows: np.ndarray, radius: int, first: int, last: int) -> np.ndarray:
        """Rows [first, last) of the source's frames, a mean over so many to either side."""
        low, high = max(0, first - radius), min(self.n_frames, last + radius)
        return smooth(rows[low:high], radius)[first - low : last - low]

    def _f0(self, first: int, last: int, away: np.ndarray, voicing: np.ndarray) -> np.ndarray:
        """(last - first,) Hz, 0 where unvoiced: `away` in log F0 from the speaker's median."""
        voiced = self.source.f0(first, last) > 0 if self._is_tonal else voicing > _VOICED
        hz = np.exp(away + self._log_f0)
        return np.where(voiced, hz.clip(*_F0_RANGE_HZ), 0)

    def _predict(self, n_frames: int) -> None:
        """Predict up to source frame n_frames, always in whole batches at the same places, so that rounding cannot depend on the blocks."""
        n_whole = min(-(-n_frames // _BATCH_FRAMES) * _BATCH_FRAMES, self.n_frames)
        if n_whole <= self._n_outputs:
            return
        all_hidden = self.source.hidden(n_whole)
        for first in range(self._n_outputs, n_whole, _BATCH_FRAMES):
            last = min(first + _BATCH_FRAMES, n_whole)
            hidden = all_hidden[first:last]
            hidden = np.concatenate([hidden, np.repeat(hidden[-1:], _BATCH_FRAMES - len(hidden), 0)])
            outputs = self._prior.outputs(hidden, self._speaker.head)
            outputs[:, :N_CEPSTRA] = self._speaker.varied(outputs[:, :N_CEPSTRA])
            self._outputs[first:last] = outputs[: last - first]
            self._pulls[first:last] = self._speaker.pull(outputs[:, :N_CEPSTRA])[: last - first]
        self._n_outputs = n_whole


def _between(frames: VocoderFrames, left: np.ndarray, share: np.ndarray) -> VocoderFrames:
    """What lies `share` (0 to 1) after the frames `left`: linear in log power and noise, geometric in F0 where both sides are voiced."""
    right = np.minimum(left + 1, len(frames) - 1)
    f0_left, f0_right = frames.f0[left], frames.f0[right]
    both = (f0_left > 0) & (f0_right > 0)
    mean = np.exp(np.log(np.where(both, f0_left, 1)) * (1 - share) + np.log(np.where(both, f0_right, 1)) * share)
    f0 = np.where(both, mean, np.where(share < 0.5, f0_left, f0_right))
    weight = share.astype(np.float32)[:, None]
    mixed = [rows[left] * (1 - weight) + rows[right] * weight for rows in (frames.log_power, frames.noise_share)]
    return VocoderFrames(f0, *mixed)


# --- a stream


_KNEE = 0.5  # samples above it are bent towards full scale


@dataclass(frozen=True)
class SynthesisParams:
    """How a text is to be spoken. speed: 1 is the speaker's own. seed: of the noise. Block sizes are seconds of audio."""

    language: Language
    speed: float = 1.0
    pitch_semitones: float = 0.0
    seed: int = 0
    first_block_seconds: float = 0.15
    block_seconds: float = 0.3


def stream(text: str, speaker: SpeakerModel, delivery: SynthesisParams, prior: Prior) -> Iterator[np.ndarray]:
    """(T,) float32 blocks in [-1, 1] at SAMPLE_RATE. Raises TextUnspeakable."""
    params = TimbreParams(speaker, delivery.language, delivery.speed * speaker.rate, delivery.pitch_semitones)
    vocoder = Vocoder(delivery.seed)
    late = DELAY_SAMPLES
    said = speakable(text)
    said = read_phones(said, delivery.language) if PHONEME in said else said
    words = _StatedWords(text, said, delivery.language)
    for frames in _blocks(_mappings(pieces(said), params, prior), delivery, words):
        samples = vocoder.push(frames.f0, frames.log_power, frames.noise_share)[late:]
        late = 0
        yield soft_limit(samples)
    yield soft_limit(vocoder.finish())


def soft_limit(samples: np.ndarray) -> np.ndarray:
    """The samples bent smoothly below full scale; what lies under half of it stays as it is."""
    over = np.maximum(np.abs(samples) - _KNEE, 0)
    bent = _KNEE + (1 - _KNEE) * np.tanh(over / (1 - _KNEE))
    return np.where(over > 0, np.sign(samples) * bent, samples).astype(np.float32)


def _mappings(parts: Iterator[tuple[str, bool]], params: TimbreParams, prior: Prior) -> Iterator[TimbreMapping]:
    """One for each piece of the text; the pause after a piece is spoken only where another piece follows."""
    waiting, hurried = None, True
    for part in parts:
        if waiting is not None:
            yield TimbreMapping(waiting[0], params, prior, end_pause=waiting[1], hurried=hurried)
            hurried = False
        waiting = part
    if waiting is not None:
        yield TimbreMapping(waiting[0], params, prior, end_pause=False, hurried=hurried)


def _blocks(mappings: Iterator[TimbreMapping], delivery: SynthesisParams, words: "_StatedWords") -> Iterator[VocoderFrames]:
    """All frames of all pieces in blocks of the wanted sizes, each with the first frame of the next one at its end."""
    wanted = _frames_in(delivery.first_block_seconds)
    held: list[VocoderFrames] = []
    n_held = 0
    for mapping in mappings:
        position = 0
        words.begin(mapping)
        while len(part := mapping.frames(position, wanted + 1 - n_held)):
            position += len(part)
            words.state(len(part))
            held.append(part)
            n_held += len(part)
            if n_held == wanted + 1:
                block = VocoderFrames.joined(held)
                yield block
                held, n_held = [block[-1:]], 1
                wanted = _frames_in(delivery.block_seconds)
    rest = VocoderFrames.joined(held)
    yield VocoderFrames.joined([rest, rest[-1:]])


class _StatedWords:
    """States the words of each piece once they are known, before most of it is heard. text: given; said: as it is cut in pieces."""

    def __init__(self, text: str, said: str, language: Language):
        self._text, self._said, self._language = text, said, language
        self._searched = 0  # of what is said
        self._n_frames = self._begins_at = 0
        self._unstated: TimbreMapping | None = None

    def begin(self, piece: TimbreMapping) -> None:
        self._unstated, self._begins_at = piece, self._n_frames

    def state(self, n_frames: int) -> None:
        """So many more frames of the piece will be heard."""
        self._n_frames += n_frames
        piece = self._unstated
        if piece is None or not are_heard() or (words := piece.words(self._begins_at * HOP_SAMPLES)) is None:
            return
        self._unstated = None
        at = max(self._searched, self._said.find(piece.text, self._searched))
        self._searched = at + len(piece.text)
        for word in words:
            start, end = self._given.of(at + word.start, at + word.end)
            mark(replace(word, start=start, end=end))

    @cached_property
    def _given(self) -> TextPlaces:
        """Of what is said in what was given."""
        return said_places(self._text, self._said, lambda spoken: phone_places(spoken, self._language))


def _frames_in(seconds: float) -> int:
    return max(1, round(seconds * FRAMES_PER_SECOND))
