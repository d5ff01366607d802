"""The rooms of the studio: the page's tabs, in their order. A room is shown once somebody builds it."""

from collections.abc import Callable, Mapping

import gradio as gr

__all__ = ["ROOMS", "build_rooms"]

FIRST_ROOM = "speak"
# (room, the words on its tab); its elements are in `<room>-section`.
ROOMS = (
    ("speak", "@@frame.room_speak@@"),
    ("voices", "@@frame.room_voices@@"),
    ("create", "@@frame.room_create@@"),
    ("compare", "@@frame.room_compare@@"),
    ("tests", "@@frame.room_tests@@"),
    ("cache", "@@frame.room_cache@@"),
    ("history", "@@frame.room_history@@"),
    ("api", "@@frame.room_api@@"),
)


def build_rooms(builders: Mapping[str, Callable[[], object]]) -> tuple[gr.Tabs, dict[str, gr.Tab], dict[str, object]]:
    """(the tabs, each room's own, what its builder made). builders: by room; one without one is not shown."""
    shown, made = {}, {}
    with gr.Tabs(selected=FIRST_ROOM, elem_id="tabs", overflow_behavior="wrap") as tabs:
        for room, words in [(room, words) for room, words in ROOMS if room in builders]:
            with gr.Tab(words, id=room, elem_id=f"{room}-section", elem_classes="section") as shown[room]:
                made[room] = builders[room]()
    return tabs, shown, made
