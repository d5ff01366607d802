"""GET /health and GET /v1/models: what the engines can do and how they are. Neither waits for a load."""

import secrets
import time
from dataclasses import asdict

from fastapi import FastAPI
from starlette.responses import JSONResponse

from studio.audio.time_stretch import with_speed
from studio.running.worker import EngineStatus
from studio.service import Studio
from studio.text.clean import clean

__all__ = ["EnginesRoom"]

RETRY_AFTER_SECONDS = 5  # while weights load


class EnginesRoom:
    """GET /health and GET /v1/models. `open` adds them to an app."""

    def __init__(self, studio: Studio):
        self._studio = studio
        self._created = int(time.time())  # of this process: the same in every answer
        self._permission_ids = {status.info.id: f"modelperm-{secrets.token_hex(16)}" for status in studio.engines()}

    def open(self, app: FastAPI) -> None:
        unusable = {503: {"description": "No engine is usable yet; `reason` says why. With `Retry-After` while one loads."}}
        app.add_api_route(
            "/health", self.health, methods=["GET"], tags=["engines"], summary="Whether an engine is usable", responses=unusable
        )
        app.add_api_route("/v1/models", self.models, methods=["GET"], tags=["engines"], summary="The engines and their options")

    async def health(self) -> JSONResponse:
        """200 once an engine is ready; before, 503 with the reason."""
        statuses = self._studio.engines()
        states = {status.state for status in statuses}
        if "ready" in states:
            return JSONResponse({"status": "healthy"})
        engines = {status.info.id: _state(status) for status in statuses}
        if "loading" in states:
            loading = ", ".join(status.info.id for status in statuses if status.state == "loading")
            body = {"status": "unhealthy", "reason": f"engine loading: {loading}", "engines": engines}
            return JSONResponse(body, status_code=503, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})
        reason = {"reason": "No engine initialized"} if "idle" in states or not states else {}
        return JSONResponse({"status": "unhealthy"} | reason | {"engines": engines}, status_code=503)

    async def models(self) -> dict[str, object]:
        """Every engine on offer, usable or not; `options` can be set through extra_params."""
        return {"object": "list", "data": [self._model(status) for status in self._studio.engines()]}

    def _model(self, status: EngineStatus) -> dict[str, object]:
        info = status.info
        compatible = {
            "id": info.id,
            "object": "model",
            "created": self._created,
            "owned_by": "voice-cloning-studio",
            "root": info.id,
            "parent": None,
            "max_model_len": None,
            "permission": [_permission(self._permission_ids[info.id], self._created)],
        }
        declared = {
            "title": info.title,
            "summary": info.summary,
            "licence": info.licence,
            "languages": info.languages,
            "sample_rate": info.sample_rate,
            "streams": info.streams,
            "transcript": info.transcript,
            "clones": info.clones_clips,
            "voices": info.presets,
            "default_voice": info.default_preset,
            "embedding_size": info.embedding_size,
            "most_characters": self._studio.settings.most_text_characters,
            "options": [asdict(option) for option in with_speed(info.options)],
            "default": info.id == self._studio.settings.default_engine,
            "device": status.device or None,
            "waiting": status.waiting,
            "streaming": status.streaming,
        }
        return compatible | declared | _state(status)


def _state(status: EngineStatus) -> dict[str, object]:
    """reason and command are there where something is wrong."""
    members: dict[str, object] = {"state": status.state}
    if status.reason:
        members["reason"] = clean(status.reason)
    if status.command:
        members["command"] = status.command
    return members


def _permission(permission_id: str, created: int) -> dict[str, object]:
    return {
        "id": permission_id,
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
