"""Claims about the preview of a text's segments, without a browser."""

from dataclasses import replace

import pytest

from engines.contract.language_limit import LanguageLimit
from studio.ui.speak.segments import MOST_SHOWN, preview_text, segments_value
from studio.ui.speak.speaking import choice_value
from tests.stand_ins.fake_engine import INFO, FakeEngine


@pytest.fixture
def studio(open_studio):
    return open_studio(most_text_characters=5000)


def test_segments_are_the_sentences_with_about_their_seconds(studio):
    value = segments_value(studio, "Dr. Ana came home. Was it late?", "fake")
    assert [segment["text"] for segment in value["segments"]] == ["Dr. Ana came home.", "Was it late?"]
    assert value["segments"][0]["seconds"] > value["segments"][1]["seconds"] > 0.4
    assert (value["n_parts"], value["n_turns"], round(value["seconds"])) == (2, 1, 2)


def test_a_text_that_cannot_be_spoken_says_why(studio):
    assert preview_text(studio, {"text": "  ", "engine": "fake"})["n_parts"] == 0
    assert preview_text(studio, {"text": "word " * 1001, "engine": "fake"})["problem"]["values"]["most"] == 5000


def test_of_very_many_segments_the_first_are_sent_and_all_are_counted(studio):
    value = segments_value(studio, "Yes. " * 500, "fake")
    assert (len(value["segments"]), value["n_parts"]) == (MOST_SHOWN, 500)


def test_what_is_left_out_is_said_to_be_left_out_and_not_shown_as_spoken(studio):
    value = segments_value(studio, "Hello [laugh] there. <mark/>Bye 😀.", "fake")
    assert [segment["text"] for segment in value["segments"]] == ["Hello there.", "Bye."]
    assert value["left_out"] == ["[laugh]", "<mark/>", "😀"]
    assert preview_text(studio, {"text": "[laugh]", "engine": "fake"})["problem"]["values"]["sentence"] == "text_all_left_out"


def test_what_will_be_misread_is_said_with_the_next_step(open_studio):
    limit = LanguageLimit("de", "umlauts", "umlauts are read as dots.", "Write ae.", "[äöü]", "ß")
    infos = {"fake": replace(INFO, language_limits=(limit,)), "other": replace(INFO, id="other", title="Other")}
    studio = open_studio(infos=infos, open_engine=lambda name: FakeEngine(infos[name]))
    said = [{"language": "de", "fact": "umlauts are read as dots.", "hint": "Write ae.", "engine": "Other"}]
    assert segments_value(studio, "Schön.", "fake", "de")["misread"] == said
    assert segments_value(studio, "Größe.", "fake", "")["misread"] == said
    assert segments_value(studio, "Schön.", "fake", "en")["misread"] == segments_value(studio, "Gut.", "fake", "de")["misread"] == []
    assert choice_value(studio, None, "fake")["misread"] == {"de": "umlauts"}
