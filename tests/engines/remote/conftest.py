"""Fake servers and engines on them, closed when a test is over."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from engines.remote.engine import RemoteEngine
from tests.engines.remote.fake_server import FakeSpeechServer
from tests.engines.remote.opened import remote_engine


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def a_server(closing) -> Callable[..., FakeSpeechServer]:
    def started(**how: object) -> FakeSpeechServer:
        server = FakeSpeechServer(**how)
        closing.callback(server.close)
        return server

    return started


@pytest.fixture
def opened(closing) -> Callable[..., RemoteEngine]:
    def on(*servers: FakeSpeechServer | str, **options: object) -> RemoteEngine:
        engine = remote_engine(*servers, **options)
        closing.callback(engine.close)
        return engine

    return on
