"""Claims about Cache & models without a browser: what cells and rows show, what their buttons do, and when a window gets news."""

from dataclasses import replace
from typing import get_args

import gradio as gr
import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.license import License
from engines.errors import EngineFailed, EngineUnavailable
from studio.prompts.status import PromptState
from studio.running.lifecycle import EngineState
from studio.service import Studio
from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import SpeakerTensor
from studio.speech.request import SpeechRequest
from studio.ui.cache.cache_tab import MOST_ROWS, SHOWN, VERBS, act_on_prompt, matrix_value, show_cache, show_changes
from studio.ui.clips.clip_report import engine_rows
from studio.ui.engines.engine_cards import ARRIVALS, SHAPES, act_on_engine, cards_value
from studio.ui.engines.size_words import size_words
from studio.ui.gradio.news import VerifiedDigests
from studio.ui.gradio.words import words
from studio.ui.speak.speaking import choice_value
from tests.api.door import Gate, eventually
from tests.stand_ins import heavy_package
from tests.stand_ins.fake_engine import INFO, FakeEngine


@pytest.fixture
def open_again(open_studio, tmp_path):
    """Opens a studio of two engines, of which one has weights to fetch; each time over the same folder."""
    checkpoint = heavy_package.make_remote(tmp_path / "hub")
    engines = {"fake": FakeEngine, "heavy": lambda: heavy_package.open(checkpoint)}
    infos = {"fake": INFO, "heavy": heavy_package.INFO}
    weights = {"heavy": heavy_package.source(checkpoint)}
    kept = {"folder": "speakers", "infos": infos, "weights": weights, "warm_uploads": False}
    return lambda: open_studio(open_engine=lambda name: engines[name](), **kept)


@pytest.fixture
def studio(open_again):
    return open_again()


def enroll(studio: Studio, name: str, pitch: float = 200.0) -> None:
    samples = np.sin(np.arange(48_000) * 2 * np.pi * pitch / 24_000).astype(np.float32)
    studio.enroll(Enrollment(name, "own", clip=Clip(samples, 24_000)))


def cell(studio: Studio, engine: str = "fake") -> dict:
    return next(cell for cell in matrix_value(studio)["rows"][0]["cells"] if cell["engine"] == engine)


def card(studio: Studio, engine: str) -> dict:
    return next(card for card in cards_value(studio)["cards"] if card["id"] == engine)


def ask(studio: Studio, verb: str, voice: str = "Ana") -> dict:
    return act_on_prompt(studio, {"voice": voice, "engine": "fake", "verb": verb})


def verbs_of(value: dict) -> list[str]:
    return [verb for verb, _ in value["verbs"]]


def test_a_cell_has_the_figures_of_what_was_learned_and_the_sentences_for_them(studio):
    enroll(studio, "Ana")
    assert cell(studio) == {"engine": "fake", "state": "none", "verbs": [("extract", "teach"), ("speak", "speak")]}
    studio.warm("Ana")
    with studio.speak(SpeechRequest("hello", speaker="Ana")) as speech:
        speech.read_all()
    shown = cell(studio)
    assert (shown["state"], shown["memory_bytes"], shown["n_hits"], len(shown["key"])) == ("memory", 4, 1, 12)
    assert shown["warm"]["server_ms"] > 0 and shown["warm"]["heard_ms"] is None and shown["last_at"] > 0 and shown["disk_bytes"] > 4
    assert not {"cold", "limit", "reason", "pinned"} & set(shown)


def test_every_state_has_one_of_the_eight_shapes_and_its_words():
    shown = {SHOWN.get(state, state) for state in get_args(PromptState)}
    assert shown == {"none", "learning", "memory", "refining", "disk", "stale", "failed", "unsupported"}
    verbs = {word for state in get_args(PromptState) for _, word in VERBS[state]} | {"unpin", "forget", "delete_file"}
    assert all(words(f"cache.state_{state}") for state in shown) and all(words(f"cache.verb_{word}") for word in verbs)


def test_the_actions_of_a_cell_are_those_that_its_state_allows_and_they_do_what_they_say(studio):
    enroll(studio, "Ana")
    assert ask(studio, "extract")["kind"] == "note"
    assert eventually(lambda: verbs_of(cell(studio)) == ["speak", "pin", "extract-again", "forget", "delete-file"])
    assert ask(studio, "pin")["kind"] == "done"
    assert cell(studio)["pinned"] and verbs_of(cell(studio)) == ["speak", "unpin", "extract-again", "forget", "delete-file"]
    assert ask(studio, "unpin")["kind"] == "done"
    assert ask(studio, "forget")["fact"] == "Ana is out of memory. Fake reads it from disk for the next take."
    assert (cell(studio)["state"], verbs_of(cell(studio))) == ("disk", ["speak", "extract", "extract-again", "delete-file"])
    assert ask(studio, "delete-file")["fact"] == "Fake has forgotten Ana and learns it anew for the next take."
    assert verbs_of(cell(studio)) == ["extract", "speak"]
    assert ask(studio, "pin")["kind"] == "problem"
    assert ask(studio, "extract", voice="nobody")["code"] == "speaker_unknown"


def test_memory_and_file_are_forgotten_one_at_a_time(studio):
    enroll(studio, "Ana")
    studio.warm("Ana")
    assert "It stays in memory until the studio ends." in ask(studio, "delete-file")["fact"]
    assert cell(studio)["state"] == "memory" and "disk_bytes" not in cell(studio)
    assert "learns it anew" in ask(studio, "forget")["fact"]
    studio.warm("Ana")
    assert "reads it from disk" in ask(studio, "forget")["fact"]
    with studio.speak(SpeechRequest("hello", speaker="Ana")) as speech:
        speech.read_all()
    assert speech.timeline.cache == "disk"


@pytest.mark.parametrize("verb", ["forget", "delete-file"])
def test_what_is_pinned_is_kept_unless_somebody_is_sure(studio, verb):
    enroll(studio, "Ana")
    studio.warm("Ana")
    ask(studio, "pin")
    assert ask(studio, verb)["fact"] == "Ana is kept in memory for Fake."
    assert cell(studio)["pinned"] and "disk_bytes" in cell(studio)
    sure = act_on_prompt(studio, {"voice": "Ana", "engine": "fake", "verb": verb, "sure": True})
    assert sure["kind"] == "done"
    assert ("disk_bytes" in cell(studio), "pinned" in cell(studio)) == ((True, False) if verb == "forget" else (False, True))


def in_speak(studio: Studio, engine: str) -> tuple[str, bool, str]:
    """The engine's state there, whether it may be got there, and the state of Ana with it."""
    value = choice_value(studio, "Ana", engine)
    known = next(one for one in value["engines"] if one["id"] == engine)
    return known["state"], known["can_get"], value["voices"][0]["state"]


def test_an_engine_that_is_not_there_has_no_column_unless_it_knows_somebody(studio, open_again, tmp_path):
    enroll(studio, "Ana")
    assert [engine["standing"] for engine in matrix_value(studio)["engines"]] == ["idle"]
    assert matrix_value(studio)["more"] == [{"id": "heavy", "title": "Heavy"}]
    fact, way = "Heavy is not on this machine yet.", "Get it with its button below, or choose another engine. It has 10.0 kB."
    said = act_on_prompt(studio, {"voice": "Ana", "engine": "heavy", "verb": "extract"})  # of a window that is behind
    assert (said["kind"], said["fact"]) == ("problem", f"{fact} {way}")
    assert in_speak(studio, "heavy") == ("absent", True, "")
    studio.weights.bring("heavy")
    assert verbs_of(cell(studio, "heavy")) == ["extract", "speak"]
    assert in_speak(studio, "heavy") == ("idle", False, "none")
    studio.warm("Ana", "heavy")
    studio.prompts.flush()
    (tmp_path / "hub" / "weights.bin").unlink()
    again = open_again()
    assert [engine["standing"] for engine in matrix_value(again)["engines"]] == ["idle", "absent"]
    assert (cell(again, "heavy")["state"], verbs_of(cell(again, "heavy"))) == ("disk", ["delete-file"]), "nothing can speak with it"


def test_what_an_engine_cannot_use_says_which_of_its_limits_that_is(open_studio):
    infos = {"fake": replace(INFO, transcript="required"), "own": replace(INFO, id="own", clones_clips=False)}
    infos |= {"long": replace(INFO, id="long", most_clip_seconds=1.5), "short": replace(INFO, id="short", least_clip_seconds=4.0)}
    studio = open_studio(infos=infos)
    enroll(studio, "Ana")
    assert {one["engine"]: one["limit"] for one in matrix_value(studio)["rows"][0]["cells"]} == {
        "fake": "words",
        "own": "built_in",
        "long": "long",
        "short": "short",
    }
    assert (
        cell(studio, "short")["reason"]
        == "The recording has 2 s. Fake takes 4 s to 30 s. Replace the recording, or keep another part of it."
    )
    assert verbs_of(cell(studio, "short")) == []
    studio.enroll(Enrollment("Bea", "own", tensor=SpeakerTensor.of(np.ones(3, np.float32))))
    assert cell(studio, "own")["limit"] == "numbers"
    limits = ("words", "built_in", "long", "short", "numbers")
    assert all(words(f"cache.limit_{limit}") for limit in limits)


def test_the_figures_of_memory_and_disk_stand_against_their_limits(studio):
    enroll(studio, "Ana")
    studio.warm("Ana")  # ahead of speech: nobody waits for it
    studio.warm("Ana")
    assert (matrix_value(studio)["figures"]["hits_percent"], matrix_value(studio)["figures"]["lookups"]) == (None, 0)
    studio.prompts.forget_in_memory("Ana", "fake")
    for _ in range(2):
        with studio.speak(SpeechRequest("hello", speaker="Ana")) as speech:
            speech.read_all()
    studio.prompts.flush()
    figures = matrix_value(studio)["figures"]
    assert (figures["memory_bytes"], figures["max_bytes"], figures["entries"], figures["pinned"]) == (4, 512 << 20, 1, 0)
    assert (figures["hits_percent"], figures["lookups"], figures["evictions"]) == (50, 2, 0)
    assert figures["saved_seconds"] > 0 and figures["disk_bytes"] == cell(studio)["disk_bytes"]


def test_an_empty_matrix_says_what_would_fill_it_and_a_search_what_it_did_not_find(studio):
    assert matrix_value(studio)["note"] == ["cache.none", {}]
    enroll(studio, "Ana")
    assert matrix_value(studio)["note"] is None
    assert matrix_value(studio, "xyz")["note"] == ["cache.not_found", {"find": "xyz"}]


def test_more_voices_than_a_table_can_show_are_told(studio, monkeypatch):
    monkeypatch.setattr("studio.ui.cache.cache_tab.MOST_ROWS", 2)
    for number in range(3):
        enroll(studio, f"Voice {number}", 200 + number)
    value = matrix_value(studio)
    assert [row["voice"] for row in value["rows"]] == ["Voice 2", "Voice 1"]
    assert words(value["note"][0], **value["note"][1]).startswith("The newest 2 of 3 voices.")
    assert MOST_ROWS == 100


def test_an_engine_is_loaded_and_unloaded_from_its_row(studio):
    assert (card(studio, "fake")["standing"], card(studio, "fake")["verb"]) == ("idle", ["load", "load"])
    act_on_engine(studio, {"engine": "fake", "verb": "load"})
    assert eventually(lambda: card(studio, "fake")["standing"] == "ready")
    assert card(studio, "fake")["verb"] == ["unload", "unload"]
    assert act_on_engine(studio, {"engine": "fake", "verb": "unload"})["kind"] == "done"
    assert card(studio, "fake")["standing"] == "idle"


def test_a_row_has_what_the_engine_is(studio):
    studio.load("fake")
    shown = card(studio, "fake")
    facts = shown["facts"]
    assert (facts["n_languages"], facts["sample_rate"], facts["streams"]) == (2, 24_000, "frame")
    assert (facts["least_clip_seconds"], facts["most_clip_seconds"], facts["transcript"]) == (1.0, 30.0, "optional")
    assert shown["device"] == "cpu" and shown["load_seconds"] is not None
    assert card(studio, "heavy")["facts"]["weights_bytes"] == 10_000


def test_every_standing_of_an_engine_has_a_shape_and_words(studio):
    for standing in SHAPES:
        assert words(f"engines.state_{standing}") and words(f"engines.column_{standing}")
    assert set(get_args(EngineState)) <= set(SHAPES) and set(ARRIVALS.values()) <= set(SHAPES)


def test_weights_are_fetched_paused_and_resumed_from_the_row(studio, monkeypatch):
    gate = Gate()
    monkeypatch.setattr(heavy_package, "before_piece", lambda index: gate() if index == 4 else None)
    heavy = {"engine": "heavy"}
    assert (card(studio, "heavy")["standing"], card(studio, "heavy")["verb"]) == ("absent", ["fetch", "get"])
    act_on_engine(studio, heavy | {"verb": "fetch"})
    gate.wait_for_arrival()
    shown = card(studio, "heavy")
    assert shown["weights"] == {"state": "fetching", "done_bytes": 4_000, "all_bytes": 10_000}
    assert (shown["standing"], shown["verb"]) == ("arriving", ["cancel", "pause"])
    act_on_engine(studio, heavy | {"verb": "cancel"})
    gate.open()
    assert eventually(lambda: card(studio, "heavy")["standing"] == "paused")
    assert (card(studio, "heavy")["weights"]["done_bytes"], card(studio, "heavy")["verb"]) == (4_000, ["fetch", "resume"])
    act_on_engine(studio, heavy | {"verb": "fetch"})
    assert eventually(lambda: card(studio, "heavy")["weights"]["state"] == "ready")
    assert (card(studio, "heavy")["standing"], card(studio, "heavy")["verb"]) == ("idle", ["load", "load"])


def test_an_unavailable_engine_says_why_and_leaves_the_others_usable(studio):
    with pytest.raises(EngineUnavailable):
        studio.load("heavy")
    assert card(studio, "heavy")["state"] == "unavailable"
    fact = "The weights of Heavy are not here."
    assert card(studio, "heavy")["reason"] == f"{fact} Get it with its button below, or choose another engine. It has 10.0 kB."
    assert studio.load("fake").state == "ready"


def test_an_engine_that_failed_says_what_to_do_next(open_studio):
    def broken(name: str) -> FakeEngine:
        raise EngineFailed("The graph did not fit.", "Choose a smaller checkpoint.")

    studio = open_studio(open_engine=broken)
    with pytest.raises(EngineFailed):
        studio.load("fake")
    assert card(studio, "fake")["reason"] == "The graph did not fit. Choose a smaller checkpoint."
    assert card(studio, "fake")["report"].splitlines()[:2] == ["Engine: Fake (fake), failed", "Reason: The graph did not fit."]


def test_where_nothing_can_be_fetched_the_row_says_whom_to_ask(open_studio):
    def lacking(name: str) -> FakeEngine:
        raise EngineUnavailable("A library is missing.", "make setup")

    studio = open_studio(open_engine=lacking)
    with pytest.raises(EngineUnavailable):
        studio.load("fake")
    ask_them = "Choose another engine, or ask whoever runs this machine to run: make setup"
    assert (card(studio, "fake")["reason"], card(studio, "fake")["command"]) == (f"A library is missing. {ask_them}", "")
    assert not engine_rows(studio, {})["engines"][0]["is_here"]


def test_a_license_that_forbids_uses_is_shown_and_accepted_before_its_weights_are_fetched(open_studio, tmp_path):
    checkpoint = heavy_package.make_remote(tmp_path / "hub")
    infos = {"fake": INFO, "heavy": replace(heavy_package.INFO, licenses=(License("CC-BY-NC-4.0"),), restriction="commercial use")}
    kept = {"infos": infos, "weights": {"heavy": heavy_package.source(checkpoint)}, "open_engine": lambda name: FakeEngine(infos[name])}
    studio = open_studio(folder="speakers", **kept)
    terms = card(studio, "heavy")["terms"]
    assert (terms["engine"], terms["licence"], terms["forbids"]) == ("Heavy", "CC-BY-NC-4.0", "commercial use")
    assert (card(studio, "heavy")["restriction"], card(studio, "heavy")["is_accepted"]) == ("commercial use", False)
    heavy = choice_value(studio, None, "heavy")["engines"][1]
    assert (heavy["is_fetchable"], heavy["can_get"]) == (True, False)  # its license is accepted in Cache & models
    for accepted in ({}, {"accepted": "nothing much"}):
        refused = act_on_engine(studio, {"engine": "heavy", "verb": "fetch"} | accepted)
        assert (refused["code"], studio.weights.status("heavy").state) == ("licence_not_accepted", "absent")
    act_on_engine(studio, {"engine": "heavy", "verb": "fetch", "accepted": "commercial use"})
    assert eventually(lambda: studio.weights.status("heavy").state == "ready")
    again = open_studio(folder="speakers", **kept)
    assert card(again, "heavy")["is_accepted"] and card(again, "fake")["is_accepted"]


def test_a_window_gets_news_only_when_there_are_any(studio):
    enroll(studio, "Ana")
    checked = VerifiedDigests()
    matrix, _, seen = show_cache(studio, checked, "")
    assert matrix["rows"]
    assert show_changes(studio, checked, "", seen) == (gr.skip(),) * 3
    studio.load("fake")
    _, cards, later = show_changes(studio, checked, "", seen)
    assert cards["cards"][0]["standing"] == "ready" and later != seen
    studio.warm("Ana")
    matrix, _, last = show_changes(studio, checked, "", later)
    assert matrix["rows"][0]["cells"][0]["state"] == "memory"
    assert show_changes(studio, checked, "Bea", last)[0]["rows"] == [], "what is sought counts, whatever was shown"
    assert show_changes(studio, checked, "", seen)[2] == last, "a window that shows what is old is told, whatever it was sent"


@pytest.mark.parametrize(
    ("n_bytes", "words"), [(0, "0 B"), (812, "812 B"), (4_100, "4.1 kB"), (536_870_912, "537 MB"), (8 << 30, "8.6 GB")]
)
def test_sizes_are_written_with_two_or_three_digits(n_bytes, words):
    assert size_words(n_bytes) == words


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
    assert verbs_of(cell(visitor)) == ["extract", "speak"]
    visitor.warm("Demo")
    assert verbs_of(cell(visitor)) == ["speak"] and len(verbs_of(cell(studio))) > 2
    for verb in ("extract-again", "pin", "unpin", "forget", "delete-file"):
        told = act_on_prompt(visitor, {"voice": "Demo", "engine": "fake", "verb": verb, "sure": True})
        assert (told["kind"], told["code"]) == ("problem", "speaker_not_yours"), verb
    assert cell(visitor)["state"] == "memory"
