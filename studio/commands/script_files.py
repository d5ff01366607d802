"""The files that the command `script` writes: what --out names, subtitles beside it, a dubbed video."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from studio.commands.script_formats import SCRIPT_ENDINGS
from studio.errors import OutputUnknown

if TYPE_CHECKING:
    from studio.scripts.export.order import ExportedFile, ExportOrder, ExportReport
    from studio.scripts.scripts import Scripts

__all__ = ["orders_of", "written_beside"]

BESIDE = {"srt": ".srt", "vtt": ".vtt", "karaoke_vtt": ".karaoke.vtt", "words": ".words.json"}  # endings of subtitles


def orders_of(options: argparse.Namespace) -> "list[tuple[ExportOrder, Path]]":
    """What is exported, and where to. Raises OutputUnknown."""
    from studio.scripts.export.order import ExportOrder

    if options.out is None or options.list or options.read:
        return []
    missing = "skip" if options.skip_unsaid else "refuse"
    orders = []
    if options.dub is None:
        form = options.format or SCRIPT_ENDINGS.get(options.out.suffix.lower())
        if form is None:
            raise OutputUnknown(options.out.suffix or options.out.name, tuple(SCRIPT_ENDINGS))
        fields = {"format": form, "split": options.split or "none", "loudness": options.loudness or "none", "missing": missing}
        orders.append((ExportOrder.model_validate(fields), options.out))
    for form in options.subtitles or ():
        orders.append((ExportOrder.model_validate({"format": form, "missing": missing}), options.out.with_suffix(BESIDE[form])))
    return orders


def written_beside(options: argparse.Namespace, scripts: "Scripts", script_id: str) -> "Iterator[tuple[Path, ExportReport]]":
    """Each file, once it is there whole, with what is to be known of it; one that was there is replaced.

    Raises what the export does, OSError.
    """
    if options.dub is not None and options.out is not None:
        from studio.scripts.dubbing.order import DubOrder

        fields = {"original": options.original, "original_db": options.original_db, "missing": "skip" if options.skip_unsaid else "refuse"}
        order = DubOrder.model_validate({name: value for name, value in fields.items() if value is not None})
        file = scripts.dub(script_id, options.dub, order)
        yield _saved(file, options.out), file.report
    for order, path in orders_of(options):
        file = scripts.export(script_id, order)
        yield _saved(file, path), file.report


def _saved(file: "ExportedFile", path: Path) -> Path:
    file.save(path)
    return path
