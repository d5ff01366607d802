"""Listeners as CSV (RFC 4180), a row for each: when they came and agreed, with what, from where, and what they said of themselves.

Beside the votes, whose column `listener` names the same people. It is for whoever made the test, and in no report.
"""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime

from studio.listening.people.people import Person
from studio.listening.plan.panel import RECRUITING
from studio.listening.plan.plan import Plan
from studio.reading.formula_guard import guard_formula

__all__ = ["listeners_csv"]

FIRST = ("listener", "experimenter", "counts_by_hand", "begun", "done", "consented", "device", "completion_code")


def listeners_csv(plan: Plan, people: Sequence[Person]) -> str:
    """Parameters of the link have their own names, questions their ids with `before.` or `after.`; semicolons part several choices.
    Of the services' parameters only those have a column that anybody came with."""
    came_with = {name for person in people for name in person.recruited}
    names = [name for name in (*RECRUITING, *plan.recruiting) if name in came_with or name in plan.recruiting]
    parts = [(part, question.id) for part in ("before", "after") for question in getattr(plan.questionnaire, part)]
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow([*FIRST, *names, *(f"{part}.{question}" for part, question in parts)])
    for person in people:
        forms = {"before": person.before, "after": person.after or {}}
        told = [person.recruited.get(name) for name in names] + [forms[part].get(question) for part, question in parts]
        writer.writerow([_written(value) for value in (*_first(person), *told)])
    return file.getvalue()


def _first(person: Person) -> tuple[object, ...]:
    times = (_time(seconds) for seconds in (person.begun, person.done, person.consented))
    return (person.listener, person.experimenter, person.counts_by_hand, *times, person.device, person.completion)


def _time(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return guard_formula("; ".join(map(str, value)))
    return guard_formula(value) if isinstance(value, str) else repr(value)
