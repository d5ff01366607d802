"""Visitor: one browser or program that asks a studio for anything it answers, without a browser and without a socket.

What it was answered is kept, together with what it had said until then, so that two visitors can be compared and searched.
"""

import json
import re
from dataclasses import dataclass

import httpx
from fastapi.testclient import TestClient

from studio.service import Studio
from tests.api.door import eventually, wav
from tests.workspaces.normal_form import body_of, headers_of, normal_form

__all__ = ["PAGE_HEADER", "Answer", "PageEvents", "Visitor"]

JSON = {"Content-Type": "application/json"}
ENGINE = "fake"  # that answers; the other one is held
CONFIG = {"type": "session.config", "response_format": "pcm", "model": ENGINE}
OWN_PITCH_HZ = 220.0
PAGE_HEADER = "X-Studio-Page"
ENDPOINT = "endpoint."  # of events that no component causes: what programs call by name


@dataclass(frozen=True)
class Answer:
    """asked: what of the studio was asked. plain: the answer without what differs from run to run. raw: all of it, as text.

    everything_said: by the visitor, from the first word to the last. n_said: how much of it until then, the question included.
    """

    asked: str
    plain: object
    raw: str
    everything_said: list[str]
    n_said: int

    @property
    def said(self) -> str:
        """What the visitor had said until then: long, so that it is put together for whoever asks."""
        return " ".join(self.everything_said[: self.n_said])


class PageEvents:
    """The page's events by name, "component.event", or "...>handler" for what follows one; and its server functions by component.

    config: what the page tells its browser.
    """

    def __init__(self, config: dict):
        named = {component["id"]: component["props"].get("elem_id") or component["type"] for component in config["components"]}
        named[config["dependencies"][0]["targets"][0][0]] = "page"  # page.load is wired first
        self.events: dict[str, dict] = {}
        keys: dict[int, str] = {}
        for event in config["dependencies"]:
            component, kind = (event["targets"] or [(None, event["api_name"])])[0]
            handler = re.sub(r"_\d+$", "", event["api_name"] or "")
            after = event.get("trigger_after")
            name = f"{keys[after]}>{handler}" if after is not None else f"{named.get(component, 'page')}.{kind}"
            if not event["targets"]:
                name = f"{ENDPOINT}{event['api_name']}"
            if name in self.events:  # two handlers of one event
                name = f"{name}:{handler}"
            keys[event["id"]] = name
            if event["backend_fn"]:
                inputs = [named[component_id] for component_id in event["inputs"]]
                outputs = [named[component_id] for component_id in event["outputs"]]
                self.events[name] = {"id": event["id"], "queue": event["queue"], "inputs": inputs, "outputs": outputs, "target": component}
        self.functions = {
            function: component["id"] for component in config["components"] for function in component["props"].get("server_fns") or ()
        }


class Visitor:
    """headers: what says who it is. session: what Gradio calls its page. page: None until `page_events` was asked."""

    def __init__(self, client: TestClient, studio: Studio, headers: dict[str, str], session: str):
        self.answers: list[Answer] = []
        self._client = client
        self._studio = studio
        self._headers = {"Accept-Encoding": "identity"} | headers  # nothing is packed, which would take longer than all else
        self._session = session
        self._seen: dict[str, str] = {}  # by component: what a window keeps
        self._said: list[str] = []
        self._page: PageEvents | None = None

    # --- routes

    def ask(self, method: str, path: str, route: str = "", **content) -> httpx.Response:
        """One request. route: its path as the documentation has it, the path itself where that is empty."""
        self._client.cookies.clear()
        told = {name: part for name, part in content.items() if name != "files"}  # sound is no secret, and long
        self._said.append(f"{method} {path} {told}")
        headers = self._headers | content.pop("headers", {})
        response = self._client.request(method, path, headers=headers, follow_redirects=False, **content)
        self._client.cookies.clear()
        self._settle()
        plain = normal_form([response.status_code, headers_of(response), body_of(response)])
        self._note(f"{method} {route or path}", plain, response.text + str(response.headers))
        return response

    def post(self, path: str, body: object, route: str = "", **headers: str) -> httpx.Response:
        return self.ask("POST", path, route, json=body, headers=headers)

    def speak(self, voice: str, **more: object) -> httpx.Response:
        return self.post("/v1/audio/speech", {"input": "one two", "voice": voice, "model": ENGINE, "response_format": "pcm"} | more)

    def convert(self, voice: str, *, headers: dict[str, str] | None = None, **more: str) -> httpx.Response:
        source, fields = ("a.wav", wav(0.1), "audio/wav"), {"voice": voice, "model": ENGINE, "response_format": "pcm"} | more
        return self.ask("POST", "/v1/audio/speech/convert", files={"file": source}, data=fields, headers=headers or {})

    def upload(self, name: str, hz: float = OWN_PITCH_HZ, **fields: str) -> httpx.Response:
        sample = ("a.wav", wav(2.0, hz=hz), "audio/wav")
        return self.ask("POST", "/v1/audio/voices", files={"audio_sample": sample}, data={"name": name, "consent": "c1"} | fields)

    def record_consent(self, name: str, base: str = "/v1") -> httpx.Response:
        sample = ("a.wav", wav(2.0), "audio/wav")
        return self.ask("POST", f"{base}/audio/voice_consents", files={"recording": sample}, data={"name": name, "language": "en"})

    def converse(self, voice: str) -> list[object]:
        """One utterance through the WebSocket."""
        self._said.append(voice)
        heard: list[object] = []
        with self._client.websocket_connect("/v1/audio/speech/stream", headers=self._headers) as socket:
            for message in (CONFIG | {"voice": voice}, {"type": "input.text", "text": "one two"}, {"type": "input.done"}):
                socket.send_text(json.dumps(message))
            while not (heard and isinstance(heard[-1], dict) and heard[-1]["type"] in ("session.done", "error")):
                message = socket.receive()
                heard.append(json.loads(message["text"]) if message.get("text") else len(message.get("bytes") or b""))
            socket.send_text(
                '{"type": "session.close"}'
            )  # and its end is waited for, or the client would cut the studio off at its last word
            while socket.receive()["type"] != "websocket.close":
                pass
        self._settle()
        self._note("WEBSOCKET /v1/audio/speech/stream", normal_form(heard), json.dumps(heard))
        return heard

    # --- the page

    @property
    def page(self) -> PageEvents:
        if self._page is None:
            self._client.cookies.clear()
            self._page = PageEvents(self._client.get("/config", headers=self._headers).json())
        return self._page

    def event(self, name: str, values: dict[str, object], details: object = None) -> list:
        """One event of the page: its outputs, all that came of one in the queue. values: of the components that it takes.

        details: what the script says with it; of an endpoint its arguments.
        """
        event = self.page.events[name]
        data = [(self._seen | values).get(component) for component in event["inputs"]]
        if name.startswith(ENDPOINT):
            data, details = details or [], None
        body = {"data": data, "event_data": details, "fn_index": event["id"], "session_hash": self._session, "trigger_id": event["target"]}
        self._said.append(json.dumps(body))
        messages = self._queued(body) if event["queue"] else self._gradio("POST", "run/predict", json=body).json()
        self._settle()
        self._note(f"event {name}", normal_form(messages), json.dumps(messages))
        if event["queue"]:
            return messages
        told = messages.get("data", messages)
        kept = zip(event["outputs"], told, strict=False)  # what fails tells none
        self._seen |= {component: value for component, value in kept if component.endswith("-seen") and isinstance(value, str)}
        return told

    def tick(self, **asked: dict) -> httpx.Response:
        """What the page asks by itself, again and again: whether there is any news, and what its scripts ask with that."""
        shown = [self._seen.get(component) for component in self.page.events["news.bring"]["inputs"]]
        body = {"shown": shown, "asked": asked, "session_hash": self._session}
        self._said.append(json.dumps(body))
        answer = self._from_the_page("POST", "/studio/news", json=body)
        self._settle()
        self._note("POST /studio/news", normal_form([answer.status_code, headers_of(answer), answer.json()]), answer.text)
        return answer

    def call(self, function: str, asked: object = None) -> dict:
        """One of the functions that the page's scripts call."""
        body = {"data": asked, "component_id": self.page.functions[function], "fn_name": function, "session_hash": self._session}
        self._said.append(json.dumps(body))
        answer = self._gradio("POST", "component_server/", json=body)
        self._settle()
        self._note(f"call {function}", normal_form([answer.status_code, answer.json()]), answer.text)
        return answer.json()

    def call_by_name(self, path: str, arguments: dict[str, object]) -> httpx.Response:
        """One of the endpoints, as a program calls it without a page: call/NAME takes a list, call/v2/NAME takes them by name."""
        body = arguments if path.startswith("call/v2/") else {"data": list(arguments.values())}
        event_id = self.post(f"/gradio_api/{path}", body).json()["event_id"]
        return self.ask("GET", f"/gradio_api/{path}/{event_id}", f"/gradio_api/{path}/{{event_id}}")

    def _queued(self, body: dict) -> list[dict]:
        event_id = self._gradio("POST", "queue/join", json=body).json()["event_id"]
        stream = self._gradio("GET", f"queue/data?session_hash={self._session}")
        messages = [json.loads(line.removeprefix("data: ")) for line in stream.text.splitlines() if line.startswith("data: ")]
        return [message for message in messages if message.get("event_id") == event_id]

    def _gradio(self, method: str, path: str, **content) -> httpx.Response:
        return self._from_the_page(method, f"/gradio_api/{path}", **content)

    def _from_the_page(self, method: str, path: str, **content) -> httpx.Response:
        """Of which the body says whose it is: Gradio's own client sends no such header."""
        self._client.cookies.clear()
        headers = {name: value for name, value in self._headers.items() if name != PAGE_HEADER}
        return self._client.request(method, path, headers=headers, **content)

    # --- private

    def _settle(self) -> None:
        """Until nothing goes on that the question began: writing, and work of the engine that answers."""
        ids = [speaker.generation_id for speaker in self._studio.store.speakers()]
        engine = next(status for status in self._studio.engines() if status.info.id == ENGINE).info.id

        def is_quiet() -> bool:
            status = next(status for status in self._studio.engines() if status.info.id == engine)
            asked = any(self._studio._parts.supply.activity.asked(generation_id, engine) for generation_id in ids)
            return not (asked or status.waiting or status.streaming or status.state in ("loading", "unloading"))

        assert eventually(is_quiet)
        self._studio.prompts.flush()
        self._studio.history.settle()

    def _note(self, asked: str, plain: object, raw: str) -> None:
        self.answers.append(Answer(asked, plain, raw, self._said, len(self._said)))
