"""How a line is said within its slot."""

import pytest

from engines.contract.options import Option
from studio.scripts.dubbing.fit import PlacedLine, fit, fittings, native_durations
from studio.scripts.script.line import TimeSlot

SLOT = TimeSlot(start=10.0, end=12.0)
DURATION = Option("duration", "float", 0.0, "Seconds.", minimum=0, maximum=60)


def test_a_line_that_fits_stays_as_it_is() -> None:
    found = fit(2.0, SLOT, 12.5)
    assert (found.kind, found.is_said_again, found.over_seconds) == ("fits", False, 0)


def test_the_pause_behind_the_slot_is_used_before_the_speed() -> None:
    assert fit(2.4, SLOT, 12.5).kind == "pause"
    assert not fit(2.4, SLOT, 12.5).is_said_again


def test_what_is_longer_is_said_faster_up_to_a_fifth() -> None:
    found = fit(2.6, SLOT, 12.28)  # of which 80 ms stay silent: 2.2 s
    assert (found.kind, found.over_seconds) == ("speed", 0)
    assert found.speed == pytest.approx(2.6 / 2.2)


def test_what_does_not_fit_is_said_by_how_much_it_is_over() -> None:
    found = fit(3.6, SLOT, 12.08)
    assert (found.kind, found.speed) == ("over", 1.2)
    assert found.over_seconds == pytest.approx(1.0)


def test_an_engine_that_speaks_to_a_length_is_asked_for_it() -> None:
    duration = native_durations((Option("speed", "float", 1.0, "Speed."), DURATION))
    found = fit(2.6, SLOT, 12.08, duration)
    assert (found.kind, found.speed) == ("duration", 1.0)
    assert found.duration_seconds == pytest.approx(2.0)
    over = fit(4.2, SLOT, 12.08, duration)
    assert (over.kind, over.duration_seconds, over.over_seconds) == ("over", pytest.approx(3.0), pytest.approx(1.0))
    assert fit(100, TimeSlot(start=0, end=90), 90, duration).kind == "speed"  # more than its option knows


def test_the_last_line_has_its_slot_and_slots_that_overlap_their_own_length() -> None:
    assert fit(2.3, SLOT, None).kind == "speed"
    assert fit(2.0, SLOT, 11.0).kind == "fits"


def test_a_short_line_is_drawn_out_only_where_that_is_asked_for() -> None:
    assert fit(1.0, SLOT, 12.5).kind == "fits"
    assert fit(1.9, SLOT, 12.5, fill=True).speed == pytest.approx(0.95)
    assert fit(1.0, SLOT, 12.5, fill=True).speed == 0.85
    assert fit(1.9, SLOT, 12.5, DURATION, fill=True).duration_seconds == pytest.approx(2.0)


def test_takes_are_told_by_how_they_lie_in_their_slots() -> None:
    lines = [PlacedLine("b", TimeSlot(start=2, end=3), 1.5), PlacedLine("a", TimeSlot(start=0, end=1), 2.5)]
    assert [(line_id, found.kind, round(found.over_seconds, 2)) for line_id, found in fittings(lines)] == [
        ("a", "over", 0.58),
        ("b", "over", 0.5),
    ]
    assert list(fittings([])) == []
