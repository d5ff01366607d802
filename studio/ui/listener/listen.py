"""The page on which somebody takes a listening test: /listen/<id> and its requests.

It stands beside Gradio, before any sign-in, without a key.

No answer here names a test, a system, an engine or a speaker, or differs by them: the page knows slots and opaque names of sounds.
What a listener's page sends: that somebody begins, and what they answered. Only its form is looked at here.
SessionPace: how often one address may begin a listening test, so that nobody fills the disk with listeners who are none.
"""

import functools
import gzip
import json
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router

from engines.errors import EngineError
from studio.errors import FileUnreadable, ListenerUnknown, TestUnknown
from studio.listening.plan.design import Answer
from studio.listening.plan.plan import MOST_POINTS, MOST_SCALES
from studio.listening.vote.answer_check import LEAST_HEARD_SECONDS, LEAST_HEARD_SHARE
from studio.service import Studio
from studio.speech.refusal import refusal_of
from studio.ui.gradio.link_preview import PICTURE, preview_route, preview_tags
from studio.ui.gradio.web import ICON, WebFiles, markup
from studio.ui.gradio.words import language_asked
from studio.web.access import address_of
from studio.web.hosts import CONTENT_POLICY, content_policy, script_hashes
from studio.words.sentences import LANGUAGES, sentences_in

__all__ = ["LISTEN", "MOST_COMMENT_CHARACTERS", "BegunTooOften", "ListenerAnswer", "ListenerStart", "SessionPace", "listen_routes"]

# --- what is asked


MOST_COMMENT_CHARACTERS = 1000
MOST_SLOTS = 13  # twelve and the open reference (studio/listening/plan/plan.py)
MOST_SECONDS = 7 * 24 * 3600.0  # that one question may be looked at, a pause included
MOST_PLAYS = 10_000

Label = Annotated[str, Field(pattern=r"^(?:[A-CXR]|[1-9]|1[0-2])$")]
ScaleName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]


class _Sent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ListenerStart(_Sent):
    """consent: said by whoever listens, and nothing begins without it. check: of the headphones.

    experimenter: it is who made the test, so that their votes stand apart.
    """

    consent: Literal[True]
    device: Literal["", "headphones", "earphones", "loudspeakers"] = ""
    place: Literal["", "quiet", "some noise", "noisy"] = ""
    check: Literal["", "passed", "failed", "left out"] = ""
    experimenter: bool = False

    @property
    def device_words(self) -> str:
        """As results say it, such as "headphones, quiet, headphone check passed"."""
        return ", ".join(filter(None, (self.device, self.place, self.check and f"headphone check {self.check}")))


class ListenerAnswer(_Sent):
    """An answer, as Answer has it. Whether it fits its trial, and was heard, is for whoever keeps it to say."""

    trial: int = Field(ge=0, le=100_000)
    value: (
        int
        | Label
        | Literal["none"]
        | dict[Label, Annotated[float, Field(ge=0, le=100)]]
        | Annotated[dict[ScaleName, Annotated[int, Field(ge=1, le=MOST_POINTS)]], Field(max_length=MOST_SCALES)]
    )
    plays: dict[Label, Annotated[int, Field(ge=0, le=MOST_PLAYS)]] = Field(default_factory=dict, max_length=MOST_SLOTS)
    heard_seconds: dict[Label, Seconds] = Field(default_factory=dict, max_length=MOST_SLOTS)
    seconds: Seconds = 0.0
    comment: str = Field("", max_length=MOST_COMMENT_CHARACTERS)

    def answer(self) -> Answer:
        """The same, for studio/listening."""
        return Answer(**self.model_dump())


# --- the door


if TYPE_CHECKING:
    from studio.listening.listening import ListenerSession, Listening
    from studio.listening.plan.design import Trial


LISTEN = "/listen"  # all of it is open to whoever has a link
TOKEN_HEADER = "X-Listener"
# The same for every answer, whatever it holds: no length, tag or time of what is behind it.
HEADERS = {"Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer"}
POLICY = {
    "default-src": "'none'", "connect-src": "'self'", "img-src": "data:", "style-src": "'self'", "base-uri": "'none'",
    "form-action": "'none'",
}  # fmt: skip
# What an invitation may say, one by one, so that nothing is told that somebody adds to it later.
TOLD = (
    "method", "language", "n_trials", "minutes", "consent", "headphones", "comments", "needs_wide", "no_preference", "is_open", "is_draft",
    "scales",
)  # fmt: skip
SOUND_SUFFIX = ".wav"
LIMITS = {"most_comment": MOST_COMMENT_CHARACTERS, "least_share": LEAST_HEARD_SHARE, "least_seconds": LEAST_HEARD_SECONDS}  # for scripts

log = logging.getLogger("studio.ui")


def listen_routes(studio: Studio) -> Mount:
    """Everything below /listen/, also what is not there: none of it reaches the app behind, which somebody has to sign in for."""
    files = WebFiles.for_listeners()
    door = _Listen(studio, files)
    routes = [
        files.route(),
        preview_route(PICTURE.removeprefix(LISTEN)),
        Route("/{test}", door.document),
        Route("/{test}/", lambda request: RedirectResponse("../" + request.path_params["test"])),  # relative, for proxies
        Route("/{test}/invitation", door.invitation),
        Route("/{test}/sessions", door.begin, methods=["POST"]),
        Route("/{test}/session", door.session),
        Route("/{test}/sounds/{sound}", door.sound),
        Route("/{test}/answers", door.answer, methods=["POST"]),
    ]
    return Mount(LISTEN, Router(routes, redirect_slashes=False))


class _Listen:
    def __init__(self, studio: Studio, files: WebFiles):
        self._studio = studio
        self._files = files
        self._pace = SessionPace()

    def document(self, request: Request) -> Response:
        """The same for every test, there or not."""
        language = language_asked(request.headers, request.url.query)
        page, policy = self._page(language)
        tags = preview_tags(request.scope, self._studio.settings.root_path, title="@@listen.title@@", about="@@listen.preview@@")
        body = page.replace("{{preview}}", sentences_in(language).marked(tags), 1).encode()
        headers = HEADERS | {"Vary": "Accept-Language, Accept-Encoding", CONTENT_POLICY: policy}
        if "gzip" in request.headers.get("accept-encoding", ""):
            return HTMLResponse(gzip.compress(body, mtime=0), headers=headers | {"Content-Encoding": "gzip"})
        return HTMLResponse(body, headers=headers)

    def invitation(self, request: Request) -> Response:
        def answer(tests: "Listening") -> dict[str, object]:
            told = asdict(tests.invitation(request.path_params["test"]))
            return {name: told[name] for name in TOLD}

        return self._answered(answer)

    async def begin(self, request: Request) -> Response:
        body = await request.body()

        def answer(tests: "Listening") -> dict[str, object]:
            beginning = ListenerStart.model_validate_json(body)
            self._pace.take(address_of(request.scope))
            begun = tests.begin(request.path_params["test"], experimenter=beginning.experimenter, device=beginning.device_words)
            return {"token": begun.token} | _shown(begun)

        return await run_in_threadpool(self._answered, answer)

    def session(self, request: Request) -> Response:
        return self._answered(lambda tests: _shown(tests.session(request.path_params["test"], _token(request))))

    def sound(self, request: Request) -> Response:
        name, _, _ = request.path_params["sound"].partition(SOUND_SUFFIX)

        def answer(tests: "Listening") -> Response:
            return Response(tests.sound(request.path_params["test"], name), media_type="audio/wav", headers=HEADERS)

        return self._answered(answer)

    async def answer(self, request: Request) -> Response:
        body = await request.body()

        def answer(tests: "Listening") -> dict[str, object]:
            given = ListenerAnswer.model_validate_json(body).answer()
            return {"answered": tests.answer(request.path_params["test"], _token(request), given)}

        return await run_in_threadpool(self._answered, answer)

    @functools.cache  # noqa: B019 -- lives as long as the app does
    def _page(self, language: str) -> tuple[str, str]:
        """The document in a language of LANGUAGES, and its policy."""
        assert language in LANGUAGES
        page = markup("listener/listen").replace("{{icon}}", ICON).replace("{{address}}", self._files.address)
        for name, limit in LIMITS.items():
            page = page.replace(f"{{{{{name}}}}}", str(limit))
        page = sentences_in(language).marked(page)
        return page, content_policy(POLICY | {"script-src": f"'self' {script_hashes(page)}"})

    def _answered(self, make: Callable[["Listening"], Response | Mapping[str, object]]) -> Response:
        """What is made, or what went wrong as a code alone: an error's own words may name what nobody here may know."""
        try:
            made = make(self._studio.listening)
        except ValidationError:
            return _problem(400, "answer_refused")
        except BegunTooOften as error:
            return _problem(429, "slow", {"Retry-After": str(error.seconds)})
        except (TestUnknown, ListenerUnknown) as error:
            return _problem(404, error.code)
        except EngineError as error:
            return _problem(refusal_of(error).status, error.code)
        except OSError as error:
            log.warning("a listening test could not be read: errno %s, %s", error.errno, error.strerror)
            return _problem(500, FileUnreadable.code)
        return made if isinstance(made, Response) else _json(made)


def _token(request: Request) -> str:
    return request.headers.get(TOKEN_HEADER, "")


def _shown(session: "ListenerSession") -> dict[str, object]:
    """What a listener's page needs of their trials: neither what is gold, nor what is right, nor, unless the plan says so, which text is
    said."""
    return {"trials": [_question(trial, session.texts) for trial in session.trials], "answered": sorted(session.answered)}


def _question(trial: "Trial", texts: Sequence[str]) -> dict[str, object]:
    return {
        "number": trial.number,
        "method": trial.method,
        "practice": trial.kind == "training",
        "asked": trial.asked,
        "scales": list(trial.scales),
        "said": texts[trial.text] if texts else "",
        "slots": [{"label": slot.label, "sound": slot.sound} for slot in trial.slots],
    }


def _json(body: Mapping[str, object]) -> Response:
    return Response(json.dumps(body, ensure_ascii=False), media_type="application/json", headers=HEADERS)


def _problem(status: int, code: str, more: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": {"code": code}}, status_code=status, headers=HEADERS | dict(more or {}))


# --- the pace


MOST_AT_ONCE = 60  # a class behind one address that opens the link together
RECOVERY_SECONDS = 10.0  # after which one beginning is forgotten
MOST_ADDRESSES = 4096  # remembered; those that were quiet the longest are forgotten


class BegunTooOften(Exception):
    """That address may begin again in `seconds`."""

    def __init__(self, seconds: float):
        super().__init__()
        self.seconds = math.ceil(seconds)


class SessionPace:
    """clock: seconds, monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._begun: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> how many are remembered, and when that was so

    def take(self, address: str) -> None:
        """Count one. Raises BegunTooOften, and then it does not count."""
        now = self._clock()
        n, since = self._begun.get(address, (0.0, now))
        n = max(0.0, n - (now - since) / RECOVERY_SECONDS)
        if n > MOST_AT_ONCE - 1:
            raise BegunTooOften((n - MOST_AT_ONCE + 1) * RECOVERY_SECONDS)
        self._begun[address] = n + 1, now
        self._begun.move_to_end(address)
        while len(self._begun) > MOST_ADDRESSES:
            self._begun.popitem(last=False)
