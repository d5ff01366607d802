"""An engine of several released sizes opens the one that was chosen, from then on and after a restart, and never a prompt of the other."""

import threading

import huggingface_hub.constants
import numpy as np
import pytest
from starlette.testclient import TestClient

from engines import catalog
from engines.clips.clip import Clip
from engines.errors import EngineUnavailable
from studio.api.app import build_api
from studio.errors import EngineInUse, ReleaseFixed, ReleaseUnknown
from studio.running.offer.releases import Releases
from studio.service import Studio
from studio.settings import EngineSettings, Settings
from studio.speakers.speaker import Enrollment
from studio.speech.request import SpeechRequest
from studio.ui.engines.engine_cards import act_on_engine, cards_value
from tests.api.door import eventually
from tests.studio.running.offer.released_package import LARGE, SMALL, put_weights

VOICE = Enrollment("Ana", "own", clip=Clip(np.sin(np.arange(48_000) / 20).astype(np.float32), 24_000))


@pytest.fixture
def open_again(tmp_path, monkeypatch):
    """open_again(**settings): a studio of one engine of two sizes, each time over the same folder, with an empty cache of the hub's."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(catalog, "_PACKAGES", {"sized": "tests.studio.running.offer.released_package"})
    opened: list[Studio] = []

    def open_studio(**given) -> Studio:
        settings = Settings(speakers_dir=tmp_path / "speakers", default_engine="sized", engines=("sized",), **given)
        opened.append(Studio(settings))
        return opened[-1]

    yield open_studio
    for studio in opened:
        studio.close()


def card(studio: Studio) -> dict:
    return cards_value(studio)["cards"][0]


def chosen(studio: Studio) -> list[str]:
    return [release["repository"] for release in card(studio)["releases"]["releases"] if release["is_chosen"]]


def speak(studio: Studio) -> str:
    """How the prompt came."""
    with studio.speak(SpeechRequest("hello", speaker="Ana")) as speech:
        speech.read_all()
    return speech.timeline.cache


def test_a_chosen_size_is_opened_from_then_on_and_after_a_restart_and_the_first_one_needs_no_choice(open_again):
    put_weights(SMALL)
    put_weights(LARGE)
    studio = open_again()
    assert chosen(studio) == [SMALL] and studio.engine_id(SMALL) == "sized"
    studio.load()
    answer = act_on_engine(studio, {"engine": "sized", "verb": "release", "checkpoint": LARGE})
    assert (answer["kind"], answer["fact"]) == ("done", "Sized uses 2B from now on.")
    assert eventually(lambda: studio.engines()[0].state == "ready"), "it was loaded, and is again"
    assert chosen(studio) == [LARGE] == [studio.engine_info().hub_id] and studio.engine_id(LARGE) == "sized"
    with pytest.raises(Exception, match="no engine “makers/small”"):
        studio.engine_id(SMALL)
    again = open_again()
    assert again.load().info.hub_id == LARGE == chosen(again)[0]
    again.release_choice.choose("sized", SMALL)
    assert open_again().load().info.hub_id == SMALL


def test_a_prompt_of_one_size_never_speaks_in_the_other(open_again):
    put_weights(SMALL)
    put_weights(LARGE)
    studio = open_again()
    studio.enroll(VOICE)
    assert [speak(studio), speak(studio)] == ["miss", "hit"]
    studio.release_choice.choose("sized", LARGE)
    studio.load()
    (status,) = studio.matrix.rows().rows[0].statuses
    assert (status.state, status.code) == ("stale", "stale_weights")
    assert [speak(studio), speak(studio)] == ["miss", "hit"]
    studio.release_choice.choose("sized", SMALL)
    assert speak(studio) in ("hit", "disk"), "what this size learned is kept"


def test_one_that_is_not_here_is_got_by_the_button_and_never_unasked(open_again):
    put_weights(SMALL)
    studio = open_again()
    studio.load()
    answer = act_on_engine(studio, {"engine": "sized", "verb": "release", "checkpoint": LARGE})
    assert answer["hint"] == "Get it with its button."
    shown = card(studio)
    assert (shown["standing"], shown["verb"], shown["weights"]["all_bytes"]) == ("absent", ["fetch", "get"], 30)
    assert shown["command"] == f"hf download {LARGE}" and shown["offer"]["fit"]["needed_bytes"] == 30
    with pytest.raises(EngineUnavailable, match="Sized is not on this machine yet: makers/large"):
        studio.load()
    put_weights(LARGE)
    assert studio.load().info.hub_id == LARGE


def test_a_fetch_of_the_former_size_ends_and_says_nothing_of_the_new_one(open_again, monkeypatch):
    put_weights(LARGE)
    studio = open_again()
    put_small = []
    source = studio.releases.source("sized")
    gate = threading.Event()
    monkeypatch.setitem(
        studio.weights._sources, "sized", catalog.WeightsSource(source.is_here, lambda *told: gate.wait() and put_small.append(1))
    )
    studio.weights.begin("sized")
    assert studio.weights.status("sized").state == "fetching"
    fetch = studio.weights._fetches["sized"]
    studio.release_choice.choose("sized", LARGE)
    assert fetch.cancelled.is_set() and studio.weights.status("sized").state == "ready"
    studio.release_choice.choose("sized", SMALL)
    gate.set()
    fetch.thread.join()
    assert put_small and studio.weights.status("sized").state == "absent"


def test_what_was_set_decides_and_is_told_and_what_is_at_work_stays(open_again):
    put_weights(SMALL)
    put_weights(LARGE)
    studio = open_again(engine_settings={"sized": EngineSettings(checkpoint=LARGE)})
    assert chosen(studio) == [LARGE] and card(studio)["releases"]["fixed_by"] == "SIZED_CHECKPOINT"
    with pytest.raises(ReleaseFixed, match="SIZED_CHECKPOINT decides"):
        studio.release_choice.choose("sized", SMALL)
    other = open_again()
    with pytest.raises(ReleaseUnknown, match="cannot be switched to “makers/huge”"):
        other.release_choice.choose("sized", "makers/huge")
    other.enroll(VOICE)
    with other.speak(SpeechRequest("hello " * 400, speaker="Ana")), pytest.raises(EngineInUse):
        other.release_choice.choose("sized", LARGE)
    assert chosen(other) == [SMALL] == [other.load().info.hub_id]


@pytest.mark.parametrize("content", ["[]", "{", '{"sized": "makers/gone", "other": "makers/large"}', '{"sized": 3}'])
def test_a_file_that_says_nothing_known_leaves_the_default(open_again, tmp_path, content):
    (tmp_path / "speakers").mkdir()
    (tmp_path / "speakers" / "releases.json").write_text(content)
    assert chosen(open_again()) == [SMALL]


def test_engines_that_were_handed_in_have_nothing_to_choose(tmp_path):
    assert Releases(Settings(speakers_dir=tmp_path)).of("qwen3_tts") == ()


def test_a_visitor_chooses_nothing(open_again):
    studio = open_again(api_keys=("owner=a-key-of-the-owner", "guest=a-key-of-a-guest"))
    visitor = studio.within("guest", is_owner=False)
    assert card(visitor)["releases"] is None
    assert act_on_engine(visitor, {"engine": "sized", "verb": "release", "checkpoint": LARGE})["code"] == "owner_only"
    assert chosen(studio.within("owner", is_owner=True)) == [SMALL]


def test_programs_see_the_sizes_and_the_owners_choose_and_get_one(open_again, monkeypatch):
    put_weights(SMALL)
    put_weights(LARGE)
    with TestClient(build_api(open_again()), base_url="http://localhost") as door:
        told = door.get("/v1/models").json()["data"][0]
        sizes = [(each["checkpoint"], each["size"], each["suits"], each["chosen"]) for each in told["releases"]]
        assert sizes == [(SMALL, "1B", "quick", True), (LARGE, "2B", "better", False)] and told["root"] == SMALL
        answer = door.post(f"/v1/studio/engines/sized/weights?checkpoint={LARGE}")
        assert answer.status_code == 200 and (answer.json()["root"], answer.json()["weights"]) == (LARGE, "ready")
        assert door.get(f"/v1/models/{LARGE}").json()["parent"] == "sized"
        refused = door.post("/v1/studio/engines/sized/weights?checkpoint=makers/huge")
        assert (refused.status_code, refused.json()["error"]["reason_code"]) == (400, "release_unknown")
