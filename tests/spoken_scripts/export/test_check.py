"""What an export would find."""

import json

import pytest
from pydantic import ValidationError

from studio.scripts.export.check import check_export
from studio.scripts.export.levels import TakeLevelsCache
from studio.scripts.export.order import ExportOrder
from studio.scripts.script.line import TimeSlot
from tests.spoken_scripts.export.conftest import Book, click


def test_a_check_names_what_is_unsaid_stale_and_beyond_its_slot(book: Book) -> None:
    book.say("Fits.", click(1.0), slot=TimeSlot(start=0, end=1))
    book.say("Into the pause.", click(1.5), slot=TimeSlot(start=2, end=3))
    book.say("Over.", click(3.0), slot=TimeSlot(start=4, end=5))
    book.say("Next.", click(1.0), slot=TimeSlot(start=6, end=7))
    book.say("Unsaid.")
    book.stale = {"line1"}
    check = check_export(book.source, ExportOrder(format="m4b"), TakeLevelsCache())
    assert (check.is_ready, check.n_lines, check.unsaid, check.stale) == (False, 5, ("line4",), ("line1",))
    assert [(line_id, found.kind) for line_id, found in check.fits] == [
        ("line0", "fits"),
        ("line1", "pause"),
        ("line2", "over"),
        ("line3", "fits"),
    ]
    ((line_id, found),) = check.over
    assert (line_id, found.over_seconds) == ("line2", pytest.approx(3.0 - 2.0 + 0.08))
    assert json.loads(json.dumps(check.told()))["over"] == [{"line": "line2", "over_seconds": 1.08}]
    assert check_export(book.source, ExportOrder(format="m4b", stale="include", missing="skip"), TakeLevelsCache()).is_ready


def test_nothing_said_is_told_and_not_raised(book: Book) -> None:
    book.say("Unsaid.")
    check = check_export(book.source, ExportOrder(), TakeLevelsCache())
    assert (check.is_ready, check.unsaid, check.seconds, check.loudness) == (False, ("line0",), 0.0, ())


def test_an_order_says_what_makes_no_sense() -> None:
    with pytest.raises(ValidationError, match="split"):
        ExportOrder(format="srt", split="chapter")
    assert ExportOrder.model_validate({"loudness": -16}).loudness == "-16"
