"""/v1/studio/lexicon: entries and files of a pronunciation dictionary, for whoever asks; and what is refused by which rule."""

import errno
import os
from dataclasses import replace

import pytest

from engines.kit.phonemes.ipa import PHONEME_MARKUP
from studio.reading.lexicon.entry import LexiconEntry
from tests.api.door import CLONE_ONLY, error_of
from tests.stand_ins.fake_engine import INFO, FakeEngine

ALL = "/v1/studio/lexicon"
TOMATO = {"written": "tomato", "said": "", "ipa": "təˈmɑːtəʊ", "language": "en-gb", "case": False, "whole_word": True}
CSV = "written;said;language\r\nkm/h;kilometers an hour;en\r\nGPT;gee pee tee;\r\n"


def put(door, written: str, body: dict, language: str = ""):
    return door.request("PUT", f"{ALL}/{written}", params={"language": language}, json=body)


def send(door, data: str, content_type: str = "text/csv", **query):
    return door.post(ALL, content=data.encode(), params=query, headers={"Content-Type": content_type})


def test_an_entry_is_kept_changed_found_and_deleted(door):
    assert put(door, "tomato", {"ipa": "/təˈmɑːtəʊ/"}, "en_GB").json() == TOMATO
    assert put(door, "km%2Fh", {"said": "kay em aitch", "case": True}).json()["written"] == "km/h"
    assert door.get(f"{ALL}/km%2Fh").json()["case"] and door.get(f"{ALL}/tomato?language=en-GB").json() == TOMATO
    assert door.get(f"{ALL}/tomato").status_code == 404, "of another language"
    listed = door.get(ALL).json()
    assert [entry["written"] for entry in listed["entries"]] == ["tomato", "km/h"] and (listed["most"], listed["set_aside"]) == (
        5000,
        False,
    )
    assert door.studio.lexicon.read().replacements("km/h", "en", takes_phones=False)
    deleted = door.delete(f"{ALL}/km%2Fh")
    assert deleted.json() == {"written": "km/h", "language": "", "deleted": True} and door.delete(f"{ALL}/km%2Fh").status_code == 404
    assert door.delete(ALL).json() == {"deleted": True, "n_entries": 1} and door.get(ALL).json()["entries"] == []


@pytest.mark.parametrize("kind", ["pls", "csv"])
def test_what_is_exported_can_be_imported_by_its_type_its_name_or_itself(door, kind):
    put(door, "tomato", {"ipa": "təˈmɑːtəʊ"}, "en-gb")
    send(door, CSV)
    exported = door.get(f"{ALL}?format={kind}")
    before = door.get(ALL).json()["entries"]
    assert len(before) == 3 and f'filename="lexicon.{kind}"' in exported.headers["content-disposition"]
    for content_type, query in (
        (exported.headers["content-type"], {}),
        ("application/octet-stream", {"filename": f"my.{kind}"}),
        ("", {"replace": "true"}),
    ):
        door.delete(ALL)
        answer = send(door, exported.text, content_type, **query)
        assert answer.json() == {"imported": 3, "n_entries": 3, "passed_over": []} and door.get(ALL).json()["entries"] == before


def test_an_import_adds_to_what_is_there_or_takes_its_place(door):
    put(door, "one", {"said": "won"})
    assert send(door, CSV).json()["n_entries"] == 3
    assert send(door, CSV, replace="true").json()["n_entries"] == 2


def test_what_does_not_fit_is_refused_by_its_rule_and_changes_nothing(door):
    put(door, "one", {"said": "won"})
    for answer, status, code, param, words in (
        (send(door, CSV + "x;\r\n"), 400, "lexicon_file_invalid", "file", "Line 4"),
        (send(door, "<a/>"), 400, "lexicon_file_invalid", "file", "Line 1"),
        (send(door, "written,said\n" + "".join(f"w{n},x\n" for n in range(5000))), 409, "lexicon_full", "entries", "5,001"),
        (put(door, "two", {}), 400, "lexicon_entry_invalid", "said", "“two”"),
        (put(door, "two", {"said": "x"}, "<b>"), 400, "lexicon_entry_invalid", "language", "<b>"),
        (put(door, "two" * 100, {"said": "x"}), 400, "lexicon_entry_invalid", "written", "300 characters, and 200 are the limit"),
        (put(door, "two", {"said": "x" * 201}), 400, "schema_invalid", "body.said", "200"),
        (put(door, "two", {"sayd": "x"}), 400, "schema_invalid", "body.sayd", ""),
        (door.get(f"{ALL}/two"), 404, "lexicon_entry_unknown", "written", "“two”"),
    ):
        error = error_of(answer)
        assert (answer.status_code, error["reason_code"], error["param"]) == (status, code, param) and words in error["message"]
    assert door.studio.lexicon.read().entries == (LexiconEntry("one", "won"),)


def test_a_disk_that_takes_nothing_is_told_and_the_dictionary_stays(door, monkeypatch):
    put(door, "one", {"said": "won"})
    monkeypatch.setattr(os, "fsync", full_disk)
    refused = [put(door, "two", {"said": "too"}), send(door, CSV)]
    assert {(answer.status_code, error_of(answer)["reason_code"]) for answer in refused} == {(507, "disk_full")}
    assert door.studio.lexicon.read().entries == (LexiconEntry("one", "won"),)


def full_disk(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_damaged_dictionary_is_told_where_it_is_listed(door):
    put(door, "one", {"said": "won"})
    (path,) = door.studio._parts.lexicons.directory.glob("*.lexicon")
    path.write_bytes(b"{")
    listed = door.get(ALL).json()
    assert listed["entries"] == [] and listed["set_aside"]


def test_where_visitors_are_kept_apart_nobody_keeps_nothing(open_door):
    door = open_door(workspaces="private")
    assert error_of(put(door, "one", {"said": "won"}))["reason_code"] == "lexicon_owner_unknown"
    assert door.get(ALL).json()["entries"] == [] and send(door, CSV).status_code == 403


def test_the_next_speech_says_a_word_as_the_dictionary_of_its_workspace_does(open_door):
    door = open_door(FakeEngine(replace(INFO, markup=PHONEME_MARKUP, phones="ipa")), FakeEngine(CLONE_ONLY))
    put(door, "tomato", {"said": "tomahto", "ipa": "təˈmɑːtəʊ"}, "en")
    put(door, "SQL", {"said": "sequel", "case": True})
    assert door.speak("A Tomato, SQL and sql.", voice="tone", language="en").status_code == 200
    assert door.engine.texts[-1] == 'A <phoneme alphabet="ipa" ph="təˈmɑːtəʊ">Tomato</phoneme>, sequel and sql.'
    reading = door.post("/v1/studio/reading", json={"input": "A tomato.", "model": CLONE_ONLY.id, "language": "en"})
    assert "tomahto" in reading.text
