"""Rebuilds voices.safetensors: `python -m engines.kokoro.training.voices FOLDER`, the folder of `voices/*.bin` of npm's kokoro-js 1.2.1.

A voice is a table of 510 rows of 256 numbers, one row for each number of symbols of a text. All 54 tables are made of the same few
functions of that number: the singular values of the tables side by side fall to the rounding of float32 behind the 14th. So the file has
these functions once, and what each voice takes of them.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from engines.kokoro.voices.voice_table import CURVES, FILE, VoiceTable

__all__ = ["decomposed", "official_tables"]

N_CURVES = 14
SHAPE = (510, 256)


def official_tables(folder: Path) -> dict[str, np.ndarray]:
    """Name -> (510, 256) float32."""
    return {file.stem: np.fromfile(file, np.float32).reshape(SHAPE) for file in sorted(folder.glob("*.bin"))}


def decomposed(tables: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """CURVES (510, N_CURVES), and by the name of each voice (N_CURVES, 256), float32: their product is nearest to its table."""
    beside = np.concatenate([table.astype(np.float64) for table in tables.values()], axis=1)
    curves, sizes, parts = np.linalg.svd(beside, full_matrices=False)
    parts = np.split(sizes[:N_CURVES, None] * parts[:N_CURVES], len(tables), axis=1)
    shares = {name: np.ascontiguousarray(part, np.float32) for name, part in zip(tables, parts, strict=True)}
    return {CURVES: np.ascontiguousarray(curves[:, :N_CURVES], np.float32), **shares}


def _main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    tables = official_tables(parser.parse_args().folder)
    save_file(decomposed(tables), FILE, {"source": "voices of hexgrad/Kokoro-82M (Apache-2.0), from npm kokoro-js 1.2.1; see NOTICE"})
    table = VoiceTable(FILE)
    errors = [np.abs(table.row({name: 1.0}, row + 1) - rows[row]).max() for name, rows in tables.items() for row in range(len(rows))]
    print(f"{len(tables)} voices, {FILE.stat().st_size / 1e6:.2f} MB, largest error {max(errors):.1e}")  # noqa: T201 a script


if __name__ == "__main__":
    _main()
