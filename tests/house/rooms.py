"""The rooms of the house in their order. `python -m tests.house.rooms` counts rooms, floors and arrows.

A room is a folder or a file right below studio/ (its ground is one room, all of engines/ another); an arrow A -> B is a file
of one room that imports a file of another. Floors: the longest way down from a room, itself included.
"""

from collections.abc import Iterator
from functools import cache

from tests.house.source_files import imports, module_name, product_files, within

__all__ = ["LAYERS", "arrows", "circles", "file_arrows", "room_of"]

GROUND = ("studio.settings", "studio.errors", "studio.timeline", "studio.prompt_key", "studio.workspace")
# A file imports from its own room and from layers before its room's; rooms of one layer know nothing of each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("engines",),
    ("studio.ground",),
    ("studio.web", "studio.audio", "studio.text", "studio.storage"),
    ("studio.running", "studio.hearing"),
    ("studio.speakers",),
    ("studio.prompts", "studio.reference"),
    ("studio.speech",),
    ("studio.library", "studio.listening"),
    ("studio.service",),
    ("studio.api", "studio.ui"),
    ("studio.server", "studio.commands"),
    ("studio.scale", "studio.measure"),
    ("app",),
)


def room_of(module: str) -> str:
    """The room that a module of the project lies in; "" for the package studio itself, which holds only the version."""
    if any(within(module, ground) for ground in GROUND):
        return "studio.ground"
    parts = module.split(".")
    if parts[0] == "studio":
        return ".".join(parts[:2]) if len(parts) > 1 else ""
    return parts[0]


@cache
def file_arrows() -> dict[str, frozenset[str]]:
    """Module -> the modules of the project that it imports. A package stands for its `__init__` alone."""
    modules = {module_name(file): file for file in product_files()}
    found = {}
    for name, file in modules.items():
        named = {imported for imported in imports(file) if imported in modules and imported != name}
        found[name] = frozenset(module for module in named if not any(other != module and within(other, module) for other in named))
    return found


def arrows() -> Iterator[tuple[str, str]]:
    """(importing, imported) modules of different rooms."""
    for name, imported in file_arrows().items():
        for other in imported:
            if room_of(other) and room_of(name) != room_of(other):
                yield name, other


def circles() -> list[str]:
    """Files that import each other, one way around each as "a -> b -> a"."""
    found, done = [], set()

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            found.append(" -> ".join([*path[path.index(name) :], name]))
            return
        if name in done:
            return
        for other in sorted(file_arrows()[name]):
            visit(other, [*path, name])
        done.add(name)

    for name in file_arrows():
        visit(name, [])
    return found


def floors() -> int:
    """Of the studio: the longest way down through its rooms."""
    below: dict[str, set[str]] = {}
    for name, other in arrows():
        if within(name, "studio") and within(other, "studio"):
            below.setdefault(room_of(name), set()).add(room_of(other))

    def height(room: str) -> int:
        return 1 + max((height(other) for other in below.get(room, ())), default=0)

    return max(map(height, below), default=0)


def _figures() -> str:
    modules = [name for name in file_arrows() if within(name, "studio")]
    rooms = {room_of(name) for name in modules if room_of(name)}
    between = [(name, other) for name, other in arrows() if within(name, "studio") and within(other, "studio")]
    pairs = {(room_of(name), room_of(other)) for name, other in between}
    inside = sum(len(others) for name, others in file_arrows().items() if within(name, "studio"))
    return (
        f"studio/: {len(modules)} files in {len(rooms)} rooms on {floors()} floors; {len(pairs)} arrows between rooms, "
        f"made of {len(between)} imports; {inside} imports in all; circles: {len(circles())}"
    )


if __name__ == "__main__":
    print(_figures())
