"""Claims about the dictionary as the composer keeps it, without a browser."""

import base64
from dataclasses import replace

import pytest

from studio.ui.speak.dictionary import delete_word, export_words, heard_word, import_words, keep_word, list_words
from studio.ui.speak.segments import segments_value
from studio.workspace import of_a_key
from tests.stand_ins.fake_engine import INFO, FakeEngine

NGUYEN = {"written": "Nguyen", "said": "nwin", "ipa": "", "language": ""}
TEXT = "Nguyen sings."


@pytest.fixture
def studio(open_studio):
    return open_studio()


def words_of(studio) -> list[tuple[str, str]]:
    return [(entry["written"], entry["said"]) for entry in list_words(studio, {})["entries"]]


def test_what_is_kept_is_said_at_once_and_shown_before_it_is_spoken(studio):
    assert segments_value(studio, TEXT, "fake")["changed"] == []
    assert keep_word(studio, NGUYEN)["entry"]["said"] == "nwin"
    value = segments_value(studio, TEXT, "fake")
    assert value["changed"] == [{"written": "Nguyen", "said": "nwin"}]
    assert value["segments"][0]["text"] == "nwin sings."
    assert delete_word(studio, {"written": "Nguyen", "language": ""}) == {}
    assert segments_value(studio, TEXT, "fake")["changed"] == []


def test_a_word_is_found_however_it_is_capitalized(studio):
    for written in ("Nguyen", "Tran"):
        keep_word(studio, NGUYEN | {"written": written})
    assert [entry["written"] for entry in list_words(studio, {"written": "NGUYEN"})["entries"]] == ["Nguyen"]
    assert words_of(studio) == [("Tran", "nwin"), ("Nguyen", "nwin")]


def test_an_entry_that_is_renamed_is_one_entry(studio):
    keep_word(studio, NGUYEN)
    keep_word(studio, NGUYEN | {"written": "Nguyễn", "instead": {"written": "Nguyen", "language": ""}})
    keep_word(studio, NGUYEN | {"written": "Nguyễn", "said": "nuin", "instead": {"written": "Nguyễn", "language": ""}})
    assert words_of(studio) == [("Nguyễn", "nuin")]


def test_a_word_without_another_form_is_refused_in_words(studio):
    for refused in (keep_word(studio, NGUYEN | {"said": " "}), heard_word(studio, NGUYEN | {"said": " ", "engine": "fake"})):
        assert refused["problem"]["values"]["sentence"] == "lexicon_said_missing"
    assert words_of(studio) == []


def test_before_it_is_kept_a_word_is_heard_as_it_will_be_said(open_studio):
    phones = r'<phoneme alphabet="ipa" ph="[^"]*">[^<]*</phoneme>'
    infos = {"fake": INFO, "able": replace(INFO, id="able", phones="ipa", markup=(phones,))}
    studio = open_studio(infos=infos, open_engine=lambda name: FakeEngine(infos[name]))
    sounds = NGUYEN | {"said": "", "ipa": "wɪn", "text": "Nguyen is the name of the singer."}
    assert heard_word(studio, sounds | {"engine": "fake"}) == {"text": "", "language": "en"}
    heard = heard_word(studio, sounds | {"engine": "able"})["text"]
    assert words_of(studio) == []
    keep_word(studio, sounds)
    assert studio.readings.read("Nguyen", infos["able"], "en").text == heard == '<phoneme alphabet="ipa" ph="wɪn">Nguyen</phoneme>'
    assert segments_value(studio, "Nguyen", "able")["changed"] == [{"written": "Nguyen", "said": "/wɪn/"}]
    assert segments_value(studio, "Nguyen", "fake")["untaken"] == ["Nguyen"]


@pytest.mark.parametrize("kind", ["pls", "csv"])
def test_a_file_that_was_exported_is_imported_again(studio, kind):
    keep_word(studio, NGUYEN | {"language": "en"})
    file = export_words(studio, {"format": kind})
    delete_word(studio, {"written": "Nguyen", "language": "en"})
    sent = {"name": file["name"], "data": base64.b64encode(file["text"].encode()).decode()}
    assert import_words(studio, sent) == {"n_imported": 1, "n_passed_over": 0}
    assert words_of(studio) == [("Nguyen", "nwin")]


@pytest.mark.parametrize("data", [base64.b64encode(b"a,b\n1,2\n").decode(), "not base64"])
def test_a_file_that_is_none_says_which_line_does_not_fit(studio, data):
    assert import_words(studio, {"name": "words.csv", "data": data})["problem"]["values"] == {"line": 1}


def test_a_dictionary_is_its_workspaces_alone(open_studio):
    studio = open_studio(workspaces="private")
    ana, ben = studio.within(of_a_key("ana")), studio.within(of_a_key("ben"))
    keep_word(ana, NGUYEN)
    assert (words_of(ana), words_of(ben)) == ([("Nguyen", "nwin")], [])
    assert segments_value(ben, TEXT, "fake")["changed"] == []
