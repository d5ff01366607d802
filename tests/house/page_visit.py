"""PageVisit: a window of the page without a browser, which asks over HTTP what the page's scripts ask, with their bodies."""

import http.client
import json
from typing import Self

from tests.workspaces.visitor import PageEvents

__all__ = ["PageVisit"]

JSON = {"Content-Type": "application/json"}
SESSION = "walk"


class PageVisit:
    """A window that is open: it has loaded, and shows what is there."""

    def __init__(self, port: int):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._page = PageEvents(json.loads(self._asked("GET", "/config")))
        self._shown: dict[str, object] = {}
        self.tick()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._connection.close()

    def call(self, function: str, asked: dict[str, object]) -> dict:
        """A server function, as assets/web/transport/server_call.js calls it."""
        body = {"data": asked, "component_id": self._page.functions[function], "fn_name": function, "session_hash": SESSION}
        answer = self._said("/gradio_api/component_server/", body)
        assert "problem" not in answer, answer
        return answer

    def event(self, name: str, details: object = None) -> None:
        """An event of Gradio's, "component.event"; the window keeps what it is told to show."""
        event = self._page.events[name]
        data = [self._shown.get(component) for component in event["inputs"]]
        body = {"data": data, "event_data": details, "fn_index": event["id"], "session_hash": SESSION, "trigger_id": event["target"]}
        told = self._said("/gradio_api/run/predict", body)["data"]
        kept = zip(event["outputs"], told, strict=True)
        self._shown |= {component: value for component, value in kept if isinstance(value, str)}

    def tick(self) -> bool:
        """A tick of the page's timer, as assets/web/frame/news.js asks: whether anything was new, which is then brought."""
        shown = [self._shown.get(component) for component in self._page.events["news.bring"]["inputs"]]
        is_any = self._said("/studio/news", {"shown": shown, "asked": {}, "session_hash": SESSION})["is_any"]
        if is_any:
            self.event("news.bring")
        return is_any

    def _said(self, path: str, body: object) -> dict:
        return json.loads(self._asked("POST", path, json.dumps(body)))

    def _asked(self, method: str, path: str, body: str | None = None) -> bytes:
        self._connection.request(method, path, body, JSON)
        answer = self._connection.getresponse()
        content = answer.read()
        assert answer.status == http.client.OK, (path, answer.status, content[:300])
        return content
