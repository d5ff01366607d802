"""pipecat's OpenAITTSService in a pipeline: pcm at 24 kHz, in a voice of OpenAI's names, which are all that it takes."""

import asyncio

from hearing import TEXT, Sound, case, run_block, tell
from pipecat.frames.frames import EndFrame, ErrorFrame, Frame, TTSAudioRawFrame, TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner


class Listener(FrameProcessor):
    """Takes the sound at one end of the pipeline, and errors at the other."""

    def __init__(self, sound: Sound, errors: list[str]):
        super().__init__()
        self._sound, self._errors = sound, errors

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSAudioRawFrame):
            self._sound.rate_hz = frame.sample_rate
            self._sound.add(frame.audio)
        elif isinstance(frame, ErrorFrame):
            self._errors.append(frame.error)
        await self.push_frame(frame, direction)


async def spoken(sound: Sound, voice: str | None = None) -> None:
    tts, errors = run_block()["tts"], []
    if voice:
        tts._settings.voice = voice
    pipeline = Pipeline([Listener(sound, errors), tts, Listener(sound, errors)])
    worker, started = PipelineWorker(pipeline, cancel_on_idle_timeout=False), asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def _started(worker: PipelineWorker, frame: Frame) -> None:
        started.set()

    async def ask() -> None:
        await asyncio.wait_for(started.wait(), 30)
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await worker.queue_frame(EndFrame())

    runner = WorkerRunner()
    await runner.add_workers(worker)
    await asyncio.wait_for(asyncio.gather(runner.run(), ask()), 120)
    assert not errors, errors


@case("its defaults", format="pcm", streams=True, voice="high")
async def defaults(sound: Sound) -> None:
    await spoken(sound)


@case("an alias of a voice", format="pcm", voice="low")
async def alias(sound: Sound) -> None:
    await spoken(sound, "onyx")


tell()
