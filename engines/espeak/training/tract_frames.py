"""Rebuilds the frames that vocal tracts are measured by: `python -m engines.espeak.training.tract_frames [--output FILE]`.
Needs hibari-tts; some seconds, and gives the same bits.
"""

import argparse
from pathlib import Path

import numpy as np
import safetensors.numpy

from engines.espeak.speaker.enrollment import EVERY_FRAMES
from engines.espeak.speaker.vocal_tract import ASSET
from engines.espeak.training.spoken_pool import POOL_SENTENCES
from engines.espeak.training.voices.hibari_voice import open_hibari, spoken_with_pitch
from engines.kit.signal.clip_analysis import speech_frames
from engines.kit.signal.spectrum import HOP_SAMPLES, SAMPLE_RATE, cepstra_of, envelope, level_db

EVERY_SENTENCES = 4  # one is kept of as many: tracts need no more frames
LEAST_F0_HZ = 90.0  # the voice has none lower; between voiced and unvoiced frames the network's F0 falls through it
AUDIBLE = 0.004  # of full scale; before and after it there is silence
BEFORE_SECONDS, AFTER_SECONDS = 0.08, 0.1  # of that which are kept
NOISE_LEVEL = 1e-5  # instead of digital silence
ABOUT = "Made with hibari-tts 0.2.1 (Apache-2.0), voice heart, distilled from Kokoro-82M (Apache-2.0)."


def tract_frames() -> dict[str, np.ndarray]:
    """The tensors of the asset, see TractFrames; cepstra in float16. Raises EngineUnavailable without the package."""
    hibari, noise = open_hibari(), np.random.default_rng(0)  # drawn on from sentence to sentence, so that all are spoken
    cepstra, segment = [], []
    for number, sentence in enumerate(POOL_SENTENCES):
        samples, f0 = trimmed(*spoken_with_pitch(hibari, sentence))
        log_envelope = envelope(samples + (NOISE_LEVEL * noise.standard_normal(len(samples))).astype(np.float32), f0)
        frames = np.nonzero(speech_frames(level_db(log_envelope)))[0][::EVERY_FRAMES]
        if number % EVERY_SENTENCES == 0:
            cepstra.append(cepstra_of(log_envelope[frames]))
            segment.append(np.full(len(frames), number, np.int16))
    return {"cepstra": np.concatenate(cepstra).astype(np.float16), "segment": np.concatenate(segment)}


def trimmed(samples: np.ndarray, network_f0: np.ndarray, hop: int) -> tuple[np.ndarray, np.ndarray]:
    """Without most of the silence at both ends, cut at whole frames; and F0 (F,) on our grid, voiced where the network's nearest is.

    network_f0: of frames whose centers lie at (k + 0.5) * hop samples.
    """
    position = np.arange(len(samples) // HOP_SAMPLES + 1) * HOP_SAMPLES / hop - 0.5
    nearest = network_f0[np.clip(np.round(position).astype(np.int64), 0, len(network_f0) - 1)]
    between = np.interp(position, np.arange(len(network_f0)), network_f0)
    f0 = np.where((nearest > LEAST_F0_HZ) & (between > LEAST_F0_HZ), between, 0.0)
    audible = np.nonzero(np.abs(samples) > AUDIBLE)[0]
    first = max(0, int(audible[0] - BEFORE_SECONDS * SAMPLE_RATE) // HOP_SAMPLES)
    last = min(len(samples) // HOP_SAMPLES, int(audible[-1] + AFTER_SECONDS * SAMPLE_RATE) // HOP_SAMPLES + 1)
    return samples[first * HOP_SAMPLES : last * HOP_SAMPLES], f0[first : last + 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ASSET)
    safetensors.numpy.save_file(tract_frames(), parser.parse_args().output, {"license": ABOUT})


if __name__ == "__main__":
    main()
