"""Scripts: a list, and an editor that reads like a screenplay.

What is in the tab its script asks of /v1/studio/scripts, as any program does.
"""

from pathlib import Path

import gradio as gr

from studio.service import Studio
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import named
from studio.ui.gradio.messages import answered

__all__ = ["build_scripts_tab", "show_example"]

EXAMPLE = Path(__file__).resolve().parents[3] / "assets" / "examples" / "dialogue.txt"


def build_scripts_tab(studio: Studio) -> None:
    """The tab's component: its scripts, styles and words come when it is opened. Called inside of the tab."""
    gr.HTML(
        None,
        elem_id="scripts",
        html_template=web.markup("scripts/scripts"),
        js_on_load=web.mount("scripts-room", calls=True),
        apply_default_css=False,
        server_functions=[named(show_example, studio)],
    )


@answered
def show_example(studio: Studio, asked: dict[str, object]) -> dict[str, object]:
    """{text}: a short dialogue to try."""
    return {"text": EXAMPLE.read_text(encoding="utf-8")}
