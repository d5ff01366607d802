"""Importing Gradio without its stubs: it parses the source of each component to write a .pyi beside it, at every import anew.

That is 1.4 of the 3.4 s which the import takes. Editors read them, no program does. (gradio/component_meta.py, 6.31)
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

__all__ = ["leave_out_stubs"]

MODULE, WRITER = "gradio.component_meta", "create_or_modify_pyi"


def leave_out_stubs() -> None:
    """From now on. Nothing changes where Gradio is imported already."""
    if not any(isinstance(finder, _StublessFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _StublessFinder())


class _StublessFinder(MetaPathFinder):
    """Finds that one module as everybody does, and takes the writer out of it once it has run."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        run = spec.loader.exec_module

        def run_and_take_out(module: ModuleType) -> None:
            run(module)
            setattr(module, WRITER, lambda *_: None)

        spec.loader.exec_module = run_and_take_out
        return spec
