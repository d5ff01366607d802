"""Writes the frame of an engine, a package of its own: `python -m engines.new NAME`.

It opens, speaks and passes the contract suite at once. The frame is the engine that engines/README.md teaches, under the new name.
"""

import argparse
import re
from pathlib import Path

from engines.catalog import engine_ids
from engines.plugins import ID_RULE, is_id

__all__ = ["frame_files", "main", "write_frame"]

_TUTORIAL = Path(__file__).parent / "README.md"
_SECTION = re.compile(r"^## A whole engine\n(.*?)^## ", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^\*\*`(\S+)`\*\*[^`]*(?:`[^`]+`[^`]*)*?\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = "lilt"


class NameUnfit(ValueError):
    """No engine can be called so, or be written there; its text says why, and what to do."""


def frame_files(name: str) -> dict[str, str]:
    """Path in the package -> text. name: an engine's id."""
    words = name.split("_")
    names = {
        f"{_NAME}-engine": f"{'-'.join(words)}-engine",
        f"{_NAME.title()}Engine": f"{''.join(map(str.title, words))}Engine",
        _NAME.title(): " ".join(map(str.title, words)),
        _NAME: name,
    }
    section = _SECTION.search(_TUTORIAL.read_text(encoding="utf-8"))
    assert section is not None, "the README beside this file teaches an engine"

    def renamed(text: str) -> str:
        return re.sub("|".join(names), lambda old: names[old[0]], text)

    return {renamed(path): renamed(text) for path, text in _FILE.findall(section[1])}


def write_frame(name: str, folder: Path) -> None:
    """Raises NameUnfit, and writes nothing then."""
    if not is_id(name):
        raise NameUnfit(f"No engine can be called {name!r}: an id has {ID_RULE}.")
    if name in engine_ids():
        raise NameUnfit(f"There is an engine called {name!r} here. Choose another name.")
    if folder.exists():
        raise NameUnfit(f"{folder} is there already. Name another folder behind the name.")
    for path, text in frame_files(name).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Ends the process with a sentence where the name is none."""
    parser = argparse.ArgumentParser("python -m engines.new", description="Write the frame of an engine, which opens and passes at once.")
    parser.add_argument("name", help=f"the engine's id: {ID_RULE}")
    parser.add_argument("folder", nargs="?", type=Path, help="where to write it; by default NAME-engine here")
    asked = parser.parse_args(arguments)
    folder = asked.folder or Path(f"{asked.name.replace('_', '-')}-engine")
    try:
        write_frame(asked.name, folder)
    except NameUnfit as error:
        parser.error(str(error))
    parser.exit(message=f"{folder} is written. Try it: pip install -e {folder} && pytest {folder}/tests\n")


if __name__ == "__main__":
    main()
