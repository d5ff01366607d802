"""/v1/audio/voices: list, read one, hear one, delete. Uploading has a room of its own."""

from fastapi import FastAPI
from starlette.responses import Response

from studio.api.desk import Desk
from studio.api.errors import ApiError
from studio.api.routes.voice_quality import quality_of
from studio.audio.encode import encode
from studio.audio.formats import MEDIA_TYPES
from studio.errors import ClipMissing
from studio.speakers.speaker import Speaker
from studio.speech.source import DEFAULT_SPEAKER

__all__ = ["VoicesRoom", "masked"]


class VoicesRoom:
    """The routes of voices that exist. `open` adds them to an app."""

    def __init__(self, desk: Desk):
        self._studio = desk.studio
        self._threads = desk.threads

    def open(self, app: FastAPI) -> None:
        one = "/v1/audio/voices/{name}"
        wav = {200: {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}}}
        app.add_api_route("/v1/audio/voices", self.list, methods=["GET"], tags=["voices"], summary="All voices")
        app.add_api_route(one, self.read, methods=["GET"], tags=["voices"], summary="One voice")
        app.add_api_route(
            one + "/audio", self.hear, methods=["GET"], tags=["voices"], summary="The recording", response_class=Response, responses=wav
        )
        app.add_api_route(one, self.delete, methods=["DELETE"], tags=["voices"], summary="Delete a voice")

    async def list(self) -> dict[str, object]:
        """Names in lower case, built-in ones and "default" included; uploads with what is known about them."""
        speakers = await self._threads.run(self._studio.speakers)  # looks at the disk
        presets = [preset for status in self._studio.engines() for preset in status.info.presets]
        names = {DEFAULT_SPEAKER, *(name.lower() for name in [*presets, *(speaker.name for speaker in speakers)])}
        return {"voices": sorted(names), "uploaded_voices": [self._listed(speaker) for speaker in speakers]}

    async def read(self, name: str) -> dict[str, object]:
        """The record of one voice.

        `prompts` tells which engines know it already: engine -> processing, memory or disk. `quality` tells how good the recording is.
        """
        return await self._threads.run(lambda: self._record(name))

    async def hear(self, name: str) -> Response:
        """What was uploaded, as mono 16-bit WAV at its own rate."""
        data = await self._threads.run(lambda: _recording(self._studio.speaker(name)))
        return Response(data, media_type=MEDIA_TYPES["wav"])

    async def delete(self, name: str) -> dict[str, object]:
        """When this returns, the voice is gone from disk and from every cache. Speech under way ends in the voice it began with."""
        await self._threads.run(lambda: self._studio.forget(name))
        return {"success": True, "message": f"Voice '{name}' deleted successfully"}

    def _listed(self, speaker: Speaker) -> dict[str, object]:
        strict = self._studio.settings.strict_compat
        return _listed(speaker, speaker.consent if strict else masked(speaker.consent))

    def _record(self, name: str) -> dict[str, object]:
        speaker = self._studio.speaker(name)
        return self._listed(speaker) | {
            "language": speaker.transcript.language if speaker.transcript is not None else None,
            "seconds": None if speaker.seconds is None else round(speaker.seconds, 4),
            "sample_rate": speaker.sample_rate,
            "tags": list(speaker.tags),
            "prompts": self._studio.prompt_places(speaker),
            "quality": _quality(speaker),
        }


def masked(consent: str) -> str:
    """vLLM-Omni lists consent identifiers to whoever asks; we show that there is one. The store keeps it."""
    return consent[:1] + "***"


def _listed(speaker: Speaker, consent: str) -> dict[str, object]:
    embedding = speaker.embedding
    members: dict[str, object] = {
        "name": speaker.name,
        "consent": consent,
        "created_at": speaker.created_at,
        "file_size": speaker.file_bytes,
        "mime_type": speaker.mime_type,
        "embedding_source": "audio" if embedding is None else "direct",
        "embedding_dim": None if embedding is None else len(embedding),
    }
    if speaker.transcript is not None:
        members["ref_text"] = speaker.transcript.text
    if speaker.description:
        members["speaker_description"] = speaker.description
    return members


def _quality(speaker: Speaker) -> dict[str, object] | None:
    """None for a speaker embedding, and where the recording is gone: the record is readable all the same."""
    if speaker.embedding is not None:
        return None
    try:
        return quality_of(speaker.read_clip())
    except ClipMissing:
        return None


def _recording(speaker: Speaker) -> bytes:
    if speaker.embedding is not None:
        message = f"Voice '{speaker.name}' was uploaded as a speaker embedding and has no recording"
        raise ApiError(404, message, param="name", reason_code="clip_missing")
    clip = speaker.read_clip()
    return encode(clip.samples, clip.sample_rate, "wav")
