"""Claims about places: those that stay keep theirs, those that move fit between, and all are dealt anew where there is no room."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from studio.scripts.keep.order import GAP, places_of, rearranged


def test_lines_are_put_behind_the_lines_that_they_stood_behind():
    assert rearranged("abcdef", "bd", [("d", None), ("b", "d")]) == list("dbacef")
    assert rearranged("abc", "", [("x", "c"), ("y", "x")]) == list("abcxy")
    assert rearranged("abc", "ac", []) == ["b"]


def test_a_line_that_moves_leaves_the_others_where_they_are():
    known = {line: n * GAP for n, line in enumerate("abcd")}
    assert places_of("adbc", known, "d") == {"d": GAP // 2}
    assert places_of("bcda", known, "a") == {"a": 4 * GAP} and places_of("dabc", known, "d") == {"d": -GAP}


def test_where_there_is_no_room_all_are_dealt_anew():
    assert places_of("axb", {"a": 5, "b": 6}, "x") == {"a": 0, "x": GAP, "b": 2 * GAP}


@given(st.data(), st.integers(1, 12), st.integers(1, 4))
def test_places_are_in_the_order_of_the_lines(data, n_lines, gap):
    order = data.draw(st.permutations(range(n_lines)))
    moved = data.draw(st.sets(st.sampled_from(order)))
    staying = [line for line in order if line not in moved]
    known = {line: n * gap for n, line in enumerate(staying)}
    places = known | places_of(order, known, moved)
    assert all(places[one] < places[other] for one, other in pairwise(order))
