"""Access: who may use the studio. Whoever knows one of the keys; everybody where there are none."""

import hashlib
import hmac
import time
from collections.abc import Callable, Iterable

from studio.web.cookies import cookie_in
from studio.workspace import named_key

__all__ = ["SESSION_COOKIE", "SESSION_SECONDS", "Access", "bearer_key"]

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
