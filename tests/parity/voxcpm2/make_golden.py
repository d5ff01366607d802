"""Makes the golden files of VoxCPM2, or compares: `PYTHON -m tests.parity.voxcpm2.make_golden [--check]`, PYTHON as in `official.py`.

From the repository's root, with an interpreter that has the official package. Writes the toy checkpoints of the tests into a temporary
folder, runs the official package on them and writes what it computed; with --check it writes nothing and lists what differs.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from voxcpm.core import VoxCPM

from tests.engines.voxcpm2.random_checkpoint import RECIPE, full_size
from tests.engines.voxcpm2.tensors import audio_vae_tensors, main_tensors
from tests.engines.voxcpm2.tiny_checkpoint import SHAPES, tiny, write_tiny_checkpoint
from tests.parity.golden_command import Made, golden_command
from tests.parity.voxcpm2 import official
from tests.parity.voxcpm2.cases import (
    BFLOAT16_CASES,
    CASES,
    ENDINGS,
    GOLDEN,
    GRIDS,
    GUIDANCE,
    POSITIONS,
    SEEDS,
    TOKEN_TEXTS,
    WORDS,
    Case,
    clips,
    looked_at,
    made_numbers,
    noise_of,
    thinned,
)
from tests.parity.voxcpm2.official_parts import Parts

TOLERANCE = 2e-6  # between two machines, relative to the largest number of a tensor
TOLERANCE_BFLOAT16 = 0.1  # roundings fall otherwise there: what is compared within this was made by another machine, or is no bfloat16
# A level of quantization or a stop decision that another rounding (about 1e-5) would change is luck: take another seed where there is one.
LEAST_MARGIN = 1e-4

Tensors = dict[str, np.ndarray]
Golden = tuple[str, Tensors, float]  # name, tensors, least margin


def main() -> None:
    """Command line."""
    golden_command(
        __doc__.splitlines()[0],
        _made,
        lambda name: TOLERANCE_BFLOAT16 if name.startswith("bfloat16") else TOLERANCE,
        "the official package",
    )


def _made(folder: Path) -> Iterator[Made]:
    check_tables()
    for name, tensors, margin in goldens(folder):
        yield GOLDEN / f"{name}.safetensors", tensors, _facts(name, margin)


def goldens(folder: Path) -> Iterator[Golden]:
    """Every golden file."""
    for shape in SHAPES:
        place = write_tiny_checkpoint(folder / shape, shape, seed=SEEDS[shape])
        model = official.load(place)
        if shape == SHAPES[0]:
            yield "tokens", {f"{i}": official.ids(model, text) for i, text in enumerate(TOKEN_TEXTS)}, np.inf
        yield f"networks_{shape}", networks(model), np.inf
        yield f"extraction_{shape}", extraction(model), np.inf
        for case in CASES:
            if case.shape == shape:
                yield case.file.stem, *speech(model, case)
        in_bfloat16 = official.load(place, "bfloat16")
        yield f"rounding_{shape}", rounding(in_bfloat16), np.inf
        yield f"bfloat16_{shape}", spoken_in_bfloat16(in_bfloat16, shape), np.inf
    yield "endings", *endings(folder)


def check_tables() -> None:
    """The tables that checkpoints are made from name what the official classes have, toy and full size."""
    released = full_size().config
    without_vae = {key: value for key, value in released.items() if key != "audio_vae_config"}  # defaults of the official class
    for config in (*(tiny(shape).config for shape in SHAPES), released, without_vae):
        tables = (main_tensors(config), audio_vae_tensors(config))
        for table, true in zip(tables, official.shapes_of_classes(config), strict=True):
            if table != true:
                raise SystemExit(f"Tensors differ from the official classes: {sorted(set(table.items()) ^ set(true.items()))[:8]}")


def networks(model: VoxCPM) -> Tensors:
    """Each network alone, over made numbers."""
    parts = Parts(model)
    patch, hidden_size = official.sizes(model)
    latents = made_numbers(4 * patch[0], patch[1])
    patches, rows = latents.reshape(4, *patch), made_numbers(30, hidden_size)
    states = parts.read(rows)
    return {
        "patch_rows": parts.patch_rows(patches),
        "base": states["base"][looked_at(len(rows))],
        "residual": states["residual"][looked_at(len(rows))],
        "quantized": parts.quantized(rows[:4]),
        "conditions": parts.conditions(rows[:1], rows[1:2])[0],
        "patch": parts.patch(patches[0], patches[1], rows[:2], steps=6, guidance=1.7),
        "stop": parts.stop(rows[:4]),
        "samples": thinned(parts.decode(made_numbers(30, patch[1]))),
    }


def extraction(model: VoxCPM) -> Tensors:
    """Latents of both clips, padded either way: the first patches and the last."""
    tensors = {}
    for name, clip in clips().items():
        for side in ("left", "right"):
            latents = official.encode(model, clip, side)
            tensors |= {f"{name}.{side}_first": latents[:4], f"{name}.{side}_last": latents[-6:]}
            tensors[f"{name}.patches"] = np.array([len(latents)], np.int16)
    return tensors


def speech(model: VoxCPM, case: Case) -> tuple[Tensors, float]:
    """What a caller hears, and what went through the model on the way."""
    samples, trace = _speak(model, case)
    at = looked_at(len(trace.ids))
    tensors = {
        "ids": trace.ids.astype(np.int16),
        "base": trace.base[at],
        "residual": trace.residual[at],
        "patches": np.stack(trace.patches),
        "stops": np.stack(trace.stops),
        "samples": thinned(samples),
        "n_samples": np.array([len(samples)], np.int32),
    }
    return tensors, trace.least_margin


def spoken_in_bfloat16(model: VoxCPM, shape: str) -> Tensors:
    """Per case, states that became of the prompt's last row, patches and stop logits."""
    tensors = {}
    for case in BFLOAT16_CASES:
        if case.shape == shape:
            _, trace = _speak(model, case)
            states = {"base": trace.base[-1], "residual": trace.residual[-1]}
            found = states | {"patches": np.stack(trace.patches), "stops": np.stack(trace.stops)}
            tensors |= {f"{case.mode}.{name}": tensor for name, tensor in found.items()}
    return tensors


def rounding(model: VoxCPM) -> Tensors:
    """Where bfloat16 rounds in all that is no matrix product, and so is the same on every machine."""
    parts, ((n_latents, width), hidden_size) = Parts(model), official.sizes(model)
    rows = made_numbers(16, hidden_size)
    first, second = made_numbers(2 * n_latents, width).reshape(2, n_latents, width)
    tensors = {f"grid_{n}": parts.grid(n) for n in GRIDS}
    cos, sin = parts.rotation(POSITIONS)
    return tensors | {
        "waves": parts.waves(tensors["grid_10"][0]),
        "cos": cos[::13],
        "sin": sin[::13],
        "normed": parts.normed(rows * 3),
        "guided": parts.guided(first, second, GUIDANCE),
    }


def endings(folder: Path) -> tuple[Tensors, float]:
    """Number of patches and, per patch, whether the stop head would have ended the speech there."""
    tensors, margins = {}, []
    for ending in ENDINGS:
        place = write_tiny_checkpoint(folder / ending.name, ending.shape, seed=SEEDS[ending.shape], ends_after=ending.ends_after)
        model = official.load(place)
        noise = _noise(model, ending.noise_seed)
        _, trace = official.speak(model, ending.text, noise, inference_timesteps=2)
        tensors[ending.name] = np.array([stop.argmax() for stop in trace.stops], np.uint8)
        margins += [float(np.ptp(stop)) for stop in trace.stops]
    return tensors, min(margins)


def _speak(model: VoxCPM, case: Case) -> tuple[np.ndarray, official.Trace]:
    clip = clips()["reference"]
    given = {"cfg_value": case.cfg_value, "inference_timesteps": case.inference_timesteps, "max_len": case.patches}
    given |= {"reference_wav_path": clip} if case.has_reference else {}
    given |= {"prompt_wav_path": clip, "prompt_text": f"{WORDS} "} if case.goes_on else {}
    return official.speak(model, case.text, _noise(model, case.noise_seed), **given)


def _noise(model: VoxCPM, seed: int) -> official.Noise:
    patch, _ = official.sizes(model)
    return lambda number: noise_of(seed, number, patch)


def _facts(name: str, margin: float) -> dict[str, str]:
    if margin < LEAST_MARGIN:
        raise SystemExit(f"{name}: a choice was won by {margin:.2g} only, less than {LEAST_MARGIN}. Take another of SEEDS in cases.py.")
    seed = next((str(seed) for shape, seed in SEEDS.items() if shape in name), str(SEEDS))
    return {"recipe": RECIPE, "seed": seed, "upstream": official.UPSTREAM, "least_margin": f"{margin:.2g}"}


if __name__ == "__main__":
    main()
