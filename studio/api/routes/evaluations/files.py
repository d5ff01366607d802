"""What is taken away from an evaluation: report, tables, all of it as a ZIP; limits that it keeps or not; what is new since another one."""

from dataclasses import asdict
from itertools import chain
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Query
from fastapi import Path as PathParameter
from starlette.responses import HTMLResponse, Response, StreamingResponse

from studio.api.answers.evaluation_answers import GateAnswer, GateLineAnswer, SinceAnswer
from studio.api.answers.told_evaluations import sayer, told_line
from studio.api.door.context import DeskOf
from studio.api.door.documentation import Responses
from studio.api.routes.evaluations.addresses import KEPT_BY_NOBODY, ONE, EvaluationId, Language
from studio.api.routes.scripts.addresses import attachment
from studio.api.routes.speech import json_only
from studio.evaluations.gate.gate import gate
from studio.evaluations.gate.limits import limits_of
from studio.evaluations.statistics.run_comparison import compare_runs
from studio.service import Studio
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

JSON_ONLY = [Depends(json_only)]
HTML: Responses = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}
FILES: Responses = {
    200: {
        "content": {kind: {"schema": {"type": "string"}} for kind in ("application/json", "text/csv", "text/markdown")}
        | {"application/zip": {"schema": {"type": "string", "format": "binary"}}}
    }
}
FILES_BESIDE = {"cells.csv": "export?format=csv", "evaluation.json": "export?format=json", "evaluation.zip": "export?format=zip"}
OtherId = PathParameter(max_length=64, description="The earlier one, as the list has it.")
LimitsBody = Annotated[dict[str, Any], Body(description="As a file of limits has them, in JSON.", openapi_examples={}, examples=[])]

router = APIRouter(tags=["evaluations"], route_class=OffLoopRoute)


@router.get(ONE + "/report", summary="What an evaluation found, to read", response_class=HTMLResponse, responses=HTML)
async def read_report(
    context: DeskOf,
    evaluation: str = EvaluationId,
    language: str = Language,
    since: str = Query("", max_length=64, description="The id of an earlier one, to compare with."),
) -> HTMLResponse:
    """One page; its sounds come from this studio. `export?format=zip` has a page that needs no studio."""
    from studio.evaluations.report.evaluation_report import ReportBeside, html_report
    from studio.evaluations.report.report_words import ReportWords

    def written(studio: Studio) -> str:
        data, say = studio.evaluations.data(evaluation), sayer(language)
        runs = compare_runs(data, studio.evaluations.data(since)) if since else None
        findings = studio.evaluations.findings(evaluation)
        beside = ReportBeside(runs=runs, files=FILES_BESIDE)
        return html_report(data, findings, ReportWords(say, say.language), lambda key, sound: f"sounds/{sound.sha256}", beside)

    return HTMLResponse(await context.threads.run(lambda: written(context.studio)), headers=KEPT_BY_NOBODY)


@router.get(ONE + "/export", summary="Take an evaluation away", response_class=Response, responses=FILES)
async def export_evaluation(
    context: DeskOf,
    evaluation: str = EvaluationId,
    format: Literal["json", "csv", "systems", "zip", "markdown"] = "json",
    language: str = Language,
) -> Response:
    """`json`: everything but the sounds, which another studio compares with; `csv`: a row for each sound; `systems`: a row for each system
    and figure; `markdown`: a table to paste; `zip`: the report with all sounds, for a browser without a studio."""
    return await context.threads.run(lambda: _file(context.studio, evaluation, format, language))


@router.post(ONE + "/gate", summary="Look whether an evaluation keeps limits", dependencies=JSON_ONLY)
async def check_gate(
    context: DeskOf,
    limits: LimitsBody,
    evaluation: str = EvaluationId,
    language: str = Language,
    since: str = Query("", max_length=64, description="The id of an earlier one, which limits of change are about."),
) -> GateAnswer:
    """Limits for each figure, as `python app.py evaluate --gate FILE` takes them."""

    def told(studio: Studio) -> GateAnswer:
        say, read = sayer(language), limits_of(limits)
        earlier = since or read.since
        runs = compare_runs(studio.evaluations.data(evaluation), studio.evaluations.data(earlier)) if earlier else None
        result = gate(studio.evaluations.findings(evaluation), read, runs)
        lines = [GateLineAnswer(**told_line(line.line, say).model_dump(), passed=line.is_passed) for line in result.lines]
        return GateAnswer(passed=result.is_passed, lines=lines)

    return await context.threads.run(lambda: told(context.studio))


@router.get(ONE + "/since/{other}", summary="What is new since another evaluation")
async def compare_with(context: DeskOf, evaluation: str = EvaluationId, other: str = OtherId, language: str = Language) -> SinceAnswer:
    """Of the texts and voices that both have: change by change, with its range."""

    def told(studio: Studio) -> SinceAnswer:
        say = sayer(language)
        runs = compare_runs(studio.evaluations.data(evaluation), studio.evaluations.data(other))
        return SinceAnswer(lines=[told_line(line, say) for line in runs.lines], comparison=asdict(runs))

    return await context.threads.run(lambda: told(context.studio))


def _file(studio: Studio, evaluation: str, form: str, language: str) -> Response:
    from studio.evaluations.report.evaluation_csv import cells_csv, systems_csv
    from studio.evaluations.report.evaluation_file import evaluation_json
    from studio.evaluations.report.markdown import markdown_table
    from studio.evaluations.report.report_words import ReportWords
    from studio.evaluations.report.written_report import report_zip

    data, findings, say = studio.evaluations.data(evaluation), studio.evaluations.findings(evaluation), sayer(language)
    words = ReportWords(say, say.language)
    name = f"evaluation-{evaluation[:12]}"
    if form == "zip":
        blocks = report_zip(data, findings, words, lambda sound: studio.evaluations.sound_path(evaluation, sound.sha256))
        whole = chain([next(blocks)], blocks)  # what a disk refuses, it refuses now
        return StreamingResponse(whole, media_type="application/zip", headers=attachment(f"{name}.zip"))
    if form == "csv":
        return Response(cells_csv(data), media_type="text/csv; charset=utf-8", headers=attachment(f"{name}.csv"))
    if form == "systems":
        return Response(systems_csv(findings), media_type="text/csv; charset=utf-8", headers=attachment(f"{name}-systems.csv"))
    if form == "markdown":
        return Response(markdown_table(data, findings, words), media_type="text/markdown; charset=utf-8", headers=attachment(f"{name}.md"))
    return Response(evaluation_json(data, findings), media_type="application/json", headers=attachment(f"{name}.json"))
