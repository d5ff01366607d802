"""The rooms of the studio: the page's tabs, in their order. A room is shown once somebody builds it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import gradio as gr

__all__ = ["FIRST_ROOM", "ROOMS", "Room", "build_rooms"]


@dataclass(frozen=True)
class Room:
    """One tab. id: its key; its elements are in `<id>-section`. title: the word on the tab."""

    id: str
    title: str


FIRST_ROOM = "speak"
ROOMS = (
    Room("speak", "Speak"),
    Room("voices", "Voices"),
    Room("create", "Create voice"),
    Room("compare", "Compare"),
    Room("tests", "Listening tests"),
    Room("cache", "Cache & models"),
    Room("history", "History"),
    Room("api", "API"),
)


def build_rooms(builders: Mapping[str, Callable[[], object]]) -> tuple[gr.Tabs, dict[str, gr.Tab], dict[str, object]]:
    """(the tabs, each room's own, what its builder made). builders: by the id of a room; a room without one is not shown."""
    shown, made = {}, {}
    with gr.Tabs(selected=FIRST_ROOM, elem_id="tabs", overflow_behavior="wrap") as tabs:
        for room in ROOMS:
            if room.id not in builders:
                continue
            with gr.Tab(room.title, id=room.id, elem_id=f"{room.id}-section", elem_classes="section") as shown[room.id]:
                made[room.id] = builders[room.id]()
    return tabs, shown, made
