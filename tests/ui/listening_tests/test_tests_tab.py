"""Claims about the tab of listening tests as handlers: what is kept, what is hidden and until when, whose it is, and what becomes of it."""

import base64
import io
import json
import zipfile

import gradio as gr
import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from engines.clips.clip import Clip
from studio.audio.spoken_sounds import SpokenSounds
from studio.listening.plan.design import Answer
from studio.listening.plan.plan import METHODS
from studio.listening.plan.preset_texts import listening_texts
from studio.service import Studio
from studio.speakers.speaker import Enrollment
from studio.ui.frame.files import file_routes
from studio.ui.gradio.news import VerifiedDigests
from studio.ui.listening_tests.listening_acts import (
    act_on_test,
    count_listener,
    delete_listener,
    draft_choices,
    import_test,
    keep_test,
    show_findings,
    show_listener,
    show_test,
    take_test_sound,
    voice_tests,
)
from studio.ui.listening_tests.listening_files import LISTENING_FILES
from studio.ui.listening_tests.tests_tab import show_changed_tests, show_tests
from studio.ui.voices.voice_acts import act_on_voice
from studio.words.sentences import LANGUAGES, sentences_in
from tests.browser.studios.opened_tests import opened_test, plan_for
from tests.ui.clips.clips import wav_bytes

QUICK = {"training": False, "headphones": False}
SOUND = wav_bytes(1.0)


@pytest.fixture
def studio(open_studio) -> Studio:
    return open_studio(folder="speakers", warm_uploads=False)


def plan(**more: object) -> dict:
    """As the builder sends it."""
    systems = [{"id": name, "voice": "Ana", "engine": "fake"} for name in "ab"]
    return {"name": "Which one", "method": "ab", "systems": systems, "texts": ["One.", "Two?"]} | more


def enroll(studio: Studio, name: str) -> None:
    samples = np.random.default_rng(1).uniform(-0.3, 0.3, 48_000).astype(np.float32)
    studio.enroll(Enrollment(name, "her own", clip=Clip(samples, 24_000)))


def listen(studio: Studio, test: str, preferred: str) -> str:
    """One listener, who always prefers that system; as results call them."""
    listening = studio.listening
    session = listening.begin(test)
    system_of = {item.id: item.system for item in listening.test(test).items}
    for trial in session.trials:
        for slot in trial.slots:
            listening.sound(test, slot.sound)
        liked = next(slot.label for slot in trial.slots if system_of[slot.item] == preferred)
        heard = {slot.label: 1.0 for slot in trial.slots}
        listening.answer(test, session.token, Answer(trial.number, liked, dict.fromkeys(heard, 1), heard, 5.0))
    return session.listener


def sent(data: bytes, name: str) -> dict[str, str]:
    return {"data": base64.b64encode(data).decode(), "name": name, "type": ""}


@pytest.mark.slow
def test_a_draft_is_kept_as_it_is_made_and_says_what_it_can_tell_and_what_it_lacks(studio):
    draft = keep_test(studio, {"id": "", "plan": plan()})["test"]
    assert draft["state"] == "draft"
    said = sentences_in("en")
    chosen = [keep_test(studio, {"id": "", "plan": plan(method=method, listeners=3, margin=0.3)})["test"] for method in METHODS]
    for line in (line for each in (draft, *chosen) for line in each["power"]):
        assert said.words(f"tests.{line['key']}", line["values"])
    assert [each["plan"]["margin"] for each in chosen] == [0.3] * len(METHODS)
    for each in chosen:
        act_on_test(studio, {"id": each["id"], "act": "delete"})
    for check in draft["checks"]:
        assert said.words(f"tests.check_{check['key']}{'' if check['passed'] else '_not'}", check["values"])
    assert any(check["needed"] and not check["passed"] for check in draft["checks"]), "nothing was rendered"
    changed = keep_test(studio, {"id": draft["id"], "plan": plan(method="abx", repeats=8)})["test"]
    assert (changed["id"], changed["method"]) == (draft["id"], "abx")
    assert show_test(studio, {"id": draft["id"]})["test"]["plan"]["repeats"] == 8
    refused = act_on_test(studio, {"id": draft["id"], "act": "freeze"})["problem"]
    assert refused["code"] == "test_not_ready"
    assert keep_test(studio, {"id": "", "plan": plan(listeners=0)})["problem"]["code"] == "plan_unusable"
    assert len(studio.listening.tests()) == 1, "what was refused is not kept"


def test_a_tick_sends_the_list_only_where_it_is_another(studio):
    checked = VerifiedDigests()
    nothing, seen = show_tests(studio, checked)
    assert nothing["tests"] == []
    assert show_changed_tests(studio, checked, seen) == (gr.skip(), gr.skip())
    draft = keep_test(studio, {"id": "", "plan": plan()})["test"]
    value, now = show_changed_tests(studio, checked, seen)
    assert [row["id"] for row in value["tests"]] == [draft["id"]]
    assert show_changed_tests(studio, checked, now) == (gr.skip(), gr.skip())
    act_on_test(studio, {"id": draft["id"], "act": "delete"})
    assert show_changed_tests(studio, checked, now)[0]["tests"] == []


def test_results_are_hidden_until_the_test_is_closed_and_then_agree_with_what_was_preferred(studio):
    test = opened_test(studio.listening, plan_for("ab", **QUICK), seconds=0.1)
    who = [listen(studio, test, "wombat-2") for _ in range(3)]
    assert show_findings(studio, {"id": test})["problem"]["code"] == "results_hidden"
    shown = show_test(studio, {"id": test})["test"]
    assert (shown["n_done"], shown["state"]) == (3, "open")
    assert act_on_test(studio, {"id": test, "act": "close"})["test"]["state"] == "closed"
    shown = show_findings(studio, {"id": test})["test"]
    findings = shown["findings"]
    assert [plot["title"] for plot in shown["plots"]] == ["Strength", "How often the first was preferred, in %"]
    assert all(plot["svg"].startswith("<svg ") and "Wombat" in plot["svg"] for plot in shown["plots"])
    assert findings["verdict"][0]["values"]["winner"] == "Wombat"
    assert {one["listener"] for one in findings["listeners"] if one["counts"]} == set(who)
    for language in LANGUAGES:
        for line in [*findings["verdict"], *findings["notes"]]:
            assert sentences_in(language).words(f"tests.{line['key']}", line["values"])
    assert show_listener(studio, {"id": test, "listener": who[0]})["kept"]["listener"] == who[0]
    without = count_listener(studio, {"id": test, "listener": who[0], "counts": False})["test"]
    assert without["findings"]["n_listeners"] == 2
    assert [entry["event"] for entry in without["log"]][-1] == "counted"
    left = delete_listener(studio, {"id": test, "listener": who[0]})["test"]
    assert {one["listener"] for one in left["findings"]["listeners"]} == set(who[1:]) and left["log"][-1]["event"] == "withdrawn"


def test_results_shown_early_end_the_test_and_are_logged(studio):
    test = opened_test(studio.listening, plan_for("ab", **QUICK), seconds=0.1)
    listen(studio, test, "wombat-2")
    early = act_on_test(studio, {"id": test, "act": "unblind"})["test"]
    assert early["is_unblinded"]
    assert "unblinded" in [entry["event"] for entry in show_findings(studio, {"id": test})["test"]["log"]]


def test_each_file_of_a_test_is_handed_out_once_its_results_may_be_seen(studio):
    test = opened_test(studio.listening, plan_for("ab", **QUICK), seconds=0.1)
    listen(studio, test, "wombat-2")
    with TestClient(FastAPI(routes=file_routes(studio, SpokenSounds()))) as client:
        for kind in LISTENING_FILES:
            hidden = client.get(f"/studio/tests/{test}/{kind}")
            assert (hidden.status_code, hidden.json()["error"]["code"]) == (400, "results_hidden")
        act_on_test(studio, {"id": test, "act": "close"})
        files = {kind: client.get(f"/studio/tests/{test}/{kind}?lang=de") for kind in LISTENING_FILES}
        assert client.get(f"/studio/tests/{'x' * 22}/votes").status_code == 404
        assert client.get(f"/studio/tests/{test}/other").status_code == 404
    for file in files.values():
        assert (file.status_code, file.headers["cache-control"]) == (200, "no-store")
        assert file.headers["content-disposition"].startswith('attachment; filename="quiet-quokka-')
    assert "Wombat" in files["report"].text
    assert 'lang="de"' in files["report"].text
    assert json.loads(files["findings"].content)["n_votes"] == 2
    with zipfile.ZipFile(io.BytesIO(files["sounds"].content)) as sounds:
        assert "key.csv" in sounds.namelist()


def test_nobody_sees_or_ends_the_tests_of_somebody_else(open_studio):
    studio = open_studio(folder="speakers", warm_uploads=False, workspaces="private")
    mine, other = studio.within("a" * 16), studio.within("b" * 16)
    draft = keep_test(mine, {"id": "", "plan": plan()})["test"]
    assert show_tests(other, VerifiedDigests())[0]["tests"] == []
    for answer in (
        show_test(other, {"id": draft["id"]}),
        keep_test(other, {"id": draft["id"], "plan": plan(name="Mine now")}),
        act_on_test(other, {"id": draft["id"], "act": "delete"}),
        show_findings(other, {"id": draft["id"]}),
    ):
        assert answer["problem"]["code"] == "test_unknown"
    assert show_test(mine, {"id": draft["id"]})["test"]["name"] == "Which one"


def test_who_deletes_a_voice_is_told_of_its_tests_and_says_what_becomes_of_them(studio):
    for name in ("Ana", "Ben"):
        enroll(studio, name)
    draft = keep_test(studio, {"id": "", "plan": plan()})["test"]
    assert voice_tests(studio, {"voice": "Ben"}) == {"tests": []}
    act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Anna"})
    assert [row["id"] for row in voice_tests(studio, {"voice": "Anna"})["tests"]] == [draft["id"]], "a draft follows a new name"
    act_on_voice(studio, {"act": "delete", "voice": "Anna", "tests": "keep"})
    assert "voice_deleted" in [entry.event for entry in studio.listening.log(draft["id"])]
    keep_test(studio, {"id": "", "plan": plan(systems=[{"id": "a", "voice": "Ben"}])})
    act_on_voice(studio, {"act": "delete", "voice": "Ben", "tests": "delete"})
    assert [test.id for test in studio.listening.tests()] == [draft["id"]]


def test_files_of_others_are_kept_for_their_texts_and_what_is_no_sound_is_refused(studio):
    files = [{"id": "theirs", "source": "files"}, {"id": "ours", "voice": "Ana"}]
    draft = keep_test(studio, {"id": "", "plan": plan(systems=files)})["test"]
    asked = {"id": draft["id"], "system": "theirs", "text": 1}
    assert take_test_sound(studio, asked | {"sent": sent(SOUND, "2.wav")})["test"]["uploads"] == [["theirs", 1]]
    assert "problem" in take_test_sound(studio, asked | {"text": 0, "sent": sent(b"no sound", "1.wav")})
    assert show_test(studio, {"id": draft["id"]})["test"]["uploads"] == [["theirs", 1]]


def test_a_configuration_of_webmushra_becomes_a_draft_with_the_sounds_that_came_along(studio):
    config = "testname: Codecs\npages:\n  - {type: mushra, id: one, reference: r/1.wav, stimuli: {C1: s/c1.wav, C2: s/c2.wav}}\n"
    given = [sent(SOUND, name) for name in ("1.wav", "c1.wav")]
    answer = import_test(studio, {"config": sent(config.encode(), "codecs.yaml"), "sounds": given})
    [row] = answer["tests"]
    assert (row["name"], row["method"], row["state"]) == ("Codecs", "mushra", "draft")
    assert answer["lacking"] == ["c2.wav"]
    assert len(show_test(studio, {"id": row["id"]})["test"]["uploads"]) == 2
    twice = import_test(studio, {"config": sent(config.replace("s/c1.wav", "s/1.wav").encode(), "codecs.yaml"), "sounds": given})
    assert set(twice["lacking"]) == {"r/1.wav", "s/1.wav", "c2.wav"}, "a system would sound as another one does"
    refused = import_test(studio, {"config": sent(b"pages: {", "codecs.yaml"), "sounds": []})
    assert refused["problem"]["code"] == "plan_file_unreadable"


def test_the_builder_knows_what_there_is_to_choose_from(studio):
    enroll(studio, "Ana")
    choices = draft_choices(studio, {})
    assert choices["voices"][0]["name"] == "Ana"
    [engine] = choices["engines"]
    assert engine["voices"] == ["Ana", "tone"]
    assert {"name", "method"}.isdisjoint(choices["plan"])
    for method in METHODS:
        assert "test" in keep_test(studio, {"id": "", "plan": choices["plan"] | {"name": "New", "method": method}}), "as it begins"


def test_ready_made_texts_ask_and_count_in_every_language():
    texts = listening_texts()
    assert set(texts) == set(LANGUAGES)
    for lines in texts.values():
        assert len(lines) >= 10
        assert any(any(mark in line for mark in "?？") for line in lines)
        assert any(character.isdigit() for line in lines for character in line)
