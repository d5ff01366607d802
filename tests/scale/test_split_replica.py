"""An engine's replica without Ray: what ingresses are answered, on one event loop."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.prompt import SpeakerPrompt, adopted_digest
from engines.contract.speech_end import SpeechEnd
from engines.errors import ClipUnusable, EmbeddingUnusable, EngineFailed, PromptInvalid
from studio.errors import EngineBusy
from studio.scale.engine_replica import MOST_FAILURES, MOST_PIECE_SECONDS, EngineReplica, SpeechChunk
from studio.scale.sent_ahead import SILENCE_SECONDS, TOLD_EVERY_SECONDS, SentAhead
from studio.settings import Settings
from tests.stand_ins.fake_engine import ADOPTER, CHUNK_SAMPLES, INFO, SAMPLE_RATE, FakeEngine

CLIP = Clip(np.sin(np.arange(2 * SAMPLE_RATE, dtype=np.float32) / 20), SAMPLE_RATE)
SENT = (CLIP.samples, CLIP.sample_rate, ())
OPTIONS = {"seed": 0, "speed": 1.0, "language": None}
AHEAD_SECONDS = 0.5


def served(engine: FakeEngine, ask: Callable[[EngineReplica], Coroutine]) -> object:
    replica = EngineReplica(INFO, lambda: engine, Settings(most_ahead_seconds=AHEAD_SECONDS))
    try:
        return asyncio.run(ask(replica))
    finally:
        replica.__del__()


async def all_of(stream) -> list:
    return [piece async for piece in stream]


def test_who_asks_while_a_clip_is_learned_gets_that_prompt():
    asked = threading.Event()
    engine = FakeEngine(before_extract=asked.wait)

    async def ask(replica: EngineReplica) -> list:
        waiting = [asyncio.ensure_future(replica.extract(SENT, None)) for _ in range(16)]
        await asyncio.sleep(0)
        waiting.pop().cancel()  # who hangs up takes it from nobody
        asked.set()
        return await asyncio.gather(*waiting)

    prompts = served(engine, ask)
    assert engine.extractions == 1
    assert {SpeakerPrompt.from_bytes(prompt).source_digest for prompt in prompts} == {CLIP.digest}


def test_what_other_tools_made_is_adopted_there():
    values = np.full((2, 6), 3.0, np.float32)
    adopted = served(FakeEngine(ADOPTER), lambda replica: replica.adopt("embeddings", values))
    assert SpeakerPrompt.from_bytes(adopted).source_digest == adopted_digest("embeddings", values)
    refused = served(FakeEngine(), lambda replica: replica.adopt("embeddings", values))
    assert refused.kind is EmbeddingUnusable


def test_a_stream_is_what_the_engine_makes_and_states_its_ttfp_and_its_end():
    engine = FakeEngine()
    prompt = engine.extract(CLIP)
    *heard, end = served(engine, lambda replica: all_of(replica.stream("1", prompt.to_bytes(), "Hello.", OPTIONS)))
    expected = np.concatenate(list(FakeEngine().stream("Hello.", prompt, OPTIONS)))
    np.testing.assert_array_equal(np.concatenate([piece.samples for piece in heard]), expected)
    assert heard[0].ttfp_seconds > 0
    assert {piece.ttfp_seconds for piece in heard[1:]} <= {None}
    assert isinstance(end, SpeechEnd)


def test_who_hangs_up_ends_the_engines_stream():
    engine = FakeEngine(seconds_per_character=1.0)

    async def ask(replica: EngineReplica) -> None:
        stream = replica.stream("1", engine.preset("tone").to_bytes(), "A long text. " * 20, OPTIONS)
        await anext(stream)
        await stream.aclose()
        while not engine.streams_closed:
            await replica.preset("tone")  # on the engine's thread, behind what was to be closed

    served(engine, ask)


def test_an_engine_rests_while_its_listener_takes_nothing_and_goes_on_when_told():
    engine = FakeEngine(seconds_per_character=1.0)
    most = 2 * TOLD_EVERY_SECONDS

    async def ask(replica: EngineReplica) -> None:
        stream = replica.stream("1", engine.preset("tone").to_bytes(), "A long text. " * 20, OPTIONS)
        taken = 0.0
        while taken < most:
            taken += len((await anext(stream)).samples) / SAMPLE_RATE
        coming = asyncio.ensure_future(anext(stream))
        for _ in range(20):
            await replica.preset("tone")  # turns in which the engine could go on
        assert engine.chunks_made * CHUNK_SAMPLES / SAMPLE_RATE < most + MOST_PIECE_SECONDS + AHEAD_SECONDS + 0.2
        assert not await replica.took("another", taken)
        assert not coming.done()
        assert await replica.took("1", taken)
        assert isinstance(await coming, SpeechChunk)
        await stream.aclose()

    served(engine, ask)


def test_who_is_told_nothing_more_believes_that_its_listener_plays_on():
    now = [0.0]
    ahead = SentAhead(10.0, lambda: now[0])
    ahead.sent(12.0)
    assert not ahead.has_room
    ahead.took(5.0)
    assert ahead.has_room
    ahead.sent(4.0)
    ahead.took(1.0)  # what was taken never counts backwards
    assert not ahead.has_room
    now[0] = SILENCE_SECONDS + 1.0
    assert not ahead.has_room
    now[0] = SILENCE_SECONDS + 1.5
    assert ahead.has_room
    ahead.took(5.0)
    assert not ahead.has_room


def test_who_hangs_up_at_the_very_moment_of_news_is_heard():
    async def ask() -> None:
        for n_turns in range(5):  # of the loop, between news that give no room and the hang-up
            ahead = SentAhead(1.0)
            ahead.sent(2.0)
            waiting = asyncio.ensure_future(ahead.room())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            ahead.took(0.5)
            for _ in range(n_turns):
                await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting], timeout=0.2)
            assert waiting.cancelled(), n_turns

    asyncio.run(ask())


def test_who_had_some_of_a_speech_waits_in_no_line_again():
    engine = FakeEngine()
    prompt = engine.preset("tone").to_bytes()

    async def ask(replica: EngineReplica, is_heard: bool) -> object:
        replica._worker._limits = replace(replica._worker._limits, most_waiting=0)
        return (await all_of(replica.stream("1", prompt, "Hello.", OPTIONS, is_heard)))[-1]

    refused = served(engine, lambda replica: ask(replica, False))
    assert (refused.kind, engine.chunks_made) == (EngineBusy, 0)
    assert isinstance(served(engine, lambda replica: ask(replica, True)), SpeechEnd)


def test_an_error_comes_as_data_of_its_own_type():
    engine = FakeEngine()
    foreign = replace(engine.preset("tone"), weights_fingerprint="other")

    async def ask(replica: EngineReplica) -> list:
        return await all_of(replica.stream("1", foreign.to_bytes(), "Hm.", OPTIONS)) + [
            await replica.extract((CLIP.samples[:100], SAMPLE_RATE, ()), None)
        ]

    spoken, learned = served(engine, ask)
    assert (spoken.kind, learned.kind) == (PromptInvalid, ClipUnusable)


def test_an_engine_that_fails_again_and_again_is_broken_and_one_good_speech_clears_it():
    engine = FakeEngine(fail_at_chunk=0)

    async def ask(replica: EngineReplica) -> None:
        prompt = engine.preset("tone").to_bytes()
        for _ in range(MOST_FAILURES):
            await replica.check_health()
            (failed,) = await all_of(replica.stream("1", prompt, "Hello.", OPTIONS))
            assert failed.kind is EngineFailed
        with pytest.raises(RuntimeError, match="3 times"):
            await replica.check_health()
        engine._fail_at_chunk = None
        await all_of(replica.stream("1", prompt, "Hello.", OPTIONS))
        await replica.check_health()

    served(engine, ask)


def test_what_is_forgotten_is_prepared_no_more():
    engine = FakeEngine()

    async def ask(replica: EngineReplica) -> None:
        prompt = SpeakerPrompt.from_bytes(await replica.extract(SENT, None))
        await replica.prepare(prompt.to_bytes())
        assert engine.prepared == {prompt.content_digest}
        await replica.forget(prompt.content_digest)
        await replica.preset("tone")
        assert not engine.prepared

    served(engine, ask)


def test_an_engine_that_cannot_be_opened_says_why_in_plain_words():
    def refuse():
        raise EngineFailed("No memory is left.", "Take a smaller one.")

    with pytest.raises(RuntimeError, match=r"No memory is left. Take a smaller one\."):
        EngineReplica(INFO, refuse, Settings())
