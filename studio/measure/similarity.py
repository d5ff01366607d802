"""How much a clone sounds like its speaker, and how well it is understood: `python -m studio.measure.similarity --help`.

Similarity is the cosine of Resemblyzer embeddings between cloned sentences and other recordings of the speaker; the impostor is the
most similar other speaker; WER is pocketsphinx's word error rate over held-out sentences. Both packages are no part of the studio
(`pip install resemblyzer pocketsphinx`); the speakers are voices of Debian's flite and folders of recordings (WAV, and TXT for the words).
"""

import argparse
import itertools
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

from engines.catalog import engine_ids, open_engine
from engines.clip import Clip, Transcript
from engines.contract import Engine
from engines.errors import CallerMistake
from engines.options import resolve_options
from engines.prompt import SpeakerPrompt

__all__ = ["SimilarityJudge", "word_errors"]

TEXTS = Path(__file__).parents[2] / "assets" / "texts"
PACKAGES = "pip install resemblyzer pocketsphinx 'setuptools<81'"  # the last one for webrtcvad, which Resemblyzer imports
LISTENING_HZ = 16_000  # of Resemblyzer and of pocketsphinx
GROUP = 4  # sentences in one embedding
HEARD_DBFS = -26.0  # every recording is brought to this level: the encoder hears power, not its logarithm, so loudness would count as voice
# What the flite voices read as their clip: about 30 s. Not among the held-out sentences, nor among those a prior was trained on.
CLIP_TEXT = (
    "The old bridge was closed last winter, because the river had damaged it.",
    "Would you rather have tea, or a glass of cold orange juice?",
    "She usually walks to the office, but today she took the bus.",
    "Thousands of birds leave the northern lakes in early autumn.",
    "His younger brother is learning how to play the guitar.",
    "Make sure that the kitchen door is shut before you go to bed.",
    "The judge asked five questions, and the witness answered all of them.",
    "A large ship with yellow sails was moving slowly towards the harbour.",
    "Just choose whatever you think would please your mother.",
    "The museum is usually quiet on Thursday mornings.",
)


@dataclass(frozen=True, eq=False)
class Target:
    """A speaker to be cloned. recordings: (samples at LISTENING_HZ, words or None) for clips. others: for comparison, never cloned from."""

    name: str
    recordings: tuple[tuple[np.ndarray, str | None], ...]
    others: tuple[np.ndarray, ...]

    def clip(self, seconds: float) -> tuple[Clip, Transcript | None]:
        """As many whole recordings as come nearest to the length, a quarter of a second apart, and their words."""
        gap = np.zeros(LISTENING_HZ // 4, np.float32)
        lengths = list(itertools.accumulate(len(samples) + len(gap) for samples, _ in self.recordings))
        count = 1 + int(np.argmin([abs(length / LISTENING_HZ - seconds) for length in lengths]))
        chosen = self.recordings[:count]
        samples = np.concatenate([part for samples, _ in chosen for part in (samples, gap)])[: 30 * LISTENING_HZ]
        words = [text for _, text in chosen]
        return Clip(samples, LISTENING_HZ), Transcript.of(" ".join(words), "en") if all(words) else None


class SimilarityJudge:
    """Resemblyzer and pocketsphinx, loaded once."""

    def __init__(self):
        try:
            from pocketsphinx import Decoder
            from resemblyzer import VoiceEncoder
        except ImportError as error:
            sys.exit(f"This measurement needs packages that are not installed ({error.name}): {PACKAGES}")
        self._encoder = VoiceEncoder("cpu", verbose=False)
        self._decoder = Decoder(loglevel="FATAL")

    def embed(self, samples: np.ndarray) -> np.ndarray:
        """(256,) of unit length; samples at LISTENING_HZ."""
        from resemblyzer import preprocess_wav

        trimmed = preprocess_wav(samples, source_sr=LISTENING_HZ)
        level = np.sqrt(np.mean(np.square(trimmed)))
        return self._encoder.embed_utterance(trimmed * np.float32(10 ** (HEARD_DBFS / 20) / level))

    def hear(self, samples: np.ndarray) -> str:
        """The words understood."""
        quarter = np.zeros(LISTENING_HZ // 4)
        padded = np.concatenate([quarter, samples, quarter])
        self._decoder.start_utt()
        self._decoder.process_raw((padded.clip(-1, 1) * 32767).astype("<i2").tobytes(), full_utt=True)
        self._decoder.end_utt()
        heard = self._decoder.hyp()
        return heard.hypstr if heard else ""


def word_errors(said: str, heard: str) -> tuple[int, int]:
    """Edit distance in words, and the number of words said."""
    wanted, got = _words(said), _words(heard)
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
    return row[-1], len(wanted)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def held_out(language: str) -> list[str]:
    return (TEXTS / f"{language}.txt").read_text(encoding="utf-8").split("\n")[:-1]


def read_aloud(voice: str, text: str) -> np.ndarray:
    """A flite voice, at LISTENING_HZ."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
        return read_recording(path)


def read_recording(path: Path) -> np.ndarray:
    samples, rate = soundfile.read(path, dtype="float32")
    return soxr.resample(samples, rate, LISTENING_HZ).astype(np.float32)


def flite_target(voice: str) -> Target:
    sentences = held_out("en")
    groups = [" ".join(sentences[k : k + GROUP]) for k in range(0, len(sentences), GROUP)]
    recordings = tuple((read_aloud(voice, text), text) for text in CLIP_TEXT)
    return Target(voice, recordings, tuple(read_aloud(voice, group) for group in groups))


def recorded_target(name: str, folder: Path) -> Target:
    """Every third recording is for comparison, the others are for clips; longer ones first, since they hold whole sentences."""
    paths = sorted(folder.glob("*.wav"), key=lambda path: -path.stat().st_size)[:60]
    pairs = [(read_recording(p), p.with_suffix(".txt").read_text() if p.with_suffix(".txt").exists() else None) for p in paths]
    others = [samples for samples, _ in pairs[::3]]
    joined = tuple(np.concatenate(others[k : k + GROUP]) for k in range(0, len(others), GROUP))
    return Target(name, tuple(pair for k, pair in enumerate(pairs) if k % 3), joined)


def speak(engine: Engine, prompt: SpeakerPrompt, text: str, **options) -> np.ndarray:
    """At LISTENING_HZ."""
    samples = np.concatenate(list(engine.stream(text, prompt, resolve_options(engine.info.options, options))))
    return soxr.resample(samples, engine.info.sample_rate, LISTENING_HZ).astype(np.float32)


def centroid(embeddings: Iterator[np.ndarray]) -> np.ndarray:
    mean = np.mean(list(embeddings), 0)
    return mean / np.linalg.norm(mean)


@dataclass(frozen=True)
class Score:
    similarity: float
    impostor: float
    impostor_name: str
    wer: float


def score(
    judge: SimilarityJudge, spoken: list[tuple[str, np.ndarray]], name: str, centroids: dict[str, np.ndarray], *, words: bool
) -> Score:
    """spoken: (text, samples) of one clone of the target `name`."""
    groups = [np.concatenate([samples for _, samples in spoken[k : k + GROUP]]) for k in range(0, len(spoken), GROUP)]
    embeddings = [judge.embed(group) for group in groups]
    cosines = {other: float(np.mean([e @ c for e in embeddings])) for other, c in centroids.items()}
    similarity = cosines.pop(name)
    impostor = max(cosines, key=cosines.get)
    errors = [word_errors(text, judge.hear(samples)) for text, samples in spoken] if words else []
    wer = sum(e for e, _ in errors) / sum(n for _, n in errors) if errors else float("nan")
    return Score(similarity, cosines[impostor], impostor, wer)


def report(engine: Engine, targets: list[Target], arguments: argparse.Namespace) -> None:
    judge = SimilarityJudge()
    centroids = {target.name: centroid(judge.embed(samples) for samples in target.others) for target in targets}
    sentences = held_out("en")
    print("| target | clip | transcript | text | similarity | impostor | WER |\n|---|---|---|---|---|---|---|")
    for target in (t for t in targets if not arguments.only or t.name in arguments.only):
        for seconds, given in itertools.product(arguments.seconds, (True, False)):
            clip, transcript = target.clip(seconds)
            if given and transcript is None:
                continue
            try:
                prompt = engine.extract(clip, transcript if given else None)
            except CallerMistake as refusal:
                print(
                    f"| {target.name} | {clip.seconds:.0f} s | {'yes' if given else 'no'} | - | refused: {refusal.fact} | | |", flush=True
                )
                continue
            for language in arguments.languages:
                texts = sentences if language == "en" else held_out(language)
                spoken = [(text, speak(engine, prompt, text, language=language)) for text in texts]
                words = language == "en" and not arguments.no_words
                s = score(judge, spoken, target.name, centroids, words=words)
                row = f"| {target.name} | {clip.seconds:.0f} s | {'yes' if given else 'no'} | {language} | {s.similarity:.2f} "
                print(row + f"| {s.impostor:.2f} ({s.impostor_name}) | {s.wer:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=engine_ids(), default=engine_ids()[0])
    parser.add_argument("--checkpoint", help="weights of the engine, where they are not its own (a prior without the target)")
    parser.add_argument("--flite", nargs="*", default=["slt", "rms", "awb", "kal16"], help="flite voices")
    parser.add_argument("--recordings", nargs="*", default=[], metavar="NAME=FOLDER", help="folders of recordings of one speaker each")
    parser.add_argument("--only", nargs="*", default=[], help="clone these only; all others are impostors")
    parser.add_argument("--seconds", nargs="*", type=float, default=[10.0])
    parser.add_argument("--languages", nargs="*", default=["en"], choices=["en", "de", "es", "fr", "zh"])
    parser.add_argument("--no-words", action="store_true", help="leave the word error rate out, which takes longest")
    arguments = parser.parse_args()
    targets = [flite_target(voice) for voice in arguments.flite]
    targets += [recorded_target(name, Path(folder)) for name, _, folder in (item.partition("=") for item in arguments.recordings)]
    report(open_engine(arguments.engine, checkpoint=arguments.checkpoint), targets, arguments)


if __name__ == "__main__":
    main()
