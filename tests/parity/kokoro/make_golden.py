"""Makes the golden files of Kokoro, or compares: `PYTHON -m tests.parity.kokoro.make_golden [--check]`, PYTHON as in `official.py`.

From the repository's root. Writes the toy checkpoints of the tests into a temporary folder, runs the official package on them and writes
what every stage of it computed; with --check it writes nothing and lists what differs.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.engines.kokoro.random_checkpoint import KINDS, RECIPE, tiny, write_tiny_checkpoint
from tests.engines.kokoro.tensors import tensors as tensors_of
from tests.parity.golden_command import Made, golden_command
from tests.parity.kokoro import official
from tests.parity.kokoro.cases import CASES, GOLDEN, Case, thinned
from tests.released.release import FACTS

TOLERANCE = 2e-6  # between two machines, relative to the largest number of a tensor
LEAST_MARGIN = 1e-3  # of a duration from the half that rounds it: nearer, the number of frames is luck
WHOLE = ("frames", "f0", "source", "features")  # which our networks are given, so that stages are compared alone


def main() -> None:
    """Command line."""
    golden_command(__doc__.splitlines()[0], _made, lambda name: TOLERANCE, "the official package")


def _made(folder: Path) -> Iterator[Made]:
    check_tables()
    models = {kind: official.read(write_tiny_checkpoint(folder / kind, kind)) for kind in KINDS}
    for case in CASES:
        style = case.style(2 * tiny(case.kind)["style_dim"])
        found = official.stages(models[case.kind], case.symbols, style, case.speed)
        margin = check_case(case, found)
        tensors = {name: numbers if name in WHOLE else thinned(numbers) for name, numbers in found.items()}
        facts = {"recipe": RECIPE, "seed": "0", "upstream": official.UPSTREAM, "least_margin": f"{margin:.3g}"}
        yield GOLDEN / f"{case.name}.safetensors", tensors, facts


def check_tables() -> None:
    """The table that checkpoints are made from names what the official classes have, at toy size and as released."""
    released = json.loads((FACTS / "kokoro" / "config.json").read_text(encoding="utf-8"))
    for config, own in ((released, True), *((tiny(kind), False) for kind in KINDS)):
        mine, true = tensors_of(config), official.shapes_of_classes(config, own_decoder=own)
        if mine != true:
            raise SystemExit(f"Tensors differ from the official classes: {sorted(set(mine.items()) ^ set(true.items()))[:8]}")


def check_case(case: Case, found: dict[str, np.ndarray]) -> float:
    """How near a duration is to the half between two frames. Raises SystemExit where a number hides a mistake."""
    margin = float(np.abs(found["durations"] % 1 - 0.5).min())
    voiced = found["f0"] > 10
    if margin < LEAST_MARGIN or not 0.1 < voiced.mean() < 0.95 or np.abs(found["f0"] - 10).min() < 1e-2:
        raise SystemExit(f"{case.name}: a duration is {margin:.2g} from a half, {voiced.mean():.0%} is voiced. Take another case.")
    if len(set(found["frames"])) < 2 or not 0.1 < np.abs(found["samples"]).mean() < 10:
        raise SystemExit(f"{case.name}: {found['frames']} frames, {np.abs(found['samples']).mean():.2g} loud. Take another case.")
    return margin


if __name__ == "__main__":
    main()
