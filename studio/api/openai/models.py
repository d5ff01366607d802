"""GET /openai/v1/models, /models/{model} and /audio/models: the engines that can speak now, and the names that mean them."""

import re
from collections.abc import Mapping

from fastapi import APIRouter

from studio.api.door.context import ApiContext, DeskOf
from studio.errors import EngineUnknown
from studio.service import Studio

__all__ = ["BASE", "engine_named", "router"]

BASE = "/openai/v1"
# OpenAI's names, which its clients say without having been told any.
MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
DATED = re.compile(rf"(?:{'|'.join(MODELS)})(?:-\d{{4}}(?:-\d{{2}}-\d{{2}})?)?", re.ASCII)  # tts-1-1106, gpt-4o-mini-tts-2025-12-15

router = APIRouter(tags=["OpenAI's API"])


@router.get(f"{BASE}/models", summary="The engines that can speak now, and their other names")
async def list_models(context: DeskOf) -> dict[str, object]:
    """As OpenAI lists models. `tts-1` and its like are the default engine, unless STUDIO_MODEL_ALIASES says otherwise."""
    return {"object": "list", "data": [_model(name, context) for name in _able(context.studio)]}


@router.get(f"{BASE}/audio/models", summary="The same, as Open WebUI lists models of speech")
async def list_audio_models(context: DeskOf) -> dict[str, object]:
    """Members `models` and `data` are the same list."""
    titles = _able(context.studio)
    models = [_model(name, context) | {"name": title} for name, title in titles.items()]
    return {"object": "list", "data": models, "models": models}


@router.get(f"{BASE}/models/{{model:path}}", summary="One of them")
async def read_model(context: DeskOf, model: str) -> dict[str, object]:
    """By any name that `model` of a request may have."""
    if not model:
        return await list_models(context)
    engine_named(model, context.studio)
    return _model(model, context)


def engine_named(model: str | None, studio: Studio) -> str | None:
    """The id of the engine that a request of this door means by `model`; None for no certain one, which the text then decides.

    Raises EngineUnknown.
    """
    try:
        return studio.engine_id(model) if model else None
    except EngineUnknown:
        if model and is_openai_model(model):
            return None
        raise


def _able(studio: Studio) -> Mapping[str, str]:
    """Name -> the title of its engine: ids of engines, names that were set, OpenAI's."""
    infos = {status.info.id: status.info for status in studio.engines() if not status.is_out_of_order}
    aliases = dict.fromkeys(MODELS, studio.default.id) | dict(studio.settings.model_aliases)
    return {name: info.title for name, info in infos.items()} | {
        name: f"{name} ({infos[engine].title})" for name, engine in aliases.items() if engine in infos
    }


def _model(name: str, context: ApiContext) -> dict[str, object]:
    return {"id": name, "object": "model", "created": context.created, "owned_by": "voice-cloning-studio"}


def is_openai_model(name: str) -> bool:
    """Whether it is one of OpenAI's models of speech, as it is or of a date."""
    return DATED.fullmatch(name) is not None
