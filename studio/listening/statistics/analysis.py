"""Analysis: turns all votes of a test into its findings: who counts, what the method finds, and notes beside it."""

from collections.abc import Callable, Iterable, Mapping

from studio.listening.plan.design import Role
from studio.listening.plan.plan import Method
from studio.listening.statistics.ballot import Ballot, Beforehand, MethodFindings
from studio.listening.statistics.comparisons import cmos_findings
from studio.listening.statistics.findings import Assessor, Findings, Line
from studio.listening.statistics.guesses import abx_findings
from studio.listening.statistics.preferences import ab_findings
from studio.listening.statistics.ratings import rated_findings
from studio.listening.statistics.screening import screened
from studio.listening.statistics.strengths import N_RESAMPLES
from studio.listening.vote.vote import Vote

__all__ = ["Beforehand", "findings_of"]

TINY_PANEL = 8  # listeners below which ranges say little, and lean to the careful side
BY_METHOD: Mapping[Method, Callable[[Ballot], MethodFindings]] = {
    "abx": abx_findings,
    "ab": ab_findings,
    "cmos": cmos_findings,
    "mos": rated_findings,
    "smos": rated_findings,
    "mushra": rated_findings,
    "mushra-like": rated_findings,
}


def findings_of(
    method: Method,
    votes: Iterable[Vote],
    labels: Mapping[str, str],
    roles: Mapping[str, Role],
    *,
    chosen: Beforehand = Beforehand(),
    counted: Mapping[str, bool] | None = None,
) -> Findings:
    """The same votes and seed, in whatever order, give the same findings.

    labels: what results call systems, references and anchors; their order is that of the findings. roles: what is no system, beside
    what the role itself is the name of. counted: listeners who count, or do not, by hand, whatever the rules say.
    chosen: what the plan has chosen before anybody listened.
    """
    votes = tuple(votes)
    listeners = screened(votes, roles, counted or {})
    counting = {assessor.listener for assessor in listeners if assessor.counts}
    used = sorted((vote for vote in votes if vote.kind == "item" and vote.listener in counting), key=_place)
    ballot = Ballot(method, tuple(used), labels, roles, chosen.seed, chosen.margin)
    said = BY_METHOD[method](ballot) if used else MethodFindings((), (), (Line("verdict_nothing"),))
    return Findings(
        method,
        len(ballot.listeners),
        len(ballot.texts),
        len(used),
        chosen.seed,
        N_RESAMPLES,
        said.systems,
        said.pairs,
        listeners,
        said.verdict,
        (*said.notes, *_notes(ballot, said, listeners)) if used else _left_out(listeners),
        said.components,
        chosen.margin,
    )


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
