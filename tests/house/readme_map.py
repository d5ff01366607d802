"""The maps of files in studio/README.md and engines/README.md, made from the first lines of module docstrings, grouped by room.

`python -m tests.house.readme_map` rewrites them.
"""

import re
from pathlib import Path

from tests.house.rooms import GROUND, LAYERS, layer_of
from tests.house.source_files import ROOT, product_files, sentence_of

__all__ = ["READMES", "current_map", "make_map"]

BEGIN, END = "<!-- map: python -m tests.house.readme_map -->\n", "<!-- end of map -->"
READMES = {"studio": ROOT / "studio/README.md", "engines": ROOT / "engines/README.md"}


def make_map(package: str) -> str:
    """A heading per room, in their order, and a line per file: its path in the package and the first sentence of its docstring."""
    files: dict[str, list[Path]] = {}
    for file in product_files():
        if file.relative_to(ROOT).parts[0] == package:
            files.setdefault(_room(file), []).append(file)
    return "\n".join(_block(package, room, files[room]) for room in sorted(files, key=_place))


def current_map(package: str) -> str:
    return READMES[package].read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


def _room(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).parts[:-1])


def _place(room: str) -> tuple[tuple[int, str], ...]:
    """Where it stands: by layers, and by name within one, from the outermost folder in."""
    parts = room.split(".")
    folders = [".".join(parts[:depth]) for depth in range(1, len(parts))]
    return tuple((_layer(folder, unit), unit) for folder, unit in zip(folders, parts[1:], strict=True))


def _layer(folder: str, unit: str) -> int:
    if folder == "studio" and unit in GROUND:
        unit = "ground"
    return layer_of(unit, folder) if folder in LAYERS else 0


def _block(package: str, room: str, files: list[Path]) -> str:
    folder = ROOT / room.replace(".", "/")
    about = "".join(" " + _first_sentence(file) for file in files if file == folder / "__init__.py")
    lines = [f"{file.relative_to(ROOT / package)!s:<34} {_first_sentence(file)}" for file in files if file.name != "__init__.py"]
    return "\n".join((f"**`{folder.relative_to(ROOT)}/`**{about}", *(["```", *lines, "```"] if lines else []), ""))


def _first_sentence(file: Path) -> str:
    return re.split(r"(?<=\.) (?=[A-Z`])", sentence_of(file), maxsplit=1)[0]


def _rewrite(package: str) -> None:
    before, rest = READMES[package].read_text(encoding="utf-8").split(BEGIN)
    READMES[package].write_text(before + BEGIN + make_map(package) + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    for package in READMES:
        _rewrite(package)
