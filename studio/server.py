"""The server process: one studio, the API and the page on one port. API paths go to the API app, all other paths to the page."""

import asyncio
import functools
import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict, Unpack

import uvicorn
from starlette._utils import get_route_path
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.server import ServerState

from engines.errors import EngineError
from studio.running.heap import few_arenas, trimmed_heap
from studio.running.offer.offer import is_lent
from studio.running.zero_gpu.signed_visits import SignedVisits
from studio.service import Studio
from studio.settings import Settings
from studio.web.body_limit import BodyBudget
from studio.web.closing import CLOSING, can_close, close_in_order, end_answers
from studio.web.connection import RESERVED_CONNECTIONS, guard_connections
from studio.web.ends import ending_signals, interrupt_at_ends
from studio.web.gets import Gets
from studio.web.hosts import HostMiddleware, KnownHosts, SecurityHeaders
from studio.web.prefix import BelowPrefix
from studio.wyoming.address import WyomingAddress

__all__ = [
    "LOG_FORMAT",
    "ApiFirst",
    "ServedAt",
    "StudioServer",
    "allow_descriptors",
    "api_only",
    "behind_guards",
    "configured",
    "is_quiet",
    "listen",
    "load_lent",
    "page_and_api",
    "resume_scripts",
    "say_ready",
    "serve",
    "serve_on_space",
    "wait_for_default_engine",
]

MOST_MESSAGE_BYTES = 16 * 1024 * 1024  # of a WebSocket: they hold its 4 Mi characters in any script
OTHER_FILES = 448  # beside connections: engines, recordings that are read, uploads of which each over 1 MB is a file
API_PATHS = ("/v1", "/openai", "/health", "/metrics", "/docs", "/openapi.json", "/mcp", "/gradio_api/mcp", "/agents.md")
PAGE_FOLDER = "/studio"  # a likely name of a proxy's path, too
PAGE_PATHS = ("/listen", *(f"{PAGE_FOLDER}/{name}" for name in ("history", "spoken", "bundles", "tests", "encoded", "news", "web")))
ENDING_SECONDS = 2  # for what answers that were cut off have to clear away
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"
SELF_DESCRIBING = ("/docs", "/openapi.json")  # these alone tell where they are

log = logging.getLogger("studio")

TESTS = "tests"  # the words about listening tests, in assets/words


class ApiFirst:
    """ASGI: a request for one of the API's paths goes to `api`, any other, and the lifespan, to `app`.

    root_path: the path below which a proxy shows both, for the addresses in the API's own pages.
    """

    def __init__(self, app: ASGIApp, api: ASGIApp, root_path: str = ""):
        self._app = app
        self._gets = Gets(app)  # the API has its own
        self._api = api
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = "" if scope["type"] == "lifespan" else get_route_path(scope)
        if not any(f"{path}/".startswith(f"{prefix}/") for prefix in API_PATHS):
            await (self._gets if scope.get("method") in ("GET", "HEAD") else self._app)(scope, receive, send)
            return
        if path == scope["path"]:  # a prefix that a proxy took off would lead mounts astray
            scope = {**scope, "root_path": self._root_path if path in SELF_DESCRIBING else ""}
        await self._api(scope, receive, send)


def page_and_api(studio: Studio, bodies: BodyBudget | None = None) -> ApiFirst:
    """ASGI app of the API, and of the page for every path that is not the API's. bodies: as `api_only`."""
    from studio.ui.frame.app import page_app

    bodies = bodies or BodyBudget()
    return ApiFirst(page_app(studio, bodies), api_only(studio, bodies), studio.settings.root_path)


def _headless(studio: Studio, bodies: BodyBudget) -> ApiFirst:
    api = api_only(studio, bodies)
    return ApiFirst(api, api, studio.settings.root_path)


def api_only(studio: Studio, bodies: BodyBudget | None = None):
    """ASGI app of the API alone. bodies: what request bodies may have together, where others share it."""
    from studio.api.app import build_api
    from studio.words.sentences import LANGUAGES, sentences_in

    def sentences(language: str) -> tuple[str, Callable[[str, Mapping[str, object]], str]]:
        known = sentences_in(language if language in LANGUAGES else "en")
        return known.language, lambda key, values: known.words(f"{TESTS}.{key}", values)

    return build_api(studio, bodies, sentences)


def behind_guards(app: ASGIApp, settings: Settings, *, listens_on: str = "") -> ASGIApp:
    """`app` behind what every request passes first. listens_on: the name or address that it is served on."""
    for guard in reversed(_guards(settings, listens_on)):
        app = guard.cls(app, *guard.args, **guard.kwargs)
    return app


class ServerOptions(TypedDict, total=False):
    """What callers of `configured` set, as uvicorn has it."""

    log_level: str
    lifespan: Literal["auto", "on", "off"]
    timeout_graceful_shutdown: int


def configured(app: ASGIApp, settings: Settings, bodies: BodyBudget | None = None, **options: Unpack[ServerOptions]) -> uvicorn.Config:
    """How `app` is served: with deadlines for its clients, and a bound of their number. options: further ones of uvicorn.

    bodies: what its WebSockets may receive together, where others share it.
    """
    # Speech does not deflate, and each chunk would wait for the attempt.
    config = uvicorn.Config(app, access_log=False, ws_per_message_deflate=False, ws_max_size=MOST_MESSAGE_BYTES, **options)
    guard_connections(config, settings.most_connections, bodies or BodyBudget())
    return config


def _guards(settings: Settings, listens_on: str) -> list[Middleware]:
    """The outermost first. A key is what no foreign page has, whatever name it goes by."""
    hosts = [] if settings.api_keys else [Middleware(HostMiddleware, hosts=KnownHosts.of(settings, listens_on))]
    below = [Middleware(BelowPrefix, prefix=settings.root_path, own=(*API_PATHS, *PAGE_PATHS))] if settings.root_path else []
    return [Middleware(SecurityHeaders, frame_origins=settings.frame_origins), *hosts, *below]


class DoorBeside(Protocol):
    """A door of another protocol, whose connections the server counts and ends with its own."""

    async def open(self, state: ServerState, closing: asyncio.Event) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class ServedAt:
    """host, port: of page and API. wyoming: of that protocol, None for nowhere."""

    host: str
    port: int
    wyoming: WyomingAddress | None = None


def serve(
    settings: Settings,
    at: ServedAt,
    *,
    headless: bool,
    on_ready: Callable[[Studio, str], object] | None = None,
    make_studio: Callable[[Settings], Studio] = Studio,
) -> None:
    """Serve until interrupted or ended.

    on_ready: what is called with studio and URL once it answers; `say_ready` where it is None. make_studio: another one than the
    catalog's, for measurements. Raises OSError when a port is taken, before anything is loaded.
    """
    started = time.perf_counter()
    interrupt_at_ends()
    few_arenas()
    listener, doors = listen(at.host, at.port), ()
    try:
        beside = None if at.wyoming is None else _wyoming_listener(at.wyoming)
    except OSError:
        listener.close()
        raise
    studio = make_studio(settings)
    try:
        studio.begin_loading()
        allow_descriptors(settings)
        bodies = BodyBudget()
        app = behind_guards((_headless if headless else page_and_api)(studio, bodies), settings, listens_on=at.host)
        doors = () if beside is None or at.wyoming is None else (_wyoming_door(studio, bodies, beside, at.wyoming),)
        wait_for_default_engine(studio)
        resume_scripts(studio)
        config = configured(app, settings, bodies, log_level="warning", timeout_graceful_shutdown=ENDING_SECONDS)
        told = on_ready or functools.partial(say_ready, started=started)
        server = StudioServer(config, on_ready=lambda: told(studio, _address_of(listener)), end_speech=studio.end_speech, doors=doors)
        with trimmed_heap(lambda: is_quiet(studio)):
            server.run(sockets=[listener])
    except KeyboardInterrupt:  # uvicorn hands signals on when it has shut down
        pass
    finally:
        studio.close()
        listener.close()
        for door in doors:
            door.close()


def _wyoming_listener(address: WyomingAddress) -> socket.socket:
    return address.listen_unix() if address.path else listen(address.host, address.port, option="--wyoming")


def _wyoming_door(studio: Studio, bodies: BodyBudget, listener: socket.socket, address: WyomingAddress) -> DoorBeside:
    from studio.wyoming.door import WyomingDoor  # and its package, which most studios never need

    return WyomingDoor(studio, bodies, listener, address.path)


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
    from studio.ui.frame.app import launch_page

    interrupt_at_ends()
    few_arenas()
    studio, server = make_studio(settings), None
    try:
        studio.begin_loading()
        wait_for_default_engine(studio)
        load_lent(studio)
        resume_scripts(studio)
        allow_descriptors(settings)
        bodies = BodyBudget()
        api = api_only(studio, bodies)
        api = api if studio.gpu_host is None else SignedVisits(api, studio.gpu_host)
        first = Middleware(ApiFirst, api=api, root_path=settings.root_path)
        # reached through the Hub's proxy alone. Whoever lies to it of their address is not slowed down in guessing keys, and at worst slows
        # down who is new at the address that was named; sessions and keys known there go on
        proxied = Middleware(ProxyHeadersMiddleware, trusted_hosts="*")
        outer = [proxied, *_guards(settings, host or ""), first]
        address, server = launch_page(studio, host=host, port=_free_port() if port == 0 else port, outer=outer, bodies=bodies)
        close_in_order(server, studio.end_speech)
        say_ready(studio, address, started)
        with trimmed_heap(lambda: is_quiet(studio)):
            threading.Event().wait()
    except KeyboardInterrupt:
        if server is not None:
            server.close()
    finally:
        studio.close()


def load_lent(studio: Studio) -> None:
    """Open what works on ZeroGPU and has its weights here: what is on `cuda` when the page is launched, the host packs beforehand.

    In the order of the offer: the last ones are those that do not fit beside the others. One that cannot be opened says so in its status,
    and here.
    """
    for info in (status.info for status in studio.engines()):
        if is_lent(studio.settings, info.id, info) and studio.weights.status(info.id).state in ("included", "ready"):
            try:
                studio.load(info.id)
            except EngineError as error:
                log.warning("%s is not on the lent GPU: %s %s", info.id, error.fact, error.hint)


def resume_scripts(studio: Studio) -> None:
    """Go on saying what waited in scripts when the studio ended. Where that cannot be read, it says so and serves all the same."""
    try:
        studio.scripts.resume()
    except (EngineError, OSError) as error:
        log.warning("scripts do not go on: %s", error)


def is_quiet(studio: Studio) -> bool:
    """Whether no engine is at work for anybody."""
    return not any(status.streaming or status.waiting for status in studio.engines())


def allow_descriptors(settings: Settings) -> None:
    """As many files as the connections need, and OTHER_FILES more; says so where the machine does not allow it."""
    if sys.platform == "win32":  # which counts no sockets
        return
    import resource

    wanted = settings.most_connections * settings.sockets_each + RESERVED_CONNECTIONS + OTHER_FILES
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed >= wanted or allowed == resource.RLIM_INFINITY:
        return
    reached = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (reached, most))
    if reached < wanted:
        log.warning(
            "STUDIO_MAX_CONNECTIONS=%d needs %d open files, and this process may have %d. Raise its limit, or set less.",
            settings.most_connections, wanted, reached,
        )  # fmt: skip


def _free_port() -> int:
    with listen("127.0.0.1", 0) as listener:
        return listener.getsockname()[1]


class StudioServer(uvicorn.Server):
    """Calls on_ready once it answers requests, and ends in order at whatever ends this process. end_speech: see `end_answers`.

    doors: beside HTTP.
    """

    def __init__(
        self, config: uvicorn.Config, on_ready: Callable[[], object], end_speech: Callable[[], object], doors: Sequence[DoorBeside] = ()
    ):
        super().__init__(config)
        self._on_ready, self._end_speech, self._doors = on_ready, end_speech, doors

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        can_close(self)
        if not self.should_exit:
            for door in self._doors:
                await door.open(self.server_state, self.lifespan.state[CLOSING])
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for door in self._doors:
            door.close()
        await end_answers(self, self._end_speech)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Those of uvicorn, which hands them on when it has shut down, and what else ends this process."""
        with super().capture_signals():
            before = {number: signal.signal(number, self.handle_exit) for number in ending_signals()}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)


def listen(host: str, port: int, option: str = "--port") -> socket.socket:
    """A listening socket. Raises OSError that names the address and the way out. option: which says the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # IPPROTO_TCP said aloud: asyncio sets TCP_NODELAY only then, and without it every first byte waits 40 ms for a delayed ACK
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another port with {option}.") from None
    listener.listen(128)
    return listener


def wait_for_default_engine(studio: Studio) -> None:
    """Return when it is open, or when it is known that it cannot be, which is logged: a page without an engine says what is wrong.

    But for one that runs elsewhere: whoever cannot be reached now holds up nothing here.
    """
    if studio.engine_info().runs == "elsewhere":
        return
    try:
        studio.load()
    except EngineError as error:
        log.warning("default engine %s: %s %s", studio.default.id, error.fact, error.hint)


def _address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def say_ready(studio: Studio, address: str, started: float) -> None:
    """One line: seconds since `started` (time.perf_counter), URL, engines and their states, number of speakers."""
    engines = ", ".join(f"{status.info.id} {status.state}" for status in studio.engines())
    print(f"ready in {time.perf_counter() - started:.1f} s  {address}  {engines}  {len(studio.speakers())} speakers", flush=True)  # noqa: T201
