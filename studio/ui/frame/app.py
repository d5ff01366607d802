"""The page as an ASGI app, or launched as a Space. It stands at the root, without any part of Gradio that calls other hosts."""

from collections.abc import Sequence
from typing import Literal, TypedDict

import gradio as gr
from fastapi import FastAPI
from gradio.http_server import Server
from gradio.themes.base import Base
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp

from studio.audio.spoken_sounds import SpokenSounds
from studio.service import Studio
from studio.ui.frame.files import file_routes
from studio.ui.frame.first_screen import first_screen
from studio.ui.frame.page import FIRST_ROOM, build_page
from studio.ui.frame.page_middleware import PageMiddleware, page_watch
from studio.ui.frame.sign_in import SignIn
from studio.ui.frame.theme import build_theme
from studio.ui.gradio.delivery import PageDelivery
from studio.ui.gradio.news import News
from studio.ui.gradio.sessions import MOST_SESSIONS
from studio.ui.gradio.web import ICON_FILE, WebFiles
from studio.ui.listener.listen import LISTEN, listen_routes
from studio.web.access import Access, KeyCheck
from studio.web.body_limit import BodyBudget, TakenOffLoop, take_off_loop
from studio.web.connection import guard_connections
from studio.web.owners import visitor_guards

__all__ = ["launch_page", "page_app"]

MOST_UPLOAD = "25mb"
SENDING = "/gradio_api/component_server"  # what our scripts call functions of the studio by, with a clip of up to 25 MB in base64
STARTING = ("/gradio_api/startup-events",)  # asked once by Gradio's launch; tells nothing but whether it is up


class _PageOptions(TypedDict):
    """What Gradio is told of the page, however it is served."""

    root_path: str | None
    footer_links: list[Literal["api", "gradio", "settings", "runs"] | dict[str, str]]
    run_history: bool
    ssr_mode: bool
    mcp_server: bool
    enable_monitoring: bool
    pwa: bool
    show_error: bool
    max_file_size: str
    theme: Base
    favicon_path: str


def page_app(studio: Studio, bodies: BodyBudget | None = None) -> ASGIApp:
    """The page alone; whoever serves it sends the API's paths elsewhere and passes the lifespan on to this app.

    bodies: what request bodies may have together, where others share it.
    """
    access = Access(studio.settings.api_keys)
    files = WebFiles.read()
    app, first = _mounted(studio, files)
    page = PageDelivery(PageMiddleware(app, bodies or BodyBudget()), files, studio.settings.root_path, first)
    for guard in reversed(visitor_guards(studio.settings)):
        page = guard.cls(page, *guard.args, **guard.kwargs)
    watch = page_watch()
    page = page if access.open_to_all else SignIn(page, KeyCheck(access), open_below=(LISTEN,))
    return watch.cls(page, *watch.args, **watch.kwargs)


def launch_page(
    studio: Studio, *, host: str | None, port: int | None, outer: Sequence[Middleware], bodies: BodyBudget
) -> tuple[str, Server]:
    """Serve the page by Gradio's own launch, in a thread, which is what a Space waits for; the address it listens on, and the server.

    host, port: None for what the host of the Space set. outer: ASGI middleware around the page, the outermost first.
    bodies: what request bodies may have together.
    """
    access = Access(studio.settings.api_keys)
    lock = Middleware(SignIn, keys=KeyCheck(access), open_paths=STARTING, open_below=(LISTEN,))
    locks = [] if access.open_to_all else [lock]
    files = WebFiles.read()
    sounds, news = SpokenSounds(), News()
    page = build_page(studio, sounds, news)
    page.space_id = None  # or Gradio draws the Hub's header over the page, with fonts and figures of two other hosts
    _, address, _ = page.launch(
        server_name=host,
        server_port=port,
        prevent_thread_lock=True,
        quiet=True,
        share=False,
        state_session_capacity=MOST_SESSIONS,
        app_kwargs={
            "docs_url": None,
            "redoc_url": None,
            "openapi_url": None,
            "middleware": [
                *outer,
                page_watch(),
                *locks,
                *visitor_guards(studio.settings),
                Middleware(PageDelivery, files=files, root_path=studio.settings.root_path, first_screen=first_screen(page, FIRST_ROOM)),
                Middleware(PageMiddleware, bodies=bodies),
                Middleware(TakenOffLoop, path=SENDING),
            ],
            "routes": _routes(studio, files, sounds, news),
        },
        **_options(studio),
    )
    guard_connections(page.server.config, studio.settings.most_connections, bodies)  # uvicorn asks it anew for each
    return address.rstrip("/"), page.server


def _mounted(studio: Studio, files: WebFiles) -> tuple[FastAPI, str]:
    """(the app, what the page shows first)"""
    sounds, news = SpokenSounds(), News()
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, routes=_routes(studio, files, sounds, news))
    page = build_page(studio, sounds, news)
    app = gr.mount_gradio_app(app, page, path="/", **_options(studio))
    take_off_loop(_gradio_in(app), SENDING)
    return app, first_screen(page, FIRST_ROOM)


def _gradio_in(app: FastAPI) -> FastAPI:
    """The app that was mounted last."""
    mounted = app.routes[-1]
    assert isinstance(mounted, Mount) and isinstance(mounted.app, FastAPI)
    return mounted.app


def _routes(studio: Studio, files: WebFiles, sounds: SpokenSounds, news: News) -> list[BaseRoute]:
    return [*file_routes(studio, sounds), news.route(), files.route(), listen_routes(studio)]


def _options(studio: Studio) -> _PageOptions:
    return {
        "root_path": studio.settings.root_path or None,
        "footer_links": [],
        "run_history": False,
        "ssr_mode": False,
        "mcp_server": False,
        "enable_monitoring": False,
        "pwa": False,
        "show_error": False,
        "max_file_size": MOST_UPLOAD,
        "theme": build_theme(),
        "favicon_path": str(ICON_FILE),
    }
