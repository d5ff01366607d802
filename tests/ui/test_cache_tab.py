"""Claims about Cache & models without a browser: what cells and cards say, what their buttons do, and when a window gets news."""

from dataclasses import replace

import numpy as np
import pytest

from engines.clip import Clip
from engines.errors import EngineFailed, EngineUnavailable
from studio.service import Studio
from studio.speakers.speaker import Recording
from studio.speech.request import SpeechRequest
from studio.ui.cache_tab import show_cache, show_changes
from studio.ui.choices import choice_facts
from studio.ui.clip_report import engine_rows
from studio.ui.engine_cards import act_on_engine, cards_value
from studio.ui.figures import size_words, time_words
from studio.ui.matrix import MOST_ROWS, act_on_prompt, matrix_value
from tests import heavy_package
from tests.api.door import Gate, eventually
from tests.fake_engine import INFO, FakeEngine


@pytest.fixture
def studio(open_studio, tmp_path):
    checkpoint = heavy_package.make_remote(tmp_path / "hub")
    engines = {"fake": FakeEngine, "heavy": lambda: heavy_package.open(checkpoint)}
    infos = {"fake": INFO, "heavy": heavy_package.INFO}
    weights = {"heavy": heavy_package.source(checkpoint)}
    return open_studio(folder="speakers", infos=infos, open_engine=lambda name: engines[name](), weights=weights, warm_uploads=False)


def enroll(studio: Studio, name: str, pitch: float = 200.0) -> None:
    samples = np.sin(np.arange(48_000) * 2 * np.pi * pitch / 24_000).astype(np.float32)
    studio.enroll(Recording(name, "own", clip=Clip(samples, 24_000)))


def cell(studio: Studio, engine: str = "fake") -> dict:
    return next(cell for cell in matrix_value(studio)["rows"][0]["cells"] if cell["engine"] == engine)


def card(studio: Studio, engine: str) -> dict:
    return next(card for card in cards_value(studio)["cards"] if card["id"] == engine)


def ask(studio: Studio, verb: str, voice: str = "Ana") -> dict:
    return act_on_prompt(studio, {"voice": voice, "engine": "fake", "verb": verb})


def verbs_of(value: dict) -> list[str]:
    return [verb for verb, _ in value["verbs"]]


def test_a_cell_says_in_words_what_it_shows(studio):
    enroll(studio, "Ana")
    assert (cell(studio)["words"], verbs_of(cell(studio))) == ("not extracted", ["extract"])
    studio.warm("Ana")
    with studio.speak(SpeechRequest("hello", speaker="Ana")) as speech:
        speech.read_all()
    shown = cell(studio)
    assert (shown["title"], shown["words"], shown["size"]) == ("Ana, Fake", "in memory", "4 B, 1 hit")
    assert shown["pace"].endswith(" ms warm")
    assert [label for label, _ in shown["facts"]] == ["Memory", "Disk", "Hits", "Last TTFP", "Key"]


def test_the_actions_of_a_cell_are_those_that_its_state_allows_and_they_do_what_they_say(studio):
    enroll(studio, "Ana")
    assert ask(studio, "extract")["kind"] == "note"
    assert eventually(lambda: verbs_of(cell(studio)) == ["extract-again", "pin", "forget", "delete-file"])
    assert ask(studio, "pin")["kind"] == "done"
    assert cell(studio)["pinned"] and verbs_of(cell(studio)) == ["extract-again", "unpin", "forget", "delete-file"]
    assert ask(studio, "unpin")["kind"] == "done"
    assert ask(studio, "forget")["fact"] == "What Fake learned of Ana is gone from memory."
    assert (cell(studio)["state"], verbs_of(cell(studio))) == ("disk", ["extract", "extract-again", "delete-file"])
    assert ask(studio, "delete-file")["hint"] == "The next run is cold."
    assert verbs_of(cell(studio)) == ["extract"]
    assert ask(studio, "pin")["kind"] == "problem"
    assert ask(studio, "extract", voice="nobody")["code"] == "speaker_unknown"


def test_memory_and_file_are_forgotten_one_at_a_time(studio):
    enroll(studio, "Ana")
    studio.warm("Ana")
    assert ask(studio, "delete-file")["hint"] == "It stays in memory until the studio ends."
    assert (cell(studio)["state"], [label for label, _ in cell(studio)["facts"]][:2]) == ("memory", ["Memory", "Hits"])
    assert ask(studio, "forget")["hint"] == "The next run is cold."
    studio.warm("Ana")
    assert ask(studio, "forget")["hint"] == "Its file stays; the next run reads it."
    with studio.speak(SpeechRequest("hello", speaker="Ana")) as speech:
        speech.read_all()
    assert speech.timeline.cache == "disk"


@pytest.mark.parametrize("verb", ["forget", "delete-file"])
def test_what_is_pinned_is_kept_unless_somebody_is_sure(studio, verb):
    enroll(studio, "Ana")
    studio.warm("Ana")
    ask(studio, "pin")
    assert ask(studio, verb)["fact"] == "Ana is pinned for Fake, so it is kept."
    assert cell(studio)["pinned"] and "Disk" in dict(cell(studio)["facts"])
    sure = act_on_prompt(studio, {"voice": "Ana", "engine": "fake", "verb": verb, "sure": True})
    assert sure["kind"] == "done"
    assert ("Disk" in dict(cell(studio)["facts"]), cell(studio)["pinned"]) == ((True, False) if verb == "forget" else (False, True))


def test_no_cell_offers_to_extract_with_an_engine_that_has_no_weights(studio):
    enroll(studio, "Ana")
    heavy = cell(studio, "heavy")
    fact, way = "Heavy is not on this machine yet.", "Get it with its button below, or choose another engine. It has 9.8 kB."
    assert (heavy["state"], verbs_of(heavy), heavy["reason"]) == ("unavailable", [], f"{fact} {way}")
    said = act_on_prompt(studio, {"voice": "Ana", "engine": "heavy", "verb": "extract"})  # of a window that is behind
    assert (said["kind"], said["fact"]) == ("problem", f"{fact} {way}")
    facts = choice_facts(studio, "Ana", "heavy")
    assert "cold" not in facts["prompt"] and "on the tab Cache & models, or choose another engine." in facts["engine"]
    studio.weights.bring("heavy")
    assert verbs_of(cell(studio, "heavy")) == ["extract"] and "next run is cold" in choice_facts(studio, "Ana", "heavy")["prompt"]


def test_a_refusal_keeps_its_reason_in_the_cell(studio):
    samples = np.zeros(2_400, np.float32)
    studio.enroll(Recording("Ana", "own", clip=Clip(samples, 24_000)))
    assert cell(studio)["state"] == "unsupported"
    assert cell(studio)["reason"].startswith("The recording has 100 ms. Fake takes 1 s to 30 s. Replace the recording")
    assert verbs_of(cell(studio)) == []


def test_the_totals_stand_against_their_limits(studio):
    enroll(studio, "Ana")
    studio.warm("Ana")
    studio.warm("Ana")
    totals = {total["label"]: total["words"] for total in matrix_value(studio)["totals"]}
    assert (totals["Memory"], totals["Entries"], totals["Pinned"]) == ("4 B of 512 MB", "1 of 1024", "none")
    assert (totals["Hit rate"], totals["Evictions"]) == ("50 % of 2 lookups", "0")
    assert totals["Saved"].endswith("ms")


def test_an_empty_matrix_says_what_would_fill_it_and_a_search_what_it_did_not_find(studio):
    assert "Create one" in matrix_value(studio)["note"]
    enroll(studio, "Ana")
    assert matrix_value(studio)["note"] == ""
    assert matrix_value(studio, "xyz")["note"] == "No voice has “xyz” in its name."


def test_more_voices_than_a_table_can_show_are_told(studio, monkeypatch):
    monkeypatch.setattr("studio.ui.matrix.MOST_ROWS", 2)
    for number in range(3):
        enroll(studio, f"Voice {number}", 200 + number)
    value = matrix_value(studio)
    assert [row["voice"] for row in value["rows"]] == ["Voice 2", "Voice 1"]
    assert value["note"].startswith("The newest 2 of 3 voices.")
    assert MOST_ROWS == 100


def test_an_engine_is_loaded_and_unloaded_from_its_card(studio):
    assert (card(studio, "fake")["words"], verbs_of(card(studio, "fake"))) == ("not loaded", ["load"])
    act_on_engine(studio, {"engine": "fake", "verb": "load"})
    assert eventually(lambda: card(studio, "fake")["words"] == "ready")
    assert verbs_of(card(studio, "fake")) == ["unload"]
    assert act_on_engine(studio, {"engine": "fake", "verb": "unload"})["kind"] == "done"
    assert card(studio, "fake")["words"] == "not loaded"


def test_a_card_says_what_the_engine_is(studio):
    studio.load("fake")
    shown = card(studio, "fake")
    facts = dict(shown["facts"])
    assert (facts["Licence"], facts["Languages"], facts["Sound"]) == ("Apache-2.0", "2", "24 kHz, frame by frame")
    assert (facts["Clip"], facts["Text"]) == ("1 to 30 s, transcript optional", "20 000 characters in one piece")
    assert facts["Loaded"].startswith("cpu, in ")
    assert dict(card(studio, "heavy")["facts"])["Size"] == "9.8 kB"


def test_weights_are_fetched_cancelled_and_resumed_from_the_card(studio, monkeypatch):
    gate = Gate()
    monkeypatch.setattr(heavy_package, "before_piece", lambda index: gate() if index == 4 else None)
    heavy = {"engine": "heavy"}
    assert (card(studio, "heavy")["weights"]["words"], verbs_of(card(studio, "heavy"))) == ("Weights: not downloaded (9.8 kB)", ["fetch"])
    act_on_engine(studio, heavy | {"verb": "fetch"})
    gate.wait_for_arrival()
    shown = card(studio, "heavy")
    assert (shown["weights"]["words"], shown["weights"]["share"]) == ("Weights: downloading, 3.9 kB of 9.8 kB", 0.4)
    assert verbs_of(shown) == ["cancel"]
    act_on_engine(studio, heavy | {"verb": "cancel"})
    gate.open()
    assert eventually(lambda: card(studio, "heavy")["weights"]["words"] == "Weights: download stopped at 3.9 kB of 9.8 kB")
    assert card(studio, "heavy")["verbs"] == [("fetch", "Resume download")]
    act_on_engine(studio, heavy | {"verb": "fetch"})
    assert eventually(lambda: card(studio, "heavy")["weights"]["words"] == "Weights: ready on this machine")
    assert verbs_of(card(studio, "heavy")) == ["load"]


def test_an_unavailable_engine_says_why_and_leaves_the_others_usable(studio):
    with pytest.raises(EngineUnavailable):
        studio.load("heavy")
    assert card(studio, "heavy")["state"] == "unavailable"
    fact = "The weights of Heavy are not here."
    assert card(studio, "heavy")["reason"] == f"{fact} Get it with its button below, or choose another engine. It has 9.8 kB."
    assert studio.load("fake").state == "ready"


def test_an_engine_that_failed_says_what_to_do_next(open_studio):
    def broken(name: str) -> FakeEngine:
        raise EngineFailed("The graph did not fit.", "Choose a smaller checkpoint.")

    studio = open_studio(open_engine=broken)
    with pytest.raises(EngineFailed):
        studio.load("fake")
    assert card(studio, "fake")["reason"] == "The graph did not fit. Choose a smaller checkpoint."
    assert card(studio, "fake")["report"].splitlines()[:2] == ["Engine: Fake (fake), failed", "Reason: The graph did not fit."]


def test_where_nothing_can_be_fetched_the_card_says_whom_to_ask(open_studio):
    def lacking(name: str) -> FakeEngine:
        raise EngineUnavailable("A library is missing.", "make setup")

    studio = open_studio(open_engine=lacking)
    with pytest.raises(EngineUnavailable):
        studio.load("fake")
    ask_them = "Choose another engine, or ask whoever runs this machine to run: make setup"
    assert (card(studio, "fake")["reason"], card(studio, "fake")["command"]) == (f"A library is missing. {ask_them}", "")
    assert engine_rows(studio, {})["engines"][0]["reason"] == f"A library is missing. {ask_them}"


def test_a_licence_that_forbids_uses_is_shown_and_accepted_before_its_weights_are_fetched(open_studio, tmp_path):
    checkpoint = heavy_package.make_remote(tmp_path / "hub")
    infos = {"fake": INFO, "heavy": replace(heavy_package.INFO, licence="CC-BY-NC-4.0", restriction="commercial use")}
    kept = {"infos": infos, "weights": {"heavy": heavy_package.source(checkpoint)}, "open_engine": lambda name: FakeEngine(infos[name])}
    studio = open_studio(folder="speakers", **kept)
    assert dict(card(studio, "heavy")["facts"])["Licence"] == "CC-BY-NC-4.0: forbids commercial use"
    assert "under CC-BY-NC-4.0, which forbids commercial use" in card(studio, "heavy")["terms"]
    assert "Its licence forbids commercial use" in choice_facts(studio, None, "heavy")["engine"]
    for accepted in ({}, {"accepted": "nothing much"}):
        refused = act_on_engine(studio, {"engine": "heavy", "verb": "fetch"} | accepted)
        assert (refused["code"], studio.weights.status("heavy").state) == ("licence_not_accepted", "absent")
    act_on_engine(studio, {"engine": "heavy", "verb": "fetch", "accepted": "commercial use"})
    assert eventually(lambda: studio.weights.status("heavy").state == "ready")
    again = open_studio(folder="speakers", **kept)
    assert card(again, "heavy")["terms"] == ""


def test_a_window_gets_news_only_when_there_are_any(studio):
    enroll(studio, "Ana")
    matrix, _, seen = show_cache(studio, "")
    assert matrix["rows"]
    assert all(isinstance(part, dict) and "rows" not in part and "cards" not in part for part in show_changes(studio, "", seen)[:2])
    studio.load("fake")
    _, cards, later = show_changes(studio, "", seen)
    assert cards["cards"][0]["words"] == "ready" and later != seen
    studio.warm("Ana")
    matrix, _, _ = show_changes(studio, "", later)
    assert matrix["rows"][0]["cells"][0]["state"] == "memory"


@pytest.mark.parametrize(
    ("n_bytes", "words"), [(0, "0 B"), (812, "812 B"), (4_100, "4.0 kB"), (536_870_912, "512 MB"), (8 << 30, "8.0 GB")]
)
def test_sizes_are_written_with_two_or_three_digits(n_bytes, words):
    assert size_words(n_bytes) == words


@pytest.mark.parametrize(("seconds", "words"), [(0.084, "84 ms"), (1.24, "1.2 s"), (192.0, "3 min 12 s")])
def test_times_are_written_in_the_unit_that_fits(seconds, words):
    assert time_words(seconds) == words


def test_an_engine_at_work_is_not_unloaded_and_the_line_says_why(open_studio):
    gate = Gate()
    studio = open_studio(FakeEngine(before_chunk=gate))
    with studio.speak(SpeechRequest("hello", speaker="tone")):
        gate.wait_for_arrival()
        said = act_on_engine(studio, {"engine": "fake", "verb": "unload"})
        gate.open()
    assert (said["kind"], said["code"]) == ("problem", "engine_in_use")
    assert said["fact"] == "Fake is at work for somebody, so it stays loaded."
    assert act_on_engine(studio, {"engine": "nothing", "verb": "load"})["code"] == "engine_unknown"


def test_of_everybodys_voice_a_visitor_may_only_ask_that_it_is_learned(studio):
    enroll(studio, "Demo")
    visitor = studio.within("visitor:one")
    assert verbs_of(cell(visitor)) == ["extract"]
    visitor.warm("Demo")
    assert verbs_of(cell(visitor)) == [] and len(verbs_of(cell(studio))) > 2
    for verb in ("extract-again", "pin", "unpin", "forget", "delete-file"):
        told = act_on_prompt(visitor, {"voice": "Demo", "engine": "fake", "verb": verb, "sure": True})
        assert (told["kind"], told["code"]) == ("problem", "speaker_not_yours"), verb
    assert cell(visitor)["state"] == "memory"
