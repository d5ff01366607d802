"""The map that a voice starts with: a regression that finds what is there, of pairs that the shipped one is of."""

import numpy as np
from safetensors.numpy import load_file

from engines.kokoro.learning import voice_start
from engines.kokoro.speech import front_row
from engines.kokoro.symbols import symbols_of
from engines.kokoro.training.start import LANGUAGE, SENTENCES, fitted
from engines.kokoro.voices.voice_table import VOICES


def test_a_regression_finds_a_linear_map_and_shrinks_it_by_its_ridge():
    random = np.random.default_rng(0)
    embeddings, wanted = random.standard_normal((600, 256)).astype(np.float32), random.standard_normal((256, 128))
    styles = embeddings @ wanted + 3
    exact, shrunk = fitted(embeddings, styles, 1e-6), fitted(embeddings, styles, 600.0)
    assert np.abs(exact["map"] - wanted).max() < 0.01 and np.allclose(exact["mean_embedding"], embeddings.mean(0), atol=1e-5)
    assert np.allclose(exact["mean_style"], styles.mean(0), atol=1e-4)
    assert 0.3 < np.linalg.norm(shrunk["map"]) / np.linalg.norm(wanted) < 0.7


def test_the_shipped_map_is_of_every_voice_and_sentence():
    lengths = [len(symbols_of(sentence, LANGUAGE).symbols) for sentence in SENTENCES]
    styles = [front_row({voice: 1.0}, length)[0, :128].numpy() for voice in VOICES for length in lengths]
    assert np.abs(load_file(voice_start.FILE)["mean_style"] - np.mean(styles, 0)).max() < 1e-4
