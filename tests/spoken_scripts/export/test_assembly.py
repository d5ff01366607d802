"""One sound of many takes, block after block."""

import numpy as np

from studio.scripts.export.assembly import BLOCK_SAMPLES, assembled
from studio.scripts.export.order import ExportOrder
from studio.scripts.export.plan import plan_of, selected_lines
from studio.scripts.script.line import TimeSlot
from tests.spoken_scripts.export.conftest import RATE, Book


def sound(book: Book, **order) -> np.ndarray:
    asked = ExportOrder(format="wav", **order)
    plan = plan_of(book.source.script, selected_lines(book.lines, asked), asked)
    blocks = list(assembled(plan, book.takes.read))
    assert max(map(len, blocks)) <= BLOCK_SAMPLES
    whole = np.concatenate(blocks)
    assert len(whole) == plan.n_samples
    return whole


def test_takes_are_heard_whole_and_join_without_a_click(book: Book) -> None:
    level = np.full(4 * RATE, 0.5)  # off zero from the first sample to the last
    book.say("One.", level, pause_seconds=0)
    book.say("Two.", -level)
    made = sound(book)
    assert len(made) == 8 * RATE
    assert np.abs(np.diff(made)).max() < 0.02  # a jump would be 1.0
    inner = slice(round(0.003 * RATE), 4 * RATE - round(0.003 * RATE))
    assert np.allclose(made[inner], 0.5, atol=1e-4)


def test_takes_of_other_rates_are_resampled_to_their_planned_length(book: Book) -> None:
    tone = 0.5 * np.sin(np.arange(16_000) * 2 * np.pi * 500 / 16_000)
    book.say("Low.", tone, rate=16_000)
    book.say("High.", np.zeros(RATE))
    made = sound(book)[:RATE]
    wanted = 0.5 * np.sin(np.arange(RATE) * 2 * np.pi * 500 / RATE)
    assert np.abs(made - wanted)[200:-200].max() < 1e-3


def test_lines_whose_slots_overlap_are_heard_together(book: Book) -> None:
    book.say("Long.", np.full(3 * RATE, 0.25), slot=TimeSlot(start=0, end=1))
    book.say("Short.", np.full(RATE, 0.5), slot=TimeSlot(start=1, end=2))
    made = sound(book)
    assert [round(float(made[round(at * RATE)]), 3) for at in (0.5, 1.5, 2.5)] == [0.25, 0.75, 0.25]


def test_the_gain_of_the_cast_is_heard(book: Book) -> None:
    book.cast = tuple(member.model_copy(update={"gain_db": -6.0206}) for member in book.cast)
    book.say("Soft.", np.full(RATE, 0.5))
    assert np.allclose(sound(book)[100:-100], 0.25, atol=1e-4)
