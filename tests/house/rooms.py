"""The rooms of the house in their order. `python -m tests.house.rooms` counts files, rooms, floors, arrows and circles.

A folder of the product is a room; within it, each sub-folder and each file of its own is a unit. An arrow A -> B is a file of one unit that
imports a file of another. Floors: the longest way down through the units of a folder, itself included.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from tests.house.source_files import ROOT, imports, module_name, product_files, within

__all__ = [
    "GROUND",
    "LAYERS",
    "MODELS",
    "MOST_FILES",
    "MOST_FLOORS",
    "arrows",
    "circles",
    "file_arrows",
    "floors",
    "layer_of",
    "rooms",
    "unit_of",
    "units",
    "ways_around",
]

MOST_FILES, MOST_FLOORS = 20, 12  # of a room; of a folder
Graph = Mapping[str, Collection[str]]  # who imports -> whom: of modules, of scripts, of rooms
HOUSE = "studio"
# Folders of engines/ that hold one engine each; they know nothing of each other.
MODELS = ("cosyvoice3", "dots", "espeak", "fish_speech", "kokoro", "omnivoice", "pocket_tts", "qwen3_tts", "remote", "voxcpm2", "voxtral")
# What everybody in studio/ knows: one unit.
GROUND = ("words", "settings", "errors", "timeline", "prompt_key", "workspace")
# Folder -> its units, from the ground to the roof. A file imports from its own unit and from layers before its unit's; units of one layer
# know nothing of each other.
LAYERS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "": (("engines",), ("studio",), ("app",)),
    "engines": (
        ("sentence_catalog", "plain_json", "durable"),
        ("errors",),
        ("clips", "text"),
        ("contract",),
        ("kit", "advice", "contract_suite"),
        (*MODELS, "plugins"),
        ("catalog",),
        ("new",),
    ),
    "engines.kit": (
        ("device",),
        ("weights", "sampling", "signal"),
        ("nn", "tokenizers", "phonemes"),
        ("speaker",),
        ("codec", "adapters", "alignment"),
        ("fused",),
        ("decode",),
        ("gauges",),
    ),
    "engines.dots": (
        ("config", "text_pieces"),
        ("options", "audio_vae"),
        ("input_sequence", "semantic_encoder"),
        ("interleaving",),
        ("velocity_field", "stream_start"),
        ("speech_model",),
        ("networks",),
        ("recording", "batched_decoder"),
        ("editing",),
        ("engine",),
        ("opening",),
    ),
    "engines.espeak": (
        ("vocoder", "reading"),
        ("prior",),
        ("speaker",),
        ("synthesis",),
        ("transcript_fit",),
        ("engine",),
        ("training",),
    ),
    "studio": (
        ("ground",),
        ("web", "audio", "reading", "storage", "crossed", "reports", "text_files"),
        ("running", "analysis"),
        ("speakers", "lexicons", "consents"),
        ("prompts", "reference"),
        ("speech",),
        ("library", "listening", "scripts", "evaluations"),
        ("assembly",),
        ("service",),
        ("speaker_design", "takes", "cast_tests", "evaluation_tests", "evaluation_orders"),
        ("api", "ui", "notebook", "wyoming"),
        ("server", "commands"),
        ("scale", "measure"),
    ),
    "studio.reading": (
        ("traced_text", "silences", "formula_guard"),
        ("parts", "lexicon", "numbers", "capitals"),
        ("draft", "language"),
        ("characters", "markup", "lines"),
        ("open_marks", "plain_words"),
        ("reader",),
        ("telling", "units"),
    ),
    "studio.api": (("door",), ("answers",), ("routes", "socket"), ("openai", "mcp"), ("app",)),
    "studio.listening": (
        ("plan",),
        ("keep",),
        ("people",),
        ("render", "vote"),
        ("model", "screening"),
        ("statistics",),
        ("report", "pairs", "planning"),
        ("foreign",),
        ("listening_folder",),
        ("making", "results"),
        ("listening",),
    ),
    "studio.scripts": (
        ("script",),
        ("keep", "dubbing", "cast_file", "mending"),
        ("intake",),
        ("saying",),
        ("export",),
        ("scripts_folder",),
        ("scripts",),
    ),
    "studio.evaluations": (
        ("plan",),
        ("texts", "measures", "statistics", "keep"),
        ("saying", "gate"),
        ("report",),
        ("evaluations_folder",),
        ("evaluations",),
    ),
    "studio.ui": (
        ("downloads",),
        ("gradio",),
        ("engines", "listener"),
        ("clips",),
        ("speak",),
        ("cache", "create", "listening_tests", "programs", "scripts"),
        ("voices",),
        ("frame",),
    ),
    "studio.measure": (
        ("arena", "evaluations", "fleet", "server", "listening_power", "listening_tests", "reading", "scripts", "word_times"),
        ("engines", "open_loop", "page", "quality"),
        ("bench", "gpu_script"),
    ),
}


@cache
def file_arrows() -> dict[str, frozenset[str]]:
    """Module -> the modules of the project that it imports. A package stands for its `__init__` alone.

    The package studio hands out its door when somebody asks for it (PEP 562), and imports nothing before.
    """
    modules = {module_name(file): file for file in product_files()}
    found = {HOUSE: frozenset()}
    for name, file in modules.items():
        if name == HOUSE:
            continue
        named = {imported for imported in imports(file) if imported in modules and imported != name}
        found[name] = frozenset(module for module in named if not any(other != module and within(other, module) for other in named))
    return found


@cache
def rooms() -> dict[str, int]:
    """Folder -> the number of its own Python files."""
    folders = Counter(".".join(file.relative_to(ROOT).parts[:-1]) for file in product_files())
    return {folder: n for folder, n in folders.items() if folder}


def units(folder: str) -> dict[str, set[str]]:
    """Unit of a folder -> the units that it imports. The folder's `__init__` alone is none."""
    found: dict[str, set[str]] = {}
    for name, imported in file_arrows().items():
        if unit := unit_of(name, folder):
            found.setdefault(unit, set()).update({unit_of(other, folder) for other in imported} - {unit, ""})
    return found


def layer_of(unit: str, folder: str) -> int:
    """The number of its layer, from 0. Raises KeyError where the order does not name it."""
    return {name: number for number, names in enumerate(LAYERS[folder]) for name in names}[unit]


def arrows(folder: str) -> Iterator[tuple[str, str]]:
    """(importing, imported) modules of different units of a folder."""
    for name, imported in file_arrows().items():
        unit = unit_of(name, folder)
        yield from ((name, other) for other in sorted(imported) if unit and unit_of(other, folder) not in (unit, ""))


def circles() -> list[str]:
    """Files that import each other, one way around each as "a -> b -> a"; then units that do, folder by folder."""
    found = list(ways_around(file_arrows()))
    for folder in ["", *rooms()]:
        found += [f"{folder}: {way}" for way in ways_around(units(folder))]
    return found


def unit_of(module: str, folder: str) -> str:
    """The unit of a folder that a module lies in; "" for what lies elsewhere, and for the folder's `__init__`."""
    inside = module.removeprefix(f"{folder}.") if folder else module
    if folder and inside == module:
        return ""
    unit = inside.split(".")[0]
    return "ground" if folder == "studio" and unit in GROUND else unit


def ways_around(graph: Graph) -> Iterator[str]:
    """Those that import each other, one way around each as "a -> b -> a"."""
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> Iterator[str]:
        if name in way:
            yield " -> ".join((*way[way.index(name) :], name))
        elif name not in done:
            for other in sorted(graph.get(name, ())):
                yield from visit(other, (*way, name))
            done.add(name)

    for name in sorted(graph):
        yield from visit(name, ())


def floors(graph: Graph) -> int:
    """The longest way down, both ends included. Raises ValueError where there is a circle."""
    if circle := next(ways_around(graph), None):
        raise ValueError(f"no floors, since rooms import each other: {circle}")

    @cache
    def height(name: str) -> int:
        return 1 + max(map(height, graph.get(name, ())), default=0)

    return max(map(height, graph), default=0)


def _figures(folder: str) -> str:
    inside = [name for name in file_arrows() if within(name, folder)]
    between, pairs = len(list(arrows(folder))), sum(map(len, units(folder).values()))
    figures = (len(inside), rooms().get(folder, 0), len(units(folder)), floors(units(folder)), pairs, between)
    return f"{folder or 'all':<18}" + "".join(f"{figure:>8}" for figure in figures)


if __name__ == "__main__":
    print(f"{'folder':<18}" + "".join(f"{name:>8}" for name in ("files", "own", "units", "floors", "arrows", "imports")))
    print("\n".join(_figures(folder) for folder in ("studio", "engines", *sorted(folder for folder in rooms() if folder.count(".") == 1))))
    print(f"rooms: {len(rooms())}; the largest has {max(rooms().values())} files; circles: {len(circles())}")
