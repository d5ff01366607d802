"""Hosts: the names under which a studio answers.

A foreign web page may lead its own name here; the check stops it from passing as the studio.

A page of evil.example that lets that name lead to 127.0.0.1 (DNS rebinding) is same-origin with what answers there, so that neither Origin
nor Sec-Fetch-Site tell it apart; but its browser says "Host: evil.example", which no page can change. An address instead of a name is safe:
no name was asked of anybody, so the page came from that very address. Whoever sends no Host is no browser. X-Forwarded-Host is not asked: a
page may not set it either, but it says nothing of who answers here.
is_cross_origin tells whether a request was sent by another site's page that has kept its own name, through the browser of somebody who
may use the studio. SecurityHeaders are what browsers are told of every answer: whose pages may show ours. Which scripts a document may
run, it says itself.
"""

import base64
import hashlib
import ipaddress
import re
import socket
from collections.abc import Collection, Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from starlette._utils import parse_host_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.error_body import error_body
from studio.web.refuse import refuse

__all__ = ["CONTENT_POLICY", "HostMiddleware", "KnownHosts", "SecurityHeaders", "content_policy", "is_cross_origin", "script_hashes"]

ANY = "*"
LOOPBACK = "localhost"  # and what is below it: no name server is asked for them (RFC 6761, section 6.3)
# What Docker and Podman call this machine inside of its containers, where programs run that speak; no name server has such (.internal).
FROM_CONTAINERS = ("host.docker.internal", "host.containers.internal")


class KnownHosts:
    """names: of hosts, in any case; `*` for all, `*.example.com` for those below one. Loopback, addresses and FROM_CONTAINERS are known."""

    def __init__(self, names: Iterable[str]):
        self._names = frozenset(_plain(name) for name in (LOOPBACK, f"*.{LOOPBACK}", *FROM_CONTAINERS, *names))

    @classmethod
    def of(cls, settings: Settings, listens_on: str = "") -> "KnownHosts":
        """What is set, what this machine calls itself, and the name it was told to listen on; on a Space any, since it is everybody's."""
        if settings.space_id is not None:
            return cls([ANY])
        machine = socket.gethostname()
        short = machine.partition(".")[0]
        own = (machine, short, f"{short}.local", listens_on)
        return cls(filter(None, (*settings.hosts, *own)))

    def knows(self, host: str | None) -> bool:
        """host: the header, None where there is none."""
        if host is None or ANY in self._names:
            return True
        parsed = parse_host_header(host)
        if parsed is None:
            return False
        name = _plain(parsed.host)
        return _is_address(name) or name in self._names or any(f"*.{parent}" in self._names for parent in _parents(name))


class HostMiddleware:
    """Answers 421 to a request for a name that is not known, for a WebSocket before its upgrade."""

    def __init__(self, app: ASGIApp, hosts: KnownHosts):
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host") if scope["type"] in ("http", "websocket") else None
        if self._hosts.knows(host):
            await self._app(scope, receive, send)
        else:
            await refuse(_refusal(host or ""), scope, receive, send)


def _refusal(host: str) -> JSONResponse:
    """It names the host, as sent by whoever asks, and none of those that are known."""
    name = host.encode("ascii", "replace").decode()[:100]
    fact = f"This studio does not go by the name {name!r}. It answers to localhost, to IP addresses and to this machine's own name."
    hint = "If the name is yours, or your proxy passes it on, set STUDIO_HOSTS to it (several with commas; * for any) and start again."
    body = error_body(421, fact, kind="Misdirected Request", hint=hint, reason_code="host_unknown", values={"host": name})
    return JSONResponse(body, status_code=421)


def _plain(name: str) -> str:
    return name.strip("[]").rstrip(".").lower()


def _parents(name: str) -> Iterable[str]:
    labels = name.split(".")
    return (".".join(labels[i:]) for i in range(1, len(labels)))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


# --- pages of other origins


def is_cross_origin(headers: Mapping[str, str], welcome: Collection[str] = ()) -> bool:
    """headers: in lower case, or in any where the mapping does not care. welcome: origins that may all the same; "*" for any.

    A browser says whose page it is (Sec-Fetch-Site, and Origin, which a page cannot forge); other clients say nothing.
    """
    origin = headers.get("origin")
    if origin is None or "*" in welcome or origin in welcome:
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    hosts = (headers.get("host"), headers.get("x-forwarded-host"))  # the latter from a proxy; a foreign page cannot set it unasked
    return urlsplit(origin).netloc not in hosts


# --- what browsers are told


CONTENT_POLICY = "Content-Security-Policy"
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
NOT_MODIFIED = 304  # its headers would take the place of those that came with the document


class SecurityHeaders:
    """ASGI, outermost. frame_origins: whose pages may show ours in a frame, beside our own; `*` for any.

    Two policies on one answer hold together, so that the documents' own stand beside this one (CSP 3, section 8.1).
    """

    def __init__(self, app: ASGIApp, frame_origins: Sequence[str]):
        self._app = app
        self._policy = content_policy({"frame-ancestors": " ".join(("'self'", *frame_origins))})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] != NOT_MODIFIED:
                message["headers"] = list(message.get("headers", ()))
                headers = MutableHeaders(raw=message["headers"])
                headers["X-Content-Type-Options"] = "nosniff"
                headers.append(CONTENT_POLICY, self._policy)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def content_policy(directives: dict[str, str]) -> str:
    """The header of a policy."""
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


def script_hashes(document: str) -> str:
    """Sources that allow the scripts which stand in a constant document, and no others."""
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE_SCRIPT.findall(document))
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
