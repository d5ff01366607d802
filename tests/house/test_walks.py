"""The walks of three requests keep to their budgets of files, take no step in vain, and are what the READMEs say."""

import sys
import threading
from functools import cache

import pytest

from engines.espeak.engine import EspeakEngine
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import speaker_key
from studio.speech.body import SpeechBody
from studio.speech.request import SpeechRequest
from studio.timeline import Timeline
from tests.house.source_files import ROOT
from tests.house.walk import Walk
from tests.house.walks import BLOCKS, BUDGETS, WALKS, block_of, current_block
from tests.stand_ins.fake_engine import INFO, FakeEngine


@cache
def followed(name: str) -> Walk:
    """Followed once for all claims, and never changed."""
    return WALKS[name]()


@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.slow
def test_a_request_keeps_to_its_budget_of_files(name):
    files = followed(name).files
    assert len(files) <= BUDGETS[name], "\n".join(files)


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.slow
def test_the_walks_of_the_readmes_are_current(name):
    assert current_block(name) == block_of(name, followed(name)), "run: .venv/bin/python -m tests.house.walks --write"


@pytest.mark.slow
def test_the_name_of_an_engine_and_of_a_voice_are_resolved_once():
    walk = followed("speech")
    assert walk.calls("EnginePool.engine_id") == 1
    assert walk.calls("speaker_key") == 1
    assert walk.calls("EnginePool.worker") == 1
    assert sum(n for name, n in walk.files["studio/running/pool.py"].items() if name.startswith("EnginePool.")) <= 4


def test_what_a_request_says_is_made_into_a_request_once(tmp_path, monkeypatch):
    made, make = [], SpeechRequest.__init__
    monkeypatch.setattr(SpeechRequest, "__init__", lambda self, *given, **named: made.append(make(self, *given, **named)))
    studio = Studio(Settings(speakers_dir=tmp_path, default_engine="fake"), infos={"fake": INFO}, open_engine=lambda name: FakeEngine())
    try:
        studio.say(SpeechBody(input="One two."), Timeline(), keep=True).close()
    finally:
        studio.close()
    assert len(made) == 1


@pytest.mark.slow
def test_a_request_looks_for_no_package():
    assert followed("speech").calls("find_spec") == 0


@pytest.mark.slow
def test_the_bytes_that_an_engine_holds_are_not_summed_at_each_look(monkeypatch):
    """Of the tensors that it was opened with, which stay as they are."""
    walk = followed("creation")
    assert walk.files["engines/espeak/engine.py"]["EspeakEngine.memory_bytes"] > 1
    assert not [name for name in walk.files["engines/espeak/engine.py"] if name.startswith(f"{EspeakEngine.__name__}.memory_bytes.")]


@pytest.mark.slow
def test_what_an_engine_lacks_is_settled_once_and_only_looked_for_again():
    """Of an engine that is not open a status reads neither settings nor options anew."""
    walk = followed("creation")
    assert walk.calls("Settings.for_engine") == 0
    assert walk.calls("released_model") == 0


def test_a_walk_counts_functions_and_not_the_bodies_of_modules_and_classes():
    walk = Walk()
    body = compile("class C:\n    x = [n for n in ()]\n\ndef f():\n    pass\n\nf()\n", ROOT / "studio/made_up.py", "exec")
    with walk.followed():
        exec(body, {})
        assert walk.files == {}
        with walk.under_way():
            exec(body, {})
        exec(body, {})
    assert walk.files == {"studio/made_up.py": {"f": 1}}


def test_a_walk_goes_on_in_the_threads_that_it_begins():
    walk, before = Walk(), sys.getprofile()
    with walk.followed(), walk.under_way():
        thread = threading.Thread(target=speaker_key, args=("Ana",))
        thread.start()
        thread.join()
    assert walk.calls("speaker_key") == 1
    assert sys.getprofile() is before and threading.getprofile() is None
