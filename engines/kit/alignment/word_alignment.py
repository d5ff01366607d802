"""Where in a sound the words of a known text are: what eSpeak NG would say of the text is looked for in it, phone by phone."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import soxr

from engines.kit.alignment.phone_path import PhoneState, best_path
from engines.kit.alignment.phone_recognizer import FRAME_SAMPLES, SAMPLE_RATE, SILENCE, recognizer
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.espeak_library import EspeakSpeech
from engines.kit.phonemes.espeak_words import HeardStretch, heard_stretches
from engines.kit.phonemes.languages import Language, language_of
from engines.text.spoken_pieces import pieces, speakable
from engines.text.text_places import TextPlaces, speakable_places

__all__ = ["AlignedStretch", "WordAlignment", "align_words", "load_reader"]

# Of its length in eSpeak's speech, at the pace of the sound, a phone has at least this share, and no more than so many frames for sure.
# Both by measuring (studio/measure/DIARY.md).
_LEAST_SHARE, _MOST_SURE_FRAMES = 0.8, 14
_PACES = (0.3, 1.5)  # seconds for each of eSpeak's; a sound with a pause is no slower for that
_EDGE_FRAMES = 0.5  # a frame stands for what is around its middle


@dataclass(frozen=True)
class AlignedStretch:
    """text[start:end] is heard in [start_seconds, end_seconds). score: the mean of its frames, from LEAST_SCORE to 0."""

    start: int
    end: int
    start_seconds: float
    end_seconds: float
    score: float


@dataclass(frozen=True)
class WordAlignment:
    """stretches: in order. score: the mean of all frames that are said to be words."""

    stretches: tuple[AlignedStretch, ...]
    score: float


@dataclass(frozen=True)
class _SpokenPiece:
    """at: where it begins in what is said."""

    speech: EspeakSpeech
    stretches: list[HeardStretch]
    at: int


def load_reader() -> None:
    """Load what reads the words, once per process. Raises EngineUnavailable."""
    espeak_library.load()


def align_words(samples: np.ndarray, sample_rate: int, text: str, language: str | None = None) -> WordAlignment:
    """samples: (T,) float32, T > 0, of somebody who says the text. language: its code, guessed where nobody knows.

    Some 50 ms for 10 s of sound. Raises LanguageUnsupported for one that eSpeak does not read, TextUnspeakable.
    """
    known = language_of(text, language)
    said = speakable(text)
    spoken = _spoken(said, known)
    sound = samples if sample_rate == SAMPLE_RATE else soxr.resample(samples, sample_rate, SAMPLE_RATE)
    phones = sorted({SILENCE, *(name for piece in spoken for name, _, _ in _phones(piece))})
    scores = recognizer().scores(sound, phones)
    states = _states(spoken, _pace(spoken, scores[:, phones.index(SILENCE)]))
    path = best_path(scores, states, {name: number for number, name in enumerate(phones)})
    columns = np.array([phones.index(state.phone) for state in states])
    fits = scores[np.arange(len(path)), columns[path]]
    found = _stretches(spoken, np.array([state.word for state in states])[path], fits, speakable_places(text, said))
    is_word = np.array([state.word >= 0 for state in states])[path]
    return WordAlignment(tuple(found), float(fits[is_word].mean()) if is_word.any() else float(fits.min(initial=0.0)))


def _spoken(said: str, language: Language) -> list[_SpokenPiece]:
    found, at = [], 0
    for piece, _ in pieces(said):
        start = max(at, said.find(piece, at))
        at = start + len(piece)
        speech = espeak_library.speak(piece, language.voice)
        found.append(_SpokenPiece(speech, heard_stretches(speech), start))
    return found


def _pace(spoken: list[_SpokenPiece], silence: np.ndarray) -> float:
    """Frames of the sound that are no silence, for each of eSpeak's words. silence: its score in each frame."""
    expected = sum(n_frames for piece in spoken for _, n_frames, _ in _phones(piece))
    return float(np.clip((silence < np.log(0.5)).sum() / max(1.0, expected), *_PACES))


def _states(spoken: list[_SpokenPiece], pace: float) -> list[PhoneState]:
    """A silence may stand before each word and behind the last; each phone has as many states as it has frames for sure."""
    silence = PhoneState(SILENCE, -1, may_lack=True)
    states, n_before = [silence], 0
    for piece in spoken:
        last_word = -1
        for phone, n_frames, word in _phones(piece):
            if word != last_word and states[-1] is not silence:
                states.append(silence)
            n_sure = int(np.clip(round(n_frames * pace * _LEAST_SHARE), 1, _MOST_SURE_FRAMES))
            states += [PhoneState(phone, n_before + word)] * n_sure
            last_word = word
        n_before += len(piece.stretches)
    return states if states[-1] is silence else [*states, silence]


def _phones(piece: _SpokenPiece) -> Iterator[tuple[str, float, int]]:
    """(name, frames in eSpeak's speech, stretch) of the phones of words; silences and closures are none."""
    ends = [*(start for start, _ in piece.speech.phones[1:]), len(piece.speech.samples)]
    word = 0
    for (start, name), end in zip(piece.speech.phones, ends, strict=True):
        middle = (start + end) / 2
        while word < len(piece.stretches) and piece.stretches[word].end_samples <= middle:
            word += 1
        if name != SILENCE and word < len(piece.stretches) and piece.stretches[word].start_samples <= middle:
            yield name, (end - start) / FRAME_SAMPLES, word


def _stretches(spoken: list[_SpokenPiece], words: np.ndarray, fits: np.ndarray, places: TextPlaces) -> Iterator[AlignedStretch]:
    """words: of each frame the number of its stretch, which rises; -1 of silence."""
    number, seconds = 0, FRAME_SAMPLES / SAMPLE_RATE
    frames = np.flatnonzero(words >= 0)
    firsts = np.searchsorted(words[frames], np.arange(sum(len(piece.stretches) for piece in spoken) + 1))
    for piece in spoken:
        for stretch in piece.stretches:
            own = frames[firsts[number] : firsts[number + 1]]
            number += 1
            if len(own):
                start, end = (own[0] - _EDGE_FRAMES) * seconds, (own[-1] + _EDGE_FRAMES) * seconds
                place = places.of(piece.at + stretch.start, piece.at + stretch.end)
                yield AlignedStretch(*place, max(0.0, float(start)), float(end), float(fits[own].mean()))
