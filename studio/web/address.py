"""The address by which somebody asked for the studio: what links to it begin with, also behind proxies."""

import re

from starlette.datastructures import Headers
from starlette.types import Scope

from studio.web.cookies import is_https

__all__ = ["public_address"]

HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}")


def public_address(scope: Scope, root_path: str) -> str:
    """Such as https://voices.example/below, without a slash at its end; "" for a request that does not say whom it asked.

    root_path: below which a proxy shows the studio. What a proxy says of itself wins; who lies here gets links that lead elsewhere.
    """
    headers = Headers(scope=scope)
    host = headers.get("x-forwarded-host", headers.get("host", "")).partition(",")[0].strip()
    if not HOST.fullmatch(host):
        return ""
    below = (root_path or scope.get("root_path", "")).strip("/")
    return f"http{'s' if is_https(scope) else ''}://{host}{below and f'/{below}'}"
