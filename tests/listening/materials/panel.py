"""Plans of every method, and their sounds without files, for tests of orders and votes."""

import hashlib

from studio.listening.plan.design import Item, Trial
from studio.listening.plan.plan import Method, Plan
from studio.listening.plan.render_steps import sounds_of
from studio.listening.plan.trials import trials_of

SECRET = b"of this test"


def plan_of(method: Method, n_systems: int = 2, n_texts: int = 6, **more: object) -> Plan:
    systems = [{"id": f"s{index}"} for index in range(n_systems)]
    texts = [f"Text {index} has 2 words, has it not?" for index in range(n_texts)]
    return Plan(**{"name": "Test", "method": method, "systems": systems, "texts": texts} | more)


def items_of(plan: Plan, seconds: float = 2.0) -> tuple[Item, ...]:
    """Ids as a test would have them, but always the same."""

    def item_id(key: object) -> str:
        return hashlib.md5(repr(key).encode()).hexdigest()

    return tuple(Item(item_id(key), key.system, key.role, key.text, "", seconds, seconds, 0.0, -23.0, 12_000.0) for key in sounds_of(plan))


def heard_by(plan: Plan, listener: int) -> tuple[Trial, ...]:
    return trials_of(plan, items_of(plan), listener, SECRET)


def systems_in(plan: Plan, trial: Trial) -> dict[str, str]:
    """Label of a slot -> system."""
    named = {item.id: item.system for item in items_of(plan)}
    return {slot.label: named[slot.item] for slot in trial.slots}
