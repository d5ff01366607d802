"""Slot sound: the bytes that one slot of one listener's trial is served. The same sound in another slot has other bytes.

X is A or B again, and the hidden reference is the open one. Each slot hears its file with a gain, a start and a dither of its own, drawn
from the slot's name and the item's id: the first is in the page, the second is told to nobody, so no page can compute them. They are the
same at each fetch.

What this hides: bytes, hashes, lengths, lowest bits, exact levels and exact starts tell nothing. What it cannot hide: two slots with the
same sound have the same waveform. A program that aligns and subtracts waveforms finds out, as it must: what a listener may hear, a program
may read. Where that matters, people are asked in a room without a program.
"""

import hmac

import numpy as np

from studio.audio.formats import to_pcm16, wav_header
from studio.listening.plan.materials import SAMPLE_RATE

__all__ = ["MOST_GAIN_DB", "MOST_SHIFT_SAMPLES", "SlotShape", "slot_wav"]

HEADER_BYTES = 44
MOST_GAIN_DB = 0.05  # nobody hears a tenth of it, and sounds stay within 0.1 LU of each other
MOST_SHIFT_SAMPLES = 96  # 2 ms: beginnings differ by more, and the fade between two sounds is longer


class SlotShape:
    """What is drawn for one slot. item: the id of its item. sound: the slot's name.

    gain_db: louder or softer. shift_samples: of silence before the sound. chance: of its dither.
    """

    def __init__(self, item: str, sound: str):
        seed = hmac.digest(item.encode(), sound.encode(), "sha256")
        self.chance = np.random.default_rng(np.frombuffer(seed, np.uint32))
        self.gain_db = float(self.chance.uniform(-MOST_GAIN_DB, MOST_GAIN_DB))
        self.shift_samples = int(self.chance.integers(0, MOST_SHIFT_SAMPLES + 1))


def slot_wav(data: bytes, item: str, sound: str) -> bytes:
    """data: the item's WAV. As long as that; what is no plain file of a test is left as it is, and keeps a test from being frozen."""
    if len(data) < HEADER_BYTES or data[:HEADER_BYTES] != wav_header(SAMPLE_RATE, len(data) - HEADER_BYTES):
        return data
    shape = SlotShape(item, sound)
    samples = np.frombuffer(data, "<i2", offset=HEADER_BYTES).astype(np.float32)
    samples *= np.float32(10 ** (shape.gain_db / 20) / 32768)
    moved = np.concatenate([np.zeros(shape.shift_samples, np.float32), samples])[: len(samples)]
    noise = shape.chance.random(len(samples), np.float32) - shape.chance.random(len(samples), np.float32)
    noise *= np.float32(1 / 32768)
    moved += noise
    return data[:HEADER_BYTES] + to_pcm16(moved)
