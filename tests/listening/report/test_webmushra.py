"""Claims about webMUSHRA: its configurations become plans, nothing is lost without a word, and votes go out as its results."""

import csv
import io
import json
from contextlib import suppress

import pytest

from studio.listening.foreign.webmushra import read_config
from studio.listening.plan.plan import OpenReference
from studio.listening.report.plan_file import PlannedSound
from studio.listening.report.pymushra import pymushra_csv
from studio.listening.report.unreadable import FormatUnfit, PlanFileUnreadable
from studio.listening.report.webmushra_results import results_csv
from studio.listening.vote.vote import Vote
from tests.listening.report.sample_tests import say

CONFIG = """
testname: Trains and tea
testId: trains
bufferSize: 2048
language: de
remoteService: service/write.php
pages:
  - type: generic
    id: hello
    name: Hello
    content: Please read this: it is about trains.
  - type: consent
    id: agreed
    mustConsent: true
    content: <p>I agree &amp; listen.</p>
  - - random
    - type: mushra
      id: platform
      content: How good is it?
      showWaveform: true
      strict: false
      reference: sounds/platform.wav
      createAnchor35: true
      createAnchor70: true
      stimuli: {Old System: sounds/platform-old.wav, new: sounds/platform-new.wav}
    - type: mushra
      id: teapot
      reference: sounds/teapot.wav
      createAnchor35: true
      createAnchor70: true
      stimuli: {Old System: sounds/teapot-old.wav, new: sounds/teapot-new.wav}
  - type: paired_comparison
    id: whistle
    unforced: I cannot tell
    reference: sounds/whistle.wav
    stimuli: {old: sounds/whistle-old.wav, reference-2: sounds/whistle-new.wav}
  - type: likert_single_stimulus
    id: announcement
    stimuli: {old: sounds/a-old.wav, new: sounds/a-new.wav}
    response: [{value: 1, label: Bad}, {value: 2}, {value: 3}, {value: 4}, {value: 5}]
  - type: likert_single_stimulus
    id: shortscale
    stimuli: {old: sounds/a-old.wav}
    response: [{value: 1}]
  - type: spatial
    id: rails
    reference: sounds/rails.wav
    stimuli: {old: sounds/rails-old.wav}
  - type: finish
    name: Thank you
    questionnaire: [{type: text, name: email}]
"""


def test_each_kind_of_page_becomes_a_plan_of_uploaded_systems():
    mushra, old, new, mos = read_config(CONFIG)
    assert mushra.plan.method == "mushra" and mushra.plan.texts == ("platform", "teapot")
    assert [(system.id, system.label, system.source) for system in mushra.plan.systems] == [
        ("old-system", "Old System", "files"),
        ("new", "new", "files"),
    ]
    assert mushra.plan.reference == OpenReference(source="files") and mushra.plan.anchors == ("lowpass-3.5", "lowpass-7")
    assert mushra.uploads[:3] == (
        PlannedSound("old-system", 0, "sounds/platform-old.wav"),
        PlannedSound("new", 0, "sounds/platform-new.wav"),
        PlannedSound("reference", 0, "sounds/platform.wav"),
    )
    assert len(mushra.uploads) == 6
    assert [one.plan.method for one in (old, new, mos)] == ["abx", "abx", "mos"]
    assert [system.label for system in new.plan.systems] == ["reference", "reference-2"]
    assert len({upload.system for upload in new.uploads}) == 2 and "reference" not in {upload.system for upload in new.uploads}
    assert mos.plan.texts == ("announcement",) and len(mos.uploads) == 2
    assert {one.plan.consent for one in (mushra, old, new, mos)} == {"I agree & listen."}
    assert mushra.plan.language == "de" and mushra.plan.name.startswith("Trains and tea: ")


def test_whatever_is_not_carried_over_is_named():
    left_out = read_config(CONFIG)[0].left_out
    assert {(line.key, line.values["place"]) for line in left_out} == {
        ("import_own", "bufferSize"),
        ("import_own", "remoteService"),
        ("import_text_page", "hello"),
        ("import_order", "pages.2.0"),
        ("import_option", "platform"),
        ("import_option", "whistle"),
        ("import_scale", "shortscale"),
        ("import_method", "rails"),
        ("import_own", "pages.7"),
    }
    options = {(line.values["place"], line.values["option"]) for line in left_out if line.key == "import_option"}
    lost = {("platform", "content"), ("platform", "showWaveform"), ("whistle", "unforced")}
    assert options == lost
    assert all(say(line.key, line.values) for line in left_out)


@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "/etc/passwd", "sounds/../../x.wav", "C:/x.wav", "file://host/x.wav", "https://host/../x.wav", "a\\..\\b.wav"],
)
def test_a_configuration_names_nothing_outside_of_its_folder(path):
    with pytest.raises(PlanFileUnreadable, match="no path below") as raised:
        read_config(f"pages: [{{type: mushra, id: a, reference: r.wav, stimuli: {{C1: '{path}'}}}}]")
    assert raised.value.parameter == "pages.0.C1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: x", "no configuration of webMUSHRA"),
        ("pages: [{type: bs1116, id: a}, {type: finish}]", "the pages are bs1116, finish"),
        ("pages: [3]", "'3' is no page"),
        ("pages: [{type: mushra, id: a, stimuli: {}}]", "make 0 tests"),
        ("pages: [", "neither YAML nor JSON"),
        ("pages: [\nname: a: b", "line 2"),
    ],
)
def test_what_is_no_test_is_refused_with_its_place(text, told):
    with pytest.raises(PlanFileUnreadable) as raised:
        read_config(text)
    assert told in raised.value.fact


def table(text: str, separator: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


MUSHRA = (
    Vote("mushra", "L01", 0, "item", "tea", "old", "", 62.5, seconds=4.2, comment="=1+1"),
    Vote("mushra", "L01", 0, "item", "tea", "reference", "", 100.0),
    Vote("mushra", "L01", 0, "item", "tea", "lowpass-3.5", "", 9.0),
    Vote("mushra", "L01", 1, "gold", "tea", "gold", "", 3.0, True),
    Vote("mushra", "L00", 0, "item", "tea", "old", "", 1.0, experimenter=True),
)


def test_stimuli_that_name_no_conditions_are_told_of_and_not_broken_upon():
    pair = {"type": "paired_comparison", "id": "odd", "reference": "r.wav"}
    rated = {"type": "likert_single_stimulus", "id": "good", "response": [{"value": n} for n in range(1, 6)], "stimuli": {"new": "n.wav"}}
    for stimuli in (5, True, 2.5):
        (planned,) = read_config(json.dumps({"pages": [pair | {"stimuli": stimuli}, rated]}))
        assert ("import_stimuli", "odd") in [(line.key, line.values["place"]) for line in planned.left_out]


def test_ratings_go_out_in_the_layout_of_webmushra():
    found = results_csv(MUSHRA, "trains")
    assert list(found) == ["mushra.csv"]
    assert found["mushra.csv"].splitlines()[0] == (
        "session_test_id,listener,session_uuid,trial_id,rating_stimulus,rating_score,rating_time,rating_comment"
    )
    rows = table(found["mushra.csv"])
    assert [(row["rating_stimulus"], row["rating_score"]) for row in rows] == [("old", "62.5"), ("reference", "100"), ("anchor35", "9")]
    assert (rows[0]["rating_time"], rows[0]["rating_comment"], rows[0]["trial_id"]) == ("4200", "'=1+1", "tea")
    (lss,) = table(results_csv((Vote("mos", "L01", 0, "item", "tea", "old", "", 4),), "t")["lss.csv"])
    assert list(lss) == ["session_test_id", "listener", "trial_id", "stimuli_rating", "stimuli", "rating_time"]
    assert (lss["stimuli"], lss["stimuli_rating"]) == ("old", "4")


def test_comparisons_go_out_as_right_and_wrong():
    votes = tuple(Vote("ab", "L01", number, "item", "tea", "old", "new", score) for number, score in enumerate((1, 0, 0.5)))
    rows = table(results_csv(votes, "t")["paired_comparison.csv"])
    assert [row["choice_answer"] for row in rows] == ["correct", "incorrect", "undecided"]
    assert {(row["choice_reference"], row["choice_non_reference"]) for row in rows} == {("old", "new")}


def test_a_method_that_has_no_layout_is_refused():
    votes = (Vote("cmos", "L01", 0, "item", "tea", "old", "new", -2),)
    for export in (results_csv, pymushra_csv):
        with pytest.raises(FormatUnfit, match="cmos"):
            export(votes, "t")


def test_pymushra_finds_the_columns_that_its_statistics_look_at():
    rows = table(pymushra_csv(MUSHRA, "trains", created=0), ";")
    assert {row["wm_type"] for row in rows} == {"mushra"} and {row["wm_id"] for row in rows} == {"tea"}
    assert [(row["responses_stimulus"], row["responses_score"]) for row in rows] == [
        ("old", "62.5"),
        ("reference", "100"),
        ("anchor35", "9"),
    ]
    assert len({row["questionaire_uuid"] for row in rows}) == 1 and rows[0]["wm_date"] == "1970-01-01 00:00:00"
    (rated,) = table(pymushra_csv((Vote("smos", "L01", 0, "item", "tea", "old", "", 4),), "t"), ";")
    assert (rated["wm_type"], rated["responses_stimulusRating"]) == ("likert_single_stimulus", "4")
    (compared,) = table(pymushra_csv((Vote("abx", "L01", 0, "item", "tea", "old", "new", 0),), "t"), ";")
    assert (compared["responses_answer"], compared["responses_nonReference"]) == ("incorrect", "new")


@pytest.mark.parametrize(
    "text",
    [
        "pages: [\nx: " + " " * 1_000_000 + "y\n",
        'testname: x\npages:\n - {type: consent, id: c, content: "'
        + "<" * 1_000_000
        + '"}\n - {type: mushra, id: t, stimuli: {C: no/wav}}\n',
        "x" * (1 << 20) + "y",
    ],
    ids=["colons", "tags", "size"],
)
def test_no_configuration_keeps_the_studio_busy(text):
    """Colons or tags alone can take a pattern a quarter of an hour, in which nobody else is answered; the suite ends a test before that."""
    with suppress(PlanFileUnreadable):
        read_config(text)
    if len(text) > 1 << 20:
        with pytest.raises(PlanFileUnreadable, match="too large"):
            read_config(text)
