"""Every check of the page has tests that exist, and names targets of make that exist."""

import ast
import re
from pathlib import Path

import pytest

from tests.browser.checklist import CHECKLIST

TESTS = Path(__file__).parents[1]
MAKEFILE = TESTS.parent / "Makefile"


@pytest.fixture(scope="module")
def existing() -> set[str]:
    files = [(file, ast.parse(file.read_text())) for file in TESTS.rglob("test_*.py")]
    return {f"{file.stem}::{node.name}" for file, tree in files for node in tree.body if isinstance(node, ast.FunctionDef)}


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
