"""What a visitor may do with the listeners of a listening test, and with what they said."""

from collections.abc import Callable

from tests.workspaces.visitor import Visitor
from tests.workspaces.world import Belongings

__all__ = ["LISTENER_FUNCTIONS", "LISTENER_ROUTES"]

TEST = "/v1/studio/tests/{test}"
LISTENERS = TEST + "/listeners"
ONE = LISTENERS + "/{listener}"


def ask_about_listeners(method: str, path: str) -> Callable[[Visitor, Belongings], object]:
    """Of the visitor's own test."""
    return lambda b, has: b.ask(method, path.format(test=has.test, listener="L01"), path)


LISTENER_ROUTES: dict[str, Callable[[Visitor, Belongings], object]] = {
    **{f"GET {TEST}/{part}": ask_about_listeners("GET", f"{TEST}/{part}") for part in ("votes", "findings", "report", "sounds")},
    f"GET {LISTENERS}": ask_about_listeners("GET", LISTENERS),
    f"GET {ONE}": ask_about_listeners("GET", ONE),
    f"DELETE {ONE}": ask_about_listeners("DELETE", ONE),
}
# Functions of the page, and with what they are called.
LISTENER_FUNCTIONS: dict[str, Callable[[Belongings], list[object]]] = {
    "show_listener": lambda has: [{"id": has.test, "listener": "L01"}],
    "delete_listener": lambda has: [{"id": has.test, "listener": "L01"}],
    "count_listener": lambda has: [{"id": has.test, "listener": "L01", "counts": False}],
}
