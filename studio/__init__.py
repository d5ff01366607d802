"""The studio around the engines: names, disk, cache, threads and timing. It knows no model.

`from studio import Studio` is the studio of Python programs and notebooks (studio/notebook/); to import the package alone
imports nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.notebook.notebook import NotebookStudio as Studio

__all__ = ["Studio", "__version__"]

__version__ = "0.3.0"


def __getattr__(name: str) -> object:
    """`Studio`, when somebody asks for it: it brings all the rooms along, which ask this package for its version."""
    if name != "Studio":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from studio.notebook.notebook import NotebookStudio

    return NotebookStudio
