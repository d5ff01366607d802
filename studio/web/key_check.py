"""KeyCheck: keys as they are offered, from which address; whoever offers wrong ones again and again has to wait between two guesses."""

import hashlib
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import Scope

from studio.web.access import Access, bearer_key

__all__ = ["KeyCheck", "WrongKeys", "address_of"]

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
