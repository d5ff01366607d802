"""Memory room: an engine that cannot fit is not loaded, and the refusal has the numbers and the way out."""

from dataclasses import replace
from pathlib import Path

import huggingface_hub.constants
import pytest

from engines.errors import EngineError
from studio.running.offer.memory_check import SMALL_BYTES, InsufficientMemory, check_memory, free_bytes, free_gpu_bytes, free_memory_bytes
from studio.running.offer.offer import offered
from studio.service import Studio
from studio.settings import EngineSettings, Settings
from studio.speech.request import SpeechRequest
from studio.ui.engines.engine_cards import act_on_engine, cards_value
from tests.browser.studios.tone_engine import OCTAVE, TONE, ToneEngine

GIGABYTE = 1_000_000_000
LARGE = replace(OCTAVE, weights_bytes=9_800_000_000)


class LoadedTone(ToneEngine):
    """Says what it holds."""

    def memory_bytes(self) -> int:
        return 6 * GIGABYTE


class Machine:
    """Memory that is free, as the studio asks for it."""

    def __init__(self, n_free: int | None):
        self.n_free = n_free
        self.asked: list[str | None] = []

    def free(self, device: str | None) -> int | None:
        self.asked.append(device)
        return self.n_free


@pytest.fixture
def open_studio(open_studio):
    def make(machine: Machine, **engine_settings: EngineSettings) -> Studio:
        infos = {"tone": TONE, "octave": LARGE}
        free_bytes = lambda device: machine.free(device)  # noqa: E731, PLW0108 - which a test replaces
        more = {"weights": {}, "free_bytes": free_bytes, "engine_settings": engine_settings}
        return open_studio(infos=infos, open_engine=lambda name: LoadedTone(infos[name]), **more)

    return make


def refusal_of(*asked) -> EngineError:
    with pytest.raises(InsufficientMemory) as refused:
        check_memory(*asked)
    return refused.value


def test_weights_that_are_larger_than_what_is_free_are_refused_with_both_numbers():
    error = refusal_of(LARGE, 4_100_000_000, [])
    assert error.fact == "Octave needs 9.8 GB of memory, and 4.1 GB are free."
    assert error.hint and error.code == "no_room"


def test_weights_that_just_fit_are_let_through_and_so_are_small_ones_and_unknown_memory():
    check_memory(LARGE, LARGE.weights_bytes, [])
    check_memory(LARGE, None, [])
    check_memory(replace(LARGE, weights_bytes=SMALL_BYTES - 1), 0, [])
    assert refusal_of(LARGE, LARGE.weights_bytes - 1, [])


def test_the_smallest_engine_whose_memory_is_enough_is_named_to_be_unloaded():
    sizes = {"Small": 1 * GIGABYTE, "Huge": 20 * GIGABYTE, "Fitting": 6 * GIGABYTE}
    loaded = [(replace(TONE, id=title.lower(), title=title), n_bytes) for title, n_bytes in sizes.items()]
    assert refusal_of(LARGE, 4_100_000_000, loaded).hint == "Unload Fitting (6.0 GB), then load it."
    assert refusal_of(LARGE, 4_100_000_000, loaded).unload == "fitting"
    assert "Unload" not in refusal_of(LARGE, 1 * GIGABYTE, loaded[:1]).hint


def test_a_load_that_cannot_fit_is_refused_on_the_page_and_unloading_what_it_names_makes_room(open_studio):
    machine = Machine(4_100_000_000)
    studio = open_studio(machine)
    studio.load("tone")
    said = act_on_engine(studio, {"engine": "octave", "verb": "load"})
    assert (said["kind"], said["code"]) == ("problem", "no_room")
    assert said["fact"] == "Octave needs 9.8 GB of memory, and 4.1 GB are free."
    assert said["hint"] == "Unload Tone (6.0 GB), then load it."
    assert [status.state for status in studio.engines()] == ["ready", "idle"]
    act_on_engine(studio, {"engine": "tone", "verb": "unload"})
    machine.n_free += 6 * GIGABYTE
    assert act_on_engine(studio, {"engine": "octave", "verb": "load"})["kind"] == "note"
    assert studio.load("octave").state == "ready"


def test_one_button_unloads_what_is_in_the_way_and_loads_what_was_wanted(open_studio):
    machine = Machine(4_100_000_000)
    studio = open_studio(machine)
    studio.load("tone")
    asked = {"engine": "octave", "verb": "make-room", "unload": "tone"}
    assert act_on_engine(studio, {"engine": "octave", "verb": "load"})["act"] == {"words": "Unload Tone and load", "asked": asked}
    assert cards_value(studio)["cards"][1]["make_room"] is None
    with pytest.raises(InsufficientMemory):  # whoever loads by speaking is told on the card
        studio.load("octave")
    card = cards_value(studio)["cards"][1]
    assert card["make_room"] == {"title": "Tone", "asked": asked} and card["verb"] == ["make-room", "make_room"]
    machine.free = lambda device: machine.n_free + (0 if studio.engines()[0].state == "ready" else 6 * GIGABYTE)
    assert act_on_engine(studio, asked)["kind"] == "note"
    assert studio.load("octave").state == "ready" and studio.engines()[0].state == "idle"


def test_an_engine_that_speaks_is_not_unloaded_to_make_room(open_studio):
    studio = open_studio(Machine(4_100_000_000))
    studio.load("tone")
    with studio.speak(SpeechRequest("A long text. " * 100, engine="tone", options={"ttfp": 20.0})):
        said = act_on_engine(studio, {"engine": "octave", "verb": "make-room", "unload": "tone"})
    assert (said["code"], studio.engines()[1].state) == ("engine_in_use", "idle")


def test_a_load_that_nobody_asked_for_by_name_is_refused_too_and_the_card_says_why(open_studio):
    studio = open_studio(Machine(1 * GIGABYTE))
    with pytest.raises(InsufficientMemory):
        studio.load("octave")
    card = cards_value(studio)["cards"][1]
    fact, hint = "Octave needs 9.8 GB of memory, and 1.0 GB are free.", "Choose another engine, or free memory on this machine."
    assert (card["state"], card["reason"]) == ("failed", f"{fact} {hint}")
    assert card["verb"] == ["load", "again"]
    assert studio.load("tone").state == "ready"


def test_for_small_weights_nobody_asks_what_is_free(open_studio):
    machine = Machine(0)
    assert open_studio(machine).load("tone").state == "ready"
    assert machine.asked == []


def test_it_is_the_engines_own_device_that_is_asked_about(open_studio):
    machine = Machine(0)
    studio = open_studio(machine, octave=EngineSettings(device="cpu"))
    with pytest.raises(InsufficientMemory):
        studio.check_memory("octave")
    assert machine.asked == ["cpu"]


@pytest.mark.parametrize(("checkpoint", "needed"), [(None, "2.5 GB"), ("Qwen/Qwen3-TTS-12Hz-1.7B-Base", "4.5 GB")])
def test_the_size_is_that_of_the_checkpoint_that_was_set(tmp_path, monkeypatch, checkpoint, needed):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    studio = Studio(_settings(tmp_path, checkpoint), free_bytes=Machine(1 * GIGABYTE).free)
    try:
        with pytest.raises(InsufficientMemory, match=f"needs {needed} of memory, and 1.0 GB are free"):
            studio.load() if checkpoint else studio.check_memory("qwen3_tts")  # to load what is not here and is not fetched says that
    finally:
        studio.close()


def test_weights_of_unknown_size_are_not_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    assert offered(_settings(tmp_path, "somebody/elses"))["qwen3_tts"].weights_bytes == 0
    check_memory(replace(LARGE, weights_bytes=0), 0, [])


def _settings(folder: Path, checkpoint: str | None) -> Settings:
    chosen = {"qwen3_tts": EngineSettings(checkpoint=checkpoint, device="cpu")}
    return Settings(speakers_dir=folder / "speakers", engines=("qwen3_tts",), default_engine="qwen3_tts", engine_settings=chosen)


def test_what_is_loaded_already_is_not_refused(open_studio):
    machine = Machine(20 * GIGABYTE)
    studio = open_studio(machine)
    studio.load("octave")
    machine.n_free = 0
    assert act_on_engine(studio, {"engine": "octave", "verb": "load"})["kind"] == "note"


# --- what is free


@pytest.fixture
def kernel(tmp_path):
    """kernel(**files) -> (proc, cgroup) with those files."""

    def make(**files: str):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".", 1)).write_text(text)
        return tmp_path, tmp_path

    return make


MEMINFO = "MemTotal:       16000000 kB\nMemFree:          100000 kB\nMemAvailable:    8000000 kB\n"


def test_free_memory_is_what_the_kernel_says_is_available(kernel):
    assert free_memory_bytes(*kernel(meminfo=MEMINFO)) == 8_000_000 * 1024


def test_a_container_has_no_more_than_its_limit_and_files_in_memory_do_not_count(kernel):
    files = kernel(
        meminfo=MEMINFO, memory_max="2000000000\n", memory_current="1500000000\n", memory_stat="anon 900000000\nfile 600000000\n"
    )
    assert free_memory_bytes(*files) == 1_100_000_000


def test_a_container_without_a_limit_has_what_the_machine_has(kernel):
    assert free_memory_bytes(*kernel(meminfo=MEMINFO, memory_max="max\n", memory_current="1\n")) == 8_000_000 * 1024


def test_where_the_kernel_says_nothing_nothing_is_known(tmp_path):
    assert free_memory_bytes(tmp_path / "proc", tmp_path / "cgroup") is None


def test_the_freest_gpu_counts_and_one_that_does_not_tell_is_not_known():
    assert free_gpu_bytes(("printf", "1024\n81559\n")) == 81_559 << 20
    assert free_gpu_bytes(("printf", "[N/A]\n")) is None
    assert free_gpu_bytes(("true",)) is None
    assert free_gpu_bytes(("false",)) is None
    assert free_gpu_bytes(("there-is-no-such-program",)) is None


def test_this_machine_has_memory():
    assert free_bytes("cpu") > 0
