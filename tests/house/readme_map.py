"""The map of files in README.md, made from the first lines of module docstrings. `python -m tests.house.readme_map` rewrites it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BEGIN, END = "<!-- map: python -m tests.house.readme_map -->\n", "<!-- end of map -->"
FOLDERS = ("engines", "studio")


def make_map() -> str:
    """A line per product module: its path and the first sentence of its docstring."""
    files = [ROOT / "app.py", *(file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py")))]
    lines = [f"{file.relative_to(ROOT)!s:<38} {_first_sentence(file)}" for file in files if _first_sentence(file)]
    return "```\n" + "\n".join(lines) + "\n```\n"


def current_map() -> str:
    return README.read_text().split(BEGIN)[1].split(END)[0]


def _first_sentence(file: Path) -> str:
    first_line = (ast.get_docstring(ast.parse(file.read_text())) or "").split("\n", 1)[0]
    return re.split(r"(?<=\.) (?=[A-Z`])", first_line, maxsplit=1)[0]


if __name__ == "__main__":
    before, rest = README.read_text().split(BEGIN)
    README.write_text(before + BEGIN + make_map() + END + rest.split(END)[1])
