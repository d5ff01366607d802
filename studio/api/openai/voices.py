"""GET /openai/v1/audio/voices: what can be spoken now, as objects."""

from fastapi import APIRouter, Query

from studio.api.answers.voice_list import speakable_voices
from studio.api.door.context import DeskOf
from studio.api.openai.models import BASE, engine_named

__all__ = ["router"]

router = APIRouter(tags=["OpenAI's API"])


@router.get(f"{BASE}/audio/voices", summary="The voices that can be spoken with now")
async def list_voices(
    context: DeskOf, model: str = Query("", description="Of that engine, by any of its names; of the default engine when absent.")
) -> dict[str, object]:
    """Your own first, then the engine's built-in ones. `id` is what a request says in `voice`.

    Members `voices` and `data` are the same list, and `aliases` are other names: name -> voice.
    """
    studio = context.studio
    voices = await context.threads.run(lambda: speakable_voices(studio, engine_named(model, studio)))
    aliases = await context.threads.run(studio.aliases.all)
    return {"object": "list", "data": voices, "voices": voices, "aliases": {alias.name: alias.speaker for alias in aliases}}
