"""Visitors: who is asking, where a studio keeps its visitors apart; and the middleware that finds it out before anything else is asked."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from starlette._utils import get_route_path
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.access import Access
from studio.web.cookies import cookie_in, cookie_value, is_https
from studio.workspace import EVERYBODY, NOBODY, of_a_cookie, of_a_key, of_a_login, of_a_session

__all__ = ["VISITOR_COOKIE", "Visitors", "WorkspaceMiddleware", "workspace_of"]

VISITOR_COOKIE = "studio_visitor"
VISITOR_SECONDS = 400 * 24 * 3600  # the longest that browsers keep a cookie (draft-ietf-httpbis-rfc6265bis, section 5.5)
PAGE_HEADER = "x-studio-page"  # the session of a page whose browser keeps no cookie, sent by its own scripts
SECRET_FILE = "visitors.secret"
_PLACE = "studio.workspace"  # in an ASGI scope


class Visitors:
    """A key says who is asking; where there are none, the Hub's login does, else a signed cookie, else the session of an open page.

    secret: signs the cookies. Nothing else of a visitor is stored.
    """

    def __init__(self, access: Access, secret: bytes):
        self._access = access
        self._secret = secret

    @classmethod
    def of(cls, settings: Settings) -> "Visitors":
        """With the secret of the data folder, made if it has none yet, so that a restart keeps everybody who they are. Raises OSError."""
        return cls(Access(settings.api_keys), _secret(settings.speakers_dir))

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
        return of_a_session(headers[PAGE_HEADER]) if headers.get(PAGE_HEADER) else None

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
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.append("Set-Cookie", cookie)
                headers["Cache-Control"] = "no-store"  # or the next visitor behind the same cache would be this one
            await send(message)

        await self._app(scope, receive, send_with_cookie if cookie else send)


def workspace_of(scope: Scope) -> str:
    """Whose a request is, as WorkspaceMiddleware noted it: NOBODY where it does not say, EVERYBODY where nobody asked."""
    return scope.get(_PLACE, EVERYBODY)


def _secret(folder: Path) -> bytes:
    """32 bytes that only this folder knows; the first process on it makes them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SECRET_FILE
    fresh = folder / f".{SECRET_FILE}.{secrets.token_hex(4)}"
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
