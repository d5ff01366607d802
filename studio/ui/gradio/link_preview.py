"""Link preview: the tags by which chats and feeds show a link to a page of ours (the Open Graph protocol), and the picture in them.

Both have whole addresses, since who reads them knows no page around them. Nothing of a test, a voice or a visitor is in them.
"""

import functools
import html
import io
import re

from PIL import Image, ImageDraw
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from studio.web.cookies import is_https

__all__ = ["PICTURE", "preview_route", "preview_tags"]

PICTURE = "/listen/preview.png"  # where no key is asked for: who shows links has none
HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}")
SIZE = (1200, 630)  # pixels, 1.91:1, which feeds show uncut
PAPER, ACCENT = "#f6f5f2", "#0f766e"  # of assets/web/styles/tokens.css and icon.svg
BARS = (4, 10, 6, 14, 8)  # heights of those of icon.svg, of 16
UNIT = 24  # pixels
KEPT_FOR_A_DAY = {"Cache-Control": "public, max-age=86400"}


def preview_tags(scope: Scope, root_path: str, *, title: str, about: str, path: str = "") -> str:
    """Lines for a document's head. title, about: words, or marks of them. path: of the page, below the studio; "" where it has no one name.

    "" for a request that does not say under which name the studio was asked for.
    """
    headers = Headers(scope=scope)
    host = headers.get("x-forwarded-host", headers.get("host", "")).partition(",")[0].strip()
    if not HOST.fullmatch(host):
        return ""
    below = (root_path or scope.get("root_path", "")).strip("/")
    address = f"http{'s' if is_https(scope) else ''}://{host}{below and f'/{below}'}"
    picture = f"{address}{PICTURE}"
    told = {"title": title, "description": about, "type": "website", "image": picture} | ({"url": f"{address}{path}"} if path else {})
    lines = [f'<meta property="og:{name}" content="{html.escape(text)}">' for name, text in told.items()]
    return "\n".join([*lines, '<meta name="twitter:card" content="summary_large_image">'])


def preview_route(path: str) -> Route:
    """GET of the picture."""

    def picture(request: Request) -> Response:
        return Response(_drawn(), media_type="image/png", headers=KEPT_FOR_A_DAY)

    return Route(path, picture)


@functools.cache
def _drawn() -> bytes:
    """The bars of the icon. PNG, since hardly anybody shows SVG."""
    image = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(image)
    left = (SIZE[0] - (len(BARS) * 3 - 1) * UNIT) // 2
    for number, height in enumerate(BARS):
        x, y = left + number * 3 * UNIT, (SIZE[1] - height * UNIT) // 2
        draw.rounded_rectangle((x, y, x + 2 * UNIT, y + height * UNIT), UNIT, fill=ACCENT)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
