"""GET /health, /v1/models and /v1/models/{model}: what the engines can do, and their state. Neither waits for an engine to load.

POST /v1/studio/engines/{engine}/weights gets an engine's weights, or those of another of its releases.
"""

import hashlib
from dataclasses import asdict, replace

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse

from engines.contract.contract import EngineInfo
from engines.contract.editing import EditKind
from engines.contract.license import License
from engines.contract.prompt_form import PromptForm
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.audio.time_stretch import with_speed
from studio.errors.clean import clean
from studio.running.lifecycle import EngineStatus
from studio.service import Studio
from studio.web.fault_watch import REASON_HEADER

__all__ = ["router"]

RETRY_AFTER_SECONDS = 5  # while weights load


UNUSABLE: Responses = {
    503: {
        "description": "No engine is usable yet, or the default one runs elsewhere and cannot be reached; `reason` says why. "
        "With `Retry-After` where waiting helps."
    }
}

OWNERS: Responses = {403: {"description": "Weights are the owner's to choose and to get."}}

router = APIRouter(tags=["engines"])


@router.get("/health", summary="Whether an engine is usable", responses=UNUSABLE)
async def read_health(context: DeskOf) -> JSONResponse:
    """200 once an engine is ready, and the default one where it runs elsewhere; else 503 with the reason."""
    statuses = context.studio.engines()
    states = {status.state for status in statuses}
    default = next(status for status in statuses if status.info.id == context.studio.default.id)
    if _is_out_of_reach(default):
        return _unhealthy(context, default.health.reason or default.reason, "engine_unreachable", RETRY_AFTER_SECONDS)
    if "ready" in states and (default.info.runs == "here" or default.state == "ready"):
        return JSONResponse({"status": "healthy"})
    if "loading" in states:
        loading = ", ".join(status.info.id for status in statuses if status.state == "loading")
        return _unhealthy(context, f"engine loading: {loading}", "engine_loading", RETRY_AFTER_SECONDS)
    return _unhealthy(context, "No engine initialized" if "idle" in states or not states else "", "no_engine_ready")


@router.get("/v1/models", summary="The engines and their options")
async def list_models(context: DeskOf) -> dict[str, object]:
    """Every engine on offer, usable or not; `options` can be set through extra_params. Behind them the names of STUDIO_MODEL_ALIASES.

    What the choices of an option are called (`labels`) is told of one engine alone, since of languages there may be hundreds.
    """
    statuses = {status.info.id: status for status in context.studio.engines()}
    aliases = [_model(statuses[engine], context, name) for name, engine in context.studio.settings.model_aliases.items()]
    return {"object": "list", "data": [_model(status, context, name) for name, status in statuses.items()] + aliases}


@router.get("/v1/models/{model:path}", summary="One engine")
async def read_model(context: DeskOf, model: str) -> dict[str, object]:
    """By any name that `model` of a request may have: an engine's id, the hub's id of its weights (`root`), or an alias."""
    if not model:
        return await list_models(context)
    engine = context.studio.engine_id(model)
    status = next(status for status in context.studio.engines() if status.info.id == engine)
    return _model(status, context, model) | {"options": [asdict(option) for option in with_speed(status.info.options)]}


@router.post("/v1/studio/engines/{engine}/weights", summary="Choose and get weights", responses=OWNERS)
async def get_weights(
    context: DeskOf, engine: str, checkpoint: str | None = Query(None, description="One of `releases`, which it opens from then on.")
) -> dict[str, object]:
    """Has the engine open another of its releases from then on, and begins to fetch what is missing; answers as /v1/models/{model}.

    An engine that is at work is not switched (`engine_in_use`), nor one whose weights <ENGINE>_CHECKPOINT names (`release_fixed`).
    """
    name = await context.threads.run(lambda: _got(context.studio, engine, checkpoint))
    return await read_model(context, name)


def _got(studio: Studio, engine: str, checkpoint: str | None) -> str:
    """The engine's id."""
    studio.check_owner()
    name = studio.engine_id(engine)
    if checkpoint is not None:
        studio.release_choice.choose(name, checkpoint)
    studio.weights.begin(name)
    return name


def _is_out_of_reach(default: EngineStatus) -> bool:
    if default.info.runs == "here":
        return False
    return default.state in ("failed", "unavailable") or default.health.state == "down"


def _unhealthy(context: ApiContext, reason: str, code: str, retry_after_seconds: int | None = None) -> JSONResponse:
    body = {"status": "unhealthy"} | ({"reason": clean(reason)} if reason else {})
    headers = {REASON_HEADER: code} | ({"Retry-After": str(retry_after_seconds)} if retry_after_seconds else {})
    engines = {status.info.id: _state(status, context) for status in context.studio.engines()}
    return JSONResponse(body | {"engines": engines}, status_code=503, headers=headers)


def _model(status: EngineStatus, context: ApiContext, name: str) -> dict[str, object]:
    """name: under which it was asked for. root: whose weights they are; parent: the engine behind another name."""
    info, settings = status.info, context.studio.settings
    compatible = {
        "id": name,
        "object": "model",
        "created": context.created,
        "owned_by": "voice-cloning-studio",
        "root": info.hub_id or info.id,
        "parent": None if name == info.id else info.id,
        "max_model_len": None,
        "permission": [_permission(name, context.created)],
    }
    declared = {
        "title": info.title,
        "summary": info.summary,
        "licence": info.license,
        "licence_url": info.licenses[0].url or None,
        "licences": [_license(each) for each in info.licenses],
        "restriction": info.restriction or None,
        "attribution": info.attribution or None,
        "languages": info.languages,
        "language_limits": [{"code": limit.code, "fact": limit.fact, "hint": limit.hint} for limit in info.language_limits],
        "clip_wishes": asdict(info.clip_wishes),
        "markup": info.markup,
        "phones": info.phones or None,
        "phone_languages": info.phone_languages,
        "sample_rate": info.sample_rate,
        "streams": info.streams,
        "transcript": info.transcript,
        "clones": info.clones_clips,
        "converts": info.converts,
        "edits": [_edit_kind(kind) for kind in info.edits],
        "reads_along": info.reads_along,
        "most_recordings": info.most_recordings,
        "voices": info.presets,
        "voice_languages": info.preset_languages,
        "voice_sexes": info.preset_sexes,
        "blends_voices": info.blends_presets,
        "default_voice": info.default_preset,
        "designed_voice": info.designed_preset,
        "embedding_size": info.embedding_size,
        "prompt_forms": [_form(form) for form in info.prompt_forms],
        "hosts": settings.hosts_of(info.id),
        "leaves_traces": info.leaves_traces,
        "most_characters": settings.most_text_characters,
        "runs": info.runs,
        "deterministic": info.is_deterministic,
        "options": [asdict(replace(option, labels=())) for option in with_speed(info.options)],
        "default": name == context.studio.default.id,
        "default_reason": context.studio.default.reason if name == context.studio.default.id else None,
        "releases": _releases(status.info, context.studio) or None,
        "weights": context.studio.weights.status(info.id).state,
        "device": status.device or None,
        "device_is_tested": status.device_is_tested,
        "width": status.width if status.device else None,
        "waiting": status.waiting,
        "streaming": status.streaming,
    }
    return compatible | declared | _state(status, context)


def _releases(info: EngineInfo, studio: Studio) -> list[dict[str, object]]:
    """Among which people choose by `checkpoint`. suits: what it is for."""
    return [
        {
            "checkpoint": each.repository,
            "size": each.size,
            "bytes": each.weights_bytes,
            "suits": each.suits,
            "chosen": each.repository == info.hub_id,
        }
        for each in studio.releases.of(info.id)
    ]


def _license(license: License) -> dict[str, object]:
    """covers: "model" or "codec", null for all of the weights. most_annual_users: null where it counts none."""
    return {name: value or None for name, value in asdict(license).items()}


def _form(form: PromptForm) -> dict[str, object]:
    """Of what other tools make of a speaker, and the engine takes as a voice. shape: null for the axis of frames, of which there are at
    most most_frames. holds: floats, or codes, whole numbers of books of codebook_sizes."""
    holds, sizes = ("codes", form.sizes or None) if form.is_codes else ("floats", None)
    return {"name": form.name, "shape": form.shape, "most_frames": form.most_frames, "holds": holds, "codebook_sizes": sizes}


def _edit_kind(kind: EditKind) -> dict[str, object]:
    """A way in which it changes what is said in a recording; options as those of an engine."""
    return asdict(replace(kind, options=tuple(replace(option, labels=()) for option in kind.options)))


def _state(status: EngineStatus, context: ApiContext) -> dict[str, object]:
    """reason and command are there where something is wrong, command for the owner, who alone can run it. health: of what does the work
    of one that runs elsewhere, once it is open."""
    members: dict[str, object] = {"state": status.state}
    if status.info.runs == "elsewhere" and status.state == "ready":
        members["health"] = status.health.state
    if status.reason or status.health.reason:
        members["reason"] = clean(status.reason or status.health.reason)
    if status.command and context.studio.is_owner:
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
