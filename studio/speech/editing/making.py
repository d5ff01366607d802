"""`edited`: a recording is changed by an engine, which says all of it anew; only what was to change is taken of that."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import soxr

from engines.contract.contract import EngineInfo
from engines.contract.options import resolve_options
from engines.errors import ClipUnusable
from studio.audio.time_stretch import with_speed
from studio.errors import RecordedSpeechUnusable, WordTimesUnknown
from studio.running.delivery import Delivery
from studio.running.jobs.stop_signal import StopSignal
from studio.speech.editing.edit_request import EditRequest
from studio.speech.editing.edit_utterance import EditUtterance
from studio.speech.editing.edited_sound import EditedSound
from studio.speech.editing.splice import spliced
from studio.speech.editing.timed_sound import TimedSound
from studio.speech.in_turn import SpeechTrack
from studio.speech.speech import Speech
from studio.speech.timed_words import TimedWord
from studio.speech.words.said_words import plain_words
from studio.speech.words.timing import marked_intervals, timed_words
from studio.speech.words.word_aligner import aligned_intervals

__all__ = ["edited"]

WHOLE_HINT = "Check the words of the recording and name their language, or send whole=true: then all of it is said anew."
AGAIN_HINT = "Try another seed, or send whole=true and hear what the engine made."


def edited(request: EditRequest, begin: Callable[[EditRequest], Speech], stop: StopSignal) -> EditedSound:
    """Blocks. begin: opens what the engine says of a request.

    Raises what `begin` and the speech do, WordTimesUnknown, SpeechCancelled where it was stopped.
    """
    asked = replace(request, delivery=Delivery(whole=True), keep=False, sample_rate=None)
    speech, samples = _heard_out(asked, begin, stop)
    utterance = speech.utterance
    assert isinstance(utterance, EditUtterance)
    rate, text = request.source.sample_rate, utterance.edited.text
    sound = _at_rate(samples, speech.sample_rate, rate)
    if request.whole or utterance.changes_all:
        words = _words_of_whole(speech, samples, text)
        result = EditedSound(sound, rate, text, ((0.0, len(sound) / rate),), words, speech.engine, None)
    else:
        source = TimedSound(request.source.samples, rate, request.words, _source_words(request))
        piece = spliced(source, TimedSound(sound, rate, text, _result_words(speech, samples, text)), utterance.edited.spans)
        result = EditedSound(piece.samples, rate, text, piece.changed, piece.words, speech.engine, None)
    return replace(result, seed=_seed(request, speech.engine))


def _heard_out(request: EditRequest, begin: Callable[[EditRequest], Speech], stop: StopSignal) -> tuple[Speech, np.ndarray]:
    """A recording that nobody can learn its own voice of is unusable as the source that it is."""
    try:
        speech = begin(request.with_speaker())
    except ClipUnusable as error:
        if request.speaks_as_source and not isinstance(error, RecordedSpeechUnusable):
            raise RecordedSpeechUnusable.instead_of(error) from error
        raise
    with stop.closing(speech):
        return speech, np.concatenate(list(speech))


def _at_rate(samples: np.ndarray, from_hz: int, to_hz: int) -> np.ndarray:
    """(T,) float32 within full scale."""
    sound = samples if from_hz == to_hz else soxr.resample(samples, from_hz, to_hz)
    return np.clip(sound, -1.0, 1.0).astype(np.float32)


def _seed(request: EditRequest, info: EngineInfo) -> int | None:
    seed = resolve_options(with_speed(info.options), request.options).get("seed")
    return seed if isinstance(seed, int) else None


# --- words in time


def _source_words(request: EditRequest) -> Sequence[TimedWord]:
    if request.word_times is not None:
        return request.word_times
    try:
        return _found_words(request.source.samples, request.source.sample_rate, request.words, request.language)
    except WordTimesUnknown as error:
        error.hint = WHOLE_HINT
        raise


def _result_words(speech: Speech, samples: np.ndarray, text: str) -> tuple[TimedWord, ...]:
    """samples: (T,) float32 as the engine made them."""
    if speech.engine.marks_words and speech.track is not None:
        return _marked_words(speech.track, text, speech.seconds)
    try:
        return _found_words(samples, speech.sample_rate, text, speech.request.text_language)
    except WordTimesUnknown as error:
        raise WordTimesUnknown(sentence="edit_unlike", hint=AGAIN_HINT, engine=speech.engine.title) from error


def _words_of_whole(speech: Speech, samples: np.ndarray, text: str) -> tuple[TimedWord, ...]:
    """() where they are not found: nothing hangs on them."""
    try:
        return _result_words(speech, samples, text)
    except WordTimesUnknown:
        return ()


def _found_words(samples: np.ndarray, sample_rate: int, text: str, language: str | None) -> tuple[TimedWord, ...]:
    """Looked for in the sound. samples: (T,) float32. language: its code, guessed where nobody knows it. Raises WordTimesUnknown."""
    words, track = plain_words(text), SpeechTrack()
    track.begin(text, 0, sample_rate)
    return timed_words(words, aligned_intervals(words, track, samples, sample_rate, language), text, len(samples) / sample_rate)


def _marked_words(track: SpeechTrack, text: str, seconds: float) -> tuple[TimedWord, ...]:
    """As the engine marked them that said the text in one part. seconds: of the sound."""
    words = plain_words(text)
    return timed_words(words, marked_intervals(words, track), text, seconds)
