"""The project's own files, each read and parsed once, and what they import."""

import ast
import gc
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def tracked(*patterns: str) -> tuple[Path, ...]:
    """Files that git knows, or would (untracked and not ignored)."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists())


def product_files() -> tuple[Path, ...]:
    """What is run: app.py, engines/ and studio/."""
    return tuple(file for file in tracked("*.py") if file.relative_to(ROOT).parts[0] in ("engines", "studio", "app.py"))


@cache
def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def tree_of(file: Path) -> ast.Module:
    with _not_looked_through():
        return ast.parse(text_of(file))


@cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file: several claims look at each."""
    return tuple(ast.walk(tree_of(file)))


@contextmanager
def _not_looked_through() -> Iterator[None]:
    """What is made meanwhile stays: to search a million nodes for rubbish again and again takes longer than to make them."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(file: Path) -> Iterator[str]:
    """Every module that a file imports, at the top or inside a function."""
    for node in nodes_of(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def sentence_of(file: Path) -> str:
    """The first line of a module's docstring, "" where there is none."""
    return (ast.get_docstring(tree_of(file)) or "").split("\n", 1)[0]
