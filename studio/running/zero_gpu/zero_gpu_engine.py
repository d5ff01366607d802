"""ZeroGpuEngine: an engine that works in processes lent by ZeroGPU; see zero_gpu.py. It can describe itself without them."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, suppress
from contextvars import ContextVar
from dataclasses import replace

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import ChunkStream, Engine, HeardOut
from engines.contract.editing import RecordingEdit
from engines.contract.options import Value
from engines.contract.preset_blend import blend_text
from engines.contract.prompt import SpeakerPrompt
from engines.contract.speech_end import SpeechEnd
from engines.text.spoken_length import estimated_seconds
from studio.audio.formats import to_pcm16
from studio.errors import SpeechCancelled
from studio.running.error_as_data import ErrorAsData
from studio.running.stop_flags import StopFlags
from studio.running.zero_gpu.zero_gpu import ZeroGpu
from studio.running.zero_gpu.zero_gpu_errors import GpuAborted, GpuWithoutVisitor, in_plain_words

__all__ = ["LentEngine", "ZeroGpuEngine", "speaking_seconds", "start_seconds", "stop_flag"]

# A day's GPU time is 2 to 40 minutes, and a call is refused that asks for more than is left, so it must not ask for much.
PROCESS_SECONDS = 8  # until a process that was forked has its GPU, and its first kernels
PACE_BYTES = 3_000_000_000  # of weights that reach the GPU in a second, from the disk on which they are packed; assumed, not measured
LEARNING_SECONDS = 5  # of a recording of 30 s at most
MOST_CHARACTERS = 300  # of one call: 20 s of English, 60 s of Chinese; within what is lent at once to a visitor without a name
FULL_SCALE = np.float32(32768)

# What is said: a text, or the samples and the rate of recorded speech, and what is to be changed of it, if anything.
Sent = str | tuple[np.ndarray, int] | tuple[np.ndarray, int, RecordingEdit]

stop_flag: ContextVar[int] = ContextVar("stop_flag")  # of the stream that is advanced in this context


def start_seconds(held_bytes: int) -> float:
    """Until a process is at work. held_bytes: the weights of all engines, which come along whichever is wanted."""
    return PROCESS_SECONDS + held_bytes / PACE_BYTES


def speaking_seconds(utterance: Sent, options: Mapping[str, Value]) -> float:
    """What it takes at most: no engine that wants a GPU speaks slower than a listener hears, so a second of GPU per second of speech."""
    if isinstance(utterance, str):
        return estimated_seconds(utterance, options, own=options)
    samples, sample_rate = utterance[:2]
    return len(samples) / sample_rate


class LentEngine:
    """The two functions of one engine that run on a GPU, and the engine as a process sees it that was forked from this one.

    Made before the page is launched; `engine` is there once it was opened. Nothing but `learn` and `speak` may be called from outside.
    """

    def __init__(self, gpu: ZeroGpu):
        self._engine: Engine | None = None
        self.gpu = gpu
        self.stops = StopFlags()
        self.learn = gpu.lent(self._learn, seconds=lambda verb, given: self.start_seconds + LEARNING_SECONDS)
        self.speak = gpu.lent(self._speak, seconds=lambda said, prompt, options, flag: self.start_seconds + speaking_seconds(said, options))

    @property
    def start_seconds(self) -> float:
        return start_seconds(self.gpu.room.held_bytes)

    @property
    def engine(self) -> Engine:
        assert self._engine is not None, "it was not opened"
        return self._engine

    @engine.setter
    def engine(self, opened: Engine) -> None:
        self._engine = opened

    # --- there, on the GPU

    def _learn(self, verb: str, given: tuple) -> bytes | ErrorAsData:
        """`extract`, `embed`, `adopt` or `preset`: the prompt as a file, which knows no device."""
        try:
            if verb == "extract":
                samples, sample_rate, joints, transcript = given
                return self.engine.extract(Clip(samples, sample_rate, joints), transcript).to_bytes()
            return getattr(self.engine, verb)(*given).to_bytes()
        except Exception as error:
            return ErrorAsData.of(error, self.engine.info.title)

    def _speak(self, utterance: Sent, prompt: bytes, options: Mapping[str, Value], flag: int) -> Iterator[bytes | SpeechEnd | ErrorAsData]:
        """Nothing, which says that there is a GPU; then 16-bit samples, nothing at yield points; at last the end, or what went wrong.

        flag: of `stops`; once it is up, no more is computed.
        """
        yield b""
        if self.stops.is_up(flag):
            return
        learned = SpeakerPrompt.from_bytes(prompt)
        try:
            yield from self._pieces(utterance, learned, options, flag)
        except Exception as error:
            yield ErrorAsData.of(error, self.engine.info.title)
        finally:
            self.engine.forget(learned.content_digest)  # the process may serve another visitor next

    def _pieces(self, utterance: Sent, prompt: SpeakerPrompt, options: Mapping[str, Value], flag: int) -> Iterator[bytes | SpeechEnd]:
        with closing(_opened(self.engine, utterance, prompt, options)) as chunks:
            heard_out = HeardOut(chunks)
            for chunk in heard_out:
                yield to_pcm16(chunk)
                if self.stops.is_up(flag):
                    return
        yield heard_out.end


class ZeroGpuEngine(Engine):
    """The opened engine for everybody else. May be used by many threads at once, each for a visitor of its own.

    What makes a prompt its own (weights, precision) is the opened engine's. A text is spoken in short parts, since each is a call that asks
    for its own time. Nothing is prepared ahead and nothing kept on the device: it is somebody else's by then.
    """

    device = "ZeroGPU"

    def __init__(self, lent: LentEngine):
        opened = lent.engine
        most_characters = min(opened.info.most_text_characters, MOST_CHARACTERS)
        self.info = replace(opened.info, most_text_characters=most_characters, reads_along=False, marks_words=False)
        self.weights_fingerprint, self.numeric_mode = opened.weights_fingerprint, opened.numeric_mode
        self._lent, self._opened = lent, opened

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self._opened.check_clip(clip)  # what can be told without a GPU, and without spending anybody's time
        return self._learned("extract", clip.samples, clip.sample_rate, clip.joints, transcript)

    def embed(self, embedding: np.ndarray) -> SpeakerPrompt:
        return super().embed(embedding) if self.info.embedding_size is None else self._learned("embed", embedding)

    def adopt(self, name: str, tensor: np.ndarray) -> SpeakerPrompt:
        return self._learned("adopt", name, tensor) if self.info.prompt_forms else super().adopt(name, tensor)

    def preset(self, name: str) -> SpeakerPrompt:
        is_known = name in self.info.presets or blend_text(name, self.info) is not None
        return self._learned("preset", name) if is_known else super().preset(name)

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        return self._spoken(text, prompt, options)

    def convert(self, clip: Clip, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        if not self.info.converts:
            return super().convert(clip, prompt, options)
        return self._spoken((clip.samples, clip.sample_rate), prompt, options)

    def edit(self, clip: Clip, change: RecordingEdit, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        if not self.info.edits:
            return super().edit(clip, change, prompt, options)
        return self._spoken((clip.samples, clip.sample_rate, change), prompt, options)

    def _spoken(self, utterance: Sent, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        self._check_visitor()
        flag, stops, end = stop_flag.get(), self._lent.stops, None
        pieces = self._lent.speak(utterance, prompt.to_bytes(), dict(options), flag)
        try:
            for piece in _in_plain_words(pieces):
                if isinstance(piece, bytes):
                    yield np.frombuffer(piece, "<i2").astype(np.float32) / FULL_SCALE
                else:
                    end = piece
        except GeneratorExit:
            stops.hoist(flag)
            raise
        finally:
            _run_out(pieces)
        if stops.is_up(flag):
            raise SpeechCancelled()
        if end is None:  # half a text must not pass for a whole one
            raise GpuAborted
        return end

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        self._opened.check_prompt(prompt)

    def close(self) -> None:
        self._opened.close()

    def _check_visitor(self) -> None:
        if not self._lent.gpu.has_visitor:
            raise GpuWithoutVisitor(self.info.title)

    def _learned(self, verb: str, *given: object) -> SpeakerPrompt:
        self._check_visitor()
        with in_plain_words():
            answer = self._lent.learn(verb, given)
        if isinstance(answer, ErrorAsData):
            raise answer.error()
        return SpeakerPrompt.from_bytes(answer)


def _opened(engine: Engine, utterance: Sent, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
    if isinstance(utterance, str):
        return engine.stream(utterance, prompt, options)
    samples, sample_rate, *changes = utterance
    clip = Clip(samples, sample_rate)
    return engine.edit(clip, changes[0], prompt, options) if changes else engine.convert(clip, prompt, options)


def _in_plain_words(utterance: Iterator[bytes | SpeechEnd | ErrorAsData]) -> Iterator[bytes | SpeechEnd]:
    """The same; what went wrong there or on the way is raised."""
    with in_plain_words():
        for piece in utterance:
            if isinstance(piece, ErrorAsData):
                raise piece.error()
            yield piece


def _run_out(utterance: Iterator[object]) -> None:
    """To its end, which is near: it is over, has failed, or its flag is up.

    Closed instead, it would have `spaces` stop whatever the process does, and that may be another visitor's speech by then: a process whose
    call is over is lent again, while what it gave is still being taken here.
    """
    with suppress(Exception):
        for _ in utterance:
            pass
