"""Figures of an engine at full size, random weights, beside the official package: `python -m tests.parity.beside --help`.

Writes a checkpoint of the released shapes and of random numbers (speed does not depend on what the weights say), then runs our engine on
it; with --also NAME=VALUE once more, opened with that option; with --beside NAME=PYTHON:MODULE another package in PYTHON's environment
(tests/parity/README.md has the modules): same clip, same sentence, same number of frames, same mode, same threads, one after the other,
each in a process of its own; with --rounds so often, in turn. First audio of a package that does not stream is its only output.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import soundfile

from engines.contract.options import Value
from engines.fish_speech.codec.codec_config import RELEASED
from studio.measure.server.machine import describe_machine
from tests.engines.dots import random_checkpoint as dots
from tests.engines.dots.tiny_checkpoint import KINDS as DOTS_KINDS
from tests.engines.dots.vocabulary import N_TOKENS as DOTS_TOKENS
from tests.engines.fish_speech import random_checkpoint as fish_speech
from tests.engines.fish_speech.random_codec import write_codec
from tests.engines.omnivoice import random_checkpoint as omnivoice
from tests.engines.omnivoice.codec import random_codec as omnivoice_codec
from tests.engines.qwen3_tts.checkpoints import random_checkpoint as qwen3_tts
from tests.engines.voxcpm2 import random_checkpoint as voxcpm2
from tests.parity.comparison import comparison_table, merged
from tests.parity.cosyvoice3 import checkpoints as cosyvoice3
from tests.parity.pocket_tts import checkpoints as pocket_tts
from tests.parity.voxtral import checkpoints as voxtral

__all__ = ["SUBJECTS", "Scenario", "main", "prepared_checkpoint"]

ROOT = Path(__file__).parents[2]
CLIP = ROOT / "assets" / "voices" / "demo.flac"  # 11.6 s
TEXT = "The north wind and the sun were arguing about which of them was the stronger."
SENTENCES = TEXT + " Then a traveller came along in a warm cloak. They agreed that whoever made him take it off should win."
PIECE_BYTES = 1 << 24
CHECKPOINT_FILES = ("model.safetensors", "model.safetensors.index.json", "flow.pt", "consolidated.safetensors")  # one of them
SPOKEN_SECONDS = 5.04  # what the sentence takes when it is read aloud


@dataclass(frozen=True)
class Subject:
    """An engine that has official code to be compared with.

    sizes: as its makers call them. write: a random checkpoint of a size, and the words that get a token each. knows_words: whether speech
    goes on from the clip. length_option: of a stream, in frames, with n_unspoken more; or in seconds. text, spoken_seconds: what is said,
    and how long that takes. slack: share by which a speech may be longer or shorter, for pads. n_first: see Scenario, on a CPU.
    """

    title: str
    sizes: tuple[str, ...]
    write: Callable[[Path, str, list[str]], object]
    knows_words: bool
    frame_seconds: float
    length_option: str
    n_unspoken: int = 0
    is_in_seconds: bool = False
    text: str = TEXT
    spoken_seconds: float = SPOKEN_SECONDS
    slack: float = 1e-6
    n_first: int = 5


def _write_qwen3_tts(folder: Path, size: str, words: list[str]) -> None:
    qwen3_tts.write_checkpoint(folder, qwen3_tts.full_size(size, words))


def _write_voxcpm2(folder: Path, size: str, words: list[str]) -> None:
    """It never ends by itself; its vocabulary is made up of pieces that any text has."""
    voxcpm2.write_checkpoint(folder, replace(voxcpm2.full_size(), ends_after=math.inf))


def _write_fish_speech(folder: Path, size: str, words: list[str]) -> None:
    """It never ends by itself; its vocabulary has letters and a few words."""
    config = json.loads((ROOT / "tests" / "released" / "fish_s2_pro" / "config.json").read_text())
    fish_speech.write_language_model(folder, fish_speech.RandomCheckpoint(config))
    write_codec(folder, RELEASED)


def _write_omnivoice(folder: Path, size: str, words: list[str]) -> None:
    """Its vocabulary has letters and a few words."""
    released = ROOT / "tests" / "released" / "omnivoice"
    omnivoice.write_backbone(folder, omnivoice.RandomCheckpoint(json.loads((released / "config.json").read_text())))
    omnivoice_codec.write_codec(folder, json.loads((released / "codec" / "config.json").read_text()))


def _write_cosyvoice3(folder: Path, size: str, words: list[str]) -> None:
    """It never ends by itself; its vocabulary has letters and a few words."""
    cosyvoice3.write_released_size(folder)


def _write_pocket_tts(folder: Path, size: str, words: list[str]) -> None:
    """It never ends by itself; its vocabulary has letters and the words."""
    pocket_tts.write_released_size(folder, size, words)


def _write_voxtral(folder: Path, size: str, words: list[str]) -> None:
    """It never ends by itself; it has the encoder that the release lacks, so that a voice is learned; its vocabulary has letters and the
    words.
    """
    voxtral.write_released_size(folder, size, words)


def _write_dots(folder: Path, size: str, words: list[str]) -> None:
    """Of one size, and of the sampler that a repository has. It never ends by itself; its vocabulary has letters and a few words."""
    full = dots.full_size()
    config, llm = {**full.config, "meanflow": None, **DOTS_KINDS[size]}, {**full.llm, "vocab_size": DOTS_TOKENS}
    dots.write_checkpoint(folder, replace(full, config=config, llm=llm, ends_after=math.inf))


SUBJECTS: Mapping[str, Subject] = {  # Qwen3-TTS and Fish draw a last token that is not spoken
    "qwen3_tts": Subject("Qwen3-TTS", ("0.6B", "1.7B"), _write_qwen3_tts, True, 0.08, "max_new_tokens", n_unspoken=1),
    "voxcpm2": Subject("VoxCPM2", ("2B",), _write_voxcpm2, False, 0.16, "max_patches"),
    "fish_speech": Subject("Fish Audio S2 Pro", ("S2-Pro",), _write_fish_speech, True, 2048 / 44_100, "max_new_tokens", n_unspoken=1),
    # Speaks by the sentence, so that one would say nothing of its first sound; a piece takes a CPU a minute and more.
    "omnivoice": Subject(
        "OmniVoice", ("0.6B",), _write_omnivoice, True, 0.04, "duration",
        is_in_seconds=True, text=SENTENCES, spoken_seconds=12.0, slack=0.1, n_first=1,
    ),
    # A first sound wants the voice read, which takes a CPU half a minute.
    "cosyvoice3": Subject("Fun-CosyVoice3", ("0.5B",), _write_cosyvoice3, True, 0.04, "max_tokens", n_first=1),
    "pocket_tts": Subject("Pocket TTS", tuple(pocket_tts.VARIANTS), _write_pocket_tts, False, 0.08, "max_frames", n_first=20),
    "voxtral": Subject("Voxtral TTS", tuple(voxtral.LAYERS), _write_voxtral, False, 0.08, "max_new_tokens", n_first=2),
    "dots": Subject("dots.tts", ("mf", "mf-2steps", "mf-1step", "soar"), _write_dots, False, 0.16, "max_patches", n_first=2),
}  # fmt: skip


@dataclass(frozen=True)
class Scenario:
    """What both sides are told, as JSON. transcript: "" where the voice is learnt without words. length_option, n_unspoken, is_in_seconds,
    frame_seconds: see Subject. load_options: that our engine is opened with. n_first, n_cold: first pieces of audio with a prepared voice,
    and with one never seen. n_streams: numbers of speeches at once. n_cores: of the machine's, that a side may use; 0 for all.
    """

    engine: str
    folder: str
    clip: str
    transcript: str
    text: str
    device: str
    dtype: str
    threads: int
    n_frames: int
    n_runs: int
    n_extractions: int
    n_first: int
    n_cold: int
    length_option: str
    n_unspoken: int
    is_in_seconds: bool = False
    frame_seconds: float = 0.0
    warm_up: bool = True
    load_options: Mapping[str, Value] = field(default_factory=dict)
    n_streams: tuple[int, ...] = ()
    n_cores: int = 0


def main() -> int:
    """Command line."""
    arguments = _arguments()
    facts = json.loads(CLIP.with_suffix(".json").read_text())
    subject = SUBJECTS[arguments.engine]
    with tempfile.TemporaryDirectory(prefix=f"{arguments.engine}-") as temporary:
        words = sorted({word.strip(".,") for word in (facts["transcript"] + " " + subject.text).split()})
        folder = prepared_checkpoint(subject, arguments.checkpoint or Path(temporary) / arguments.size, arguments.size, words)
        clip, transcript = _cut(arguments.clip_seconds, facts["transcript"], Path(temporary))
        scenario = _scenario(arguments, folder, clip, transcript if subject.knows_words else "")
        figures = {"title": subject.title, "size": arguments.size, "scenario": asdict(scenario), "machine": describe_machine()}
        sides = _sides(arguments)
        rounds = {name: [] for name in sides}
        for name, (program, changes) in [*sides.items()] * arguments.rounds:
            print(f"running {name} ...", flush=True)
            _read_once(folder)
            rounds[name].append(_run(program, replace(scenario, **changes), Path(temporary)))
        for name, measured in rounds.items():
            figures[name] = merged(measured)
            asked = arguments.frames * subject.frame_seconds
            if figures[name] and not math.isclose(figures[name]["audio_seconds"], asked, rel_tol=subject.slack):
                print(f"{name} spoke {figures[name]['audio_seconds']:.3f} s, not {arguments.frames} frames; it is left out")
                figures[name] = None
    if figures["ours"] is None:
        return 1
    print(comparison_table(figures))
    failed = [name for name in sides if figures[name] is None]
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")
        print(f"\nfigures: {arguments.json}")
    if failed:
        print(f"\nwithout figures, for the reason told above: {', '.join(failed)}")
    return int(bool(failed))


def prepared_checkpoint(subject: Subject, folder: Path, size: str, words: list[str]) -> Path:
    """The folder, with a random checkpoint of this size written into it if it holds none. words: of the texts, a token each."""
    if not any((folder / name).exists() for name in CHECKPOINT_FILES):
        print(f"writing a random {size} checkpoint ...", flush=True)
        subject.write(folder, size, words)
    return folder


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--engine", choices=sorted(SUBJECTS), required=True)
    parser.add_argument("--size", help="as the makers call it; the first one where none is given")
    parser.add_argument("--device", default="cpu", help='"cpu" or "cuda:0"')
    parser.add_argument("--dtype", help="of what speaks; float32 on the CPU and bfloat16 on a GPU if not said")
    parser.add_argument("--threads", type=int, default=2, help="of the CPU, on both sides")
    parser.add_argument("--frames", type=int, help="that both sides speak; as many as the text takes to read aloud if not said")
    parser.add_argument("--runs", type=int, help="whole speeches; 1 on the CPU and 10 on a GPU if not said")
    beside = "another package's side: a module that an interpreter of its own runs"
    parser.add_argument("--beside", type=_side, action="append", default=[], metavar="NAME=PYTHON:MODULE", help=beside)
    parser.add_argument("--compile", action="store_true", help="measure our side compiled, too: --also compile=true")
    also = "measure our side once more, opened with this option"
    parser.add_argument("--also", type=_option, action="append", default=[], metavar="NAME=VALUE", help=also)
    parser.add_argument("--checkpoint", type=Path, help="folder: used if it holds a checkpoint, else it is written there and kept")
    parser.add_argument(
        "--clip-seconds", type=float, default=math.inf, help="of the recording that the voice is of, and of its words a like share"
    )
    parser.add_argument("--rounds", type=int, default=1, help="how often each side is measured, in turn with the others")
    parser.add_argument("--streams", type=int, nargs="+", default=[], metavar="N", help="measure so many speeches at once, too")
    parser.add_argument("--cores", type=int, default=0, help="of the machine's, that each side is held to; 0 for all")
    parser.add_argument("--json", type=Path, help="where to put all figures")
    asked = parser.parse_args()
    subject = SUBJECTS[asked.engine]
    asked.size, asked.frames = asked.size or subject.sizes[0], asked.frames or round(subject.spoken_seconds / subject.frame_seconds)
    if asked.size not in subject.sizes:
        parser.error(f"{asked.engine} has no size {asked.size!r}; it has {', '.join(subject.sizes)}")
    return asked


def _side(text: str) -> tuple[str, list[str]]:
    """NAME=PYTHON:MODULE as (name, program)."""
    name, _, program = text.partition("=")
    python, _, module = program.rpartition(":")
    if not (name and python and module):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=PYTHON:MODULE")
    return name, [python, "-m", module]


def _option(text: str) -> tuple[str, Value]:
    """NAME=VALUE, as JSON has the value; any other is text."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _cut(most_seconds: float, transcript: str, folder: Path) -> tuple[Path, str]:
    """The beginning of the clip, and of its words as large a share."""
    samples, rate = soundfile.read(CLIP, dtype="float32")
    share = most_seconds * rate / len(samples)
    words, file = transcript.split(), folder / f"{CLIP.stem}.wav"  # which every Python reads
    soundfile.write(file, samples[: int(min(1.0, share) * len(samples))], rate, subtype="PCM_16")
    return file, " ".join(words[: max(1, round(min(1.0, share) * len(words)))])


def _scenario(arguments: argparse.Namespace, folder: Path, clip: Path, transcript: str) -> Scenario:
    on_gpu = arguments.device.startswith("cuda")
    subject = SUBJECTS[arguments.engine]
    return Scenario(
        engine=arguments.engine,
        folder=str(folder.resolve()),
        clip=str(clip),
        transcript=transcript,
        text=subject.text,
        device=arguments.device,
        dtype=arguments.dtype or ("bfloat16" if on_gpu else "float32"),
        threads=arguments.threads,
        n_frames=arguments.frames,
        n_runs=arguments.runs or (10 if on_gpu else 1),
        n_extractions=10 if on_gpu else 2,
        n_first=100 if on_gpu else subject.n_first,
        n_cold=20 if on_gpu else min(2, subject.n_first),
        length_option=subject.length_option,
        n_unspoken=subject.n_unspoken,
        is_in_seconds=subject.is_in_seconds,
        frame_seconds=subject.frame_seconds,
        n_streams=tuple(arguments.streams),
        n_cores=arguments.cores,
    )


def _sides(arguments: argparse.Namespace) -> dict[str, tuple[list[str], dict[str, object]]]:
    """Name of a side -> the program that measures it, and what is told it otherwise than the others."""
    ours = [sys.executable, "-m", "tests.parity.our_figures"]
    sides: dict[str, tuple[list[str], dict[str, object]]] = {"ours": (ours, {})}
    if arguments.compile:
        sides["compiled"] = (ours, {"load_options": {"compile": True}})
    for name, value in arguments.also:
        sides[f"ours, {name}={value}"] = (ours, {"load_options": {name: value}})
    if arguments.device.startswith("cuda"):  # graphs are captured in the warm-up: without it every step is launched kernel by kernel
        sides["without graphs"] = (ours, {"warm_up": False, "n_first": 10, "n_cold": 2, "n_runs": 2})
    return sides | {name: (program, {}) for name, program in arguments.beside}


def _read_once(folder: Path) -> None:
    """Have the system keep the files in memory, so that no side pays for the disk alone."""
    for file in sorted(folder.rglob("*.safetensors")):
        with file.open("rb") as stream:
            while stream.read(PIECE_BYTES):
                pass


def _run(program: list[str], scenario: Scenario, folder: Path) -> dict | None:
    """What the side measured; None where it failed, so that the others' figures are not lost."""
    question, answer = folder / "scenario.json", folder / "result.json"
    question.write_text(json.dumps(asdict(scenario)))
    ended = subprocess.run([*program, str(question), str(answer)], cwd=ROOT, check=False)
    return json.loads(answer.read_text()) if ended.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
