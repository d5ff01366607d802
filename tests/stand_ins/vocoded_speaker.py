"""A speaker who does not exist, for tests that measure what was learned: a man's pitch in a steady voice, and nearly no noise.

Flite's voice slt (Carnegie Mellon University's, free to use with attribution) reads our text, with a vocal tract x1.08 and a pitch -3
semitones, through the embedded engine's vocoder.
"""

from pathlib import Path

import soundfile

from engines.clips.clip import Clip, Transcript

__all__ = ["VOCODED_WORDS", "vocoded_speaker"]

FILE = Path(__file__).with_suffix(".flac")
VOCODED_WORDS = Transcript.of(
    "Welcome to the studio. This is a voice that nobody was born with. Listen for a moment to how it sounds, then type a sentence of your "
    "own, and hear it spoken just like this.",
    "en",
)


def vocoded_speaker() -> Clip:
    """9.7 s at 22,050 Hz."""
    return Clip(*soundfile.read(FILE, dtype="float32"))
