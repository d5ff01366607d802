"""Fixture: a server of connections that a test talks to byte by byte."""

import asyncio

import pytest

from tests.studio.web.connections import Server


@pytest.fixture
def server(monkeypatch) -> Server:
    server = Server()
    monkeypatch.setattr(asyncio, "get_event_loop", lambda: server.clock)  # which uvicorn gives a WebSocket
    return server
