"""Of a silence that lasts, its beginning is heard."""

from engines.cosyvoice3.speech_tokens.spoken_tokens import MOST_SILENT, SpokenTokens

SAID = [7, 1, 2, 28, 29, 55, 248, 494, 9, 2241, 2242, 2322, 2323, 1, 1, 8]
HEARD = [7, 1, 2, 28, 29, 55, 9, 2241, 2242, 2322, 2323, 1, 8]


def test_a_silence_is_heard_for_five_tokens_and_begins_anew_behind_any_other():
    assert SpokenTokens().push(SAID) == HEARD


def test_pieces_make_no_difference():
    for size in range(1, len(SAID)):
        tokens = SpokenTokens()
        passed = [token for at in range(0, len(SAID), size) for token in tokens.push(SAID[at : at + size])]
        assert passed == HEARD, size


def test_it_says_how_long_the_silence_is():
    tokens = SpokenTokens()
    tokens.push([1] * 3)
    assert tokens.n_silent == 3
    assert tokens.push([1] * 9) == [1] * (MOST_SILENT - 3)
    assert tokens.n_silent == 12
    tokens.push([5])
    assert tokens.n_silent == 0
