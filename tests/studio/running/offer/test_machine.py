"""Claims about how an engine fits the studio's computer, told before anybody fetches its weights."""

from dataclasses import replace
from pathlib import Path

import pytest

from studio.running.offer.machine import Machine, MachineFits, fit_of
from studio.running.offer.memory_check import total_gpu_bytes, total_memory_bytes
from studio.settings import EngineSettings, Settings
from tests.stand_ins.fake_engine import INFO

GIGABYTE = 10**9
SMALL = replace(INFO, weights_bytes=GIGABYTE)
LARGE = replace(INFO, weights_bytes=11 * GIGABYTE, wants_gpu=True)
LAPTOP, SERVER = Machine(0, 8 * GIGABYTE), Machine(24 * GIGABYTE, 64 * GIGABYTE)


@pytest.mark.parametrize(
    ("info", "machine", "device", "verdict", "there"),
    [
        (SMALL, LAPTOP, None, "fits", 8),
        (replace(SMALL, wants_gpu=True), LAPTOP, None, "no_gpu", 8),
        (LARGE, LAPTOP, None, "small_memory", 8),
        (LARGE, SERVER, None, "fits_gpu", 24),
        (LARGE, SERVER, "cpu", "no_gpu", 64),
        (replace(LARGE, weights_bytes=25 * GIGABYTE), SERVER, None, "small_gpu", 24),
        (LARGE, Machine(None, 64 * GIGABYTE), None, "unknown", 0),
        (SMALL, Machine(0, None), None, "unknown", 0),
        (replace(LARGE, weights_bytes=0), SERVER, None, "unknown", 0),
    ],
)
def test_what_an_engine_wants_is_held_against_what_is_there(info, machine, device, verdict, there):
    fit = fit_of(info, machine, device, is_lent=False)
    assert (fit.verdict, fit.needed_bytes, fit.there_bytes) == (verdict, info.weights_bytes, there * GIGABYTE)


def test_an_engine_whose_gpu_is_lent_wants_nothing_of_the_machine_itself():
    assert fit_of(LARGE, LAPTOP, None, is_lent=True).verdict == "lent"


def test_the_machine_is_looked_at_once_and_what_is_set_for_an_engine_counts(tmp_path):
    looks = []

    def look() -> Machine:
        looks.append("look")
        return SERVER

    settings = Settings(speakers_dir=tmp_path, engine_settings={"large": EngineSettings(device="cpu")})
    fits = MachineFits(settings, {"large": replace(LARGE, id="large"), "fake": LARGE}, look)
    assert [fits.of(name).verdict for name in ("large", "fake", "large")] == ["no_gpu", "fits_gpu", "no_gpu"]
    assert len(looks) == 2


def test_all_memory_is_what_the_kernel_says_and_no_more_than_the_container_may_take(tmp_path: Path):
    (tmp_path / "meminfo").write_text("MemTotal: 1000 kB\nMemAvailable: 10 kB\n")
    (tmp_path / "memory.max").write_text("max")
    assert total_memory_bytes(tmp_path, tmp_path) == 1_024_000
    (tmp_path / "memory.max").write_text("4096")
    assert total_memory_bytes(tmp_path, tmp_path) == 4096
    assert total_memory_bytes(tmp_path / "none", tmp_path / "none") is None


def test_the_largest_gpu_counts_and_none_is_no_unknown_one():
    assert total_gpu_bytes(("printf", "16\n24\n")) == 24 << 20
    assert total_gpu_bytes(("there-is-no-such-program",)) == 0
    assert total_gpu_bytes(("echo", "[N/A]")) is None
