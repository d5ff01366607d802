"""Table, programs and docs/clients.md agree, and every program can be read; what judges a sound finds what is wrong with one."""

import ast
import re

import numpy as np
import pytest

from tests.clients.environments import BLOCKS, CLIENTS, PAGE, PROGRAMS, TABLE, Client

SHARED = {"hearing.py", "hearing.mjs"}


def test_every_client_has_a_block_and_a_program_and_every_block_and_program_a_client():
    assert set(BLOCKS) == {client.section for client in CLIENTS.values()} and len(BLOCKS) == len(CLIENTS)
    assert {client.program for client in CLIENTS.values()} | SHARED == {file.name for file in PROGRAMS.iterdir() if file.is_file()}
    for client in CLIENTS.values():
        assert client.cases and len(client.cases) == len(set(client.cases)), client.name
        assert bool(client.packages) == bool(client.megabytes), client.name


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
def test_a_version_is_pinned_and_a_program_ends_by_telling(client: Client):
    pin = r"(@?[\w./-]+)@\d[\w.]*" if client.is_node else r"[\w-]+(\[\w+\])?==\d[\w.]*"
    assert all(re.fullmatch(pin, package) for package in client.packages)
    text = (PROGRAMS / client.program).read_text("utf-8").rstrip()
    assert text.endswith("tell();" if client.is_node else "tell()")
    if not client.is_node:
        ast.parse(text)


def test_blocks_name_the_studio_as_it_starts_and_a_key_that_is_none():
    addresses = {address for block in BLOCKS.values() for address in re.findall(r"\w+://[\w.:]+", block)}
    assert addresses == {"http://127.0.0.1:7860", "tcp://0.0.0.0:10200"}
    assert all("none" in BLOCKS[section] for section in ("curl", "OpenAI SDK for Python", "LiveKit", "MCP: Claude, VS Code, Cursor"))


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"text": "a " * 30}, ["2.00 s of sound for 30 words"]),
        ({"rate_hz": 8000}, ["8000 Hz"]),
        ({"voice": "low"}, ["another voice: 200 Hz, and low was asked for"]),
        ({"streams": True}, ["the first of 1 pieces has 96000 of 96000 bytes"]),
        ({"format": "mp3"}, ["mp3 was expected, and 96000 bytes of nothing came"]),
        ({"error": "APIError: no"}, ["APIError: no"]),
    ],
)
def test_what_is_wrong_with_a_sound_is_told(change, wrong, tmp_path):
    from tests.clients.heard import hear

    seconds = np.arange(48_000) / 24_000
    (tmp_path / "sound").write_bytes((8000 * np.sign(np.sin(2 * np.pi * 200 * seconds))).astype("<i2").tobytes())
    told = {"case": "", "format": "pcm", "voice": "high", "file": str(tmp_path / "sound"), "pieces": [[0.1, 96_000]], "error": ""}
    told |= {"text": "a b c d", "rate_hz": 24_000, "note": ""} | change
    found = hear(told, []).wrong
    assert found == wrong or (wrong and wrong[0] in found)


def test_the_wire_tells_requests_and_answers():
    from tests.clients.wire import _Connection, _exchanges

    sent = b'POST /a HTTP/1.1\r\nContent-Length: 11\r\n\r\n{"b": "\xc3\xa9"}GET /c HTTP/1.1\r\nHost: x\r\n\r\n'
    came = b"HTTP/1.1 200 OK\r\nX-Voice: Ana\r\n\r\nsoundHTTP/1.1 404 Not Found\r\n\r\n"
    first, second = _exchanges(_Connection(bytearray(sent), bytearray(came)))
    assert (first.method, first.path, first.body, first.status, first.headers) == ("POST", "/a", {"b": "é"}, 200, {"x-voice": "Ana"})
    assert (second.method, second.path, second.body, second.status) == ("GET", "/c", {}, 404)


def test_the_table_of_what_is_heard_has_every_case():
    rows = [re.split(r" ?\| ?", row)[2] for row in PAGE.read_text("utf-8").split(TABLE)[1].splitlines()[2:]]
    assert rows == [case for client in CLIENTS.values() for case in client.cases], "make test-clients ARGS=--write-table"
