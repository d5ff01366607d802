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


def test_a_mark_stays_whole_wherever_a_text_without_spaces_is_cut():
    for mark in ("[laugh]", "<|phoneme_start|>AH<|phoneme_end|>", "<|speaker:1|>"):
        pieces = [text_pieces("x" * n_before + mark + "then" + LONG) for n_before in range(MOST_BYTES - len(mark), MOST_BYTES + 2)]
        assert all(any(mark in piece for piece in some) for some in pieces), mark
    chain = text_pieces("[low voice]" * 200)
    assert max(map(len, chain)) <= MOST_BYTES + len("[low voice]")
    assert all(piece.startswith("[") and piece.endswith("]") for piece in chain)


@pytest.mark.parametrize("opened", ["[ ", "so sad :[ ", "<|phoneme_start|> "])
def test_what_is_never_closed_keeps_nothing_together(opened):
    assert max(len(piece.encode()) for piece in text_pieces(opened + LONG)) <= MOST_BYTES


def test_what_closes_without_an_opening_gives_no_mark_away():
    mark = "[low voice. Then louder.]"
    for n_before in range(MOST_BYTES - len(mark), MOST_BYTES):
        text = "a] " + "word " * (n_before // 5) + "x" * (n_before % 5) + mark + " Hello."
        assert any(mark in piece for piece in text_pieces(text)), n_before


@pytest.mark.parametrize("tag", ["<|speaker:1|>", "<speaker:1>"])
def test_a_speaker_goes_on_in_the_pieces_that_follow(tag):
    pieces = text_pieces("Who is it? " + LONG + tag + "It is me. " + LONG)
    first = next(index for index, piece in enumerate(pieces) if tag in piece)
    assert 0 < first < len(pieces) - 1
    assert not any(tag in piece for piece in pieces[:first])
    assert all(piece.startswith(tag) for piece in pieces[first + 1 :])


@pytest.mark.parametrize("text", ["", " \n "])
def test_of_nothing_there_are_no_pieces(text):
    assert text_pieces(text) == ()
