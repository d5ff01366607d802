"""What a visitor can ask about scripts, their lines and takes, by route."""

from collections.abc import Callable

from tests.workspaces.visitor import Visitor
from tests.workspaces.world import Belongings

__all__ = ["SCRIPT_FUNCTIONS", "SCRIPT_ROUTES"]

SCRIPTS = "/v1/studio/scripts"
ONE = SCRIPTS + "/{script}"
LINE = ONE + "/lines/{line}"
TAKE = LINE + "/takes/{take}"
TEXT = {"text": "ANNA: one two\n\nBEN: three four\n", "filename": "scene.txt"}
EDIT = {"edits": [{"op": "insert", "lines": [{"text": "five six"}]}]}
CAST = [{"name": "ANNA", "voice": "tone"}]
PICTURE = b"\x89PNG no picture"


def ask_about(method: str, route: str, **content) -> Callable[[Visitor, Belongings], object]:
    """Of somebody's script the first line, and a take."""
    return lambda b, has: b.ask(method, route.format(script=has.script, line=has.line, take=has.line), route, **content)


def have_a_script(b: Visitor, has: Belongings) -> None:
    """And look whether it is the only one, and whether its voice is known in another."""
    own = b.post(SCRIPTS, TEXT).json()["id"]
    b.ask("GET", SCRIPTS)
    b.ask("GET", f"{SCRIPTS}?voice={has.voice}", SCRIPTS)
    b.post(f"{SCRIPTS}/{own}/edits", EDIT, f"{ONE}/edits")
    b.ask("GET", f"{SCRIPTS}/{own}/lines", f"{ONE}/lines")
    b.ask("DELETE", f"{SCRIPTS}/{own}", ONE)


SCRIPT_ROUTES: dict[str, Callable[[Visitor, Belongings], object]] = {
    f"GET {SCRIPTS}": lambda b, has: b.ask("GET", SCRIPTS),
    f"POST {SCRIPTS}": have_a_script,
    f"POST {SCRIPTS}/read": lambda b, has: b.post(f"{SCRIPTS}/read", TEXT),
    **{f"GET {ONE}{rest}": ask_about("GET", ONE + rest) for rest in ("", "/lines", "/line_ids", "/changes", "/progress", "/play", "/test")},
    f"POST {ONE}/copy": ask_about("POST", f"{ONE}/copy"),
    f"PUT {ONE}/cover": ask_about("PUT", f"{ONE}/cover", content=PICTURE),
    f"GET {ONE}/cover": ask_about("GET", f"{ONE}/cover"),
    f"DELETE {ONE}/cover": ask_about("DELETE", f"{ONE}/cover"),
    f"POST {ONE}/edits": ask_about("POST", f"{ONE}/edits", json=EDIT),
    **{f"POST {ONE}/{verb}": ask_about("POST", f"{ONE}/{verb}") for verb in ("undo", "redo")},
    f"POST {ONE}/find": ask_about("POST", f"{ONE}/find", json={"text": "one"}),
    f"POST {ONE}/replace": ask_about("POST", f"{ONE}/replace", json={"text": "one", "by": "two"}),
    f"POST {ONE}/say": ask_about("POST", f"{ONE}/say", json={}),
    f"DELETE {ONE}/say": ask_about("DELETE", f"{ONE}/say"),
    f"POST {ONE}/best": ask_about("POST", f"{ONE}/best", json={}),
    f"POST {LINE}/takes": ask_about("POST", f"{LINE}/takes", json={}),
    f"POST {LINE}/mend": ask_about("POST", f"{LINE}/mend", json={"text": "one three"}),
    f"PUT {LINE}/chosen": ask_about("PUT", f"{LINE}/chosen", json={"take": ""}),
    f"GET {TAKE}/audio": ask_about("GET", f"{TAKE}/audio"),
    f"GET {TAKE}/words": ask_about("GET", f"{TAKE}/words"),
    f"DELETE {TAKE}": ask_about("DELETE", TAKE),
    f"POST {ONE}/export": ask_about("POST", f"{ONE}/export", json={"format": "wav"}),
    f"POST {ONE}/export/check": ask_about("POST", f"{ONE}/export/check", json={"format": "wav"}),
    f"POST {ONE}/dub": ask_about("POST", f"{ONE}/dub", files={"file": ("a.mp4", b"no video", "video/mp4")}),
    f"POST {ONE}/test": ask_about("POST", f"{ONE}/test", json={"cast": CAST}),
    f"DELETE {ONE}/test": ask_about("DELETE", f"{ONE}/test"),
    f"DELETE {ONE}": ask_about("DELETE", ONE),
}
# Functions of the page, and with what they are called.
SCRIPT_FUNCTIONS: dict[str, Callable[[Belongings], list[object]]] = {"show_example": lambda has: [{}]}
