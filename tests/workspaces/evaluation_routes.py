"""What a visitor can ask about evaluations, their results and sounds, by route."""

import json
from collections.abc import Callable

from tests.workspaces.visitor import ENGINE, Visitor
from tests.workspaces.world import Belongings

__all__ = ["EVALUATION_ROUTES"]

ALL = "/v1/studio/evaluations"
ONE = ALL + "/{evaluation}"
NO_SOUND = "0" * 64


def plan_with(voice: str) -> dict[str, object]:
    """In which that voice would be heard. Only the owner may begin one."""
    return {"systems": [{"engine": ENGINE}], "voices": [voice], "texts": {"lines": ["one two"]}, "begin": False}


def ask_about(method: str, rest: str = "", query: str = "", **content) -> Callable[[Visitor, Belongings], object]:
    return lambda b, has: b.ask(method, ONE.format(evaluation=has.evaluation) + rest.format(sound=NO_SOUND, other=has.evaluation) + query,
                                ONE + rest, **content)  # fmt: skip


def have_an_evaluation(b: Visitor, has: Belongings) -> None:
    """And look whether it is the only one; of a voice that is not one's own, of a tone, as JSON and as a form, begun and not."""
    b.post(ALL, plan_with(has.voice[:-1]))
    b.post(ALL, plan_with("tone") | {"begin": True})
    own = b.post(ALL, plan_with("tone")).json()["id"]
    b.post(ALL, plan_with("tone"))
    b.ask("POST", ALL, files={"plan": (None, json.dumps(plan_with("tone") | {"seeds": [1]}))})
    b.ask("GET", ALL)
    b.ask("GET", f"{ALL}/{own}", ONE)
    b.ask("GET", f"{ALL}/{own}/since/{has.evaluation}", ONE + "/since/{other}")
    b.ask("DELETE", f"{ALL}/{own}", ONE)


EVALUATION_ROUTES: dict[str, Callable[[Visitor, Belongings], object]] = {
    f"GET {ALL}": lambda b, has: b.ask("GET", ALL),
    f"POST {ALL}": have_an_evaluation,
    f"POST {ALL}/expect": lambda b, has: [b.post(f"{ALL}/expect", plan_with(voice)) for voice in (has.voice[:-1], "tone")],
    **{f"GET {ONE}{rest}": ask_about("GET", rest) for rest in ("", "/progress", "/results", "/cells", "/report", "/export")},
    f"GET {ONE}/sounds/{{sound}}": ask_about("GET", "/sounds/{sound}"),
    f"GET {ONE}/since/{{other}}": ask_about("GET", "/since/{other}"),
    f"POST {ONE}/gate": ask_about("POST", "/gate", json={"wrong_words": {"most": 5}}),
    f"POST {ONE}/test": ask_about("POST", "/test", json={}),
    f"POST {ONE}/run": ask_about("POST", "/run"),
    f"DELETE {ONE}/run": ask_about("DELETE", "/run"),
    f"DELETE {ONE}": ask_about("DELETE"),
}
