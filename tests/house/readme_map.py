"""The maps of files in studio/README.md and engines/README.md, made from the first lines of module docstrings, grouped by room.

`python -m tests.house.readme_map` rewrites them.
"""

import re
from pathlib import Path

from tests.house.rooms import LAYERS, room_of
from tests.house.source_files import ROOT, module_name, product_files, sentence_of

__all__ = ["READMES", "current_map", "make_map"]

BEGIN, END = "<!-- map: python -m tests.house.readme_map -->\n", "<!-- end of map -->"
READMES = {"studio": ROOT / "studio/README.md", "engines": ROOT / "engines/README.md"}


def make_map(package: str) -> str:
    """A heading per room, in their order, and a line per file: its path in the package and the first sentence of its docstring."""
    rooms: dict[str, list[Path]] = {}
    for file in product_files():
        if file.relative_to(ROOT).parts[0] == package:
            rooms.setdefault(_group(file, package), []).append(file)
    blocks = [_block(package, room, rooms[room]) for room in sorted(rooms, key=_place)]
    return "\n".join(blocks)


def current_map(package: str) -> str:
    return READMES[package].read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


def _group(file: Path, package: str) -> str:
    """Of the studio its room; of the engines their folder, "engines" for what lies above all."""
    if package == "studio":
        return room_of(module_name(file)) or "studio.ground"
    parts = file.relative_to(ROOT).parts
    return f"engines.{parts[1]}" if len(parts) > 2 else "engines"


def _place(room: str) -> tuple[int, str]:
    return next((number for number, rooms in enumerate(LAYERS) if room in rooms), 0), room


def _block(package: str, room: str, files: list[Path]) -> str:
    folder, name = ROOT / room.replace(".", "/"), room.removeprefix(package + ".")
    title = "the ground" if room in (package, "studio.ground") else f"`{name}/`" if folder.is_dir() else f"`{name}.py`"
    about = "".join(" " + _first_sentence(file) for file in files if file == folder / "__init__.py")
    lines = [f"{file.relative_to(ROOT / package)!s:<34} {_first_sentence(file)}" for file in files if file.name != "__init__.py"]
    return "\n".join((f"**{title}**{about}", "```", *lines, "```", ""))


def _first_sentence(file: Path) -> str:
    return re.split(r"(?<=\.) (?=[A-Z`])", sentence_of(file), maxsplit=1)[0]


def _rewrite(package: str) -> None:
    before, rest = READMES[package].read_text(encoding="utf-8").split(BEGIN)
    READMES[package].write_text(before + BEGIN + make_map(package) + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    for package in READMES:
        _rewrite(package)
