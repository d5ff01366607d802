"""The cached prompts of voices: make one, drop one, count them."""

from dataclasses import asdict

from fastapi import FastAPI

from studio.api.desk import Desk
from studio.api.errors import ApiError
from studio.prompts.prompts import Warmth

__all__ = ["VoiceCacheRoom"]


class VoiceCacheRoom:
    """The routes of cached prompts. `open` adds them to an app."""

    def __init__(self, desk: Desk):
        self._studio = desk.studio
        self._threads = desk.threads

    def open(self, app: FastAPI) -> None:
        one = "/v1/audio/voices/{name}/cache"
        app.add_api_route(one, self.warm, methods=["POST"], tags=["cache"], summary="Extract a voice now, not at its first use")
        app.add_api_route(one, self.evict, methods=["DELETE"], tags=["cache"], summary="Make the next request a cold one")
        app.add_api_route("/v1/audio/cache/stats", self.stats, methods=["GET"], tags=["cache"], summary="Counts and bytes")

    async def warm(self, name: str, model: str | None = None, force: bool = False) -> dict[str, object]:
        """Returns when the prompt is in memory and on disk, or at once when somebody else's extraction is under way."""
        warmth = await self._threads.run(lambda: self._warm(name, model, force))
        answer: dict[str, object] = {"voice": warmth.speaker.name, "cache_status": "ready"}
        if warmth.status == "processing":
            answer |= {"cache_status": "processing", "message": "Cache generation in progress"}
        elif warmth.status == "existing":
            answer |= {"message": "Cache already exists and is valid"}
        return answer | {"model": warmth.engine, "outcome": warmth.outcome, "seconds": round(warmth.seconds, 4)}

    async def evict(self, name: str, model: str | None = None) -> dict[str, object]:
        """Drops the prompt from memory, disk and engine; the voice stays."""
        speaker = await self._threads.run(lambda: self._studio.evict(name, model or None))
        return {"voice": speaker.name, "cache_status": "pending", "message": "Cache dropped"}

    async def stats(self) -> dict[str, object]:
        """One consistent snapshot of the speaker cache, in all and per engine."""
        return asdict(self._studio.stats())

    def _warm(self, name: str, model: str | None, force: bool) -> Warmth:
        speaker = self._studio.speaker(name)
        if speaker.embedding is not None:
            message = f"Voice '{speaker.name}' is a pre-computed embedding; there is nothing to extract"
            raise ApiError(400, message, param="name", reason_code="embedding_unusable")
        return self._studio.warm(name, model or None, force=force, join=False)
