"""SignIn: guards the page by a key. It asks for the key once, and keeps a session in a cookie that scripts cannot read."""

import asyncio
from collections.abc import Collection, Mapping
from http import HTTPStatus
from types import MappingProxyType

from starlette._utils import get_route_path
from starlette.datastructures import Headers
from starlette.formparsers import FormParser
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.ui.gradio.web import ICON, markup, stylesheet
from studio.ui.gradio.words import language_asked
from studio.web.access import SESSION_COOKIE, SESSION_SECONDS, KeyCheck, WrongKeys
from studio.web.cookies import cookie_value, is_https
from studio.web.hosts import CONTENT_POLICY, content_policy, is_cross_origin, script_hashes
from studio.words.sentences import sentences_in

__all__ = ["SignIn"]

SIGN_IN = "/sign-in"
FORMS = (SIGN_IN, "/sign-out")
MOST_FORM_BYTES = 4096  # a key, and room
WRONG, SLOW = "@@sign_in.wrong@@", "@@sign_in.slow@@"
FORM_SECONDS = 10.0  # for the form to arrive
POLICY = {"default-src": "'none'", "img-src": "data:", "style-src": "'unsafe-inline'", "base-uri": "'none'", "form-action": "'self'"}


class SignIn:
    """In front of the page's app. POST /sign-in takes the form, POST /sign-out ends the session; nothing else passes without one.

    Both are taken from the studio's own form alone: another site's could sign somebody in as somebody else, or guess through them.
    open_paths: that pass all the same, since Gradio asks itself for them when it starts. open_below: folders whose every path passes for
    HTTP; what is theirs must answer all of it, since nothing behind may be asked for by such a path.
    """

    def __init__(self, app: ASGIApp, keys: KeyCheck, open_paths: Collection[str] = (), open_below: Collection[str] = ()):
        self._app = app
        self._keys = keys
        self._open_paths = open_paths
        self._open_below = tuple(f"{folder}/" for folder in open_below)
        self._form = markup("frame/sign_in").replace("{{icon}}", ICON).replace("{{tokens}}", stylesheet("tokens"))
        self._policy = content_policy(POLICY | {"script-src": script_hashes(self._form)})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if scope.get("method") == "POST" and get_route_path(scope) in FORMS:
            answer = await self._of_form(Request(scope, receive))
        else:
            try:
                is_admitted = self._is_open(scope) or self._keys.admits(scope)
            except WrongKeys as error:
                answer = JSONResponse(
                    {"error": HTTPStatus.TOO_MANY_REQUESTS.phrase}, status_code=429, headers={"Retry-After": str(error.seconds)}
                )
            else:
                answer = self._app if is_admitted else self._unknown(scope)
        await answer(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        path = get_route_path(scope)
        return path in self._open_paths or (scope["type"] == "http" and path.startswith(self._open_below))

    def _unknown(self, scope: Scope) -> Response:
        """What somebody without a key gets: the form where it is looked at, and nothing of the page."""
        if scope.get("method") != "GET" or "text/html" not in Headers(scope=scope).get("accept", ""):
            return JSONResponse({"error": "Unauthorized"}, status_code=401)
        return self._ask("", Request(scope)) if get_route_path(scope) in ("", "/") else _to_the_page(scope)

    async def _of_form(self, request: Request) -> Response:
        if is_cross_origin(request.headers):
            return JSONResponse({"error": "Forbidden"}, status_code=403)
        if get_route_path(request.scope) == SIGN_IN:
            return await self._sign_in(request)
        answer = _to_the_page(request.scope)
        answer.headers["Set-Cookie"] = cookie_value(SESSION_COOKIE, "", https=is_https(request.scope), seconds=0)
        return answer

    async def _sign_in(self, request: Request) -> Response:
        key = await _key_of(request)
        try:
            session = self._keys.open_session(key, request.scope)
        except WrongKeys as error:
            return self._ask(SLOW, request, 429, {"Retry-After": str(error.seconds)})
        if session is None:
            return self._ask(WRONG, request)
        answer = _to_the_page(request.scope)
        answer.headers["Set-Cookie"] = cookie_value(SESSION_COOKIE, session, https=is_https(request.scope), seconds=SESSION_SECONDS)
        return answer

    def _ask(self, message: str, request: Request, status: int = 401, more: Mapping[str, str] = MappingProxyType({})) -> HTMLResponse:
        """The form; its text is one language's, and constant, so nothing a visitor sends comes back in it."""
        words = sentences_in(language_asked(request.headers, request.url.query))
        form = words.marked(self._form.replace("{{message}}", message))
        headers = {"Cache-Control": "no-store", "Vary": "Accept-Language", CONTENT_POLICY: self._policy}
        return HTMLResponse(form, status_code=status, headers={**headers, **more})


async def _key_of(request: Request) -> str:
    """The form's key; "" for a form that is none, or does not arrive."""
    try:
        async with asyncio.timeout(FORM_SECONDS):
            body = await _body_of(request)
    except TimeoutError:
        return ""

    async def once():
        yield body

    form = await FormParser(request.headers, once()).parse()
    key = form.get("key", "")
    return key if isinstance(key, str) else ""


async def _body_of(request: Request) -> bytes:
    """b"" for one that is too large for a form."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_FORM_BYTES:
            return b""
    return body


def _to_the_page(scope: Scope) -> RedirectResponse:
    """Relative, since a proxy may show the page below a path that it takes off."""
    return RedirectResponse("../" * (get_route_path(scope).count("/") - 1) or "./", status_code=303)
