"""The rooms of the studio: the page's tabs, in their order. A room is shown once somebody builds it."""

from collections.abc import Callable, Mapping

import gradio as gr

__all__ = ["ROOMS", "build_rooms"]

# A room's elements are in `<room>-section`, the word on its tab is frame.room_<room> of assets/words/.
ROOMS = ("speak", "voices", "create", "compare", "tests", "cache", "history", "api")
FIRST_ROOM = "speak"


def build_rooms(builders: Mapping[str, Callable[[], object]]) -> tuple[gr.Tabs, dict[str, gr.Tab], dict[str, object]]:
    """(the tabs, each room's own, what its builder made). builders: by room; one without one is not shown."""
    shown, made = {}, {}
    with gr.Tabs(selected=FIRST_ROOM, elem_id="tabs", overflow_behavior="wrap") as tabs:
        for room in ROOMS:
            if room in builders:
                with gr.Tab(f"@@frame.room_{room}@@", id=room, elem_id=f"{room}-section", elem_classes="section") as shown[room]:
                    made[room] = builders[room]()
    return tabs, shown, made
