"""Claims about the frame of the page: what its head is told, and which rooms are shown in which order."""

import asyncio

import gradio as gr
import pytest

from studio.settings import Settings
from studio.ui.frame.masthead import head_value, show_changed_head, show_head
from studio.ui.frame.page import ROOMS, build_rooms
from tests.api.door import eventually


def test_the_head_hears_of_an_engine_once_it_is_loaded_and_of_nothing_else(open_studio):
    studio = open_studio()
    (engine,) = head_value(studio)["engines"]
    assert engine["state"] == "idle" and not engine["fetching"] and engine["terms"]["licence"] == "Apache-2.0"
    _, seen = show_head(studio)
    assert show_changed_head(studio, seen)[0] == gr.skip()
    studio.begin_loading("fake")
    assert eventually(lambda: head_value(studio)["engines"][0]["state"] == "ready")
    value, later = show_changed_head(studio, seen)
    assert value["engines"][0]["state"] == "ready" and later != seen


def test_the_head_says_where_a_spaces_page_is_and_nothing_off_a_space(open_studio):
    assert head_value(open_studio())["space"] == ""
    assert Settings(space_id="ann/voices").space_page == "https://huggingface.co/spaces/ann/voices"


@pytest.mark.slow
def test_a_room_is_shown_in_its_place_once_somebody_builds_it():
    rooms = [room for room, _ in ROOMS]

    async def build():  # outside of a running loop Gradio opens loops of its own and leaves them open
        with gr.Blocks():
            return build_rooms({"api": lambda: "API", "tests": lambda: "tests", "speak": lambda: "speak"})

    _, shown, made = asyncio.run(build())
    assert list(shown) == ["speak", "tests", "api"] == [room for room in rooms if room in made]
    assert rooms == ["speak", "voices", "create", "compare", "scripts", "tests", "cache", "history", "api"]
    assert {tab.elem_id for tab in shown.values()} == {"speak-section", "tests-section", "api-section"}
