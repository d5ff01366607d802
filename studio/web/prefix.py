"""BelowPrefix: takes off the path below which a proxy shows the studio, where the proxy has kept it; what follows never sees it."""

from collections.abc import Collection

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["BelowPrefix"]


class BelowPrefix:
    """ASGI, in front of whatever looks at paths. prefix: such as "/voices", "" for none.

    own: paths of the studio, to tell which is meant where the prefix begins like one of them: a proxy that takes off "/studio" passes on
    "/studio/history/1", and one that keeps it "/studio/studio/history/1".
    """

    def __init__(self, app: ASGIApp, prefix: str, own: Collection[str]):
        self._app = app
        self._prefix = f"/{prefix.strip('/')}" if prefix.strip("/") else ""
        self._own = tuple(own)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._prefix and scope["type"] in ("http", "websocket") and self._is_kept(scope["path"]):
            if scope["path"] == self._prefix and scope["type"] == "http":  # or relative addresses of the page would lead beside it
                query = f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else ""
                await RedirectResponse(f"{self._prefix.rpartition('/')[2]}/{query}")(scope, receive, send)
                return
            raw, prefix = scope.get("raw_path") or b"", self._prefix.encode()
            scope = {**scope, "path": scope["path"].removeprefix(self._prefix), "raw_path": raw.removeprefix(prefix)}
        await self._app(scope, receive, send)

    def _is_kept(self, path: str) -> bool:
        if not _is_below(path, self._prefix):
            return False
        rest = path.removeprefix(self._prefix)
        return not self._is_own(path) or rest == "/" or self._is_own(rest)

    def _is_own(self, path: str) -> bool:
        return any(_is_below(path, own) for own in self._own)


def _is_below(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder}/")
