"""Claims about tables of votes: what is written comes back, nothing in them is run, and what is wrong is named by line and column."""

import csv
import io
import itertools

import pytest

from studio.listening.plan.plan import METHODS
from studio.listening.report.unreadable import VotesUnreadable
from studio.listening.report.votes_csv import SCORES, read_votes_csv, votes_csv
from studio.listening.vote.vote import COLUMNS, Vote
from studio.reading.formula_guard import guard_formula, unguard_formula
from tests.listening.report.sample_tests import HOSTILE, hostile_votes

PAIRED = Vote("cmos", "L01", 0, "trap", "t", "one", "two", -2, True, False, 1, 3, 1.5, 2.25, True, "-")


def test_votes_come_back_exactly_whatever_names_they_hold():
    votes = (*hostile_votes(), PAIRED)
    text = votes_csv(votes)
    assert read_votes_csv(text) == votes
    assert text.startswith(",".join(COLUMNS) + "\r\n") and text.endswith("\r\n")


def test_no_cell_that_holds_words_is_a_formula():
    rows = list(csv.DictReader(io.StringIO(votes_csv(hostile_votes()), newline="")))
    assert len(rows) == len(HOSTILE)
    assert not [cell for row in rows for name in ("listener", "text", "system", "comment") if (cell := row[name])[0] in "=+-@\t\r\n"]


def test_the_guard_is_undone_exactly_for_every_short_text():
    for letters in itertools.product("'= -a\t＝", repeat=4):
        text = "".join(letters)
        assert unguard_formula(guard_formula(text)) == text
        assert guard_formula(text).lstrip("'").lstrip()[:1] not in ("=", "-") or guard_formula(text).startswith("'")


def test_a_foreign_table_needs_few_columns_in_any_order_and_says_what_it_has():
    assert read_votes_csv("Score;extra;LISTENER;system\n3,5;x;A;one\n\n4;x;A;two\n", method="mos") == (
        Vote("mos", "A", 0, "item", "", "one", "", 3.5),
        Vote("mos", "A", 1, "item", "", "two", "", 4.0),
    )
    (vote,) = read_votes_csv("\ufefflistener\tsystem\tother\tscore\tmethod\nA\tone\ttwo\t1\tabx", method="mos")
    assert (vote.method, vote.system, vote.other) == ("abx", "one", "two")
    assert set(SCORES) == set(METHODS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ("no column “listener”",)),
        ("listener,system,score\nA,one,3", ("no column “method”",)),
        ("listener,system,score,method,score\n", ("two columns “score”",)),
        ("listener,system,score,method\n", ("no votes",)),
        ('listener,system,score,method\n"A\nB",one,3,mos\nA,one,6,mos', ("Line 4", "“score”", "“6”", "1–5")),
        ("listener,system,score,method\nA,one,nan,mushra", ("Line 2", "“score”", "“nan”")),
        ("listener,system,other,score,method\nA,one,two,0.3,ab", ("“score”", "0, 0.5, 1")),
        ("listener,system,other,score,method\nA,one,,1,ab", ("Line 2", "“other”")),
        ("listener,system,score,method\nA,,3,mos", ("Line 2", "“system”")),
        ("listener,system,score,method\nA,one,3", ("Line 2", "(3)", "first line (4)")),
        ('listener,system,score,method\nA,"one,3,mos', ("Line 2 is not CSV",)),
        ("listener,system,score,method\nA,one,3,best", ("“method”", "“best”", "mushra-like")),
        ("listener,system,score,method,trial\nA,one,3,mos,1.5", ("“trial”", "“1.5”")),
        ("listener,system,score,method,experimenter\nA,one,3,mos,perhaps", ("“experimenter”", "true, false")),
        ("listener,system,score,method,kind\nA,one,3,mos,joke", ("“kind”", "“joke”", "gold")),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_what_belongs_there(text, told):
    with pytest.raises(VotesUnreadable) as raised:
        read_votes_csv(text)
    assert all(words in f"{raised.value.fact} {raised.value.hint}" for words in told), raised.value
