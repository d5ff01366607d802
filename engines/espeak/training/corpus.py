"""Makes a folder with all utterances of all training voices: `python -m engines.espeak.training.corpus --output FOLDER [--prior FILE]`.

A file a voice. Two voices at a time, each in a process of its own whose products run on one thread, so that the same packages give the
same bits. With --prior recordings are aligned by the voices' heads of that prior; without, by what each voice teaches about itself.
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.espeak.prior.prior import Prior
from engines.espeak.training.aligned.aligned_utterance import PER_FRAME, AlignedUtterance, utterance_of
from engines.espeak.training.aligned.reading import ReadSentence
from engines.espeak.training.aligned.voice_alignment import align_reading, align_voice_alone
from engines.espeak.training.voices.festvox_voice import festvox_voice
from engines.espeak.training.voices.flite_voice import flite_voice
from engines.espeak.training.voices.hibari_voice import hibari_voice
from engines.espeak.training.voices.training_voice import TrainingVoice
from engines.kit.signal.spectrum import FRAMES_PER_SECOND

__all__ = ["VOICES", "Corpus", "build", "head_of"]

VOICES = {voice.name: voice for voice in (festvox_voice(), hibari_voice(), *map(flite_voice, ("slt", "rms", "awb")))}  # longest first
_ALIGNED_WORST = 0.03  # this share of a voice's utterances is left out
_PROCESSES = 2


@dataclass(frozen=True)
class Corpus:
    """number_of: IPA name to number, from 1, of all phones in it. utterances: voice by voice."""

    number_of: dict[str, int]
    utterances: tuple[AlignedUtterance, ...]

    @classmethod
    def load(cls, folder: Path, voices: tuple[str, ...] = tuple(VOICES)) -> "Corpus":
        """What `build` left in the folder, of those voices."""
        stored = [np.load(folder / f"{voice}.npz") for voice in voices]
        number_of = {name: k for k, name in enumerate(sorted({str(name) for arrays in stored for name in arrays["names"]}), 1)}
        return cls(number_of, tuple(utterance for arrays in stored for utterance in _unpacked(arrays, number_of)))


def build(folder: Path, prior: Path | None = None) -> None:
    """Fill the folder, with all voices. Raises CalledProcessError where one cannot be had; its process has said why."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        "env",
        "OMP_NUM_THREADS=1",
        "OPENBLAS_NUM_THREADS=1",
        sys.executable,
        "-m",
        "engines.espeak.training.corpus",
        "--output",
        str(folder),
    ]
    command += ["--prior", str(prior)] if prior else []
    with ThreadPoolExecutor(_PROCESSES) as pool:
        list(pool.map(lambda voice: subprocess.run([*command, "--voice", voice], check=True), VOICES))


def build_voice(voice: TrainingVoice, prior: Prior | None) -> tuple[list[AlignedUtterance], tuple[str, ...]]:
    """The voice's utterances, but for those that aligned worst, and the names of the phones that 1, 2, ... stand for in them."""
    head = head_of(prior, voice.name) if prior else None
    readings = [ReadSentence.of(text, clip, voice.language, prior, head) for text, clip in voice.read()]
    names = tuple(sorted({name for reading in readings for _, name in reading.speech.phones} | {"_"}))
    number_of = {name: k for k, name in enumerate(names, 1)}
    known = [reading.predicted for reading in readings if reading.predicted is not None]
    predicted = known if prior else align_voice_alone(readings, number_of)
    aligned = [align_reading(reading, guess) for reading, guess in zip(readings, predicted, strict=True)]
    most = np.quantile([cost for _, cost in aligned], 1 - _ALIGNED_WORST)
    peak = float(np.median([reading.peak for reading in readings]))
    utterances = []
    for reading, (rows, cost) in zip(readings, aligned, strict=True):
        about = {"voice": voice.name, "language": voice.language, "natural": voice.natural, "text": reading.text, "cost": cost}
        if cost <= most:
            utterances.append(utterance_of(reading, rows, about, number_of, peak))
    return utterances, names


def head_of(prior: Prior, voice: str) -> np.ndarray:
    """(U + 1, O) the voice's own head, of an unstretched vocal tract."""
    return prior.heads[prior.head_names.index(f"{voice}*1.0")]


_ABOUT = ("voice", "language", "natural", "text", "cost")  # the first fields of an AlignedUtterance


def _packed(utterances: list[AlignedUtterance], names: tuple[str, ...]) -> dict[str, np.ndarray]:
    arrays = {name: np.concatenate([getattr(u, name) for u in utterances]) for name in PER_FRAME}
    about = {name: np.array([getattr(u, name) for u in utterances]) for name in _ABOUT}
    return arrays | about | {"names": np.array(names), "n_frames": np.array([len(u.f0) for u in utterances])}


def _unpacked(stored: dict[str, np.ndarray], number_of: dict[str, int]) -> list[AlignedUtterance]:
    arrays = {name: stored[name] for name in stored}
    renumbered = np.array([0, *(number_of[str(name)] for name in arrays["names"])], np.int32)
    arrays["phones"] = renumbered[arrays["phones"]]
    ends = np.cumsum(arrays["n_frames"])
    utterances = []
    for k, (first, last) in enumerate(zip(ends - arrays["n_frames"], ends, strict=True)):
        per_frame = {name: arrays[name][first:last] for name in PER_FRAME}
        voice, language, natural, text, cost = (arrays[name][k].item() for name in _ABOUT)
        utterances.append(AlignedUtterance(voice, language, natural, text, cost, **per_frame))
    return utterances


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="a folder outside the repository")
    parser.add_argument("--prior", type=Path, help="align by this prior's heads")
    parser.add_argument("--voice", choices=tuple(VOICES), help="this voice alone, in this process")
    arguments = parser.parse_args()
    started = time.perf_counter()
    if arguments.voice is None:
        build(arguments.output, arguments.prior)
        print(f"{time.perf_counter() - started:.0f} s in all")  # noqa: T201 a script
        return
    prior = Prior.load(arguments.prior) if arguments.prior else None
    utterances, names = build_voice(VOICES[arguments.voice], prior)
    arguments.output.mkdir(parents=True, exist_ok=True)
    np.savez(arguments.output / f"{arguments.voice}.npz", allow_pickle=False, **_packed(utterances, names))
    minutes = sum(len(u.f0) for u in utterances) / FRAMES_PER_SECOND / 60
    costs = np.quantile([u.cost for u in utterances], (0.1, 0.5, 0.9, 1))
    figures = f"{len(utterances)} utterances, {minutes:.1f} minutes, {len(names)} phones, costs {np.round(costs, 3)} (10, 50, 90, 100 %)"
    print(f"{arguments.voice}: {figures}, {time.perf_counter() - started:.0f} s", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
