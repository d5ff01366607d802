"""The cached prompts of voices: learns one, drops one, counts them."""

from dataclasses import asdict

from fastapi import APIRouter, Query

from studio.api.door.context import DeskOf
from studio.api.door.errors import ApiError
from studio.prompts.prompts import Until, WarmResult
from studio.service import Studio

__all__ = ["router"]

ONE = "/v1/audio/voices/{name}/cache"

router = APIRouter(tags=["cache"])


@router.post(ONE, summary="Extract a voice now, not at its first use")
async def warm_voice(
    context: DeskOf,
    name: str,
    model: str | None = None,
    force: bool = False,
    until: Until = Query("learned", description="`best`: wait until the voice is as alike as it gets."),
) -> dict[str, object]:
    """Returns when the prompt is in memory and on disk, or at once when somebody else's extraction is under way.

    A disk that does not take it is told with 507; voices can be spoken with all the same. `learning` tells how alike the voice is by now,
    where its engine learns in steps: `step` of `of`, and `seconds_left`, 0 where it is as alike as it gets, null where that is not known.
    With `until=best` the answer comes then. One that is not there within ten minutes, or stops, is told with 503 (`learning_unfinished`),
    and one that the engine cannot learn better with its own error.
    """
    warmth = await context.threads.run(lambda: _warmed(context.studio, name, model, force, until))
    answer: dict[str, object] = {"voice": warmth.speaker.name, "cache_status": "ready"}
    if warmth.status == "processing":
        answer |= {"cache_status": "processing", "message": "Cache generation in progress"}
    elif warmth.status == "existing":
        answer |= {"message": "Cache already exists and is valid"}
    learning = {"learning": warmth.learning.told} if warmth.learning else {}
    return answer | {"model": warmth.engine, "outcome": warmth.outcome, "seconds": round(warmth.seconds, 4)} | learning


@router.delete(ONE, summary="Make the next request a cold one")
async def evict_voice(context: DeskOf, name: str, model: str | None = None) -> dict[str, object]:
    """Drops the prompt from memory, disk and engine; the voice stays."""
    speaker = await context.threads.run(lambda: context.studio.evict(name, model or None))
    return {"voice": speaker.name, "cache_status": "pending", "message": "Cache dropped"}


@router.get("/v1/audio/cache/stats", summary="Counts and bytes")
async def read_cache_stats(context: DeskOf) -> dict[str, object]:
    """One consistent snapshot of the speaker cache, in all and per engine."""
    return asdict(context.studio.stats())


def _warmed(studio: Studio, name: str, model: str | None, force: bool, until: Until) -> WarmResult:
    speaker = studio.speaker(name)
    if speaker.tensor is not None and not speaker.tensor.form:
        message = f"Voice '{speaker.name}' is a pre-computed embedding; there is nothing to extract"
        raise ApiError(400, message, param="name", reason_code="embedding_unusable")
    return studio.warm(name, model or None, force=force, join=until == "best", on_disk=True, until=until)
