"""PageDelivery: sends the page's own documents. They have our scripts and styles in their head, in the visitor's language, compressed.

A browser that has them already gets none. No stream passes through here.
"""

import functools
import gzip
import hashlib
import re
import secrets
from urllib.parse import urlsplit

from starlette._utils import get_route_path
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.ui.gradio.link_preview import preview_tags
from studio.ui.gradio.web import KEPT_FOR_A_YEAR, WebFiles
from studio.ui.gradio.words import language_asked
from studio.web.hosts import CONTENT_POLICY, content_policy
from studio.words.sentences import LANGUAGES, sentences_in

__all__ = ["PageDelivery"]

# Whole answers to GET which Gradio sends unpacked, or without a word about keeping them. Whatever is not named here goes by untouched:
# events, their streams, and the sound and bundles of studio/ui/frame/files.py.
DOCUMENTS = frozenset(("", "/", "/config", "/gradio_api/info", "/gradio_api/theme.css", "/manifest.json", "/theme.css"))
HASHED = "/assets/"  # Gradio's own build: each name holds the hash of its content, and it packs them itself
LEAST_PACKED_BYTES = 1000
MOST_PACKED = 8 * len(LANGUAGES)  # documents that are kept; they change with the address by which the page was asked for
PAGE = ("", "/")
ITS_LANGUAGE = re.compile(rb'(<html\b[^>]*?\blang=")[\w-]*(")')  # of Gradio's own document, which says "en"
# Where our lines go in the page: scripts after its base, by which they are found, and before Gradio's own, so that ours run first; styles
# where its body begins. Gradio itself would put them in once it runs, and would rewrite each rule of a style sheet.
BASE, APP = b'<base href="./" />', b"<gradio-app"
# The first screen's script begins these, once somebody can write and speak: all of ours but the first, and Gradio's.
MODULE = re.compile(rb'<script type="module"(?= crossorigin|[^>]*/scripts\.js")')
LATER = b'<script type="later"'
SCRIPT = re.compile(rb"<script\b")
GRADIOS_PREVIEW = re.compile(rb'\s*<meta\s+(?:property="og:|name="twitter:)[^>]*>')  # its name, and pictures of other hosts
# What the page may load and run. Gradio makes functions of texts ('unsafe-eval': the js of its events, js_on_load of its gr.HTML), and
# styles as it goes ('unsafe-inline'); the recorder's worklet, players and downloads are blobs. No script runs that is neither a file of the
# studio nor has the nonce of this very document, and nothing is asked of another host.
POLICY = {
    "default-src": "'self'", "style-src": "'self' 'unsafe-inline'", "img-src": "'self' data: blob:", "media-src": "'self' data: blob:",
    "font-src": "'self' data:", "worker-src": "'self' blob:", "object-src": "'none'", "base-uri": "'self'", "form-action": "'self'",
}  # fmt: skip
ASK_AGAIN = "private, no-cache"  # kept, and used again once the server has said that it is the same


class PageDelivery:
    """In front of the page's app, behind its sign-in. files: what the page wants in its head. root_path: of a proxy, as in the settings.

    first_screen: what stands in the page's body until Gradio is there.
    """

    def __init__(self, app: ASGIApp, files: WebFiles, root_path: str = "", first_screen: str = ""):
        self._app = app
        self._root_path = root_path
        self._places = {BASE: BASE + b"\n" + files.head.encode(), APP: f"{files.style_line}\n{first_screen}".encode() + APP}
        self._has_first_screen = bool(first_screen)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        path = get_route_path(scope)
        if path in DOCUMENTS:
            whole = _Whole()
            await self._app(scope, receive, whole.take)
            if path in PAGE:
                whole.body = self._with_our_head(whole.body, scope)
            asked = Headers(scope=scope)
            language = language_asked(asked, _page_query(path, scope))
            await _packed_or_known(whole, asked, language, is_page=path in PAGE)(scope, receive, send)
        elif path.startswith(HASHED):
            await self._app(scope, receive, functools.partial(_send_kept, send))
        else:
            await self._app(scope, receive, send)

    def _with_our_head(self, page: bytes, scope: Scope) -> bytes:
        tags = preview_tags(scope, self._root_path, title="@@frame.title@@", about="@@frame.about@@", path="/")
        page = GRADIOS_PREVIEW.sub(b"", page).replace(BASE, BASE + b"\n" + tags.encode(), 1)
        for place, with_files in self._places.items():
            page = page.replace(place, with_files, 1)
        return MODULE.sub(LATER, page) if self._has_first_screen else page


class _Whole:
    """An answer of the app, put together again."""

    def __init__(self):
        self.status = 500
        self.headers = MutableHeaders()
        self.body = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], MutableHeaders(raw=list(message.get("headers", [])))
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")


def _page_query(path: str, scope: Scope) -> str:
    """Of the page's address: the one that is asked for, or that from which it is."""
    return scope["query_string"].decode("latin-1") if path in PAGE else urlsplit(Headers(scope=scope).get("referer", "")).query


def _packed_or_known(whole: _Whole, asked: Headers, language: str, *, is_page: bool) -> Response:
    """The answer as it goes out: 304 where the browser has this very content."""
    body, headers = whole.body, whole.headers
    if whole.status == 200:
        body = _in_words(body, language)
        headers["ETag"] = f'W/"{hashlib.sha256(body).hexdigest()[:20]}"'
        headers["Cache-Control"] = ASK_AGAIN
        headers.add_vary_header("Accept-Encoding")
        headers.add_vary_header("Accept-Language")
        if headers["ETag"] in asked.get("if-none-match", ""):
            return Response(status_code=304, headers={name: headers[name] for name in ("ETag", "Cache-Control", "Vary")})
        if is_page:  # behind its ETag: a browser that has the page has the policy that came with it
            nonce = secrets.token_hex(16)
            body = SCRIPT.sub(rf"<script nonce={nonce}".encode(), body)
            headers[CONTENT_POLICY] = content_policy(POLICY | {"script-src": f"'self' blob: 'unsafe-eval' 'nonce-{nonce}'"})
        if len(body) >= LEAST_PACKED_BYTES and "gzip" in asked.get("accept-encoding", "") and "content-encoding" not in headers:
            body, headers["Content-Encoding"] = gzip.compress(body, mtime=0) if is_page else _packed(body), "gzip"
    headers["Content-Length"] = str(len(body))
    answer = Response(body, whole.status)
    answer.raw_headers = headers.raw
    return answer


@functools.lru_cache(MOST_PACKED)
def _in_words(body: bytes, language: str) -> bytes:
    """The document with the sentences of one language in place of its marks. No sentence holds what JSON or HTML would read otherwise."""
    body = ITS_LANGUAGE.sub(rb"\g<1>" + language.encode() + rb"\g<2>", body, count=1)
    return sentences_in(language).marked(body.decode()).encode() if b"@@" in body else body


@functools.lru_cache(MOST_PACKED)
def _packed(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


async def _send_kept(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start" and message["status"] == 200:
        MutableHeaders(raw=message["headers"])["Cache-Control"] = KEPT_FOR_A_YEAR
    await send(message)
