"""Names that all systems take."""

import pytest

from studio.scripts.export.file_names import file_name, numbered_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ('a/b\\c:d*e?f"g<h>i|j', "a-b-c-d-e-f-g-h-i-j.mp3"),
        ("CON", "_CON.mp3"),
        ("com1.txt", "_com1.txt.mp3"),
        ("Console", "Console.mp3"),
        (" . Title. . ", "Title.mp3"),
        ("two\nlines\tand\x00more", "two lines and more.mp3"),
        ("../..", "script.mp3"),
        ("", "script.mp3"),
        ("???", "script.mp3"),
        ("中" * 100, "中" * 40 + ".mp3"),
    ],
)
def test_a_title_becomes_a_name(title: str, name: str) -> None:
    assert file_name(title, "mp3") == name


def test_numbers_sort_as_names() -> None:
    assert [numbered_name(n, 120, title, "wav") for n, title in ((1, "One"), (120, ""))] == ["001 One.wav", "120.wav"]
