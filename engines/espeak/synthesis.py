"""Text to samples in a speaker's voice, block by block.

The samples do not depend on the block sizes: pieces of text, analysis windows and noise stand at fixed places, every frame is
converted from a bounded window around it, and the vocoder's blocks join exactly.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engines.espeak.conversion import Conversion, ConversionParams, VocoderFrames
from engines.espeak.prior.prior import Prior
from engines.espeak.reading.languages import Language
from engines.espeak.reading.sentences import pieces, speakable
from engines.espeak.signal.spectrum import FRAMES_PER_SECOND
from engines.espeak.signal.vocoder import DELAY_SAMPLES, Vocoder
from engines.espeak.speaker.speaker_model import SpeakerModel

__all__ = ["Delivery", "PieceFrames", "soft_limit", "stream", "stream_pieces"]

_KNEE = 0.5  # samples above it are bent towards full scale


@dataclass(frozen=True)
class Delivery:
    """How a text is to be spoken. speed: 1 is the speaker's own. seed: of the noise. Block sizes are seconds of audio."""

    language: Language
    speed: float = 1.0
    pitch_semitones: float = 0.0
    seed: int = 0
    first_block_seconds: float = 0.15
    block_seconds: float = 0.3


class PieceFrames(Protocol):
    """One piece of text as frames of the speaker's voice."""

    def frames(self, first: int, count: int) -> VocoderFrames:
        """Output frames from `first` on: count of them, fewer only where the piece ends."""


def stream(text: str, speaker: SpeakerModel, delivery: Delivery, prior: Prior) -> Iterator[np.ndarray]:
    """(T,) float32 blocks in [-1, 1] at SAMPLE_RATE. Raises TextUnspeakable."""
    params = ConversionParams(speaker, delivery.language, delivery.speed * speaker.rate, delivery.pitch_semitones)

    def convert(piece: str, end_pause: bool, hurried: bool) -> Conversion:
        return Conversion(piece, params, prior, end_pause=end_pause, hurried=hurried)

    yield from stream_pieces(pieces(speakable(text)), convert, delivery)


def stream_pieces(
    parts: Iterator[tuple[str, bool]], convert: Callable[[str, bool, bool], PieceFrames], delivery: Delivery
) -> Iterator[np.ndarray]:
    """(T,) float32 blocks of the pieces as `convert` speaks them: called with a piece, whether the pause after it belongs to it, and
    whether someone waits for its beginning.
    """
    vocoder = Vocoder(delivery.seed)
    late = DELAY_SAMPLES
    for frames in _blocks(_conversions(parts, convert), delivery):
        samples = vocoder.push(frames.f0, frames.log_power, frames.noise_share)[late:]
        late = 0
        yield soft_limit(samples)
    yield soft_limit(vocoder.finish())


def soft_limit(samples: np.ndarray) -> np.ndarray:
    """The samples bent smoothly below full scale; what lies under half of it stays as it is."""
    over = np.maximum(np.abs(samples) - _KNEE, 0)
    bent = _KNEE + (1 - _KNEE) * np.tanh(over / (1 - _KNEE))
    return np.where(over > 0, np.sign(samples) * bent, samples).astype(np.float32)


def _conversions(parts: Iterator[tuple[str, bool]], convert: Callable[[str, bool, bool], PieceFrames]) -> Iterator[PieceFrames]:
    """One for each piece of the text; the pause after a piece is spoken only where another piece follows."""
    waiting, hurried = None, True
    for part in parts:
        if waiting is not None:
            yield convert(*waiting, hurried)
            hurried = False
        waiting = part
    yield convert(waiting[0], False, hurried)


def _blocks(conversions: Iterator[PieceFrames], delivery: Delivery) -> Iterator[VocoderFrames]:
    """All frames of all pieces in blocks of the wanted sizes, each with the first frame of the next one at its end."""
    wanted = _frames_in(delivery.first_block_seconds)
    held: list[VocoderFrames] = []
    n_held = 0
    for conversion in conversions:
        position = 0
        while len(part := conversion.frames(position, wanted + 1 - n_held)):
            position += len(part)
            held.append(part)
            n_held += len(part)
            if n_held == wanted + 1:
                block = VocoderFrames.joined(held)
                yield block
                held, n_held = [block[-1:]], 1
                wanted = _frames_in(delivery.block_seconds)
    rest = VocoderFrames.joined(held)
    yield VocoderFrames.joined([rest, rest[-1:]])


def _frames_in(seconds: float) -> int:
    return max(1, round(seconds * FRAMES_PER_SECOND))
