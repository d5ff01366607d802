"""Damages by engines: `python -m tests.engines.damages.matrix [ENGINE ...]` tries every damage on every engine and prints the table.

A cell is "ok" where the engine is refused by CheckpointInvalid or EngineUnavailable in words that name what is damaged and what to do next,
"-" where the engine has nothing of the kind. Any other cell is written out below the table, and the exit status is 1.
"""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from engines.catalog import open_engine
from engines.errors import CheckpointInvalid, EngineUnavailable
from tests.engines.damages.damages import DAMAGES
from tests.engines.damages.layouts import LAYOUTS, Layout

__all__ = ["cell", "faults", "intact"]

NOBODY = 65534  # who may read only what everybody may


def intact(engine_id: str, folder: Path) -> Path:
    """The engine's toy checkpoint, in the folder, which is made."""
    folder.mkdir(parents=True)
    LAYOUTS[engine_id].write(folder)
    return folder


def faults(engine_id: str, damage: str, folder: Path) -> Iterator[str]:
    """What is wrong with how the engine takes each of the files that the damage can happen to; "" where nothing is. folder: intact."""
    layout = LAYOUTS[engine_id]
    n_cases = len(list(DAMAGES[damage](folder, layout)))
    for i in range(n_cases):
        with TemporaryDirectory(dir=folder.parent) as place:
            copy = Path(place) / "checkpoint"
            shutil.copytree(folder, copy)
            os.chmod(place, 0o755)
            named, change = list(DAMAGES[damage](copy, layout))[i]
            change()
            with _as_nobody() if damage == "not permitted" else warnings.catch_warnings():
                yield _fault(engine_id, layout, copy, named)


def cell(engine_id: str, damage: str, folder: Path) -> str:
    """ "ok", "-", or what is wrong."""
    found = list(faults(engine_id, damage, folder))
    return "; ".join(filter(None, found)) or ("ok" if found else "-")


def _fault(engine_id: str, layout: Layout, folder: Path, named: str) -> str:
    try:
        engine = open_engine(engine_id, checkpoint=str(folder), device=None if engine_id == "pocket_tts" else "cpu")
    except (CheckpointInvalid, EngineUnavailable) as error:
        if not any(name in f"{error.fact} {error.hint}" for name in _names(named, folder)):
            return f"does not name {named}: {error.fact}"
        return "" if error.hint else f"no next step: {error.fact}"
    except Exception as error:
        return f"{type(error).__name__} for {named}: {str(error)[:150]}"
    engine.close()
    return f"opened with {named}"


def _names(named: str, folder: Path) -> Iterator[str]:
    """What a message may call it: the file or the tensor; of a tensor, the weight that it is half of, the module, the network."""
    yield named
    parts = named.split(".")
    if not (named and list(folder.rglob(named))):
        yield from (".".join(parts[:n]) for n in range(2, len(parts)) if parts[0])


@contextmanager
def _as_nobody() -> Iterator[None]:
    """A superuser may read everything, and is somebody else meanwhile."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(me)


def main(asked: Sequence[str]) -> int:
    engine_ids = list(asked) or list(LAYOUTS)
    told = []
    print(f"| damage | {' | '.join(engine_ids)} |\n|---|{'---|' * len(engine_ids)}")
    with TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        folders = {engine_id: intact(engine_id, Path(place) / engine_id / "intact") for engine_id in engine_ids}
        for damage in DAMAGES:
            cells = [cell(engine_id, damage, folders[engine_id]) for engine_id in engine_ids]
            told += [
                f"{engine_id}, {damage}: {found}" for engine_id, found in zip(engine_ids, cells, strict=True) if found not in ("ok", "-")
            ]
            print(f"| {damage} | {' | '.join(found if found in ('ok', '-') else 'FAILS' for found in cells)} |", flush=True)
    print(*told, sep="\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
