"""The first screen has what Speak's components have, and is left out where Gradio's page has others."""

import asyncio
import html
import json
import re

import gradio as gr
import pytest

from studio.ui.frame.first_screen import first_screen
from studio.ui.gradio import web

PARTS = ("head", "composer", "speak-message", "result", "takes", "player")


def asked() -> dict:
    return {}


def page_of(*names: str) -> gr.Blocks:
    return asyncio.run(built(names))  # outside of a running loop Gradio opens loops of its own and leaves them open


async def built(names: tuple[str, ...]) -> gr.Blocks:
    with gr.Blocks(analytics_enabled=False) as page:
        with gr.Tabs(), gr.Tab("Speak", id="speak"):
            for name in names:
                gr.HTML(None, elem_id=name, html_template=f"<p>{name}</p>", server_functions=[asked] if name == "composer" else None)
        gr.HTML({"transport": "gradio"}, elem_id="relay")
    return page


@pytest.mark.slow
def test_each_part_has_the_markup_and_the_functions_of_its_component():
    page = page_of(*PARTS)
    shown = first_screen(page, "speak")
    parts = re.findall(r'<div data-mount="([\w-]+)" data-component="(\d+)" data-functions="([^"]*)"><p>([\w-]+)</p></div>', shown)
    assert {name for name, *_ in parts} == {*PARTS}
    for name, component, functions, text in parts:
        assert page.blocks[int(component)].elem_id == name == text
        assert json.loads(html.unescape(functions)) == (["asked"] if name == "composer" else [])
    assert 'data-transport="gradio"' in shown and '<button type="button" data-room="speak" aria-pressed="true">Speak</button>' in shown


@pytest.mark.parametrize("gone", PARTS)
def test_a_page_without_one_of_its_parts_has_no_first_screen(gone):
    assert first_screen(page_of(*(name for name in PARTS if name != gone)), "speak") == ""


def test_its_markup_names_the_parts_that_there_are():
    assert {*re.findall(r"<!-- part ([\w-]+) -->", web.markup("frame/first_screen"))} == {*PARTS}
