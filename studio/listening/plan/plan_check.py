"""Plan check: reads plans that come from outside, limits their sizes, and compares plans."""

from pydantic import ValidationError

from studio.errors import PlanUnusable
from studio.listening.plan.plan import Plan
from studio.listening.plan.questions import question_count

__all__ = ["check_plan", "have_the_same_sounds", "plan_of"]

MOST_PLAN_BYTES = 1 << 20
MOST_SYSTEMS = 24
MOST_QUESTIONS = 1000  # to one listener: hours; each is dealt at once, and kept with its sounds' names, when somebody begins
# What may be another without another sound.
NOT_HEARD = {
    "name",
    "listeners",
    "repeats",
    "no_preference",
    "headphones",
    "comments",
    "training",
    "traps",
    "margin",
    "consent",
    "seed",
}


def plan_of(told: object) -> Plan:
    """The plan that JSON, or what was read of YAML, says. Raises PlanUnusable, which names the first field that is wrong."""
    try:
        plan = Plan.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        reason = str(first["msg"]).removeprefix("Value error, ")
        raise PlanUnusable(".".join(map(str, first["loc"])), reason[:1].lower() + reason[1:]) from None
    check_plan(plan)
    return plan


def check_plan(plan: Plan) -> None:
    """What a studio keeps. Raises PlanUnusable."""
    try:
        n_bytes = len(plan.model_dump_json().encode())
    except ValueError:  # pydantic's, of half a character
        raise PlanUnusable("", "it holds what is no Unicode text") from None
    if n_bytes > MOST_PLAN_BYTES:
        raise PlanUnusable("", f"it has {n_bytes} bytes; it may have {MOST_PLAN_BYTES}")
    if len(plan.systems) > MOST_SYSTEMS:
        raise PlanUnusable("systems", f"there are {len(plan.systems)}; a test may have {MOST_SYSTEMS}")
    if (n := question_count(plan)) > MOST_QUESTIONS:
        raise PlanUnusable(
            "repeats" if plan.repeats > 1 else "texts", f"each listener would be asked {n} questions; they may be asked {MOST_QUESTIONS}"
        )


def have_the_same_sounds(one: Plan, other: Plan) -> bool:
    return _heard(one) == _heard(other)


def _heard(plan: Plan) -> dict[str, object]:
    """What of a plan its sounds are made of."""
    told = plan.model_dump(exclude=NOT_HEARD)
    return {**told, "systems": [{name: value for name, value in system.items() if name != "label"} for system in told["systems"]]}
