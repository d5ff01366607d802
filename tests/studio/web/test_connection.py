"""Connections whose client does not go on: their deadlines by a clock of the test's own, and how many there may be."""

import json
import select
import socket
from contextlib import suppress

import pytest
from uvicorn.config import Config

from studio.server import behind_guards
from studio.settings import Settings
from studio.web.connection import (
    HEAD_SECONDS,
    RESERVED_CONNECTIONS,
    STALL_SECONDS,
    HttpConnection,
    WebSocketConnection,
)
from tests.studio.web.connections import GET, UPGRADE, Server, Transport, app


def test_whoever_says_nothing_is_hung_up_on_and_whoever_trickles_is_told_why(server):
    _, silent = server.connect()
    slow, trickling = server.connect()
    for byte in GET[:9]:
        server.say(slow, bytes([byte]))
        server.clock.pass_by(1)
    assert (silent.end, trickling.end) == ("", "")
    server.clock.pass_by(HEAD_SECONDS - 9)
    assert (silent.end, silent.sent, trickling.end) == ("closed", b"", "closed")
    head, body = trickling.sent.split(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ") and json.loads(body)["error"]["reason_code"] == "head_too_slow"


def test_every_request_of_a_connection_has_its_time_and_an_idle_one_is_uvicorns(server):
    connection, transport = server.connect()
    for _ in range(3):
        server.say(connection, GET)
        server.clock.pass_by(HEAD_SECONDS - 1)
        assert transport.end == ""
        server.say(connection, b"\r\n")
        assert transport.sent.endswith(b"ok")
        server.clock.pass_by(4)  # less than uvicorn keeps an idle connection
    server.say(connection, GET)
    server.clock.pass_by(HEAD_SECONDS)
    assert transport.end == "closed"


def test_an_answered_body_that_goes_on_trickling_is_cut(server):
    connection, transport = server.connect()
    server.say(connection, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
    assert transport.sent.endswith(b"ok")
    for _ in range(9):
        server.say(connection, b"x")
        server.clock.pass_by(1)
    assert transport.end == ""
    server.clock.pass_by(HEAD_SECONDS - 9)
    assert transport.end == "closed"


@pytest.mark.parametrize("kind", [HttpConnection, WebSocketConnection])
def test_a_client_that_reads_nothing_is_aborted_even_while_its_connection_closes(server, kind):
    connection, transport = server.connect()
    if kind is WebSocketConnection:
        server.say(connection, GET + UPGRADE)
        connection = transport.protocol
    assert isinstance(connection, kind)
    transport.n_unsent = 1_000_000
    connection.pause_writing()
    transport.close()  # waits for all of it
    for _ in range(5):  # a slow reader is waited for
        transport.n_unsent -= 1
        server.clock.pass_by(STALL_SECONDS - 1)
    assert transport.end == "closed"
    server.clock.pass_by(STALL_SECONDS + 1)
    assert transport.end == "aborted"


def test_whoever_reads_at_the_pace_of_mp3_is_seen_to_read(server):
    connection = server.config.http_protocol_class(config=server.config, server_state=server.state, app_state={}, _loop=server.clock)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname(), timeout=60) as client,
        listener.accept()[0] as plug,
    ):
        connection.connection_made(Transport(plug=plug))
        plug.setblocking(False)
        fill(plug)
        n_read = 0
        while not select.select([], [plug], [], 0.001)[1]:
            n_read += len(client.recv(4_096))
    assert n_read < STALL_SECONDS * 8_000


def fill(plug: socket.socket) -> None:
    """With what the kernel takes for a client that does not read yet."""
    with suppress(BlockingIOError):
        while True:
            plug.send(b"x" * 65_536)


def test_no_socket_is_closed_for_a_pong_that_waits_behind_what_is_read_slowly(server):
    assert Config(app).ws_ping_timeout is not None and server.config.ws_ping_timeout is None
    socket, transport = server.open_socket()
    socket.start_keepalive()
    server.clock.pass_by(10 * STALL_SECONDS)
    assert transport.end == "" and transport.sent.count(b"\x89\x04") == 30  # a ping in 20 s


def test_a_socket_that_is_refused_with_an_answer_is_no_error_in_the_log(server, caplog):
    connection, transport = server.connect()
    connection.data_received(GET + UPGRADE)
    socket = transport.protocol
    socket.app = behind_guards(app, Settings())
    socket.scope["headers"] = [(b"host", b"evil.example")]
    server.clock.tasks.pop().run()
    assert transport.sent.startswith(b"HTTP/1.1 421 ") and transport.end == "closed"
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_a_client_that_has_read_all_is_left_in_peace(server):
    connection, transport = server.connect()
    server.say(connection, GET + UPGRADE)
    transport.protocol.pause_writing()
    transport.protocol.resume_writing()
    server.clock.pass_by(10 * STALL_SECONDS)
    assert transport.end == "" and all(timer.is_cancelled for timer in server.clock.timers)


def test_what_waited_before_an_upgrade_is_watched_after_it(server):
    connection, transport = server.connect()
    transport.n_unsent = 1_000
    connection.pause_writing()
    server.say(connection, GET + UPGRADE)
    server.clock.pass_by(STALL_SECONDS)
    assert transport.end == "aborted"


def test_beyond_the_bound_only_health_answers_and_far_beyond_nobody(server):
    server = Server(most_connections=2)
    welcome = [server.connect() for _ in range(2)]
    crowd = [server.connect() for _ in range(RESERVED_CONNECTIONS)]
    _, refused = server.connect()
    assert refused.end == "aborted" and refused.sent == b""
    (asks, answered), (socket, denied), (watches, healthy) = crowd[:3]
    server.say(asks, GET.replace(b"/health", b"/v1/models") + b"\r\n")
    server.say(socket, GET.replace(b"/health", b"/v1/audio/speech/stream") + UPGRADE)
    server.say(watches, GET + b"\r\n")
    for transport in (answered, denied):
        head, body = transport.sent.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 503 ") and b"retry-after: 5" in head.lower() and transport.end == "closed"
        assert json.loads(body)["error"]["reason_code"] == "connections_full"
    assert healthy.sent.startswith(b"HTTP/1.1 200 ") and healthy.end == "closed"
    for connection, transport in [*welcome, *crowd]:
        transport.end = transport.end or "closed"
        connection.connection_lost(None)
    again, transport = server.connect()
    server.say(again, GET + b"\r\n")
    assert transport.sent.startswith(b"HTTP/1.1 200 ") and transport.end == ""


def test_a_request_with_two_lengths_is_refused_and_its_connection_closed(server):
    """What comes behind it, which a proxy may have taken for a part of its body, is never read as a request."""
    smuggled = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    both = b"POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    connection, transport = server.connect()
    server.say(connection, both % (5 + len(smuggled)) + smuggled)
    assert transport.sent.startswith(b"HTTP/1.1 400") and b"two_lengths" in transport.sent
    assert transport.sent.count(b"HTTP/1.1") == 1 and transport.end == "closed"
