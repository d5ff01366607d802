"""Scripts: list them, read a text or a file in, look at one, copy and delete it; its cover."""

from collections.abc import Callable

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from studio.api.answers.script_answers import ReadScriptAnswer, ScriptAnswer, ScriptListAnswer
from studio.api.answers.script_bodies import ScriptBody
from studio.api.answers.told_scripts import read_in_script, script_list, told_script
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.api.routes.scripts.addresses import ALL, AS_MANY_AS_MAY_BE, KEPT_APART, KEPT_BY_NOBODY, ONE, ScriptId
from studio.api.routes.scripts.sent import sent_script
from studio.scripts.intake.formats import FORMATS
from studio.scripts.scripts import Scripts
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

FILE = {"type": "string", "format": "binary"}
FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": FILE,
        "title": {"type": "string", "description": "In place of the one that the file has."},
        "read_as": {"type": "string", "description": "Its format, where somebody knows it better."},
    },
}
TEXT_OR_FILE = {
    "requestBody": {
        "required": True,
        "description": "A text as JSON; or as `file` of a form, or as the body itself: TXT, Markdown, lines such as `ANNA: Hello.`, EPUB, "
        "SRT, VTT, CSV with a header, or a script as JSON or ZIP as the export has it; 256 MiB at most.",
        "content": {
            "application/json": {"schema": ScriptBody.model_json_schema()},
            "multipart/form-data": {"schema": FORM},
            "application/octet-stream": {"schema": FILE},
        },
    }
}
ANY_IMAGE = {
    "requestBody": {
        "required": True,
        "description": "The picture itself: JPEG or PNG, 5 MB at most.",
        "content": {"image/jpeg": {"schema": FILE}, "image/png": {"schema": FILE}},
    }
}
IMAGE: Responses = {200: {"content": {"image/jpeg": {"schema": FILE}, "image/png": {"schema": FILE}}}}
Filename = Query("", max_length=255, description="Of a file that is the body itself: its ending tells the format where the bytes do not.")

ReadAs = Query("", max_length=40, description=f"Its format, where somebody knows it better: {', '.join(FORMATS)}.")

router = APIRouter(tags=["scripts"], route_class=OffLoopRoute)


@router.get(ALL, summary="All scripts")
async def list_scripts(
    context: DeskOf, voice: str = Query("", max_length=200, description="Only those in which that voice speaks.")
) -> ScriptListAnswer:
    """Those of the key, or visitor, that asks, newest first; and how much there may be."""

    def listed(scripts: Scripts) -> ScriptListAnswer:
        return script_list(scripts, scripts.using(voice) if voice else scripts.scripts())

    return await context.threads.run(lambda: listed(context.studio.scripts))


@router.post(
    ALL, summary="Make a script of a text or a file", status_code=201, responses=KEPT_APART | AS_MANY_AS_MAY_BE, openapi_extra=TEXT_OR_FILE
)
async def create_script(context: DeskOf, request: Request, filename: str = Filename, read_as: str = ReadAs) -> ScriptAnswer:
    """`taken_for` says what it was recognised as, `notes` what is to be known of it. Nothing is said yet."""
    async with sent_script(request, filename, read_as) as sent:
        return await context.threads.run(lambda: read_in_script(context.studio.scripts, sent.read()))


@router.post(ALL + "/read", summary="Look what a text or a file is taken for", openapi_extra=TEXT_OR_FILE)
async def read_text(context: DeskOf, request: Request, filename: str = Filename, read_as: str = ReadAs) -> ReadScriptAnswer:
    """As making a script of it, and nothing is kept."""
    async with sent_script(request, filename, read_as) as sent:
        return await context.threads.run(sent.told)


@router.get(ONE, summary="One script")
async def read_script(context: DeskOf, script: str = ScriptId) -> ScriptAnswer:
    """All but its lines: title, cast, dictionary, chapters, counts, how far saying is."""
    return await context.threads.run(lambda: told_script(context.studio.scripts, context.studio.scripts.script(script)))


@router.delete(ONE, summary="Delete a script")
async def delete_script(context: DeskOf, script: str = ScriptId) -> dict[str, object]:
    """With all its takes, for good. What is being said of it stops."""
    await context.threads.run(lambda: context.studio.scripts.delete(script))
    return {"id": script, "deleted": True}


@router.post(ONE + "/copy", summary="Copy a script", status_code=201, responses=KEPT_APART | AS_MANY_AS_MAY_BE)
async def copy_script(context: DeskOf, script: str = ScriptId) -> ScriptAnswer:
    """With its cast, lines and takes; the answer is the copy."""
    scripts = context.studio.scripts
    return await context.threads.run(lambda: told_script(scripts, scripts.copy(script)))


@router.put(ONE + "/cover", summary="Give a script a cover", openapi_extra=ANY_IMAGE)
async def put_cover(context: DeskOf, request: Request, script: str = ScriptId) -> ScriptAnswer:
    """Another one takes its place. It is in the files that players show."""
    data = await request.body()
    return await _after(context, script, lambda scripts: scripts.set_cover(script, data))


@router.get(ONE + "/cover", summary="The cover", response_class=Response, responses=IMAGE)
async def read_cover(context: DeskOf, script: str = ScriptId) -> Response:
    """As it was sent."""
    cover = await context.threads.run(lambda: context.studio.scripts.cover(script))
    return Response(cover.image, media_type=cover.media_type, headers=KEPT_BY_NOBODY)


@router.delete(ONE + "/cover", summary="Take the cover away")
async def delete_cover(context: DeskOf, script: str = ScriptId) -> ScriptAnswer:
    """Nothing happens where there is none."""
    return await _after(context, script, lambda scripts: scripts.set_cover(script, None))


async def _after(context: ApiContext, script: str, act: Callable[[Scripts], object]) -> ScriptAnswer:
    def acted(scripts: Scripts) -> ScriptAnswer:
        act(scripts)
        return told_script(scripts, scripts.script(script))

    return await context.threads.run(lambda: acted(context.studio.scripts))
