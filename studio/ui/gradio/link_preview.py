"""Link preview: the tags by which chats and feeds show a link to a page of ours (the Open Graph protocol), and the picture in them.

Both have whole addresses, since who reads them knows no page around them. Nothing of a test, a voice or a visitor is in them.
"""

import functools
import html
import struct
import zlib

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from studio.web.address import public_address

__all__ = ["PICTURE", "preview_route", "preview_tags"]

PICTURE = "/listen/preview.png"  # where no key is asked for: who shows links has none
SIZE = (1200, 630)  # pixels, 1.91:1, which feeds show uncut
PAPER, ACCENT = (0xF6, 0xF5, 0xF2), (0x0F, 0x76, 0x6E)  # of assets/web/styles/tokens.css and icon.svg
BARS = (4, 10, 6, 14, 8)  # heights of those of icon.svg, of 16
UNIT = 24  # pixels
KEPT_FOR_A_DAY = {"Cache-Control": "public, max-age=86400"}


def preview_tags(scope: Scope, root_path: str, *, title: str, about: str, path: str = "") -> str:
    """Lines for a document's head. title, about: words, or marks of them. path: of the page, below the studio; "" where it has no one name.

    "" for a request that does not say under which name the studio was asked for.
    """
    address = public_address(scope, root_path)
    if not address:
        return ""
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
    width, height = SIZE
    pixels = np.full((height, width, 3), PAPER, np.uint8)
    left = (width - (len(BARS) * 3 - 1) * UNIT) // 2
    for number, bar in enumerate(BARS):
        x, y = left + number * 3 * UNIT, (height - bar * UNIT) // 2
        pixels[y : y + bar * UNIT, x : x + 2 * UNIT] = ACCENT
    return _png(pixels)


def _png(pixels: np.ndarray) -> bytes:
    """pixels: (height, width, 3) uint8, red, green and blue. PNG, third edition: RGB of 8 bits, and no row filtered."""
    height, width, _ = pixels.shape
    rows = np.pad(pixels.reshape(height, -1), ((0, 0), (1, 0)))  # before each row its filter
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), b"IDAT" + zlib.compress(rows.tobytes(), 9), b"IEND")
    framed = (struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)
