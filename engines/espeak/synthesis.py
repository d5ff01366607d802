"""Text to samples in a speaker's voice, block by block.

The samples do not depend on the block sizes: pieces of text, analysis windows and noise stand at fixed places, every frame is
converted from a bounded window around it, and the vocoder's blocks join exactly.
A text is cut in pieces that are spoken one at a time: sentences, and long sentences at their commas. No word is ever lost. So a long text
starts as fast as a short one and needs no more memory. Where in doubt, a text is not cut.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engines.errors import TextUnspeakable
from engines.espeak.conversion import Conversion, ConversionParams, VocoderFrames
from engines.espeak.prior.prior import Prior
from engines.espeak.reading.languages import Language
from engines.espeak.signal.spectrum import FRAMES_PER_SECOND
from engines.espeak.signal.vocoder import DELAY_SAMPLES, Vocoder
from engines.espeak.speaker.speaker_model import SpeakerModel
from engines.text.text_splitter import TextSplitter

__all__ = ["Delivery", "PieceFrames", "hurried_pieces", "pieces", "soft_limit", "speakable", "stream", "stream_pieces"]

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


# --- pieces of a text


LONG_CHARACTERS = 220  # a sentence longer than this is cut at a clause
FIRST_BLOCK_CHARACTERS = 64
_HURRIED_CHARACTERS, _LEAST_CLAUSE_CHARACTERS = 32, 6  # a first sentence longer than this is begun with a clause of at least that
_CONTROL = {"Cc", "Cf", "Co", "Cs"}  # eSpeak takes U+0001 for the start of an embedded command
# Letters that NFC takes apart (Unicode's composition exclusions) and eSpeak's dictionaries of Bengali and Assamese have whole: taken apart
# their dot is read by its name, or their vowel is lost.
_WHOLE_LETTERS = {"\u09a1\u09bc": "\u09dc", "\u09a2\u09bc": "\u09dd", "\u09af\u09bc": "\u09df"}
_CLAUSE_END = re.compile(r"[,;:—][\"'”’»)]*\s+|\s[-–]\s+|[，、；：]+")


def speakable(text: str) -> str:
    """The text without control characters, in NFC. Raises TextUnspeakable where no letter, digit or sign with a name remains."""
    text = unicodedata.normalize("NFC", text)
    if "\u09bc" in text:
        for parts, letter in _WHOLE_LETTERS.items():
            text = text.replace(parts, letter)
    if not text.replace("\n", " ").isprintable():  # most texts are, and long ones are not to wait for the slow way
        text = "".join(" " if unicodedata.category(c) in _CONTROL and c not in "\n\u200d\u200c" else c for c in text)
    if not any(c.isalnum() for c in text):
        fact = "The text holds no letter and no digit, so there is nothing to say."
        raise TextUnspeakable(fact, "Type a word or a number.", sentence="text_without_letters")
    return text


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """(piece, whether it ends with punctuation) in order; pieces without letter or digit are joined to what follows or dropped."""
    for sentence in _sentences(text):
        yield from _clauses(sentence)


def hurried_pieces(text: str) -> Iterator[tuple[str, bool]]:
    """As `pieces`, but a long first one is cut after its first clause: for who speaks a piece only as a whole, and is to begin soon."""
    first = True
    for piece, ends in pieces(text):
        end = _CLAUSE_END.search(piece, _LEAST_CLAUSE_CHARACTERS) if first and len(piece) > _HURRIED_CHARACTERS else None
        clause, rest = (piece[: end.end()].strip(), piece[end.end() :].strip()) if end else ("", piece)
        first = False
        if any(c.isalnum() for c in clause) and any(c.isalnum() for c in rest):
            yield clause, True
            yield rest, ends
        else:
            yield piece, ends


def _sentences(text: str) -> Iterator[str]:
    """The splitter's, of blocks that grow, so that the first comes as soon in a long text as in a short one."""
    splitter, at, n_characters = TextSplitter("sentence"), 0, FIRST_BLOCK_CHARACTERS
    while at < len(text):
        yield from splitter.feed(text[at : at + n_characters])
        at, n_characters = at + n_characters, 2 * n_characters
    yield from splitter.flush()


def _clauses(sentence: str) -> Iterator[tuple[str, bool]]:
    while len(sentence) > LONG_CHARACTERS:
        cut = _cut(sentence)
        piece, sentence = sentence[:cut].strip(), sentence[cut:].strip()
        if any(c.isalnum() for c in piece):
            yield piece, not piece[-1].isalnum()
    if any(c.isalnum() for c in sentence):
        yield sentence, True


def _cut(sentence: str) -> int:
    """Where to cut a long sentence: after the last clause that fits, else at the last space that fits, else between letters."""
    ends = [m.end() for m in _CLAUSE_END.finditer(sentence, LONG_CHARACTERS // 4, LONG_CHARACTERS)]
    if ends:
        return ends[-1]
    space = sentence.rfind(" ", LONG_CHARACTERS // 4, LONG_CHARACTERS)
    if space > 0:
        return space
    later = sentence.find(" ", LONG_CHARACTERS)
    unspaced = unicodedata.east_asian_width(sentence[LONG_CHARACTERS // 2]) == "W"  # a script without spaces may be cut anywhere
    return LONG_CHARACTERS if unspaced else later if 0 < later < 4 * LONG_CHARACTERS else min(len(sentence), 4 * LONG_CHARACTERS)
