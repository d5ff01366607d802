"""The house rules: vocabulary, sizes, names, one place for the environment, docstrings everywhere."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.house.rooms import MODELS
from tests.house.source_files import ROOT, module_name, nodes_of, product_files, sentence_of, text_of, tracked, tree_of, within

MOST_FILE_LINES, MOST_FUNCTION_LINES, MOST_PARAMETERS, MOST_NESTING = 400, 60, 6, 3
DOORS = ("studio.api", "studio.ui", "studio.notebook", "studio.wyoming", "studio.commands", "studio.measure")
# Where what was sent becomes the studio's own words, for all doors, and the studio's errors the contract's sentences. The cast of a script
# is one form at all doors, in its database and in its file, in the words of the doors.
TRANSLATION = (
    *("studio.reference", "studio.speech.body", "studio.speech.request", "studio.speech.refusal"),
    *("studio.scripts", "studio.cast_tests", "studio.evaluations", "studio.evaluation_orders", "studio.evaluation_tests"),
)


def test_only_settings_reads_the_environment():
    reads = re.compile(r"\benviron\b|\bgetenv\b")
    assert not [file for file in product_files() if not within(module_name(file), "studio.settings") and reads.search(text_of(file))]


def test_the_words_of_the_http_door_stay_at_the_doors():
    """Inside it is speaker, clip, transcript, engine, text; model folders may use their model's own words."""
    words = re.compile(r"voice|ref_audio|ref_text", re.IGNORECASE)
    for file in product_files():
        me = module_name(file)
        of_model = me.startswith(tuple(f"engines.{folder}." for folder in (*MODELS, "kit"))) or (
            me.startswith("engines.") and file.name == "__init__.py"
        )
        if me.startswith((*DOORS, *TRANSLATION)) or of_model:
            continue
        for node in nodes_of(file):
            name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None) or getattr(node, "name", None)
            assert not words.search(str(name or "")), f"{file}:{node.lineno} {name}"


def test_no_engine_is_named_outside_its_folder_the_catalog_and_the_default():
    allowed = ("engines/catalog.py", "studio/settings/")
    for file in product_files():
        place = str(file.relative_to(ROOT))
        if place.startswith((*allowed, *(f"engines/{model}/" for model in MODELS))):
            continue
        constants = {node.value for node in nodes_of(file) if isinstance(node, ast.Constant)}
        assert not constants & set(MODELS), place


def test_a_class_name_means_one_thing_in_the_project():
    named = Counter(node.name for file in product_files() for node in tree_of(file).body if isinstance(node, ast.ClassDef))
    assert not [name for name, count in named.items() if count > 1]


def test_files_and_functions_stay_small():
    for file in tracked("*.py"):
        assert len(text_of(file).splitlines()) <= MOST_FILE_LINES, file
        assert file.stem not in ("utils", "helpers", "common", "base", "misc"), file
        for node in _functions(nodes_of(file)):
            where = f"{file.name}:{node.lineno} {node.name}"
            assert node.end_lineno - node.lineno < MOST_FUNCTION_LINES, where
            assert _nesting(node) <= MOST_NESTING, f"{where} nests {_nesting(node)} deep"
    for file in product_files():
        for node in _functions(nodes_of(file)):
            parameters = [p.arg for p in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs] if p.arg not in ("self", "cls")]
            assert _is_route(node) or len(parameters) <= MOST_PARAMETERS, f"{file.name}:{node.lineno} {node.name}"
    for file in tracked("*.js", "*.css"):
        assert len(text_of(file).splitlines()) <= MOST_FILE_LINES, file


def test_how_deep_python_lets_one_go_is_nobodys_answer():
    """It moves with Python's version: whoever reads what is nested asks for a depth of his own (engines/plain_json.py)."""
    caught = {
        file.name for file in product_files() for node in nodes_of(file) if isinstance(node, ast.Name) and node.id == "RecursionError"
    }
    assert not caught


def test_modules_and_what_they_export_say_what_they_are():
    """`__all__` is the promise of a module; what it names says what it is."""
    for file in tracked("*.py"):
        assert sentence_of(file), f"{file} has no module docstring"
    for file in product_files():
        tree = tree_of(file)
        exported = next(
            (ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and _target(node) == "__all__"), []
        )
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in exported:
                documented = ast.get_docstring(node) or _tells_itself(node)
                assert documented, f"{file.name}: {node.name} has no docstring"


def test_nothing_in_the_repository_tells_of_this_machine_or_looks_unfinished():
    machine = re.compile(r"/" + r"work/|/" + r"root/|/" + r"tmp/[a-z]+_jobs|files\.python" + r"hosted|pypi\.org/" + r"simple")
    unfinished = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|NotImplemented" + r"Error)\b")
    for file in tracked("*.py", "*.md", "*.js", "*.css", "*.toml", "*.txt", "*.json", "Makefile", ".ci/*"):
        assert not machine.search(text_of(file)), file
        if file.suffix in (".py", ".js"):
            assert not unfinished.search(text_of(file)), file


def _functions(nodes: tuple[ast.AST, ...]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _is_route(node: ast.FunctionDef) -> bool:
    """A FastAPI route's parameters are its form fields; their number is the contract's."""
    return any(isinstance(d, ast.Call) and getattr(d.func, "attr", "") in ("get", "post", "put", "delete") for d in node.decorator_list)


def _target(node: ast.Assign) -> str:
    return getattr(node.targets[0], "id", "")


def _tells_itself(node: ast.stmt) -> bool:
    """An exception class whose name and parent say it all, or a function of a few lines with annotated types."""
    if isinstance(node, ast.ClassDef):
        return any(getattr(parent, "id", "").endswith(("Error", "Mistake", "Failed")) for parent in node.bases)
    return node.end_lineno - node.lineno < 6 and node.returns is not None


BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.AsyncFor, ast.AsyncWith, ast.Match)


def _nesting(node: ast.AST) -> int:
    """How deep blocks lie in blocks; an elif is no deeper than its if, a nested function starts again."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and child in node.orelse and len(node.orelse) == 1
        deepest = max(deepest, _nesting(child) + (isinstance(child, BLOCKS) and not is_elif))
    return deepest
