"""Rebuilds the frames of the natural source: `python -m engines.espeak.training.natural [--output FILE]`.
Needs hibari-tts; some seconds.
"""

import argparse
from pathlib import Path

import numpy as np
import safetensors.numpy

from engines.espeak.natural.natural_pool import ASSET, CLASS_ORDERS, class_points
from engines.espeak.natural.natural_voice import NaturalVoice
from engines.espeak.speaker.enrollment import EVERY_FRAMES
from engines.espeak.training.spoken_pool import POOL_SENTENCES
from engines.kit.signal.clip_analysis import speech_frames
from engines.kit.signal.spectrum import cepstra_of, envelope, level_db

N_CLASSES = 256
ROUNDS = 15
PAUSE_SECONDS = 0.1
NOISE_LEVEL = 1e-5


def pool_tensors(voice: NaturalVoice) -> dict[str, np.ndarray]:
    """The tensors of the asset, see NaturalPool; cepstra in float16."""
    cepstra, segment, log_f0 = [], [], []
    generator = np.random.default_rng(0)
    for number, sentence in enumerate(POOL_SENTENCES):
        speech = voice.speak(sentence, 1.0, PAUSE_SECONDS)
        samples = speech.samples + (NOISE_LEVEL * generator.standard_normal(len(speech.samples))).astype(np.float32)
        log_envelope = envelope(samples, speech.f0)
        frames = np.nonzero(speech_frames(level_db(log_envelope)))[0][::EVERY_FRAMES]
        cepstra.append(cepstra_of(log_envelope[frames]))
        segment.append(np.full(len(frames), number, np.int16))
        log_f0.append(np.log(speech.f0[speech.f0 > 0]))
    kept = np.concatenate(cepstra).astype(np.float16)
    low = kept[:, :CLASS_ORDERS].astype(np.float32)
    mean, scale = low.mean(0), low.std(0)
    pitch = np.concatenate(log_f0)
    return {
        "cepstra": kept,
        "segment": np.concatenate(segment),
        "centres": centres(class_points(low, mean, scale)),
        "class_mean": mean,
        "class_scale": scale,
        "log_f0": np.array([np.median(pitch), pitch.std()], np.float32),
    }


def centres(points: np.ndarray) -> np.ndarray:
    """(N_CLASSES, D) means of the classes of points (N, D), by k-means from points drawn at random."""
    generator = np.random.default_rng(0)
    found = points[generator.choice(len(points), N_CLASSES, replace=False)]
    for _ in range(ROUNDS):
        distance = (points**2).sum(1)[:, None] + (found**2).sum(1) - 2 * points @ found.T
        nearest = distance.argmin(1)
        found = np.stack([points[nearest == k].mean(0) if (nearest == k).any() else found[k] for k in range(N_CLASSES)])
    return found.astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ASSET)
    output = parser.parse_args().output
    licence = "Made with hibari-tts 0.2.1 (Apache-2.0), voice heart, distilled from Kokoro-82M (Apache-2.0)."
    safetensors.numpy.save_file(pool_tensors(NaturalVoice()), output, {"licence": licence})


if __name__ == "__main__":
    main()
