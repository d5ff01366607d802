"""Makes the golden files of Fish Audio S2 Pro, or compares: `PYTHON -m tests.parity.fish_speech.make_golden [--check]`.

From the repository's root, with an interpreter as `official.py` describes. Writes the toy checkpoints of the tests into a temporary folder,
runs the reference on them and writes what it computed; with --check it writes nothing and lists what differs.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from engines.fish_speech.codec.codec_config import RELEASED
from tests.engines.fish_speech.random_checkpoint import RECIPE
from tests.engines.fish_speech.random_codec import codec_tensors
from tests.parity.fish_speech import official
from tests.parity.fish_speech.cases import (
    BFLOAT16_CASES,
    CASES,
    ENDINGS,
    GOLDEN,
    N_FRAMES,
    N_RACES,
    N_REPEATED,
    N_STREAMS,
    REPETITIONS,
    SAMPLING,
    TOKEN_TEXTS,
    Case,
    clips,
    looked_at,
    made_codes,
    made_numbers,
    n_long_frames,
    race,
    recordings,
    repetition_logits,
    sampling_logits,
    thinned,
)
from tests.parity.fish_speech.checkpoints import SEEDS, SHAPES, codec_of, write_checkpoint
from tests.parity.fish_speech.official_codec import Sizes, shapes_of_classes
from tests.parity.fish_speech.oracle import NO_FRAMES, Draw, drawn, drawn_aware, looked_back, respelled, tempered
from tests.parity.golden_command import Made, golden_command

TOLERANCE = 2e-6  # between two machines, relative to the largest number of a tensor
# Of bfloat16: roundings fall otherwise there; what is compared within this was made by another machine, or is no bfloat16. Of latents: the
# encoder multiplies the rounding of its first layers.
TOLERANCES = {"bfloat16": 0.1, "codec": 1e-4}
# A code that another rounding (about 1e-6) would change is luck: take another seed where there is one.
LEAST_MARGIN = 1e-4

Tensors = dict[str, np.ndarray]
Golden = tuple[str, Tensors, float]  # name, tensors, least margin


def main() -> None:
    """Command line."""
    golden_command(__doc__.splitlines()[0], _made, lambda name: TOLERANCES.get(name.partition("_")[0], TOLERANCE), "the reference")


def _made(folder: Path) -> Iterator[Made]:
    check_tables()
    for name, tensors, margin in goldens(folder):
        yield GOLDEN / f"{name}.safetensors", tensors, _facts(name, margin)


def goldens(folder: Path) -> Iterator[Golden]:
    """Every golden file."""
    yield "sampling", *sampling()
    yield "repetitions", *repetitions()
    for shape in SHAPES:
        place = write_checkpoint(folder / shape, shape)
        package = official.Package.load(place)
        if shape == SHAPES[0]:
            yield "tokens", {f"{i}": np.array(package.oracle.ids(respelled(text)), np.int32) for i, text in enumerate(TOKEN_TEXTS)}, np.inf
        yield f"codec_{shape}", *codec(package)
        check(package, next(case for case in CASES if case.shape == shape and len(case.words) == 1))
        for case in CASES:
            if case.shape == shape:
                yield case.file.stem, *speech(package, case)
        for case in BFLOAT16_CASES:
            if case.shape == shape:
                yield f"bfloat16_{shape}", in_bfloat16(official.Package.load(place, torch.bfloat16), case), np.inf
    yield "endings", *endings(folder)


def check_tables() -> None:
    """The tables that codecs are made from name what the official classes have, at every size; the other files' are in tests/released."""
    sizes = [codec_of(shape) for shape in SHAPES]
    pairs = [(codec_tensors(config), shapes_of_classes(Sizes.of(codec_tensors(config)))) for config in sizes]
    for table, true in [*pairs, (codec_tensors(RELEASED), shapes_of_classes())]:
        if table != true:
            raise SystemExit(f"Tensors differ from the official classes: {sorted(set(table.items()) ^ set(true.items()))[:8]}")


def check(package: official.Package, case: Case) -> None:
    """Raises SystemExit where the oracle is not what vllm-omni has of the transformers."""
    if wrong := package.differences(case):
        raise SystemExit(f"{case.name}: vllm-omni computes otherwise: {', '.join(wrong)}.")


def codec(package: official.Package) -> tuple[Tensors, float]:
    """Of clips and of the recordings that voices are of codes, and the latents of the last frames; audio of made codes."""
    frame_samples = package.codec.frame_samples
    samples = package.codec.decode(made_codes(package.codec.codebook_sizes, n_long_frames(frame_samples)))
    recorded = clips(frame_samples) | {f"recording_{i}": clip for i, clip in enumerate(recordings(frame_samples))}
    tensors = {}
    for name, clip in recorded.items():
        tensors[f"{name}.codes"] = package.encoded(clip).astype(np.int16)
        tensors[f"{name}.latents"] = package.codec.latents[-2:]
    return tensors | {"samples": thinned(samples), "last_samples": samples[-64:]}, package.codec.least_margin


def speech(package: official.Package, case: Case) -> tuple[Tensors, float]:
    """What a caller hears, and what went through the transformers on the way."""
    trace, samples = package.speak(case)
    tensors = {
        "ids": np.array(trace.ids, np.int16),
        "rows": trace.rows[looked_at(len(trace.ids))].numpy(),
        "row_ends": trace.rows[:, -1].numpy(),
        "hidden": trace.hidden[looked_at(len(trace.ids))].numpy(),
        "drawn": torch.stack(trace.codes, dim=1).numpy().astype(np.int16),
        "codes": trace.spoken.numpy().astype(np.int16),
        "second_draws": np.array(trace.second_draws, np.int16),
        "samples": thinned(samples),
        "n_samples": np.array([len(samples)], np.int32),
    }
    if case.seed is None:
        tensors["logits"] = torch.stack(trace.logits)[:, ::5].numpy()
        tensors["residual_logits"] = torch.stack(trace.residual_logits)[:, :, ::7].numpy()
    return tensors, min(trace.margins)


def endings(folder: Path) -> tuple[Tensors, float]:
    """Codes of all frames that are heard of each speech."""
    tensors, margins = {}, []
    for ending in ENDINGS:
        package = official.Package.load(write_checkpoint(folder / ending.name, ending.shape, ending.ends_after))
        trace = package.oracle.speak(ending.text, settings=ending.settings)
        tensors[ending.name] = trace.spoken.numpy().astype(np.int16)
        margins += trace.margins
    return tensors, min(margins)


def in_bfloat16(package: official.Package, case: Case) -> Tensors:
    """What is no matrix product: rows of a prompt, a norm, a rotation. Then the states that frames were spoken from, logits and codes."""
    trace, _ = package.speak(case)
    slow = package.oracle.slow
    rows, heads = (torch.from_numpy(made_numbers(16, slow.config[width])).bfloat16() for width in ("dim", "head_dim"))
    tensors = {
        "prompt": trace.rows[::5],
        "normed": slow.norm(rows * 3, slow.last_norm),
        "turned": slow.turned(heads[:, None], 100)[:, 0],
        "states": torch.stack(trace.states),
        "logits": torch.stack(trace.logits),
        "residual_logits": torch.stack(trace.residual_logits)[:, :, ::5],
        "margins": torch.tensor(trace.margins).view(len(trace.codes), -1),
    }
    drawn = torch.stack(trace.codes, dim=1).numpy().astype(np.int16)
    return {name: tensor.float().numpy() for name, tensor in tensors.items()} | {"drawn": drawn}


def sampling() -> tuple[Tensors, float]:
    """Per way of sampling and width: what may be drawn and with which probabilities, and what a race of each of many noises draws."""
    tensors, margins = {}, []
    for name, settings in SAMPLING.items():
        for n_codes in (4097, 1024):
            logits = torch.from_numpy(sampling_logits(n_codes))
            left = tempered(logits, settings.temperature, settings.top_p, settings.top_k)
            draws = [drawn(logits, race(0, frame, Draw.FIRST, n_codes), settings) for frame in range(N_RACES)]
            kept = torch.nonzero(left)[:, 0]
            tensors |= {f"{name}_{n_codes}.kept": kept.numpy().astype(np.int16), f"{name}_{n_codes}.probabilities": left[kept].numpy()}
            tensors[f"{name}_{n_codes}.drawn"] = np.array([code for code, _ in draws], np.int16)
            margins += [margin for _, margin in draws]
    return tensors, min(margins)


def repetitions() -> tuple[Tensors, float]:
    """Semantic codes of streams that see the same logits in every frame, and which of them were drawn twice."""
    tensors, margins, logits = {}, [], torch.from_numpy(repetition_logits())
    for name in REPETITIONS:
        codes, twice = np.zeros((2, N_STREAMS, N_FRAMES), np.int16)
        for seed in range(N_STREAMS):
            window = NO_FRAMES
            for frame in range(N_FRAMES):
                races = [race(seed, frame, draw, N_REPEATED) for draw in (Draw.FIRST, Draw.SECOND)]
                codes[seed, frame], margin, twice[seed, frame] = drawn_aware(logits, *races, SAMPLING[name], window)
                window = looked_back(window, frame, codes[seed, frame])
                margins.append(margin)
        tensors |= {f"{name}.drawn": codes, f"{name}.twice": twice.astype(np.uint8)}
    return tensors, min(margins)


def _facts(name: str, margin: float) -> dict[str, str]:
    if margin < LEAST_MARGIN:
        raise SystemExit(
            f"{name}: a choice was won by {margin:.2g} only, less than {LEAST_MARGIN}. Take another of SEEDS in checkpoints.py."
        )
    seed = next((str(seed) for shape, seed in SEEDS.items() if shape in name), str(SEEDS))
    return {"recipe": RECIPE, "seed": seed, "upstream": official.UPSTREAM, "least_margin": f"{margin:.2g}"}


if __name__ == "__main__":
    main()
