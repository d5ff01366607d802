"""Makes the golden files of CosyVoice3, or compares: `PYTHON -m tests.parity.cosyvoice3.make_golden [--check]`, PYTHON as in `official.py`.

From the repository's root, with an interpreter that has the official code. Writes the toy checkpoints of the tests into a temporary folder,
runs the official code on them and writes what it computed; with --check it writes nothing and lists what differs.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.cosyvoice3.config import CosyVoice3Config
from engines.cosyvoice3.reference.extraction_files import read_speaker_encoder, read_speech_tokenizer
from tests.engines.cosyvoice3.random_checkpoint import RandomCheckpoint, write_configuration
from tests.engines.cosyvoice3.tensors import flow_tensors, hift_tensors, llm_tensors
from tests.engines.cosyvoice3.tiny_checkpoint import tiny
from tests.parity.cosyvoice3 import checkpoints, official, official_onnx
from tests.parity.cosyvoice3.cases import (
    CHUNKINGS,
    CONVERSIONS,
    DRAWS,
    GOLDEN,
    LOOKED_AT,
    MEL_STOPS,
    SEEDS,
    SPEECHES,
    TOKEN_TEXTS,
    VOCODER_SEED,
    Chunking,
    Speech,
    TimbreMapping,
    as_json,
    clips,
    made_embedding,
    made_logits,
    made_mel,
    made_silences,
    made_tokens,
    on_grid,
    rows_at,
    source_noise,
    thinned,
    uniform_at,
)
from tests.parity.cosyvoice3.extraction_weights import TOKENIZER, speaker_encoder, speech_tokenizer
from tests.parity.cosyvoice3.texts import TEXTS
from tests.parity.golden_command import Made, golden_command

TOLERANCE = 2e-5  # between two machines, relative to the largest number of a tensor: what is heard went through phases and exponentials
LEAST_MARGIN = 1e-6  # of a draw among 6,761 ids, whose shares are some 1e-4 wide
LEAST_LEVEL_MARGIN = 1e-4  # of a level of quantization
SAME = 2e-5  # of what is computed in pieces and as a whole, relative to the largest number
WITHOUT_MARGIN = np.inf
MOST_HEARD_FRAMES = 400
VOICED_HZ, LEAST_UNVOICED, LEAST_PITCH_MARGIN = 10.0, 3, 0.01  # of the frames that the vocoder is given, some have no pitch

Tensors = dict[str, np.ndarray]
Golden = tuple[str, Tensors, float]  # name, tensors, least margin


def main() -> None:
    """Command line."""
    golden_command(__doc__.splitlines()[0], _made, lambda _: TOLERANCE, "the official code")


def _made(folder: Path) -> Iterator[Made]:
    for name, tensors, margin in goldens(folder):
        yield GOLDEN / f"{name}.safetensors", tensors, _facts(name, margin)


def goldens(folder: Path) -> Iterator[Golden]:
    """Every golden file."""
    check_tables(folder)
    exported = _export(folder / "exported")
    check_readers(exported, checkpoints.write(folder / "written", "usual", SEEDS["usual"]))
    packages = {shape: _opened(folder / shape, exported, shape) for shape in SEEDS}
    usual = packages["usual"]
    yield "extraction", *extraction(usual)
    yield "features", features(usual), WITHOUT_MARGIN
    yield "texts", texts(usual), WITHOUT_MARGIN
    drawn, margin = draws()
    yield "draws", drawn | {"passed": np.array(usual.passed(made_silences()), np.int16)}, margin
    for shape, package in packages.items():
        yield f"flow_{shape}", flow(package, shape), WITHOUT_MARGIN
        yield f"vocoder_{shape}", vocoder(package), WITHOUT_MARGIN
    for speech in SPEECHES:
        package = packages[speech.shape]
        if speech.ends_after is not None:
            package = _opened(folder / speech.name, exported, speech.shape, speech.ends_after)
        yield f"speech_{speech.name}", *spoken(package, speech)
    for conversion in CONVERSIONS:
        yield f"conversion_{conversion.shape}", converted(packages[conversion.shape], conversion), WITHOUT_MARGIN


def check_tables(folder: Path) -> None:
    """The tables that checkpoints are made from name what the official classes have, toy and released size."""
    for name, sizes in {"released": RandomCheckpoint(), **{shape: tiny(shape) for shape in SEEDS}}.items():
        place = folder / f"configuration_{name}"
        write_configuration(place, sizes)
        config, classes = CosyVoice3Config.read(place), official.shapes_of_classes(place)
        tables = {"llm": llm_tensors(config), "flow": flow_tensors(config.flow), "hift": hift_tensors(config.vocoder)}
        for file, table in tables.items():
            if table != classes[file]:
                wrong = sorted(set(table.items()) ^ set(classes[file].items()))[:8]
                raise SystemExit(f"Tensors of {file} at {name} size differ from the official classes: {wrong}")


def check_readers(exported: Path, written: Path) -> None:
    """Our reader finds in what an exporter writes the weights that our tests' writer writes."""
    for file, read in ((checkpoints.TOKENIZER_FILE, read_speech_tokenizer), (checkpoints.CAMPPLUS, read_speaker_encoder)):
        theirs, mine = (_plain(read(folder / file, torch.device("cpu")).state_dict()) for folder in (exported, written))
        if theirs.keys() != mine.keys() or not all(torch.allclose(theirs[name], mine[name], atol=1e-6) for name in mine):
            raise SystemExit(f"{file}: an exporter's file is read as other weights than ours.")


def _plain(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Without the layout that a CPU's kernels want."""
    return {name: tensor.to_dense() if tensor.is_mkldnn else tensor for name, tensor in tensors.items()}


def extraction(package: official.Package) -> tuple[Tensors, float]:
    """Tokens and speaker embeddings of clips of several lengths and rates."""
    tensors, margins = {}, []
    for name, clip in clips().items():
        tensors[f"{name}.tokens"] = package.tokens(clip).astype(np.int16)
        tensors[f"{name}.embedding"] = package.embedding(clip)
        margins.append(official_onnx.level_margin(_tokenizer_tensors(), TOKENIZER, package.log_mel(clip)))
    if min(margins) < LEAST_LEVEL_MARGIN:
        raise SystemExit(f"A level of quantization was won by {min(margins):.2g} only. Take another EXTRACTION_SEED.")
    return tensors, min(margins)


def features(package: official.Package) -> Tensors:
    """Some frames of each spectrogram of each clip, and how many there are."""
    tensors = {}
    for name, clip in clips().items():
        made = {"mel": package.mel(clip), "log_mel": package.log_mel(clip).T, "filter_bank": package.filter_bank(clip)}
        tensors[f"{name}.n_frames"] = np.array([len(rows) for rows in made.values()], np.int32)
        if name in ("plain", "wide", "high"):
            tensors |= {f"{name}.{kind}": np.ascontiguousarray(rows[rows_at(len(rows))]) for kind, rows in made.items()}
    return tensors


def texts(package: official.Package) -> Tensors:
    """Pieces of texts, with the normalizer and without, and ids of others."""
    tensors = {}
    for name, given in {"wetext": (True, True), "numbers": (False, True), "plain": (False, False)}.items():
        pieces = [package.pieces(text, normalizer=given[0], numbers=given[1]) for text in TEXTS]
        tensors[f"pieces.{name}"] = as_json(pieces)
    return tensors | {"ids": as_json([package.ids(text) for text in TOKEN_TEXTS])}


def draws() -> tuple[Tensors, float]:
    """Ids that the official sampling draws from made logits."""
    tensors, margins = {}, []
    for draw in DRAWS:
        logits, recent, uniforms = made_logits(draw)
        ids = np.zeros(draw.n_rows, np.int16)
        for row, scores in enumerate(logits):
            said = [int(code) for code in recent[row] if code >= 0]
            ids[row], found = official.drawn(torch.from_numpy(scores.copy()), said, uniforms[row])
            margins += found
        tensors[f"{draw.size}_{draw.spread:g}"] = ids
    return tensors, min(margins)


def flow(package: official.Package, shape: str) -> Tensors:
    """Frames after made prompts: chunk by chunk those that all tokens at once give."""
    tensors = {"noise": package.model.flow.decoder.rand_noise[0, ::9, ::1499].numpy().copy()}
    for chunking in CHUNKINGS:
        if chunking.shape == shape:
            tensors[chunking.name] = np.ascontiguousarray(_chunked(package, chunking)[:, ::3])
    return tensors


def _chunked(package: official.Package, chunking: Chunking) -> np.ndarray:
    n_prompt, stops = chunking.n_prompt, chunking.stops
    tokens = made_tokens(n_prompt + stops[-1], seed=n_prompt)
    prompt = {
        "flow_prompt_speech_token": torch.tensor([tokens[:n_prompt]], dtype=torch.int32),
        "prompt_speech_feat": torch.from_numpy(made_mel(2 * n_prompt, n_prompt))[None],
        "flow_embedding": torch.from_numpy(made_embedding(n_prompt))[None],
    }
    said = tokens[n_prompt:]
    whole = package.flow(said, prompt, finalize=True)
    for stop in stops[:-1]:
        so_far = package.flow(said[: stop + 3], prompt, finalize=False)
        _check_same(so_far, whole[: 2 * stop], f"{chunking.name}, {stop} tokens of frames")
    return whole


def vocoder(package: official.Package) -> Tensors:
    """Pitch and sound of made frames: piece by piece those that all frames at once give."""
    mel = made_mel(MEL_STOPS[-1], VOCODER_SEED)
    with _voiced_for_certain(package):
        whole, pitch, frame = package.sound(mel), package.pitch(mel), 480
    if not LEAST_UNVOICED <= (pitch <= VOICED_HZ).sum() <= len(pitch) // 2:
        raise SystemExit(f"Take another VOCODER_SEED: {np.sort(pitch)[:6]} Hz are the lowest of {len(pitch)} frames.")
    for stop in MEL_STOPS[:-1]:
        so_far = package.sound(mel[:stop], finalize=False)
        if len(so_far) != (stop - 8) * frame:
            raise SystemExit(f"{stop} frames gave {len(so_far)} samples.")
        _check_same(so_far, whole[: len(so_far)], f"sound of {stop} frames")
    return {"pitch": pitch, "samples": thinned(whole), "ends": np.stack([whole[:120], whole[-120:]])}


def spoken(package: official.Package, speech: Speech) -> tuple[Tensors, float]:
    """Prompt, logits, tokens and sound of a text."""
    inputs = package.inputs(speech.text, clips()[speech.clip], speech.words, speech.instructions)
    noise = partial(uniform_at, speech.seed)
    said = package.said(inputs, noise, speech.most)
    if said.ended != (speech.ends_after is not None):
        raise SystemExit(f"{speech.name} ended: {said.ended}, after {len(said.tokens)} tokens.")
    with _voiced_for_certain(package):
        pieces = package.heard(_on_grid(package, inputs), noise, speech.most)
    tensors = {
        "ids": package.prompt_ids(inputs).astype(np.int16),
        "log_shares": np.stack(said.watch.logits)[:, ::LOOKED_AT],
        "tokens": said.tokens.astype(np.int16),
        "drawn_twice": np.array(said.watch.seconds, np.int16),
    }
    return tensors | _sound(pieces), min(said.watch.margins)


def converted(package: official.Package, conversion: TimbreMapping) -> Tensors:
    """A recording's tokens, and their sound in another voice."""
    inputs = package.conversion_inputs(clips()[conversion.source], clips()[conversion.clip])
    tokens = inputs["source_speech_token"][0].numpy().astype(np.int16)
    with _voiced_for_certain(package):
        return {"tokens": tokens} | _sound(package.heard(_on_grid(package, inputs), None, 0))


@contextmanager
def _voiced_for_certain(package: official.Package) -> Iterator[None]:
    """Raises SystemExit where a frame's pitch is so near to having none that a rounding would decide."""
    with package.pitches() as pitches:
        yield
    margin = min(float(np.abs(pitch - VOICED_HZ).min()) for pitch in pitches)
    if margin < LEAST_PITCH_MARGIN:
        raise SystemExit(f"A frame's pitch is {margin:.2g} Hz from {VOICED_HZ}. Take another seed.")


def _on_grid(package: official.Package, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same, with as much of the prompt before the flow as ours gives it; frames are those of the tokens, for a conversion too."""
    tokens, mel = inputs["flow_prompt_speech_token"], inputs["prompt_speech_feat"]
    n_prompt = min(tokens.shape[1], mel.shape[1] // 2)
    n_given = on_grid(n_prompt, package.hop_tokens)
    first = n_prompt - n_given
    mine = {"flow_prompt_speech_token": tokens[:, first:n_prompt], "prompt_speech_feat": mel[:, 2 * first : 2 * n_prompt]}
    return {**inputs, **mine}


def _sound(pieces: list[np.ndarray]) -> Tensors:
    samples = np.concatenate(pieces)
    return {"samples": thinned(samples), "n_samples": np.array([len(samples)], np.int32)}


def _export(folder: Path) -> Path:
    folder.mkdir()
    official_onnx.export_speech_tokenizer(folder / checkpoints.TOKENIZER_FILE, _tokenizer_tensors(), TOKENIZER)
    official_onnx.export_speaker_encoder(folder / checkpoints.CAMPPLUS, speaker_encoder(checkpoints.EXTRACTION_SEED))
    return folder


@cache
def _tokenizer_tensors() -> Tensors:
    return speech_tokenizer(checkpoints.EXTRACTION_SEED)


def _opened(folder: Path, exported: Path, shape: str, ends_after: int | None = None) -> official.Package:
    checkpoints.write(folder, shape, SEEDS[shape], ends_after)
    for file in exported.iterdir():
        shutil.copy(file, folder)
    package = official.Package(folder)
    package.give_noise(source_noise(MOST_HEARD_FRAMES))
    return package


def _check_same(part: np.ndarray, whole: np.ndarray, what: str) -> None:
    error = float(np.abs(part - whole).max() / np.abs(whole).max())
    if error > SAME:
        raise SystemExit(f"{what}: the official code computes something else from all, by {error:.2g}.")


def _facts(name: str, margin: float) -> dict[str, str]:
    if margin < LEAST_MARGIN:
        raise SystemExit(f"{name}: a choice was won by {margin:.2g} only, less than {LEAST_MARGIN}. Take another seed.")
    return {"recipe": checkpoints.RECIPES, "seed": str(SEEDS), "upstream": official.UPSTREAM, "least_margin": f"{margin:.2g}"}


if __name__ == "__main__":
    main()
