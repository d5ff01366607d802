"""Makes the golden files of Qwen3-TTS, or compares: `PYTHON -m tests.parity.qwen3_tts.make_golden [--check]`, PYTHON as in `official.py`.

From the repository's root, with an interpreter that has the official package. Writes the toy checkpoints of the tests into a temporary
folder, runs the official package on them and writes what it computed; with --check it writes nothing and lists what differs.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np

from tests.engines.qwen3_tts.checkpoints.random_checkpoint import RECIPE, full_size
from tests.engines.qwen3_tts.checkpoints.tensors import codec_tensors, main_tensors
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import tiny, write_tiny_checkpoint
from tests.parity.golden_command import Made, golden_command
from tests.parity.qwen3_tts import official
from tests.parity.qwen3_tts.cases import (
    CASES,
    ENDING_TEXT,
    FRAMES,
    GOLDEN,
    OWN_TEXT,
    OWN_VOICES,
    REFERENCE_TEXT,
    SAMPLING_CASES,
    SEED,
    clips,
    decoder_codes,
    group_file,
    own_voice_file,
    sampling_history,
    sampling_logits,
    write_own_checkpoint,
)

TOLERANCE = 2e-6  # between two machines, relative to the largest number of a tensor
# Greedy codes are compared exactly, so that no choice may hang on rounding (about 1e-6): take another seed or text where one does.
LEAST_MARGIN = 1e-4

Tensors = dict[str, np.ndarray]


def main() -> None:
    """Command line."""
    golden_command(__doc__.splitlines()[0], goldens, lambda name: TOLERANCE, "the official package")


def goldens(folder: Path) -> Iterator[Made]:
    """(file, tensors, facts) of every golden. Raises where the tables of tensors are not those of the official classes."""
    check_tables()
    models = {}
    for projection in (True, False):
        place = write_tiny_checkpoint(folder / f"projection_{projection}", projection=projection, seed=SEED)
        models[projection] = official.load(place)
    ending = official.load(write_tiny_checkpoint(folder / "ending", seed=SEED, ends_with_text=True))
    yield _golden(GOLDEN / "extraction.safetensors", *extraction(models))
    yield _golden(GOLDEN / "waveform.safetensors", *waveforms(models[True]))
    yield _golden(GOLDEN / "ending.safetensors", *endings(ending))
    yield _golden(GOLDEN / "sampling.safetensors", *sampling(models[True]))
    for group, cases in groupby(CASES, lambda case: case.group):
        yield _golden(group_file(group), *greedy(models, list(cases)))
    for group, cases in groupby(OWN_VOICES, lambda case: case.group):
        yield _golden(own_voice_file(group), *own_voices(folder / group, list(cases)))


def _golden(file: Path, tensors: Tensors, margin: float) -> Made:
    if margin < LEAST_MARGIN:
        raise SystemExit(f"{file.name}: a choice was won by {margin:.2g} only, less than {LEAST_MARGIN}. Take another SEED in cases.py.")
    facts = {"recipe": RECIPE, "seed": str(SEED), "upstream": f"QwenLM/Qwen3-TTS@{official.REVISION}", "least_margin": f"{margin:.2g}"}
    return file, tensors, facts | official.versions()


def check_tables() -> None:
    """The tables that checkpoints are made from name what the official classes have, toy and full size."""
    for checkpoint in (tiny(projection=True), tiny(projection=False), full_size("0.6B"), full_size("1.7B")):
        tables = (main_tensors(checkpoint.main), codec_tensors(checkpoint.codec))
        for table, true in zip(tables, official.shapes_of_classes(checkpoint), strict=True):
            if table != true:
                raise SystemExit(f"Tensors differ from the official classes: {sorted(set(table.items()) ^ set(true.items()))[:8]}")


def extraction(models: dict) -> tuple[Tensors, float]:
    """Log-mel (first and last frames), speaker embedding of either width, codes of both clips."""
    tensors, margins = {}, []
    for name, clip in clips().items():
        with official.traced(models[True]) as trace:
            learned = official.prompt(models[True], clip, REFERENCE_TEXT)[0]
        margins.append(trace.least_margin)
        tensors[f"{name}.codes"] = learned.ref_code.numpy().astype(np.int16)
        tensors[f"{name}.embedding_projection"] = learned.ref_spk_embedding.numpy()
        other = official.prompt(models[False], clip, REFERENCE_TEXT)[0]
        tensors[f"{name}.embedding_equal_widths"] = other.ref_spk_embedding.numpy()
    mel = official.log_mel(clips()["reference"].samples)
    tensors |= {"reference.mel_first": mel[:12], "reference.mel_last": mel[-12:], "reference.mel_frames": np.array([len(mel)])}
    return tensors, min(margins)


def waveforms(model) -> tuple[Tensors, float]:
    """The codec decoder alone in float64 (every 16th sample), and what a caller of the official package hears (every 4th sample)."""
    tensors = {"float64": official.decode_float64(model, decoder_codes(30))[0, ::16]}
    learned = official.prompt(model, clips()["reference"], REFERENCE_TEXT)
    with official.traced(model) as trace:
        samples, codes = official.speak(model, CASES[0].text, learned, language="english", max_new_tokens=9, **official.GREEDY)
    tensors |= {"spoken": samples[::4], "spoken_samples": np.array([len(samples)]), "spoken_codes": codes.astype(np.int16)}
    return tensors, trace.least_margin


def endings(model) -> tuple[Tensors, float]:
    """Codes of a checkpoint that stops where its text ends: the end-of-speech code is met, its frame is not spoken."""
    learned = official.prompt(model, clips()["reference"], REFERENCE_TEXT, in_context=False)
    with official.traced(model) as trace:
        _, codes = official.speak(model, ENDING_TEXT, learned, language="english", max_new_tokens=100, **official.GREEDY)
    return {"codes": codes.astype(np.int16)}, trace.least_margin


def sampling(model) -> tuple[Tensors, float]:
    """Per way of sampling: which codes may be drawn, and their logits by then. There are ties, which only a draw can break."""
    learned, tensors = official.prompt(model, clips()["reference"], REFERENCE_TEXT, in_context=False), {}
    for case in SAMPLING_CASES:
        settings = {name: getattr(case, name) for name in ("temperature", "top_k", "top_p", "repetition_penalty")}
        scores = official.processed(model, learned, sampling_logits() + case.shift, sampling_history(case.history), settings)
        kept = np.flatnonzero(np.isfinite(scores))
        tensors |= {f"{case.name}.codes": kept.astype(np.int16), f"{case.name}.logits": scores[kept]}
    return tensors, float("inf")


def greedy(models: dict, cases: list) -> tuple[Tensors, float]:
    """Prompt rows and trailing rows (every second channel), and greedy codes, of all cases of one group."""
    tensors, margins = {}, []
    for case in cases:
        model = models[case.projection]
        learned = official.prompt(model, clips()["reference"], REFERENCE_TEXT, in_context=case.in_context)
        given = {"language": case.language, "non_streaming_mode": case.full_text, "max_new_tokens": FRAMES + 1} | official.GREEDY
        with official.traced(model) as trace:
            _, codes = official.speak(model, case.text, learned, **given)
        tensors[f"{case.name}.rows"], tensors[f"{case.name}.trailing"] = trace.rows[:, ::2], trace.trailing[:, ::2]
        tensors[f"{case.name}.codes"] = codes.astype(np.int16)
        margins.append(trace.least_margin)
    return tensors, min(margins)


def own_voices(folder: Path, cases: list) -> tuple[Tensors, float]:
    """As `greedy`, of a model with voices of its own, every fourth channel of rows. All cases have one kind and size."""
    model = official.load(write_own_checkpoint(folder, cases[0]))
    tensors, margins = {}, []
    for case in cases:
        given = {"language": case.language, "non_streaming_mode": case.full_text, "max_new_tokens": FRAMES + 1} | official.GREEDY
        with official.traced(model) as trace:
            _, codes = official.speak_as(model, OWN_TEXT, case.speaker, case.instruction, **given)
        tensors[f"{case.name}.rows"], tensors[f"{case.name}.trailing"] = trace.rows[:, ::4], trace.trailing[:, ::4]
        tensors[f"{case.name}.codes"] = codes.astype(np.int16)
        margins.append(trace.least_margin)
    return tensors, min(margins)


if __name__ == "__main__":
    main()
