"""Assessor: one listener as results have them, with the reasons for and against counting them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.listening.plan.screening import UNPLANNED, Screening
from studio.listening.vote.conduct import Conduct

__all__ = ["Admission", "Assessor", "Exclusion", "Fault", "RuleOutcome"]


@dataclass(frozen=True)
class Fault:
    """What a rule found of a listener. reason: as Exclusion has it. values: for its sentence. excludes: or only a doubt."""

    reason: str
    values: Mapping[str, object] = field(default_factory=dict)
    excludes: bool = True


@dataclass(frozen=True)
class Exclusion:
    """Why a listener does not count, or is in doubt. values: for sentence `tests.left_out_<reason>`. excludes: whether that alone leaves
    them out; else it is a doubt.

    reason: `hidden_reference`, `mid_anchor`, `gold`, `trap`, `too_fast`, `unheard`, `early`, `headphones`, `agreement`, `same_answer`,
    `same_slot`, `same_participant`, `same_answers`, `same_device`, `few_answered`, `experimenter`, `by_hand`.
    """

    listener: str
    reason: str
    values: Mapping[str, object] = field(default_factory=dict)
    excludes: bool = True


@dataclass(frozen=True)
class Assessor:
    """listener: as results call them. n: their votes. counts: whether they are in the figures. exclusions: why not, or why in doubt.

    device, place, check: with what and where they listened, and what the headphone check said; "" where nobody knows.
    agreement: correlation with all others, None where that rule is not asked, or there is too little to say.
    """

    listener: str
    n: int
    counts: bool
    exclusions: tuple[Exclusion, ...] = ()
    device: str = ""
    place: str = ""
    check: str = ""
    agreement: float | None = None


@dataclass(frozen=True)
class RuleOutcome:
    """What one rule did. rule: a reason, with sentence `tests.rule_<rule>` and its limit in values. n_out: listeners whom it alone, or with
    others, leaves out; n_doubted: who have some of that fault and are within the limit."""

    rule: str
    values: Mapping[str, object]
    n_out: int
    n_doubted: int


@dataclass(frozen=True)
class Admission:
    """What decides who counts, beside the votes. counted: by hand, which goes before all rules. conducts: by listener."""

    rules: Screening = UNPLANNED
    counted: Mapping[str, bool] = field(default_factory=dict)
    conducts: Mapping[str, Conduct] = field(default_factory=dict)
