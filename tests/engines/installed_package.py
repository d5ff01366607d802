"""Packages with an engine as an installer leaves them: what is on the path, and its metadata beside it."""

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from engines import catalog, plugins


def install(folder: Path, distribution: str, engines: Mapping[str, str]) -> None:
    """The metadata of a distribution in that folder. engines: id -> "module:name"."""
    information = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"[{plugins.GROUP}]", *(f"{name} = {value}" for name, value in engines.items())]
    (information / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def install_project(folder: Path) -> None:
    """The same of a project whose modules lie in that folder, by its pyproject.toml."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(folder, project["name"], project["entry-points"][plugins.GROUP])


@contextmanager
def on_the_path(folder: Path) -> Iterator[None]:
    """While it holds the catalog finds what is installed in the folder."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        catalog._plugins.cache_clear()
        try:
            yield
        finally:
            _forget(set(sys.modules) - before, folder)
    catalog._plugins.cache_clear()


def _forget(modules: Iterable[str], folder: Path) -> None:
    """Those of the folder: another one may have modules of these names."""
    for name in modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]
