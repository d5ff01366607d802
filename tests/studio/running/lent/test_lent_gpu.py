"""Which GPU is lent, which engines lie on it together, what a call asks for, and what of that the visitor is told before the press."""

import importlib.util
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files

import pytest

from engines.errors import EngineFailed
from engines.text.spoken_length import spoken_seconds
from studio.running.zero_gpu.gpu_room import GpuRoom
from studio.running.zero_gpu.zero_gpu import WORK_BYTES, GpuShare, share_of
from studio.running.zero_gpu.zero_gpu_engine import PACE_BYTES, speaking_seconds, start_seconds
from studio.running.zero_gpu.zero_gpu_errors import GpuRoomFull
from studio.server import load_lent
from studio.service import Studio
from studio.settings import Settings, read_settings
from studio.speech.request import SpeechRequest
from studio.ui.engines.engine_cards import cards_value
from studio.ui.speak.segments import segments_value
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.stand_ins.zero_gpu_host import ZeroGpuHost

GB = 1_000_000_000
HALF = GpuShare("large", 45 * GB, 1.5)
INFOS = {name: replace(INFO, id=name, title=name.title(), wants_gpu=True, weights_bytes=20 * GB) for name in ("first", "second", "third")}
INFOS["small"] = replace(INFOS["first"], id="small", title="Small", weights_bytes=5 * GB)
TEXT = "A sentence to say."


class Weighty(FakeEngine):
    """n_bytes: what it holds once it is open; None for as much as its files."""

    def __init__(self, info, n_bytes: int | None = None):
        super().__init__(info)
        self.n_bytes = info.weights_bytes if n_bytes is None else n_bytes
        self.is_closed = False

    def memory_bytes(self) -> int:
        return self.n_bytes

    def close(self) -> None:
        self.is_closed = True
        super().close()


@pytest.fixture
def host() -> Iterator[ZeroGpuHost]:
    host = ZeroGpuHost(share=HALF)
    host.visitor.set("visitor")
    yield host
    host.close()


@pytest.fixture
def studio_of(open_studio, host) -> Callable[..., Studio]:
    """studio_of(engines by id): on the lent half of a card, launched."""

    def launched(engines: dict[str, Weighty]) -> Studio:
        infos = {name: engine.info for name, engine in engines.items()}
        own = {"zero_gpu": True, "default_engine": next(iter(infos)), "free_bytes": lambda device: None}
        studio = open_studio(infos=infos, open_engine=engines.__getitem__, gpu_host=host.zero_gpu(), **own)
        load_lent(studio)
        return studio

    return launched


def weighty(*names: str, **n_bytes: int) -> dict[str, Weighty]:
    return {name: Weighty(INFOS[name], n_bytes.get(name)) for name in names}


def states(studio: Studio) -> list[str]:
    return [status.state for status in studio.engines()]


def test_the_last_that_does_not_fit_is_left_out_and_told_by_status_card_log_and_refusal(studio_of, caplog):
    with caplog.at_level(logging.WARNING, "studio"):
        studio = studio_of(weighty("first", "second", "third", "small"))
    assert states(studio) == ["ready", "ready", "unavailable", "ready"]  # what is smaller still fits
    status, card = studio.engines()[2], cards_value(studio)["cards"][2]
    assert status.code == "gpu_room_full"
    assert status.values == {"engine": "Third", "needed_bytes": 20 * GB, "free_bytes": 5 * GB, "most_bytes": 45 * GB}
    assert "STUDIO_ENGINES" in status.hint and "STUDIO_ZERO_GPU_SIZE=xlarge" in status.hint
    assert card["state"] == "unavailable" and "needs 20.0 GB, and 5.0 GB of 45.0 GB" in card["reason"]
    assert [record.args[0] for record in caplog.records] == ["third"]
    with pytest.raises(GpuRoomFull):
        studio.speak(SpeechRequest(TEXT, speaker="tone", engine="third"))


def test_what_an_engine_holds_counts_as_it_is_measured_and_is_not_opened_for_nothing_again(studio_of):
    engines = weighty("first", "small", "second", small=30 * GB)
    studio = studio_of(engines)
    assert states(studio) == ["ready", "unavailable", "ready"]
    assert engines["small"].is_closed
    studio.unload("small")
    assert states(studio) == ["ready", "unavailable", "ready"] and studio.engines()[1].values["needed_bytes"] == 30 * GB


def test_one_that_comes_after_the_launch_is_held_against_the_same_room(studio_of):
    studio = studio_of(weighty("first", "second", "third"))
    studio.unload("third")
    assert states(studio)[2] == "unavailable"  # nobody has tried again
    with pytest.raises(GpuRoomFull):
        studio.load("third")


def test_an_engine_that_fails_to_open_gives_its_room_back():
    room = GpuRoom(45 * GB)
    with pytest.raises(EngineFailed), room.opening(INFOS["first"]):
        assert room.held_bytes == 20 * GB
        raise EngineFailed("It is damaged.")
    assert room.held_bytes == 0
    with room.opening(INFOS["first"]) as settle:
        settle(21 * GB)
    assert room.held_bytes == 21 * GB and room.lack(INFOS["first"]) is None
    assert room.lack(replace(INFOS["second"], weights_bytes=24 * GB)) is None
    assert room.lack(replace(INFOS["second"], weights_bytes=24 * GB + 1))


@pytest.mark.slow
def test_the_size_is_always_said_and_a_call_asks_the_visitor_for_what_is_meant_on_that_card(studio_of, host):
    studio = studio_of(weighty("first", "small"))
    studio.speak(SpeechRequest(TEXT, speaker="tone", engine="first")).read_all()
    meant = start_seconds(25 * GB) + speaking_seconds(TEXT, {})
    speaking = host.calls[-1]
    assert speaking.size == "large"
    assert meant <= speaking.seconds * HALF.asked_factor < meant + HALF.asked_factor
    assert start_seconds(25 * GB) - start_seconds(0) == pytest.approx(25 * GB / PACE_BYTES)


@pytest.mark.parametrize(("share", "seconds"), [(HALF, 12), (GpuShare("xlarge", 90 * GB), 22), (GpuShare(), 11)])
def test_of_the_visitors_time_a_whole_card_takes_twice_as_much(share, seconds):
    assert share.quota_seconds(10.6) == seconds


def test_the_page_tells_before_the_press_what_a_text_takes_and_nothing_where_no_gpu_is_lent(studio_of, open_studio):
    studio = studio_of(weighty("first", "small"))
    told = segments_value(studio, TEXT, "first")
    assert told["gpu_seconds"] == HALF.quota_seconds(start_seconds(25 * GB) + spoken_seconds(TEXT))
    assert segments_value(studio, " ", "first")["gpu_seconds"] is None
    assert segments_value(open_studio(FakeEngine(), "elsewhere"), TEXT, "fake")["gpu_seconds"] is None


@pytest.mark.skipif(importlib.util.find_spec("spaces") is None, reason="the package spaces is not installed")
def test_the_cards_of_the_package_are_understood():
    """Of spaces 0.51.3: where a half card is lent, what is packed stays below what the package would make a whole one of."""
    cards = json.loads(files("spaces.zero").joinpath("configs.json").read_text())
    blackwell = next(card for card in cards if "Blackwell" in card["model"])
    assert share_of(blackwell, "large") == GpuShare("large", 45_097_156_608, 1.5)
    assert share_of(blackwell, "xlarge") == GpuShare("xlarge", blackwell["memory"] - WORK_BYTES, 1.0)
    undivided = next(card for card in cards if card["xlarge_threshold"] is None)
    assert share_of(undivided, "large") == GpuShare("large", undivided["memory"] - WORK_BYTES, 1.0)


def test_a_whole_card_is_asked_for_knowingly():
    assert Settings().zero_gpu_size == "large"
    assert read_settings({"STUDIO_ZERO_GPU_SIZE": "xlarge"}).zero_gpu_size == "xlarge"
