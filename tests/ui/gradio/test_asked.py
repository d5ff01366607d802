"""Claims about what a script sends: a handler gets it in the type that it wants, and a wrong type is a fault."""

import pytest

from studio.ui.gradio.asked import number_in, rows_in, text_in, whole_in


def test_what_is_not_sent_is_no_text_and_anything_else_is_one():
    asked = {"engine": None, "voice": "", "text": 5}
    assert [text_in(asked, name) for name in ("engine", "language", "voice", "text")] == [None, None, "", "5"]


def test_numbers_may_come_as_whole_ones_as_fractions_and_as_digits():
    asked = {"rate": 24000, "seed": 3.0, "text": "2", "seconds": 1.5}
    assert [whole_in(asked, name) for name in ("rate", "seed", "text")] == [24000, 3, 2]
    assert number_in(asked, "seconds") == 1.5


@pytest.mark.parametrize("read", [number_in, whole_in, rows_in])
def test_another_type_is_a_fault(read):
    for value in ({}, None):
        with pytest.raises(TypeError):
            read({"name": value}, "name")
    with pytest.raises(KeyError):
        read({}, "name")
