"""Import of Gradio without three parts that nobody uses here: the stubs that it writes, its MCP, for which there is a door of our own, and
its reloading of code.

It parses the source of each component to write a .pyi beside it, at every import anew, which is 1.4 of the 3.4 s that the import takes;
editors read them, no program does. Where the package `mcp` is installed, as on every Space, it imports that too, a fifth of what is left.
On a Space it opens a server at port 7887, without a key, that changes the code of the running program. A studio with half of its code new
is no studio, and to make that server ready takes 1.3 s of a processor while the first visitors come.
(gradio/component_meta.py, gradio/mcp.py and gradio/http_server.py, 6.31; spaces/reloading, 0.51.3)
"""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import cast

__all__ = ["leave_out_stubs"]

WITH_WRITER, WRITER = "gradio.component_meta", "create_or_modify_pyi"
WITH_MCP, MCP = "gradio.mcp", "mcp"
WITH_RELOADER, RELOADER = "gradio.http_server", "watchfn_spaces"


def leave_out_stubs() -> None:
    """From now on. Nothing changes where Gradio is imported already."""
    if not any(isinstance(finder, _LightFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _LightFinder())


def _run_without_writer(run: Callable[[ModuleType], None], module: ModuleType) -> None:
    run(module)
    setattr(module, WRITER, lambda *_: None)


def _run_without_reloader(run: Callable[[ModuleType], None], module: ModuleType) -> None:
    run(module)
    setattr(module, RELOADER, lambda *_: None)


def _run_without_mcp(run: Callable[[ModuleType], None], module: ModuleType) -> None:
    """Gradio does without where the package is not installed, which is what None says."""
    if MCP in sys.modules:
        run(module)
        return
    cast(dict[str, ModuleType | None], sys.modules)[MCP] = None
    try:
        run(module)
    finally:
        del sys.modules[MCP]


class _LightFinder(MetaPathFinder):
    """Finds those three modules as everybody does, and runs them in its own way; one that is loaded again runs as it is."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        run_lightly = {WITH_WRITER: _run_without_writer, WITH_MCP: _run_without_mcp, WITH_RELOADER: _run_without_reloader}.get(fullname)
        if run_lightly is None or target is not None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module
        spec.loader.exec_module = lambda module: run_lightly(run, module)
        return spec
