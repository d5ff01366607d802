"""/v1/studio/lexicon: the pronunciation dictionary of whoever asks: list, entries, files in and out."""

from typing import Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from starlette.responses import JSONResponse, Response

from studio.api.answers.lexicon_answers import (
    LexiconAnswer,
    LexiconEntryAnswer,
    LexiconEntryBody,
    LexiconImportAnswer,
)
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.lexicons.kept_lexicon import KeptLexicon
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.formats import FILE_TYPES, file_of, read_file
from studio.reading.lexicon.lexicon_file import LexiconFile
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

ALL = "/v1/studio/lexicon"
ONE = ALL + "/{written:path}"
BINARY = {"schema": {"type": "string", "format": "binary"}}
_SCHEMA = LexiconAnswer.model_json_schema(ref_template="#/components/schemas/{model}")
JSON = {"application/json": {"schema": {name: part for name, part in _SCHEMA.items() if name != "$defs"}}}  # which others define
FILES: Responses = {200: {"content": JSON | dict.fromkeys(FILE_TYPES.values(), BINARY)}}
ANY_FILE = {
    "requestBody": {
        "required": True,
        "description": "The file itself: PLS 1.0 (W3C), or CSV whose first row names its columns; 5,000 entries, 200 characters a form.",
        "content": dict.fromkeys((*FILE_TYPES.values(), "application/octet-stream"), BINARY),
    }
}
FULL: Responses = {409: {"description": "The dictionary would have more entries than it may have."}}
Written = PathParameter(description="The word, or words, as written.")
Language = Query("", max_length=40, description='Of the text it is meant in: a code, which stands for its dialects, too; "" for all.')

router = APIRouter(tags=["pronunciation"], route_class=OffLoopRoute)


@router.get(ALL, summary="The pronunciation dictionary", responses=FILES, response_model=None)
async def read_lexicon(context: DeskOf, format: Literal["json", "pls", "csv"] = "json") -> Response:
    """That of the key, or visitor, that asks: as JSON, or as a file of PLS 1.0 or CSV, which can be imported again."""
    return await context.threads.run(lambda: _listed(context.studio.lexicon, format))


@router.post(ALL, summary="Import a dictionary", responses=FULL, openapi_extra=ANY_FILE)
async def import_lexicon(
    context: DeskOf,
    request: Request,
    replace: bool = Query(False, description="Whether it takes the place of all that there is."),
    filename: str = Query("", max_length=255, description="Tells the format where the type does not: words.pls, words.csv."),
) -> LexiconImportAnswer:
    """All of the file or nothing of it: a line that does not fit is named with its number and the rule.

    An entry for a word and language takes the place of the one that is there.
    """
    data, content_type = await request.body(), request.headers.get("content-type", "")
    return await context.threads.run(lambda: _imported(_to_change(context), read_file(data, content_type, filename), replace=replace))


@router.delete(ALL, summary="Empty the dictionary")
async def clear_lexicon(context: DeskOf) -> dict[str, object]:
    """For good; export it before."""
    n_entries = await context.threads.run(lambda: _to_change(context).clear())
    return {"deleted": True, "n_entries": n_entries}


@router.get(ONE, summary="One entry")
async def read_entry(context: DeskOf, written: str = Written, language: str = Language) -> LexiconEntryAnswer:
    """Of this language itself, not of one that stands for it."""
    return LexiconEntryAnswer.of(await context.threads.run(lambda: context.studio.lexicon.get(written, language)))


@router.put(ONE, summary="Say a word otherwise", responses=FULL)
async def put_entry(context: DeskOf, body: LexiconEntryBody, written: str = Written, language: str = Language) -> LexiconEntryAnswer:
    """From the next request on. Another entry for the word and language takes its place."""
    entry = LexiconEntry(written, language=language, **body.model_dump())
    return LexiconEntryAnswer.of(await context.threads.run(lambda: _to_change(context).put(entry)))


@router.delete(ONE, summary="Delete an entry")
async def delete_entry(context: DeskOf, written: str = Written, language: str = Language) -> dict[str, object]:
    """The word is said as it is written from the next request on."""
    entry = await context.threads.run(lambda: _to_change(context).delete(written, language))
    return {"written": entry.written, "language": entry.language, "deleted": True}


def _to_change(context: ApiContext) -> KeptLexicon:
    """Raises OwnerOnly for everybody's, on a Space whose visitors share it."""
    context.studio.check_owner(context.studio.workspace)
    return context.studio.lexicon


def _listed(lexicon: KeptLexicon, kind: Literal["json", "pls", "csv"]) -> Response:
    entries = lexicon.read().entries
    if kind != "json":
        disposition = {"Content-Disposition": f'attachment; filename="lexicon.{kind}"'}
        return Response(file_of(entries, kind), media_type=FILE_TYPES[kind], headers=disposition)
    answers = [LexiconEntryAnswer.of(entry) for entry in entries]
    return JSONResponse(LexiconAnswer(entries=answers, set_aside=lexicon.was_set_aside).model_dump())


def _imported(lexicon: KeptLexicon, file: LexiconFile, *, replace: bool) -> LexiconImportAnswer:
    made = lexicon.add(file.entries, replace=replace)
    return LexiconImportAnswer(imported=len(file.entries), n_entries=len(made), passed_over=list(file.passed_over))
