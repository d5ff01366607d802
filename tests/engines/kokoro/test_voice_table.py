"""Built-in voices: their tables are the official ones, and blends are written as people write them."""

import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from engines.kokoro.options import FRONT_VOICES, mother_tongue
from engines.kokoro.training.voices import decomposed, official_tables
from engines.kokoro.voices.voice_table import FILE, MOST_SYMBOLS, VOICES, is_male, voice_table

GOLDEN = Path(__file__).with_name("official_voices.safetensors")  # five rows of each official table, eight numbers of each row
ROWS, NUMBERS = (1, 2, 10, 100, 510), slice(5, None, 32)
OFFICIAL = os.environ.get("KOKORO_JS_VOICES", "")  # the folder of voices/*.bin of npm's kokoro-js 1.2.1
LARGEST_ERROR = 7e-5


def row(name: str, n_symbols: int) -> np.ndarray:
    return voice_table().row({name: 1.0}, n_symbols)


def test_rows_are_the_official_ones():
    golden = load_file(GOLDEN)
    assert golden.keys() == set(VOICES)
    for name, rows in golden.items():
        ours = [row(name, n_symbols)[NUMBERS] for n_symbols in ROWS]
        assert np.abs(ours - rows).max() < LARGEST_ERROR, name


@pytest.mark.skipif(not OFFICIAL, reason="KOKORO_JS_VOICES names no folder of the official tables")
def test_every_number_of_every_table_is_the_official_one():
    errors = [
        row(name, index + 1) - official for name, table in official_tables(Path(OFFICIAL)).items() for index, official in enumerate(table)
    ]
    assert len(errors) == len(VOICES) * MOST_SYMBOLS
    assert np.abs(errors).max() < LARGEST_ERROR and np.sqrt(np.mean(np.square(errors))) < 2e-6
    assert FILE.stat().st_size < 900_000


def test_tables_that_are_made_of_few_functions_come_back(tmp_path):
    """What the file is made by, on tables of three functions."""
    random = np.random.default_rng(0)
    curves = random.standard_normal((510, 3))
    tables = {name: (curves @ random.standard_normal((3, 256))).astype(np.float32) for name in ("one", "two")}
    made = decomposed(tables)
    for name, table in tables.items():
        assert np.abs(made["curves"] @ made[name] - table).max() < 1e-5


def test_a_row_is_of_the_number_of_symbols_and_no_other():
    first, second, last = (row("af_heart", n_symbols) for n_symbols in (1, 2, MOST_SYMBOLS))
    assert first.shape == (256,) and first.dtype == np.float32
    assert np.abs(first - second).max() > 0.01 < np.abs(second - last).max()
    for n_symbols in (0, MOST_SYMBOLS + 1):
        with pytest.raises(ValueError, match="1 to 510"):
            row("af_heart", n_symbols)


def test_a_blend_is_the_weighted_mean_of_its_voices():
    heart, bella = (row(name, 30) for name in ("af_heart", "af_bella"))
    assert np.allclose(voice_table().row({"af_heart": 0.6, "af_bella": 0.4}, 30), 0.6 * heart + 0.4 * bella, atol=1e-6)


def test_a_name_says_language_and_sex():
    assert len(VOICES) == len(set(VOICES)) == 54
    assert {mother_tongue(name) for name in VOICES} == set(FRONT_VOICES)
    assert (mother_tongue("bm_george"), is_male("bm_george")) == ("en-gb", True)
    assert (mother_tongue("pf_dora"), is_male("pf_dora")) == ("pt", False)
