"""Every number of the checklist has a test that exists, or a reason."""

import ast
from pathlib import Path

from tests.api.checklist import CHECKLIST

TESTS = Path(__file__).parents[1]


def test_every_number_of_the_checklist_is_accounted_for():
    assert list(CHECKLIST) == list(range(1, 145))


def test_every_test_named_in_the_checklist_exists():
    existing = {
        f"{file.stem}::{node.name}"
        for file in TESTS.rglob("test_*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef)
    }
    for number, entry in CHECKLIST.items():
        if not entry.startswith("differs: "):
            assert set(entry.split(" ")) <= existing, number
