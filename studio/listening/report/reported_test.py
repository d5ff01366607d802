"""ReportedTest: what report files say about the test behind the findings. studio/listening/keep/test.py implements it."""

from typing import Protocol

from studio.listening.keep.test import FormCount
from studio.listening.plan.design import Item
from studio.listening.plan.plan import Plan

__all__ = ["ReportedTest", "builds_of", "systems_of"]


class ReportedTest(Protocol):
    """link: of its listeners; the id, which opens the test, is in no file that may be handed on.

    created, closed: seconds since 1970. frozen_hash: of plan and items, "" of a draft.
    """

    @property
    def link(self) -> str: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def items(self) -> tuple[Item, ...]: ...
    @property
    def created(self) -> float: ...
    @property
    def closed(self) -> float | None: ...
    @property
    def frozen_hash(self) -> str: ...
    @property
    def is_unblinded(self) -> bool: ...
    @property
    def form_counts(self) -> tuple[FormCount, ...]: ...


def builds_of(test: ReportedTest) -> tuple[str, ...]:
    """Engines and revisions that made the sounds."""
    return tuple(sorted({item.build for item in test.items} - {""}))


def systems_of(test: ReportedTest | None) -> tuple[str, ...]:
    """Of its plan, whose letters they have by their order; none where nothing is known but votes."""
    return tuple(system.id for system in test.plan.systems) if test else ()
