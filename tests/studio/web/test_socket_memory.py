"""Messages of WebSockets: what they take of memory, whoever sends them and however they are cut."""

import asyncio

from studio.web.body_limit import SMALL_BYTES
from studio.web.connection import (
    FIRST_BYTES,
    HEAD_SECONDS,
    KEPT_BYTES,
    MOST_PONGS,
)
from tests.studio.web.connections import EOF, MIB


def frame(data: bytes, code: int = 1, *, is_last: bool = False) -> bytes:
    """RFC 6455 section 5.2, masked with zeros. code: 1 for text, 0 for what continues it, 9 for a ping."""
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xff" + len(data).to_bytes(8)
    return bytes([0x80 * is_last | code]) + size + bytes(4) + data


def test_messages_that_are_received_share_the_room_of_bodies_however_they_are_cut(server):
    whole = frame(b"x" * MIB, is_last=True)[:-1]  # one byte never comes
    (first, _), (second, _), (third, transport) = (server.open_socket() for _ in range(3))
    first.data_received(whole)
    for piece in (frame(b"x" * (MIB // 2)), frame(b"x" * (MIB // 2), code=0), frame(b"", code=0)):
        second.data_received(piece)
    assert server.bodies.n_bytes == 2 * (MIB - FIRST_BYTES) - 1
    third.data_received(frame(b"x" * (MIB // 2)))
    n_bytes = server.bodies.n_bytes
    third.data_received(frame(b"x" * MIB, code=0)[:-1])
    code, reason = transport.sent[2:4], transport.sent[4 : -len(EOF)]
    assert transport.sent.endswith(EOF) and transport.end == "" and int.from_bytes(code) == 1013 and b"Try again" in reason
    assert server.bodies.n_bytes == n_bytes - MIB // 2 + FIRST_BYTES
    third.data_received(whole)  # it has not read it yet
    assert third.queue.get_nowait()["code"] == 1013 and third.queue.empty() and not third.conn.reader.buffer
    server.clock.pass_by(HEAD_SECONDS)
    assert transport.end == "aborted"
    for opened in (first, second, third):
        opened.connection_lost(None)
    assert server.bodies.n_bytes == 0


async def app_comes(socket) -> int:
    """Characters of the message that the app of a socket had; it has come for the next."""
    message = await socket.receive()
    coming = asyncio.ensure_future(socket.receive())
    await asyncio.sleep(0)
    coming.cancel()
    return len(message["text"])


def test_a_first_message_with_a_recording_counts_as_long_as_its_session_keeps_it(server):
    socket, _ = server.open_socket()
    socket.data_received(frame(b"x" * MIB, is_last=True))
    for n_bytes in (MIB, 3):
        assert asyncio.run(app_comes(socket)) == n_bytes
        assert server.bodies.n_bytes == MIB - KEPT_BYTES
        socket.data_received(frame(b"abc", is_last=True))
    socket.connection_lost(None)
    assert server.bodies.n_bytes == 0


def test_a_message_counts_until_the_app_comes_for_the_next_and_a_small_one_never(server):
    socket, _ = server.open_socket()

    async def converse() -> None:
        server.bodies.take(3 * MIB)
        for n_bytes in (FIRST_BYTES, SMALL_BYTES):  # beside recordings of others
            for is_last in (False, True):
                socket.data_received(frame(b"x" * (n_bytes // 2), code=not is_last, is_last=is_last))
            assert await app_comes(socket) == n_bytes
        server.bodies.give_back(3 * MIB)
        for _ in range(2):
            socket.data_received(frame(b"x" * MIB, is_last=True))
            assert server.bodies.n_bytes == MIB - SMALL_BYTES
            assert await app_comes(socket) == MIB and server.bodies.n_bytes == 0

    asyncio.run(converse())
    socket.close_sent = True  # by the app, which comes for none
    socket.data_received(frame(b"x" * MIB, is_last=True))
    assert server.bodies.n_bytes == 0


def test_a_message_in_crumbs_takes_what_it_has_bytes(server):
    socket, _ = server.open_socket()
    socket.data_received(frame(b"x"))
    socket.data_received((frame(b"x", code=0) + frame(b"", code=0)) * 1_000)
    assert [bytes(piece) for piece in (*socket.frames, socket._rest)] == [b"x", b"x" * 1_000]
    socket.data_received(frame(b"", code=0, is_last=True))
    assert socket.queue.get_nowait()["text"] == "x" * 1_001


def test_pongs_do_not_pile_up_for_whoever_reads_none(server):
    socket, transport = server.open_socket()
    socket.pause_writing()
    for _ in range(2):
        transport.sent = b""
        socket.data_received(frame(b"", code=9, is_last=True) * MOST_PONGS)
        socket.data_received(frame(b"", code=9, is_last=True))
    assert transport.sent == b""
    socket.resume_writing()
    socket.data_received(frame(b"", code=9, is_last=True))
    assert transport.sent == b"\x8a\x00"
