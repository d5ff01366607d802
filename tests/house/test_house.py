"""The house rules: arrows between packages, vocabulary, sizes, one place for the environment, docstrings everywhere."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOORS = ("studio.api", "studio.ui", "studio.measure")
# Where what was sent becomes the studio's own words, for all doors, and the studio's errors the contract's sentences.
TRANSLATION = ("studio.reference", "studio.speech.body", "studio.speech.request", "studio.speech.refusal")
MOST_FILE_LINES, MOST_FUNCTION_LINES, MOST_PARAMETERS, MOST_NESTING = 400, 60, 6, 3


def tracked(*patterns: str) -> list[Path]:
    """Files that git knows, or would (untracked and not ignored)."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


PYTHON_FILES = tracked("*.py")
PRODUCT = [file for file in PYTHON_FILES if file.relative_to(ROOT).parts[0] in ("engines", "studio", "app.py")]
by_name = pytest.mark.parametrize("file", PRODUCT, ids=module_name)
by_any_name = pytest.mark.parametrize("file", PYTHON_FILES, ids=module_name)


def imports(file: Path) -> Iterator[str]:
    """Every module that a file imports, at the top or inside a function."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@by_name
def test_imports_follow_the_arrows(file):
    """app -> doors -> studio -> engines; a door knows no other door, no model folder and no torch; a model knows no other model."""
    me, imported = module_name(file), set(imports(file))
    if within(me, "engines"):
        assert not [name for name in imported if within(name, "studio")]
        folder = next((me.split(".")[1] for path in [file] if path.parent.parent == ROOT / "engines"), None)
        models = {path.name for path in (ROOT / "engines").iterdir() if (path / "__init__.py").exists()} - {folder, "layers"}
        if folder is not None:
            assert not [name for name in imported for model in models if within(name, f"engines.{model}")]
        return
    door = next((door for door in DOORS if within(me, door)), None)
    if door:
        assert not [name for name in imported for other in DOORS if other != door and within(name, other)]
        assert not [name for name in imported if within(name, "torch")]
    elif me not in ("app", "studio.server"):
        assert not [name for name in imported for other in DOORS if within(name, other)]
    if not within(me, "studio.measure"):
        folders = [path.name for path in (ROOT / "engines").iterdir() if path.is_dir()]
        assert not [name for name in imported for folder in folders if within(name, f"engines.{folder}")]


@by_name
def test_only_settings_reads_the_environment(file):
    if module_name(file) != "studio.settings":
        assert not re.search(r"\benviron\b|\bgetenv\b", file.read_text())


@by_name
def test_the_words_of_the_http_door_stay_at_the_doors(file):
    """Inside it is speaker, clip, transcript, engine, text; model folders may use their model's own words."""
    me = module_name(file)
    if any(within(me, place) for place in (*DOORS, *TRANSLATION)) or (within(me, "engines") and me.count(".") > 1):
        return
    for node in ast.walk(ast.parse(file.read_text())):
        name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None) or getattr(node, "name", None)
        assert not re.search(r"voice|ref_audio|ref_text", str(name or ""), re.IGNORECASE), f"{file}:{node.lineno} {name}"


def test_no_engine_is_named_outside_its_folder_the_catalog_and_the_default():
    allowed = {"engines/catalog.py", "studio/settings.py"}
    folders = [path.name for path in (ROOT / "engines").iterdir() if (path / "__init__.py").exists() and path.name != "layers"]
    for file in PRODUCT:
        place = str(file.relative_to(ROOT))
        if place in allowed or place.startswith(tuple(f"engines/{folder}/" for folder in folders)) or place.startswith("studio/measure/"):
            continue
        constants = {node.value for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Constant)}
        assert not constants & set(folders), place


@by_any_name
def test_every_module_says_what_it_is_in_a_first_line(file):
    docstring = ast.get_docstring(ast.parse(file.read_text()))
    assert docstring, "no module docstring"


@by_any_name
def test_files_and_functions_stay_small(file):
    text = file.read_text()
    assert len(text.splitlines()) <= MOST_FILE_LINES
    assert file.stem not in ("utils", "helpers", "common", "base", "misc")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        where = f"{file.name}:{node.lineno} {node.name}"
        assert node.end_lineno - node.lineno < MOST_FUNCTION_LINES, where
        parameters = [p.arg for p in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs] if p.arg not in ("self", "cls")]
        if file in PRODUCT and not _is_route(node):
            assert len(parameters) <= MOST_PARAMETERS, where
        assert _nesting(node) <= MOST_NESTING, f"{where} nests {_nesting(node)} deep"


def test_web_files_stay_small():
    for file in tracked("*.js", "*.css"):
        assert len(file.read_text().splitlines()) <= MOST_FILE_LINES, file


def test_public_classes_and_functions_have_docstrings():
    """`__all__` is the promise of a module; what it names says what it is."""
    for file in PRODUCT:
        tree = ast.parse(file.read_text())
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
        text = file.read_text()
        assert not machine.search(text), file
        if file.suffix in (".py", ".js"):
            assert not unfinished.search(text), file


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
