"""In which order engines are offered, on machines with a GPU and without, and that nothing but the eye goes by it; what one without weights
costs.
"""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from engines import catalog
from studio.running.offer.memory_check import finds_gpu
from studio.running.offer.offer import offered
from studio.settings import EngineSettings, Settings, current_environment
from studio.ui.engines.engine_cards import cards_value
from studio.ui.speak.speaking import choice_value
from tests.api.door import Door
from tests.stand_ins.fake_engine import INFO, FakeEngine

INFOS = {name: replace(INFO, id=name, presets=(), default_preset=None, wants_gpu=name != "small") for name in ("small", "large", "larger")}
AS_LISTED, GPU_FIRST = ["small", "large", "larger"], ["large", "larger", "small"]


class Machine:
    """Counts how often it is asked for a GPU."""

    def __init__(self, *, has_gpu: bool):
        self.has_gpu = has_gpu
        self.asked = 0

    def finds_gpu(self) -> bool:
        self.asked += 1
        return self.has_gpu


@pytest.fixture
def order(tmp_path, monkeypatch):
    """order(machine, **settings): of the ids of a catalog with one engine that needs no GPU and two that want one."""
    monkeypatch.setattr(catalog, "engine_ids", lambda: tuple(INFOS))
    monkeypatch.setattr(catalog, "engine_info", lambda name, checkpoint, options: INFOS[name])
    return lambda machine, **settings: [*offered(Settings(speakers_dir=tmp_path, **settings), machine.finds_gpu)]


def test_engines_that_want_a_gpu_come_first_where_one_is_found(order):
    assert order(Machine(has_gpu=True)) == GPU_FIRST
    assert order(Machine(has_gpu=False)) == AS_LISTED
    assert order(Machine(has_gpu=False), zero_gpu=True) == GPU_FIRST  # which is lent one


def test_one_that_was_given_the_cpu_stays_where_it_is_and_the_order_that_was_set_counts(order):
    with_gpu = Machine(has_gpu=True)
    on_the_cpu = {name: EngineSettings(device="cpu") for name in ("large", "larger")}
    assert order(with_gpu, engine_settings={"large": on_the_cpu["large"]}) == ["larger", "small", "large"]
    asked = with_gpu.asked
    assert order(with_gpu, engine_settings=on_the_cpu) == AS_LISTED
    assert order(with_gpu, engines=("small", "larger"), default_engine="small") == ["small", "larger"]
    assert with_gpu.asked == asked, "the machine was asked for nothing"


def test_page_and_api_list_them_alike_and_a_request_that_names_none_means_the_default_engine_as_before(order, tmp_path):
    infos = {name: INFOS[name] for name in order(Machine(has_gpu=True))} | {"small": replace(INFO, id="small")}
    door = Door(tmp_path, *map(FakeEngine, infos.values()), default_engine="small")
    try:
        models = door.get("/v1/models").json()["data"]
        assert [model["id"] for model in models] == GPU_FIRST
        assert [model["id"] for model in models if model["default"]] == ["small"]
        assert [card["id"] for card in cards_value(door.studio)["cards"]] == GPU_FIRST
        assert [engine["id"] for engine in choice_value(door.studio, None, "small")["engines"]] == GPU_FIRST
        assert door.speak().status_code == 200 and door.engines["small"].texts == ["hello there"]
    finally:
        door.close()


def test_a_gpu_is_there_where_the_driver_lists_one_whatever_it_tells_of_it():
    assert finds_gpu(("printf", "81559\n")) and finds_gpu(("printf", "[N/A]\n"))
    assert not any(finds_gpu(command) for command in (("true",), ("false",), ("there-is-no-such-program",)))


SPEAK_WITH_ALL = """
import json, sys
from engines.errors import EngineUnavailable
from studio.running.offer import memory_check
from studio.service import Studio
from studio.settings import Settings
from studio.speech.body import SpeechBody
from studio.timeline import Timeline

memory_check.free_memory_bytes, memory_check.free_gpu_bytes = (lambda: 1 << 30), (lambda: None)  # nor would they fit
studio = Studio(Settings(speakers_dir=sys.argv[1]))
known = {status.info.id: [status.reason, status.hint, status.code] for status in studio.engines() if status.state == "unavailable"}
told = {}
for name in known:
    try:
        studio.say(SpeechBody(input="Hello.", model=name), Timeline())
    except EngineUnavailable as error:
        told[name] = [error.fact, error.hint, error.code]
print(json.dumps([known, told, "torch" in sys.modules]))
studio.close()
"""


@pytest.mark.slow
def test_whoever_wants_an_engine_without_weights_is_told_what_is_known_and_torch_is_not_imported(tmp_path):
    environment = current_environment(without_settings=True) | {"HF_HUB_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", SPEAK_WITH_ALL, str(tmp_path)]
    ran = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    known, told, has_torch = json.loads(ran.stdout)
    assert len(known) > 5 and told == known and not has_torch
