"""Parity at the sizes of the releases, by hand: `python -m tests.parity.pocket_tts.full_size --official PYTHON 2M 100M`.

PYTHON as in `official.py`. Random weights of that size, the same noise: latents of a clip, keys and values of its voice, frames of a speech
that nothing corrects, each by the official package and by ours. Writes a line per number: the largest difference, and the largest number.
"""

import argparse
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from tests.parity.pocket_tts.cases import LONGER, clips, noise_of
from tests.parity.pocket_tts.checkpoints import VARIANTS, write_released_size

Tensors = dict[str, np.ndarray]

ROOT = Path(__file__).parents[3]
CLIP, SEED, LATENT_WIDTH = "long", 5, 32
FRAMES = {"24l": 12}  # of a speech; of others:
USUAL_FRAMES = 40
THAT_INT8_CHANGES = ("voice", "conditions", "logits", "latents")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", nargs="+", choices=VARIANTS)
    parser.add_argument("--official", metavar="PYTHON", help="an interpreter that has the official package")
    parser.add_argument("--write", type=Path, nargs=2, metavar=("FOLDER", "FILE"), help="the official side: of the checkpoint there")
    arguments = parser.parse_args()
    if arguments.write:
        folder, file = arguments.write
        np.savez(file, **official_numbers(folder, arguments.sizes[0]))
        return
    if not arguments.official:
        parser.error("say which Python has the official package: --official PYTHON")
    for size in arguments.sizes:
        compare(size, arguments.official)


def compare(size: str, python: str) -> None:
    """Both sides, one after the other, and what is between them."""
    with tempfile.TemporaryDirectory(prefix="pocket_tts-") as temporary:
        folder, file = Path(temporary) / size, Path(temporary) / "official.npz"
        write_released_size(folder, size, LONGER.replace(".", "").replace(",", "").split())
        command = [python, "-m", "tests.parity.pocket_tts.full_size", size, "--write", str(folder), str(file)]
        subprocess.run(command, cwd=ROOT, check=True)
        theirs = dict(np.load(file))
        for dtype in ("float32", "int8"):
            mine = our_numbers(folder, size, dtype, theirs)
            for name in THAT_INT8_CHANGES if dtype == "int8" else mine:
                numbers = mine[name]
                largest = float(np.abs(theirs[name]).max())
                print(f"{size} {dtype} {name}{list(numbers.shape)}: differs by {np.abs(numbers - theirs[name]).max():.2g} of {largest:.3g}")


def official_numbers(folder: Path, size: str) -> Tensors:
    """By the official package."""
    from tests.parity.pocket_tts import official

    package = official.Package(folder)
    state = package.state(clips()[CLIP])
    said = package.spoken(state, LONGER, partial(noise_of, SEED, width=LATENT_WIDTH), n_frames=FRAMES.get(size, USUAL_FRAMES))
    numbers = {"clip": package.encoded(clips()[CLIP]), "voice": official.keys_and_values(state)}
    return numbers | {
        "conditions": np.stack(said.conditions),
        "logits": np.array(said.logits, np.float32),
        "latents": np.stack(said.latents),
        "frames": np.stack(said.frames),
    }


def our_numbers(folder: Path, size: str, dtype: str, theirs: Tensors) -> Tensors:
    """By our networks. In int8 each frame follows the official one before it, or they would part for good."""
    import torch

    from engines.clips.clip import Clip
    from engines.pocket_tts.config_file import read_config
    from engines.pocket_tts.networks import read_networks
    from engines.pocket_tts.reference_encoder import latents_of
    from tests.engines.pocket_tts.opened import files_of
    from tests.parity.pocket_tts import by_hand

    files = files_of(folder)
    networks = read_networks(files, read_config(files.config), getattr(torch, dtype))
    voice = by_hand.voice_of(networks, latents_of(Clip(clips()[CLIP], 24_000), networks.encoder))
    frames = list(
        by_hand.frames_of(
            networks,
            voice,
            networks.tokenizer.ids(LONGER),
            partial(noise_of, SEED, 0, width=LATENT_WIDTH),
            FRAMES.get(size, USUAL_FRAMES),
            forced=theirs["latents"] if dtype == "int8" else None,
        )
    )
    heard = np.stack([frame.samples for frame in frames])
    heard[0, :120] *= np.linspace(0, 1, 120, dtype=np.float32)  # as the package fades it in
    numbers = {"clip": by_hand.latents_of_samples(networks, clips()[CLIP]), "voice": by_hand.halves(voice)}
    return numbers | {
        "conditions": np.stack([frame.condition for frame in frames]),
        "logits": np.array([frame.logit for frame in frames], np.float32),
        "latents": np.stack([frame.latent for frame in frames]),
        "frames": heard,
    }


if __name__ == "__main__":
    sys.exit(main())
