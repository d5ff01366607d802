"""Access: who may use the studio. Whoever knows one of the keys; everybody where there are none.

KeyCheck has keys as they are offered, from which address; whoever offers wrong ones again and again has to wait between two guesses.
"""

import hashlib
import hmac
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

from starlette.datastructures import Headers
from starlette.types import Scope

from studio.web.cookies import cookie_in
from studio.workspace import named_key

__all__ = ["SESSION_COOKIE", "SESSION_SECONDS", "Access", "KeyCheck", "WrongKeys", "address_of", "bearer_key"]

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
