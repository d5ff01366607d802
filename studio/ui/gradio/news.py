"""News: what a page asks for by itself at each tick of its timer.

An event costs the studio Gradio's whole way from request to answer, and the page a look over every component of it. So a tick is one small
request, whether anything is otherwise than the window shows; the event that brings it comes only then, and is one for all tabs.
Seen is what a window shows already: a tick sends nothing where nothing changed for whoever looks, whatever changed for others. The window
itself says what it shows. Answers may be drawn in another order than they were made in, so that what was sent last need not be what is
shown.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import gradio as gr
from gradio.components import Component
from gradio.context import LocalContext
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engines.plain_json import read_json
from studio.errors import SchemaInvalid
from studio.ui.downloads.guarded_files import GUARDED, answered_file
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import LIGHT
from studio.ui.gradio.messages import reported

__all__ = ["NEWS_PATH", "News", "VerifiedDigests", "changes", "digest_of", "kept_by_the_window"]

NEWS_PATH = "/studio/news"
TICK_SECONDS = 1.5  # every window shows within 2 s what happened in another one, or through the API

Answer = dict[str, object]


@dataclass(frozen=True)
class _Question:
    ask: Callable[..., tuple]
    inputs: Sequence[Component]
    outputs: Sequence[Component]

    def answer(self, values: Iterator[object]) -> tuple:
        """Takes its own of the values. What is raised is reported, and changes nothing that is shown: the next tick asks again."""
        own = [next(values) for _ in self.inputs]
        try:
            return self.ask(*own)
        except Exception as error:
            reported(self.ask.__name__, error)
            return (gr.skip(),) * len(self.outputs)


class News:
    """Filled while the page is wired; `wire` comes last. `route` is for the app that serves the page."""

    def __init__(self):
        self._questions: list[_Question] = []
        self._told: dict[str, Callable[[Answer], Answer]] = {}

    def bring(self, ask: Callable[..., tuple], inputs: Sequence[Component], outputs: Sequence[Component]) -> None:
        """ask(*values of `inputs`) -> a value for each of `outputs`, which no other question has; gr.skip() for what stays as it is."""
        self._questions.append(_Question(ask, inputs, outputs))

    def tell(self, name: str, call: Callable[[Answer], Answer]) -> None:
        """A script asks `call` at each tick (news.js), with values of its own, and is told its answer."""
        self._told[name] = call

    def wire(self) -> None:
        """The tick, which passes what the window shows to the script, and the event by which that brings what is new."""
        inputs = [part for asked in self._questions for part in asked.inputs]
        outputs = [part for asked in self._questions for part in asked.outputs]
        gr.Timer(TICK_SECONDS).tick(None, inputs, None, js="(...shown) => studio.news.tick(shown)", **LIGHT)
        script = web.mount("news", "bring")
        bringing = gr.HTML(None, elem_id="news", html_template="<span></span>", js_on_load=script, apply_default_css=False)
        bringing.bring(self.show_news, inputs, outputs, **LIGHT)

    def show_news(self, *shown: object) -> tuple:
        """A value for each of all outputs. shown: of all inputs."""
        left = iter(shown)
        return tuple(answer for asked in self._questions for answer in asked.answer(left))

    def route(self) -> Route:
        """POST {shown, asked, session_hash} -> {is_any, told}: whether `show_news` has anything, and what `tell` answers, by name.

        shown: strings or null, a value for each input. asked: {name: its values}. session_hash: what Gradio calls the page. What does not
        fit is answered with 400: it comes of a page of another version.
        """

        async def news(request: Request) -> Response:
            body = await _json(request)
            return await run_in_threadpool(answered_file, lambda: self._look(request, body.get("shown"), body.get("asked")))

        return Route(NEWS_PATH, news, methods=["POST"])

    def _fits(self, shown: list, asked: dict) -> bool:
        n_inputs = sum(len(question.inputs) for question in self._questions)
        are_shown = len(shown) == n_inputs and all(isinstance(value, str | None) for value in shown)
        return are_shown and asked.keys() <= self._told.keys() and all(isinstance(values, dict) for values in asked.values())

    def _look(self, request: Request, shown: object, asked: object) -> Response:
        if not isinstance(shown, list) or not isinstance(asked, dict) or not self._fits(shown, asked):
            raise SchemaInvalid("A page of this version asks otherwise what is new.", "shown", field="shown")
        # whose visit it is, as in an event (visit.py); for this call's own context
        LocalContext.request.set(request)  # pyright: ignore[reportArgumentType]  # Gradio sets the plain one too, but does not say so
        is_any = any(answer != gr.skip() for answer in self.show_news(*shown))
        told = {name: self._told[name](values) for name, values in asked.items()}
        return JSONResponse({"is_any": is_any, "told": told}, headers=GUARDED)


async def _json(request: Request) -> Answer:
    """{} where the body is none of an object's."""
    try:
        body = read_json(await request.body())
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


# --- what a window shows


MOST_CHECKED = 2000  # values of which the version is known; windows that look every second or so need one each


def kept_by_the_window(name: str) -> gr.Textbox:
    """Where a window has the digest of what it shows of the room `name`, to be answered together with that. It is never drawn."""
    return gr.Textbox("", visible=False, elem_id=f"{name}-seen")


def digest_of(*shown: object) -> str:
    """shown: values, and what else tells apart who sees them."""
    return hashlib.sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()


class VerifiedDigests:
    """Of which version of the studio values were true, by their digest, so that a look at the same version need not make them again.

    A window knows the digest of what it shows; the version, which moves by what other visitors do, too, stays here.
    """

    def __init__(self):
        self._versions: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def is_true(self, digest: str, version: str) -> bool:
        with self._lock:
            return self._versions.get(digest) == version

    def note(self, version: str, *shown: object) -> str:
        """Their digest, see `digest_of`."""
        digest = digest_of(*shown)
        with self._lock:
            self._versions[digest] = version
            self._versions.move_to_end(digest)
            if len(self._versions) > MOST_CHECKED:
                self._versions.popitem(last=False)
        return digest


def changes(seen: str, n_shown: int, show: Callable[[], tuple], is_true: bool = False) -> tuple:
    """What `show` gives, n_shown values and their digest, where that is not what is seen; else nothing. is_true: known without a look."""
    nothing = (gr.skip(),) * (n_shown + 1)
    if is_true:
        return nothing
    shown = show()
    return nothing if shown[-1] == seen else shown
