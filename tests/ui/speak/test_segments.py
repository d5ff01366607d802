"""Claims about the preview of a text's segments, without a browser."""

from dataclasses import replace

import pytest

from engines.contract.language_limit import LanguageLimit
from studio.api.routes.reading import ReadingBody, _answer
from studio.settings import OWN_DIALECT
from studio.speech.body import read_body
from studio.timeline import Timeline
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
    assert value["left_out"] == [{"kind": "markup", "marks": ["[laugh]", "<mark/>"]}, {"kind": "picture", "marks": ["😀"]}]
    assert preview_text(studio, {"text": "[laugh]", "engine": "fake"})["problem"]["values"]["sentence"] == "text_all_left_out"


def test_what_is_said_otherwise_than_written_is_shown_once_for_each_pair(studio):
    value = segments_value(studio, "The 2nd <sub alias='World Wide Web'>WWW</sub>, the 2nd.", "fake", "en")
    assert {"written": "2nd", "said": "second"} in value["changed"]
    assert value["n_changed"] == len(value["changed"]) == 2
    assert segments_value(studio, "A plain text.", "fake")["changed"] == []


def test_silences_stand_behind_the_segment_that_they_follow(studio):
    value = segments_value(studio, '<break time="2s"/>One. Two.<break time="800ms"/> Three.', "fake")
    assert (value["lead"], [segment["silence"] for segment in value["segments"]]) == (2.0, [0.0, 0.8, 0.0])
    assert value["seconds"] > 2.8 + sum(segment["seconds"] for segment in value["segments"]) - 0.5


def test_a_direction_is_told_whether_it_is_followed_or_said(open_studio):
    obeying = {"fake": replace(INFO, markup=(r"\[whisper\]",))}
    studio = open_studio(infos=obeying, open_engine=lambda name: FakeEngine(obeying[name]))
    asked = {"text": "[whisper] Come here.", "engine": "fake", "language": ""}
    followed, said = (preview_text(studio, asked | {"directions": directions}) for directions in (True, False))
    assert followed["directions"] == said["directions"] == ["[whisper]"]
    assert [value["segments"][0]["text"] for value in (followed, said)] == ["[whisper] Come here.", "whisper Come here."]


def test_the_preview_the_headers_and_the_answer_of_the_api_agree(studio):
    """Whatever is told of a text is told of it everywhere."""
    written = "# Menu\n\nThe **soup** [laugh] costs 3 kg.\n\n```sh\nls\n```\n\nSee [it](https://example.com) 😀."
    value = segments_value(studio, written, "fake", "en")
    speech = studio.say(read_body({"input": written, "model": "fake", "language": "en"}, OWN_DIALECT), Timeline())
    with speech:
        told = speech.told
    answer = _answer(studio, ReadingBody(input=written, model="fake", language="en")).model_dump()
    assert [mark for one in value["left_out"] for mark in one["marks"]] == told["left_out"]
    spoken = [one for one in answer["left_out"] if one["kind"] not in ("layout", "invisible")]
    assert [one["kind"] for one in value["left_out"]] == [one["kind"] for one in spoken]
    assert value["changed"] == [{"written": one["written"], "said": one["said"]} for one in answer["changed"]]
    assert value["seconds"] == pytest.approx(answer["seconds"], abs=0.001)


def test_what_will_be_misread_is_said_with_the_next_step(open_studio):
    limit = LanguageLimit("de", "umlauts", "umlauts are read as dots.", "Write ae.", "[äöü]", "ß")
    infos = {"fake": replace(INFO, language_limits=(limit,)), "other": replace(INFO, id="other", title="Other")}
    studio = open_studio(infos=infos, open_engine=lambda name: FakeEngine(infos[name]))
    said = [{"language": "de", "fact": "umlauts are read as dots.", "hint": "Write ae.", "engine": "Other"}]
    assert segments_value(studio, "Schön.", "fake", "de")["misread"] == said
    assert segments_value(studio, "Größe.", "fake", "")["misread"] == said
    assert segments_value(studio, "Schön.", "fake", "en")["misread"] == segments_value(studio, "Gut.", "fake", "de")["misread"] == []
    assert choice_value(studio, None, "fake")["misread"] == {"de": "umlauts"}
