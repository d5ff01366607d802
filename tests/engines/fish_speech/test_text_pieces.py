"""A text is spoken in pieces of whole sentences, and no mark is cut."""

import pytest

from engines.fish_speech.text_pieces import MOST_BYTES, text_pieces

LONG = "A sentence of some length, which goes on a little. And another one follows it! " * 9


@pytest.mark.parametrize("text", [LONG, "一句话说得很长，又说了一句。" * 30, "word " * 200, "x" * 900, LONG + "\n\n" + LONG])
def test_pieces_are_small_and_nothing_is_lost(text):
    pieces = text_pieces(text)
    assert len(pieces) > 1
    assert all(len(piece.encode()) <= MOST_BYTES for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_sentences_stay_together_as_long_as_they_fit():
    assert text_pieces("One. Two. Three.") == ("One. Two. Three.",)
    assert all(len(piece) > MOST_BYTES / 2 for piece in text_pieces(LONG)[:-1])
    assert all(piece.endswith((".", "!")) for piece in text_pieces(LONG))


def test_no_mark_is_cut():
    directed = "[low voice. then " + "louder and " * 30 + "loudest] Hello. " + LONG
    assert text_pieces(directed)[0].count("[") == text_pieces(directed)[0].count("]") == 1
    spelled = "<|phoneme_start|>" + "HH AH0. " * 50 + "<|phoneme_end|> said he. " + LONG
    for piece in text_pieces(spelled):
        assert piece.count("<|phoneme_start|>") == piece.count("<|phoneme_end|>")


@pytest.mark.parametrize("text", ["", " \n "])
def test_of_nothing_there_are_no_pieces(text):
    assert text_pieces(text) == ()
