"""A blind test of two casts of a script: asked for, looked at, stopped."""

from fastapi import APIRouter, Depends

from studio.api.answers.script_answers import CastTestAnswer
from studio.api.answers.script_bodies import CastTestBody
from studio.api.answers.told_scripts import cast_test
from studio.api.door.context import DeskOf
from studio.api.door.documentation import Responses
from studio.api.routes.scripts.addresses import ONE, ScriptId
from studio.api.routes.speech import json_only
from studio.cast_tests import CastTestOrder
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

FULL: Responses = {409: {"description": "There are as many scripts, or listening tests, as may be: delete one first."}}

router = APIRouter(tags=["scripts"], route_class=OffLoopRoute)


@router.post(ONE + "/test", summary="Make a blind test of two casts", status_code=202, responses=FULL, dependencies=[Depends(json_only)])
async def begin_cast_test(context: DeskOf, body: CastTestBody, script: str = ScriptId) -> CastTestAnswer:
    """Lines of the script, as it is cast and with another cast, become the two systems of a listening test. Returns at once with its id;
    the sounds are then made, and `progress` tells how far that is. It is a draft, which is looked at, opened to listeners and judged as any
    (/v1/studio/tests). Without `lines` up to 20 are taken, from the beginning to the end, of those that sound otherwise."""
    order = CastTestOrder(body.cast, body.method, body.name, body.lines, body.scenes)

    def begun() -> CastTestAnswer:
        context.cast_tests.begin(context.studio, script, order)
        return cast_test(context.cast_tests, context.studio, script)

    return await context.threads.run(begun)


@router.get(ONE + "/test", summary="How far the blind test is")
async def read_cast_test(context: DeskOf, script: str = ScriptId) -> CastTestAnswer:
    """That of two casts that was asked for last since the studio began; `test` is null where none was."""
    return await context.threads.run(lambda: cast_test(context.cast_tests, context.studio, script))


@router.delete(ONE + "/test", summary="Stop making the blind test")
async def stop_cast_test(context: DeskOf, script: str = ScriptId) -> CastTestAnswer:
    """Within a line. The draft goes; what was said of the script itself is kept. One whose sounds are made is deleted as any test is."""

    def stopped() -> CastTestAnswer:
        context.cast_tests.stop(context.studio, script)
        return cast_test(context.cast_tests, context.studio, script)

    return await context.threads.run(stopped)
