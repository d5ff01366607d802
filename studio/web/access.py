"""Access: decides who may use the studio. It asks for one of the keys; where there are no keys, everybody may.

KeyCheck has keys as they are offered, from which address; whoever offers wrong ones again and again has to wait between two guesses.
Visitors: who is asking, where a studio keeps its visitors apart; and the middleware that finds it out before anything else is asked.
"""

import hashlib
import hmac
import ipaddress
import math
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path

from starlette._utils import get_route_path
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.cookies import cookie_in, cookie_value, is_https
from studio.workspace import EVERYBODY, NOBODY, named_key, of_a_cookie, of_a_key, of_a_login, of_a_session

__all__ = [
    "AGENT_HEADER",
    "OWNER_PLACE",
    "SESSION_COOKIE",
    "SESSION_SECONDS",
    "VISITOR_COOKIE",
    "Access",
    "KeyCheck",
    "Visitors",
    "WorkspaceMiddleware",
    "WrongKeys",
    "address_of",
    "bearer_key",
    "folder_secret",
    "is_owner",
    "workspace_of",
]

SESSION_COOKIE = "studio_session"
SESSION_SECONDS = 30 * 24 * 3600  # how long a browser stays signed in


class Access:
    """keys: the secrets as set, each a key, or `name:key` for the workspace of that name. clock: seconds since the epoch.

    A session is a token that a browser keeps instead of the key: its end and a signature that only the key can make. Nothing is stored,
    so a restart signs nobody out, and a key that is taken away takes its sessions with it.
    """

    def __init__(self, keys: Iterable[str], *, clock: Callable[[], float] = time.time):
        self._names: dict[bytes, str] = {}  # by key; "" for one without
        for name, key in map(named_key, keys):
            self._names[key.encode()] = name
        self._clock = clock

    @property
    def open_to_all(self) -> bool:
        return not self._names

    def admits(self, authorization: str, cookie: str) -> bool:
        """Whether the headers of a request, as sent and "" where absent, carry a key as Bearer token or a session as cookie."""
        return self.open_to_all or self.who(authorization, cookie) is not None

    def who(self, authorization: str, cookie: str) -> str | None:
        """The name of the key that those headers carry, "" for a key without one; None for no key. Takes as long for a wrong key."""
        offered = bearer_key(authorization)
        key = None if offered is None else self._matching(offered)
        if key is None:
            key = self._signer(cookie_in(cookie, SESSION_COOKIE))
        return None if key is None else self._names[key]

    def open_session(self, key: str) -> str | None:
        """A token, valid for SESSION_SECONDS; None for a wrong key."""
        matching = self._matching(key)
        return None if matching is None else _signed(matching, int(self._clock()) + SESSION_SECONDS)

    def _signer(self, token: str) -> bytes | None:
        """The key that signed a session; None for one that is not ours, or past its end."""
        ends, _, _ = token.partition(".")
        if not (ends.isascii() and ends.isdecimal() and len(ends) < len(str(2**63))) or int(ends) < self._clock():
            return None
        offered = token.encode("utf-8", "replace")
        return next(iter([key for key in self._names if _equal(offered, _signed(key, int(ends)).encode())]), None)

    def _matching(self, key: str) -> bytes | None:
        """Offered alone, or as it was set: with its name before it."""
        offered = key.encode("utf-8", "replace")
        written = [(f"{name}:".encode() + known if name else known, known) for known, name in self._names.items()]
        found = [known for whole, known in written for said in (known, whole) if _equal(offered, said)]
        return next(iter(found), None)  # none of them is left out: the time tells nothing


def bearer_key(authorization: str) -> str | None:
    """The key that a request's Authorization header offers; None for one of another kind, or none."""
    scheme, _, key = authorization.partition(" ")
    return key.strip() if scheme.casefold() == "bearer" else None


def _signed(key: bytes, ends: int) -> str:
    return f"{ends}.{hmac.new(key, f'studio session {ends}'.encode(), hashlib.sha256).hexdigest()}"


def _equal(one: bytes, other: bytes) -> bool:
    """Compares digests, since compare_digest itself tells by its time whether the lengths are equal."""
    return hmac.compare_digest(hashlib.sha256(one).digest(), hashlib.sha256(other).digest())


# --- keys that are offered


MOST_WRONG = 10  # in quick succession, for whoever mistypes
RECOVERY_SECONDS = 30.0  # after which one wrong key is forgotten: 2,880 guesses a day from one address
MOST_ADDRESSES = 4096  # remembered, and as many keys of theirs, right and wrong ones; those that were quiet the longest are forgotten
NETWORK_BITS = 64  # of IPv6: what one household or machine is given (RFC 6177)


class WrongKeys(Exception):
    """Too many wrong keys came from that address. It may guess again in `seconds`."""

    def __init__(self, seconds: float):
        super().__init__()
        self.seconds = math.ceil(seconds)


class KeyCheck:
    """clock: seconds, monotonic. Of one event loop.

    Addresses are told apart, so that nobody is kept out by what others guess elsewhere; behind a proxy they are what uvicorn believes of
    X-Forwarded-For. A key that was right from an address stays welcome there whatever else comes from it, and one that was wrong counts
    once: a program that goes on with a key of yesterday guesses nothing, and keeps nobody out. Sessions cannot be guessed, and are not
    counted.
    """

    def __init__(self, access: Access, clock: Callable[[], float] = time.monotonic):
        self._access = access
        self._clock = clock
        self._wrong: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> how many, and when that was so
        self._right: OrderedDict[tuple[str, bytes], None] = OrderedDict()  # address and digest of a key
        self._told_wrong: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    @property
    def open_to_all(self) -> bool:
        return self._access.open_to_all

    def admits(self, scope: Scope) -> bool:
        """Whether a request carries a session or a key. Raises WrongKeys."""
        headers = Headers(scope=scope)
        if self._access.admits("", headers.get("cookie", "")):
            return True
        authorization = headers.get("authorization", "")
        key = bearer_key(authorization)
        return key is not None and self._tried(scope, key, self._access.admits(authorization, ""))

    def open_session(self, key: str, scope: Scope) -> str | None:
        """A token; None for a wrong key. Raises WrongKeys."""
        session = self._access.open_session(key)
        return session if self._tried(scope, key, session is not None) else None

    def _tried(self, scope: Scope, key: str, is_right: bool) -> bool:
        """`is_right`, where the address may know."""
        address = address_of(scope)
        pair = (address, hashlib.sha256(key.encode("utf-8", "replace")).digest())
        known = self._right if is_right else self._told_wrong
        if pair in known:
            known.move_to_end(pair)
            return is_right
        n_wrong = self._n_wrong(address)
        if n_wrong > MOST_WRONG - 1:
            raise WrongKeys((n_wrong - MOST_WRONG + 1) * RECOVERY_SECONDS)
        _remember(known, pair, None)
        if not is_right:
            _remember(self._wrong, address, (n_wrong + 1, self._clock()))
        return is_right

    def _n_wrong(self, address: str) -> float:
        n_wrong, since = self._wrong.get(address, (0.0, 0.0))
        return max(0.0, n_wrong - (self._clock() - since) / RECOVERY_SECONDS)


def _remember(table: OrderedDict, key: object, value: object) -> None:
    table[key] = value
    table.move_to_end(key)
    if len(table) > MOST_ADDRESSES:
        table.popitem(last=False)


def address_of(scope: Scope) -> str:
    """Whose request it is: an address of IPv4, of IPv6 the network, or what stands for it; "" for none."""
    host = (scope.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 6 and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, NETWORK_BITS), strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)


# --- visitors


VISITOR_COOKIE = "studio_visitor"
VISITOR_SECONDS = 400 * 24 * 3600  # the longest that browsers keep a cookie (draft-ietf-httpbis-rfc6265bis, section 5.5)
PAGE_HEADER = "x-studio-page"  # the session of a page whose browser keeps no cookie, sent by its own scripts
AGENT_HEADER = "mcp-session-id"  # that of an agent, which it was given when it connected
SECRET_FILE = "visitors.secret"
_PLACE = "studio.workspace"  # in an ASGI scope
OWNER_PLACE = "studio.owner"


class Visitors:
    """A key says who is asking; where there are none, the Hub's login does, else a signed cookie, else the session of a page or an agent.

    secret: signs the cookies. Nothing else of a visitor is stored.
    """

    def __init__(self, access: Access, secret: bytes):
        self._access = access
        self._secret = secret

    @classmethod
    def of(cls, settings: Settings) -> "Visitors":
        """With the secret of the data folder, made if it has none yet, so that a restart keeps everybody who they are. Raises OSError."""
        return cls(Access(settings.api_keys), folder_secret(settings.speakers_dir))

    def workspace_of(self, scope: Scope) -> str | None:
        """Whose a request is; None where it does not say."""
        headers = Headers(scope=scope)
        cookies = headers.get("cookie", "")
        if not self._access.open_to_all:
            name = self._access.who(headers.get("authorization", ""), cookies)
            return None if name is None else of_a_key(name)
        login = (scope.get("session") or {}).get("oauth_info")  # of Gradio's session, which it has signed itself
        if login:
            return of_a_login(login["userinfo"]["sub"])
        visitor, _, signature = cookie_in(cookies, VISITOR_COOKIE).partition(".")
        known = visitor and hmac.compare_digest(signature.encode("utf-8", "replace"), self._sign(visitor).encode())
        if known:
            return of_a_cookie(visitor)
        session = headers.get(PAGE_HEADER) or headers.get(AGENT_HEADER)
        return of_a_session(session) if session else None

    def cookie_of_a_newcomer(self, scope: Scope) -> str | None:
        """What to set in the browser of somebody who looks at the page for the first time; None where a key says who it is."""
        if not self._access.open_to_all:
            return None
        visitor = secrets.token_hex(16)
        return cookie_value(VISITOR_COOKIE, f"{visitor}.{self._sign(visitor)}", https=is_https(scope), seconds=VISITOR_SECONDS)

    def _sign(self, visitor: str) -> str:
        return hmac.new(self._secret, f"studio visitor {visitor}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()


class WorkspaceMiddleware:
    """Notes in the scope of every request whose it is, for `workspace_of`; gives a newcomer to the page a cookie.

    It stands behind whatever signs in. Without it, as where visitors are not kept apart, everything is everybody's.
    """

    def __init__(self, app: ASGIApp, visitors: Visitors):
        self._app = app
        self._visitors = visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        workspace = self._visitors.workspace_of(scope)
        scope[_PLACE] = NOBODY if workspace is None else workspace
        looks = scope["type"] == "http" and scope["method"] == "GET" and get_route_path(scope) in ("", "/")
        cookie = self._visitors.cookie_of_a_newcomer(scope) if looks and workspace is None else None

        async def send_with_cookie(message: Message) -> None:
            if cookie and message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.append("Set-Cookie", cookie)
                headers["Cache-Control"] = "no-store"  # or the next visitor behind the same cache would be this one
            await send(message)

        await self._app(scope, receive, send_with_cookie if cookie else send)


def workspace_of(scope: Scope) -> str:
    """Whose a request is, as WorkspaceMiddleware noted it: NOBODY where it does not say, EVERYBODY where nobody asked."""
    return scope.get(_PLACE, EVERYBODY)


def is_owner(scope: Scope) -> bool | None:
    """Whether the owner sends a request, as OwnerMiddleware noted it (studio/web/owners.py); None where nobody asked."""
    return scope.get(OWNER_PLACE)


def folder_secret(folder: Path, name: str = SECRET_FILE) -> bytes:
    """32 bytes that only this folder knows; the first process on it makes them. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    fresh = folder / f".{name}.{secrets.token_hex(4)}"
    try:
        return path.read_bytes()
    except FileNotFoundError:
        pass
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
        os.link(fresh, path)  # whole or not at all, and never over another process's
    except FileExistsError:
        pass
    finally:
        fresh.unlink(missing_ok=True)
    return path.read_bytes()
