"""Who does not count, and why: listeners planted among good ones are found, and nobody else."""

from dataclasses import replace

from studio.listening.screening.assessor import Admission
from studio.listening.screening.screening import role_of, screened
from studio.listening.statistics.analysis import findings_of
from tests.listening.statistics.votes import line, ratings, vote

MEANS = {"reference": 97, "lowpass-7": 60, "lowpass-3.5": 20, "x": 75, "y": 50}


def _mushra() -> list:
    return ratings("mushra", MEANS, listeners=10, texts=10, spread=1.5)


def _changed(votes: list, listener: int, wanted, **changes) -> list:
    return [replace(vote, **changes) if vote.listener == f"L{listener:02}" and wanted(vote) else vote for vote in votes]


def test_planted_bad_listeners_are_left_out_with_the_reason():
    votes = _mushra()
    votes = _changed(votes, 1, lambda v: v.system == "reference" and v.text in ("t0", "t1"), score=89)
    votes = _changed(votes, 2, lambda v: v.system == "lowpass-7" and v.text in ("t0", "t1"), score=91)
    votes = _changed(votes, 3, lambda v: v.text in ("t0", "t1"), seconds=0.9)
    votes = _changed(votes, 4, lambda v: v.text in ("t0", "t1"), heard_seconds=2.9)
    votes = _changed(votes, 5, lambda v: True, experimenter=True)
    votes = _changed(votes, 6, lambda v: v.system == "reference" and v.text == "t0", score=89)  # 10 % of the items are allowed
    gold = [vote("mushra", 7, text, ("gold", ""), 80, kind="gold", passed=text > 0) for text in (0, 1)]
    traps = [vote("mushra", 8, text, ("x", ""), 80, kind="trap", passed=False) for text in (0, 1)]
    passed = [vote("mushra", 9, text, ("gold", ""), 5, kind="gold", passed=text > 0) for text in (0, 1, 2)]
    training = [vote("mushra", 0, 50, ("reference", ""), 0, kind="training")]
    findings = findings_of("mushra", [*votes, *gold, *traps, *passed, *training], {"x": "X", "y": "Y"}, {})
    assert {a.listener: (a.counts, [(e.reason, e.values) for e in a.exclusions]) for a in findings.listeners} == {
        "L00": (True, []),
        "L01": (False, [("hidden_reference", {"n": 2, "of": 10})]),
        "L02": (False, [("mid_anchor", {"n": 2, "of": 10})]),
        "L03": (False, [("too_fast", {"n": 2, "of": 10})]),
        "L04": (False, [("unheard", {"n": 10, "of": 50})]),
        "L05": (False, [("experimenter", {})]),
        "L06": (True, [("hidden_reference", {"n": 1, "of": 10})]),
        "L07": (False, [("gold", {"n": 1, "of": 2})]),
        "L08": (False, [("trap", {"n": 2, "of": 2})]),
        "L09": (True, [("gold", {"n": 1, "of": 3})]),
    }
    assert (findings.n_listeners, findings.n_votes, line(findings, "note_left_out")) == (3, 150, {"n": 7})
    assert all(set(system.by_listener) == {"L00", "L06", "L09"} for system in findings.systems)


def test_by_hand_goes_before_all_rules():
    votes = _changed(_mushra(), 1, lambda v: True, experimenter=True)
    listeners = {a.listener: a for a in screened(votes, {}, Admission(counted={"L01": True, "L02": False}))}
    assert listeners["L01"].counts and [e.reason for e in listeners["L01"].exclusions] == ["experimenter"]
    assert not listeners["L02"].counts and [e.reason for e in listeners["L02"].exclusions] == ["by_hand"]
    assert listeners["L03"].counts


def test_rules_of_bs_1534_are_for_mushra_and_nothing_is_held_against_who_was_not_timed():
    low = [replace(vote, score=10.0, seconds=0.0, heard_seconds=0.0) for vote in _mushra()]
    assert not any(assessor.counts for assessor in screened(low, {}, Admission()))
    assert all(assessor.counts for assessor in screened([replace(vote, method="mushra-like") for vote in low], {}, Admission()))


def test_of_a_short_sound_four_fifths_are_enough():
    votes = [vote("mos", listener, 0, ("x", ""), 3, heard_seconds=heard) for listener, heard in enumerate((1.0, 2.0, 2.0, 1.7))]
    assert [assessor.counts for assessor in screened(votes, {}, Admission())] == [False, True, True, True]


def test_who_has_the_name_of_a_role_has_the_role_unless_told_otherwise():
    assert [role_of(name, {"e": "embedded", "gold": "system"}) for name in ("reference", "e", "x", "gold")] == [
        "reference",
        "embedded",
        "system",
        "system",
    ]
