"""Makes the golden files of Voxtral TTS, or compares: `PYTHON -m tests.parity.voxtral.make_golden [--check]`.

From the repository's root, with an interpreter as `official.py` describes. Writes the toy checkpoints of the tests into a temporary folder,
runs official code on them and writes what it computed; with --check it writes nothing and lists what differs.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from tests.engines.voxtral.random_checkpoint import RECIPE
from tests.engines.voxtral.tensors import TABLE, main_tensors
from tests.engines.voxtral.tiny_checkpoint import tiny, write_tiny_checkpoint
from tests.parity.golden_command import Made, golden_command
from tests.parity.voxtral import official
from tests.parity.voxtral.cases import (
    BFLOAT16,
    CLIP_SAMPLES,
    DECODED_FRAMES,
    ENDINGS,
    GOLDEN,
    SCALES,
    SEEDS,
    SHAPES,
    SPEECHES,
    Speech,
    clip_of,
    looked_at,
    made_codes,
    made_states,
    noise_of_rows,
    thinned,
)

TOLERANCE = 2e-6  # between two machines, relative to the largest number of a tensor
TOLERANCES = {"bfloat16": 0.1, "codec": 1e-5, "speech": 1e-5}  # of bfloat16: roundings fall otherwise there
# A code that another rounding (about 1e-6) would change is luck: take another seed where there is one.
LEAST_MARGIN = 1e-4

CODEC, OF_BACKBONE = "audio_tokenizer.", ("layers.", "norm.", "mm_audio_embeddings.tok_embeddings.")

Tensors = dict[str, np.ndarray]
Golden = tuple[str, Tensors, float]  # name, tensors, least margin


def main() -> None:
    """Command line."""
    golden_command(__doc__.splitlines()[0], _made, lambda name: TOLERANCES.get(name.partition("_")[0], TOLERANCE), "the official code")


def _made(folder: Path) -> Iterator[Made]:
    for name, tensors, margin in goldens(folder):
        yield GOLDEN / f"{name}.safetensors", tensors, _facts(name, margin)


def goldens(folder: Path) -> Iterator[Golden]:
    """Every golden file."""
    for shape in SHAPES:
        place = write_tiny_checkpoint(folder / shape, shape, seed=SEEDS[shape], encoder=True)
        package = official.Package(place)
        check_table(package, shape)
        yield f"flow_{shape}", *flow(package)
        yield f"codec_{shape}", *codec(package)
        for speech in SPEECHES:
            if speech.shape == shape:
                yield speech.file.stem, *spoken(package, speech)
        for speech in BFLOAT16:
            if speech.shape == shape:
                yield f"bfloat16_{shape}", in_bfloat16(official.Package(place, torch.bfloat16), speech), np.inf
    yield "endings", *endings(folder)


def check_table(package: official.Package, shape: str) -> None:
    """The table that checkpoints are made from names what the official classes have: they took all of it, and have no more."""
    table = {name: shape for name, shape in main_tensors(tiny(shape).config, encoder=True).items() if not name.startswith(OF_BACKBONE)}
    book = package.codec.quantizer.semantic_codebook
    true = {f"{CODEC}quantizer.semantic_codebook.{name}": getattr(book, name) for name in ("cluster_usage", "embedding_sum")}
    for prefix, part in ((CODEC, package.codec), ("acoustic_transformer.", package.flow)):
        true |= {f"{prefix}{name}": weight for name, weight in part.named_parameters()}
    true[TABLE] = true.pop(f"{CODEC}audio_token_embedding.embeddings.weight")
    wrong = set(table.items()) ^ {(name, tuple(weight.shape)) for name, weight in true.items()}
    if wrong:
        raise SystemExit(f"Tensors differ from the official classes: {sorted(wrong)[:8]}")


def flow(package: official.Package) -> tuple[Tensors, float]:
    """Of states, noise and scales: everything on the way to codes."""
    states = made_states(len(SCALES), package.flow.llm_projection.in_features)
    trace = package.flowed(states, noise_of_rows(len(SCALES)), torch.tensor(SCALES))
    many = made_states(64, package.flow.llm_projection.in_features)
    chosen = package.flowed(many, noise_of_rows(64), torch.full((64,), 1.2))
    margin = min(trace.level_margin, *(each.semantic_margin(package.n_semantic) for each in (trace, chosen)))
    tensors = {name: getattr(trace, name).numpy() for name in ("logits", "times", "time_rows", "widths", "levels", "velocities")}
    codes = {"codes": trace.codes, "semantic_codes": chosen.codes[:, 0], "unmasked": chosen.logits.argmax(dim=-1)}
    return tensors | {name: tensor.numpy().astype(np.int16) for name, tensor in codes.items()}, margin


def codec(package: official.Package) -> tuple[Tensors, float]:
    """Audio of made codes at several lengths; codes of recordings, and rows of a prompt."""
    tensors, margins = {}, []
    for n_frames in DECODED_FRAMES:
        samples = package.decoded(made_codes(n_frames, package.n_semantic))
        tensors |= {f"samples_{n_frames}": thinned(samples, 400), f"last_samples_{n_frames}": samples[-32:]}
    for n_samples in CLIP_SAMPLES:
        codes, rows, margin = package.encoded(np.array(clip_of(n_samples).samples))
        tensors |= {f"codes_{n_samples}": codes.astype(np.int16), f"rows_{n_samples}": rows[-2:, ::3]}
        margins.append(margin)
    return tensors, min(margins)


def spoken(package: official.Package, speech: Speech) -> tuple[Tensors, float]:
    """What a caller hears, and what went through the networks on the way."""
    trace = package.spoken(speech)
    at = looked_at(len(trace.ids))
    tensors = {
        "ids": np.array(trace.ids, np.int16),
        "rows": trace.rows[at].numpy(),
        "prompt_states": trace.prompt_states[at].numpy(),
        "states": torch.stack(trace.states).numpy(),
        "codes": trace.frames.astype(np.int16),
        "samples": thinned(package.decoded(trace.frames)),
    }
    return tensors, min(trace.margins)


def endings(folder: Path) -> tuple[Tensors, float]:
    """Codes of all frames of each speech, and whether it ended by itself."""
    tensors, margins = {}, []
    for ending in ENDINGS:
        place = write_tiny_checkpoint(folder / ending.name, ending.shape, ends_after=ending.ends_after)
        trace = official.Package(place).spoken(ending.speech)
        tensors |= {f"{ending.name}.codes": trace.frames.astype(np.int16), f"{ending.name}.ended": np.array([trace.ended], np.uint8)}
        margins += trace.margins
    return tensors, min(margins)


def in_bfloat16(package: official.Package, speech: Speech) -> Tensors:
    """Rows of a prompt, states that frames were made from, their codes; of the flow head what flow() has, of the first three rows."""
    trace = package.spoken(speech)
    states = made_states(len(SCALES), package.flow.llm_projection.in_features)[:3]
    flowed = package.flowed(states, noise_of_rows(len(SCALES))[:3], torch.tensor(SCALES[:3]))
    tensors = {
        "rows": trace.rows[::4],
        "frame_rows": torch.cat([package.frame_row(codes[None] + 2) for codes in trace.codes]),
        "states": torch.stack(trace.states),
        "levels": flowed.levels[[0, 3, -1]],
        **{name: getattr(flowed, name) for name in ("logits", "time_rows", "widths", "velocities")},
    }
    codes = {"codes": trace.frames, "flow_codes": flowed.codes.numpy()}
    return {name: tensor.float().numpy() for name, tensor in tensors.items()} | {n: t.astype(np.int16) for n, t in codes.items()}


def _facts(name: str, margin: float) -> dict[str, str]:
    if margin < LEAST_MARGIN:
        raise SystemExit(f"{name}: a choice was won by {margin:.2g} only, less than {LEAST_MARGIN}. Take another seed in cases.py.")
    seed = next((str(seed) for shape, seed in SEEDS.items() if shape in name), str(SEEDS))
    return {"recipe": RECIPE, "seed": seed, "upstream": official.UPSTREAM, "least_margin": f"{margin:.2g}"}


if __name__ == "__main__":
    main()
