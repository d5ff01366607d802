"""The rooms of the page's scripts in their order. `python -m tests.house.script_rooms` counts rooms, floors and arrows.

A room is a folder of assets/web/; what lies at its top is the room "main". An arrow A -> B is a script of one room that imports a script
of another. Floors: the longest way down from a room, itself included. What the server makes, such as the sentences, is no script here.
"""

import argparse
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.house.rooms import floors, ways_around
from tests.house.source_files import ROOT

__all__ = ["LAYERS", "SCRIPTS", "TOP", "ScriptRooms", "room_of"]

SCRIPTS = ROOT / "assets/web"
TOP = "main"
# A script imports from its own room and from rooms of layers before its own; rooms of one layer know nothing of each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("words", "drawings", "navigation", "evaluation_report"),
    ("kit",),
    ("transport",),
    ("choice", "sound", "script_state", "script_sheets", "evaluation_state"),
    ("engines", "recording", "listener", "builder", "dictionary", "parts", "pairs", "script_cast", "script_lines"),
    ("script_side", "evaluation_plan"),
    ("history", "tests", "scripts", "evaluations"),
    ("speak", "create"),
    ("voices", "design", "compare", "frame"),
    (TOP,),
)
IMPORT = re.compile(r'^(?:import|export)\b(?:[^;"]*\bfrom)? ?"(?P<source>\.\.?/[^"]+)";$', re.MULTILINE)


def room_of(path: str) -> str:
    """path: below assets/web/."""
    return posixpath.dirname(path) or TOP


@dataclass(frozen=True)
class ScriptRooms:
    """texts: of scripts, by path below their folder."""

    texts: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path = SCRIPTS) -> "ScriptRooms":
        return cls({file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.js"))})

    @cached_property
    def imports(self) -> dict[str, frozenset[str]]:
        """Path -> the paths that it imports."""
        return {path: frozenset(_resolved(path, text)) & self.texts.keys() for path, text in self.texts.items()}

    @cached_property
    def arrows(self) -> list[tuple[str, str]]:
        """(importing, imported) scripts of different rooms."""
        pairs = ((path, other) for path, others in self.imports.items() for other in sorted(others))
        return [(path, other) for path, other in pairs if room_of(path) != room_of(other)]

    @cached_property
    def room_arrows(self) -> frozenset[tuple[str, str]]:
        return frozenset((room_of(path), room_of(other)) for path, other in self.arrows)

    def circles(self) -> list[str]:
        """Scripts that import each other, one way around each as "a -> b -> a"."""
        return list(ways_around(self.imports))

    def floors(self) -> int:
        """The longest way down through the rooms. Raises ValueError where rooms import each other in a circle."""
        below: dict[str, set[str]] = {room: set() for room in map(room_of, self.texts)}
        for room, other in self.room_arrows:
            below[room].add(other)
        return floors(below)


def _resolved(path: str, text: str) -> Iterator[str]:
    for found in IMPORT.finditer(text):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), found["source"]))


def _figures(folder: Path) -> str:
    scripts = ScriptRooms.read(folder)
    rooms = {room_of(path) for path in scripts.texts}
    n_imports = sum(map(len, scripts.imports.values()))
    try:
        height = str(scripts.floors())
    except ValueError as circle:
        height = f"no ({circle})"
    return (
        f"{len(scripts.texts)} scripts in {len(rooms)} rooms on {height} floors; {len(scripts.room_arrows)} arrows between rooms, made of "
        f"{len(scripts.arrows)} imports; {n_imports} imports in all; circles: {len(scripts.circles())}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Counts rooms, floors, arrows and circles of the page's scripts.")
    parser.add_argument("folder", type=Path, nargs="?", default=SCRIPTS, help="of the scripts; another tree's assets/web, to compare")
    print(_figures(parser.parse_args().folder))
