"""Claims about the preview of a text's segments, without a browser."""

from dataclasses import replace

import pytest

from engines.language_limit import LanguageLimit
from studio.ui.choices import choice_value
from studio.ui.segments import MOST_SHOWN, segments_value
from tests.fake_engine import INFO, FakeEngine


@pytest.fixture
def studio(open_studio):
    return open_studio(most_text_characters=5000)


def test_segments_are_the_sentences_with_about_their_seconds(studio):
    value = segments_value(studio, "Dr. Ana came home. Was it late?", "fake")
    assert [segment["text"] for segment in value["segments"]] == ["Dr. Ana came home.", "Was it late?"]
    assert value["segments"][0]["seconds"] > value["segments"][1]["seconds"] > 0.4
    assert value["note"].startswith("2 segments, about 2 s")


@pytest.mark.parametrize(("text", "said"), [("  ", "empty"), ("word " * 1001, "5,000 are the limit")])
def test_a_text_that_cannot_be_spoken_says_why(studio, text, said):
    value = segments_value(studio, text, "fake")
    assert value["segments"] == [] and said in value["note"]


def test_of_very_many_segments_the_first_are_shown_and_it_is_said(studio):
    value = segments_value(studio, "Yes. " * 500, "fake")
    assert len(value["segments"]) == MOST_SHOWN
    assert "500 segments" in value["note"] and f"first {MOST_SHOWN}" in value["note"]


def test_what_is_left_out_is_shown_as_left_out_and_not_as_spoken(studio):
    value = segments_value(studio, "Hello [laugh] there. <break/>Bye 😀.", "fake")
    assert [segment["text"] for segment in value["segments"]] == ["Hello there.", "Bye."]
    assert value["warnings"] == ["Left out, since Fake does not understand it: [laugh], <break/>, 😀."]
    refused = segments_value(studio, "[laugh]", "fake")
    assert refused["segments"] == [] and "nothing to say: Fake leaves out [laugh]" in refused["note"]


def test_what_will_be_misread_is_said_with_the_next_step(open_studio):
    limit = LanguageLimit("de", "umlauts", "umlauts are read as dots.", "Write ae.", "[äöü]", "ß")
    infos = {"fake": replace(INFO, language_limits=(limit,)), "other": replace(INFO, id="other", title="Other")}
    studio = open_studio(infos=infos, open_engine=lambda name: FakeEngine(infos[name]))
    said = ["German: umlauts are read as dots. Write ae. Or choose Other."]
    assert segments_value(studio, "Schön.", "fake", "de")["warnings"] == said
    assert segments_value(studio, "Größe.", "fake", "")["warnings"] == said
    assert segments_value(studio, "Schön.", "fake", "en")["warnings"] == segments_value(studio, "Gut.", "fake", "de")["warnings"] == []
    assert choice_value(studio, None, "fake")["misread"] == {"de": "umlauts misread"}
