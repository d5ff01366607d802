"""Cookies: keep a value of the studio in a browser, also in another site's frame."""

from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.types import Scope

__all__ = ["cookie_in", "cookie_value", "is_https"]


def cookie_in(header: str, name: str) -> str:
    """The value of a cookie in a request's Cookie header; "" where there is none, or the header is none."""
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""


def cookie_value(name: str, value: str, *, https: bool, seconds: int) -> str:
    """A Set-Cookie header that no script can read, kept for so long.

    In another site's frame (as Spaces are shown) only a cookie that is None, Secure and Partitioned is kept, and only over https.
    By hand, since Python's cookies know Partitioned from 3.14 on.
    """
    kept = "SameSite=None; Secure; Partitioned" if https else "SameSite=Lax"
    return f"{name}={value}; Max-Age={seconds}; Path=/; HttpOnly; {kept}"


def is_https(scope: Scope) -> bool:
    """Whether the browser came by https; a proxy says so."""
    told = Headers(scope=scope).get("x-forwarded-proto", scope.get("scheme", "http"))
    return told.partition(",")[0].strip() == "https"
