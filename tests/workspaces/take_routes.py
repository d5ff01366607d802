"""What a visitor can ask about a take, its parts, and two takes that are heard without names, by route."""

from collections.abc import Callable

from tests.workspaces.visitor import Visitor
from tests.workspaces.world import Belongings

__all__ = ["TAKE_ROUTES"]

PAIRS, PAIR = "/v1/studio/pairs", "/v1/studio/pairs/{pair}"
ONE = "/v1/studio/takes/{take}"
PART = ONE + "/parts/{part}"
HEARD = PART + "/renditions/{rendition}/audio"


def ask_about(method: str, route: str, **content) -> Callable[[Visitor, Belongings], object]:
    """Of its first part the first rendition."""
    return lambda b, has: b.ask(method, route.format(take=has.entry, part=1, rendition=1), route, **content)


TAKE_ROUTES: dict[str, Callable[[Visitor, Belongings], object]] = {
    f"GET {ONE}/audio": ask_about("GET", f"{ONE}/audio"),
    f"GET {ONE}/words": ask_about("GET", f"{ONE}/words"),
    f"GET {ONE}/parts": ask_about("GET", f"{ONE}/parts"),
    f"GET {HEARD}": ask_about("GET", HEARD),
    f"POST {PART}": ask_about("POST", PART, json={"input": "a"}),
    f"PUT {PART}": ask_about("PUT", PART, json={"rendition": 2}),
    f"POST {PAIRS}": lambda b, has: b.post(
        PAIRS, {"input": "one two", "sides": [{"voice": has.voice}, {"voice": has.voice, "speed": 2.0}]}
    ),
    f"POST {PAIRS}/next": lambda b, has: b.post(f"{PAIRS}/next", {"input": "one two", "voice": has.voice}),
    f"POST {PAIRS}/takes": lambda b, has: b.post(f"{PAIRS}/takes", {"takes": [has.entry, has.entry]}),
    f"GET {PAIR}/{{slot}}": lambda b, has: [b.ask("GET", f"{PAIRS}/{has.pair}/{slot}", PAIR + "/{slot}") for slot in "ab"],
    f"POST {PAIR}/vote": lambda b, has: b.post(f"{PAIRS}/{has.pair}/vote", {"choice": "a"}, PAIR + "/vote"),
    f"DELETE {PAIR}/vote": lambda b, has: b.ask("DELETE", f"{PAIRS}/{has.pair}/vote", PAIR + "/vote"),
    f"GET {PAIRS}/standings": lambda b, has: b.ask("GET", f"{PAIRS}/standings"),
    f"GET {PAIRS}/votes": lambda b, has: b.ask("GET", f"{PAIRS}/votes"),
    f"DELETE {PAIRS}/votes": lambda b, has: b.ask("DELETE", f"{PAIRS}/votes"),
}
