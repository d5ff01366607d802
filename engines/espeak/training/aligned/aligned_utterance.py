"""An utterance that the prior learns from: a recording and eSpeak's reading of its words, frame beside frame in the recording's time."""

from dataclasses import dataclass, fields

import numpy as np

from engines.espeak.prior.hidden_stream import N_CEPSTRA_IN
from engines.espeak.prior.prior import phones_at
from engines.espeak.speaker.enrollment import clip_targets
from engines.espeak.training.aligned.reading import ReadSentence
from engines.espeak.training.aligned.time_map import time_map
from engines.kit.signal.spectrum import HOP_SAMPLES, N_MELS, envelope_of

__all__ = ["AlignedUtterance", "utterance_of"]


@dataclass(frozen=True, eq=False)
class AlignedUtterance:
    """F frames without a gap, from the first frame of speech to the last.

    voice, language, text: who read what. natural: whether the voice passes for a person's. cost: of the alignment, see `align`.
    at (F,): which of eSpeak's frames each is, fractions allowed; never falling.
    cepstra (F, N_CEPSTRA_IN), source_f0 (F,) Hz, 0 where unvoiced, position (F,) 0 to 1, phones (F, 3) int32: eSpeak's, in the
    recording's time; phones are numbers of the phone, the one before and the one after. targets (F, N_OUTPUTS): the recording's, as
    enrollment makes a clip's, at one gain a voice. speech (F,) bool: False in pauses. f0 (F,) Hz of the recording, 0 where unvoiced.
    Floats are float32.
    """

    voice: str
    language: str
    natural: bool
    text: str
    cost: float
    at: np.ndarray
    cepstra: np.ndarray
    source_f0: np.ndarray
    position: np.ndarray
    phones: np.ndarray
    targets: np.ndarray
    speech: np.ndarray
    f0: np.ndarray


PER_FRAME = tuple(field.name for field in fields(AlignedUtterance) if field.type is np.ndarray)


def utterance_of(reading: ReadSentence, rows: np.ndarray, about: dict, number_of: dict[str, int], peak: float) -> AlignedUtterance:
    """rows (N,): which speech frame of the source each of the recording's is. about: the fields before cepstra.

    peak: the voice's; the analysis brought every recording to the same peak, which this takes back, so that loud sentences stay loud.
    """
    at = time_map(rows, reading.frames, reading.spoken)
    nearest = np.round(at).astype(np.int64)
    frames = np.arange(reading.frames[0], reading.frames[-1] + 1)
    left = np.floor(at).astype(np.int64).clip(0, len(reading.cepstra) - 2)
    share = (at - left).astype(np.float32)[:, None]
    cepstra = (1 - share) * reading.cepstra[left] + share * reading.cepstra[left + 1]
    phones = phones_at(reading.speech, at * HOP_SAMPLES)
    numbers = np.array([number_of[name] for name in phones.names], np.int32)
    targets = clip_targets(reading.recording, frames, envelope_of(cepstra))
    targets[:, 0] += np.sqrt(N_MELS) * 2 * np.log(reading.peak / peak)
    return AlignedUtterance(
        **about,
        at=at.astype(np.float32),
        cepstra=cepstra[:, :N_CEPSTRA_IN].astype(np.float32),
        source_f0=reading.f0[nearest].astype(np.float32),
        position=phones.position,
        phones=numbers[phones.numbers],
        targets=targets.astype(np.float32),
        speech=reading.recording.speech[frames],
        f0=reading.recording.f0[frames].astype(np.float32),
    )
