"""Rebuilds learning/start.safetensors: a linear map from what the speaker encoder hears of a voice to the timbre that speaks so.

python -m engines.kokoro.training.start

Each built-in voice says two sentences. More pairs than these 108, of blends and of timbres beyond, make voices no more alike at once to
both judges (studio/measure/DIARY.md). Some three minutes of one core.
"""

import numpy as np
import torch
from safetensors.numpy import save_file

from engines.clips.clip import Clip
from engines.kit.speaker.speaker_encoder import SpeakerEncoder
from engines.kokoro.learning.voice_start import FILE, MAP, MEAN_EMBEDDING, MEAN_STYLE
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.speech import front_row
from engines.kokoro.training.packaged_networks import packaged_networks
from engines.kokoro.training.sounds import spoken
from engines.kokoro.voices.voice_table import VOICES

__all__ = ["fitted", "pairs"]

LANGUAGE = "en-us"
SENTENCES = ("The train to the coast leaves at half past nine.", "Nobody had an umbrella, so we laughed and ran.")
RIDGE = 0.1  # added to the embeddings' products; of 0.03 to 0.3 the one that is most alike (studio/measure/DIARY.md)
RATE_HZ = 24_000


def pairs(networks: KokoroNetworks, encoder: SpeakerEncoder) -> tuple[np.ndarray, np.ndarray]:
    """Embeddings (N, 256) and styles (N, S), of every voice and sentence."""
    embeddings, styles, width = [], [], networks.config.style
    for voice in VOICES:
        for sentence in SENTENCES:
            said = spoken(networks, sentence, LANGUAGE, voice)
            embeddings.append(encoder.embedding(Clip(said.samples.clip(-1, 1), RATE_HZ)))
            styles.append(front_row({voice: 1.0}, len(said.symbols) - 2)[0, :width].numpy())
    return np.stack(embeddings), np.stack(styles)


def fitted(embeddings: np.ndarray, styles: np.ndarray, ridge: float = RIDGE) -> dict[str, np.ndarray]:
    """The tensors of the file, of pairs (N, 256) and (N, S): the regression of one about its mean on the other about its own."""
    middle, mean_style = embeddings.mean(0, dtype=np.float64), styles.mean(0, dtype=np.float64)
    away, wanted = embeddings - middle, styles - mean_style
    found = np.linalg.solve(away.T @ away + ridge * np.eye(away.shape[1]), away.T @ wanted)
    return {MEAN_EMBEDDING: middle.astype(np.float32), MEAN_STYLE: mean_style.astype(np.float32), MAP: found.astype(np.float16)}


if __name__ == "__main__":
    save_file(fitted(*pairs(packaged_networks(torch.float32), SpeakerEncoder.load())), FILE)
