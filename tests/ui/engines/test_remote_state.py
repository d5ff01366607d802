"""Claims about engines that work elsewhere, as page and API tell of them: where, how well, what that means; no weights, no memory."""

from dataclasses import replace

import pytest

from engines.contract.health import EngineHealth
from engines.errors import EngineFailed
from studio.service import Studio
from studio.ui.cache.cache_tab import matrix_value
from studio.ui.engines.engine_cards import act_on_engine, cards_value
from studio.ui.frame.masthead import head_value
from studio.ui.speak.speaking import choice_value
from tests.api.door import Door
from tests.stand_ins.fake_engine import INFO
from tests.stand_ins.far_package import FAR_INFO, FarFakeEngine

HOSTS = {"remote_gpu": ("http://10.0.0.5:8091", "https://tts.example/base")}
GPU = replace(FAR_INFO, id="remote_gpu", title="Remote: some/model", leaves_traces=True)
SEED = next(option.name for option in INFO.options if option.name == "seed")


@pytest.fixture
def engine() -> FarFakeEngine:
    return FarFakeEngine(GPU)


@pytest.fixture
def studio(open_studio, engine) -> Studio:
    infos = {"fake": INFO, "remote_gpu": GPU}
    return open_studio(infos=infos, open_engine=lambda name: engine, remotes=HOSTS, warm_uploads=False)


def card(studio: Studio) -> dict:
    return next(card for card in cards_value(studio)["cards"] if card["id"] == "remote_gpu")


def chosen(studio: Studio) -> dict:
    return next(one for one in choice_value(studio, None, "remote_gpu")["engines"] if one["id"] == "remote_gpu")


def test_a_row_says_where_it_works_and_nothing_of_loading_or_unloading(studio, engine):
    elsewhere = {"hosts": ["10.0.0.5:8091", "tts.example"], "health": "well", "reason": "", "repeats": False, "leaves_traces": True}
    assert (card(studio)["standing"], card(studio)["verb"], card(studio)["elsewhere"]) == ("apart", ["load", "connect"], elsewhere)
    said = act_on_engine(studio, {"engine": "remote_gpu", "verb": "load"})
    assert said["fact"] == "Remote: some/model is being connected."
    studio.load("remote_gpu")
    assert (card(studio)["standing"], card(studio)["shape"], card(studio)["verb"]) == ("connected", "memory", None)
    engine.said = EngineHealth("degraded", "tts.example does not answer.")
    assert (card(studio)["standing"], card(studio)["elsewhere"]["reason"]) == ("degraded", "tts.example does not answer.")
    engine.said = EngineHealth("down", "No server answers.")
    assert (card(studio)["standing"], card(studio)["shape"], card(studio)["verb"]) == ("down", "failed", None)
    assert matrix_value(studio)["engines"][1]["standing"] == "down"
    here = cards_value(studio)["cards"][0]
    assert here["elsewhere"] is None and here["standing"] in ("idle", "ready")


def test_the_choice_of_speak_tells_its_health_and_that_a_seed_promises_nothing_there(studio, engine):
    assert chosen(studio)["elsewhere"]["hosts"] == ["10.0.0.5:8091", "tts.example"]
    studio.load("remote_gpu")
    engine.said = EngineHealth("down", "No server answers.")
    assert (chosen(studio)["state"], chosen(studio)["elsewhere"]["health"]) == ("ready", "down")
    options = {name: {one["name"]: one for one in choice_value(studio, None, name)["options"]} for name in ("fake", "remote_gpu")}
    assert options["remote_gpu"][SEED]["repeats"] is False and "repeats" not in options["fake"][SEED]


def test_head_and_help_know_which_engines_work_elsewhere(studio):
    shown = {one["title"]: one["elsewhere"] for one in head_value(studio)["engines"]}
    assert shown["Fake"] is None and shown["Remote: some/model"]["leaves_traces"]


def test_a_report_of_one_that_failed_has_no_key_in_it(open_studio):
    def refuse(name: str) -> FarFakeEngine:
        raise EngineFailed("The server answered: no such key hush:hush.", "Set another one.")

    studio = open_studio(infos={"remote_gpu": GPU}, open_engine=refuse, remotes=HOSTS, engine_secrets=("hush:hush",))
    with pytest.raises(EngineFailed):
        studio.load("remote_gpu")
    assert "no such key <secret>." in card(studio)["report"] and "hush" not in card(studio)["report"]


def test_the_api_lists_each_with_where_it_runs_what_it_promises_and_no_key(tmp_path, engine):
    other = FarFakeEngine(replace(GPU, id="remote_tts", title="Remote: tts", hub_id="some/model", leaves_traces=False))
    hosts = HOSTS | {"remote_tts": ("http://b",)}
    door = Door(tmp_path, engine, other, default_engine="remote_gpu", remotes=hosts, model_aliases={"tts-1": "remote_tts"})
    try:
        models = {model["id"]: model for model in door.get("/v1/models").json()["data"]}
        assert [*models] == ["remote_gpu", "remote_tts", "tts-1"] and models["remote_gpu"]["default"]
        assert models["remote_gpu"]["hosts"] == ["10.0.0.5:8091", "tts.example"] and models["remote_gpu"]["leaves_traces"]
        assert (models["tts-1"]["parent"], models["tts-1"]["hosts"]) == ("remote_tts", ["b"])
        assert not {"load_options", "key", "ledger"} & models["remote_gpu"].keys()
        assert door.speak(model="some/model").status_code == 200 and other.texts == ["hello there"]
    finally:
        door.close()


def test_two_with_weights_of_one_name_do_not_clash(open_studio):
    infos = {name: replace(GPU, id=name, hub_id="some/model") for name in ("remote_a", "remote_b")}
    remotes = dict.fromkeys(infos, ("http://127.0.0.1:1",))
    studio = open_studio(infos=infos, open_engine=lambda name: FarFakeEngine(infos[name]), remotes=remotes)
    assert studio.engine_id("some/model") == "remote_a" and studio.engine_id("remote_b") == "remote_b"
