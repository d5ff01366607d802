"""build_api: the routes of the HTTP door, put together."""

from collections.abc import Callable

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from studio.api.door.context import ApiContext
from studio.api.door.documentation import documented_app
from studio.api.door.exception_handlers import defect_refusal, install_exception_handlers
from studio.api.door.middleware import (
    Arrival,
    KeyMiddleware,
    OriginMiddleware,
    PlainBodies,
    body_limit_of,
    body_refusal,
    is_spooled,
    request_id,
    route_of,
)
from studio.api.mcp import agents_md
from studio.api.openai import created_voices, voice_consents
from studio.api.openai import models as openai_models
from studio.api.openai import speech as openai_speech
from studio.api.openai import transcriptions as openai_transcriptions
from studio.api.openai import voices as openai_voices
from studio.api.routes import (
    batch,
    compare,
    engines,
    lexicon,
    listening_tests,
    metrics,
    outcome,
    pairs,
    reading,
    speech,
    takes,
    transcriptions,
    voice_cache,
    voice_upload,
    voices,
)
from studio.api.routes.evaluations import ROUTERS as EVALUATION_ROUTERS
from studio.api.routes.recordings import ROUTERS as RECORDING_ROUTERS
from studio.api.routes.scripts import ROUTERS as SCRIPT_ROUTERS
from studio.api.socket import route as socket
from studio.service import Studio
from studio.settings import Settings
from studio.web.access import Access, KeyCheck
from studio.web.body_limit import BodyBudget, BodyLimit
from studio.web.fault_watch import FaultWatch
from studio.web.owners import visitor_guards
from studio.words.line import Say

__all__ = ["build_api"]

EXPOSED = (  # to pages of other origins
    "X-Sample-Rate", "X-Audio-Duration-Ms", "X-Request-Id", "X-Speaker-Cache", "X-Ignored-Parameters", "X-Speech-Engine",
    "X-Speech-End", "X-Speech-Warning", "X-Speech-Left-Out", "X-Speech-Directions", "X-Speech-Misread", "X-Speech-Reference",
    "X-Voice-Alias", "X-Edited", "X-Word-Timestamps", "X-Word-Timestamps-Omitted",
    "Server-Timing", "Retry-After", "Accept-Ranges", "Content-Range",
)  # fmt: skip


def _bare(language: str) -> tuple[str, Say]:
    return "en", lambda key, values: " ".join([key, *map(str, values.values())])


def build_api(studio: Studio, bodies: BodyBudget | None = None, sentences: Callable[[str], tuple[str, Say]] = _bare) -> FastAPI:
    """The app for /v1, /openai/v1, /health, /metrics, /docs and /openapi.json. The studio belongs to the caller, who closes it.

    bodies: what request bodies may have together, where others share it. sentences(language) -> (its code, the language's sentences about
    listening tests by key and values), English for a language that there is not; bare keys and values where the caller has no words.
    """
    app, dialect = documented_app(), studio.settings.dialect
    app.state.context = ApiContext.of(studio)
    app.state.sentences = sentences
    install_exception_handlers(app)
    _add_middleware(app, studio.settings, bodies or BodyBudget())
    # The routes themselves: of `include_router`'s copies each is analyzed anew in every app, which its first request waits for.
    own = (reading, lexicon, listening_tests, pairs, takes)
    openai = (openai_models, openai_voices, openai_speech, openai_transcriptions, created_voices, voice_consents)
    more = (*own, *openai, socket, agents_md)
    for module in (engines, metrics, voices, voice_upload, voice_cache, transcriptions, compare, *more):
        app.router.routes += module.router.routes
    for router in (*RECORDING_ROUTERS, *SCRIPT_ROUTERS, *EVALUATION_ROUTERS):
        app.router.routes += router.routes
    if studio.settings.mcp:
        from studio.api.mcp.route import add_mcp

        add_mcp(app)
    for module in (speech, batch):
        app.router.routes += module.ROUTERS[dialect].routes
    if dialect.tells_outcomes:
        app.router.routes += outcome.router.routes  # last: by its path any of the above might be an id
    return app


def _add_middleware(app: FastAPI, settings: Settings, bodies: BodyBudget) -> None:
    """From the inside out: what is added last comes first."""
    dialect = settings.dialect
    origins = settings.cors_origins or dialect.default_origins
    if dialect.refuses_packed:
        app.add_middleware(PlainBodies)
    app.add_middleware(BodyLimit, limit_of=body_limit_of, refusal=body_refusal, budget=bodies, is_spooled=is_spooled)
    app.user_middleware[:0] = visitor_guards(settings)
    app.add_middleware(KeyMiddleware, keys=KeyCheck(Access(settings.api_keys)))
    app.add_middleware(OriginMiddleware, origins=origins)
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["*"], expose_headers=EXPOSED)
    app.add_middleware(FaultWatch, door="api", refusal=defect_refusal, name=lambda scope: (request_id(scope), route_of(scope)))
    app.add_middleware(Arrival, has_head=dialect.answers_head)
