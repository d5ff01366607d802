"""Access: who may use the studio. Whoever knows one of the keys; everybody where there are none."""

import hashlib
import hmac
import time
from collections.abc import Callable, Iterable
from http.cookies import CookieError, SimpleCookie

__all__ = ["SESSION_COOKIE", "SESSION_SECONDS", "Access"]

SESSION_COOKIE = "studio_session"
SESSION_SECONDS = 30 * 24 * 3600  # how long a browser stays signed in


class Access:
    """keys: the secrets, as set. clock: seconds since the epoch.

    A session is a token that a browser keeps instead of the key: its end and a signature that only the key can make. Nothing is stored,
    so a restart signs nobody out, and a key that is taken away takes its sessions with it.
    """

    def __init__(self, keys: Iterable[str], *, clock: Callable[[], float] = time.time):
        self._keys = [key.encode() for key in keys]
        self._clock = clock

    @property
    def open_to_all(self) -> bool:
        return not self._keys

    def admits(self, authorization: str, cookie: str) -> bool:
        """Whether the headers of a request, as sent and "" where absent, carry a key as Bearer token or a session as cookie."""
        if self.open_to_all:
            return True
        scheme, _, key = authorization.partition(" ")
        if scheme.casefold() == "bearer" and self.knows(key.strip()):
            return True
        return self.knows_session(_session(cookie))

    def knows(self, key: str) -> bool:
        """Whether it is one of the keys; takes as long for a wrong key as for a right one."""
        return bool(self._matching(key))

    def open_session(self, key: str) -> str | None:
        """A token, valid for SESSION_SECONDS; None for a wrong key."""
        matching = self._matching(key)
        return _signed(matching[0], int(self._clock()) + SESSION_SECONDS) if matching else None

    def knows_session(self, token: str) -> bool:
        """Whether the token is one of ours and not past its end."""
        ends, _, _ = token.partition(".")
        if not (ends.isascii() and ends.isdecimal() and len(ends) < len(str(2**63))) or int(ends) < self._clock():
            return False
        return any(_equal(token.encode("utf-8", "replace"), _signed(key, int(ends)).encode()) for key in self._keys)

    def _matching(self, key: str) -> list[bytes]:
        offered = key.encode("utf-8", "replace")
        return [known for known in self._keys if _equal(offered, known)]  # no early exit: the time tells nothing


def _session(cookie: str) -> str:
    try:
        morsel = SimpleCookie(cookie).get(SESSION_COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""


def _signed(key: bytes, ends: int) -> str:
    return f"{ends}.{hmac.new(key, f'studio session {ends}'.encode(), hashlib.sha256).hexdigest()}"


def _equal(one: bytes, other: bytes) -> bool:
    """Compares digests, since compare_digest itself tells by its time whether the lengths are equal."""
    return hmac.compare_digest(hashlib.sha256(one).digest(), hashlib.sha256(other).digest())
