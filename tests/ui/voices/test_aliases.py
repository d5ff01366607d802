"""Aliases on the page: which voice programs hear that say a name of their own."""

import pytest

from studio.ui.voices.aliases import keep_alias, list_aliases, remove_alias
from tests.studio.test_service import recording


@pytest.fixture
def studio(open_studio):
    studio = open_studio(speaker_aliases="echo=tone, onyx=Nobody")
    studio.enroll(recording("Ana"))
    return studio


def test_a_name_that_is_set_is_shown_and_can_be_removed(studio):
    assert keep_alias(studio, {"name": " alloy", "voice": "ana"}) == {"name": "alloy"}
    shown = list_aliases(studio, {})
    assert shown["aliases"] == [
        {"name": "alloy", "voice": "Ana", "own": True, "missing": False},
        {"name": "echo", "voice": "tone", "own": False, "missing": False},
        {"name": "onyx", "voice": "Nobody", "own": False, "missing": True},
    ]
    assert shown["voices"] == ["Ana", "tone"] and not {"alloy", "echo", "onyx"} & set(shown["names"]) and "nova" in shown["names"]
    assert remove_alias(studio, {"name": "Alloy"}) == {}
    assert "alloy" in list_aliases(studio, {})["names"]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"name": "ana", "voice": "tone"}, "name_taken"),
        ({"name": "alloy", "voice": "Zork"}, "speaker_unknown"),
        ({"name": " ", "voice": "tone"}, "name_invalid"),
    ],
)
def test_what_cannot_be_set_is_told(studio, asked, code):
    assert keep_alias(studio, asked)["problem"]["code"] == code
