"""Speakers for judged clones: recordings to clone from, and other recordings of the same person for comparison.

The demo that comes with the studio, files or folders of recordings (WAV, with the words beside them in TXT), voices of Debian's flite.
"""

import itertools
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from engines.clips.clip import Clip, Transcript
from studio.evaluations.measures.known_speakers import jointed
from studio.speakers.demo import demo_recording

__all__ = ["ClonedSpeaker", "demo_speaker", "flite_speaker", "joined", "of_length", "recorded_speaker"]

GAP_SECONDS = 0.25
MOST_RECORDINGS = 60
# What flite's voices read as their clip: about 30 s. Not among the texts that clones say, nor among those that the embedded engine's prior
# was trained on.
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
OTHER_TEXT = (
    "A letter came this morning from a town that I have never heard of.",
    "The dog slept under the table while the rain went on outside.",
    "Nine of the twelve boats were back before the wind had turned.",
    "If you leave now, you will still be there in time for dinner.",
)


@dataclass(frozen=True, eq=False)
class ClonedSpeaker:
    """clip, words: what is learned from, and None where nobody knows its words. other: the same person, never learned from; the clip
    itself where there is no more of them; joints where one recording of it ends. person: who else has it is no impostor; "" for nobody.
    """

    name: str
    clip: Clip
    words: Transcript | None
    other: Clip
    person: str = ""


def demo_speaker() -> ClonedSpeaker:
    """The studio's own. Raises OSError."""
    recording = demo_recording()
    assert recording.clip is not None  # the file is a sound
    return ClonedSpeaker("demo", recording.clip, recording.transcript, recording.clip)


def recorded_speaker(name: str, place: Path, seconds: float, language: str) -> ClonedSpeaker:
    """A file; or a folder, of which every third recording is for comparison, longer ones first. Raises OSError, ValueError for none."""
    paths = [place] if place.is_file() else sorted(place.glob("*.wav"), key=lambda path: -path.stat().st_size)[:MOST_RECORDINGS]
    if not paths:
        raise ValueError(f"{place} has no WAV files")
    read = [(_read(path), _words_of(path)) for path in paths]
    learned = [pair for number, pair in enumerate(read) if number % 3] or read
    clip, words = joined(learned, seconds)
    others = [sound for number, (sound, _) in enumerate(read) if number % 3 == 0]
    return ClonedSpeaker(name, clip, Transcript.of(words, language), of_length(others, seconds))


def flite_speaker(voice: str, seconds: float) -> ClonedSpeaker:
    """Raises OSError where flite is not installed, CalledProcessError for a voice that it does not know."""
    clip, words = joined([(_read_aloud(voice, text), text) for text in CLIP_TEXT], seconds)
    return ClonedSpeaker(voice, clip, Transcript.of(words, "en"), of_length([_read_aloud(voice, text) for text in OTHER_TEXT], seconds))


def joined(recordings: list[tuple[Clip, str | None]], seconds: float) -> tuple[Clip, str | None]:
    """As many whole recordings as come nearest to the length, a quarter of a second apart, and their words where all are known."""
    lengths = list(itertools.accumulate(sound.seconds + GAP_SECONDS for sound, _ in recordings))
    chosen = recordings[: _nearest(lengths, seconds)]
    rate = chosen[0][0].sample_rate
    gap = np.zeros(round(GAP_SECONDS * rate), np.float32)
    samples = np.concatenate([part for sound, _ in chosen for part in (sound.samples, gap)])
    words = [text for _, text in chosen]
    return Clip(samples, rate), " ".join(filter(None, words)) if all(words) else None


def of_length(sounds: list[Clip], seconds: float) -> Clip:
    """As many whole recordings as come nearest to the length, with joints where one follows another, and nothing between them."""
    return jointed(sounds[: _nearest(list(itertools.accumulate(sound.seconds for sound in sounds)), seconds)])


def _nearest(lengths: list[float], seconds: float) -> int:
    return 1 + int(np.argmin([abs(length - seconds) for length in lengths]))


def _read(path: Path) -> Clip:
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    return Clip(samples.mean(1), rate)


def _words_of(path: Path) -> str | None:
    beside = path.with_suffix(".txt")
    return beside.read_text(encoding="utf-8").strip() if beside.exists() else None


def _read_aloud(voice: str, text: str) -> Clip:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
        return _read(path)
