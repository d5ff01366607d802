"""Export of a script: a file or a ZIP, what would be lacking or missed before that, and the dubbing of a video."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from fastapi import APIRouter, Depends, Request
from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engines.plain_json import read_json
from studio.api.answers.script_answers import CheckedExportAnswer
from studio.api.answers.script_bodies import ExportBody
from studio.api.door.context import DeskOf, unless_hung_up
from studio.api.door.documentation import Responses
from studio.api.routes.scripts.addresses import ONE, ScriptId, attachment
from studio.api.routes.scripts.sent import uploaded
from studio.api.routes.speech import json_only
from studio.errors import SchemaInvalid
from studio.running.threads import Threads
from studio.scripts.dubbing.order import DubOrder
from studio.scripts.export.order import ExportedFile
from studio.speech.schema_errors import schema_error
from studio.web.body_limit import OffLoopRoute

__all__ = ["DUB", "router"]

DUB = ONE + "/dub"
REPORT = "x-script-export"
JSON_ONLY = [Depends(json_only)]
FILE = {"type": "string", "format": "binary"}
FILES: Responses = {
    200: {
        "description": "The file, or a ZIP of several. X-Script-Export tells as JSON what is to be known of it.",
        "content": {
            kind: {"schema": FILE} for kind in ("audio/wav", "audio/flac", "audio/mpeg", "audio/ogg", "audio/mp4", "application/zip")
        },
    },
    409: {
        "description": "Lines are not said yet, or are stale: `reason_code` says which; `missing` and `stale` of the order let them pass."
    },
}
VIDEO_FORM = {
    "requestBody": {
        "required": True,
        "description": "The video, 2 GiB at most, and how its sound is replaced.",
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": FILE,
                        "order": {
                            "type": "string",
                            "contentMediaType": "application/json",
                            "description": "JSON: `original` (drop, track, under, duck), `original_db`, ...",
                        },
                    },
                }
            }
        },
    }
}
VIDEOS: Responses = {
    200: {"content": {kind: {"schema": FILE} for kind in ("video/mp4", "video/x-matroska")}},
    409: {"description": "Lines are not said yet, or are stale."},
}

router = APIRouter(tags=["scripts"], route_class=OffLoopRoute)


class FileAnswer(Response):
    """A file that was made for this answer, and goes with it. make: blocks until it is there."""

    def __init__(self, threads: Threads, make: Callable[[], ExportedFile]):
        super().__init__()
        self._threads = threads
        self._make = make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await unless_hung_up(receive, self._deliver(send))

    async def _deliver(self, send: Send) -> None:
        file = await self._threads.open(self._make)
        try:
            blocks = file.blocks()
            await send({"type": "http.response.start", "status": 200, "headers": _headers(file)})
            while (block := await self._next(blocks)) is not None:
                await send({"type": "http.response.body", "body": block, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._threads.submit(file.close)

    async def _next(self, blocks: Iterator[bytes]) -> bytes | None:
        return await self._threads.run(lambda: next(blocks, None))


@router.post(ONE + "/export", summary="Export a script", response_class=Response, responses=FILES, dependencies=JSON_ONLY)
async def export_script(context: DeskOf, body: ExportBody, script: str = ScriptId) -> Response:
    """Sound as one file, or a file per chapter or line in a ZIP; subtitles; word times; or the script itself, which comes in again."""
    return FileAnswer(context.threads, lambda: context.studio.scripts.export(script, body))


@router.post(ONE + "/export/check", summary="Look whether a script can be exported", dependencies=JSON_ONLY)
async def check_export(context: DeskOf, body: ExportBody, script: str = ScriptId) -> CheckedExportAnswer:
    """What is not said yet, what is stale, which loudness targets are met, and which lines miss their slots."""

    check = await context.threads.run(lambda: context.studio.scripts.check_export(script, body))
    return CheckedExportAnswer.model_validate(check.told())


@router.post(DUB, summary="Dub a video", response_class=Response, responses=VIDEOS, openapi_extra=VIDEO_FORM)
async def dub_video(context: DeskOf, request: Request, script: str = ScriptId) -> Response:
    """Its picture is copied as it is; the lines are heard in their slots, beside the original sound where that is kept."""
    folder = Path(tempfile.mkdtemp(prefix="dub-"))
    try:
        async with request.form(max_files=1, max_fields=4) as form:
            file, order = uploaded(form), _order(form.get("order"))
            video = folder / f"video{Path(file.filename or '').suffix[:8]}"
            await context.threads.run(lambda: _copied(file.file, video))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise

    def dubbed() -> ExportedFile:
        try:
            return context.studio.scripts.dub(script, video, order)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return FileAnswer(context.threads, dubbed)


def _copied(source: BinaryIO, path: Path) -> None:
    with path.open("wb") as written:
        shutil.copyfileobj(source, written, 1 << 20)


def _order(text: object) -> DubOrder:
    if not isinstance(text, str) or not text:
        return DubOrder()
    try:
        return DubOrder.model_validate(read_json(text.encode()))
    except ValidationError as error:
        raise schema_error([{**one, "loc": ("body", "order", *one["loc"])} for one in error.errors()]) from error
    except ValueError as error:
        raise SchemaInvalid("1 validation error:\n  must be valid JSON", "order", field="order") from error


def _headers(file: ExportedFile) -> list[tuple[bytes, bytes]]:
    told = {"content-type": file.media_type, "content-length": str(file.n_bytes), "cache-control": "no-store"}
    told |= {name.lower(): value for name, value in attachment(file.filename).items()}
    told |= {REPORT: json.dumps(file.report.told())}
    return [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
