"""The page on which somebody takes a listening test: /listen/<link> and its requests.

It stands beside Gradio, before any sign-in, without a key.

The link's token is another than the test's id, which opens all that owners do, and which nothing here contains.
No answer here names a test, a system, an engine or a speaker, or differs by them: the page knows slots and opaque names of sounds.
What a listener's page sends: that somebody begins, and what they answered. Only its form is looked at here.
"""

import functools
import gzip
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router

from engines.errors import EngineError
from studio.errors import FileUnreadable, ListenerScreenedOut, ListenerUnknown, TestQuotaFull, TestUnknown
from studio.listening.people.arrival import TURK_HOSTS
from studio.listening.people.people import told_of
from studio.listening.plan.design import Answer
from studio.listening.plan.panel import FormQuestion
from studio.listening.plan.plan import MOST_POINTS, MOST_SCALES
from studio.listening.vote.answer_check import LEAST_HEARD_SECONDS, LEAST_HEARD_SHARE
from studio.service import Studio
from studio.speech.refusal import refusal_of
from studio.ui.gradio.link_preview import PICTURE, preview_route, preview_tags
from studio.ui.gradio.web import ICON, WebFiles, markup
from studio.ui.gradio.words import language_asked
from studio.ui.listener.session_pace import MOST_TRIES, Pace, SessionPace, TooOften
from studio.web.access import address_of
from studio.web.hosts import CONTENT_POLICY, content_policy, script_hashes
from studio.words.sentences import LANGUAGES, sentences_in

__all__ = ["LISTEN", "MOST_COMMENT_CHARACTERS", "ListenerAnswer", "ListenerStart", "listen_routes"]

# --- what is asked


MOST_COMMENT_CHARACTERS = 1000
MOST_SLOTS = 13  # twelve and the open reference (studio/listening/plan/plan.py)
MOST_SECONDS = 7 * 24 * 3600.0  # that one question may be looked at, a pause included
MOST_PLAYS = 10_000
MOST_QUERY_CHARACTERS = 4000
MOST_FORM_ANSWERS = 40

Label = Annotated[str, Field(pattern=r"^(?:[A-CXR]|[1-9]|1[0-2])$")]
ScaleName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]

FormTold = dict[str, str | int | float | list[str] | None]


class _Sent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ListenerStart(_Sent):
    """consent: said by whoever listens, and nothing begins without it. check: of the headphones.

    experimenter: it is who made the test, so that their votes stand apart. query: of the link. form: the questionnaire before the sounds.
    """

    consent: Literal[True]
    device: Literal["", "headphones", "earphones", "loudspeakers"] = ""
    place: Literal["", "quiet", "some noise", "noisy"] = ""
    check: Literal["", "passed", "failed", "left out"] = ""
    experimenter: bool = False
    query: str = Field("", max_length=MOST_QUERY_CHARACTERS)
    form: FormTold = Field(default_factory=dict, max_length=MOST_FORM_ANSWERS)

    @property
    def device_words(self) -> str:
        """As results say it, such as "headphones, quiet, headphone check passed"."""
        return ", ".join(filter(None, (self.device, self.place, self.check and f"headphone check {self.check}")))


class ListenerForm(_Sent):
    """The questionnaire after the sounds, by the ids of its questions."""

    answers: FormTold = Field(max_length=MOST_FORM_ANSWERS)


class ListenerCode(_Sent):
    """The code that a listener was given."""

    code: str = Field(max_length=100)


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
    "form-action": " ".join(TURK_HOSTS),
}  # fmt: skip
# What an invitation may say, one by one, so that nothing is told that somebody adds to it later.
TOLD = (
    "method", "language", "n_trials", "minutes", "consent", "headphones", "comments", "needs_wide", "no_preference", "hears_whole",
    "is_open", "is_draft", "is_full", "recruiting", "scales",
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
        Route("/{link}", door.document),
        Route("/{link}/", lambda request: RedirectResponse("../" + request.path_params["link"])),  # relative, for proxies
        Route("/{link}/invitation", door.invitation),
        Route("/{link}/sessions", door.begin, methods=["POST"]),
        Route("/{link}/session", door.session),
        Route("/{link}/sounds/{sound}", door.sound),
        Route("/{link}/answers", door.answer, methods=["POST"]),
        Route("/{link}/form", door.answer_form, methods=["POST"]),
        Route("/{link}/ending", door.ending),
        Route("/{link}/kept", door.kept, methods=["POST"]),
        Route("/{link}/withdrawal", door.withdraw, methods=["POST"]),
    ]
    return Mount(LISTEN, Router(routes, redirect_slashes=False))


class _Listen:
    def __init__(self, studio: Studio, files: WebFiles):
        self._studio = studio
        self._files = files
        self._pace = SessionPace()
        self._tries = Pace(MOST_TRIES)

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
            test = _test(tests, request)
            invitation = tests.invitation(test)
            told: dict[str, object] = {name: getattr(invitation, name) for name in TOLD}
            told |= {"before": _asked(invitation.before), "after": _asked(invitation.after)}
            return told | ({"along": asdict(tests.turned_away(test, request.url.query, is_full=True))} if invitation.is_full else {})

        return self._answered(answer)

    async def begin(self, request: Request) -> Response:
        body = await request.body()

        def answer(tests: "Listening") -> Response | dict[str, object]:
            told = ListenerStart.model_validate_json(body)
            test = _test(tests, request)
            self._pace.take(address_of(request.scope), test)
            who = {"experimenter": told.experimenter, "device": told.device_words, "browser": _browser(request)}
            try:
                begun = tests.begin(test, **who, query=told.query, form=told.form)
            except (TestQuotaFull, ListenerScreenedOut) as error:
                along = tests.turned_away(test, told.query, is_full=isinstance(error, TestQuotaFull))
                return _problem(refusal_of(error).status, error.code, along=asdict(along))
            return {"token": begun.token} | _shown(begun)

        return await run_in_threadpool(self._answered, answer)

    def session(self, request: Request) -> Response:
        return self._answered(lambda tests: _shown(tests.session(_test(tests, request), _token(request), request.url.query)))

    def sound(self, request: Request) -> Response:
        name, _, _ = request.path_params["sound"].partition(SOUND_SUFFIX)

        def answer(tests: "Listening") -> Response:
            return Response(tests.sound(_test(tests, request), name), media_type="audio/wav", headers=HEADERS)

        return self._answered(answer)

    async def answer(self, request: Request) -> Response:
        body = await request.body()

        def answer(tests: "Listening") -> dict[str, object]:
            given = ListenerAnswer.model_validate_json(body).answer()
            return {"answered": tests.answer(_test(tests, request), _token(request), given)}

        return await run_in_threadpool(self._answered, answer)

    async def answer_form(self, request: Request) -> Response:
        body = await request.body()

        def answer(tests: "Listening") -> dict[str, object]:
            tests.answer_form(_test(tests, request), _token(request), ListenerForm.model_validate_json(body).answers)
            return {}

        return await run_in_threadpool(self._answered, answer)

    def ending(self, request: Request) -> Response:
        return self._answered(lambda tests: asdict(tests.taken_along(_test(tests, request), _token(request))))

    async def kept(self, request: Request) -> Response:
        """Everything that is kept of whoever has the code."""
        return await self._by_code(request, lambda tests, test, code: told_of(tests.person(test, code)))

    async def withdraw(self, request: Request) -> Response:
        """Nothing is kept of them from then on."""

        def withdrawn(tests: "Listening", test: str, code: str) -> dict[str, object]:
            tests.withdraw(test, code)
            return {}

        return await self._by_code(request, withdrawn)

    async def _by_code(self, request: Request, act: Callable[["Listening", str, str], Mapping[str, object]]) -> Response:
        body = await request.body()

        def answer(tests: "Listening") -> Mapping[str, object]:
            self._tries.take(address_of(request.scope))
            return act(tests, _test(tests, request), ListenerCode.model_validate_json(body).code)

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
        except TooOften as error:
            return _problem(429, "slow", {"Retry-After": str(error.seconds)})
        except (TestUnknown, ListenerUnknown) as error:
            return _problem(404, error.code)
        except EngineError as error:
            return _problem(refusal_of(error).status, error.code)
        except OSError as error:
            log.warning("a listening test could not be read: errno %s, %s", error.errno, error.strerror)
            return _problem(500, FileUnreadable.code)
        return made if isinstance(made, Response) else _json(made)


def _test(tests: "Listening", request: Request) -> str:
    return tests.behind(request.path_params["link"])


def _browser(request: Request) -> str:
    """The same for whoever comes again with the same browser from the same address, as far as that can be told."""
    return "\n".join((address_of(request.scope), *(request.headers.get(name, "") for name in ("user-agent", "accept-language"))))


def _token(request: Request) -> str:
    return request.headers.get(TOKEN_HEADER, "")


def _shown(session: "ListenerSession") -> dict[str, object]:
    """What a listener's page needs of their trials: neither what is gold, nor what is right, nor, unless the plan says so, which text is
    said."""
    shown = {"trials": [_question(trial, session.texts) for trial in session.trials], "answered": sorted(session.answered)}
    return shown | {"code": session.code, "is_asked_after": session.is_asked_after}


def _asked(questions: Sequence[FormQuestion]) -> list[dict[str, object]]:
    """Without which answers screen out."""
    return [question.model_dump(exclude={"screens_out"}) for question in questions]


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


def _problem(status: int, code: str, more: Mapping[str, str] | None = None, *, along: object = None) -> JSONResponse:
    """along: what somebody takes with them who does not begin."""
    told: dict[str, object] = {"code": code} | ({"along": along} if along else {})
    return JSONResponse({"error": told}, status_code=status, headers=HEADERS | dict(more or {}))
