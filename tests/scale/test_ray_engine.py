"""A RayEngine over replicas of this process, without a cluster: they die in the middle of a speech, and it goes on as if they had not."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.contract import YIELD_POINT
from engines.contract.editing import EditOperation, checked_edit
from engines.errors import EngineError, EngineFailed, EngineUnreachable
from studio.settings import Settings
from tests.stand_ins.fake_engine import CONVERTER, EDITS, SAMPLE_RATE, FakeEngine

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore")]  # it needs Ray, though it starts none

OPTIONS = {"seed": 5, "speed": 1.0, "language": None}
TEXT = "hello there, everybody, " * 4
CHANGER = replace(CONVERTER, edits=EDITS)
CLIP = Clip(np.sin(np.arange(SAMPLE_RATE, dtype=np.float32) / 20), SAMPLE_RATE)
SAID_PIECES = 40  # more than any of these speeches has


class OtherNumbers(FakeEngine):
    """As on another device: from some place on the last bit is another one."""

    def stream(self, text, prompt, options):
        for chunk in super().stream(text, prompt, options):
            yield np.nextafter(chunk, np.float32(2), dtype=np.float32)


class OtherWeights(FakeEngine):
    def __init__(self, info):
        super().__init__(info)
        self.weights_fingerprint = "others"


class Response:
    """A stream of a replica, which dies after `death` pieces; None lives. silently: without an error, as when its end gets lost."""

    def __init__(self, pieces, death: int | None, silently: bool):
        self._pieces, self._death, self._silently = pieces, death, silently
        self.n_pieces, self.cancelled = 0, False

    def __aiter__(self):
        return self

    async def __anext__(self):
        from ray.exceptions import ActorDiedError

        if self.n_pieces == self._death:
            await self._pieces.aclose()
            if self._silently:
                raise StopAsyncIteration
            raise ActorDiedError
        self.n_pieces += 1
        return await anext(self._pieces)

    def cancel(self) -> None:
        self.cancelled = True


class Call:
    def __init__(self, work):
        self._work = work

    def __await__(self):
        return self._work.__await__()

    def cancel(self) -> None:
        self._work.close()


class Handle:
    """replicas: asked one after the other, a speech at each; the last of them is asked on and on."""

    def __init__(self, *replicas, deaths=(), silently: bool = False):
        self.replicas, self.deaths, self.silently = replicas, tuple(deaths), silently
        self.responses: list[Response] = []
        self.n_told = 0

    def options(self, *, method_name: str, session_id: str, stream: bool = False) -> SimpleNamespace:
        def remote(*given):
            if not stream:
                self.n_told += method_name == "took"
                return Call(getattr(self.replicas[0], method_name)(*given))
            number = len(self.responses)
            replica = self.replicas[min(number, len(self.replicas) - 1)]
            death = self.deaths[number] if number < len(self.deaths) else None
            self.responses.append(Response(getattr(replica, method_name)(*given), death, self.silently))
            self.responses[-1].is_heard = given[-1]
            return self.responses[-1]

        return SimpleNamespace(remote=remote)

    def broadcast(self, verb: str, *given) -> SimpleNamespace:
        async def results():
            return [await getattr(replica, verb)(*given) for replica in self.replicas]

        return SimpleNamespace(results_async=results)


@pytest.fixture
def opened() -> Iterator[Callable]:
    """opened(*engines, deaths=..., silently=...) -> the RayEngine and the handle; engines: a replica each, two alike when left out."""
    from studio.scale.engine_replica import EngineReplica
    from studio.scale.ray_engine import RayEngine

    made, replicas = [], []

    def make(*engines, info=CONVERTER, down_seconds: float = 0.0, **how):
        mine = []
        for engine in engines or (FakeEngine(CONVERTER), FakeEngine(CONVERTER)):
            mine.append(EngineReplica(info, lambda engine=engine: engine, Settings(admit="all", most_ahead_seconds=0.5)))
        replicas.extend(mine)
        handle = Handle(*mine, **how)
        watch = SimpleNamespace(down_seconds=down_seconds, health=None, close=lambda: None)
        made.append(RayEngine(handle, watch, "Fake"))
        return made[-1], handle

    yield make
    for engine in made:
        engine.close()
    for replica in replicas:
        replica.__del__()


def heard_of(chunks) -> tuple[np.ndarray, object]:
    heard = [YIELD_POINT]
    try:
        while True:
            heard.append(next(chunks))
    except StopIteration as end:
        return np.concatenate(heard), end.value
    except EngineError as error:
        return np.concatenate(heard), error


def expected() -> np.ndarray:
    engine = FakeEngine(CONVERTER)
    return np.concatenate(list(engine.stream(TEXT, engine.preset("tone"), OPTIONS)))


@pytest.mark.parametrize("silently", [False, True])
def test_replicas_that_die_at_any_piece_are_not_heard(opened, silently):
    undisturbed, n_deaths = expected(), 0
    for death in range(SAID_PIECES):
        for second in ((), (death,), (0,)):
            engine, handle = opened(deaths=(death, *second), silently=silently)
            heard, end = heard_of(engine.stream(TEXT, engine.preset("tone"), OPTIONS))
            np.testing.assert_array_equal(heard, undisturbed)
            assert getattr(end, "reason", end) == "ended"
            n_deaths += len(handle.responses) - 1
            had_some = [any(before.n_pieces for before in handle.responses[:number]) for number in range(len(handle.responses))]
            assert [response.is_heard for response in handle.responses] == had_some
        if len(handle.responses) == 1:  # it lived to its end
            break
    assert n_deaths >= 3


def test_recorded_speech_that_is_said_again_goes_on_too(opened):
    calm, _ = opened()
    engine, handle = opened(deaths=(1, 0))
    prompt = engine.preset("tone")
    np.testing.assert_array_equal(heard_of(engine.convert(CLIP, prompt, OPTIONS))[0], heard_of(calm.convert(CLIP, prompt, OPTIONS))[0])
    assert len(handle.responses) == 3


def test_a_recording_that_is_changed_goes_on_too(opened):
    change = checked_edit("Fake", EDITS, "one two", [EditOperation("emotion", 4, 7, values={"type": "sad"})])
    engine, handle = opened(FakeEngine(CHANGER), FakeEngine(CHANGER), info=CHANGER, deaths=(1, 0))
    prompt, alone = engine.preset("tone"), FakeEngine(CHANGER)
    expected = np.concatenate(list(alone.edit(CLIP, change, alone.preset("tone"), OPTIONS)))
    np.testing.assert_array_equal(heard_of(engine.edit(CLIP, change, prompt, OPTIONS))[0], expected)
    assert len(handle.responses) == 3


@pytest.mark.parametrize("other", [OtherNumbers, OtherWeights])
def test_what_would_go_on_otherwise_ends_it_and_says_so(opened, other):
    engine, _ = opened(FakeEngine(CONVERTER), other(CONVERTER), deaths=(1,))
    heard, end = heard_of(engine.stream(TEXT, engine.preset("tone"), OPTIONS))
    assert isinstance(end, EngineFailed)
    assert "was lost in the middle of the speech" in end.fact and "another does not speak it alike" in end.fact
    np.testing.assert_array_equal(heard, expected()[: len(heard)])
    assert 0 < len(heard) < len(expected())


def test_where_none_is_left_it_says_so(opened):
    engine, handle = opened(deaths=(1, 1, 1))
    heard, end = heard_of(engine.stream(TEXT, engine.preset("tone"), OPTIONS))
    assert isinstance(end, EngineFailed) and "no other could go on with it" in end.fact
    assert len(handle.responses) == 3 and len(heard)
    engine, handle = opened(deaths=(0, 0, 0))
    heard, end = heard_of(engine.stream(TEXT, engine.preset("tone"), OPTIONS))
    assert isinstance(end, EngineUnreachable) and not len(heard)


def test_a_replica_that_is_closing_hands_its_speech_over(opened):
    engine, handle = opened()
    speech = engine.stream(TEXT * 40, engine.preset("tone"), OPTIONS)
    heard = [next(speech)]
    while not len(heard[-1]):
        heard.append(next(speech))
    handle.replicas[0]._worker.close()
    rest, end = heard_of(speech)
    fake = FakeEngine(CONVERTER)
    np.testing.assert_array_equal(
        np.concatenate([*heard, rest]), np.concatenate(list(fake.stream(TEXT * 40, fake.preset("tone"), OPTIONS)))
    )
    assert end.reason == "ended" and len(handle.responses) == 2


def test_who_hangs_up_while_it_is_spoken_again_ends_that(opened):
    engines = FakeEngine(CONVERTER), FakeEngine(CONVERTER)
    engine, handle = opened(*engines, deaths=(12,))
    speech = engine.stream(TEXT * 200, engine.preset("tone"), OPTIONS)
    while len(handle.responses) < 2 or not handle.responses[1].n_pieces:
        next(speech)
    speech.close()
    _eventually(lambda: handle.responses[1].cancelled and engines[0].streams_closed)
    _eventually(lambda: not _tasks(engine))


def test_no_one_is_told_of_a_speech_that_is_over(opened):
    """However its end and the news of what was taken meet."""
    engine, _ = opened()
    for _ in range(20):
        heard_of(engine.stream(TEXT * 10, engine.preset("tone"), OPTIONS))
    _eventually(lambda: not _tasks(engine))


def test_what_is_told_of_a_speech_ends_with_it_even_as_there_is_news(opened):
    from studio.scale.ray_engine import _Speech

    engine, _ = opened()

    async def tell() -> None:
        for n_turns in range(5):  # of the loop, between the news and the end
            speech = _Speech("stream", "", ())
            telling = asyncio.create_task(engine._tell_taken(speech))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            speech.news.set()
            for _ in range(n_turns):
                await asyncio.sleep(0)
            telling.cancel()
            await asyncio.wait([telling], timeout=0.5)
            assert telling.cancelled(), n_turns

    engine._on_loop.result(tell())


def _tasks(engine) -> list:
    async def others() -> list:
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    return engine._on_loop.result(others())


def _eventually(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
