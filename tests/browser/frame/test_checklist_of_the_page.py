"""Every check of the page has tests that exist, and names targets of make that exist."""

import re
from pathlib import Path

import pytest

from tests.browser.frame.checklist import CHECKLIST

TESTS = Path(__file__).parents[2]
MAKEFILE = TESTS.parent / "Makefile"


@pytest.fixture(scope="module")
def existing() -> set[str]:
    files = TESTS.rglob("test_*.py")
    return {f"{file.stem}::{name}" for file in files for name in re.findall(r"^def (\w+)", file.read_text("utf-8"), re.MULTILINE)}


def test_every_check_is_accounted_for():
    assert list(CHECKLIST) == [*range(1, 17), 18, 23, 24]


@pytest.mark.parametrize("number", CHECKLIST)
def test_every_test_that_is_named_exists(number, existing):
    named = CHECKLIST[number].tests.split(" ")
    assert named and set(named) <= existing, set(named) - existing


def test_every_target_of_make_that_is_named_exists():
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE.read_text(encoding="utf-8"), re.MULTILINE))
    named = {target for check in CHECKLIST.values() for target in re.findall(r"`make ([\w-]+)", f"{check.claim} {check.otherwise}")}
    assert named and named <= targets, named - targets
