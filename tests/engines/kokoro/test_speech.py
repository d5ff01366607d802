"""A text as a stream: nothing of it is lost, whatever it is written in; a long one begins as soon as a short one."""

import itertools

import numpy as np
import pytest
import torch

from engines.contract.contract import YIELD_POINT
from engines.errors import TextUnspeakable
from engines.kokoro import speech
from engines.kokoro.engine import KokoroEngine
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.speech import BEHIND
from engines.kokoro.symbols import SymbolText, numbers_of, symbols_of
from engines.text.spoken_pieces import pieces
from tests.engines.kokoro.opened import opened, say, spoken

VOICE = "af_heart"
SENTENCES = "One sentence is here. Another one follows it. "


@pytest.fixture(scope="module")
def engine() -> KokoroEngine:
    """It knows the voice already: what is read to learn that is none of a text's."""
    engine = opened()
    engine.prepare(engine.preset(VOICE))
    return engine


@pytest.fixture
def read(monkeypatch) -> list[list[int]]:
    """What the network has read so far: the numbers of each piece."""
    seen: list[list[int]] = []
    plain = KokoroNetworks.encode

    def encode(self: KokoroNetworks, symbols: torch.Tensor, style: torch.Tensor):
        seen.append(symbols[0].tolist())
        return plain(self, symbols, style)

    monkeypatch.setattr(KokoroNetworks, "encode", encode)
    return seen


def test_more_symbols_than_the_network_has_room_for_are_spoken_in_parts_and_none_is_lost(engine, read):
    text = "12345678" * 7
    [piece] = [piece for piece, _ in pieces(text)]
    symbols = numbers_of(symbols_of(piece, "en-us").symbols)
    assert len(symbols) > 512
    say(engine, text, VOICE, language="en", speed=4.0)
    assert len(read) > 1 and max(map(len, read)) <= 512
    silent = (0, *numbers_of(" "))
    assert [number for part in read for number in part if number not in silent] == [number for number in symbols if number not in silent]


def test_where_no_space_is_symbols_are_cut_anywhere(engine, read, monkeypatch):
    """As those of a front end of Chinese or Japanese may come."""
    said = "ab" * 260
    monkeypatch.setattr(speech, "symbols_of", lambda text, language: SymbolText(said, ""))
    say(engine, "Anything.", VOICE, speed=4.0)
    assert [len(part) - 2 for part in read] == [510, 10] and [0, *(n for part in read for n in part[1:-1]), 0] == numbers_of(said)


def test_digits_signs_and_mixed_scripts_are_spoken(engine):
    for text in ("1984", "7", "😀 hi", "Hello Привет 你好 नमस्ते", "A\x01B", "½", "e.g. U.S.A.", "OK!?..."):
        samples = say(engine, text, VOICE, language="en", speed=4.0)
        assert len(samples) > 1_000 and np.isfinite(samples).all(), text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        *((text, "text_without_letters") for text in ("", "…!? —", "😀😀")),
        *((text, "text_unreadable") for text in ("١٢٣", "١.", "ꜰ, ꜰ!")),
    ],
)
def test_what_has_no_sound_is_refused_before_any(engine, text, sentence):
    with pytest.raises(TextUnspeakable) as refused:
        next(spoken(engine, text, VOICE, language="en"))
    assert refused.value.values["sentence"] == sentence and refused.value.hint


def test_a_part_without_sound_costs_the_rest_nothing(engine, read):
    say(engine, "One. ١٢٣. Two.", VOICE, language="en")
    assert [numbers_of(symbols_of(word, "en-us").symbols) for word in ("One.", "Two.")] == read


def test_a_long_text_begins_after_as_many_steps_as_a_short_one(engine, read):
    def begun(text: str) -> tuple[int, int]:
        """Steps before the first sound, and pieces read by then."""
        read.clear()
        stream = spoken(engine, text, VOICE)
        n_steps = next(n for n, chunk in enumerate(stream) if len(chunk))
        stream.close()
        return n_steps, len(read)

    assert begun(SENTENCES) == begun(SENTENCES * 200) == (1, 1)


def test_what_follows_changes_no_sample_of_a_sentence(engine):
    """Up to the pause behind it, which the last sentence lacks."""
    alone, together = (say(engine, text, VOICE) for text in ("One sentence.", "One sentence. And another."))
    n = len(alone) - BEHIND * 300
    assert n > 9_000 and np.array_equal(alone[:n], together[:n]) and len(together) > 1.5 * len(alone)


def test_interleaved_streams_are_those_of_each_alone_bit_for_bit(engine):
    texts = ("Yes. And no.", "Something else.")
    alone = [say(engine, text, voice) for text, voice in zip(texts, (VOICE, "am_michael"), strict=True)]
    streams = [spoken(engine, text, voice) for text, voice in zip(texts, (VOICE, "am_michael"), strict=True)]
    turns = list(itertools.zip_longest(*streams, fillvalue=YIELD_POINT))
    for index, expected in enumerate(alone):
        assert np.array_equal(np.concatenate([turn[index] for turn in turns]), expected)


def test_a_seed_changes_nothing(engine):
    assert np.array_equal(say(engine, "One sentence.", VOICE, seed=1), say(engine, "One sentence.", VOICE, seed=2))
