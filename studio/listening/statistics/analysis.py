"""Analysis: turns all votes of a test into its findings: who counts, what the method finds, and notes beside it."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from studio.listening.plan.design import Role
from studio.listening.plan.plan import P835_SCALES, Method
from studio.listening.screening.assessor import Admission
from studio.listening.screening.screening import outcomes_of, screened
from studio.listening.statistics.ballot import Ballot, Beforehand, MethodFindings
from studio.listening.statistics.comparisons import cmos_findings
from studio.listening.statistics.findings import Assessor, Everybody, Findings, HeardBy
from studio.listening.statistics.guesses import abx_findings
from studio.listening.statistics.preferences import ab_findings
from studio.listening.statistics.proportions import holm, one_sided
from studio.listening.statistics.ratings import rated_findings
from studio.listening.statistics.strengths import N_RESAMPLES
from studio.listening.vote.vote import Vote
from studio.words.line import Line

__all__ = ["Beforehand", "findings_of", "who_heard"]

TINY_PANEL = 8  # listeners below which ranges say little, and lean to the careful side
BY_METHOD: Mapping[Method, Callable[[Ballot], MethodFindings]] = {
    "abx": abx_findings,
    "ab": ab_findings,
    "cmos": cmos_findings,
    "mos": rated_findings,
    "smos": rated_findings,
    "mushra": rated_findings,
    "mushra-like": rated_findings,
    "dcr": rated_findings,
    "ccr": cmos_findings,
    "p835": rated_findings,
    "bs1116": cmos_findings,
}


def findings_of(
    method: Method,
    votes: Iterable[Vote],
    labels: Mapping[str, str],
    roles: Mapping[str, Role],
    *,
    chosen: Beforehand = Beforehand(),
    admission: Admission = Admission(),
) -> Findings:
    """The same votes and seed, in whatever order, give the same findings.

    labels: what results call systems, references and anchors; their order is that of the findings. roles: what is no system, beside
    what the role itself is the name of. admission: the rules of screening, and who counts by hand.
    chosen: what the plan has chosen before anybody listened.
    """
    votes = tuple(votes)
    listeners = screened(votes, roles, admission)
    counting = {assessor.listener for assessor in listeners if assessor.counts}
    scales = chosen.scales or _scales_of(method, votes)

    def ballots(kept: Iterable[Vote]) -> list[Ballot]:
        used = sorted((vote for vote in kept if vote.kind == "item"), key=_place)
        of_scale = {scale: tuple(vote for vote in used if vote.scale == scale) for scale in scales}
        shared = labels, roles, chosen.seed, chosen.margin
        return [Ballot(method, of_scale[scale], *shared, scale, n_points) for scale, n_points in scales.items()]

    judged = ballots(vote for vote in votes if vote.listener in counting)
    whole = ballots(vote for vote in votes if not vote.experimenter)
    first, *others = (_of_ballot(*both, listeners) for both in zip(judged, whole, strict=True))
    return replace(first, others=tuple(others), rules=outcomes_of(listeners, admission.rules, votes))


def _scales_of(method: Method, votes: tuple[Vote, ...]) -> dict[str, int]:
    """Of votes without a plan; one without a name where nothing is said of any."""
    places = {scale: place for place, scale in enumerate(P835_SCALES)} if method == "p835" else {}
    named = sorted({vote.scale for vote in votes}, key=lambda scale: (places.get(scale, 0), scale))
    most = {scale: max(vote.score for vote in votes if vote.scale == scale) for scale in named}
    return {scale: max(5, math.ceil(score)) if scale else 5 for scale, score in most.items()} or {"": 5}


def _of_ballot(ballot: Ballot, whole: Ballot, listeners: tuple[Assessor, ...]) -> Findings:
    """whole: with those who do not count."""
    used, said = ballot.votes, _said(ballot)
    return Findings(
        ballot.method,
        len(ballot.listeners),
        len(ballot.texts),
        len(used),
        ballot.seed,
        N_RESAMPLES,
        said.systems,
        said.pairs,
        listeners,
        said.verdict,
        (*said.notes, *_notes(ballot, said, listeners)) if used else _left_out(listeners),
        said.components,
        ballot.margin,
        everybody=_everybody(whole) if len(whole.listeners) > len(ballot.listeners) else None,
        scale=ballot.scale,
        who_heard=who_heard(used) if ballot.method == "abx" else (),
    )


def _said(ballot: Ballot) -> MethodFindings:
    return BY_METHOD[ballot.method](ballot) if ballot.votes else MethodFindings((), (), (Line("verdict_nothing"),))


def _everybody(ballot: Ballot) -> Everybody:
    said = _said(ballot)
    return Everybody(len(ballot.listeners), len(ballot.votes), said.systems, said.pairs, said.verdict)


def _place(vote: Vote) -> tuple:
    return vote.listener, vote.text, vote.system, vote.other, vote.trial, vote.score


def _notes(ballot: Ballot, said: MethodFindings, listeners: tuple[Assessor, ...]) -> tuple[Line, ...]:
    notes = []
    n = len(ballot.listeners)
    if n == 1:
        notes.append(Line("note_one_listener"))
    elif n < TINY_PANEL:
        notes.append(Line("note_tiny_panel", {"n": n}))
    if len(ballot.texts) == 1:
        notes.append(Line("note_one_text"))
    if len(said.pairs) > 1:
        notes.append(Line("note_several_pairs", {"n": len(said.pairs)}))
    return (*notes, *_left_out(listeners))


def _left_out(listeners: tuple[Assessor, ...]) -> tuple[Line, ...]:
    n = sum(not assessor.counts for assessor in listeners)
    return (Line("note_left_out", {"n": n}),) if n else ()


def who_heard(votes: Iterable[Vote]) -> tuple[HeardBy, ...]:
    """Who of the listeners of an ABX test heard a difference, by name: a few who do are lost among many who guess.

    votes: by listeners who count; all pairs of systems together.
    """
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for vote in votes:
        asked[vote.listener] += 1
        right[vote.listener] += vote.score > 0.5
    listeners = sorted(asked)
    ps = [one_sided(right[listener], asked[listener]) for listener in listeners]
    return tuple(
        HeardBy(listener, right[listener], asked[listener], p, p_all) for listener, p, p_all in zip(listeners, ps, holm(ps), strict=True)
    )
