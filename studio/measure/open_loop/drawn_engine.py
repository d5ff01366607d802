"""An engine for a server where no weights are: a released size whose weights are drawn, installed for one process as a package's engine.

It speaks as fast as with real weights, and says nothing. Its name is `drawn`.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engines.catalog import engine_info, open_random_engine
from engines.contract.contract import Engine
from engines.contract.options import Value
from engines.contract.package import EnginePackage, Progress
from engines.plugins import GROUP

__all__ = ["DRAWN", "drawn_environment", "drawn_package"]

DRAWN = "drawn"
MODULE = "drawn_speech_engine"


def drawn_environment(folder: Path, engine: str, size: str) -> Mapping[str, str]:
    """What a studio's process needs in its environment to have the engine. folder: an empty one, which the package is written to."""
    described = folder / f"{MODULE}-1.dist-info"
    described.mkdir()
    described.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {MODULE}\nVersion: 1\n", encoding="utf-8")
    described.joinpath("entry_points.txt").write_text(f"[{GROUP}]\n{DRAWN} = {MODULE}:PACKAGE\n", encoding="utf-8")
    text = f"from {__name__} import drawn_package\n\nPACKAGE = drawn_package({engine!r}, {size!r})\n"
    folder.joinpath(f"{MODULE}.py").write_text(text, encoding="utf-8")
    root = Path(__file__).resolve().parents[3]
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(root)]), "STUDIO_DEFAULT_ENGINE": DRAWN}


def drawn_package(name: str, size: str) -> EnginePackage:
    """Of that engine of the catalog."""
    info = replace(
        engine_info(name), id=DRAWN, title=f"{engine_info(name).title} {size}, drawn", weights_command="", weights_bytes=0, hub_id=""
    )

    def open_drawn(
        checkpoint: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        progress: Progress | None = None,
        **options: Value,
    ) -> Engine:
        engine = open_random_engine(name, size, device=device, dtype=dtype, options=options)
        engine.info = replace(engine.info, id=DRAWN)
        return engine

    return EnginePackage(info, open_drawn)
