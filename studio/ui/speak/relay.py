"""Relay: speech through Gradio's queue, for hosts where only Gradio's events reach the engine. It is the page's second transport."""

import base64
import json
import logging
import secrets
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import gradio as gr
import numpy as np

from engines.errors import EngineError
from studio.audio.formats import to_pcm16
from studio.errors import SpeechCancelled
from studio.errors.clean import clean
from studio.scripts.saying.saying import Saying
from studio.scripts.script.mend import LineMendBody
from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.speech.body import read_body, read_conversion_body
from studio.speech.conversion import ReadSource
from studio.speech.refusal import refusal_of
from studio.speech.request_log import HUNG_UP, RequestEntry
from studio.speech.speech import Speech
from studio.takes.said_again import PartSaying
from studio.timeline import Timeline
from studio.ui.clips.clip_intake import region_of
from studio.ui.clips.designing import keep_design
from studio.ui.clips.extracting import extract_voice
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import LIGHT, PRESSED, QUEUED, session_of, visited
from studio.ui.gradio.messages import answered, problem_of
from studio.ui.gradio.sessions import forget_session

__all__ = ["Relays", "build_relay", "relayed", "say_part", "say_script", "wire_relay"]

log = logging.getLogger("studio.ui")


class Relays:
    """Speeches under way, by page and run. Stop reaches a silent engine through them: Gradio closes a generator only between yields."""

    def __init__(self):
        self._lock = threading.Lock()
        self._speeches: dict[tuple[str, str], Speech | None] = {}  # None while the speech is being opened

    @contextmanager
    def under_way(self, session: str, run: str) -> Iterator[None]:
        """While the run lasts. What is still speaking at the end is closed."""
        with self._lock:
            self._speeches[session, run] = None
        try:
            yield
        finally:
            self._close([(session, run)])

    def opened(self, session: str, run: str, speech: Speech) -> None:
        """The run speaks. Where it was stopped meanwhile, the speech is closed at once."""
        with self._lock:
            wanted = (session, run) in self._speeches
            if wanted:
                self._speeches[session, run] = speech
        if not wanted:
            speech.close()

    def hang_up(self, session: str, run: str) -> None:
        """Stop a run, whatever it waits for. Nothing where it is over."""
        self._close([(session, run)])

    def leave(self, session: str) -> None:
        """Stop every run of a page that was closed."""
        with self._lock:
            runs = [key for key in self._speeches if key[0] == session]
        self._close(runs)

    def _close(self, runs: list[tuple[str, str]]) -> None:
        with self._lock:
            speeches = [self._speeches.pop(key, None) for key in runs]
        for speech in speeches:
            if speech is not None:
                speech.close()


def build_relay(studio: Studio) -> gr.HTML:
    """Invisible, and outside of the tabs, since in a hidden one it would get no updates. Its value says which transport to use."""
    return gr.HTML(
        _value(studio),
        elem_id="relay",
        html_template="<span></span>",
        js_on_load=web.mount("relay", "ask", "learn", "greet", "hang_up"),
        apply_default_css=False,
    )


def wire_relay(studio: Studio, relay: gr.HTML, page: gr.Blocks, relays: Relays, drafts: ClipDrafts) -> None:
    """ask begins a run and hang_up ends it; so does closing the page. learn has an engine learn a voice, make the one that
    `design` asks for, say again the `part` of a take, or begin to say the lines of a `script`. greet makes the session in
    which the page will ask.

    ask, learn and greet are put into Gradio's queue by our own script, in a session of its own (assets/web/transport/gradio_queue.js),
    with what the Hub's frame signs for the visitor; what they yield never passes through the page's components.

    drafts: of what was recorded to be said again, which a run names by `clip`: {draft, start, end}.
    """

    def ask(asked: gr.EventData) -> Iterator[str]:
        clip, own = asked._data.get("clip"), visited(drafts)
        source = {"read_source": lambda info: region_of(own, clip)[1]} if clip else {}
        keep = asked._data.get("keep") is not False
        yield from map(json.dumps, relayed(visited(studio), relays, session_of(), asked._data, keep=keep, **source))

    def learn(asked: gr.EventData) -> Iterator[str]:
        own = visited(studio)
        verbs = {"design": keep_design, "part": say_part, "script": say_script}
        verb = next((name for name in verbs if asked._data.get(name)), None)
        yield json.dumps(verbs[verb](own, asked._data[verb]) if verb else extract_voice(own, asked._data))

    def greet() -> None:
        """Nothing but the session, which Gradio makes at the first event."""

    def hang_up(asked: gr.EventData, request: gr.Request) -> None:
        relays.hang_up(request.session_hash or "", str(asked._data["run"]))

    def leave(request: gr.Request) -> None:
        relays.leave(request.session_hash or "")
        forget_session(page, request.session_hash or "")

    def name_page(request: gr.Request) -> dict[str, str]:
        return _value(studio) | {"page": request.session_hash or ""}

    relay.ask(ask, None, relay, **QUEUED)
    relay.learn(learn, None, relay, **QUEUED)
    relay.greet(greet, None, None, **QUEUED)
    relay.hang_up(hang_up, None, None, **PRESSED)
    page.load(name_page, None, relay, **LIGHT)
    page.unload(leave)


def _value(studio: Studio) -> dict[str, str]:
    return {"transport": "gradio" if studio.settings.space_id else "fetch"}


def relayed(
    studio: Studio, relays: Relays, session: str, asked: dict, *, keep: bool = True, read_source: ReadSource | None = None
) -> Generator[dict[str, object], None, None]:
    """The messages of one run, for assets/web/transport/gradio_transport.js. asked: {run, request}, the request as the HTTP API takes it.
    keep: whether the speech goes into the history. read_source: gives the recording that is said again; without it the request has a text.

    The first: {number: 0, samples, sampleRate, facts}; the next: {number, samples}, samples as base64 of int16; the last: {over, end},
    end as {reason, warning, values}, and what `Speech.told` has.
    Or, at any time and then the last, {refusal: {code, values, fact, hint}}.
    """
    run = str(asked["run"])
    last: dict[str, object] = {"over": True}
    entry = RequestEntry(f"speech-{secrets.token_hex(8)}", "gradio", Timeline())
    try:
        with relays.under_way(session, run), studio.request_log.writing(entry), _stops_heeded(entry):
            entry.speech = _begun(studio, asked["request"], entry.timeline, keep, read_source)
            relays.opened(session, run, entry.speech)
            yield from _messages(entry.speech)
            entry.timeline.mark("done")
            last = {"over": True, "end": _ending(entry.speech)}
    except EngineError as error:
        refusal = refusal_of(error)
        broke_off = entry.speech is not None and entry.speech.n_samples > 0  # as in the API's stream of events, whose status is 200 then
        fact = clean(error.fact) if broke_off else refusal.message
        last = {"refusal": {"fact": fact, "hint": refusal.hint, "code": refusal.code, "values": refusal.values}}
    except Exception as error:
        log.exception("a relayed speech failed")
        last = {"refusal": problem_of(error)}
    yield last


def _begun(studio: Studio, request: object, timeline: Timeline, keep: bool, read_source: ReadSource | None) -> Speech:
    """Of a text, or with read_source of a recording. Raises what `Studio.say` and `Studio.repeat` do, SchemaInvalid."""
    if read_source is None:
        return studio.say(read_body(request, studio.settings.dialect), timeline, keep=keep)
    return studio.repeat(read_conversion_body(request), read_source, timeline, keep=keep)


@contextmanager
def _stops_heeded(entry: RequestEntry) -> Iterator[None]:
    """A run that was stopped is over, and that is all."""
    try:
        yield
    except SpeechCancelled:
        entry.status = HUNG_UP


def _messages(speech: Speech) -> Iterator[dict[str, object]]:
    for number, samples in enumerate(_gathered(speech)):
        speech.timeline.mark("packet")
        message = {"number": number, "samples": base64.b64encode(to_pcm16(samples)).decode("ascii")}
        yield message if number else message | {"sampleRate": speech.sample_rate, "facts": _facts(speech)}


def _gathered(speech: Speech) -> Iterator[np.ndarray]:
    """Samples (T,) float32, T > 0: what is ready together goes together, so that a fast engine does not flood the queue."""
    for first in speech:
        samples = [first]
        try:
            while (more := speech.poll()[0]) is not None:
                samples.append(more)
        except EngineError:
            pass  # the loop's own next step raises it again, after these samples are sent
        yield np.concatenate(samples)


def _ending(speech: Speech) -> dict[str, object]:
    assert speech.end is not None  # it was read to its end
    return {"reason": speech.end.reason, "warning": speech.warning, "values": dict(speech.end.values), **speech.told}


def _facts(speech: Speech) -> dict[str, object]:
    timeline = speech.timeline
    stages = {name: {"milliseconds": seconds * 1000, "description": ""} for name, seconds in timeline.stages().items()}
    if "prompt" in stages:
        stages["prompt"]["description"] = timeline.cache or ""
    return {"cache": timeline.cache or "", "stages": stages, "kept": speech.kept_as, "ignored": list(speech.request.ignored)}


@answered
def say_part(studio: Studio, asked: dict) -> dict[str, object]:
    """Say a part of a take again, by an event: where a GPU is lent, only one says to whom.

    asked: {take, part, input}, input without the words that the part has now. Gives nothing: the page asks for the parts
    as always.
    """
    saying = PartSaying(studio, str(asked["take"]), int(asked["part"]), str(asked.get("input") or "").strip() or None)
    speech = saying.open(Timeline())
    saying.keep(speech, speech.read_all())
    return {}


@answered
def say_script(studio: Studio, asked: dict) -> dict[str, object]:
    """Begin to say lines of a script, by an event: where a GPU is lent, they are said in the name of the visitor who asked.

    asked: {script, takes, best} and {lines, from, only} as POST /v1/studio/scripts/{script}/say has them, or {line, seed} for one line
    again, or {line, mend: {text, take, engine, operations, seed}} to mend words of a take.
    Gives nothing: the page asks for the progress as always.
    """
    if mend := asked.get("mend"):
        body = LineMendBody.model_validate(mend)
        studio.scripts.mend(str(asked["script"]), str(asked["line"]), body.wish)
        return {}
    script, n_takes, best = str(asked["script"]), int(asked.get("takes") or 1), bool(asked.get("best"))
    if line := asked.get("line"):
        studio.scripts.say_again(script, str(line), n_takes, seed=asked.get("seed"), best=best)
        return {}
    lines, only = asked.get("lines"), "all" if asked.get("only") == "all" else "stale"
    ids = None if lines is None else tuple(map(str, lines))
    studio.scripts.say(script, Saying(ids, asked.get("from"), only, n_takes, best))
    return {}
