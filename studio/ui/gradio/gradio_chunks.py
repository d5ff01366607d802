"""The files of Gradio's own build that a page of ours loads, so that a browser gets them together.

By itself it would find them one after another, since each names the next only once it runs. They are read off Gradio's files as Vite writes
them (gradio/templates/frontend/assets, 6.31). Where those are written otherwise, none are found, and all is as it would be by itself.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

import gradio

__all__ = ["FOLDER", "chunks_of", "preload_lines"]

FOLDER = Path(gradio.__file__).parent / "templates" / "frontend" / "assets"
NAME = r"\./[\w-]+\.(?:js|css)"
STATIC = re.compile(rf'(?:from|import) ?["`]({NAME})["`]')
DYNAMIC = re.compile(rf"import\(`({NAME})`\)(?:[^\[\]]{{0,40}}?__vite__mapDeps\(\[([\d,]*)\]\))?")
MAP = re.compile(r"__vite__mapDeps=.*?\[(\".*?)\]", re.DOTALL)  # numbers stand for these names
# Who imports whom as the page begins, by their names before the hash; of the components, the page's types.
BEGINNING = {"index": ("Index", "core"), "Index": ("Blocks",)}
COMPONENTS = "core"
UNNAMED = ("state",)  # a type that Gradio adds to every page
ENTRY = re.compile(r'<script type="module" crossorigin src="\./assets/([\w-]+\.js)">')
LEAST_FOUND = 10  # fewer are not what is looked for


def chunks_of(types: Collection[str], folder: Path = FOLDER) -> tuple[str, ...]:
    """Names of scripts and styles in the folder, without those that Gradio's document names; () where they are not written as expected.

    types: of the page's components.
    """
    found: dict[str, None] = {}
    try:
        document = (folder.parent / "index.html").read_text(encoding="utf-8")
        _follow(ENTRY.search(document)[1], {*types, *UNNAMED}, folder, found)
    except (OSError, ValueError, IndexError, TypeError):
        return ()
    others = tuple(name for name in found if name not in document)
    return others if len(others) >= LEAST_FOUND else ()


def preload_lines(names: Collection[str]) -> str:
    """Lines for Gradio's document."""
    kinds = {".js": 'rel="modulepreload"', ".css": 'rel="preload" as="style"'}
    return "\n".join(f'<link {kinds[Path(name).suffix]} crossorigin href="./assets/{name}">' for name in names)


def _follow(name: str, types: Collection[str], folder: Path, found: dict[str, None]) -> None:
    """Adds a file and all that it brings."""
    if name in found:
        return
    found[name] = None
    if not name.endswith(".js"):
        return
    text = (folder / name).read_text(encoding="utf-8")
    for other in STATIC.findall(text):
        _follow(other.removeprefix("./"), types, folder, found)
    for other in _imported(name, text, types):
        _follow(other.removeprefix("./"), types, folder, found)


def _imported(name: str, text: str, types: Collection[str]) -> Iterator[str]:
    """What it imports as it runs, on a page of ours, with the styles of that."""
    known = MAP.search(text)
    names = re.findall(r'"(.*?)"', known[1]) if known else []
    parts = [text]
    if _stem(name) == COMPONENTS:
        entries = (re.search(rf"[,{{]{re.escape(kind)}:\{{[^{{}}]*?component:(.*?)import\.meta", text) for kind in sorted(types))
        parts = [entry[1] for entry in entries if entry]
    for part in parts:
        for imported, numbers in DYNAMIC.findall(part):
            if _stem(name) == COMPONENTS or _stem(imported.removeprefix("./")) in BEGINNING.get(_stem(name), ()):
                yield imported
                yield from (names[int(number)] for number in numbers.split(",") if number)


def _stem(name: str) -> str:
    return name.partition("-")[0]
