"""Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi): one page, as a person uses it, and its errors.

Playwright's Firefox is a build of its own; this is the one that a system's package brings.
"""

import json
import re
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import which

from websockets.sync.client import ClientConnection, connect

__all__ = ["Firefox", "find_firefox", "started_firefox"]

PATIENCE_SECONDS = 60.0  # until a claim is false: nothing here is a matter of time, and a machine may be busy
LOOK_AGAIN_MILLISECONDS = 30
MOST_MESSAGE_BYTES = 32 << 20
NAMES = ("firefox-esr", "firefox")
PREFERENCES = {
    "media.autoplay.default": 0,  # sound without a person
    "media.cubeb.force_mock_context": True,  # a machine without a sound card has a clock to play by; else its AudioContext never starts
    "intl.accept_languages": "en-US",
}
Json = dict[str, object]


def find_firefox() -> str | None:
    """The program on PATH, or None."""
    return next(filter(None, map(which, NAMES)), None)


@contextmanager
def started_firefox(program: str, profile: Path) -> Iterator["Firefox"]:
    """A new Firefox without windows. profile: an empty folder, all that it knows."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    command = [program, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(profile)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        with connect(f"{_address(process)}/session", max_size=MOST_MESSAGE_BYTES) as connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        process.stderr.read()  # to its end, or a full pipe would hold it
        process.wait(PATIENCE_SECONDS)
        process.stderr.close()


class Firefox:
    """Its one page. errors: what the console or a script complained of, so far."""

    def __init__(self, connection: ClientConnection):
        self.errors: list[str] = []
        self._connection = connection
        self._sent = 0
        self._tell("session.new", capabilities={})
        self._tell("session.subscribe", events=["log.entryAdded"])
        self._page = self._tell("browsingContext.getTree")["contexts"][0]["context"]
        viewport = {"width": 1280, "height": 800}
        self._tell("browsingContext.setViewport", context=self._page, viewport=viewport)

    def open(self, url: str) -> None:
        """Go there and wait until it is loaded."""
        self._tell("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def value(self, script: str) -> object:
        """Of an expression in the page, or of its promise; what JSON can say."""
        expression = f"Promise.resolve({script}).then((value) => JSON.stringify(value) ?? 'null')"
        answer = self._tell("script.evaluate", expression=expression, target={"context": self._page}, awaitPromise=True)
        assert answer["type"] == "success", f"{script}: {answer['exceptionDetails']['text']}"
        return json.loads(answer["result"]["value"])

    def wait_for(self, script: str) -> object:
        """Until an expression in the page is true; its value."""
        look = f"const value = {script}; value ? done(value) : setTimeout(look, {LOOK_AGAIN_MILLISECONDS})"
        return self.value(
            f"new Promise((done, fail) => {{ const look = () => {{ try {{ {look}; }} catch (e) {{ fail(e); }} }}; look(); }})"
        )

    def press(self, *, css: str = "", role: str = "", name: str = "") -> None:
        """The mouse, in the middle of the element that is meant: by a selector, or by role and name."""
        element = self._element(css=css, role=role, name=name)
        scroll = "(element) => element.scrollIntoView({ block: 'center', behavior: 'instant' })"
        self._tell(
            "script.callFunction", functionDeclaration=scroll, arguments=[element], target={"context": self._page}, awaitPromise=False
        )
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": {"type": "element", "element": element}}
        acts = [move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act({"type": "pointer", "id": "mouse", "actions": acts})

    def type(self, text: str) -> None:
        """On the keyboard, into what has the focus."""
        acts = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": acts})

    def choose_files(self, css: str, files: Sequence[Path]) -> None:
        """In an <input type=file>, which may be hidden."""
        self._tell("input.setFiles", context=self._page, element=self._element(css=css), files=[str(file) for file in files])

    # --- private

    def _element(self, *, css: str, role: str = "", name: str = "") -> Json:
        locator = {"type": "css", "value": css} if css else {"type": "accessibility", "value": {"role": role, "name": name}}
        nodes = self._tell("browsingContext.locateNodes", context=self._page, locator=locator, maxNodeCount=1)["nodes"]
        assert nodes, f"there is no {css or f'{role} {name}'}"
        return {"sharedId": nodes[0]["sharedId"]}

    def _act(self, source: Json) -> None:
        self._tell("input.performActions", context=self._page, actions=[source])

    def _tell(self, method: str, **parameters: object) -> Json:
        """Its answer. What comes before that are events."""
        self._sent += 1
        self._connection.send(json.dumps({"id": self._sent, "method": method, "params": parameters}))
        while (message := json.loads(self._connection.recv(PATIENCE_SECONDS))).get("id") != self._sent:
            self._note(message)
        assert message["type"] == "success", f"{method}: {message['error']}: {message['message']}"
        return message["result"]

    def _note(self, message: Json) -> None:
        if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
            self.errors.append(str(message["params"]["text"]))


def _address(process: subprocess.Popen) -> str:
    """ws://127.0.0.1:PORT, which it says once it listens."""
    said = deque(maxlen=20)
    for line in process.stderr:
        said.append(line)
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
            return found[1]
    raise RuntimeError("Firefox did not start. It said:\n" + "".join(said))
