"""What a visitor can ask about a take and its parts, by route."""

from collections.abc import Callable

from tests.workspaces.visitor import Visitor
from tests.workspaces.world import Belongings

__all__ = ["TAKE_ROUTES"]

ONE = "/v1/studio/takes/{take}"
PART = ONE + "/parts/{part}"
HEARD = PART + "/renditions/{rendition}/audio"


def ask_about(method: str, route: str, **content) -> Callable[[Visitor, Belongings], object]:
    """Of its first part the first rendition."""
    return lambda b, has: b.ask(method, route.format(take=has.entry, part=1, rendition=1), route, **content)


TAKE_ROUTES: dict[str, Callable[[Visitor, Belongings], object]] = {
    f"GET {ONE}/audio": ask_about("GET", f"{ONE}/audio"),
    f"GET {ONE}/parts": ask_about("GET", f"{ONE}/parts"),
    f"GET {HEARD}": ask_about("GET", HEARD),
    f"POST {PART}": ask_about("POST", PART, json={"input": "a"}),
    f"PUT {PART}": ask_about("PUT", PART, json={"rendition": 2}),
}
