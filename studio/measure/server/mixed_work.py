"""MixedWorker: a client that asks a studio for everything it offers. The order never repeats; sometimes it hangs up or makes an error."""

import base64
import http.client
import io
import json
import random
import secrets
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import numpy as np
import soundfile
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

__all__ = ["MixedWorker"]

DEMO = Path(__file__).resolve().parents[3] / "assets/voices/demo.flac"
PHRASES = ("the north wind and the sun", "were arguing", "about which of them was stronger", "when a traveller came along")
FORMATS = ("wav", "mp3", "flac", "opus", "pcm")
N_NAMES = 3  # voices that one client makes, replaces and deletes
SECONDS = 60.0  # that a client waits for an answer
JSON = {"Content-Type": "application/json"}
LOOKS = ("/health", "/metrics", "/v1/models", "/v1/audio/voices", "/v1/audio/cache/stats", "/docs", "/openapi.json")
SPEECH, VOICES = "/v1/audio/speech", "/v1/audio/voices"


class MixedWorker:
    """One client. Every act has connections of its own, and closes them.

    answers: by act, how often each status came; "cut" where the client hung up, the error's name where the server did.
    page: whether there is a page to look at.
    """

    def __init__(self, number: int, port: int, *, page: bool):
        self.answers: Counter[tuple[str, object]] = Counter()
        self._random = random.Random(number)
        self._port = port
        self._names = [f"soak-{number}-{n}" for n in range(N_NAMES)]
        self._samples, self._sample_rate = soundfile.read(DEMO, dtype="float32")
        self._acts = self._weighted(page)

    def act(self) -> None:
        """One of the acts. What the server does wrong is counted, not raised."""
        name, do = self._random.choices(*self._acts)[0]
        try:
            outcome: object = do()
        except (OSError, http.client.HTTPException, WebSocketException) as error:
            outcome = type(error).__name__
        self.answers[name, outcome] += 1

    def settle_in(self) -> None:
        """Upload the voices that it speaks in."""
        for name in self._names:
            self.answers["upload", self._upload(name)] += 1

    def _weighted(self, page: bool) -> tuple[list[tuple[str, Callable[[], object]]], list[int]]:
        acts = {
            "whole": (self._whole, 4),
            "raw": (self._raw, 4),
            "events": (self._events, 4),
            "batch": (self._batch, 2),
            "socket": (self._socket, 4),
            "upload": (self._upload, 3),
            "embedding": (self._embedding, 1),
            "delete": (self._delete, 1),
            "inline": (self._inline, 3),
            "kept": (self._kept, 2),
            "hang up": (self._hang_up, 4),
            "bad": (self._bad, 3),
            "cache": (self._cache, 2),
            "look": (self._look, 4),
            "page": (self._page, 2 if page else 0),
        }
        return [(name, do) for name, (do, _) in acts.items()], [weight for _, weight in acts.values()]

    # --- speech

    def _whole(self) -> int:
        return self._ask("POST", SPEECH, self._speech(response_format=self._random.choice(FORMATS)))

    def _raw(self) -> int:
        return self._ask("POST", SPEECH, self._speech(response_format="pcm", stream_format="audio"))

    def _events(self) -> int:
        return self._ask("POST", SPEECH, self._speech(response_format="pcm", stream_format="sse"))

    def _inline(self) -> int:
        url = "data:audio/wav;base64," + base64.b64encode(self._recording()).decode()
        return self._ask("POST", SPEECH, self._speech(voice=None, ref_audio=url))

    def _kept(self) -> int:
        return self._ask("POST", SPEECH, self._speech(response_format="wav"), {"X-Studio-Keep": "1"})

    def _batch(self) -> int:
        items = [{"input": self._text()}, {"input": self._text(), "voice": "nobody"}, {"input": self._text()}]
        return self._ask("POST", SPEECH + "/batch", {"voice": self._name(), "items": items})

    def _socket(self) -> object:
        """Two utterances, the second of which may be taken back, or the connection cut while it is spoken."""
        address = f"ws://127.0.0.1:{self._port}{SPEECH}/stream"
        leaves = self._random.choice(("close", "cancel", "cut"))
        with connect(address, max_size=None, proxy=None, open_timeout=SECONDS, close_timeout=SECONDS) as socket:

            def say(kind: str, **members: object) -> None:
                socket.send(json.dumps({"type": kind} | members))

            say("session.config", voice=self._name(), response_format="pcm", stream_audio=True, split_granularity="sentence")
            for text in (self._text(), self._text() * 4):
                say("input.text", text=text)
                say("input.done")
            if leaves == "cut":
                socket.recv(SECONDS)
                socket.socket.close()
                return "cut"
            if leaves == "cancel":
                say("input.cancel")
            say("session.close")
            while True:
                try:
                    socket.recv(SECONDS)
                except WebSocketException:
                    return socket.close_code

    def _hang_up(self) -> str:
        """In the middle of an answer, before it begins, or in the middle of a body."""
        body = json.dumps(self._speech(text=self._text() * 6, stream_format="audio", response_format="pcm")).encode()
        way = self._random.choice(("answer", "question", "body"))
        with closing(self._connection()) as connection:
            if way == "body":
                connection.putrequest("POST", VOICES)
                connection.putheader("Content-Type", "multipart/form-data; boundary=b")
                connection.putheader("Content-Length", "1000000")
                connection.endheaders(b"--b\r\nContent-Disposition: form-data; name=" + bytes(self._random.randrange(60_000)))
                return "cut"
            connection.request("POST", SPEECH, body, JSON)
            if way == "answer":
                connection.getresponse().read1(4096)
        return "cut"

    def _bad(self) -> int:
        method, path, body = self._random.choice(
            (
                ("POST", SPEECH, b"{"),
                ("POST", SPEECH, b'{"input": "", "voice": "nobody"}'),
                ("POST", SPEECH, b'{"input": "one", "voice": "nobody"}'),
                ("POST", SPEECH, b'{"input": "one", "ref_audio": "data:audio/wav;base64,AAAA"}'),
                ("POST", SPEECH + "/batch", b'{"items": []}'),
                ("POST", VOICES, b"no form"),
                ("DELETE", f"{VOICES}/nobody-{secrets.token_hex(4)}", b""),
                ("GET", f"/v1/{secrets.token_hex(8)}", b""),
                ("PUT", VOICES, b""),
            )
        )
        return self._send(method, path, body, JSON)

    # --- voices

    def _upload(self, name: str = "") -> int:
        return self._form({"name": name or self._name(), "consent": "soak"}, self._recording())

    def _embedding(self) -> int:
        values = json.dumps([self._random.uniform(-1, 1) for _ in range(self._random.choice((192, 256, 1024)))])
        return self._form({"name": "soak-embedding", "consent": "soak", "speaker_embedding": values})

    def _delete(self) -> int:
        """Some are spoken with before they are there again."""
        name = self._name()
        status = self._send("DELETE", f"{VOICES}/{name}")
        self._raw()
        self._upload(name)
        return status

    def _cache(self) -> int:
        return self._send(self._random.choice(("POST", "DELETE")), f"{VOICES}/{self._name()}/cache")

    def _look(self) -> int:
        return self._send("GET", self._random.choice((*LOOKS, f"{VOICES}/{self._name()}", f"{VOICES}/{self._name()}/audio")))

    # --- the page

    def _page(self) -> int:
        """A visit: the document, what it loads, its news, a clip that comes and goes, the public endpoints; then the window is closed."""
        session = secrets.token_hex(6)
        status = self._send("GET", "/")
        config = json.loads(self._read("GET", "/config"))
        with closing(self._connection()) as beating:
            beating.request("GET", f"/gradio_api/heartbeat/{session}")
            beating.getresponse().read1(64)
            for event in config["dependencies"]:
                if event["backend_fn"] and not event["inputs"] and any(kind == "load" for _, kind in event["targets"]):
                    self._ask("POST", "/gradio_api/run/predict", {"data": [], "fn_index": event["id"], "session_hash": session})
            (bring,) = (event for event in config["dependencies"] if any(kind == "bring" for _, kind in event["targets"]))
            self._ask("POST", "/studio/news", {"shown": [None] * len(bring["inputs"]), "asked": {}, "session_hash": session})
            functions = {name: one["id"] for one in config["components"] for name in one["props"].get("server_fns") or ()}

            def call(name: str, asked: dict[str, object]) -> dict[str, object]:
                body = {"data": asked, "component_id": functions[name], "fn_name": name, "session_hash": session}
                return json.loads(self._read("POST", "/gradio_api/component_server/", body))

            sent = base64.b64encode(self._recording()).decode()
            call("drop_clip", {"draft": call("take_clip", {"name": "a.wav", "type": "audio/wav", "data": sent})["draft"]})
            call("judge_name", {"name": self._name()})
            for name, data in (("voices", []), ("speak", [self._text(), self._name(), "", "", None])):
                event_id = json.loads(self._read("POST", f"/gradio_api/call/{name}", {"data": data}))["event_id"]
                self._send("GET", f"/gradio_api/call/{name}/{event_id}")
        return status

    # --- requests

    def _speech(self, *, text: str = "", **members: object) -> dict[str, object]:
        return {"input": text or self._text(), "voice": self._name()} | members

    def _text(self) -> str:
        return " ".join(self._random.choices(PHRASES, k=self._random.randrange(1, 9))) + ". "

    def _name(self) -> str:
        return self._random.choice(self._names)

    def _recording(self) -> bytes:
        """2 to 6 s of the demo voice, no two of them alike."""
        n_samples = int(self._random.uniform(2, 6) * self._sample_rate)
        first = self._random.randrange(max(1, len(self._samples) - n_samples))
        buffer = io.BytesIO()
        loudness = np.float32(self._random.uniform(0.5, 1.0))
        soundfile.write(buffer, self._samples[first : first + n_samples] * loudness, self._sample_rate, format="WAV")
        return buffer.getvalue()

    def _form(self, fields: Mapping[str, str], recording: bytes | None = None) -> int:
        boundary = uuid.uuid4().hex
        parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
        if recording is not None:
            parts.append(b'name="audio_sample"; filename="clip.wav"\r\nContent-Type: audio/wav\r\n\r\n' + recording)
        body = b"".join(f"--{boundary}\r\nContent-Disposition: form-data; ".encode() + part + b"\r\n" for part in parts)
        return self._send(
            "POST", VOICES, body + f"--{boundary}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        )

    def _ask(self, method: str, path: str, body: object, headers: Mapping[str, str] | None = None) -> int:
        return self._send(method, path, json.dumps(body).encode(), JSON | dict(headers or {}))

    def _send(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> int:
        with closing(self._connection()) as connection:
            connection.request(method, quote(path), body, dict(headers or {}))
            response = connection.getresponse()
            response.read()
            return response.status

    def _read(self, method: str, path: str, body: object = None) -> bytes:
        """The body of an answer that has to be good. Raises HTTPException."""
        with closing(self._connection()) as connection:
            connection.request(method, path, b"" if body is None else json.dumps(body).encode(), JSON)
            response = connection.getresponse()
            if response.status != http.client.OK:
                raise http.client.HTTPException(response.status)
            return response.read()

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
