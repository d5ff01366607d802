"""The head of the page: its name, the state of engines, the help sheet (keys, versions, licenses), and a Space's sign-in."""

from dataclasses import dataclass

import gradio as gr

from studio import __version__
from studio.running.lifecycle import EngineStatus
from studio.service import Studio
from studio.ui.engines.engine_state import is_lacking, remote_value, terms_value
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import LIGHT, login_name, named
from studio.ui.gradio.news import News, changes, digest_of, kept_by_the_window

__all__ = ["TITLE", "HeadFields", "build_masthead", "head_value", "show_head", "wire_masthead"]

TITLE = "@@frame.title@@"
LICENSE = "Apache-2.0"  # the studio's own

Value = dict[str, object]


@dataclass(frozen=True)
class HeadFields:
    """The head's components, for the page to wire. seen: see kept_by_the_window."""

    head: gr.HTML
    seen: gr.Textbox


def build_masthead(studio: Studio) -> HeadFields:
    """One line, over the empty ends of the tabs' line (assets/web/styles/gradio.css)."""
    with gr.Row(elem_id="masthead"):
        head = gr.HTML(None, elem_id="head", html_template=web.markup("frame/head"), js_on_load=web.mount("head"), apply_default_css=False)
        if studio.settings.has_login:
            gr.LoginButton(elem_id="login-routes", visible=False)  # or Gradio has none of the routes that the head's own link leads to
    return HeadFields(head, kept_by_the_window("head"))


def wire_masthead(studio: Studio, fields: HeadFields, page: gr.Blocks, news: News) -> None:
    """news: brings what changed, in whatever window or through the API."""
    shown = [fields.head, fields.seen]
    page.load(named(show_head, studio), None, shown, **LIGHT)
    news.bring(named(show_changed_head, studio), [fields.seen], shown)


def show_head(studio: Studio) -> tuple[Value, str]:
    """What the head shows, and the digest of that."""
    value = head_value(studio)
    return value, digest_of(value)


def show_changed_head(studio: Studio, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is shown anew."""
    return changes(seen, 1, lambda: show_head(studio))


def head_value(studio: Studio) -> Value:
    """What assets/web/frame/head.js draws."""
    return {
        "version": __version__,
        "licence": LICENSE,
        "engines": [_engine(studio, status) for status in studio.engines()],
        "space": studio.settings.space_page,
        "is_visitor": not studio.is_owner,
        "login": {"name": login_name()} if studio.settings.has_login else None,
    }


def _engine(studio: Studio, status: EngineStatus) -> Value:
    """percent: of its weights, that are here while they arrive; None where their size is not known."""
    weights = studio.weights.status(status.info.id)
    return {
        "title": status.info.title,
        "terms": terms_value(status.info),
        "revision": status.info.extractor_revision,
        "state": status.state,
        "is_here": not is_lacking(status, weights),
        "elsewhere": remote_value(studio, status),
        "fetching": weights.state == "fetching",
        "percent": 100 * weights.done_bytes // weights.all_bytes if weights.all_bytes else None,
    }
