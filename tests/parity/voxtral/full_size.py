"""Parity at the size of the release, by hand: `python -m tests.parity.voxtral.full_size --official PYTHON`.

PYTHON as in `official.py`. Random weights of that size, but for a backbone of few layers and tokens: the flow head's velocities and codes,
audio of codes, codes of a recording, a prompt's states and frames of a speech, each by official code and by ours, in float32; the flow head
and the backbone also in bfloat16, behind the official frames. Writes a line per number: the largest difference, and the largest number; of
codes how many differ.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from tests.parity.voxtral.cases import SCALES, Speech, clip_of, made_codes, made_states, noise_of_rows
from tests.parity.voxtral.checkpoints import LAYERS, VOICE, write_released_size

Tensors = dict[str, np.ndarray]

ROOT = Path(__file__).parents[3]
SPEECH = Speech("4B", VOICE, 5, n_frames=6)
N_SEMANTIC, N_FRAMES, N_SAMPLES, VOCABULARY = 8192, 30, 40_000, 4096


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=LAYERS, default="4B-1-layer", help="by layers of the backbone")
    parser.add_argument("--official", metavar="PYTHON", help="an interpreter that has the official packages")
    parser.add_argument("--write", type=Path, nargs=2, metavar=("FOLDER", "FILE"), help="the official side: of the checkpoint there")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32", help="with --write")
    arguments = parser.parse_args()
    if arguments.write:
        folder, file = arguments.write
        np.savez(file, **official_numbers(folder, arguments.dtype))
        return
    if not arguments.official:
        parser.error("say which Python has the official packages: --official PYTHON")
    compare(arguments.size, arguments.official)


def compare(size: str, python: str) -> None:
    """Both sides, one after the other, and what is between them."""
    with tempfile.TemporaryDirectory(prefix="voxtral-") as temporary:
        folder, file = Path(temporary) / size, Path(temporary) / "official.npz"
        write_released_size(folder, size, vocab_size=VOCABULARY)
        for dtype in ("float32", "bfloat16"):
            command = [python, "-m", "tests.parity.voxtral.full_size", "--dtype", dtype, "--write", str(folder), str(file)]
            subprocess.run(command, cwd=ROOT, check=True)
            theirs = dict(np.load(file))
            for name, mine in our_numbers(folder, dtype, theirs["codes"]).items():
                print(f"{size} {dtype} {name}{list(mine.shape)}: {_between(mine, theirs[name])}", flush=True)


def _between(mine: np.ndarray, theirs: np.ndarray) -> str:
    if theirs.dtype.kind == "i":
        return f"{int((mine != theirs).sum())} of {theirs.size} codes differ"
    return f"differs by {np.abs(mine - theirs).max():.2g} of {np.abs(theirs).max():.3g}"


def official_numbers(folder: Path, dtype: str) -> Tensors:
    """By official code. The codec is float32, and not in numbers of bfloat16."""
    from tests.parity.voxtral import official

    package = official.Package(folder, getattr(torch, dtype))
    flowed = package.flowed(made_states(len(SCALES), 3072), noise_of_rows(len(SCALES)), torch.tensor(SCALES))
    spoken = package.spoken(SPEECH)
    floats = {"velocities": flowed.velocities, "logits": flowed.logits[:, 1 : 2 + N_SEMANTIC], "states": torch.stack(spoken.states)}
    numbers = {name: tensor.float().numpy() for name, tensor in floats.items()}
    numbers |= {"flow_codes": flowed.codes[:3, 1:].numpy() - 2, "codes": spoken.frames}
    if dtype == "float32":
        numbers["samples"] = package.decoded(made_codes(N_FRAMES, N_SEMANTIC))
        numbers["recording"] = package.encoded(np.array(clip_of(N_SAMPLES).samples))[0]
    return numbers


@torch.inference_mode()
def our_numbers(folder: Path, dtype: str, codes: np.ndarray) -> Tensors:
    """By our networks; each frame of the speech follows the official one before it."""
    from engines.voxtral.networks import read_networks
    from tests.parity.voxtral import by_hand

    networks = read_networks(folder, torch.device("cpu"), getattr(torch, dtype))
    states = made_states(len(SCALES), 3072)
    flowed = by_hand.flowed(networks.flow, states, noise_of_rows(len(SCALES)), SCALES)
    made = list(by_hand.spoken(networks, by_hand.prompt_rows(networks, SPEECH), SPEECH, codes))
    floats = {"velocities": flowed.velocities, "logits": networks.flow.semantic_logits(states.to(networks.dtype))}
    floats["states"] = torch.stack([state for state, _ in made])
    numbers = {name: tensor.float().numpy() for name, tensor in floats.items()}
    numbers |= {"flow_codes": flowed.codes[:3].numpy(), "codes": np.array([frame for _, frame in made]).T}
    if dtype == "float32":
        numbers["samples"] = by_hand.read(networks, made_codes(N_FRAMES, N_SEMANTIC))
        numbers["recording"] = by_hand.encoded(networks, clip_of(N_SAMPLES)).astype(np.int64)
    return numbers


if __name__ == "__main__":
    sys.exit(main())
