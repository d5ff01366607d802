"""Saying: what of a script is said, how far it is, stop; takes of a line: say again, choose, hear, delete."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from studio.api.answers.script_answers import EditedAnswer, ProgressAnswer, SayingAnswer
from studio.api.answers.script_bodies import ChosenTakeBody, LineAgainBody, LinesBody, SayBody
from studio.api.answers.take_answers import LineTakeWordsAnswer, TimedWordsAnswer
from studio.api.answers.told_scripts import edited, progress
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.api.routes.scripts.addresses import KEPT_BY_NOBODY, LINE, ONE, TAKE, LineId, ScriptId, TakeId
from studio.api.routes.speech import json_only
from studio.audio.formats import MEDIA_TYPES
from studio.scripts.saying.saying import Saying
from studio.scripts.script.mend import LineMendBody
from studio.scripts.scripts import Scripts
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

JSON_ONLY = [Depends(json_only)]
FULL: Responses = {409: {"description": "The takes of the workspace have as many bytes as they may have: delete some first."}}
WAV: Responses = {200: {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}}}
EARLESS: Responses = {503: {"description": "There are no ears here that could choose: `make ears` brings them."}}

router = APIRouter(tags=["scripts"], route_class=OffLoopRoute)


@router.post(ONE + "/say", summary="Say a script", status_code=202, responses=FULL, dependencies=JSON_ONLY)
async def say_script(context: DeskOf, body: SayBody, script: str = ScriptId) -> SayingAnswer:
    """Returns at once; `progress` and `changes` tell how far it is. It goes on when the studio was restarted meanwhile."""
    saying = Saying(lines=body.lines, from_line=body.begin, only=body.only, n_takes=body.takes, best=body.best)
    return await _saying(context, script, lambda scripts: scripts.say(script, saying))


@router.delete(ONE + "/say", summary="Stop saying a script")
async def stop_saying(context: DeskOf, script: str = ScriptId) -> SayingAnswer:
    """Within a line; what has been said is kept."""
    return await _saying(context, script, lambda scripts: scripts.stop(script))


@router.get(ONE + "/progress", summary="How far saying is")
async def read_progress(context: DeskOf, script: str = ScriptId) -> ProgressAnswer:
    """Of what was asked to be said last."""
    return await context.threads.run(lambda: progress(context.studio.scripts, script))


@router.post(LINE + "/takes", summary="Say a line again", status_code=202, responses=FULL, dependencies=JSON_ONLY)
async def say_line_again(context: DeskOf, body: LineAgainBody | None = None, script: str = ScriptId, line: str = LineId) -> SayingAnswer:
    """With another seed; before whatever else waits to be said. A line has up to five takes: the oldest that is not chosen goes."""
    asked = body or LineAgainBody.model_validate({})
    return await _saying(context, script, lambda scripts: scripts.say_again(script, line, asked.takes, seed=asked.seed, best=asked.best))


@router.post(LINE + "/mend", summary="Mend words of a take", status_code=202, responses=FULL, dependencies=JSON_ONLY)
async def mend_line(context: DeskOf, body: LineMendBody, script: str = ScriptId, line: str = LineId) -> SayingAnswer:
    """Experimental. The words in which `text` differs from the take are said anew, in its voice; all other samples stay as they are.

    Before whatever else waits to be said; `progress` and `changes` tell how far it is. Then the line has the text and a new take, which is
    chosen: one step, which can be undone. The take that was mended stays. Refused where no engine changes recordings, where the words of
    the take have no times, and where nothing differs.
    """
    return await _saying(context, script, lambda scripts: scripts.mend(script, line, body.wish))


@router.put(LINE + "/chosen", summary="Choose which take of a line is heard", dependencies=JSON_ONLY)
async def choose_take(context: DeskOf, body: ChosenTakeBody, script: str = ScriptId, line: str = LineId) -> EditedAnswer:
    """By hand; nothing is said again."""
    return await _after(context, script, lambda scripts: scripts.choose(script, line, body.take), line)


@router.post(ONE + "/best", summary="Choose the best takes by the ears", status_code=202, responses=EARLESS, dependencies=JSON_ONLY)
async def choose_best(context: DeskOf, body: LinesBody | None = None, script: str = ScriptId) -> SayingAnswer:
    """Of each line the one with the fewest wrong words, then the most alike, then the most natural; the take says why. Returns at once."""
    lines = body.lines if body else None
    return await _saying(context, script, lambda scripts: scripts.choose_best(script, lines))


@router.delete(TAKE, summary="Delete a take")
async def delete_take(context: DeskOf, script: str = ScriptId, line: str = LineId, take: str = TakeId) -> EditedAnswer:
    """For good. Where it was the chosen one, none is chosen."""
    return await _after(context, script, lambda scripts: scripts.delete_take(script, line, take), line)


@router.get(TAKE + "/audio", summary="The sound of a take", response_class=Response, responses=WAV)
async def read_take_sound(context: DeskOf, script: str = ScriptId, line: str = LineId, take: str = TakeId) -> Response:
    """Mono 16-bit WAV at the rate of its engine."""
    data = await context.threads.run(lambda: context.studio.scripts.take_sound(script, line, take))
    return Response(data, media_type=MEDIA_TYPES["wav"], headers=KEPT_BY_NOBODY)


@router.get(TAKE + "/words", summary="When each word of a take is heard")
async def read_take_words(context: DeskOf, script: str = ScriptId, line: str = LineId, take: str = TakeId) -> LineTakeWordsAnswer:
    """As they stand in the text and as they are said, with their places in both."""

    def told(scripts: Scripts) -> LineTakeWordsAnswer:
        words, why = scripts.take_words(script, line, take)
        times = TimedWordsAnswer.of(words, why)
        return LineTakeWordsAnswer(words=times.words, why=times.why, text=scripts.take_text(script, line, take))

    return await context.threads.run(lambda: told(context.studio.scripts))


async def _saying(context: ApiContext, script: str, act: Callable[[Scripts], Any]) -> SayingAnswer:
    def acted(scripts: Scripts) -> SayingAnswer:
        act(scripts)
        return SayingAnswer(progress=progress(scripts, script))

    return await context.threads.run(lambda: acted(context.studio.scripts))


async def _after(context: ApiContext, script: str, act: Callable[[Scripts], Any], line: str) -> EditedAnswer:
    def acted(scripts: Scripts) -> EditedAnswer:
        act(scripts)
        return edited(scripts, script, scripts.script(script).revision, (line,), is_reordered=False)

    return await context.threads.run(lambda: acted(context.studio.scripts))
