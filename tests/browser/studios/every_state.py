"""A studio in which everything that the page can show is shown: a cell in each state, engines in each state, a download under way."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from engines.catalog import WeightsSource
from engines.clips.clip import Clip, Transcript
from engines.contract.license import License
from engines.errors import EngineFailed, EngineUnavailable, FetchCancelled
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Enrollment
from studio.speech.request import SpeechRequest
from tests.api.door import eventually
from tests.browser.studios.natural_studio import natural_studio
from tests.stand_ins.fake_engine import INFO, FakeEngine

SINE = replace(INFO, id="sine", title="Sine", presets=(), default_preset=None, embedding_size=None)
ECHO = replace(SINE, id="echo", title="Echo", converts=True)  # free to speak while Sine is held
# Another extractor than the one that learned Ana, and it learns nobody any more.
MOODY = replace(SINE, id="moody", title="Moody", extractor_revision="2")
STRICT = replace(SINE, id="strict", title="Strict", transcript="required")
HUGE = replace(SINE, id="huge", title="Huge", weights_bytes=8_700_000_000)
TERMS = {"licenses": (License("Research", "https://example.org/l"),), "restriction": "commercial use", "attribution": "Built with Sines"}
ABSENT = replace(SINE, id="absent", title="Absent", weights_command="python -m engines.absent.fetch", **TERMS)
INFOS = {info.id: info for info in (ECHO, SINE, MOODY, STRICT, HUGE, ABSENT)}
SECONDS = 3
SAMPLE_RATE = 24_000


@contextlib.contextmanager
def every_state(folder: Path) -> Iterator[Studio]:
    """Ana is in memory and pinned, Ben on disk, Cleo is being extracted, Dan waits; Moody is out of date for Ana and failed with Ben."""
    with _studio(folder, {"sine": FakeEngine(SINE), "moody": FakeEngine(replace(MOODY, extractor_revision="1"))}) as earlier:
        for hz, name in enumerate(("Dan", "Cleo", "Ben"), start=2):
            earlier.enroll(Enrollment(name, "own", clip=_clip(100.0 * hz)))
        words = Transcript("The words of the clip.", "en")
        earlier.enroll(Enrollment("Ana", "own", clip=_clip(100.0), transcript=words, description="Low and calm", tags=("warm", "narrator")))
        for name, engine in (("Ana", "sine"), ("Ben", "sine"), ("Ana", "moody")):
            earlier.warm(name, engine)
    gate = threading.Event()
    gate.set()
    engines = {
        "echo": FakeEngine(ECHO),
        "sine": FakeEngine(SINE, before_extract=gate.wait),
        "moody": FakeEngine(MOODY, before_extract=_fail),
    }
    with _studio(folder, engines, gate) as studio:
        for engine in engines:
            studio.load(engine)
        with studio.speak(SpeechRequest("Hello.", speaker="Ana", engine="sine")) as speech:
            speech.read_all()
        studio.prompts.pin("Ana", "sine")
        studio.prompts.extract("Ben", "moody")
        _expect(studio, Ben={"moody": "failed"})
        gate.clear()
        studio.prompts.extract("Cleo", "sine")
        _expect(studio, Cleo={"sine": "extracting"})
        studio.prompts.extract("Dan", "sine")
        studio.weights.begin("huge")
        expected = {
            "Ana": {"sine": "memory", "moody": "stale"},
            "Ben": {"sine": "disk", "strict": "unsupported"},
            "Dan": {"sine": "queued"},
        }
        _expect(studio, **expected)
        yield studio


@contextlib.contextmanager
def empty_studio(folder: Path) -> Iterator[Studio]:
    """Without voices and history, where there is something to be told of natural ones."""
    with natural_studio(folder) as opened:
        yield opened.studio


@contextlib.contextmanager
def _studio(folder: Path, engines: Mapping[str, FakeEngine], gate: threading.Event | None = None) -> Iterator[Studio]:
    ended = threading.Event()

    def open_engine(name: str) -> FakeEngine:
        if name not in engines:
            raise EngineUnavailable("Its weights are not here.", ABSENT.weights_command)
        return engines[name]

    def fetch(progress: Callable[[int, int | None], None], cancelled: Callable[[], bool]) -> None:
        progress(3_100_000_000, HUGE.weights_bytes)
        while not cancelled():
            ended.wait(0.02)
        raise FetchCancelled("The download was cancelled.")

    settings = Settings(speakers_dir=folder, default_engine="echo", warm_uploads=False)
    studio = Studio(settings, infos=INFOS, open_engine=open_engine, weights={"huge": WeightsSource(lambda: False, fetch)})
    try:
        yield studio
    finally:
        ended.set()
        if gate:
            gate.set()  # or closing would wait for whoever is held there
        studio.close()


def _clip(hz: float) -> Clip:
    seconds = np.arange(SECONDS * SAMPLE_RATE) / SAMPLE_RATE
    return Clip((0.3 * np.sin(2 * np.pi * hz * seconds)).astype(np.float32), SAMPLE_RATE)


def _fail() -> None:
    raise EngineFailed("The clip holds two speakers.", "Select the part with one voice.")


def _expect(studio: Studio, **rows: Mapping[str, str]) -> None:
    def seen() -> dict[str, dict[str, str]]:
        return {row.speaker.name: {status.engine: status.state for status in row.statuses} for row in studio.matrix.rows().rows}

    def agrees() -> bool:
        now = seen()
        return all(now[name][engine] == state for name, states in rows.items() for engine, state in states.items())

    assert eventually(agrees), seen()
