"""SignIn: the page behind a key. Asks for it once, and keeps a session in a cookie that scripts cannot read."""

from collections.abc import Collection

from starlette._utils import get_route_path
from starlette.datastructures import Headers
from starlette.formparsers import FormParser
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.ui.catalogue import catalogue
from studio.ui.web import ICON, markup, style
from studio.ui.words import language_asked
from studio.web.access import SESSION_COOKIE, SESSION_SECONDS, Access
from studio.web.cookies import cookie_value, is_https

__all__ = ["SignIn"]

MOST_FORM_BYTES = 4096  # a key, and room
WRONG = "@@sign_in.wrong@@"


class SignIn:
    """In front of the page's app. POST /sign-in takes the form, POST /sign-out ends the session; nothing else passes without one.

    open_paths: that pass all the same, since Gradio asks itself for them when it starts.
    """

    def __init__(self, app: ASGIApp, access: Access, open_paths: Collection[str] = ()):
        self._app = app
        self._access = access
        self._open_paths = open_paths
        self._form = markup("sign_in").replace("{{icon}}", ICON).replace("{{tokens}}", style("tokens"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        path = get_route_path(scope)
        posted = scope.get("method") == "POST"
        if posted and path == "/sign-in":
            answer = await self._sign_in(Request(scope, receive))
        elif posted and path == "/sign-out":
            answer = _to_the_page(scope)
            answer.headers["Set-Cookie"] = cookie_value(SESSION_COOKIE, "", https=is_https(scope), seconds=0)
        elif path in self._open_paths or self._access.admits(headers.get("authorization", ""), headers.get("cookie", "")):
            await self._app(scope, receive, send)
            return
        elif "text/html" in headers.get("accept", "") and scope.get("method") == "GET":
            answer = self._ask("", Request(scope)) if path in ("", "/") else _to_the_page(scope)
        else:
            answer = JSONResponse({"error": "Unauthorized"}, status_code=401)
        await answer(scope, receive, send)

    async def _sign_in(self, request: Request) -> Response:
        session = self._access.open_session(await _key_of(request))
        if session is None:
            return self._ask(WRONG, request)
        answer = _to_the_page(request.scope)
        answer.headers["Set-Cookie"] = cookie_value(SESSION_COOKIE, session, https=is_https(request.scope), seconds=SESSION_SECONDS)
        return answer

    def _ask(self, message: str, request: Request) -> HTMLResponse:
        """The form; its text is one language's, and constant, so nothing a visitor sends comes back in it."""
        words = catalogue(language_asked(request.headers, request.url.query))
        form = words.marked(self._form.replace("{{message}}", message))
        return HTMLResponse(form, status_code=401, headers={"Cache-Control": "no-store", "Vary": "Accept-Language"})


async def _key_of(request: Request) -> str:
    """The form's key; "" for a form that is none."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_FORM_BYTES:
            return ""

    async def once():
        yield body

    form = await FormParser(request.headers, once()).parse()
    key = form.get("key", "")
    return key if isinstance(key, str) else ""


def _to_the_page(scope: Scope) -> RedirectResponse:
    """Relative, since a proxy may show the page below a path that it takes off."""
    return RedirectResponse("../" * (get_route_path(scope).count("/") - 1) or "./", status_code=303)
