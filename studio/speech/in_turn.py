"""In turn: the pieces of a text are spoken one after the other as one stream, with the silences between them; no word is missing."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np

from engines.contract.contract import YIELD_POINT, ChunkStream, Engine, EngineInfo, HeardOut
from engines.contract.options import Option, Value
from engines.contract.prompt import SpeakerPrompt
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.contract.word_marks import WordMark, listened
from engines.text.spoken_length import DURATION, shared_out
from studio.errors import NoAudio
from studio.reading.parts import Reading, turns_of

__all__ = [
    "ONSET_SECONDS",
    "QUIET",
    "Gap",
    "PartTrack",
    "SpeechTrack",
    "SpokenParts",
    "end_of_parts",
    "parts_of",
    "seed_of_part",
    "spoken_in_turn",
    "spoken_part",
]

SHOWN_CHARACTERS = 60  # of a part, in a message
SEED = "seed"
# The golden gamma of Steele et al. 2014, "Fast splittable pseudorandom number generators": odd, so that no two parts share one of 2^n.
SEED_STEP = 0x9E3779B97F4A7C15
QUIET = 10 ** (-50 / 20)  # full scale is 1; what stays below is silence that a voice makes by itself
ONSET_SECONDS = 0.01  # that stay before the first sound behind a silence
CHUNK_SECONDS = 0.5
LEAST_OF_DURATION = 0.5  # of a duration that was asked for stays for words, whatever the silences take


@dataclass
class PartTrack:
    """text: that the engine was given. first_samples: of the whole, at which its stream begins. n_dropped: samples of its beginning that
    are left out. marks: in samples of its stream. The engine's thread writes, and others read.
    """

    text: str
    first_samples: int
    n_dropped: int = 0
    marks: list[WordMark] = field(default_factory=list)

    def whole_samples(self, stream_samples: int) -> int:
        """Of a sample of its stream that in the whole."""
        return self.first_samples + max(0, stream_samples - self.n_dropped)


class SpeechTrack:
    """part_seconds: what is heard before each part that was begun, at the pace of the speech. parts: in order.

    samples_per_second: of what parts and marks count in, the pace included.
    """

    def __init__(self, part_seconds: list[float] | None = None):
        self.part_seconds: list[float] = [] if part_seconds is None else part_seconds
        self.parts: list[PartTrack] = []
        self.samples_per_second = 1.0

    def begin(self, text: str, first_samples: int, samples_per_second: float) -> PartTrack:
        """Another part."""
        self.samples_per_second = samples_per_second
        self.part_seconds.append(first_samples / samples_per_second)
        part = PartTrack(text, first_samples)
        self.parts.append(part)
        return part

    def begin_fed(self, first_samples: int, samples_per_second: float) -> PartTrack:
        """The one part of a text that is spoken while it comes. Its text is told later, and nobody knows what of it was said when."""
        self.samples_per_second = samples_per_second
        part = PartTrack("", first_samples)
        self.parts.append(part)
        return part


@dataclass(frozen=True)
class SpokenParts:
    """texts: what an engine is given, one after the other. pauses: seconds of silence behind each. lead: the same before the first."""

    texts: tuple[str, ...]
    pauses: tuple[float, ...]
    lead: float = 0.0

    @property
    def silence_seconds(self) -> float:
        return self.lead + sum(self.pauses)


def parts_of(reading: Reading, info: EngineInfo) -> SpokenParts:
    """Each piece as it is, else as much at a time as the engine takes. Where sentences of it begin, the engine decides."""
    texts: list[str] = []
    pauses: list[float] = []
    for piece in reading.pieces:
        cut = turns_of(piece, info)
        texts += cut
        pauses += [0.0] * (len(cut) - 1) + [piece.pause]
    return SpokenParts(tuple(texts), tuple(pauses), reading.lead)


def spoken_in_turn(
    engine: Engine,
    spoken: SpokenParts,
    prompt: SpeakerPrompt,
    options: Mapping[str, Value],
    *,
    pace: float = 1.0,
    track: SpeechTrack | None = None,
) -> Generator[np.ndarray, None, SpeechEnd]:
    """The chunks (T,) float32 of all parts, each in the same prompt and with options of its own; returns how they ended (`end_of_parts`).

    pace: by which the sound is made faster afterwards; silences last as long as was asked all the same.
    track: is told where each part begins, and the words that the engine marks in it, at that pace.
    A part without audio ends it: half a text must not pass for a whole one. Raises NoAudio.
    """
    ends, gap, track = [], Gap(engine.info.sample_rate), track or SpeechTrack()
    heard_of = gap.heard if spoken.silence_seconds else gap.passed
    yield from gap.silence(spoken.lead * pace)
    for text, pause, own in zip(spoken.texts, spoken.pauses, _options_of(engine.info.options, spoken, options), strict=True):
        part = track.begin(text, gap.n_samples, engine.info.sample_rate * pace)
        ends.append((yield from spoken_part(engine, engine.stream(text, prompt, own), heard_of, part)))
        yield from gap.silence(pause * pace)
    return end_of_parts(ends)


def spoken_part(
    engine: Engine, chunks: ChunkStream, heard_of: Callable[[np.ndarray], np.ndarray], part: PartTrack
) -> Generator[np.ndarray, None, SpeechEnd]:
    """What is to be heard of one stream of that engine, which is closed in any case. part: is told what the engine marks in it, and what
    is left out of its beginning. Raises NoAudio where nothing is heard.
    """
    with closing(listened(chunks, part.marks.append) if engine.info.marks_words else chunks) as marked:
        heard_out, heard = HeardOut(marked), False
        for chunk in heard_out:
            heard = heard or len(chunk) > 0
            left = heard_of(chunk)
            part.n_dropped += len(chunk) - len(left)
            yield left
        if not heard:
            raise NoAudio(detail=repr(part.text[:SHOWN_CHARACTERS]), engine=engine.info.title)
    return heard_out.end


class Gap:
    """Silences between words that last as long as they should: what the voice was silent by itself is part of them.

    n_samples: handed out so far.
    """

    def __init__(self, sample_rate: int):
        self.n_samples = 0
        self._sample_rate = sample_rate
        self._n_quiet = 0  # samples at the end of what was heard
        self._is_waiting = False  # behind a silence, for the first sound
        self._n_may_drop = 0

    def passed(self, chunk: np.ndarray) -> np.ndarray:
        """The chunk: where no silence is to be made nobody has to listen."""
        self.n_samples += len(chunk)
        return chunk

    def heard(self, chunk: np.ndarray) -> np.ndarray:
        """What is to be heard of a chunk."""
        if not len(chunk):
            return chunk
        loud = np.flatnonzero(np.abs(chunk) >= QUIET)
        if self._is_waiting:
            onset = len(chunk) if not len(loud) else max(0, int(loud[0]) - int(ONSET_SECONDS * self._sample_rate))
            n_dropped = min(onset, self._n_may_drop)
            self._n_may_drop -= n_dropped
            self._is_waiting = not len(loud) and self._n_may_drop > 0
            chunk, loud = chunk[n_dropped:], loud - n_dropped
        if not len(chunk):
            return YIELD_POINT
        self._n_quiet = len(chunk) - 1 - int(loud[-1]) if len(loud) else self._n_quiet + len(chunk)
        return self.passed(chunk)

    def silence(self, seconds: float) -> Iterator[np.ndarray]:
        """What lacks of so many seconds."""
        if seconds <= 0:
            return
        n_samples = round(seconds * self._sample_rate)
        lacking = max(0, n_samples - self._n_quiet)
        step = int(CHUNK_SECONDS * self._sample_rate)
        for at in range(0, lacking, step):
            yield self.passed(np.zeros(min(step, lacking - at), np.float32))
        self._n_quiet, self._is_waiting, self._n_may_drop = 0, True, n_samples


def seed_of_part(option: Option, seed: int, index: int) -> int:
    """(seed + index * SEED_STEP) within the option's bounds, modulo their number: part 0 has the seed that was asked for.

    With one seed for all, parts that begin with the same words would begin with the same sounds.
    """
    least, most = int(option.minimum or 0), int(option.maximum or 0)
    return least + (seed - least + index * SEED_STEP) % (most - least + 1)


def _options_of(schema: Sequence[Option], spoken: SpokenParts, options: Mapping[str, Value]) -> Iterator[Mapping[str, Value]]:
    """Those of each part: a seed of its own, and its share of a duration that was asked for, which silences are part of."""
    known = {option.name: option for option in schema}
    shares: Sequence[float] = ()
    if DURATION in known:
        asked = float(options[DURATION] or 0.0)
        shares = shared_out(max(asked - spoken.silence_seconds, LEAST_OF_DURATION * asked), spoken.texts)
    for index in range(len(spoken.texts)):
        own = {SEED: seed_of_part(known[SEED], int(options[SEED] or 0), index)} if SEED in known else {}
        yield {**options, **own} | ({DURATION: shares[index]} if shares else {})


def end_of_parts(ends: Sequence[SpeechEnd]) -> SpeechEnd:
    """The first that was not a plain end, with the number of its part where there are several; else ENDED."""
    for number, end in enumerate(ends, start=1):
        if end.reason != ENDED.reason:
            return end if len(ends) == 1 else replace(end, warning=f"Part {number} of {len(ends)}: {end.warning}")
    return ENDED
