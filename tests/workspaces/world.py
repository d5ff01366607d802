"""World: a studio that keeps its visitors apart, with its page and its API; and somebody in it who has one of everything."""

import asyncio
import base64
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
from fastapi.testclient import TestClient
from gradio.context import Context
from starlette.routing import WebSocketRoute

from studio.audio.decode import decode_clip
from studio.server import page_and_api
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.demo import demo_recording
from studio.speakers.speaker import Enrollment
from studio.web.access import SESSION_COOKIE, VISITOR_COOKIE
from tests.api.door import data_url, wav
from tests.stand_ins.fake_engine import EDITS, FORMS, INFO, FakeEngine
from tests.ui.clips.clips import wav_bytes
from tests.workspaces.visitor import ENGINE, PAGE_HEADER, Visitor

__all__ = ["HELD_ENGINE", "SHARED_HZ", "Belongings", "World", "done", "sent", "settled_in"]

SPEAKING = replace(INFO, converts=True, prompt_forms=FORMS, edits=EDITS)
HELD_ENGINE = "held"
HELD = replace(INFO, id=HELD_ENGINE, title="Held", presets=(), default_preset=None, embedding_size=None)
SHARED_HZ = 330.0  # of the recording that two visitors have
VOICE = "Zephyrina Quill"
CLIP = wav_bytes(4.0)
MOST_HELD_SECONDS = 120  # or a test that fails would leave the engine held


@dataclass(frozen=True)
class Belongings:
    """Names and ids of what somebody has. voice: a stored one. deleted, deleted_takes: the ids by which deletions are undone. words: all
    else.

    bundle: of a voice of that name, as somebody may have got it elsewhere. test: of a listening test in which it is heard.
    consent: that was recorded. pair: of two sounds, heard blind. script, line: of a script in which it speaks. evaluation: in which it is
    compared.
    """

    voice: str
    generation: str
    deleted: str
    deleted_takes: str
    entry: str
    draft: str
    test: str
    consent: str
    pair: str
    script: str
    line: str
    evaluation: str
    bundle: bytes = b"no bundle"
    words: tuple[str, ...] = ()

    @property
    def secrets(self) -> tuple[str, ...]:
        own = (self.voice, self.generation, self.deleted, self.deleted_takes, self.entry, self.draft, self.test, self.consent, self.pair)
        return (*own, self.script, self.line, self.evaluation, *self.words)


def sent(data: bytes = CLIP) -> dict[str, str]:
    """A file as the page's scripts send it."""
    return {"name": "clip.wav", "type": "audio/wav", "data": base64.b64encode(data).decode()}


class World:
    """keys: as STUDIO_API_KEYS has them. What is everybody's was used before anybody came: the demo, and the engine's own voice."""

    def __init__(self, folder: Path, keys: tuple[str, ...] = ()):
        self.let_go = threading.Event()  # what every extraction of the held engine waits for
        self.is_held = threading.Event()
        engines = {ENGINE: FakeEngine(SPEAKING), HELD_ENGINE: FakeEngine(HELD, before_extract=self._hold)}
        settings = Settings(speakers_dir=folder, default_engine=ENGINE, workspaces="private", warm_uploads=False, api_keys=keys, mcp=True)
        self.studio = Studio(settings, infos={ENGINE: SPEAKING, HELD_ENGINE: HELD}, open_engine=engines.__getitem__)
        for engine in engines:
            self.studio.load(engine)
        self.studio.enroll(demo_recording())
        self.demo = demo_recording().name
        self.studio.warm(self.demo)
        self.studio.enroll(Enrollment(VOICE, "c1", decode_clip(wav(2.0, hz=777.0), filename="a.wav", mime_type="audio/wav")))
        _, self.bundle = self.studio.library.export(VOICE)
        self.studio.forget(VOICE)

        Context.id = 0  # of the page's first component: so that the pages of two worlds are one

        async def build():  # outside of a running loop Gradio opens loops of its own and leaves them open
            return page_and_api(self.studio)

        app = asyncio.run(build())
        routes = [route for part in app._api.routes for route in getattr(part, "original_router", app._api).routes]
        self.socket_paths = {route.path for route in routes if isinstance(route, WebSocketRoute)}
        self.client = TestClient(app, raise_server_exceptions=False)
        self.client.__enter__()
        Visitor(self.client, self.studio, {"Authorization": f"Bearer {keys[-1]}"} if keys else {}, "nobody").speak("tone")

    def close(self) -> None:
        self.let_go.set()
        self.client.__exit__(None, None, None)
        self.studio.close()

    def _hold(self) -> None:
        self.is_held.set()
        assert self.let_go.wait(MOST_HELD_SECONDS)

    # --- who comes

    def with_cookie(self, session: str) -> Visitor:
        """A browser that keeps the cookie it was given."""
        self.client.cookies.clear()
        cookie = self.client.get("/").headers["set-cookie"].partition(";")[0]
        assert cookie.startswith(VISITOR_COOKIE)
        return Visitor(self.client, self.studio, {"Cookie": cookie}, session)

    def without_cookie(self, session: str) -> Visitor:
        """A browser that keeps none: its page says which one it is."""
        return Visitor(self.client, self.studio, {PAGE_HEADER: session}, session)

    def with_key(self, key: str) -> Visitor:
        return Visitor(self.client, self.studio, {"Authorization": f"Bearer {key}"}, f"page of {key}")

    def signed_in(self, key: str) -> Visitor:
        """A browser whose person typed the key into the page's form."""
        self.client.cookies.clear()
        answer = self.client.post("/sign-in", data={"key": key}, follow_redirects=False)
        cookie = answer.headers["set-cookie"].partition(";")[0]
        assert cookie.startswith(SESSION_COOKIE)
        return Visitor(self.client, self.studio, {"Cookie": cookie}, f"page of {key}")


SCRIPT = {"text": "GRIZELDA: ospreys dive", "filename": "scene.txt", "title": "terns and skuas"}


def settled_in(visitor: Visitor, world: World) -> Belongings:
    """Somebody who has voices, history, a draft, a pin, a deletion to undo, a bundle, a listening test, and an extraction that goes on
    until it is let go."""
    voice, second, gone = VOICE, "Ottoline Marsh", "Bartholomew Finch"
    about = {"ref_text": "plovers wade at dusk", "speaker_description": "smoky contralto"}
    assert visitor.upload(voice, SHARED_HZ, **about).status_code == httpx.codes.OK
    assert visitor.upload(gone, 440.0).status_code == httpx.codes.OK
    edit = {"act": "edit", "voice": voice, "name": voice, "description": "smoky contralto", "tags": "heirloom"}
    done(visitor.event("voices.act", {}, edit | {"transcript": about["ref_text"]}))
    draft = visitor.call("take_clip", sent())["draft"]
    region = {"draft": draft, "start": 0, "end": 4000, "has_transcript": True}
    made = visitor.call(
        "create_voice", region | {"name": second, "reason": "own", "who": "Melchior Vane", "transcript": "herons over reeds"}
    )
    assert made["voice"] == second, made
    visitor.call("extract_voice", {"voice": second, "engine": ENGINE})
    for name in (voice, "tone", world.demo):
        assert visitor.speak(name, input="quagga lullaby").status_code == httpx.codes.OK
        request = {"input": "quagga lullaby", "voice": name, "model": ENGINE}
        visitor.event("relay.ask", {}, {"run": "1", "request": request})
    visitor.speak("", ref_audio=data_url(wav(2.0, hz=555.0)))
    visitor.event("cache-matrix.act", {}, {"voice": voice, "engine": ENGINE, "verb": "pin"})
    assert visitor.ask("GET", f"/studio/bundles/{voice}").status_code == httpx.codes.OK
    undo = done(visitor.event("voices.act", {}, {"act": "delete", "voice": gone}))["undo"]
    entries = visitor.event("history-section.select", {})[0]["entries"]
    assert [entry["voice"] for entry in entries] == [world.demo, "tone", voice]
    undo_takes = visitor.call("delete_takes", {"entries": [entries[-1]["id"]]})["undo"]
    visitor.event("cache-matrix.act", {}, {"voice": voice, "engine": HELD_ENGINE, "verb": "extract"})
    assert world.is_held.wait(MOST_HELD_SECONDS)
    plan = {"name": "ibises or godwits", "method": "mos", "systems": [{"id": "a", "voice": voice}], "texts": ["curlews answer"]}
    test = visitor.post("/v1/studio/tests", plan).json()["id"]
    consent = visitor.record_consent("Philippa Wren").json()["id"]
    sides = [{"voice": voice}, {"voice": voice, "speed": 2.0}]
    pair = visitor.post("/v1/studio/pairs", {"input": "curlews answer", "sides": sides}).json()["id"]
    script, line = _script_of(visitor, voice)
    compared = {"systems": [{"engine": ENGINE}], "voices": [voice], "texts": {"lines": ["dunlins turn"]}, "begin": False}
    evaluation = visitor.post("/v1/studio/evaluations", compared | {"title": "stints or knots"}).json()["id"]
    words = (
        "dunlins turn",
        "stints or knots",
        "Philippa Wren",
        "GRIZELDA",
        "ospreys dive",
        SCRIPT["title"],
        plan["name"],
        *plan["texts"],
        second,
        gone,
        *about.values(),
        "heirloom",
        "herons over reeds",
        "Melchior Vane",
        "quagga lullaby",
        *(entry["id"] for entry in entries[1:]),
    )
    ids = (entries[0]["id"], draft, test, consent, pair, script, line, evaluation)
    return Belongings(voice, made["generation"], undo, undo_takes, *ids, world.bundle, words)


def _script_of(visitor: Visitor, voice: str) -> tuple[str, str]:
    """(a script, its only line), cast with this voice."""
    script = visitor.post("/v1/studio/scripts", SCRIPT).json()["id"]
    edits = [{"op": "cast", "cast": [{"name": "GRIZELDA", "voice": voice}]}]
    visitor.post(f"/v1/studio/scripts/{script}/edits", {"edits": edits})
    return script, visitor.ask("GET", f"/v1/studio/scripts/{script}/line_ids").json()["ids"][0]


def done(messages: list[dict]) -> dict:
    """The answer of a deed of the Voices tab, which was done."""
    answer = messages[-1]["output"]["data"][0]
    assert "problem" not in answer, messages[-1]
    return answer
