"""Which engine a request means that names none: under every condition, at which moments that changes, and that every door goes by it."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat

import numpy as np
import pytest
from starlette.testclient import TestClient, WebSocketTestSession

from engines.catalog import WeightsSource
from engines.clips.clip import Clip
from engines.contract.language_limit import LanguageLimit
from engines.errors import CheckpointInvalid, EngineUnavailable
from studio.running import pool
from studio.running.pool import DefaultEngine
from studio.running.worker import EngineWorker
from studio.server import wait_for_default_engine
from studio.service import Studio
from studio.settings import Settings, read_settings
from studio.speakers.speaker import Enrollment
from tests.api.door import Door, data_url, eventually, wav
from tests.stand_ins.fake_engine import INFO, FakeEngine

GREEK = LanguageLimit("en", "Greek", "Greek is noise to it.", "Write it in Latin letters.", "[α-ω]", unasked="[α-ω]")
USUAL = replace(INFO, id="espeak", title="Usual", presets=("plain",), default_preset="plain", languages=("en", "de"))
NATURAL = replace(
    INFO,
    id="natural",
    title="Natural",
    suits_cpu=True,
    presets=("alma",),
    default_preset="alma",
    weights_bytes=219,
    languages=("en",),
    language_limits=(GREEK,),
)
SECOND = replace(NATURAL, id="second", title="Second", presets=("bea",), default_preset="bea")
LARGE = replace(INFO, id="large", title="Large", wants_gpu=True, presets=("cid",), default_preset="cid")
INFOS = {info.id: info for info in (USUAL, LARGE, NATURAL, SECOND)}


@pytest.fixture(autouse=True)
def has_gpu(monkeypatch) -> Iterator[list[bool]]:
    """One element: whether the machine has one."""
    found = [False]
    monkeypatch.setattr(pool, "finds_gpu", lambda: found[0])
    return found


class Machine:
    """A studio over these engines, with what of their weights is here. openings: what opening one raises, or its info, by id."""

    def __init__(self, folder, here=(), **settings: object):
        self.here = {"espeak", "large", *here}
        self.openings: dict[str, object] = {}
        self.opened: list[str] = []
        self.engines = {name: FakeEngine(info) for name, info in INFOS.items()}
        sources = {name: WeightsSource(lambda name=name: name in self.here, self._fetcher(name)) for name in ("natural", "second")}
        self.studio = Studio(Settings(speakers_dir=folder, **settings), infos=INFOS, open_engine=self.open, weights=sources)

    def open(self, name: str) -> FakeEngine:
        self.opened.append(name)
        result = self.openings.get(name)
        if isinstance(result, Exception):
            raise result
        if name not in self.here:
            raise EngineUnavailable("Its weights are not here.", "make weights")
        return FakeEngine(result) if result else self.engines[name]

    def _fetcher(self, name: str):
        return lambda progress, cancelled: self.here.add(name)

    def fetch(self, name: str) -> None:
        self.studio.weights.begin(name)
        assert eventually(lambda: not self.studio.weights.are_lacking(name))


@pytest.fixture
def machine(tmp_path):
    """machine(here, **settings) -> Machine."""
    made = []

    def make(*here: str, **settings: object) -> Machine:
        made.append(Machine(tmp_path / str(len(made)), here, **settings))
        return made[-1]

    yield make
    for each in made:
        each.studio.close()


def wait_for_done(session: WebSocketTestSession) -> None:
    """Until an utterance has been spoken."""
    while json.loads(session.receive().get("text") or "{}").get("type") != "session.done":
        pass


def decided(infos=INFOS, here=("natural", "second"), **settings: object) -> tuple[str, str, str]:
    default = DefaultEngine(Settings(**settings), infos, lambda name: name in here)
    return default.id, default.reason, default.better


def test_without_a_gpu_it_is_the_first_engine_that_suits_a_cpu_and_is_here():
    assert decided() == ("natural", "suits_cpu", "")
    assert decided(here=("second",)) == ("second", "suits_cpu", "")
    assert decided(infos={name: INFOS[name] for name in ("espeak", "second", "natural")}) == ("second", "suits_cpu", "")
    assert decided(here=()) == ("espeak", "usual", "natural")  # and what would be it
    assert decided(infos={"espeak": USUAL, "large": LARGE}) == ("espeak", "usual", "")  # STUDIO_ENGINES leaves it out


def test_a_default_that_was_set_a_gpu_and_a_lent_one_come_before(has_gpu):
    assert decided(default_engine="espeak") == ("espeak", "set", "")
    assert decided(default_engine="large") == ("large", "set", "")
    assert decided(zero_gpu=True) == ("espeak", "usual", "")
    has_gpu[0] = True
    assert decided() == ("espeak", "usual", "")


def test_the_environment_alone_says_whether_it_was_set():
    read = {set_to: read_settings({"STUDIO_DEFAULT_ENGINE": set_to}) for set_to in ("", "espeak")}
    assert ["default_engine" in settings.model_fields_set for settings in read.values()] == [False, True]


def test_the_machine_is_asked_for_a_gpu_only_where_that_decides(monkeypatch):
    monkeypatch.setattr(pool, "finds_gpu", lambda: pytest.fail("asked"))
    assert decided(infos={"espeak": USUAL}) == ("espeak", "usual", "")
    assert decided(default_engine="espeak") == ("espeak", "set", "")
    assert decided(zero_gpu=True) == ("espeak", "usual", "")


def test_one_that_clones_no_recordings_is_not_it_and_a_later_one_is():
    cloneless = INFOS | {"natural": replace(NATURAL, clones_clips=False)}
    assert decided(cloneless) == ("second", "suits_cpu", "")
    assert decided(cloneless, here=("natural",)) == ("espeak", "usual", "second")


def test_what_opening_shows_to_clone_nothing_is_left_with_a_word_before_anybody_is_served(machine, caplog):
    here = machine("natural")
    here.openings["natural"] = replace(NATURAL, clones_clips=False)
    assert here.studio.default.id == "natural"  # as far as was known
    wait_for_default_engine(here.studio)
    assert (here.studio.default.id, here.opened) == ("espeak", ["natural", "espeak"])
    assert "With these weights it clones no recordings" in caplog.text and "the default engine is espeak, not natural" in caplog.text
    assert here.studio.default.better == "second"
    assert here.studio.load("natural").state == "ready"  # for who asks for it
    assert here.studio.default.id == "espeak"


def test_what_cannot_be_opened_is_left_with_a_word_and_who_asks_for_it_by_name_is_told(machine, caplog):
    here = machine("natural")
    here.openings["natural"] = CheckpointInvalid("There is no tensor “a”.", "Fetch them again.")
    assert here.studio.load().info.id == "espeak"
    assert here.studio.default.id == "espeak" and "There is no tensor" in caplog.text
    with pytest.raises(CheckpointInvalid):
        here.studio.load("natural")
    del here.openings["natural"]
    here.studio.load("natural")  # mended
    assert here.studio.default.id == "natural"


def test_once_it_was_opened_a_failure_is_told_to_who_asks_and_changes_nothing(machine):
    here = machine("natural")
    here.studio.load()
    here.studio.unload("natural")
    here.openings["natural"] = CheckpointInvalid("There is no tensor “a”.", "Fetch them again.")
    with pytest.raises(CheckpointInvalid):
        here.studio.load()
    assert here.studio.default.id == "natural"


def test_weights_that_come_make_it_the_default_once_it_is_opened_and_no_sooner(machine, caplog):
    caplog.set_level(logging.INFO, "studio")
    here = machine()
    here.openings["natural"] = CheckpointInvalid("There is no tensor “a”.", "Fetch them again.")
    here.fetch("natural")
    assert eventually(lambda: here.studio.engines()[2].state == "failed")
    assert here.studio.default.id == "espeak"
    here.openings.clear()
    here.fetch("second")
    assert eventually(lambda: here.studio.default.id == "second")
    assert (here.studio.default.reason, here.studio.default.has_come) == ("suits_cpu", True)
    assert eventually(lambda: "the default engine is second from now on" in caplog.text)
    here.studio.load("natural")
    assert here.studio.default.id == "second"  # one change, not one for each
    assert here.studio.within("somebody").default is here.studio.default


def test_weights_that_come_where_a_default_was_set_load_nothing(machine):
    here = machine(default_engine="espeak")
    here.fetch("natural")
    assert (here.studio.default.id, here.opened) == ("espeak", [])


def test_a_request_that_names_no_engine_speaks_naturally_in_the_voice_that_was_asked_for(machine):
    here = machine("natural")
    samples = np.sin(np.arange(48_000) * 2 * np.pi * 300 / 24_000).astype(np.float32)
    here.studio.enroll(Enrollment("Ana", "own", clip=Clip(samples, 24_000)))
    assert here.studio.engine_info().id == here.studio.engine_id() == "natural" and not here.studio.default.has_come
    assert here.studio.warm("Ana").engine == "natural"
    assert here.engines["natural"].extractions == 1 and here.engines["espeak"].extractions == 0


def test_the_api_says_which_it_is_and_why_and_a_session_keeps_its_engine(tmp_path, monkeypatch):
    door = Door(tmp_path, *map(FakeEngine, INFOS.values()), default_engine="espeak")
    try:
        models = {model["id"]: (model["default"], model["default_reason"]) for model in door.get("/v1/models").json()["data"]}
        assert models == {"espeak": (True, "set"), "natural": (False, None), "second": (False, None), "large": (False, None)}
        assert door.speak().status_code == 200 and door.engines["espeak"].texts == ["hello there"]
        with TestClient(door.app).websocket_connect("/v1/audio/speech/stream") as session:
            session.send_json({"type": "session.config", "response_format": "wav"})
            session.send_json({"type": "input.text", "text": "one"})
            session.send_json({"type": "input.done"})
            wait_for_done(session)
            monkeypatch.setattr(door.studio.default, "_chosen", "natural")
            session.send_json({"type": "input.text", "text": "two"})
            session.send_json({"type": "input.done"})
            wait_for_done(session)
        assert door.engines["espeak"].texts == ["hello there", "one", "two"]
        assert door.engines["natural"].texts == []
        door.speak()
        assert len(door.engines["natural"].texts) == 1
    finally:
        door.close()


def test_a_batch_has_one_engine_whatever_the_default_becomes_meanwhile(tmp_path, monkeypatch):
    door = Door(tmp_path, *map(FakeEngine, INFOS.values()), default_engine="espeak")
    asked = chain(["espeak"], repeat("natural"))
    monkeypatch.setattr(DefaultEngine, "id", property(lambda self: next(asked)))
    try:
        answer = door.post("/v1/audio/speech/batch", json={"items": [{"input": "one"}, {"input": "two", "model": "second"}]})
        assert answer.json()["succeeded"] == 2
        assert {name: engine.texts for name, engine in door.engines.items() if engine.texts} == {"espeak": ["one"], "second": ["two"]}
    finally:
        door.close()


# --- what the default cannot say


@pytest.mark.parametrize(
    ("said", "language", "engine"),
    [
        ("Good morning.", None, "natural"),
        ("Good morning.", "English", "natural"),
        ("Good morning.", "Auto", "natural"),
        ("Guten Morgen.", "de", "espeak"),
        ("Guten Morgen.", "German", "espeak"),
        ("αβγ, 2!", None, "espeak"),
        ("αβγ, 2 x!", None, "espeak"),
        ("The angle α.", None, "natural"),
        ("2 + 2", None, "natural"),
        ("Bonjour.", "fr", "natural"),
    ],
)
def test_a_text_that_the_default_cannot_say_is_said_by_the_usual_engine_where_that_can(said, language, engine):
    """Where neither can, the default refuses, in its own words."""
    assert DefaultEngine(Settings(), INFOS, {"natural"}.__contains__).meant_by(said, language) == engine


def test_a_default_that_was_set_is_meant_whatever_it_speaks():
    assert DefaultEngine(Settings(default_engine="natural"), INFOS, INFOS.__contains__).meant_by("Guten Morgen.", "de") == "natural"


def test_who_names_no_engine_is_answered_in_the_language_that_was_named(tmp_path, monkeypatch):
    door = Door(tmp_path, *map(FakeEngine, INFOS.values()), default_engine="espeak")
    monkeypatch.setattr(door.studio.default, "_chosen", "natural")
    try:
        asked = {"input": "Guten Morgen.", "language": "de"}
        assert door.post("/v1/audio/speech", json=asked).status_code == 200
        assert door.post("/v1/audio/speech/batch", json={"items": [{"input": "eins", "language": "de"}]}).json()["succeeded"] == 1
        with TestClient(door.app).websocket_connect("/v1/audio/speech/stream") as session:
            session.send_json({"type": "session.config", "response_format": "wav", "language": "de"})
            session.send_json({"type": "input.text", "text": "zwei"})
            session.send_json({"type": "input.done"})
            wait_for_done(session)
        assert door.engines["espeak"].texts == ["Guten Morgen.", "eins", "zwei"]
        assert door.post("/v1/audio/speech", json={"input": "Good morning."}).status_code == 200
        assert door.engines["natural"].texts == ["Good morning."]
    finally:
        door.close()


def test_who_names_no_voice_is_answered_by_an_engine_that_has_one(machine):
    here = machine("natural")
    here.openings["natural"] = replace(NATURAL, default_preset=None)
    here.studio.load()
    assert here.studio.default.id == "natural"
    assert here.studio.default.meant_by("Hello.", None, None) == "espeak"
    assert here.studio.default.meant_by("Hello.", None, "Ana") == "natural"


# --- while the default has as many listeners as it carries


@pytest.mark.parametrize(
    ("language", "speaker", "engine"),
    [
        (None, "Ana", "espeak"),
        ("de", "Ana", "espeak"),
        ("fr", "Ana", "natural"),  # which the usual engine does not speak either
        (None, None, "natural"),  # a built-in speaker of its own
        (None, "default", "natural"),
        (None, "ALMA", "natural"),
        (None, "alma:2+bea", "natural"),
        (None, "nobody", "natural"),
    ],
)
def test_who_can_be_learned_by_the_usual_engine_is_spoken_by_it(language, speaker, engine):
    asked = []
    infos = INFOS | {"natural": replace(NATURAL, presets=("alma", "bea"), blends_presets=True)}
    default = DefaultEngine(Settings(), infos, {"natural"}.__contains__)
    learns, carries = lambda info: info.id == "espeak" and speaker == "Ana", lambda name, seconds: asked.append((name, seconds))
    assert default.meant_by("Good morning.", language, speaker, learns, carries) == engine
    assert all(name == "natural" and 0.5 < seconds < 2 for name, seconds in asked)
    with_time = DefaultEngine(Settings(), INFOS, {"natural"}.__contains__)
    assert with_time.meant_by("Good morning.", None, "Ana", lambda info: True, lambda name, seconds: True) == "natural"


def test_every_door_goes_by_it_an_answer_tells_who_spoke_and_a_session_keeps_its_engine(tmp_path, monkeypatch):
    door = Door(tmp_path, *map(FakeEngine, INFOS.values()), default_engine="espeak")
    monkeypatch.setattr(door.studio.default, "_chosen", "natural")
    has_time = [True]
    monkeypatch.setattr(EngineWorker, "carries_one_more", lambda worker, seconds: has_time[0])
    try:
        door.upload("Ana")
        recording, numbers = {"ref_audio": data_url(wav(2.0))}, {"speaker_embedding": [0.1] * 8}

        def spoken_by(**fields: object) -> str:
            return door.speak(**fields).headers["x-speech-engine"]

        with TestClient(door.app).websocket_connect("/v1/audio/speech/stream") as session:
            session.send_json({"type": "session.config", "response_format": "wav", "voice": "Ana"})
            for text in ("one", "two"):
                session.send_json({"type": "input.text", "text": text})
                session.send_json({"type": "input.done"})
                wait_for_done(session)
                has_time[0] = False
        assert door.engines["natural"].texts == ["one", "two"]
        for fields in ({"voice": "Ana"}, recording, numbers):
            assert spoken_by(**fields) == "espeak"
        for fields in ({}, {"voice": "alma"}, {"voice": "Ana", "model": "natural"}):
            assert spoken_by(**fields) == "natural"
        has_time[0] = True
        assert spoken_by(voice="Ana") == "natural"
    finally:
        door.close()


def test_a_built_in_speaker_of_the_default_means_the_default(machine):
    """So that what is refused is the language, not the speaker."""
    assert machine("natural").studio.default.meant_by("Guten Morgen.", "de", "Alma") == "natural"
