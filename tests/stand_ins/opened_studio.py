"""Fixtures of the rooms that open a studio: one over fake engines, and no ears."""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from engines.contract.contract import Engine, EngineInfo
from studio.analysis import packages
from studio.service import Studio
from studio.settings import Settings
from studio.ui.gradio import gradio_stubs  # noqa: F401 makes Gradio lighter, for whoever imports it from here on
from tests.stand_ins.fake_engine import FakeEngine

__all__ = ["no_estimators", "open_studio"]

OPENED_BY_STUDIO = ("weights", "free_bytes", "gpu_host")  # what Studio takes beside its settings


@pytest.fixture(autouse=True)
def no_estimators(monkeypatch) -> None:
    """No ears but stand-ins', whatever is installed: tests/analysis/test_real_estimators.py has them."""
    monkeypatch.setattr(packages, "find_spec", lambda name: getattr(sys.modules.get(name), "__spec__", None))


@pytest.fixture
def open_studio(tmp_path) -> Iterator[Callable[..., Studio]]:
    """open_studio(engine, folder, **settings) -> Studio; all are closed after the test.

    infos, open_engine: several engines, instead of the one. weights, free_bytes: as Studio takes them.
    """
    opened = []

    def start(
        engine: Engine | None = None,
        folder: str | Path = "",
        *,
        infos: Mapping[str, EngineInfo] | None = None,
        open_engine: Callable[[str], Engine] | None = None,
        **settings,
    ) -> Studio:
        engine = engine or FakeEngine()
        infos = infos or {engine.info.id: engine.info}
        handed = {name: settings.pop(name) for name in OPENED_BY_STUDIO if name in settings}
        chosen = Settings(**({"speakers_dir": tmp_path / folder, "default_engine": next(iter(infos))} | settings))
        opened.append(Studio(chosen, infos=infos, open_engine=open_engine or (lambda name: engine), **handed))
        return opened[-1]

    yield start
    for studio in opened:
        studio.close()
