"""Makes the golden files of OmniVoice, or compares: `PYTHON -m tests.parity.omnivoice.make_golden [--check]`, PYTHON as in `official.py`.

From the repository's root, with an interpreter that has the official package. Writes the toy checkpoints of the tests into a temporary
folder, runs the official package on them and writes what it computed; with --check it writes nothing and lists what differs.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unicodedata import category

import numpy as np

from tests.engines.omnivoice.codec.random_codec import codec_config, codec_tensors
from tests.engines.omnivoice.made_signals import FINISHINGS, RATE, SETTINGS, digest, made_signals
from tests.engines.omnivoice.random_checkpoint import RECIPE, main_tensors
from tests.engines.omnivoice.tiny_checkpoint import tiny, write_tiny_checkpoint
from tests.parity.golden_command import Made, golden_command
from tests.parity.omnivoice import official
from tests.parity.omnivoice.cases import (
    CODE_POINTS,
    CODEC_FRAMES,
    CODEC_RATE,
    CUT_TEXT,
    FRAME_SAMPLES,
    GOLDEN,
    HEARD,
    LONG,
    LOOKED_AT,
    PROMPTS,
    REFERENCES,
    SCRIPTS,
    SEEDS,
    SHAPES,
    SHORTENED,
    SPEEDS,
    SPOKEN,
    TEXT,
    TOGETHER,
    WORDS,
    SpeechChunk,
    Spoken,
    as_bytes,
    clips,
    half_masked,
    made_codes,
    made_samples,
    noise,
    thinned,
)

TOLERANCE = 2e-6  # between two machines, relative to the largest number of a tensor
# Of what the codec decodes, which multiplies the rounding of its first layers; and of speech, whose samples are once cut to 16 bits.
TOLERANCES = {"codec": 1e-5, "heard": 2.0**-14}
# A code that another rounding (about 1e-6) would change is luck: take other clips, or another of SEEDS, where there is one.
LEAST_MARGIN = 1e-4

Tensors = dict[str, np.ndarray]
Voices = dict[str | None, official.Voice | None]
Golden = tuple[str, Tensors, float]  # name, tensors, least margin


def main() -> None:
    """Command line."""
    golden_command(__doc__.splitlines()[0], _made, lambda name: TOLERANCES.get(name.partition("_")[0], TOLERANCE), "the official package")


def _made(folder: Path) -> Iterator[Made]:
    check_tables()
    for name, tensors, margin in goldens(folder):
        yield GOLDEN / f"{name}.safetensors", tensors, _facts(name, margin)


def goldens(folder: Path) -> Iterator[Golden]:
    """Every golden file. Of one shape what no network of the transformer has a part in."""
    yield "silences", silences(), np.inf
    for shape in SHAPES:
        package = official.Package(write_tiny_checkpoint(folder / shape, shape, seed=SEEDS[shape]))
        tensors, margin, voices = recordings(package)
        if shape == SHAPES[0]:
            yield "recordings", tensors, margin
            yield "codec", *codec(package)
            yield "prompts", prompts(package, voices), np.inf
            yield "lengths", lengths(package), np.inf
        yield f"logits_{shape}", logits(package, voices), np.inf
        yield f"spoken_{shape}", *spoken(package, voices, shape)
        yield f"chunks_{shape}", *chunks(package, voices[None if shape == "sparse" else "plain"])
        for case in HEARD:
            if case.shape == shape:
                yield f"heard_{case.name}", *heard(package, voices, case)


def check_tables() -> None:
    """The tables that checkpoints are made from name what the official classes have; the released size is held against its files' lists."""
    tables = [(main_tensors(tiny(shape).config), tiny(shape).config) for shape in SHAPES]
    for table, config in tables:
        mine = {name: shape for name, (shape, _) in table.items()}, codec_tensors(codec_config())
        for ours, true in zip(mine, official.shapes_of_classes(config, codec_config()), strict=True):
            if ours != true:
                raise SystemExit(f"Tensors differ from the official classes: {sorted(set(ours.items()) ^ set(true.items()))[:8]}")


def recordings(package: official.Package) -> tuple[Tensors, float, Voices]:
    """What is kept of each clip."""
    tensors, margins, voices = {}, [], {None: None}
    for name, clip in clips().items():
        voice, margin = package.voice(clip, WORDS[name])
        tensors[f"{name}.codes"] = voice.ref_audio_tokens.numpy().astype(np.int16)
        tensors[f"{name}.rms"] = np.array([voice.ref_rms], np.float32)
        tensors[f"{name}.words"] = as_bytes(voice.ref_text)
        voices[name] = voice
        margins.append(margin)
    return tensors, min(margins), voices


def silences() -> Tensors:
    """Digests of made signals without their silences, and of finished ones."""
    removed = {
        "/".join(map(str, ("removed", *setting))): digest(official.removed(signal, RATE, *setting) for signal in made_signals())
        for setting in SETTINGS
    }
    finished = {
        f"finished/{rms}/{removes}": digest(official.finished(signal, RATE, rms, removes_silences=removes) for signal in made_signals())
        for rms, removes in FINISHINGS
    }
    return {name: np.frombuffer(value, np.uint8) for name, value in (removed | finished).items()}


def codec(package: official.Package) -> tuple[Tensors, float]:
    """Codes of made samples and samples of made codes, of several lengths: some of these, and the first and last ones."""
    tensors, margins = {}, []
    for n_frames in CODEC_FRAMES:
        codes, margin = package.encoded(made_samples(n_frames))
        samples = package.decoded(made_codes(n_frames))
        if len(samples) != n_frames * FRAME_SAMPLES:
            raise SystemExit(f"{n_frames} frames are {len(samples)} samples.")
        tensors |= {f"{n_frames}.codes": codes.astype(np.int16), f"{n_frames}.samples": thinned(samples)}
        tensors[f"{n_frames}.ends"] = np.stack([samples[:40], samples[-40:]])
        margins.append(margin)
    return tensors, min(margins)


def prompts(package: official.Package, voices: Voices) -> Tensors:
    """Ids before the codes."""
    tensors = {}
    for number, prompt in enumerate(PROMPTS):
        task = package.task(prompt.text, voices[prompt.voice], language=prompt.language, instruct=prompt.instructions)
        tensors[f"{number}"] = package.prompt_ids(task, denoise=prompt.denoise).astype(np.int16)
    return tensors


def lengths(package: official.Package) -> Tensors:
    """Frames of every script after every reference at every speed; weights of scripts and of single characters, in tenths."""
    tensors = {"characters": np.array([official.weight(chr(code)) * 10 for code in CODE_POINTS if category(chr(code)) != "Cs"], np.uint8)}
    for name, text in SCRIPTS.items():
        estimate = partial(package.model._estimate_target_tokens, text)
        tensors[f"{name}.weight"] = np.array([official.weight(text)], np.float32)
        frames = [[estimate(*(one or (None, None)), speed=speed) for speed in SPEEDS] for one in REFERENCES]
        tensors[f"{name}.frames"] = np.array(frames, np.int32)
    return tensors


def logits(package: official.Package, voices: Voices) -> Tensors:
    """Of both branches, some codes settled and others not, after a reference and after none."""
    tensors = {}
    for name, n_frames in (("plain", 6), (None, 3)):
        task = package.task(TEXT, voices[name], language="en", instruct="elderly")
        task.target_lens = [n_frames]
        for branch, made in zip(("conditional", "unconditional"), package.logits(task, half_masked(n_frames)), strict=True):
            tensors[f"{name}.{branch}"] = made[..., ::LOOKED_AT]
    return tensors


def spoken(package: official.Package, voices: Voices, shape: str) -> tuple[Tensors, float]:
    """Codes of the cases. Raises SystemExit where a batch speaks otherwise than its sentences alone."""
    tensors, margins = {}, []
    for case in SPOKEN:
        if case.shape == shape:
            said = package.spoken(_task(package, voices, case), case.given, _noise(case))
            tensors[case.name] = said.codes[0].astype(np.int16)
            margins += said.margins
    together = [case for case in TOGETHER if case.shape == shape]
    if together:
        batch = package.together([_task(package, voices, case) for case in together], together[0].given)
        for case, codes in zip(together, batch, strict=True):
            if not np.array_equal(codes, tensors[case.name]):
                raise SystemExit(f"{case.name} is another one in a batch.")
    return tensors, min(margins)


def chunks(package: official.Package, voice: official.Voice | None) -> tuple[Tensors, float]:
    """What a long text is cut into, and how long it and each piece are. Of a shorter one, cut by shorter limits, the codes as well."""
    task = package.task(LONG, voice, language="en")
    cut = package.chunks(task, {})
    frames = [*task.target_lens, *(package.task(piece, voice).target_lens[0] for piece in cut)]
    tensors = {"long.pieces": as_bytes("\n".join(cut)), "long.n_frames": np.array(frames, np.int32)}
    task = package.task(CUT_TEXT, voice, language="en")
    said, cut = package.spoken(task, SHORTENED), package.chunks(task, SHORTENED)
    if not 2 < len(cut) == len(said.codes):
        raise SystemExit("The text was cut otherwise than it was spoken.")
    tensors["pieces"] = as_bytes("\n".join(cut))
    return tensors | {f"{number}": codes.astype(np.int16) for number, codes in enumerate(said.codes)}, min(said.margins)


def heard(package: official.Package, voices: Voices, case: SpeechChunk) -> tuple[Tensors, float]:
    """What a caller hears."""
    given = case.settings | {"language": case.language, "instruct": case.instructions}
    samples, margin = package.heard(case.text, voices[case.voice], _noise(case), **given)
    ends = np.stack([samples[: CODEC_RATE // 5 : 97], samples[-CODEC_RATE // 5 :: 97]])  # pads and fades of 0.1 s each
    return {"samples": thinned(samples), "ends": ends, "n_samples": np.array([len(samples)], np.int32)}, margin


def _task(package: official.Package, voices: Voices, case: Spoken) -> official.Task:
    task = package.task(TEXT, voices[case.voice], language="en")
    task.target_lens = [case.n_frames]
    return task


def _noise(case: Spoken | SpeechChunk) -> official.Noise | None:
    return None if case.seed is None else partial(noise, case.seed)


def _facts(name: str, margin: float) -> dict[str, str]:
    if margin < LEAST_MARGIN:
        raise SystemExit(
            f"{name}: a choice was won by {margin:.2g} only, less than {LEAST_MARGIN}. Take another clip, or another of SEEDS."
        )
    seed = next((str(seed) for shape, seed in SEEDS.items() if shape in name), str(SEEDS))
    return {"recipe": RECIPE, "seed": seed, "upstream": official.UPSTREAM, "least_margin": f"{margin:.2g}"}


if __name__ == "__main__":
    main()
