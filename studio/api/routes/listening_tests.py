"""/v1/studio/tests: listening tests for programs: plan, sounds, freezing, results. Listeners use a page instead, and need no key."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from studio.api.answers.listening_answers import (
    ListenersAnswer,
    OneTestAnswer,
    PlanBody,
    TestListAnswer,
    VotesAnswer,
    one_test,
    test_answer,
)
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.listening.foreign.judged_table import Asked
from studio.listening.keep.test import ListeningTest
from studio.listening.listening import Listening
from studio.listening.people.people import told_of
from studio.listening.plan.plan import Method
from studio.listening.plan.plan_check import plan_of
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

ALL = "/v1/studio/tests"
ONE = ALL + "/{test}"
LISTENER = ONE + "/listeners/{listener}"
MISPLACED: Responses = {409: {"description": "The state of the test does not allow it: `reason_code` says why."}}
KEPT_APART: Responses = {403: {"description": "Visitors are kept apart, and nobody said whose the test would be."}}
AS_MANY_AS_MAY_BE: Responses = {409: {"description": "There are as many tests as may be: delete one first."}}
ANY_AUDIO = {
    "requestBody": {
        "required": True,
        "description": "The file itself, in any common audio format; 0.4 to 60 s, 10 MiB at most.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
CSV: Responses = {
    200: {"content": {"application/json": {"schema": VotesAnswer.model_json_schema()}, "text/csv": {"schema": {"type": "string"}}}}
}
LISTENERS: Responses = {
    200: {"content": {"application/json": {"schema": ListenersAnswer.model_json_schema()}, "text/csv": {"schema": {"type": "string"}}}}
}
PERSON: Responses = {200: {"content": {"application/json": {"schema": {"type": "object"}}}}}
HTML: Responses = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}
ZIP: Responses = {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}
FINDINGS: Responses = {200: {"content": {"application/json": {"schema": {"type": "object"}}}}}
ANY_TABLE = {
    "requestBody": {
        "required": True,
        "description": "The file itself, or as `file` of a form: CSV with any separator, TSV, or JSON; 10 MiB, 50,000 scores.",
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            "multipart/form-data": {"schema": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}},
        },
    }
}
JUDGED: Responses = {
    200: {
        "content": {"application/json": {"schema": {"type": "object"}}}
        | {kind: {"schema": {"type": "string"}} for kind in ("text/html", "text/csv")}
    }
}
Column = Query(
    [],
    max_length=12,
    description="`role=name` of a column that its name does not tell: listener, system, text, score, other or scale. "
    "The name * is each column of scores, # each row.",
)
Language = Query("en", max_length=16, description="Of its words: a code, such as de.")
TestId = PathParameter(
    description="As the list has it. No listener is told it: their address, `listen`, has a token of its own, which opens nothing else."
)
WhoListened = PathParameter(max_length=100, description="As results call them, such as L07; or the code that they were given.")

router = APIRouter(tags=["listening tests"], route_class=OffLoopRoute)


@router.get(ALL, summary="All listening tests")
async def list_tests(context: DeskOf) -> TestListAnswer:
    """Those of the key, or visitor, that asks; newest first."""
    tests = await context.threads.run(context.studio.listening.tests)
    return TestListAnswer(tests=[test_answer(test) for test in tests])


@router.post(ALL, summary="Make a listening test", responses=KEPT_APART | AS_MANY_AS_MAY_BE)
async def create_test(context: DeskOf, plan: PlanBody) -> OneTestAnswer:
    """A draft: send files where its systems are files, render it, look at its checks, freeze it, and hand out the address `listen`."""
    return await _acted(context, lambda listening: listening.create(plan_of(plan.model_dump())))


@router.post(ALL + "/judge", summary="Judge a table of results", response_class=Response, responses=JUDGED, openapi_extra=ANY_TABLE)
async def judge_results(
    *,
    context: DeskOf,
    request: Request,
    column: list[str] = Column,
    method: Method | None = Query(None, description="How it was asked, where the scores do not tell."),
    scale: str = Query("", max_length=200, description="Which question of a table that asks several."),
    format: Literal["findings", "report", "votes", "tidy"] = "findings",
    language: str = Language,
) -> Response:
    """What scores from anywhere say, by the rules of the studio's own tests. Nothing of them is kept.

    `told` of the findings says what was left out of the table, and what was guessed.
    """
    from studio.listening.foreign.judged_files import JUDGED_FILES, asked_columns, judged_data

    code, say = request.app.state.sentences(language)
    data, asked = await _sent_file(request), Asked(asked_columns(column), method, scale)
    file = JUDGED_FILES[format]
    made = await context.threads.run(lambda: file.make(judged_data(data, asked), say, code))
    return Response(made, media_type=file.mime_type)


@router.get(ONE, summary="One listening test")
async def read_test(context: DeskOf, test: str = TestId) -> OneTestAnswer:
    """Its plan, how far its sounds are, what is checked, and what happened to it."""
    return await _acted(context, lambda listening: listening.test(test))


@router.put(ONE, summary="Change a draft", responses=MISPLACED)
async def change_test(context: DeskOf, plan: PlanBody, test: str = TestId) -> OneTestAnswer:
    """The whole plan anew. What was rendered stays where nothing that is heard is another."""
    return await _acted(context, lambda listening: listening.change(test, plan_of(plan.model_dump())))


@router.delete(ONE, summary="Delete a listening test")
async def delete_test(context: DeskOf, test: str = TestId) -> dict[str, object]:
    """With its sounds, votes and log, for good."""
    await context.threads.run(lambda: context.studio.listening.delete(test))
    return {"id": test, "deleted": True}


@router.put(ONE + "/sounds/{system}/{text}", summary="Send a sound", responses=MISPLACED, openapi_extra=ANY_AUDIO)
async def send_sound(
    context: DeskOf,
    request: Request,
    test: str = TestId,
    system: str = PathParameter(description='Id of a system whose source is `files`; "reference" for the open reference.'),
    text: int = PathParameter(description="Which of the plan's texts it says, from 0."),
) -> OneTestAnswer:
    """One file for each text. Another one takes its place."""
    data = await request.body()
    return await _acted(context, lambda listening: listening.add_sound(test, system, text, data))


@router.post(ONE + "/render", summary="Make the sounds", responses=MISPLACED)
async def begin_rendering(context: DeskOf, test: str = TestId) -> OneTestAnswer:
    """Returns at once; `progress` of the test tells how far it is. What has been made already is kept."""
    return await _acted(context, lambda listening: _after(listening.begin_rendering(test), listening, test))


@router.delete(ONE + "/render", summary="Stop making the sounds")
async def stop_rendering(context: DeskOf, test: str = TestId) -> OneTestAnswer:
    """Soon; what has been made is kept."""
    return await _acted(context, lambda listening: _after(listening.stop_rendering(test), listening, test))


@router.post(ONE + "/copy", summary="Copy a listening test as a draft", responses=KEPT_APART | AS_MANY_AS_MAY_BE)
async def copy_test(context: DeskOf, test: str = TestId) -> OneTestAnswer:
    """A new test, which is the answer: with the plan, files and sounds of this one, and without listeners."""
    return await _acted(context, lambda listening: listening.copy(test))


@router.post(ONE + "/freeze", summary="Open a draft to listeners", responses=MISPLACED)
async def freeze_test(context: DeskOf, test: str = TestId) -> OneTestAnswer:
    """Nothing about its plan and sounds changes from then on; `frozen_hash` is what they are."""
    return await _acted(context, lambda listening: listening.freeze(test))


@router.post(ONE + "/close", summary="Take no more answers", responses=MISPLACED)
async def close_test(context: DeskOf, test: str = TestId) -> OneTestAnswer:
    """From then on the results are shown."""
    return await _acted(context, lambda listening: listening.close_test(test))


@router.post(ONE + "/unblind", summary="Show the results at once", responses=MISPLACED)
async def unblind_test(
    context: DeskOf, test: str = TestId, who: str = Query("", max_length=120, description="Who looks; for the log.")
) -> OneTestAnswer:
    """Closes the test, is logged, and cannot be undone."""
    return await _acted(context, lambda listening: listening.unblind(test, who))


@router.get(ONE + "/votes", summary="What the listeners said", response_class=Response, responses=CSV | MISPLACED)
async def read_votes(context: DeskOf, test: str = TestId, format: Literal["json", "csv", "tidy", "p808"] = "json") -> Response:
    """A row for each thing judged, once the test is closed or unblinded. tidy: of those that count, for R; p808: as that one has them."""
    votes = await context.threads.run(lambda: context.studio.listening.votes(test))
    if format == "json":
        return JSONResponse({"votes": [asdict(vote) for vote in votes]})
    table = await context.threads.run(lambda: _table(context.studio.listening, test, format))
    return Response(table, media_type="text/csv; charset=utf-8", headers=_attachment("votes.csv"))


@router.get(ONE + "/listeners", summary="Who listened", response_class=Response, responses=LISTENERS | MISPLACED)
async def read_listeners(context: DeskOf, test: str = TestId, format: Literal["json", "csv"] = "json") -> Response:
    """When they came and agreed, from where, and what they said of themselves, once the test is closed or unblinded."""
    from studio.listening.report.listeners_csv import listeners_csv

    def told(listening: Listening) -> Response:
        people = listening.listeners(test)
        if format == "csv":
            text = listeners_csv(listening.test(test).plan, people)
            return Response(text, media_type="text/csv; charset=utf-8", headers=_attachment("listeners.csv"))
        return JSONResponse({"listeners": [told_of(person) for person in people]})

    return await context.threads.run(lambda: told(context.studio.listening))


@router.get(LISTENER, summary="Everything that is kept of one listener", response_class=Response, responses=PERSON | MISPLACED)
async def read_listener(context: DeskOf, test: str = TestId, listener: str = WhoListened) -> Response:
    """For whoever asks what is kept about them, once the test is closed or unblinded. With their code they may see it at any time."""
    return JSONResponse(told_of(await context.threads.run(lambda: context.studio.listening.listener(test, listener))))


@router.delete(LISTENER, summary="Delete everything of one listener")
async def delete_listener(context: DeskOf, test: str = TestId, listener: str = WhoListened) -> dict[str, object]:
    """Answers, comments, questionnaire, ids and device, for good; the log keeps that one was deleted, and when."""
    await context.threads.run(lambda: context.studio.listening.delete_listener(test, listener))
    return {"deleted": True}


@router.get(ONE + "/findings", summary="What the votes say, in figures", response_class=Response, responses=FINDINGS | MISPLACED)
async def read_findings(context: DeskOf, test: str = TestId) -> Response:
    """Means, intervals, tests, who counts and who does not, and the verdict as keys of sentences with their values."""
    from studio.listening.report.findings_json import findings_json

    def told(listening: Listening) -> str:
        return findings_json(listening.shown(test), listening.findings(test))

    return Response(await context.threads.run(lambda: told(context.studio.listening)), media_type="application/json")


@router.get(ONE + "/report", summary="What the votes say, to read", response_class=HTMLResponse, responses=HTML | MISPLACED)
async def read_report(context: DeskOf, request: Request, test: str = TestId, language: str = Language) -> HTMLResponse:
    """One page that needs nothing else: verdict, figures, plots, who was left out and why."""
    from studio.listening.report.html_report import html_report

    code, say = request.app.state.sentences(language)

    def written(listening: Listening) -> str:
        findings = listening.findings(test)
        return html_report(listening.shown(test), findings, listening.votes(test), say, language=code)

    return HTMLResponse(await context.threads.run(lambda: written(context.studio.listening)))


@router.get(ONE + "/sounds", summary="All sounds, and which is which", response_class=StreamingResponse, responses=ZIP | MISPLACED)
async def read_sounds(context: DeskOf, request: Request, test: str = TestId, language: str = Language) -> StreamingResponse:
    """A ZIP with a key, once the test is closed or unblinded."""
    from studio.listening.report.sounds_zip import sounds_zip

    _, say = request.app.state.sentences(language)

    def packed(listening: Listening) -> Iterator[bytes]:
        blocks = sounds_zip(listening.shown(test), listening.folder(test), say)
        return chain([next(blocks)], blocks)  # what a disk refuses, it refuses now

    blocks = await context.threads.run(lambda: packed(context.studio.listening))
    return StreamingResponse(blocks, media_type="application/zip", headers=_attachment("sounds.zip"))


def _table(listening: Listening, test: str, form: Literal["csv", "tidy", "p808"]) -> str:
    from studio.listening.foreign.p808 import p808_csv
    from studio.listening.report.tidy_csv import tidy_csv
    from studio.listening.report.votes_csv import votes_csv

    votes = listening.votes(test)
    if form == "tidy":
        return tidy_csv(votes, listening.findings(test))
    return votes_csv(votes) if form == "csv" else p808_csv(votes, listening.test(test).link)


async def _sent_file(request: Request) -> bytes:
    """The body, or the first file of a form."""
    if not request.headers.get("content-type", "").startswith("multipart/"):
        return await request.body()
    async with request.form(max_files=1, max_fields=1) as form:
        files = [value for value in form.values() if isinstance(value, UploadFile)]
        return await files[0].read() if files else b""


def _after(done: None, listening: Listening, test: str) -> ListeningTest:
    return listening.test(test)


async def _acted(context: ApiContext, act: Callable[[Listening], ListeningTest]) -> OneTestAnswer:
    """On a thread: what is known of the test after the act."""
    listening = context.studio.listening
    return await context.threads.run(lambda: one_test(listening, act(listening)))


def _attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
