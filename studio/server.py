"""The process: one studio, the API and the page on one port. A request for an API path goes to the API app, anything else to the page."""

import logging
import signal
import socket
import threading
import time
from collections.abc import Callable

import uvicorn
from starlette._utils import get_route_path
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from engines.errors import EngineError
from studio.service import Studio
from studio.settings import Settings

__all__ = ["WEBSOCKETS", "ApiFirst", "api_only", "listen", "page_and_api", "serve", "serve_on_space"]

# Speech does not deflate, and each chunk would wait for the attempt. 16 MiB hold the 4 Mi characters of a message in any script.
WEBSOCKETS = {"ws_per_message_deflate": False, "ws_max_size": 16 * 1024 * 1024}
API_PATHS = ("/v1", "/health", "/metrics", "/docs", "/openapi.json")
SELF_DESCRIBING = ("/docs", "/openapi.json")  # these alone tell where they are

log = logging.getLogger("studio")


class ApiFirst:
    """ASGI: a request for one of the API's paths goes to `api`, any other, and the lifespan, to `app`.

    root_path: the path below which a proxy shows both, for the addresses in the API's own pages.
    """

    def __init__(self, app: ASGIApp, api: ASGIApp, root_path: str = ""):
        self._app = app
        self._api = api
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = "" if scope["type"] == "lifespan" else get_route_path(scope)
        if not any(f"{path}/".startswith(f"{prefix}/") for prefix in API_PATHS):
            await self._app(scope, receive, send)
            return
        if path in SELF_DESCRIBING and not scope.get("root_path"):
            scope = {**scope, "root_path": self._root_path}
        await self._api(scope, receive, send)


def page_and_api(studio: Studio) -> ApiFirst:
    """ASGI app of the API, and of the page for every path that is not the API's."""
    from studio.ui.app import page_app

    return ApiFirst(page_app(studio), api_only(studio), studio.settings.root_path)


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
        server = _Server(config, on_ready=lambda: _say_ready(studio, _address_of(listener), time.perf_counter() - started))
        server.run(sockets=[listener])
    finally:
        studio.close()
        listener.close()


def serve_on_space(
    settings: Settings,
    *,
    host: str | None,
    port: int | None,
    started: float,
    make_studio: Callable[[Settings], Studio] = Studio,
) -> None:
    """Serve as a Hugging Face Space until interrupted: Gradio launches, and the API's routes are on the same app.

    host, port: None for what the Space says, which Gradio reads. Otherwise as `serve`.
    """
    from studio.ui.app import launch_page

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a Space is ended by SIGTERM; what is being written is finished
    studio = make_studio(settings)
    try:
        studio.begin_loading()
        _wait_for_default_engine(studio)
        studio.load_lent()
        api = Middleware(ApiFirst, api=api_only(studio), root_path=settings.root_path)
        address = launch_page(studio, host=host, port=_free_port() if port == 0 else port, outer=[api])
        _say_ready(studio, address, time.perf_counter() - started)
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        studio.close()


def _free_port() -> int:
    with listen("127.0.0.1", 0) as listener:
        return listener.getsockname()[1]


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


def _address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _say_ready(studio: Studio, address: str, seconds: float) -> None:
    engines = ", ".join(f"{status.info.id} {status.state}" for status in studio.engines())
    print(f"ready in {seconds:.1f} s  {address}  {engines}  {len(studio.speakers())} speakers", flush=True)  # noqa: T201
