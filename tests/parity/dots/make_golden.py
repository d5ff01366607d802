"""Makes the golden files of dots.tts, or compares: `PYTHON -m tests.parity.dots.make_golden [--check]`, PYTHON as in `official.py`.

From the repository's root, with an interpreter that has the official package. Writes the toy checkpoints of the tests into a temporary
folder, runs the official package on them and writes what it computed; with --check it writes nothing and lists what differs.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.dots.recording import drawn_for
from tests.engines.dots.random_checkpoint import RECIPE, full_size
from tests.engines.dots.tensors import main_tensors, speaker_tensors, vocoder_tensors
from tests.engines.dots.tiny_checkpoint import KINDS, tiny, write_tiny_checkpoint
from tests.parity.dots import official
from tests.parity.dots.cases import CASES, EDITS, GOLDEN, PARTS, TEXT, TOKEN_TEXTS, WORDS, Case, EditCase, clips, made_numbers, thinned
from tests.parity.dots.drawn_edits import drawn_edits
from tests.parity.golden_command import Made, golden_command

TOLERANCE = 3e-6  # between two machines, relative to the largest number of a tensor
LEAST_MARGIN = 1e-2  # of decisions to end, in probability

Tensors = dict[str, np.ndarray]


def main() -> None:
    """Command line."""
    golden_command(__doc__.splitlines()[0], _made, lambda _name: TOLERANCE, "the official package")


def _made(folder: Path) -> Iterator[Made]:
    check_tables()
    yield GOLDEN / "tokens.safetensors", _tokens(folder), _facts("small", 1.0)
    for shape in PARTS:
        runtime = official.load(write_tiny_checkpoint(folder / f"parts_{shape}", shape, "mf"))
        yield GOLDEN / f"parts_{shape}.safetensors", parts(runtime), _facts(shape, 1.0)
        yield GOLDEN / f"recordings_{shape}.safetensors", recordings(runtime), _facts(shape, 1.0)
    for case in CASES:
        tensors, margin = speech(folder, case)
        if margin < LEAST_MARGIN:
            raise ValueError(f"{case.name}: a decision to end is won by {margin:.2g} alone; take another case.")
        yield case.file, tensors, _facts(case.shape, margin)
    yield GOLDEN / "edited_words.safetensors", edited_words(), _facts("small", 1.0)
    for case in EDITS:
        tensors, margin = edit(folder, case)
        if margin < LEAST_MARGIN:
            raise ValueError(f"{case.name}: a decision to end is won by {margin:.2g} alone; take another case.")
        yield case.file, tensors, _facts(case.shape, margin)


def check_tables() -> None:
    """Raises ValueError where the tables of tensors are not those of the official classes, at toy size and at the released one."""
    for checkpoint in (full_size(), *(tiny(shape, kind) for shape in PARTS for kind in KINDS)):
        config, llm = dict(checkpoint.config), dict(checkpoint.llm)
        ours = main_tensors(config, llm), vocoder_tensors(config), speaker_tensors(config)
        for mine, theirs in zip(ours, official.shapes_of_classes(config, llm), strict=True):
            if mine != theirs:
                raise ValueError(f"tables differ: {sorted(mine.items() ^ theirs.items())[:4]}")


def _facts(shape: str, margin: float) -> dict[str, str]:
    return {"recipe": RECIPE, "shape": shape, "upstream": official.UPSTREAM, "least_margin": f"{margin:.3g}"}


def _tokens(folder: Path) -> Tensors:
    runtime = official.load(write_tiny_checkpoint(folder / "tokens"))
    named = {}
    for index, text in enumerate(TOKEN_TEXTS):
        for language in (None, "en", "yue"):
            named[f"{index}.{language}"] = official.ids(runtime, text, "", language)
            named[f"{index}.{language}.words"] = official.ids(runtime, text, WORDS, language)
    return named


@torch.inference_mode()
def parts(runtime) -> Tensors:
    """Each network alone."""
    model, core = runtime.model, runtime.model.core
    width, hidden = core.latent_dim, core.llm_hidden_size
    latents = torch.from_numpy(made_numbers(24, width))[None]
    rows, dit = torch.from_numpy(made_numbers(15, core.fm_hidden_size))[None], core.velocity_field_predictor
    states = torch.from_numpy(made_numbers(4, hidden))[None]
    mask, positions = _sight(15, core.latent_patch_size + 1), torch.arange(15.0)[None]
    voice = core.xvec_proj(torch.from_numpy(made_numbers(1, core.xvec_dim)) * 1.5)
    told = {"attn_mask": mask, "pos_ids": positions, "g_cond": voice}
    return {
        "semantic": core.patch_encoder(latents)[0].numpy(),
        "voice": voice[0].numpy(),
        "velocity": dit(x=rows, timesteps=torch.tensor([0.3]), duration=torch.tensor([0.25]), **told)[0, -core.latent_patch_size :].numpy(),
        "velocity_untold": dit(x=rows, timesteps=torch.tensor([0.3]), **told)[0, -core.latent_patch_size :].numpy(),
        "ends": core.eos_proj(states)[0].softmax(-1).numpy(),
        "state": core._llm_base_model()(inputs_embeds=states).last_hidden_state[0].numpy(),
        "samples": thinned(model.vocoder.inference_from_latents(latents.mT, do_sample=False)[0, 0].numpy()),
    }


def _sight(n_rows: int, n_own: int) -> Tensor:
    """Former rows one by one, the last ones all of them."""
    mask = torch.ones(n_rows, n_rows, dtype=torch.bool).tril()
    mask[-n_own:] = True
    return mask[None]


@torch.inference_mode()
def recordings(runtime) -> Tensors:
    """Of each clip what is heard of it."""
    model, named = runtime.model, {}
    for name, clip in clips().items():
        samples = official.prompt_samples(runtime, clip)
        distribution = model.vocoder.extract_latents(samples[None])
        named |= {
            f"{name}.n_samples": np.array([samples.shape[1]]),
            f"{name}.samples": thinned(samples[0].numpy()),
            f"{name}.x_vector": model.xvector_extractor(samples[None])[0].numpy(),
            f"{name}.mean": distribution[0, : model.config.latent_dim].T.numpy(),
            f"{name}.log_deviation": distribution[0, model.config.latent_dim :].T.numpy(),
        }
    return named


def speech(folder: Path, case: Case) -> tuple[Tensors, float]:
    """What the official package says, and by how much its decisions to end were won."""
    random.seed(0)
    runtime = official.load(write_tiny_checkpoint(folder / case.name, case.shape, case.kind, ends_after=case.ends_after), case.kind)
    clip, config = clips()["voice"], runtime.model.config
    n_latents = official.prompt_samples(runtime, clip).shape[1] // runtime.model.hop_size
    prompt_noise = drawn_for(clip.digest, n_latents, config.latent_dim).numpy()
    samples, trace = official.speak(runtime, case, clip, (WORDS, TEXT), prompt_noise)
    tensors = {"patches": np.stack(trace.patches), "n_samples": np.array([len(samples)]), "samples": thinned(samples)}
    return tensors, trace.least_margin


def edited_words() -> Tensors:
    """What is said after each of the drawn edits: bytes of UTF-8, with a zero between. Raises ValueError where other words were before."""
    targets = []
    for drawn in drawn_edits():
        if official.render_source_text(drawn.instruction) != drawn.words:
            raise ValueError(f"{drawn.instruction!r} is not of {drawn.words!r}")
        targets.append(official.render_target_text(drawn.instruction))
    return {"targets": np.frombuffer("\0".join(targets).encode(), np.uint8)}


def edit(folder: Path, case: EditCase) -> tuple[Tensors, float]:
    """What the official package makes of a recording, and by how much its decisions to end were won."""
    runtime = official.load_editing(write_tiny_checkpoint(folder / f"edit_{case.name}", case.shape, "edit", ends_after=case.ends_after))
    clip = clips()[case.clip]
    source = official.source_samples(runtime, clip)
    noise = drawn_for(clip.digest, source.shape[1] // runtime.model.hop_size, runtime.model.config.latent_dim).numpy()
    samples, trace, ids = official.edit(runtime, case, clip, noise)
    tensors = {
        "ids": np.array(ids, np.int32),
        "source": thinned(source[0].numpy()),
        "x_vector": runtime.model.xvector_extractor(source[None])[0].numpy(),
        "patches": np.stack(trace.patches),
        "n_samples": np.array([len(samples)]),
        "samples": thinned(samples),
    }
    return tensors, trace.least_margin


if __name__ == "__main__":
    main()
