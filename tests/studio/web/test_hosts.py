"""Names by which a studio may be asked for."""

import asyncio
import json
import socket

import pytest

from studio.settings import Settings, read_settings
from studio.web.hosts import HostMiddleware, KnownHosts

MACHINE = socket.gethostname()


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:7860", "localhost.:7860", "voices.localhost", "127.0.0.1:7860", "127.9.9.9", "[::1]:7860", "192.168.1.5",
     "[fe80::1]", "203.0.113.9:80", "host.docker.internal:7860", "host.containers.internal",
     MACHINE, f"{MACHINE.upper()}:7860", f"{MACHINE.partition('.')[0]}.local", None],
)  # fmt: skip
def test_loopback_addresses_and_the_machines_own_names_are_known(host):
    assert KnownHosts.of(Settings()).knows(host)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:7860", "localhost.evil.example", "127.0.0.1.evil.example", "xlocalhost", "1.2.3", "0x7f.1", "",
     " ", "a b", "[::1", "localhost@evil.example", "evil.example\\@localhost", "127.0.0.1:80@evil.example", "[v1.x]", "localhost:x"],
)  # fmt: skip
def test_no_other_name_is_known(host):
    assert not KnownHosts.of(Settings()).knows(host)


def test_a_machine_with_a_domain_is_known_by_its_short_name_too(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "Box.corp.example")
    hosts = KnownHosts.of(Settings())
    assert all(map(hosts.knows, ("box.corp.example", "box:7860", "box.local")))
    assert not any(map(hosts.knows, ("corp.example", "box.example", "evil.box", "docker.internal")))


def test_names_are_added_by_the_settings_and_by_where_the_studio_listens():
    set_so = read_settings({"STUDIO_HOSTS": "Voices.example, *.lan"})
    hosts = KnownHosts.of(set_so, listens_on="studio.home")
    for host in ("voices.example:443", "box.lan", "deep.box.lan:80", "studio.home"):
        assert hosts.knows(host), host
    for host in ("evil.voices.example", "lan", "xlan", "other.hf.space", "evil.example"):
        assert not hosts.knows(host), host
    for everybodys in ({"STUDIO_HOSTS": "*"}, {"SPACE_ID": "someone/voices"}):
        assert KnownHosts.of(read_settings(everybodys)).knows("anything.example")


def asked(host: bytes, kind: str = "http", extensions: dict | None = None) -> list[dict]:
    """What is answered to a request by that name, whatever else it says."""
    said = []

    async def app(scope, receive, send) -> None:
        await send({"type": "passed"})

    async def send(message: dict) -> None:
        said.append(message)

    headers = [(b"host", host), (b"x-forwarded-host", b"localhost"), (b"sec-fetch-site", b"same-origin")]
    scope = {"type": kind, "path": "/", "headers": headers, "extensions": extensions or {}}
    asyncio.run(HostMiddleware(app, KnownHosts.of(Settings()))(scope, None, send))
    return said


def test_whoever_asks_for_another_name_is_told_what_is_known_and_how_to_add_it():
    start, body = asked(b"evil.example")
    error = json.loads(body["body"])["error"]
    assert (start["status"], error["reason_code"], error["values"]) == (421, "host_unknown", {"host": "evil.example"})
    assert "localhost" in error["message"] and "STUDIO_HOSTS" in error["hint"]
    assert asked(b"localhost") == [{"type": "passed"}]


def test_a_socket_by_another_name_is_refused_before_its_upgrade():
    start, _ = asked(b"evil.example", "websocket", {"websocket.http.response": {}})
    assert start["status"] == 421
    assert asked(b"evil.example", "websocket") == [{"type": "websocket.close", "code": 1008}]
    assert asked(b"localhost", "websocket") == [{"type": "passed"}]
