"""The process: one studio, the API and the page on one port. A request for an API path goes to the API app, anything else to the page."""

import logging
import socket
import time
from collections.abc import Callable

import uvicorn

from engines.errors import EngineError
from studio.service import Studio
from studio.settings import Settings

__all__ = ["WEBSOCKETS", "api_only", "listen", "page_and_api", "serve"]

# Speech does not deflate, and each chunk would wait for the attempt. 16 MiB hold the 4 Mi characters of a message in any script.
WEBSOCKETS = {"ws_per_message_deflate": False, "ws_max_size": 16 * 1024 * 1024}
API_PATHS = ("/v1", "/health", "/metrics", "/docs", "/openapi.json")

log = logging.getLogger("studio")


def page_and_api(studio: Studio):
    """ASGI app of the API, and of the page for every path that is not the API's."""
    from studio.ui.app import page_app

    api, page = api_only(studio), page_app(studio)

    async def dispatch(scope, receive, send):
        path = scope.get("path", "")
        is_api = scope["type"] != "lifespan" and any(path == prefix or path.startswith(prefix + "/") for prefix in API_PATHS)
        await (api if is_api else page)(scope, receive, send)

    return dispatch


def api_only(studio: Studio):
    """ASGI app of the API alone."""
    from studio.api.app import build_api

    return build_api(studio)


def serve(
    settings: Settings,
    *,
    host: str,
    port: int,
    headless: bool,
    started: float | None = None,
    make_studio: Callable[[Settings], Studio] = Studio,
) -> None:
    """Serve until interrupted. Says one line when ready: seconds since `started` (time.perf_counter), URL, engines and their state.

    make_studio: another one than the catalog's, for measurements. Raises OSError when the port is taken, before anything is loaded.
    """
    started = time.perf_counter() if started is None else started
    listener = listen(host, port)
    studio = make_studio(settings)
    try:
        studio.begin_loading()
        app = api_only(studio) if headless else page_and_api(studio)
        _wait_for_default_engine(studio)
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=3, **WEBSOCKETS)
        server = _Server(config, on_ready=lambda: _say_ready(studio, listener, time.perf_counter() - started))
        server.run(sockets=[listener])
    finally:
        studio.close()
        listener.close()


class _Server(uvicorn.Server):
    """Calls on_ready once it answers requests."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]):
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._on_ready()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises OSError that names the address and the way out."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # IPPROTO_TCP said aloud: asyncio sets TCP_NODELAY only then, and without it every first byte waits 40 ms for a delayed ACK
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another port with --port.") from None
    listener.listen(128)
    return listener


def _wait_for_default_engine(studio: Studio) -> None:
    try:
        studio.load()
    except EngineError as error:
        log.warning("default engine %s: %s %s", studio.settings.default_engine, error.fact, error.hint)


def _say_ready(studio: Studio, listener: socket.socket, seconds: float) -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    engines = ", ".join(f"{status.info.id} {status.state}" for status in studio.engines())
    print(f"ready in {seconds:.1f} s  http://{shown}:{port}  {engines}  {len(studio.speakers())} speakers", flush=True)  # noqa: T201
