"""What findings say of all seven methods, where it is known what listeners think."""

import itertools
import json
import random
from dataclasses import asdict, replace

import pytest

from studio.listening.plan.plan import METHODS
from studio.listening.statistics.analysis import Beforehand, findings_of
from studio.listening.statistics.ranking import Ranking
from tests.listening.statistics.votes import keys, line, ratings, vote

LABELS = {"x": "X", "y": "Y", "z": "Z", "reference": "Recording", "lowpass-3.5": "Low anchor"}


def _findings(method: str, votes: list, **chosen):
    return findings_of(method, votes, LABELS, {}, chosen=Beforehand(**chosen))


def _abx(right: int, n: int = 16, pair: tuple[str, str] = ("x", "y")) -> list:
    return [vote("abx", 0, number, pair[:: 1 if number % 2 else -1], float(number < right)) for number in range(n)]


def test_abx_says_heard_open_or_unheard_and_never_equal():
    unheard = _findings("abx", _abx(9))
    assert unheard.verdict[0].key == "verdict_abx_unheard" and unheard.verdict[0].values == {"right": 9, "n": 16, "power": 63}
    assert line(unheard, "note_not_equal") == {"high": 85} and line(unheard, "note_one_listener") is not None
    (pair,) = unheard.pairs
    assert (pair.system, pair.other, pair.n, pair.wins) == ("x", "y", 16, 9)
    # binom.test(9, 16, alternative = "greater") of R, and the 99.5 % bound of the other side
    assert (pair.share_low, pair.share_high, pair.p) == pytest.approx((0.3334, 0.8529, 0.4018), abs=1e-4)
    heard = _findings("abx", _abx(14))
    assert line(heard, "verdict_abx_heard") == {"right": 14, "n": 16, "low": 66, "high": 99, "chance": 0.3}
    assert keys(_findings("abx", _abx(12))) == ["verdict_abx_heard"]  # the critical value of the table
    assert line(_findings("abx", _abx(11)), "verdict_abx_open")["needed"] == 12
    assert keys(_findings("abx", _abx(4, 4))) == ["verdict_abx_too_few"]
    below = _findings("abx", _abx(2))
    assert line(below, "note_abx_below") == line(below, "verdict_abx_below") == {"right": 2, "n": 16}


def test_abx_of_several_pairs_is_corrected_for_them():
    several = _findings("abx", [*_abx(12), *_abx(8, pair=("x", "z"))])
    assert [pair.p_all for pair in several.pairs] == pytest.approx([1 - (1 - pair.p) ** 2 for pair in several.pairs])
    assert keys(several) == ["verdict_abx_several_none"]
    assert line(_findings("abx", [*_abx(15), *_abx(8, pair=("x", "z"))]), "verdict_abx_several")["names"] == ["X / Y"]
    rights = zip(itertools.combinations("wxyz", 2), (14, 16, 8, 15, 14, 16), strict=True)
    many = [answer for pair, right in rights for answer in _abx(right, pair=pair)]
    named = {"heard": 5, "n": 6, "names": ["Y / Z", "Y / w", "X / Y"], "more": 2}
    assert line(_findings("abx", many), "verdict_abx_several_more") == named


def _ab(wins: int, n: int = 100, ties: int = 0) -> list:
    """x against y, the pair now in this order, now in that; wins spread over ten listeners and their texts."""
    scores = [1.0] * wins + [0.0] * (n - wins) + [0.5] * ties
    turned = [(("x", "y"), score) if number % 3 else (("y", "x"), 1 - score) for number, score in enumerate(scores)]
    return [vote("ab", number % 10, (number // 10 + 3 * number) % 10, pair, score) for number, (pair, score) in enumerate(turned)]


@pytest.mark.slow
def test_ab_says_who_is_preferred_and_how_much():
    preferred = _findings("ab", _ab(63))
    assert preferred.verdict[0].key == "verdict_ab_preferred"
    assert preferred.verdict[0].values == {"winner": "X", "wins": 63, "n": 100, "low": 53, "high": 72}
    assert keys(preferred)[1] == "verdict_small" and preferred.pairs[0].p == pytest.approx(0.009, abs=5e-4)
    assert [system.rank for system in preferred.systems] == [1, 2] and preferred.systems[0].strength > 0
    assert keys(_findings("ab", _ab(75)))[1] == "verdict_medium" and keys(_findings("ab", _ab(90)))[1] == "verdict_large"
    assert line(_findings("ab", _ab(10)), "verdict_ab_preferred")["winner"] == "Y"
    none = _findings("ab", _ab(30, 50, ties=4))
    assert line(none, "verdict_ab_none") == {"winner": "X", "wins": 32, "n": 54, "low": 46, "high": 71}
    assert line(none, "note_ties") == {"n": 4} and (none.pairs[0].n, none.pairs[0].wins, none.pairs[0].ties) == (54, 32, 4)
    assert [system.rank for system in none.systems] == [1, 1]
    assert keys(_findings("ab", _ab(0, 0, ties=5))) == ["verdict_ab_all_ties"]
    assert keys(_findings("ab", _ab(5, 5))) == ["verdict_ab_none"]  # five votes cannot show one


@pytest.mark.slow
def test_ab_of_listeners_or_texts_that_differ_says_nothing_of_others():
    votes = [vote("ab", listener, text, ("x", "y"), float(listener < 6)) for listener in range(9) for text in range(10)]
    findings = _findings("ab", votes)
    assert keys(findings) == ["verdict_ab_none"] and findings.pairs[0].p > 0.3
    assert [system.rank for system in findings.systems] == [1, 1]
    votes = [vote("ab", listener, text, ("x", "y"), float(text < 6)) for listener in range(9) for text in range(9)]
    assert keys(_findings("ab", votes)) == ["verdict_ab_none"]
    alike = [vote("ab", listener, text, ("x", "y"), 1.0) for listener in range(3) for text in range(2)]
    assert keys(_findings("ab", alike))[0] == "verdict_ab_preferred"
    alone = [vote("ab", 0, 0, ("x", "y"), 1.0, trial=number) for number in range(6)]
    assert keys(_findings("ab", alone))[0] == "verdict_ab_preferred"


def test_ab_of_several_systems_says_nothing_of_other_texts_either():
    """What loses on one text, and what loses as often, but on another text for each listener."""

    def found(shift: int) -> list[str]:
        votes = [
            vote("ab", listener, text, pair, float((shift * listener + text) % 4 > 0 if "x" in pair else (listener + text) % 2))
            for listener, text, pair in itertools.product(range(12), range(4), itertools.combinations("xyz", 2))
        ]
        return keys(_findings("ab", votes))

    assert found(0) == ["verdict_several_ab"]
    assert found(1) == ["verdict_first_ab", "verdict_behind_bare"]


def test_a_liking_for_the_first_slot_is_told_only_where_both_orders_were_heard():
    votes = [vote("ab", listener, text, ("x", "y"), float(not (listener + text) % 2)) for listener in range(5) for text in range(4)]
    assert line(_findings("ab", votes), "note_first_slot") == {"wins": 20, "n": 20}
    turned = [replace(vote, system="y", other="x", score=1 - vote.score, first=not vote.first) for vote in votes]
    assert line(_findings("ab", turned), "note_first_slot") == {"wins": 20, "n": 20}
    undecided = [replace(vote, listener=f"{vote.listener} too", score=0.5) for vote in votes]
    assert line(_findings("ab", votes + undecided), "note_first_slot") == {"wins": 20, "n": 20}
    assert line(_findings("ab", [replace(vote, first=True, score=1.0) for vote in votes]), "note_first_slot") is None


@pytest.mark.slow
def test_ab_of_many_systems_ranks_them():
    rng, strengths = random.Random(0), {"x": 1.5, "y": 1.5, "z": 0.2, "w": -1}
    votes = [
        vote("ab", listener, text, pair, float(rng.random() < 1 / (1 + 2.72 ** (strengths[pair[1]] - strengths[pair[0]]))))
        for listener in range(10)
        for text in range(6)
        for pair in itertools.combinations(strengths, 2)
    ]
    findings = _findings("ab", votes)
    assert {system.system: system.rank for system in findings.systems} == {"x": 1, "y": 1, "z": 3, "w": 4}
    assert keys(findings) == ["verdict_pair_ab", "verdict_behind_bare"]
    assert line(findings, "note_votes_per_pair") is None and line(findings, "note_several_pairs") == {"n": 6}
    few = _findings("ab", [vote for vote in votes if vote.text == "t0" and {vote.system, vote.other} in ({"x", "y"}, {"z", "w"})])
    assert line(few, "note_votes_per_pair") == {"n": 10, "least": 30} and line(few, "note_unlinked") == {}


def test_cmos_says_by_how_much_whichever_way_pairs_are_written():
    rng = random.Random(0)
    scores = [max(-3, min(3, round(rng.gauss(0.8, 1)))) for _ in range(100)]
    votes = [vote("cmos", number % 10, number // 10, ("x", "y"), score) for number, score in enumerate(scores)]
    findings = _findings("cmos", votes)
    better = line(findings, "verdict_cmos_better")
    assert (better["winner"], better["other"]) == ("X", "Y") and better["difference"] == pytest.approx(sum(scores) / 100, abs=0.006)
    assert better["low"] < better["difference"] < better["high"] and findings.pairs[0].p < 0.01
    turned = [replace(vote, system="y", other="x", score=-vote.score, first=not vote.first) for vote in votes]
    assert _findings("cmos", turned) == findings
    opposite = [replace(vote, score=-vote.score) for vote in votes]
    assert line(_findings("cmos", opposite), "verdict_cmos_better")["winner"] == "Y"
    assert line(_findings("cmos", opposite), "verdict_cmos_better")["low"] > 0
    even = [replace(vote, score=(-1) ** (number + number // 10)) for number, vote in enumerate(votes)]
    gap = line(_findings("cmos", even), "verdict_gap_between")
    assert -0.5 < gap["low"] < 0 < gap["high"] < 0.5 and (gap["name"], gap["other"]) == ("X", "Y")


def test_mushra_says_who_shares_the_first_place_and_who_is_behind_by_how_much():
    votes = ratings("mushra", {"reference": 97, "x": 76, "y": 76, "z": 41, "lowpass-3.5": 18}, listeners=20, texts=6, spread=5)
    votes = [replace(vote, score=max(vote.score, 91.0)) if vote.system == "reference" else vote for vote in votes]
    findings = _findings("mushra", votes)
    assert keys(findings) == ["verdict_pair_cmos", "verdict_behind_both"]
    assert findings.verdict[0].values == {"name": "X", "other": "Y"}
    assert findings.verdict[1].values == {"name": "Z", "gap": 35, "scale": 100}
    assert {system.system: system.rank for system in findings.systems} == {"x": 1, "y": 1, "z": 3, "reference": None, "lowpass-3.5": None}
    assert [(pair.system, pair.other) for pair in findings.pairs] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert findings.pairs[1].p_all < 0.01 and findings.pairs[1].low_all > 30 and findings.pairs[0].p > 0.05
    assert line(findings, "note_reference_found")["name"] == "Recording" and line(findings, "note_anchor_found")["name"] == "Low anchor"
    assert line(findings, "note_few_for_mushra") is None
    for system in findings.systems:
        own = [vote.score for vote in votes if vote.system == system.system]
        assert system.mean == pytest.approx(sum(own) / len(own)) and system.low < system.mean < system.high
    switched = {"reference": 40, "x": 76, "y": 70, "lowpass-3.5": 90}
    odd = _findings("mushra-like", ratings("mushra-like", switched, spread=3))
    assert line(odd, "note_reference_beaten")["names"] == ["X", "Y"] and line(odd, "note_anchor_high")["names"] == ["X", "Y", "Recording"]


def test_an_anchor_is_the_lowest_only_where_nothing_is_lower_not_even_the_reference_or_another_anchor():
    low = _findings("mushra-like", ratings("mushra-like", {"reference": 10, "x": 76, "y": 70, "lowpass-3.5": 30}, spread=3))
    assert line(low, "note_anchor_found") is None and line(low, "note_anchor_high")["names"] == ["Recording"]
    two = _findings("mushra-like", ratings("mushra-like", {"x": 76, "y": 70, "lowpass-3.5": 30, "other-voice": 10}, spread=3))
    assert [note.key for note in two.notes].count("note_anchor_found") == 1 and line(two, "note_anchor_high") is None


def test_mos_has_histograms_and_bounds_a_difference_that_was_not_found():
    findings = _findings("mos", ratings("mos", {"x": 3.6, "y": 3.6}, listeners=12, texts=10))
    assert keys(findings) == ["verdict_pair_cmos", "verdict_gap_between"]
    assert (
        -0.5 < line(findings, "verdict_gap_between")["low"] < 0 < line(findings, "verdict_gap_between")["high"] < 0.5
        and line(findings, "note_tied") == {}
    )
    assert [sum(system.histogram) for system in findings.systems] == [120, 120]
    assert set(findings.systems[0].by_listener) == {f"L{number:02}" for number in range(12)}
    ahead = _findings("smos", ratings("smos", {"x": 4.2, "y": 3.2, "z": 3.2}, listeners=12, texts=10))
    assert keys(ahead)[0] == "verdict_first_smos" and keys(ahead)[1] in ("verdict_behind_several", "verdict_behind_alike")
    one = _findings("mos", ratings("mos", {"x": 4}))
    assert keys(one) == ["verdict_mean"] and one.pairs == ()


def test_nothing_is_called_equal_that_may_differ_by_much():
    few = _findings("mos", ratings("mos", {"x": 3.5, "y": 3.5}, listeners=2, texts=3))
    assert keys(few) == ["verdict_pair_cmos", "verdict_gap_between"] and line(few, "verdict_gap_between")["high"] > 0.6
    alone = _findings("ab", [vote("ab", 0, text, pair, 1.0) for text in range(9) for pair in (("x", "y"), ("y", "z"), ("x", "z"))])
    assert keys(alone) == ["verdict_first_ab", "verdict_between", "verdict_behind_bare"] or line(alone, "note_one_listener") == {}


def test_two_are_equal_only_within_a_margin_that_was_chosen_beforehand():
    votes = ratings("mos", {"x": 3.6, "y": 3.6}, listeners=12, texts=10)
    assert keys(_findings("mos", votes, margin=0.1)) == ["verdict_pair_cmos", "verdict_gap_between"]
    equal = _findings("mos", votes, margin=0.5)
    assert keys(equal) == ["verdict_pair_mos", "verdict_equal_within"] and line(equal, "verdict_equal_within") == {
        "margin": 0.5,
        "scale": 5,
    }
    alike = ratings("mos", {"x": 3.6, "y": 3.6, "z": 3.6}, listeners=12, texts=10)
    assert keys(_findings("mos", alike, margin=0.6)) == ["verdict_several_mos", "verdict_equal_within"]
    assert keys(_findings("mos", alike)) == ["verdict_several_cmos", "verdict_gap_bound"]
    shares = _findings("ab", _ab(52), margin=0.2)
    assert keys(shares) == ["verdict_ab_none", "verdict_equal_shares"] and line(shares, "verdict_equal_shares") == {"margin": 20}


def _any_votes(method: str, seed: int) -> list:
    """Of a panel of some size, some tastes, some gaps, with votes missing."""
    rng = random.Random(seed)
    systems, taste, gap = "xyz"[: rng.choice((2, 2, 3))], rng.choice((0, 0.5, 2)), rng.choice((0, 0.5, 1.5))
    tastes = {(one, name): rng.gauss(0, taste) + gap * (name == "x") for one in range(20) for name in systems}
    heard = itertools.product(range(rng.randint(1, 9)), range(10, 10 + rng.randint(1, 6)))
    votes = []
    for listener, text in heard:
        for pair in itertools.combinations(systems, 2) if method in ("abx", "ab", "cmos") else [(name, "") for name in systems]:
            worth = [tastes[listener, name] + tastes[text, name] if name else 0.0 for name in pair]
            told = worth[0] - worth[1] + rng.gauss(0, 1)
            score = {"abx": told > -0.3, "ab": told > 0, "cmos": round(told), "mos": round(3 + told), "mushra": round(50 + 20 * told)}[
                method
            ]
            least, most = {"abx": (0, 1), "ab": (0, 1), "cmos": (-3, 3), "mos": (1, 5), "mushra": (0, 100)}[method]
            votes += [vote(method, listener, text, pair, float(min(max(score, least), most)))] * (rng.random() < 0.8)
    return votes


@pytest.mark.slow
@pytest.mark.parametrize("method", ["abx", "ab", "cmos", "mos", "mushra"])
def test_verdict_table_and_ranges_never_contradict_each_other(method):
    """What is called better is clear in the pair's p and outside of its range, with all pairs counted; and the other way round."""
    for seed in range(40):
        findings = _findings(method, _any_votes(method, seed))
        even = 0.5 if method in ("abx", "ab") else 0.0
        ranks = {system.system: system.rank for system in findings.systems}
        for pair in findings.pairs:
            at, ends = (
                (pair.difference, (pair.low_all, pair.high_all)) if even == 0 else (pair.share, (pair.share_low_all, pair.share_high_all))
            )
            if ends[0] is None:
                continue
            assert ends[0] - 1e-9 <= at <= ends[1] + 1e-9 and (pair.p <= pair.p_all)
            is_outside = ends[0] > even or (ends[1] < even and method != "abx")
            assert is_outside == pair.is_clear
            if method != "abx" and pair.is_clear:
                assert (ranks[pair.system] < ranks[pair.other]) == (at > even)
        said = {line.key for line in findings.verdict}
        is_clear = any(pair.is_clear for pair in findings.pairs)
        claims = {"verdict_abx_heard", "verdict_abx_several", "verdict_ab_preferred", "verdict_cmos_better"}
        apart = any(key.startswith(("verdict_first", "verdict_behind", "verdict_between")) for key in said)
        assert bool(said & claims or apart) == is_clear, (seed, said, findings.pairs)


def test_who_is_behind_some_of_the_first_but_not_all_is_in_between():
    standing = Ranking({"x": 5.0, "y": 4.5, "z": 4.0, "w": 1.0}, frozenset({("x", "z"), ("x", "w"), ("y", "w"), ("z", "w")}))
    assert standing.ranks == {"x": 1, "y": 1, "z": 2, "w": 4}
    assert [(line.key, line.values) for line in standing.lines("mos", str.upper, 5)] == [
        ("verdict_pair_mos", {"name": "X", "other": "Y"}),
        ("verdict_between", {"names": ["Z"]}),
        ("verdict_behind_both", {"name": "W", "gap": 3.8, "scale": 5}),
    ]


def test_no_range_goes_beyond_the_scale():
    votes = ratings("mos", {"x": 4.8, "y": 1.2}, listeners=3, texts=3, spread=0.6)
    high, low = (system for system in _findings("mos", votes).systems)
    assert high.mean < high.high == 5.0 and low.mean > low.low == 1.0


def test_a_tiny_panel_is_told_what_it_cannot_say():
    findings = _findings("mos", ratings("mos", {"x": 4.5, "y": 1.5}, listeners=4, texts=5, spread=0.5))
    assert line(findings, "note_tiny_panel") == {"n": 4}
    assert keys(findings) == ["verdict_first_mos", "verdict_behind"]  # plain to see all the same


def test_findings_do_not_depend_on_the_order_of_votes():
    votes = ratings("mos", {"x": 4, "y": 3.8, "z": 3}, listeners=6, texts=5)
    mixed = random.Random(1).sample(votes, len(votes))
    assert _findings("mos", votes, seed=3) == _findings("mos", mixed, seed=3)
    assert _findings("mos", votes, seed=3) != _findings("mos", votes, seed=4)


@pytest.mark.slow
def test_the_smallest_and_strangest_tests_have_findings():
    """No votes, one vote, all alike, one listener, systems that nobody heard beside each other; all of them make JSON."""
    for method in METHODS:
        assert keys(_findings(method, [])) == ["verdict_nothing"]
        paired = method in ("abx", "ab", "cmos", "ccr", "bs1116")
        systems = [("x", "y"), ("y", "z")] if paired else [("x", ""), ("y", ""), ("z", "")]
        for listeners, texts, n_systems in itertools.product((1, 2, 3), (1, 2), (1, 2, 3)):
            alike = [
                vote(method, listener, text, pair, 1.0)
                for listener in range(listeners)
                for text in range(texts)
                for pair in systems[:n_systems]
            ]
            assert json.dumps(asdict(_findings(method, alike)), allow_nan=False)
        apart = [vote(method, number, number, pair, 1.0) for number, pair in enumerate(systems)]
        assert json.dumps(asdict(_findings(method, apart)), allow_nan=False)
        left_out = [vote(method, 0, 0, systems[0], 1.0, experimenter=True)]
        assert keys(_findings(method, left_out)) == ["verdict_nothing"]
