"""GET /health, /v1/models and /v1/models/{model}: what the engines can do and how they are. Neither waits for a load."""

import hashlib
from dataclasses import asdict, replace

from fastapi import APIRouter
from starlette.responses import JSONResponse

from engines.licence import Licence
from studio.api.desk import Desk, DeskOf
from studio.audio.time_stretch import with_speed
from studio.running.lifecycle import EngineStatus
from studio.text.clean import clean
from studio.web.fault_watch import REASON_HEADER

__all__ = ["router"]

RETRY_AFTER_SECONDS = 5  # while weights load


UNUSABLE = {503: {"description": "No engine is usable yet; `reason` says why. With `Retry-After` while one loads."}}

router = APIRouter(tags=["engines"])


@router.get("/health", summary="Whether an engine is usable", responses=UNUSABLE)
async def read_health(desk: DeskOf) -> JSONResponse:
    """200 once an engine is ready; before, 503 with the reason."""
    statuses = desk.studio.engines()
    states = {status.state for status in statuses}
    if "ready" in states:
        return JSONResponse({"status": "healthy"})
    engines = {status.info.id: _state(status) for status in statuses}
    if "loading" in states:
        loading = ", ".join(status.info.id for status in statuses if status.state == "loading")
        body = {"status": "unhealthy", "reason": f"engine loading: {loading}", "engines": engines}
        return JSONResponse(body, status_code=503, headers={"Retry-After": str(RETRY_AFTER_SECONDS), REASON_HEADER: "engine_loading"})
    reason = {"reason": "No engine initialized"} if "idle" in states or not states else {}
    headers = {REASON_HEADER: "no_engine_ready"}
    return JSONResponse({"status": "unhealthy"} | reason | {"engines": engines}, status_code=503, headers=headers)


@router.get("/v1/models", summary="The engines and their options")
async def list_models(desk: DeskOf) -> dict[str, object]:
    """Every engine on offer, usable or not; `options` can be set through extra_params. Behind them the names of STUDIO_MODEL_ALIASES.

    What the choices of an option are called (`labels`) is told of one engine alone, since of languages there may be hundreds.
    """
    statuses = {status.info.id: status for status in desk.studio.engines()}
    aliases = [_model(statuses[engine], desk, name) for name, engine in desk.studio.settings.model_aliases.items()]
    return {"object": "list", "data": [_model(status, desk, name) for name, status in statuses.items()] + aliases}


@router.get("/v1/models/{model:path}", summary="One engine")
async def read_model(desk: DeskOf, model: str) -> dict[str, object]:
    """By any name that `model` of a request may have: an engine's id, the hub's id of its weights (`root`), or an alias."""
    if not model:
        return await list_models(desk)
    engine = desk.studio.engine_id(model)
    status = next(status for status in desk.studio.engines() if status.info.id == engine)
    return _model(status, desk, model) | {"options": [asdict(option) for option in with_speed(status.info.options)]}


def _model(status: EngineStatus, desk: Desk, name: str) -> dict[str, object]:
    """name: under which it was asked for. root: whose weights they are; parent: the engine behind another name."""
    info, settings = status.info, desk.studio.settings
    compatible = {
        "id": name,
        "object": "model",
        "created": desk.created,
        "owned_by": "voice-cloning-studio",
        "root": info.hub_id or info.id,
        "parent": None if name == info.id else info.id,
        "max_model_len": None,
        "permission": [_permission(name, desk.created)],
    }
    declared = {
        "title": info.title,
        "summary": info.summary,
        "licence": info.licence,
        "licence_url": info.licences[0].url or None,
        "licences": [_licence(each) for each in info.licences],
        "restriction": info.restriction or None,
        "attribution": info.attribution or None,
        "languages": info.languages,
        "language_limits": [{"code": limit.code, "fact": limit.fact, "hint": limit.hint} for limit in info.language_limits],
        "clip_wishes": asdict(info.clip_wishes),
        "markup": info.markup,
        "sample_rate": info.sample_rate,
        "streams": info.streams,
        "transcript": info.transcript,
        "clones": info.clones_clips,
        "converts": info.converts,
        "most_recordings": info.most_recordings,
        "voices": info.presets,
        "default_voice": info.default_preset,
        "designed_voice": info.designed_preset,
        "embedding_size": info.embedding_size,
        "runs": info.runs,
        "hosts": settings.hosts_of(info.id),
        "deterministic": info.is_deterministic,
        "leaves_traces": info.leaves_traces,
        "most_characters": settings.most_text_characters,
        "options": [asdict(replace(option, labels=())) for option in with_speed(info.options)],
        "default": name == desk.studio.default.id,
        "default_reason": desk.studio.default.reason if name == desk.studio.default.id else None,
        "device": status.device or None,
        "waiting": status.waiting,
        "streaming": status.streaming,
    }
    return compatible | declared | _state(status)


def _licence(licence: Licence) -> dict[str, object]:
    """covers: "model" or "codec", null for all of the weights. most_annual_users: null where it counts none."""
    return {name: value or None for name, value in asdict(licence).items()}


def _state(status: EngineStatus) -> dict[str, object]:
    """reason and command are there where something is wrong."""
    members: dict[str, object] = {"state": status.state}
    if status.reason:
        members["reason"] = clean(status.reason)
    if status.command:
        members["command"] = status.command
    return members


def _permission(model: str, created: int) -> dict[str, object]:
    """Nothing is granted here; clients that list models expect the member. Its id is the same in every answer of a process."""
    return {
        "id": f"modelperm-{hashlib.sha256(f'{model} {created}'.encode()).hexdigest()[:32]}",
        "object": "model_permission",
        "created": created,
        "allow_create_engine": False,
        "allow_sampling": True,
        "allow_logprobs": True,
        "allow_search_indices": False,
        "allow_view": True,
        "allow_fine_tuning": False,
        "organization": "*",
        "group": None,
        "is_blocking": False,
    }
