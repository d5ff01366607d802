"""Rebuilds the prior from packages: `python -m engines.espeak.training.train [--output FILE] [--keep FOLDER]`. Under an hour on two cores.

All voices are read and aligned with eSpeak's reading by what each teaches about itself; a short training; all are aligned again by that
prior, more exactly; then the network that is kept. Every voice has heads of its own and of shorter and longer vocal tracts, so that the
heads span more speakers than there are voices. The same packages give the same bits.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import safetensors.numpy
import torch

from engines.espeak.prior.prior import Prior
from engines.espeak.training import corpus
from engines.espeak.training.fitting import fit_prior
from engines.espeak.training.presets import preset_tensors
from engines.espeak.training.prosody_fitting import fit_prosody
from engines.espeak.training.spoken_pool import pool_tensors
from engines.kit.phonemes import espeak_library

FIRST_STEPS, STEPS = 1000, 12_000
THREADS = 2  # sums depend on them


def save(prior: Prior, made: dict[str, np.ndarray], path: Path) -> None:
    """Write weights in float16, statistics in float32, and what was made of them as it is."""
    halved = {name: tensor.astype(np.float16 if tensor.ndim > 1 else np.float32) for name, tensor in prior.tensors.items()}
    metadata = {"heads": " ".join(prior.head_names)}
    safetensors.numpy.save_file({name: np.ascontiguousarray(t) for name, t in (halved | made).items()}, path, metadata)


def rebuild(folder: Path, output: Path) -> None:
    """Everything, with the readings kept in the folder until it is done."""
    torch.set_num_threads(THREADS)
    espeak_library.load()
    first = folder / "first.safetensors"
    corpus.build(folder / "alone")
    readings = corpus.Corpus.load(folder / "alone")
    save(_fitted(readings, FIRST_STEPS), {}, first)
    corpus.build(folder / "again", first)
    readings = corpus.Corpus.load(folder / "again")
    prior = _fitted(readings, STEPS)
    finish(prior, output)


def finish(prior: Prior, output: Path) -> None:
    """Write the asset, with what is made by the prior as the asset has it: the pool, and by that the built-in speakers."""
    save(prior, {}, output)
    pool = pool_tensors(Prior.load(output))
    save(prior, pool, output)
    save(prior, pool | preset_tensors(Prior.load(output)), output)


def _fitted(readings: corpus.Corpus, n_steps: int) -> Prior:
    prior = fit_prior(readings.utterances, readings.number_of, n_steps)
    return replace(prior, tensors=prior.tensors | fit_prosody(readings.utterances))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[1] / "prior" / "prior.safetensors")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="for the aligned readings, 2 GB; a temporary one when left out")
    arguments = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        rebuild(arguments.keep or Path(temporary), arguments.output)
    print(f"{(time.perf_counter() - started) / 60:.0f} minutes in all")  # noqa: T201 a script


if __name__ == "__main__":
    main()
