"""The lines of a script: read by the page-full, edited, undone, found and replaced; and what has changed since somebody looked."""

from collections.abc import Callable

from fastapi import APIRouter, Depends, Query

from studio.api.answers.script_answers import ChangesAnswer, EditedAnswer, FoundAnswer, LineIdsAnswer, LinesAnswer
from studio.api.answers.script_bodies import EditsBody, FindBody, ReplaceBody
from studio.api.answers.told_scripts import changes, edited, lines_from
from studio.api.door.context import ApiContext, DeskOf
from studio.api.routes.scripts.addresses import MOVED_ON, ONE, ScriptId
from studio.api.routes.speech import json_only
from studio.scripts.script.edited import Edited
from studio.scripts.scripts import Scripts
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

MOST_LINES = 1_000  # of one answer
MOST_INDEX = 1 << 31
JSON_ONLY = [Depends(json_only)]
First = Query(0, ge=0, le=MOST_INDEX, description="Index of the first line.")
Count = Query(200, ge=1, le=MOST_LINES, description="How many lines at most.")

router = APIRouter(tags=["scripts"], route_class=OffLoopRoute)


@router.get(ONE + "/lines", summary="Lines of a script")
async def read_lines(context: DeskOf, script: str = ScriptId, first: int = First, count: int = Count) -> LinesAnswer:
    """A stretch of them, with their takes and their states."""
    return await context.threads.run(lambda: lines_from(context.studio.scripts, script, first, count))


@router.get(ONE + "/line_ids", summary="The ids of all lines")
async def read_line_ids(context: DeskOf, script: str = ScriptId) -> LineIdsAnswer:
    """In their order."""

    def told(scripts: Scripts) -> LineIdsAnswer:
        return LineIdsAnswer(revision=scripts.script(script).revision, ids=list(scripts.line_ids(script)))

    return await context.threads.run(lambda: told(context.studio.scripts))


@router.get(ONE + "/changes", summary="What has changed since")
async def read_changes(
    context: DeskOf,
    script: str = ScriptId,
    since: int = Query(0, ge=0, le=2**63 - 1, description="`token` of the answer before this one, or of the lines that were read."),
) -> ChangesAnswer:
    """Lines that were edited, said, chosen or failed since then, and how far saying is. Cheap where nothing has: it may be asked each
    second while a script is said."""
    return await context.threads.run(lambda: changes(context.studio.scripts, script, since))


@router.post(ONE + "/edits", summary="Edit a script", responses=MOVED_ON, dependencies=JSON_ONLY)
async def edit_script(context: DeskOf, body: EditsBody, script: str = ScriptId) -> EditedAnswer:
    """All of the edits or none of them, as one step that can be undone. Takes stay: what a change makes another is stale."""
    return await _edited(context, script, lambda scripts: scripts.edit(script, body.edits, body.revision))


@router.post(ONE + "/undo", summary="Undo the last edit", responses=MOVED_ON)
async def undo_edit(context: DeskOf, script: str = ScriptId) -> EditedAnswer:
    """Lines that it deleted come back with their takes."""
    return await _edited(context, script, lambda scripts: scripts.undo(script))


@router.post(ONE + "/redo", summary="Do the edit again that was undone", responses=MOVED_ON)
async def redo_edit(context: DeskOf, script: str = ScriptId) -> EditedAnswer:
    """Until something else is edited."""
    return await _edited(context, script, lambda scripts: scripts.redo(script))


@router.post(ONE + "/find", summary="Find words in the lines", dependencies=JSON_ONLY)
async def find_words(context: DeskOf, body: FindBody, script: str = ScriptId) -> FoundAnswer:
    """The ids of all lines that have them."""
    scripts = context.studio.scripts
    found = await context.threads.run(lambda: scripts.find_words(script, body.text, is_case=body.case, is_whole=body.whole_word))
    return FoundAnswer(lines=list(found), n=len(found))


@router.post(ONE + "/replace", summary="Replace words in all lines", responses=MOVED_ON, dependencies=JSON_ONLY)
async def replace_words(context: DeskOf, body: ReplaceBody, script: str = ScriptId) -> EditedAnswer:
    """As one edit, which can be undone."""
    return await _edited(
        context,
        script,
        lambda scripts: scripts.replace_words(script, body.text, body.by, is_case=body.case, is_whole=body.whole_word),
    )


async def _edited(context: ApiContext, script: str, act: Callable[[Scripts], Edited]) -> EditedAnswer:
    def acted(scripts: Scripts) -> EditedAnswer:
        done = act(scripts)
        return edited(scripts, script, done.revision, done.lines, done.is_reordered)

    return await context.threads.run(lambda: acted(context.studio.scripts))
