"""page_app: the page as an ASGI app, mounted at the root and without anything of Gradio's that talks to other hosts."""

import gradio as gr
from fastapi import FastAPI
from starlette.types import ASGIApp

from studio.access import Access
from studio.service import Studio
from studio.ui.page import build_page
from studio.ui.sign_in import SignIn
from studio.ui.theme import build_theme
from studio.ui.web import STYLES, head

__all__ = ["page_app"]

MOST_UPLOAD = "25mb"


def page_app(studio: Studio) -> ASGIApp:
    """The page alone; whoever serves it sends the API's paths elsewhere and passes the lifespan on to this app."""
    access = Access(studio.settings.api_keys)
    page = _mounted(studio)
    return page if access.open_to_all else SignIn(page, access)


def _mounted(studio: Studio) -> FastAPI:
    return gr.mount_gradio_app(
        FastAPI(docs_url=None, redoc_url=None, openapi_url=None),
        build_page(studio),
        path="/",
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        mcp_server=False,
        enable_monitoring=False,
        pwa=False,
        show_error=False,
        max_file_size=MOST_UPLOAD,
        theme=build_theme(),
        css_paths=list(STYLES),
        head=head(),
    )
