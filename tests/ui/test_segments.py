"""Claims about the preview of a text's segments, without a browser."""

import pytest

from studio.ui.segments import MOST_SHOWN, segments_value


@pytest.fixture
def studio(open_studio):
    return open_studio(most_text_characters=5000)


def test_segments_are_the_sentences_with_about_their_seconds(studio):
    value = segments_value(studio, "Dr. Ana came home. Was it late?", "fake")
    assert [segment["text"] for segment in value["segments"]] == ["Dr. Ana came home.", "Was it late?"]
    assert value["segments"][0]["seconds"] > value["segments"][1]["seconds"] > 0.4
    assert value["note"].startswith("2 segments, about 2 s")


@pytest.mark.parametrize(("text", "said"), [("  ", "empty"), ("word " * 1001, "limit is 5000")])
def test_a_text_that_cannot_be_spoken_says_why(studio, text, said):
    value = segments_value(studio, text, "fake")
    assert value["segments"] == [] and said in value["note"]


def test_of_very_many_segments_the_first_are_shown_and_it_is_said(studio):
    value = segments_value(studio, "Yes. " * 500, "fake")
    assert len(value["segments"]) == MOST_SHOWN
    assert "500 segments" in value["note"] and f"first {MOST_SHOWN}" in value["note"]
