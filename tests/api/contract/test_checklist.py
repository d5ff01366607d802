"""Every number of the checklist has a test that exists, or a reason."""

import re
from pathlib import Path

from tests.api.contract.checklist import CHECKLIST

TESTS = Path(__file__).parents[2]


def test_every_number_of_the_checklist_is_accounted_for():
    assert list(CHECKLIST) == list(range(1, 145))


def test_every_test_named_in_the_checklist_exists():
    files = TESTS.rglob("test_*.py")
    existing = {f"{file.stem}::{name}" for file in files for name in re.findall(r"^def (\w+)", file.read_text("utf-8"), re.MULTILINE)}
    for number, entry in CHECKLIST.items():
        if not entry.startswith("differs: "):
            assert set(entry.split(" ")) <= existing, number
