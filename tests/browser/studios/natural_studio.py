"""A studio on a machine without a GPU, whose own engine sounds synthetic, and for which an engine that sounds natural can be got."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from engines.catalog import WeightsSource
from engines.contract.license import License
from engines.contract.options import Option
from engines.errors import EngineUnavailable, FetchCancelled
from studio.running import pool
from studio.service import Studio
from studio.settings import Settings
from tests.stand_ins.fake_engine import INFO, FakeEngine

BUILT_IN = replace(INFO, id=Settings.model_fields["default_engine"].default, title="Built in", embedding_size=None)
NATURAL = replace(
    INFO,
    id="natural",
    title="Natural",
    suits_cpu=True,
    weights_bytes=219_000_000,
    presets=("alma",),
    default_preset="alma",
    licenses=(License("Free", "https://example.org/l"),),
    restriction="deception",
    options=(*INFO.options, Option("temperature", "float", None, "Without, what the model wants.", minimum=0.0, maximum=2.0)),
)
INFOS = {info.id: info for info in (BUILT_IN, NATURAL)}


@dataclass(frozen=True)
class NaturalStudio:
    """let_come: set it, and the rest of the weights that are being fetched is here. is_refused: set while nobody is given any."""

    studio: Studio
    let_come: threading.Event
    is_refused: threading.Event


@contextlib.contextmanager
def natural_studio(folder: Path, **settings: object) -> Iterator[NaturalStudio]:
    """Without voices and history."""
    let_come, is_refused, arrived = threading.Event(), threading.Event(), threading.Event()

    def fetch(progress: Callable[[int, int | None], None], cancelled: Callable[[], bool]) -> None:
        if is_refused.is_set():
            raise EngineUnavailable("The makers ask who you are.", "make weights")
        progress(NATURAL.weights_bytes // 4, NATURAL.weights_bytes)
        while not let_come.wait(0.02):
            if cancelled():
                raise FetchCancelled("The download was cancelled.")
        arrived.set()

    def open_engine(name: str) -> FakeEngine:
        if name == NATURAL.id and not arrived.is_set():
            raise EngineUnavailable("Its weights are not here.", "make weights")
        return FakeEngine(INFOS[name])

    chosen, source = Settings(speakers_dir=folder, warm_uploads=False, **settings), WeightsSource(arrived.is_set, fetch)
    with mock.patch.object(pool, "finds_gpu", lambda: False):
        studio = Studio(chosen, infos=INFOS, open_engine=open_engine, weights={NATURAL.id: source})
    try:
        yield NaturalStudio(studio, let_come, is_refused)
    finally:
        studio.close()
