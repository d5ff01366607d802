"""golden_command: the command line of those who make goldens: writes the files, or compares them with the committed ones."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import torch

from tests.parity import golden

__all__ = ["Made", "golden_command"]

Made = tuple[Path, Mapping[str, np.ndarray], Mapping[str, str]]  # file, tensors, facts


def golden_command(summary: str, made: Callable[[Path], Iterator[Made]], tolerance: Callable[[str], float], upstream: str) -> None:
    """made: every golden, from a folder for toy checkpoints. tolerance: of a file's name, relative to the largest number of a tensor.

    summary: for --help. upstream: who computes. Exits with 1 where a committed file differs.
    """
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for file, tensors, facts in made(Path(folder)):
            if arguments.check:
                wrong += [f"{file.name}: {line}" for line in golden.differences(tensors, golden.read(file), tolerance(file.stem))]
            else:
                golden.write(file, tensors, facts)
            print(f"{file.name}: {len(tensors)} tensors, least margin {facts['least_margin']}")
    print("\n".join(wrong) or f"The committed files are what {upstream} computes." * arguments.check)
    sys.exit(bool(wrong))
