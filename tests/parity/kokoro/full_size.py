"""Parity at the size of the release, by hand: `python -m tests.parity.kokoro.full_size --official PYTHON`, PYTHON as in `official.py`.

The packaged weights, as our reader restores them, in both networks; sentences of two languages in two voices. Writes a line per stage: the
largest difference, and the largest number. What is called "own source" is all of ours, as it speaks; the lines before it are given the
official source, since in silence the phases of the source are rounding and nothing else.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from engines.kokoro.config import KokoroConfig
from engines.kokoro.network.generator import Timbre
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.symbols import numbers_of, symbols_of
from engines.kokoro.voices.voice_table import voice_table
from engines.kokoro.weights.sources import open_weights

Numbers = dict[str, np.ndarray]

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "tests" / "released" / "kokoro" / "config.json"
SPEECHES = (
    ("en-us", "af_heart", "The weather report says rain this afternoon."),
    ("es", "em_alex", "¿Qué tal? Mañana nos vemos en la plaza, a las tres."),
)
SPEED = 1.0


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--official", metavar="PYTHON", help="an interpreter that has the official package")
    parser.add_argument("--write", type=Path, nargs=2, metavar=("WEIGHTS", "FOLDER"), help="the official side: of the weights there")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.write:
        write_official(*arguments.write)
        return
    if not arguments.official:
        parser.error("say which Python has the official package: --official PYTHON")
    compare(arguments.official)


def compare(python: str) -> None:
    """Both sides, one after the other, and what is between them."""
    _, checkpoint = open_weights(None)
    with tempfile.TemporaryDirectory(prefix="kokoro-") as folder, checkpoint:
        weights = Path(folder) / "weights.pt"
        torch.save({name: checkpoint.tensor(name) for name in checkpoint.names}, weights)
        subprocess.run([python, "-m", "tests.parity.kokoro.full_size", "--write", str(weights), folder], cwd=ROOT, check=True)
        network = KokoroNetworks.read(KokoroConfig(), checkpoint, torch.float32)
        for number, (language, voice, text) in enumerate(SPEECHES):
            theirs = dict(np.load(Path(folder) / f"{number}.npz"))
            print(f"{voice}: {text}")
            for name, mine in ours(network, *inputs(language, voice, text), theirs).items():
                official = theirs[name.partition(",")[0]]
                difference = np.abs(mine - official).max() if mine.shape == official.shape else np.inf
                print(f"  {name}{list(mine.shape)}: differs by {difference:.2g} of {np.abs(official).max():.3g}{_decibels(mine, official)}")


def inputs(language: str, voice: str, text: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Symbols (1, N) and style (1, 256)."""
    symbols = symbols_of(text, language).symbols
    return torch.tensor([numbers_of(symbols)]), torch.from_numpy(voice_table().row({voice: 1.0}, len(symbols)))[None]


@torch.no_grad()
def ours(network: KokoroNetworks, symbols: torch.Tensor, style: torch.Tensor, theirs: Numbers) -> Numbers:
    """Each stage of ours behind those of ours before it."""
    encoded, durations = network.encode(symbols, style)
    frames = durations.div(SPEED).round().clamp(min=1).long()
    plan = network.plan(symbols, encoded, frames, style)
    features, generator, timbre = (
        network.features(plan, style[:, : network.config.style]),
        network.decoder.generator,
        Timbre(style[:, : network.config.style], {}),
    )
    found = {
        "bert": network.bert_encoder(network.bert(symbols)),
        "encoded": encoded,
        "durations": durations[None],
        "frames": frames[None],
    }
    found |= {"text": network.text_encoder(symbols), "f0": plan.f0, "energy": plan.energy, "features": features}
    for label, source in (("", torch.from_numpy(theirs["source"])[None]), (", own source", generator.source(plan.f0))):
        spectrum = generator.spectrum(features, source, timbre)
        found |= {f"spectrum{label}": spectrum, f"samples{label}": generator.samples(spectrum)}
    return {name: numbers[0].numpy() for name, numbers in found.items()}


def write_official(weights: Path, folder: Path) -> None:
    """What the official network computes with these weights, in which weight norms are folded."""
    import json

    from tests.parity.kokoro import official

    config = json.loads(CONFIG.read_text(encoding="utf-8"))
    wanted, stored = official.shapes_of_classes(config, own_decoder=True), torch.load(weights, weights_only=True)
    tensors = {}
    for name, shape in wanted.items():
        weight = name.removesuffix("_g").removesuffix("_v")
        if name.startswith("bert.pooler."):
            tensors[name] = torch.zeros(shape)  # which the export has left out, as nobody asks it
        elif name.endswith("_g"):
            tensors[name] = stored[weight].flatten(1).norm(dim=1).view(shape)
        elif name.endswith("_v"):  # a row that became zeros in 8 bits has no direction: any will do
            is_zero = ~stored[weight].flatten(1).any(1)
            tensors[name] = stored[weight] + is_zero.float().view(-1, 1, 1)
        else:
            tensors[name] = stored[weight]
    model = official.model_of(config, tensors, own_decoder=True)
    for number, speech in enumerate(SPEECHES):
        symbols, style = inputs(*speech)
        np.savez(folder / f"{number}.npz", **official.stages(model, symbols.numpy(), style.numpy(), SPEED))


def _decibels(mine: np.ndarray, official: np.ndarray) -> str:
    error = np.square(mine.astype(np.float64) - official).sum() if mine.shape == official.shape else np.inf
    return f", {10 * np.log10(np.square(official.astype(np.float64)).sum() / error):.0f} dB" if error else ", equal"


if __name__ == "__main__":
    sys.exit(main())
