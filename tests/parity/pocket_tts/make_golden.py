"""Makes the golden files of Pocket TTS, or compares: `PYTHON -m tests.parity.pocket_tts.make_golden [--check]`, PYTHON as in `official.py`.

From the repository's root, with an interpreter that has the official package. Writes the toy checkpoints of the tests into a temporary
folder, runs the official package on them and writes what it computed; with --check it writes nothing and lists what differs.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from tests.engines.pocket_tts.random_checkpoint import RECIPE
from tests.engines.pocket_tts.tensors import tensors as tensors_of
from tests.engines.pocket_tts.tiny_checkpoint import write_tiny_checkpoint
from tests.parity.golden_command import Made, golden_command
from tests.parity.pocket_tts import official
from tests.parity.pocket_tts.cases import (
    ENDINGS,
    GOLDEN,
    HEARD,
    KINDS,
    NEVER,
    PIECE_KINDS,
    PIECE_TEXTS,
    PIECED_OTHERWISE,
    SPEECHES,
    TEXT,
    TOKEN_TEXTS,
    VOICE,
    Speech,
    SpeechChunk,
    as_bytes,
    clips,
    noise_of,
    recordings,
    thinned,
    thinned_frames,
)
from tests.parity.pocket_tts.checkpoints import write_toy

TOLERANCE = 2e-6  # between two machines, relative to the largest number of a tensor
LEAST_MARGIN = 1e-4  # of a logit from the threshold: a hundred times the rounding; nearer, the end of a speech is luck
ALL_TEXTS = (*PIECE_TEXTS, *PIECED_OTHERWISE)
FADE_SAMPLES = 120  # at the start of a piece of text

Tensors = dict[str, np.ndarray]
Golden = tuple[str, Tensors, float]  # name, tensors, least margin


def main() -> None:
    """Command line."""
    golden_command(__doc__.splitlines()[0], _made, lambda name: TOLERANCE, "the official package")


def _made(folder: Path) -> Iterator[Made]:
    check_tables()
    for name, tensors, margin in goldens(folder):
        if margin < LEAST_MARGIN:
            raise SystemExit(f"{name}: a logit is {margin:.2g} from the threshold. Take another threshold.")
        facts = {"recipe": RECIPE, "seed": "0", "upstream": official.UPSTREAM, "least_margin": f"{margin:.3g}"}
        yield GOLDEN / f"{name}.safetensors", tensors, facts


def goldens(folder: Path) -> Iterator[Golden]:
    """Every golden file."""
    for kind in KINDS:
        package = official.Package(write_toy(folder / kind, kind, NEVER))
        if kind == KINDS[0]:
            yield "extraction", extraction(package), np.inf
            yield "recordings", ends(package), np.inf
            yield "tokens", {str(number): package.ids(text).astype(np.int16) for number, text in enumerate(TOKEN_TEXTS)}, np.inf
        if kind in PIECE_KINDS:
            yield f"pieces_{kind}", {str(number): as_bytes(package.pieces(text)) for number, text in enumerate(ALL_TEXTS)}, np.inf
        yield f"voice_{kind}", voice(package, folder / f"{kind}_voice.safetensors"), np.inf
        for case in SPEECHES:
            if case.kind == kind:
                yield f"speech_{case.name}", speech(package, case), np.inf
    for case in HEARD:
        yield f"heard_{case.name}", *heard(folder / case.name, case)
    yield "endings", *endings(folder)


def check_tables() -> None:
    """The table that checkpoints are made from names what the official classes have, of every released model."""
    for name, config in official.released_configs().items():
        mine, true = tensors_of(config.model_dump()), official.shapes_of_classes(config)
        if mine != true:
            raise SystemExit(f"{name}: tensors differ from the official classes: {sorted(set(mine.items()) ^ set(true.items()))[:8]}")


def extraction(package: official.Package) -> Tensors:
    """Latents of clips, as they are."""
    return {name: package.encoded(samples) for name, samples in clips().items()}


def ends(package: official.Package) -> Tensors:
    """How recordings are ended before they are encoded, and the last latents of that."""
    tensors = {}
    for name, samples in recordings().items():
        ended = official.paused(samples)
        tensors |= {f"{name}.n_samples": np.array([len(ended)], np.int32), f"{name}.last": ended[-3000::7].copy()}
        tensors[f"{name}.latents"] = package.encoded(ended)[-3:]
    return tensors


def voice(package: official.Package, file: Path) -> Tensors:
    """The state of a voice, as the package exports it: keys as they are turned, and values.

    Raises SystemExit where what it reads again from that speaks otherwise.
    """
    state = package.state(clips()[VOICE])
    package.exported(state, file)
    alike = [package.spoken(each, TEXT, partial(noise_of, 1), n_frames=3).latents for each in (state, package.read(file))]
    if not np.array_equal(*alike):
        raise SystemExit("A voice read from its file is another one.")
    return load_file(file)


def speech(package: official.Package, case: Speech) -> Tensors:
    """What goes through the networks frame by frame."""
    package.model.temp = case.temperature
    said = package.spoken(
        package.state(clips()[VOICE]), case.text, partial(noise_of, case.seed), n_frames=case.n_frames, steps=case.steps
    )  # fmt: skip
    frames = np.stack(said.frames)
    return {
        "conditions": np.stack(said.conditions),
        "logits": np.array(said.logits, np.float32),
        "latents": np.stack(said.latents),
        "frames": thinned_frames(frames),
        "first_samples": frames[0, : 2 * FADE_SAMPLES].copy(),
    }


def heard(folder: Path, case: SpeechChunk) -> tuple[Tensors, float]:
    """What a caller hears, and how many frames of each piece of the text that is."""
    package = official.Package(write_toy(folder, case.kind, case.threshold, case.changes))
    said = package.spoken(package.state(recordings()[case.recording]), case.text, partial(noise_of, case.seed), steps=case.steps)
    samples = np.concatenate(said.frames)
    tensors = {"samples": thinned(samples), "n_samples": np.array([len(samples)], np.int32)}
    tensors |= {"logits": np.array(said.logits, np.float32)}
    return tensors | {f"ids.{number}": ids for number, ids in enumerate(said.texts)}, said.least_margin(case.threshold)


def endings(folder: Path) -> tuple[Tensors, float]:
    """Frames that are heard, by checkpoints that end in frames known beforehand."""
    tensors, margins = {}, []
    for case in ENDINGS:
        package = official.Package(write_tiny_checkpoint(folder / case.name, case.kind, ends_after=case.ends_after))
        said = package.spoken(package.state(clips()[VOICE]), case.text, partial(noise_of, 1))
        tensors[case.name] = np.array([len(said.frames)], np.int32)
        margins.append(said.least_margin(package.model.eos_threshold))
    return tensors, min(margins)


if __name__ == "__main__":
    main()
