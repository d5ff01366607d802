"""Which takes are heard, and when."""

import numpy as np
import pytest

from studio.errors import ExportEmpty, LinesStale, LinesUnsaid
from studio.scripts.export.order import ExportOrder
from studio.scripts.export.plan import ExportPlan, plan_of, selected_lines
from studio.scripts.script.line import TimeSlot
from tests.spoken_scripts.export.conftest import RATE, Book, click


def planned(book: Book, **order) -> ExportPlan:
    asked = ExportOrder(**order)
    source = book.source
    return plan_of(source.script, selected_lines(source.lines(), asked, source.stale()), asked)


def starts(plan: ExportPlan) -> list[float]:
    return [round(line.start / plan.sample_rate, 6) for line in plan.lines]


def test_lines_follow_each_other_after_their_pauses(chapters: Book) -> None:
    chapters.say("Last.", click(0.5), pause_seconds=2.0)
    chapters.say("Of the last.", click(0.5))
    plan = planned(chapters, format="wav")
    # 0.7 + 1.2 behind a heading; 0.9 + 1.2 before one; 0.4 behind a line; 2.0 where one says so; none at the end
    assert starts(plan) == [0.0, 1.9, 4.0, 5.9, 7.2, 9.7]
    assert plan.seconds == pytest.approx(10.2)


def test_chapters_begin_with_their_headings_and_leave_no_gap(chapters: Book) -> None:
    plan = planned(chapters, format="m4b")
    assert [(mark.title, mark.start / RATE, mark.end / RATE) for mark in plan.chapters] == [("Eins", 0, 4.0), ("Zwei: das Ende", 4.0, 6.8)]


def test_a_silent_heading_begins_a_chapter_where_its_first_line_is_heard(book: Book) -> None:
    book.say("Before.", click(0.5))
    book.say("Two", kind="heading", is_silent=True)
    book.say("Behind.", click(0.5))
    book.say("  ")  # nothing to say
    plan = planned(book, format="m4b")
    assert starts(plan) == [0.0, 0.5 + 1.2]
    assert [(mark.title, mark.start / RATE) for mark in plan.chapters] == [(book.head.title, 0), ("Two", 1.7)]


def test_a_line_with_a_slot_begins_there_and_the_sound_is_as_long_as_the_video(book: Book) -> None:
    book.say("Late.", click(1.0), slot=TimeSlot(start=3.0, end=4.0))
    book.say("Early, and too long.", click(2.5), slot=TimeSlot(start=1.0, end=2.0))
    book.with_head(video_seconds=9.0)
    plan = planned(book, format="wav")
    assert starts(plan) == [1.0, 3.0]
    assert plan.seconds == 9.0
    assert list(plan.overlaps()) == [("line0", 0.5)]


def test_unsaid_and_stale_lines_are_refused_with_their_numbers_or_taken_as_ordered(chapters: Book) -> None:
    chapters.say("Never said.")
    chapters.stale = {"line1", "line3"}
    with pytest.raises(LinesUnsaid) as unsaid:
        planned(chapters, format="wav", stale="include")
    assert (unsaid.value.values["n"], unsaid.value.values["lines"]) == (1, 5)
    with pytest.raises(LinesStale) as stale:
        planned(chapters, format="wav", missing="skip")
    assert (stale.value.values["n"], stale.value.values["lines"]) == (2, 5)
    assert len(planned(chapters, format="wav", missing="skip", stale="include").lines) == 4
    with pytest.raises(ExportEmpty):
        planned(chapters, format="wav", lines=("line4",), missing="skip")


def test_chosen_lines_and_chapters_alone_are_heard(chapters: Book) -> None:
    assert [line.line.id for line in planned(chapters, format="wav", chapters=(1,)).lines] == ["line2", "line3"]
    assert [line.line.id for line in planned(chapters, format="wav", lines=("line3",)).lines] == ["line3"]


def test_the_rate_is_the_highest_of_the_takes_as_the_format_knows_it(book: Book) -> None:
    book.say("Low.", click(0.5, 22_050), rate=22_050)
    assert planned(book, format="wav").sample_rate == 22_050
    assert planned(book, format="opus").sample_rate == 48_000
    book.say("High.", click(0.5, 24_000), rate=24_000)
    assert planned(book, format="wav").sample_rate == 24_000
    assert planned(book, format="mp3", loudness="acx").sample_rate == 44_100


def test_a_name_that_the_cast_lacks_has_the_gain_of_the_narrator(book: Book) -> None:
    book.cast = tuple(member.model_copy(update={"gain_db": -6.0 if member.name else 3.0}) for member in book.cast)
    book.say("Mine.", click(0.5), who="ANNA")
    book.say("Nobody's.", np.zeros(RATE), who="BEN")
    assert [line.gain_db for line in planned(book, format="wav").lines] == [-6.0, 3.0]
