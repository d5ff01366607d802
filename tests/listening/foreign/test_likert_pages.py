"""Claims about MOS studies of webMUSHRA: every kind of likert page becomes a test, its systems are found, and what is lost is told."""

import json
from itertools import chain

import pytest

from studio.listening.foreign.config_text import parsed_config
from studio.listening.foreign.likert_pages import LikertScale, LikertStimulus, grids_of, scales_of_page
from studio.listening.foreign.webmushra import read_config
from studio.listening.plan.plan import MOST_TEXTS

FIVE = [{"value": n, "label": label} for n, label in enumerate(("Bad", "Poor", "Fair", "Good", "Excellent"), start=1)]


def page(name: str, stimuli: dict, response: object = FIVE, kind: str = "single", **more: object) -> dict:
    return {"type": f"likert_{kind}_stimulus", "id": name, "stimuli": stimuli, "response": response, **more}


def made_of(*pages: object) -> tuple:
    return read_config(json.dumps({"testname": "Study", "pages": ["random", [*pages]]}))


def test_one_clip_a_page_becomes_a_test_of_the_systems_that_its_path_names():
    pages = [page(f"p{n}{system}", {"Clip": f"configs/audio/{system}/clip{n}.wav"}) for n in range(3) for system in ("old", "new")]
    (one,) = made_of(*pages)
    assert [system.label for system in one.plan.systems] == ["old", "new"] and len(one.plan.texts) == 3
    assert {upload.path for upload in one.uploads if upload.system == "new"} == {f"configs/audio/new/clip{n}.wav" for n in range(3)}
    assert ("import_guessed", ["old", "new"]) in [(line.key, line.values.get("systems")) for line in one.left_out]


def test_stimuli_that_are_called_the_same_on_each_page_are_the_systems():
    (one,) = made_of(*(page(f"p{n}", {"C1": f"a/{n}.wav", "C2": f"b/{n}.wav"}) for n in range(2)))
    assert ([system.label for system in one.plan.systems], one.plan.texts) == (["C1", "C2"], ("p0", "p1"))
    assert not [line for line in one.left_out if line.key == "import_guessed"]


def test_a_page_of_one_clip_of_each_system_is_a_text_whatever_its_clips_are_called():
    topics = {"Arts": (15, 13), "News": (7, 9)}
    pages = [
        page(topic, {f"{topic}_old": f"s/old/{topic}_{a}.wav", f"{topic}_new": f"s/new/{topic}_{b}.wav"})
        for topic, (a, b) in topics.items()
    ]
    (one,) = made_of(*pages)
    assert ({system.label for system in one.plan.systems}, one.plan.texts) == ({"old", "new"}, ("Arts", "News"))


def test_an_address_is_looked_for_as_a_path_and_no_sound_of_an_uneven_study_is_lost():
    """Each system has other texts, and one has more."""
    paths = [f"m/original_{n:04}.wav" for n in (47, 11, 89)] + [f"m/vocoder_x_{n:04}.wav" for n in (89, 27)]
    made = made_of(*(page(path.rpartition("/")[2], {"C1": f"https://host.example/{path}"}) for path in paths))
    assert {upload.path for one in made for upload in one.uploads} == set(paths)
    assert sum(len(one.uploads) for one in made) == len(paths)
    assert [{system.label for system in one.plan.systems} for one in made] == [{"original", "vocoder_x"}, {"original"}]
    assert ("import_mixed", 1) in [(line.key, line.values.get("n")) for line in made[0].left_out]


@pytest.mark.parametrize(
    ("response", "labels"),
    [
        ([{"value": "human", "label": "Human-composed"}, {"value": "ai", "label": "AI"}], [["Human-composed", "AI"]]),
        ([{"value": 3, "label": "much"}, {"value": 2, "label": "a bit"}, {"value": 1, "label": "not"}], [["not", "a bit", "much"]]),
        ([[{"value": 1}, {"value": 2}, {"value": 3}], FIVE], [["1", "2", "3"], ["Bad", "Poor", "Fair", "Good", "Excellent"]]),
    ],
)
def test_scales_of_any_length_are_carried_with_their_words(response, labels):
    for kind in ("single", "multi"):
        (one,) = made_of(page("p", {"a": "a.wav", "b": "b.wav"}, response, kind, content="<b>How</b> good?"))
        assert [list(scale["labels"]) for scale in one.plan.model_dump()["scales"]] == labels
        assert one.plan.model_dump()["scales"][0]["question"] == "How good?"


def test_questions_of_several_scales_are_those_of_the_list_on_the_page():
    content = "Rate:<ol><li>How <b>clear</b>?</li><li>How natural?</li></ol>"
    assert [scale.question for scale in scales_of_page({"response": [FIVE, FIVE], "content": content})] == ["How clear?", "How natural?"]
    assert scales_of_page({"response": FIVE})[0].is_opinion and not scales_of_page({"response": FIVE[:4]})[0].is_opinion
    ends = scales_of_page({"response": [[{"label": "Well?", "type": "rate", "rate": 11, "min_value": "no", "max_value": "yes"}]]})
    assert ends == (LikertScale("Well?", ("no", "yes"), 11),)


@pytest.mark.parametrize("response", [None, [], [{"value": 1}], [{"value": n} for n in range(12)], "5", [[5]]])
def test_what_is_no_scale_is_named(response):
    made = made_of(page("odd", {"a": "a.wav"}, response), {"type": "mushra", "id": "m", "reference": "r.wav", "stimuli": {"a": "b.wav"}})
    assert ("import_scale", "odd") in [(line.key, line.values.get("place")) for line in made[0].left_out]


@pytest.mark.slow
def test_a_long_study_is_several_tests():
    stimuli = [LikertStimulus(f"p{n}", f"pages.{n}", "C1", f"{system}/{n}.wav") for n in range(MOST_TEXTS + 5) for system in ("a", "b")]
    grids = list(grids_of([LikertStimulus(f"{one.page}{one.path}", one.place, one.key, one.path) for one in stimuli]))
    assert [len(grid.texts) for grid in grids] == [MOST_TEXTS, 5]
    assert set(chain.from_iterable(grid.sounds.values() for grid in grids)) == {
        LikertStimulus(f"{one.page}{one.path}", one.place, one.key, one.path) for one in stimuli
    }


def test_texts_with_colons_on_several_lines_and_points_behind_semicolons_are_read():
    text = """
pages:
  - type: generic
    content: Read this: it is
      long, and has: colons
  - type: likert_single_stimulus
    response:
      - value: "1"; label: "1: bad"
      - value: "2"; label: "2"
"""
    generic, likert = parsed_config(text)["pages"]
    assert generic["content"] == "Read this: it is long, and has: colons"
    assert likert["response"] == [{"value": "1", "label": "1: bad"}, {"value": "2", "label": "2"}]
