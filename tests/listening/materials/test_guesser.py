"""What somebody gets who hears nothing is chance, for every kind of page; and where it is not, it is found."""

from dataclasses import replace

import pytest

from studio.listening.keep.sound_files import SoundFile
from studio.listening.plan import orders, questions
from studio.listening.plan.plan import METHODS
from studio.listening.render.guesser import guesser_checks
from tests.listening.materials.panel import items_of, plan_of

KINDS = {
    "abx": "abx", "ab": "pair", "cmos": "pair", "ccr": "pair", "bs1116": "pair", "mos": "single", "smos": "single", "dcr": "single",
    "p835": "single", "mushra": "page", "mushra-like": "page",
}  # fmt: skip
FILE = SoundFile(192_044, "", True, True, -23.0, -3.0, 0.15, 0.15)


def plan(method, **more):
    return plan_of(method, 3, 8, gold=2, reference={"source": "files"}, **more)


def checked(plan, items=None, **of_first):
    """of_first: what the files of the first system are other than the rest."""
    items = items or items_of(plan)
    files = {item.id: replace(FILE, **of_first) if item.system == "s0" else FILE for item in items}
    return {check.key: check for check in guesser_checks(plan, items, files)}


@pytest.mark.parametrize("method", METHODS)
def test_a_script_that_hears_nothing_gets_what_chance_gives(method):
    checks = checked(plan(method))
    assert set(checks) >= {f"guess_{KINDS[method]}", "guess_gold"}
    assert all(check.passed and not check.needed for check in checks.values())
    found = checks[f"guess_{KINDS[method]}"].values
    assert abs(found["share"] - found["chance"]) < 20 and found["n"] >= 20


@pytest.mark.parametrize("method", METHODS)
def test_loudness_and_length_that_tell_a_system_are_found(method):
    told = plan(method)
    louder = tuple(replace(item, lufs=-22.5) if item.system == "s0" else item for item in items_of(told))
    assert not checked(told, louder)[f"guess_{KINDS[method]}"].passed
    if method != "abx" and KINDS[method] != "single":
        assert not checked(told, n_bytes=192_144)[f"guess_{KINDS[method]}"].passed
        assert not checked(told, before=0.2)["guess_measured"].passed


def test_an_order_that_tells_a_system_is_found(monkeypatch):
    monkeypatch.setattr(questions, "pair_orders", lambda n, chance: [(0, 0)] * n)
    assert not checked(plan("abx"))["guess_abx"].passed
    monkeypatch.setattr(orders, "williams", lambda n: (tuple(range(n)),))
    assert not checked(plan("mos"))["guess_single"].passed


def test_nothing_is_said_of_sounds_that_are_not_there():
    assert guesser_checks(plan("ab"), items_of(plan("ab"))[1:], {}) == []
